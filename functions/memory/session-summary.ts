// Rows of a session's compression: the claim, the summary, and the retirement of its originals.

import { createHash } from "node:crypto";
import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { GENERAL_DOMAIN } from "../schemas/domain.ts";
import { type PendingWrite, pendingWritesSchema } from "../search-index/outbox.ts";
import { pastAnswerRow } from "./past-answers.ts";

const quoteSchema = z.object({
  quote: z.string(),
  place: z.object({ line: z.number(), count: z.number() }).nullable(),
});

const rejectedSchema = z.object({ cause: z.string(), reason: z.string() });

const findingsSchema = z
  .object({
    outcome: z.string(),
    confidence: z.number(),
    evidence: z.array(quoteSchema),
    rejected: z.array(rejectedSchema),
    resolution: z.string().nullable(),
    resolved_by: z.string().nullable(),
  })
  .transform(({ outcome, confidence, evidence, rejected, resolution, resolved_by }) => ({
    outcome,
    confidence,
    /** Verbatim, with place and count, the most important first. */
    errorLines: [...new Set(evidence.map(describeQuote))],
    /** Rejected hypotheses with the reason. */
    ruledOut: rejected.map(({ cause, reason }) => (reason === "" ? cause : `${cause} (${reason})`)),
    fix: resolution === null ? null : describeFix(resolution, resolved_by),
  }));

/** A turn as `session_turn` and `benign_turn` return it. */
export const storedTurnSchema = z
  .object({
    id: z.string(),
    domain: z.string(),
    created_at: z.string(),
    question: z.string(),
    answer: z.string(),
    net_rating: z.number().int(),
    content_hash: z.string(),
  })
  .and(
    z.union([
      findingsSchema.transform((findings) => ({ findings })),
      z.unknown().transform(() => ({ findings: null })),
    ]),
  )
  .transform(({ created_at, content_hash, net_rating, ...rest }) => ({
    ...rest,
    rating: net_rating,
    createdAt: new Date(created_at),
    contentHash: content_hash,
  }));
/** A question, its answer, its rating, and the findings of its triage; null when no triage is stored. */
export type StoredTurn = z.infer<typeof storedTurnSchema>;

/** The fix as the stored answer of a resolved incident begins, after `Fixed by: `. */
export function describeFix(resolution: string, resolvedBy: string | null): string {
  return `${resolution}${resolvedBy === null ? "" : ` (${resolvedBy})`}`;
}

function describeQuote({ quote, place }: z.infer<typeof quoteSchema>): string {
  const where = place === null ? "" : `line ${place.line}${place.count > 1 ? `, ${place.count} times` : ""}`;
  return quote.replace(/(?<!\s)\s*\n\s*/g, " ").trim() + (where === "" ? "" : ` (${where})`);
}

const claimedSessionsSchema = z.array(
  z
    .object({
      session_id: z.string(),
      // Null when rows were deleted by hand and the session's count did not follow.
      past_answers: z.array(storedTurnSchema).nullable(),
    })
    .transform(({ session_id, past_answers }) => ({
      sessionId: session_id,
      pastAnswers: past_answers ?? [],
    })),
);
export type ClaimedSession = z.infer<typeof claimedSessionsSchema>[number];

const retiredSchema = z.object({ retired: z.number().int() });

/** Characters of the session's id in the summary's question. */
const ID_LENGTH = 8;

/**
 * Claims idle sessions with more past answers than the threshold, oldest past answers first. @throws DependencyError
 */
export async function claimSessions(
  database: Database,
  claim: {
    readonly now: Date;
    readonly idleSince: Date;
    /** Sessions need more past answers than this. */
    readonly threshold: number;
    readonly limit: number;
    readonly leaseSeconds: number;
    readonly pastAnswersEach: number;
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
      p_past_answers_per_session: claim.pastAnswersEach,
    },
    claimedSessionsSchema,
  );
}

/**
 * Stores the summary of a claimed session. Stores nothing and returns no write if another run stored one, or if a past
 * answer was changed or deleted meanwhile.
 * @throws DependencyError
 */
export async function storeSummary(
  database: Database,
  { sessionId, pastAnswers }: ClaimedSession,
  { text, now, claimUntil }: { readonly text: string; readonly now: Date; readonly claimUntil: string },
): Promise<PendingWrite[]> {
  const originals = pastAnswers.map(({ id, contentHash }) => ({ id, content_hash: contentHash }));
  const memory = pastAnswerRow({
    id: summaryId({ sessionId, pastAnswers }),
    domain: domainOfTurns(pastAnswers),
    sessionId,
    triageId: null,
    createdAt: pastAnswers.at(-1)?.createdAt ?? now,
    question: `[SESSION SUMMARY ${sessionId.slice(0, ID_LENGTH)}]`,
    answer: text,
    isSummary: true,
  });
  const p = { now: now.toISOString(), claim_until: claimUntil, summary: memory, originals };
  return database.call("store_summary", { p }, pendingWritesSchema, { retries: 1 });
}

/** Removes past answers whose summary is indexed from the index. @returns their number @throws DependencyError */
export async function retireOriginals(database: Database, now: Date, limit: number): Promise<number> {
  const result = await database.call("retire_originals", { p_now: now.toISOString(), p_limit: limit }, retiredSchema, {
    retries: 1,
  });
  return result.retired;
}

/** The domain of all turns; `general` if they differ. */
function domainOfTurns(turns: readonly StoredTurn[]): string {
  const [domain = GENERAL_DOMAIN, ...others] = new Set(turns.map((turn) => turn.domain));
  return others.length > 0 ? GENERAL_DOMAIN : domain;
}

/** A UUID derived from the originals, so that two runs for the same past answers store one summary. */
function summaryId({ sessionId, pastAnswers }: ClaimedSession): string {
  const originals = pastAnswers.map(({ id, contentHash }) => [id, contentHash]);
  const hex = createHash("sha256")
    .update(JSON.stringify([sessionId, originals]))
    .digest("hex");
  // Version 8 and variant 10: a UUID with a custom layout.
  const variant = (8 + (Number.parseInt(hex.slice(16, 17), 16) % 4)).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
