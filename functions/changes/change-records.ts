// Stores and lists changes. An event is stored once, however often it is delivered.

import { z } from "zod";
import type { Database, FunctionArguments } from "../adapters/database.ts";
import { CHANGE_KINDS } from "../schemas/live-evidence.ts";
import { type BufferedWrite, bufferedWrite, jsonBytes, MAX_WRITE_BYTES } from "../write-buffer.ts";
import type { ChangeRow } from "./change-row.ts";

/** What the database stores of one delivery. */
export function changeArguments({
  now,
  owner,
  source,
  rows,
}: {
  readonly now: Date;
  /** Whom the changes belong to: the owner of the token, or the sender whose signature the request had. */
  readonly owner: string;
  readonly source: string;
  readonly rows: readonly ChangeRow[];
}) {
  return { p: { now: now.toISOString(), owner, source, changes: [...rows] } };
}

const recordedSchema = z.array(z.object({ id: z.string().nullable(), stored: z.boolean() }));
/** For each change its id, and whether it was stored now; null for one that the caller must not see. */
export type RecordedChanges = z.infer<typeof recordedSchema>;

/** May be repeated: each row has its id. @throws DependencyError */
export async function recordChanges(
  database: Database,
  args: FunctionArguments<"record_changes">,
): Promise<RecordedChanges> {
  return database.call("record_changes", args, recordedSchema, { retries: 1 });
}

/** The changes in as few writes as fit into queue messages. A change that does not fit alone is in a write of its own. */
export function bufferedChanges({ p }: ReturnType<typeof changeArguments>, at: Date): readonly BufferedWrite[] {
  const write = bufferedWrite("changes", { at, subject: null, args: p });
  if (p.changes.length <= 1 || jsonBytes(write) <= MAX_WRITE_BYTES) return [write];
  const middle = Math.ceil(p.changes.length / 2);
  return [p.changes.slice(0, middle), p.changes.slice(middle)].flatMap((changes) =>
    bufferedChanges({ p: { ...p, changes } }, at),
  );
}

export const changeSchema = z.object({
  id: z.string(),
  source: z.string().describe("The format in which it was reported."),
  at: z.string().describe("When the service changed."),
  received_at: z.string(),
  kind: z.enum(CHANGE_KINDS),
  service: z.string(),
  environment: z.string().nullable(),
  title: z.string(),
  version: z.string().nullable(),
  changed_by: z.string().nullable(),
  url: z.string().nullable(),
  labels: z.record(z.string(), z.string()),
  domain: z.string(),
});
export type StoredChange = z.infer<typeof changeSchema>;

/** Newest first. @param names of the service; null for all. @throws DependencyError */
export async function listChanges(
  database: Database,
  {
    limit,
    before,
    names,
    since,
  }: {
    readonly limit: number;
    readonly before: { readonly at: string; readonly id: string } | undefined;
    readonly names: readonly string[] | null;
    readonly since: string | undefined;
  },
): Promise<StoredChange[]> {
  const args = {
    p_limit: limit,
    ...(before === undefined ? {} : { p_before_at: before.at, p_before_id: before.id }),
    ...(names === null ? {} : { p_names: [...names] }),
    ...(since === undefined ? {} : { p_since: since }),
  };
  return database.call("list_changes", args, z.array(changeSchema), { retries: 1 });
}
