// The file of the last recorded burst, so that it can be replayed with other figures without running it again. Webhooks
// are not in it: the seed makes them anew.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";
import { REPO_DIR } from "../../../../dev/stack/paths.ts";
import type { Burst } from "../burst/burst.ts";
import type { Outcome } from "../result/outcome.ts";
import { planBurst, type Recording } from "../simulate-burst.ts";

const FILE = join(REPO_DIR, ".dejavu", "simulate", "recording.json.gz");

const callSchema = z.object({
  store: z.enum(["sql", "chroma", "embed"]),
  name: z.string(),
  alerts: z.number(),
  locks: z.array(z.string()),
  collection: z.string(),
  startedAt: z.number(),
  endedAt: z.number(),
});
const regionSchema = z.object({ name: z.string(), roundTripMs: z.number() });
const recordingSchema = z.object({
  burst: z.object({
    alerts: z.number(),
    teams: z.number(),
    tokens: z.number(),
    rules: z.number(),
    repeats: z.number(),
    seconds: z.number(),
    seed: z.number(),
    regions: z.array(regionSchema),
    consumerRegion: regionSchema,
  }),
  outcome: z.custom<Outcome>((value) => typeof value === "object" && value !== null && "stored" in value),
  /** In the order of the plan. */
  webhooks: z.array(
    z.object({
      calls: z.array(callSchema),
      receipt: z.object({
        alerts: z.array(z.object({ decision: z.string() })),
        incidents: z.array(z.string()),
        persisted: z.unknown().optional(),
      }),
      created: z.number(),
      grouped: z.number(),
    }),
  ),
  investigations: z.array(z.array(callSchema)),
  collections: z.array(z.string()),
});

export function saveRecording(burst: Burst, { webhookList, webhooks, ...recording }: Recording): void {
  const inOrder = webhookList.map((webhook) => webhooks.get(webhook));
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, gzipSync(JSON.stringify({ ...recording, burst, webhooks: inOrder })));
}

/**
 * The last recorded burst.
 * @param seconds in which its webhooks are sent; undefined for as recorded
 * @returns undefined if none was recorded @throws ZodError when the file is damaged
 */
export function loadRecording(
  seconds: number | undefined,
): { readonly burst: Burst; readonly recording: Recording } | undefined {
  if (!existsSync(FILE)) return undefined;
  const file = recordingSchema.parse(JSON.parse(gunzipSync(readFileSync(FILE)).toString()));
  const { burst: recordedBurst, webhooks, ...recorded } = file;
  const byId = new Map(planBurst(recordedBurst).webhookList.map(({ id }, i) => [id, webhooks[i]]));
  const burst = { ...recordedBurst, seconds: seconds ?? recordedBurst.seconds };
  const { webhookList, senderRandom } = planBurst(burst);
  const byWebhook = new Map(
    webhookList.flatMap((webhook) => {
      const each = byId.get(webhook.id);
      return each === undefined ? [] : [[webhook, each] as const];
    }),
  );
  return { burst, recording: { ...recorded, webhookList, webhooks: byWebhook, random: senderRandom } };
}
