// Health of sources of evidence: one cheap request to each, with its credential.

import { z } from "zod";
import type { Redact } from "../../lib/redaction/redact.ts";
import { type DependencyError, type DependencyFailure, settle } from "../dependencies.ts";
import type { EvidenceSourceDefinition } from "../schemas/evidence/source.ts";
import { type EvidenceSources, missingCredentialReason } from "./evidence-services.ts";

export const sourceHealthSchema = z.object({
  status: z.enum(["ok", "failing"]),
  reason: z
    .string()
    .nullable()
    .describe("Code of the failure, such as `timeout`, `refused` or `missing_credential`; null when the status is ok."),
  detail: z.string().nullable().describe("The failure in one sentence; null when the status is ok."),
  version: z.string().nullable().describe("Version of the server; null if it shows none."),
  latency_ms: z.number(),
});
export type SourceHealth = z.infer<typeof sourceHealthSchema>;

/** Why a query or a check of the health failed. */
export interface SourceFailure {
  readonly code: DependencyFailure | "missing_credential";
  /** One sentence without content of requests and responses. */
  readonly detail: string;
}

export interface SourceAccess {
  readonly redact: Redact;
  readonly evidenceSources: EvidenceSources;
  readonly config: { readonly EVIDENCE_TIMEOUT_MS: number; readonly EVIDENCE_QUERIES_AT_ONCE: number };
  readonly now: () => Date;
}

/** The health of each definition, in their order. A source that hangs costs EVIDENCE_TIMEOUT_MS. */
export async function checkHealth(
  access: SourceAccess,
  definitions: readonly EvidenceSourceDefinition[],
  cancelled?: AbortSignal,
): Promise<readonly SourceHealth[]> {
  const { EVIDENCE_QUERIES_AT_ONCE } = access.config;
  return mapAtOnce(definitions, EVIDENCE_QUERIES_AT_ONCE, (definition) => healthOf(access, definition, cancelled));
}

async function healthOf(
  { evidenceSources, config, now }: SourceAccess,
  definition: EvidenceSourceDefinition,
  cancelled: AbortSignal | undefined,
): Promise<SourceHealth> {
  const source = evidenceSources.clientOf(definition);
  if (source.state === "missing_credential") return failing(missingCredential(source.name), 0);
  const started = now().getTime();
  const pinged = await settle(source.client.ping({ timeoutMs: config.EVIDENCE_TIMEOUT_MS, cancelled }));
  const latency = now().getTime() - started;
  return pinged.ok
    ? { status: "ok", reason: null, detail: null, version: pinged.value.version, latency_ms: latency }
    : failing(failureOf(pinged.error), latency);
}

export function missingCredential(name: string): SourceFailure {
  return { code: "missing_credential", detail: missingCredentialReason(name) };
}

export function failureOf({ failure, message, dependency }: DependencyError): SourceFailure {
  const prefix = `${dependency}: `;
  return { code: failure, detail: message.startsWith(prefix) ? message.slice(prefix.length) : message };
}

function failing({ code, detail }: SourceFailure, latency_ms: number): SourceHealth {
  return { status: "failing", reason: code, detail, version: null, latency_ms };
}

/** Maps items in parallel, at most `limit` at once; results keep the order. A failure ends it, as with Promise.all. */
export async function mapAtOnce<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const takeNext = async () => {
    // All workers take from the same iterator.
    for (const [i, item] of waiting) results[i] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, takeNext));
  return results;
}
