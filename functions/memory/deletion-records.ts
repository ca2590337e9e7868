// Owns the removal of what is remembered: for good, with an audit event that holds nothing of it.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { type PendingWrite, pendingWritesSchema } from "../search-index/outbox.ts";

export interface DeletionRequest {
  readonly kind: "incident" | "observation" | "past_answer" | "session" | "procedure";
  /** A UUID, or the session's name. */
  readonly id: string;
  /** Who asks for it, for the audit event. */
  readonly by?: { readonly actor: string; readonly requestId: string };
  readonly now: Date;
  /** Until when the removals from the vector store are the caller's; ISO 8601. */
  readonly claimUntil: string;
}

const deletionResultSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("not_found") }),
  z.object({ state: z.literal("forgotten"), owed: pendingWritesSchema }),
]);

/** @returns the removals that the vector store is owed, or null when there is no such record. @throws DependencyError */
export async function deleteRows(
  database: Database,
  { kind, id, by, now, claimUntil }: DeletionRequest,
): Promise<PendingWrite[] | null> {
  const p = {
    kind,
    id,
    now: now.toISOString(),
    claim_until: claimUntil,
    actor: by?.actor ?? null,
    request_id: by?.requestId ?? null,
  };
  // Not retried: after a lost reply the second call would say that there is nothing.
  const reply = await database.call("forget_for", { p }, deletionResultSchema);
  return reply.state === "not_found" ? null : reply.owed;
}
