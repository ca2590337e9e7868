// Sample texts for the runbook and document endpoints, and helpers that send them and read their stored chunks.

import { z } from "zod";
import type { Services } from "../../../functions/services.ts";
import { sendJson, sendText } from "./api.ts";
import { type Harness, sql } from "./harness.ts";

export const INGRESS =
  "# Ingress answers 502\n\nThe controller finds no endpoint.\n\n## Root causes\n\n- The readiness probe fails.\n\n## Mitigate\n\n1. Roll back.\n";
/** URL path of the sample runbook. */
export const RUNBOOK_PATH = "/v1/runbooks/kubernetes/team/ingress.md";
/** Source name of the sample runbook in Postgres and in the vector store. */
export const RUNBOOK_SOURCE = "kubernetes/team/ingress.md";
export const NOTE = {
  text: "CrashLoopBackOff after the upgrade.\n\nThe pod could not read its config map.",
  source: "handover/2026-11-02",
  doc_type: "note",
  tags: ["upgrade"],
};

/** The chunks of a source: Postgres rows in the order of the text, and vector store records in no certain order. */
export async function storedChunks({ vectors }: Services, source: string) {
  const rows = await sql`select d.id, d.body, d.metadata, d.written_at, c.name as collection
    from public.documents d join public.collections c on c.id = d.collection_id
    where d.source = ${source} order by d.chunk_index`;
  const index = await vectors.find("runbooks", {
    limit: 1_000,
    filter: { op: "equals", field: "source", value: source },
  });
  return { rows, index };
}

export function sendDocument(harness: Harness, body: unknown) {
  return sendJson(harness, "POST", "/v1/documents", body);
}

export async function putRunbook(harness: Harness, text = INGRESS) {
  const response = await sendText(harness, RUNBOOK_PATH, text);
  return { status: response.status, body: await response.json() };
}

export function idOf(body: unknown): string {
  return z.object({ id: z.string() }).parse(body).id;
}
