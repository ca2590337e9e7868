// Sample records of every memory layer, written as the product writes them and copied to the vector store; and a search
// for a word in both stores.

import { observationDocument, observationRow } from "../../../functions/memory/observation.ts";
import { pastAnswerRow } from "../../../functions/memory/past-answers.ts";
import { procedureRow } from "../../../functions/memory/procedures.ts";
import { NO_SIGNATURE } from "../../../functions/schemas/failure-signature.ts";
import { COLLECTIONS } from "../../../functions/search-index/collections.ts";
import { pendingWritesSchema, performPendingWrites } from "../../../functions/search-index/outbox.ts";
import { documentRow } from "../../../functions/search-index/search-document.ts";
import type { Services } from "../../../functions/services.ts";
import { sql } from "./harness.ts";

export interface Planted {
  readonly incidentId: string;
  readonly triageId: string;
  readonly at: Date;
  readonly sessionId: string;
}

const DOMAIN: string = "docker";

/** Stores an incident and its triage, both with the text. */
export async function plantIncident(
  services: Services,
  { text = "a container exited", sessionId = "session-1", at = services.now(), incidentId = services.newId() } = {},
): Promise<Planted> {
  const planted = { incidentId, triageId: services.newId(), at, sessionId };
  await sql`insert into public.incidents (id, created_at, title, question, severity, logs, session_id, domain, domain_rule,
      incident_type, incident_type_rule, status)
    values (${planted.incidentId}, ${at}, ${text}, ${text}, 'high', ${text}, ${sessionId}, ${DOMAIN}, 'default', 'unknown',
      'default', 'triaged')`;
  await sql`insert into public.incident_events (incident_id, at, kind, detail)
    values (${planted.incidentId}, ${at}, 'reported', ${sql.json({ text })})`;
  await sql`insert into public.runs (run_id, session_id, started_at, query, incident_id, finished_at, injection_blocked,
      retrieval_hit_count, memory_hit_count, initial_confidence, reflected, final_confidence, final_answer)
    values (${services.newId()}, ${sessionId}, ${at}, ${text}, ${planted.incidentId}, ${at}, false, 0, 0, 0.8, false, 0.8, ${text})`;
  await sql`insert into public.triages (id, incident_id, created_at, mode, outcome, confidence, result)
    values (${planted.triageId}, ${planted.incidentId}, ${at}, 'extractive', 'cause', 0.8, ${sql.json({ text })})`;
  await sql`insert into public.idempotency_keys (key, request_hash, started_at, incident_id, triage_id)
    values (${`key of ${planted.incidentId}`}, '', ${at}, ${planted.incidentId}, ${planted.triageId})`;
  return planted;
}

/** The argument of `record_observation` for an investigated incident, with the text. */
export function observationWrite(
  { incidentId, at }: Planted,
  { text, fingerprint }: { readonly text: string; readonly fingerprint: string },
) {
  const observation = {
    id: incidentId,
    domain: DOMAIN,
    version: 1,
    createdAt: at,
    title: text,
    narrative: text,
    facts: [text],
    signature: NO_SIGNATURE,
    writtenBy: "extractive",
    taskType: "unknown",
    target: null,
    severity: "high" as const,
    toolsUsed: "",
    finalScore: 8,
    reviewScore: null,
    occurrences: 1,
    firstSeenAt: at,
    lastSeenAt: at,
    resolution: null,
  };
  const report = { incidentId, task: text, fingerprint, signature: NO_SIGNATURE, target: null, reportedAt: at };
  return {
    row: observationRow(observation, report),
    document: documentRow(observationDocument(observation)),
    replaces: null,
  };
}

/** Records the observation of an incident. An existing fingerprint only increases the count. */
export async function plantObservation(
  services: Services,
  planted: Planted,
  { text = "a container exited", fingerprint = planted.incidentId } = {},
): Promise<void> {
  const at = planted.at.toISOString();
  const p = observationWrite(planted, { text, fingerprint });
  await copyToIndex(services, await services.database.call("record_observation", { p, p_now: at, p_claim_until: at }));
}

/** Adds the incident to the record, as a report of its failure. */
export async function plantRepeat({ incidentId }: Planted, observationId: string): Promise<void> {
  await sql`update public.incidents i set observation_id = o.id, fingerprint = o.fingerprint
    from public.observations o where i.id = ${incidentId} and o.id = ${observationId}`;
  await sql`update public.observations set occurrences = occurrences + 1 where id = ${observationId}`;
}

/** Stores the question and answer of a triage as a past answer under the triage's id. */
export async function plantMemory(
  services: Services,
  { triageId, at, sessionId }: Planted,
  { text = "why did it exit?", domain = DOMAIN }: { readonly text?: string; readonly domain?: string } = {},
): Promise<void> {
  const pastAnswer = { id: triageId, domain, sessionId, triageId, createdAt: at, question: text, answer: text };
  await copyToIndex(
    services,
    await services.database.call("record_past_answer", {
      p: pastAnswerRow({ ...pastAnswer, isSummary: false }),
      p_now: at.toISOString(),
      p_claim_until: at.toISOString(),
    }),
  );
}

/** Stores the summary of a session's past answers. @returns its id */
export async function plantSummary(
  services: Services,
  {
    sessionId,
    originals,
    text,
  }: { readonly sessionId: string; readonly originals: readonly string[]; readonly text: string },
): Promise<string> {
  const id = services.newId();
  const now = services.now();
  const rows = await sql`select id, content_hash from public.past_answers where id = any (${[...originals]})`;
  const summary = { id, domain: DOMAIN, sessionId, triageId: null, createdAt: now, question: text, answer: text };
  const p = {
    now: now.toISOString(),
    claim_until: now.toISOString(),
    summary: pastAnswerRow({ ...summary, isSummary: true }),
    originals: rows.map(({ id, content_hash }) => ({ id, content_hash })),
  };
  await copyToIndex(services, await services.database.call("store_summary", { p }));
  return id;
}

/** Stores the procedure that led to a triage's answer. @returns its id */
export async function plantProcedure(
  services: Services,
  { triageId, at }: Planted,
  { text = "exit code of a container" } = {},
): Promise<string> {
  const id = services.newId();
  const procedure = { id, domain: DOMAIN, query: text, strategy: text, answer: text, confidence: 0.8, triageId };
  const p = { row: procedureRow({ ...procedure, createdAt: at }), merge_into: null };
  await copyToIndex(
    services,
    await services.database.call("record_procedure", { p, p_now: at.toISOString(), p_claim_until: at.toISOString() }),
  );
  return id;
}

/** The tables with the word in any column of a row. */
export async function tablesHolding(word: string): Promise<string[]> {
  const tables = await sql`select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by c.relname`;
  const holding: string[] = [];
  for (const { name } of tables) {
    const rows =
      await sql`select 1 from ${sql(`public.${name}`)} as entry where entry::text ilike ${`%${word}%`} limit 1`;
    if (rows.length > 0) holding.push(String(name));
  }
  return holding;
}

/** The collections of the vector store with the word in the text or metadata of a record. */
export async function collectionsHolding({ vectors }: Services, word: string): Promise<string[]> {
  const holding: string[] = [];
  for (const collection of COLLECTIONS) {
    const records = await vectors.find(collection, { limit: 100 });
    if (JSON.stringify(records).toLowerCase().includes(word)) holding.push(collection);
  }
  return holding;
}

async function copyToIndex({ background, now }: Services, pending: unknown): Promise<void> {
  await performPendingWrites(background, pendingWritesSchema.parse(pending), now);
}
