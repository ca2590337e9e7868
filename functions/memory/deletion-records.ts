// Deletes records of memory for good, with an audit event without content.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { type PendingWrite, pendingWritesSchema } from "../search-index/outbox.ts";
import { revisedColumns } from "./memory-updates.ts";
import { observationSchema } from "./observation.ts";
import { writeToRecord } from "./write-to-record.ts";

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
  // Another record loses a fix with it. Nothing is deleted: the call is repeated with the text of that record.
  z.object({ state: z.literal("revise"), observation: observationSchema }),
  z.object({ state: z.literal("deleted"), pending: pendingWritesSchema }),
]);

type DeletionResult = z.infer<typeof deletionResultSchema>;

/** @returns the pending removals from the vector store; null when there is no such record. @throws DependencyError */
export async function deleteRows(
  database: Database,
  { kind, id, by, now, claimUntil }: DeletionRequest,
): Promise<PendingWrite[] | null> {
  const request = {
    kind,
    id,
    now: now.toISOString(),
    claim_until: claimUntil,
    actor: by?.actor ?? null,
    request_id: by?.requestId ?? null,
  };
  return writeToRecord(async ([revised]) => {
    const p = { ...request, ...(revised && { revised: revisedColumns(revised) }) };
    // No retry: after a lost result the second call would find nothing.
    const result: DeletionResult = await database.call("delete_record", { p }, deletionResultSchema);
    if (result.state === "not_found") return null;
    if (result.state === "deleted") return result.pending;
    return { state: "revise", observations: [result.observation] };
  });
}
