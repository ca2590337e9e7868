// Fills the memory tables at scale with set-based inserts: the same columns and proportions as in production use.

import postgres, { type Sql } from "postgres";

export interface Sizes {
  readonly procedures: number;
  /** Half of them in long sessions that wait for a summary, a quarter in summarised sessions. */
  readonly pastAnswers: number;
  readonly sessions: number;
  /** Also the number of triages, runs, observations, fixes, outbox entries, idempotency keys and so on. */
  readonly incidents: number;
  /** Words of a past incident in addition to its title. */
  readonly words: number;
}

/** Past answers of a session that is long enough for a summary. */
export const LONG_SESSION = 25;

/** Words of past incidents; a few of them are frequent. */
const VOCABULARY = 5_000;

/**
 * Fills empty tables and updates the planner statistics. Half of the procedures have been unused for one decay period of
 * 90 days, a tenth for four. Half of the records with a retention limit are older than 90 days. Ids are
 * `md5('<kind> <number>')` from 1 on; a memory has the id of its triage.
 */
export async function fillMemory(superuserUrl: string, sizes: Sizes, now: Date): Promise<void> {
  // Temporary functions exist only in their connection.
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(HELPER_FUNCTIONS);
    await fillIncidents(sql, sizes, now);
    await fillRecords(sql, sizes, now);
    await fillSessions(sql, sizes, now);
    await fillProcedures(sql, sizes, now);
    await sql`analyze`;
  } finally {
    await sql.end();
  }
}

const HELPER_FUNCTIONS = `
  create function pg_temp.id_of(kind text, n bigint) returns uuid language sql immutable as
    $$ select md5(kind || ' ' || n)::uuid $$;
  create function pg_temp.hash_of(kind text, n bigint) returns text language sql immutable as
    $$ select repeat(md5(kind || n), 2) || '.' || repeat(md5(n::text), 2) $$;
  create function pg_temp.domain_of(n bigint) returns text language sql immutable as
    $$ select (array['docker', 'kubernetes', 'docker', 'postgres', 'docker'])[1 + (n % 5)::integer] $$;
  create function pg_temp.title_of(n bigint) returns text language sql immutable as
    $$ select 'service-' || n || ' ' || (array['container exited with code 137', 'container keeps restarting after the deployment',
      'no space left on device under /var/lib/docker', 'container cannot resolve hostnames', 'port is already allocated',
      'image pull fails with toomanyrequests', 'container is unhealthy, health check times out'])[1 + (n % 7)::integer] $$;
`;

async function fillIncidents(sql: Sql, { incidents, sessions, words }: Sizes, now: Date): Promise<void> {
  await sql`insert into public.collections (name)
    select layer from unnest(array['incidents', 'past_answers', 'procedures']) as l (layer)
    on conflict (name) do nothing`;
  await sql`insert into public.incidents (id, created_at, title, target, severity, session_id, domain, domain_rule,
      incident_type, incident_type_rule, status)
    select pg_temp.id_of('incident', n), ${now}::timestamptz - n * interval '180 days' / ${incidents},
      pg_temp.title_of(n), 'service-' || n % 500, 'high',
      'session-' || n % ${sessions}, pg_temp.domain_of(n), 'default', 'unknown', 'default', 'triaged'
    from generate_series(1, ${incidents}::bigint) n`;
  await sql`insert into public.observations (id, domain, fingerprint, created_at, incident_id, title, narrative, facts, task,
      task_type, target, severity, final_score, written_by, first_seen_at, last_seen_at, seen_at)
    select i.id, i.domain, 'key of ' || i.id, i.created_at, i.id, i.title, repeat('It ran into its limit. ', 20),
      array_fill('A fact that a model is shown.'::text, array[7]), i.title, i.incident_type, i.target, i.severity, 8,
      'extractive', i.created_at, i.created_at, array[i.created_at]
    from public.incidents i`;
  await sql`update public.incidents i set observation_id = i.id, fingerprint = 'key of ' || i.id`;
  await sql`insert into public.observation_fingerprints (domain, fingerprint, observation_id)
    select o.domain, o.fingerprint, o.id from public.observations o`;
  await sql`insert into public.fixes (id, observation_id, fingerprint, text, created_at)
    select o.id, o.id, o.fingerprint, 'Raised its limit.', o.created_at from public.observations o`;
  await sql`insert into public.fix_tries (fix_id, incident_id, at, helped)
    select o.id, o.id, o.created_at, true from public.observations o`;
  await sql`insert into public.shown_memories (observation_id, incident_id)
    select pg_temp.id_of('incident', n), pg_temp.id_of('incident', 1 + n % ${incidents})
    from generate_series(1, ${incidents}::bigint) n`;
  await sql`insert into public.observation_separations (first_id, second_id, at)
    select least(a.id, b.id), greatest(a.id, b.id), ${now} from generate_series(1, ${incidents}::bigint) n
    cross join lateral (select pg_temp.id_of('incident', n) as id) a
    cross join lateral (select pg_temp.id_of('incident', 1 + n * 7 % ${incidents}) as id) b
    where a.id <> b.id on conflict do nothing`;
  await sql`insert into public.memory_judgements (id, at, kind, domain, observation_id)
    select pg_temp.id_of('judgement', n), i.created_at, 'split', i.domain, i.id
    from generate_series(1, ${incidents}::bigint) n join public.incidents i on i.id = pg_temp.id_of('incident', n)`;
  await sql`insert into public.rebuilt_reports (incident_id, version, fingerprint)
    select i.id, 0, i.fingerprint from public.incidents i`;
  await sql`insert into public.documents (collection_id, id, title, body, metadata, written_at, content_hash, indexed_hash,
      index_fingerprint, terms, frequencies, length)
    select c.id, o.id::text, o.title, o.narrative, jsonb_build_object('incident_id', o.id, 'resolved', false), o.created_at,
      h.hash, h.hash, 'a model', t.terms, array_fill(1::smallint, array[cardinality(t.terms)]), cardinality(t.terms)
    from public.observations o
    join public.collections c on c.name = 'incidents'
    cross join lateral (select abs(hashtext(o.id::text)::bigint) as n, pg_temp.hash_of(o.id::text, 0) as hash) h
    cross join lateral (select array(
      select regexp_split_to_table(lower(o.title), '[^a-z0-9]+')
      union select 'word' || (power(h.n * k % 1009 / 1009.0::float8, 4) * ${VOCABULARY})::integer
        from generate_series(1, ${words}) k) as terms) t`;
  await sql`insert into public.triages (id, incident_id, created_at, mode, outcome, confidence, result, recalled_ids)
    select pg_temp.id_of('triage', n), i.id, i.created_at, 'extractive', 'cause', 0.8,
      jsonb_build_object('answer', repeat(i.title || ' ', 40)), array[pg_temp.id_of('incident', n + 1)::text]
    from generate_series(1, ${incidents}::bigint) n join public.incidents i on i.id = pg_temp.id_of('incident', n)`;
}

/** Records that are written once and rarely read. One in a thousand outbox entries is pending, one in a thousand runs unfinished. */
async function fillRecords(sql: Sql, { incidents, sessions }: Sizes, now: Date): Promise<void> {
  await sql`create temporary table records on commit preserve rows as
    select n, ${now}::timestamptz - n * interval '180 days' / ${incidents} as at, pg_temp.id_of('incident', n) as incident_id
    from generate_series(1, ${incidents}::bigint) n`;
  await sql`insert into public.runs (run_id, session_id, started_at, query, incident_id, finished_at, injection_blocked,
      retrieval_hit_count, memory_hit_count, initial_confidence, reflected, final_confidence, final_answer)
    select pg_temp.id_of('run', n), 'session-' || n % ${sessions}, at, 'why did it exit?', incident_id,
      case when n % 1000 > 0 then at end, false, 5, 3, 0.8, false, 0.8, repeat('It ran into its limit. ', 10)
    from records`;
  await sql`insert into public.incident_events (incident_id, at, kind) select incident_id, at, 'reported' from records`;
  await sql`insert into public.feedback (triage_id, person, at, rating) select pg_temp.id_of('triage', n), '', at, 1 from records`;
  await sql`insert into public.outbox (collection, document_id, created_at, attempts, next_attempt_at, done_at)
    select 'incidents', pg_temp.id_of('gone', n), at, 1, at, case when n % 1000 > 0 then at end from records`;
  await sql`insert into public.idempotency_keys (key, request_hash, started_at, incident_id, triage_id)
    select 'key ' || n, md5(n::text), at, incident_id, pg_temp.id_of('triage', n) from records`;
  await sql`insert into public.model_usage (run_id, incident_id, at, calls, input_tokens, cached_input_tokens, output_tokens)
    select pg_temp.id_of('run', n), incident_id, at, 2, 4000, 0, 800 from records`;
  await sql`insert into public.audit_events (at, action, kind, subject_id)
    select at, 'deleted', 'past_answer', pg_temp.id_of('gone', n) from records`;
  await sql`insert into public.job_runs (id, job, trigger, started_at, finished_at)
    select pg_temp.id_of('job', n), 'retry-outbox', 'cron', at, at from records`;
  await sql`drop table records`;
}

/** Session numbers from 0: the long sessions, then the summarised ones, then all others. */
async function fillSessions(sql: Sql, { pastAnswers, sessions, incidents }: Sizes, now: Date): Promise<void> {
  const long = Math.ceil(pastAnswers / 2 / LONG_SESSION);
  const summed = Math.ceil(pastAnswers / 4 / LONG_SESSION);
  await sql`insert into public.past_answers (id, domain, session_id, created_at, question, answer, is_summary, metadata, content_hash)
    select pg_temp.id_of('summary', s), pg_temp.domain_of(s), 'session-' || s, ${now}::timestamptz - interval '150 days',
      '[SESSION SUMMARY session-]', repeat('It ran into its limit. ', 40), true,
      jsonb_build_object('session_id', 'session-' || s, 'is_summary', true), pg_temp.hash_of('summary', s)
    from generate_series(${long}::bigint, ${long + summed - 1}) s`;
  // Two in three summarised sessions left the index long enough ago to expire; the others still wait to leave it.
  await sql`insert into public.past_answers (id, domain, session_id, triage_id, created_at, question, answer, summary_id,
      compressed_at, metadata, content_hash)
    select pg_temp.id_of('triage', n), pg_temp.domain_of(s), 'session-' || s,
      case when n <= ${incidents} then pg_temp.id_of('triage', n) end,
      ${now}::timestamptz - case when is_summed then interval '150 days' else interval '2 days' end - n % 9999 * interval '1 minute',
      pg_temp.title_of(n), repeat('It ran into its limit. ', 30),
      case when is_summed then pg_temp.id_of('summary', s) end,
      case when is_summed and s % 3 > 0 then ${now}::timestamptz - interval '120 days' end,
      jsonb_build_object('session_id', 'session-' || s, 'is_summary', false), pg_temp.hash_of('memory', n)
    from generate_series(1, ${pastAnswers}::bigint) n
    cross join lateral (select n % 4 = 2 as is_summed, case n % 4 when 2 then ${long} + n / 4 % ${summed}
      when 3 then ${long + summed} + n / 4 % ${sessions - long - summed} else (n / 4 * 2 + n % 4) % ${long} end as s) t`;
  await sql`insert into public.sessions (session_id, last_turn_at, raw_count)
    select session_id, max(created_at), count(*) filter (where not is_summary and summary_id is null)
    from public.past_answers group by session_id`;
  await sql`insert into public.documents (collection_id, id, title, body, metadata, written_at, content_hash, indexed_hash,
      index_fingerprint, terms, frequencies, length)
    select c.id, m.id::text, m.question, m.answer, m.metadata, m.created_at, m.content_hash, m.content_hash, 'a model', '{}', '{}', 0
    from public.past_answers m join public.collections c on c.name = 'past_answers' where m.compressed_at is null`;
}

async function fillProcedures(sql: Sql, { procedures, incidents }: Sizes, now: Date): Promise<void> {
  await sql`insert into public.procedures (id, domain, query, query_hash, strategy, answer, confidence, use_count, origin_id,
      triage_id, created_at, last_used_at, decayed_until, metadata, content_hash)
    select pg_temp.id_of('procedure', n), pg_temp.domain_of(n),
      pg_temp.title_of(n), md5('query ' || n)::uuid,
      'retrieval_hits=5, memory_hits=3, reflected=false', repeat('It ran into its limit. ', 13), 0.8, 1 + n % 5,
      t.id, t.id, used_at, used_at, used_at, '{"confidence": 0.8}', pg_temp.hash_of('procedure', n)
    from generate_series(1, ${procedures}::bigint) n
    cross join lateral (select case when n <= ${incidents} then pg_temp.id_of('triage', n) end as id,
      ${now}::timestamptz - n % 9999 * interval '1 minute'
        - case when n % 10 < 5 then interval '100 days' when n % 10 = 5 then interval '400 days' else interval '1 day' end as used_at) t`;
  await sql`insert into public.documents (collection_id, id, title, body, metadata, written_at, content_hash, indexed_hash,
      index_fingerprint, terms, frequencies, length)
    select c.id, p.id::text, p.query, '', p.metadata, p.created_at, p.content_hash, p.content_hash, 'a model', '{}', '{}', 0
    from public.procedures p join public.collections c on c.name = 'procedures'`;
}
