// Deletes records of memory for good, with an audit event without content.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { type PendingWrite, pendingWritesSchema } from "../search-index/outbox.ts";

export interface DeletionRequest {
  readonly kind: "incident" | "observation" | "past_answer" | "session" | "procedure";
  /** A UUID, or the name of a session. */
  readonly id: string;
  /** The caller, for the audit event. */
  readonly by?: { readonly actor: string; readonly requestId: string };
  readonly now: Date;
  /** End of the caller's claim on the removals from the vector store; ISO 8601. */
  readonly claimUntil: string;
}

const deletionResultSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("not_found") }),
  z.object({ state: z.literal("deleted"), pending: pendingWritesSchema }),
]);

/** @returns the pending removals from the vector store; null when there is no such record. @throws DependencyError */
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
  // No retry: after a lost result the second call would find nothing.
  const result = await database.call("delete_record", { p }, deletionResultSchema);
  return result.state === "not_found" ? null : result.pending;
}
