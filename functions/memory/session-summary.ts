// Owns the rows of a session that is summed up: the claim, the summary in place of its originals, their retirement.

import { createHash } from "node:crypto";
import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { DOMAIN_NAMES } from "../schemas/domain.ts";
import { type PendingWrite, pendingWritesSchema } from "../search-index/outbox.ts";
import { pastAnswerRow } from "./past-answers.ts";

const rememberedTurnSchema = z
  .object({
    id: z.string(),
    created_at: z.string(),
    question: z.string(),
    answer: z.string(),
    rating: z.number().int(),
    content_hash: z.string(),
  })
  .transform(({ created_at, content_hash, ...rest }) => ({
    ...rest,
    createdAt: new Date(created_at),
    contentHash: content_hash,
  }));
/** A question, its answer, and how people rated it. */
export type RememberedTurn = z.infer<typeof rememberedTurnSchema>;

const claimedSessionsSchema = z.array(
  z
    .object({
      session_id: z.string(),
      domain: z.enum(DOMAIN_NAMES),
      // Null where somebody deleted rows by hand and the count of the session did not follow.
      memories: z.array(rememberedTurnSchema).nullable(),
    })
    .transform(({ session_id, domain, memories }) => ({ sessionId: session_id, domain, memories: memories ?? [] })),
);
export type ClaimedSession = z.infer<typeof claimedSessionsSchema>[number];

const retiredSchema = z.object({ retired: z.number().int() });

/** Characters of a session's id that name it in its summary. */
const ID_LENGTH = 8;

/** Takes sessions that are idle, large enough and held by nobody; their memories oldest first. @throws DependencyError */
export async function claimSessions(
  database: Database,
  claim: {
    readonly now: Date;
    readonly idleSince: Date;
    /** Sessions with more raw memories than that. */
    readonly threshold: number;
    readonly limit: number;
    readonly leaseSeconds: number;
    readonly memoriesEach: number;
  },
): Promise<ClaimedSession[]> {
  return database.call(
    "claim_sessions",
    {
      p_now: claim.now.toISOString(),
      p_idle_since: claim.idleSince.toISOString(),
      p_threshold: claim.threshold,
      p_limit: claim.limit,
      p_lease_seconds: claim.leaseSeconds,
      p_memories_each: claim.memoriesEach,
    },
    claimedSessionsSchema,
  );
}

/**
 * Stores the summary of a claimed session. Nothing happens where somebody else summed it up, or one of the memories is
 * gone or changed by now: then no write is owed.
 * @throws DependencyError
 */
export async function storeSummary(
  database: Database,
  { sessionId, domain, memories }: ClaimedSession,
  { text, now, claimUntil }: { readonly text: string; readonly now: Date; readonly claimUntil: string },
): Promise<PendingWrite[]> {
  const originals = memories.map(({ id, contentHash }) => ({ id, content_hash: contentHash }));
  const memory = pastAnswerRow({
    id: summaryId({ sessionId, domain, memories }),
    domain,
    sessionId,
    triageId: null,
    createdAt: memories.at(-1)?.createdAt ?? now,
    question: `[SESSION SUMMARY ${sessionId.slice(0, ID_LENGTH)}]`,
    answer: text,
    isSummary: true,
  });
  const p = { now: now.toISOString(), claim_until: claimUntil, memory, originals };
  return database.call("store_summary", { p }, pendingWritesSchema, { retries: 1 });
}

/** Takes memories out of the index whose summary is in it; returns how many. @throws DependencyError */
export async function retireOriginals(database: Database, now: Date, limit: number): Promise<number> {
  const reply = await database.call("retire_originals", { p_now: now.toISOString(), p_limit: limit }, retiredSchema, {
    retries: 1,
  });
  return reply.retired;
}

/** Two workers that sum up the same memories make one summary: a UUID out of what it stands for. */
function summaryId({ sessionId, domain, memories }: ClaimedSession): string {
  const originals = memories.map(({ id, contentHash }) => [id, contentHash]);
  const hex = createHash("sha256")
    .update(JSON.stringify([domain, sessionId, originals]))
    .digest("hex");
  // Version 8 and variant 10: a UUID whose making is one's own.
  const variant = (8 + (Number.parseInt(hex.slice(16, 17), 16) % 4)).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
