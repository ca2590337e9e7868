// Fills stores with made-up past incidents, and with past answers and procedures beside them. Rows are written in batches,
// vectors in parallel to them.

import postgres from "postgres";
import { SLOW_WORK } from "../../cli/slow-work.ts";
import { observationDocument, observationRow } from "../../functions/memory/observation.ts";
import { observedReport } from "../../functions/memory/observed-report.ts";
import { pastAnswerRow } from "../../functions/memory/past-answers.ts";
import { procedureRow } from "../../functions/memory/procedures.ts";
import { documentRow, documentText, indexMetadata } from "../../functions/search-index/search-document.ts";
import { createServices, type Services } from "../../functions/services.ts";
import { type MadeUpIncident, type MadeUpIncidents, madeUpObservation } from "./made-up-incidents.ts";

const BATCH = 1_000;
/** One past answer and one procedure for each ten incidents: sessions are summarised, and equal queries share a procedure. */
const OTHERS_EVERY = 10;

/** @param embed makes the vectors of texts; by default, the incidents have made-up vectors */
export async function fillIncidents(
  stores: {
    readonly info: { readonly urls: { readonly postgres: string } };
    readonly workerEnv: Record<string, string>;
  },
  incidents: MadeUpIncidents,
  total: number,
  { progress, embed }: { readonly progress: (step: string) => void; readonly embed?: Embed },
): Promise<void> {
  const sql = postgres(stores.info.urls.postgres, { max: 1, onnotice: () => {} });
  try {
    const services = createServices(stores.workerEnv, { log: () => {}, internals: SLOW_WORK });
    await sql`insert into public.collections (name) values ('incidents'), ('past_answers'), ('procedures') on conflict (name) do nothing`;
    let writes: Promise<unknown> = Promise.resolve();
    for (let first = 0; first < total; first += BATCH) {
      const length = Math.min(BATCH, total - first);
      const batch = Array.from({ length }, (_, i) => incidents.past(first + i, total));
      // The next batch is made up while this one is written.
      await writes;
      progress(`storing ${first.toLocaleString("en")} of ${total.toLocaleString("en")} past incidents`);
      writes = Promise.all([storeRows(sql, batch), storeVectors(services, batch, embed)]);
      writes.catch(() => {});
    }
    await writes;
    await sql`vacuum analyze`;
  } finally {
    await sql.end();
  }
}

async function storeRows(sql: postgres.Sql, batch: readonly MadeUpIncident[]): Promise<void> {
  const observations = batch.map(madeUpObservation);
  const rows = batch.map(({ incident, fix }, i) => {
    const observation = observations[i] ?? madeUpObservation({ incident, fix, vector: [] });
    return {
      ...observationRow(observation, { ...observedReport(incident), fingerprint: observation.fingerprint }),
      id: incident.id,
      at: incident.createdAt.toISOString(),
      domain_rule: incident.domain.rule,
      type_rule: incident.type.rule,
      labels: incident.labels,
      session_id: incident.sessionId,
      resolution: observation.resolution?.text ?? null,
    };
  });
  await sql`create temporary table if not exists batch (row jsonb)`;
  await sql`truncate batch`;
  await sql`insert into batch select jsonb_array_elements(${sql.json(plain(rows))})`;
  await sql`insert into public.incidents (id, created_at, title, target, severity, labels, session_id, domain, domain_rule,
      incident_type, incident_type_rule, status, resolution, resolved_at)
    select (row ->> 'id')::uuid, (row ->> 'at')::timestamptz, row ->> 'title', row ->> 'target', row ->> 'severity',
      row -> 'labels', row ->> 'session_id', row ->> 'domain', row ->> 'domain_rule', row ->> 'task_type', row ->> 'type_rule',
      case when row ->> 'resolution' is null then 'triaged' else 'resolved' end, row ->> 'resolution',
      case when row ->> 'resolution' is not null then (row ->> 'at')::timestamptz end
    from batch`;
  await sql`insert into public.observations (id, domain, fingerprint, created_at, incident_id, title, narrative, facts, task,
      task_type, target, severity, final_score, written_by, first_seen_at, last_seen_at, seen_at, resolution, resolved_by, resolved_at,
      signature, signature_version, targets)
    select o.id, o.domain, o.fingerprint, o.at, o.id, o.title, o.narrative, o.facts, o.task, o.task_type, o.target, o.severity,
      o.final_score, o.written_by, o.at, o.at, array[o.at], o.resolution, case when o.resolution is not null then 'on-call' end,
      case when o.resolution is not null then o.at end, o.signature, o.signature_version, array[o.target]
    from batch cross join lateral jsonb_to_record(row) as o (id uuid, domain text, fingerprint text, at timestamptz, title text,
      narrative text, facts text[], task text, task_type text, target text, severity text, final_score float8, written_by text,
      resolution text, signature jsonb, signature_version integer)`;
  await sql`update public.incidents i set observation_id = i.id, fingerprint = row ->> 'fingerprint'
    from batch where i.id = (row ->> 'id')::uuid`;
  await sql`insert into public.observation_fingerprints (domain, fingerprint, observation_id)
    select row ->> 'domain', row ->> 'fingerprint', (row ->> 'id')::uuid from batch`;
  await sql`insert into public.fixes (id, observation_id, fingerprint, text, created_at)
    select (row ->> 'id')::uuid, (row ->> 'id')::uuid, row ->> 'fingerprint', row ->> 'resolution', (row ->> 'at')::timestamptz
    from batch where row ->> 'resolution' is not null`;
  await sql`insert into public.fix_tries (fix_id, incident_id, at, helped)
    select (row ->> 'id')::uuid, (row ->> 'id')::uuid, (row ->> 'at')::timestamptz, true
    from batch where row ->> 'resolution' is not null`;
  const documents = observations.map((observation) => documentRow(observationDocument(observation)));
  await sql`select public.upsert_documents('incidents', ${sql.json(plain(documents))})`;
  const others = batch.filter((_, i) => i % OTHERS_EVERY === 0);
  await sql`insert into public.past_answers
    (id, domain, session_id, created_at, question, answer, is_summary, metadata, content_hash)
    select id, domain, session_id, created_at, question, answer, is_summary, metadata, content_hash
    from jsonb_populate_recordset(null::public.past_answers, ${sql.json(plain(others.map(pastAnswerOf)))})`;
  await sql`insert into public.procedures
    (id, domain, query, query_hash, strategy, answer, confidence, created_at, last_used_at, decayed_until, metadata, content_hash)
    select id, domain, query, query_hash, strategy, answer, confidence, now(), now(), now(), metadata, content_hash
    from jsonb_populate_recordset(null::public.procedures, ${sql.json(plain(others.map(procedureOf)))})
    on conflict (domain, query_hash) do nothing`;
}

type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;

async function storeVectors({ background }: Services, batch: readonly MadeUpIncident[], embed?: Embed): Promise<void> {
  const others = batch.filter((_, i) => i % OTHERS_EVERY === 0);
  const texts = {
    incidents: batch.map((each) => {
      const document = observationDocument(madeUpObservation(each));
      return { id: document.id, text: documentText(document), metadata: indexMetadata(document), vector: each.vector };
    }),
    past_answers: others.map((each) => {
      const { id, question, answer, metadata } = pastAnswerOf(each);
      return { id, text: `${question}\n\n${answer}`, metadata, vector: each.vector };
    }),
    procedures: others.map((each) => {
      const { id, query, metadata } = procedureOf(each);
      return { id, text: query, metadata, vector: each.vector };
    }),
  };
  for (const [collection, records] of Object.entries(texts)) {
    const vectors = embed && (await embed(records.map(({ text }) => text)));
    const stored = records.map((record, i) => ({ ...record, vector: vectors?.[i] ?? record.vector, isNew: true }));
    await background.vectors.store(collection, stored);
  }
}

function pastAnswerOf({ incident, fix }: MadeUpIncident) {
  const { id, domain, sessionId, createdAt, title } = incident;
  const answer = `Fixed by: ${fix}`;
  const memory = { id, domain: domain.name, sessionId, triageId: null, createdAt, question: title, answer };
  return pastAnswerRow({ ...memory, isSummary: false });
}

function procedureOf({ incident, fix }: MadeUpIncident) {
  const { id, domain, createdAt, title } = incident;
  const strategy = "retrieval_hits=5, memory_hits=3, reflected=false";
  const procedure = { id, domain: domain.name, query: title, strategy, answer: fix, confidence: 0.8, triageId: id };
  return procedureRow({ ...procedure, createdAt });
}

/** Without dates and undefined fields, as `sql.json` takes it. */
function plain(value: unknown): postgres.JSONValue {
  return JSON.parse(JSON.stringify(value));
}
