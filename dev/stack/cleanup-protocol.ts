/** What the supervisor tells its reaper, one JSON object a line. */
import { z } from "zod";

const entrySchema = z.object({
  name: z.string(),
  pid: z.int().positive(),
  /** Identity beside the id (process-tree.ts). */
  startedAt: z.string(),
  stopSignal: z.custom<NodeJS.Signals>((value) => typeof value === "string" && /^SIG[A-Z0-9]+$/.test(value)),
  graceMs: z.number().nonnegative(),
});

/** One process group that must not outlive the supervisor. */
export type RosterEntry = z.infer<typeof entrySchema>;

/** `pids.json`: the same list on disk, for the case that the reaper was killed too. */
export const pidsFileSchema = z.array(entrySchema);

export const reaperMessageSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("begin"),
    owner: z.object({ pid: z.int().positive(), startedAt: z.string() }),
    /** The data folder, by whose mark to find what is on no list. */
    dir: z.string(),
    lockPath: z.string(),
    /** Files that are only true while the stack runs. */
    files: z.array(z.string()),
  }),
  z.object({ type: z.literal("add"), entry: entrySchema }),
  z.object({ type: z.literal("remove"), pid: z.int() }),
  /** A folder to delete after the parts are gone. */
  z.object({ type: z.literal("delete-later"), path: z.string() }),
  /** Everything is stopped and cleaned: nothing left to do. */
  z.object({ type: z.literal("done") }),
]);

export type ReaperMessage = z.infer<typeof reaperMessageSchema>;
