-- Past answers, the summaries of sessions, and procedures; and the recall of every layer of memory.

create table public.sessions (
  session_id text primary key,
  last_turn_at timestamptz not null,
  raw_count integer not null default 0 check (raw_count >= 0),
  claimed_until timestamptz
);
comment on table public.sessions is 'Sessions that hold past answers.';
comment on column public.sessions.session_id is 'The session.';
comment on column public.sessions.last_turn_at is 'The last stored turn.';
comment on column public.sessions.raw_count is 'Past answers that no summary replaces.';
comment on column public.sessions.claimed_until is 'Until when a worker holds it to write a summary.';
create index sessions_by_size on public.sessions (raw_count, last_turn_at);
create index sessions_newest on public.sessions (last_turn_at desc, session_id);
create policy restricted on public.sessions for all to dejavu_restricted using (true);

create table public.past_answers (
  id uuid primary key,
  domain text not null,
  session_id text not null,
  triage_id uuid references public.triages (id) on delete cascade,
  created_at timestamptz not null,
  question text not null,
  answer text not null,
  net_rating integer not null default 0,
  is_summary boolean not null default false,
  summary_id uuid references public.past_answers (id) on delete set null,
  original_ids uuid[] not null default '{}',
  domains text[] not null default '{}',
  compressed_at timestamptz,
  metadata jsonb not null,
  content_hash text not null,
  check (not is_summary or triage_id is null)
);
comment on table public.past_answers is 'Questions with their answers, redacted, and the summaries of sessions.';
comment on column public.past_answers.id is 'The id of the document in the collection past_answers: that of the triage, or a summary''s own.';
comment on column public.past_answers.domain is 'The domain of the answer; general for a summary of turns of several domains.';
comment on column public.past_answers.session_id is 'The session.';
comment on column public.past_answers.triage_id is 'The triage of the answer; null for a summary.';
comment on column public.past_answers.created_at is 'When it was answered; for a summary the time of its last turn.';
comment on column public.past_answers.question is 'The question; [SESSION SUMMARY …] for a summary.';
comment on column public.past_answers.answer is 'The answer without recalled text; once resolved, it begins with the fix.';
comment on column public.past_answers.net_rating is 'Thumbs up minus thumbs down.';
comment on column public.past_answers.is_summary is 'Whether it is the summary of a session.';
comment on column public.past_answers.summary_id is 'The summary that replaces it.';
comment on column public.past_answers.original_ids is 'For a summary: the past answers that it was made of, including deleted ones.';
comment on column public.past_answers.domains is 'For a summary: the domains of these past answers. Empty for others.';
comment on column public.past_answers.compressed_at is 'When it left the index because of its summary.';
comment on column public.past_answers.metadata is 'As in documents.';
comment on column public.past_answers.content_hash is 'As in documents.';
create index past_answers_newest on public.past_answers (created_at desc, id desc);
create index past_answers_of_triage on public.past_answers (triage_id) where triage_id is not null;
create index past_answers_of_summary on public.past_answers (summary_id) where summary_id is not null;
create index past_answers_to_retire on public.past_answers (summary_id) where summary_id is not null and compressed_at is null;
create index past_answers_by_original on public.past_answers using gin (original_ids) where is_summary;
create index past_answers_compressed on public.past_answers (compressed_at) where compressed_at is not null;
create index past_answers_of_session on public.past_answers (session_id, created_at, id);
-- The domain of a summary of several domains is general, which may be one of the caller's when the others are not.
create policy restricted on public.past_answers for all to dejavu_restricted
  using (domain = any ((select public.restricted_domains())::text[]) and domains <@ (select public.restricted_domains())::text[]);

create table public.procedures (
  id uuid primary key,
  domain text not null,
  query text not null,
  query_hash uuid not null,
  strategy text not null,
  answer text not null,
  confidence double precision not null check (confidence between 0 and 1),
  use_count double precision not null default 1 check (use_count > 0),
  origin_id uuid references public.triages (id) on delete set null,
  triage_id uuid references public.triages (id) on delete set null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  decayed_until timestamptz not null,
  archived_at timestamptz,
  metadata jsonb not null,
  content_hash text not null,
  unique (domain, query_hash)
);
comment on table public.procedures is 'Approaches that a critic scored well: hints for later investigations.';
comment on column public.procedures.id is 'The id of the document in the collection procedures.';
comment on column public.procedures.domain is 'The domain whose recall finds it.';
comment on column public.procedures.query is 'The search query.';
comment on column public.procedures.query_hash is '128 bits of the SHA-256 of the query without its spacing and case: one row per query, also with concurrent runs.';
comment on column public.procedures.strategy is 'How the answer was reached: retrieval_hits=…, memory_hits=…, reflected=….';
comment on column public.procedures.answer is 'The first 300 characters of the answer.';
comment on column public.procedures.confidence is 'The critic''s score of that answer.';
comment on column public.procedures.use_count is 'How often it led to an answer; halves while it is not used.';
comment on column public.procedures.origin_id is 'The triage that the query is from.';
comment on column public.procedures.triage_id is 'The triage that the answer is from.';
comment on column public.procedures.created_at is 'When it was first stored.';
comment on column public.procedures.last_used_at is 'When it last led to an answer.';
comment on column public.procedures.decayed_until is 'Time without use up to here is included in use_count.';
comment on column public.procedures.archived_at is 'When it left recall because it was not used.';
comment on column public.procedures.metadata is 'As in documents.';
comment on column public.procedures.content_hash is 'As in documents.';
create index procedures_to_decay on public.procedures (decayed_until) where archived_at is null;
create index procedures_newest on public.procedures (last_used_at desc, id desc);
create index procedures_of_origin on public.procedures (origin_id) where origin_id is not null;
create index procedures_of_triage on public.procedures (triage_id) where triage_id is not null;
create policy restricted on public.procedures for all to dejavu_restricted using (domain = any ((select public.restricted_domains())::text[]));

-- Writing.

create function public.past_answer_document(a public.past_answers) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object('id', a.id, 'source', null, 'chunk_index', null, 'title', a.question, 'heading_path', '[]'::jsonb,
    'body', a.answer, 'metadata', a.metadata, 'written_at', a.created_at, 'content_hash', a.content_hash, 'terms', '{}'::jsonb);
$$;
comment on function public.past_answer_document(public.past_answers) is
  'A past answer as the index holds it, without terms: it is not part of keyword search. Called by the functions that store past answers.';

create function public.procedure_document(p public.procedures) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object('id', p.id, 'source', null, 'chunk_index', null, 'title', p.query, 'heading_path', '[]'::jsonb,
    'body', '', 'metadata', p.metadata, 'written_at', p.created_at, 'content_hash', p.content_hash, 'terms', '{}'::jsonb);
$$;
comment on function public.procedure_document(public.procedures) is 'A procedure as the index holds it: only its query. Called by record_procedure.';

create function public.record_past_answer(p jsonb, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_past_answer public.past_answers;
begin
  insert into public.past_answers (id, domain, session_id, triage_id, created_at, question, answer, metadata, content_hash)
  select a.id, a.domain, a.session_id, a.triage_id, a.created_at, a.question, a.answer, a.metadata, a.content_hash
  from jsonb_populate_record(null::public.past_answers, p) a
  on conflict (id) do nothing
  returning * into v_past_answer;
  if not found then
    return '[]';
  end if;
  insert into public.sessions as s (session_id, last_turn_at, raw_count)
  values (v_past_answer.session_id, v_past_answer.created_at, 1)
  on conflict (session_id) do update
  set raw_count = s.raw_count + 1, last_turn_at = greatest(s.last_turn_at, excluded.last_turn_at);
  return public.store_document('past_answers', public.past_answer_document(v_past_answer), p_now, p_claim_until);
end $$;
comment on function public.record_past_answer(jsonb, timestamptz, timestamptz) is
  'Stores a question and its answer, once: a row of past_answers. Returns the outbox entries. Called by finish_run.';

create function public.record_procedure(p jsonb, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_new public.procedures := jsonb_populate_record(null::public.procedures, p -> 'row');
  v_existing public.procedures;
begin
  if p ->> 'merge_into' is not null then
    select * into v_existing from public.procedures r
    where r.id = (p ->> 'merge_into')::uuid and r.archived_at is null for update;
  end if;
  if v_existing.id is null then
    insert into public.procedures (id, domain, query, query_hash, strategy, answer, confidence, origin_id, triage_id,
      created_at, last_used_at, decayed_until, metadata, content_hash)
    values (v_new.id, v_new.domain, v_new.query, v_new.query_hash, v_new.strategy, v_new.answer, v_new.confidence,
      v_new.triage_id, v_new.triage_id, p_now, p_now, p_now, v_new.metadata, v_new.content_hash)
    on conflict (domain, query_hash) do nothing;
    if found then
      select * into strict v_existing from public.procedures r where r.id = v_new.id;
      return public.store_document('procedures', public.procedure_document(v_existing), p_now, p_claim_until);
    end if;
    select * into v_existing from public.procedures r
    where r.domain = v_new.domain and r.query_hash = v_new.query_hash for update;
    if not found then
      return '[]'; -- deleted concurrently
    end if;
  end if;
  -- An archived procedure restarts at a use count of 1. The answer with the higher confidence is kept.
  update public.procedures r
  set use_count = case when r.archived_at is null then r.use_count + 1 else 1 end,
    last_used_at = greatest(r.last_used_at, p_now), decayed_until = greatest(r.decayed_until, p_now), archived_at = null,
    strategy = case when v_new.confidence > r.confidence then v_new.strategy else r.strategy end,
    answer = case when v_new.confidence > r.confidence then v_new.answer else r.answer end,
    triage_id = case when v_new.confidence > r.confidence then v_new.triage_id else r.triage_id end,
    confidence = greatest(r.confidence, v_new.confidence)
  where r.id = v_existing.id;
  if v_existing.archived_at is null then
    return '[]';
  end if;
  return public.store_document('procedures', public.procedure_document(v_existing), p_now, p_claim_until);
end $$;
comment on function public.record_procedure(jsonb, timestamptz, timestamptz) is
  'Stores an approach that worked: {row, merge_into}. If merge_into or the same query exists, that procedure is counted instead. Returns the outbox entries. Called by finish_run.';

-- Lists.

create function public.list_past_answers(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null, p_domain text default null,
  p_session_id text default null, p_text text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(a) - 'metadata' - 'content_hash' - 'domains'
    || jsonb_build_object('incident_id', (select t.incident_id from public.triages t where t.id = a.triage_id))
  from public.past_answers a
  where (p_before_at is null or (a.created_at, a.id) < (p_before_at, p_before_id))
    and (p_domain is null or a.domain = p_domain)
    and (p_session_id is null or a.session_id = p_session_id)
    and (p_text is null or strpos(lower(concat_ws(' ', a.question, a.answer)), lower(p_text)) > 0)
  order by a.created_at desc, a.id desc limit p_limit;
$$;
comment on function public.list_past_answers(integer, timestamptz, uuid, text, text, text) is
  'Past answers and summaries, newest first, a page before (p_before_at, p_before_id); only those that contain p_text, in any case. Called by memory-lists.ts.';

create function public.list_sessions(
  p_limit integer, p_before_at timestamptz default null, p_before_id text default null, p_prefix text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('session_id', s.session_id, 'last_turn_at', s.last_turn_at, 'raw_count', s.raw_count,
    'domains', (select coalesce(jsonb_agg(distinct a.domain), '[]') from public.past_answers a
      where a.session_id = s.session_id and not a.is_summary),
    'summary_count', (select count(*) from public.past_answers a where a.session_id = s.session_id and a.is_summary))
  from public.sessions s
  where (p_before_at is null or s.last_turn_at < p_before_at or (s.last_turn_at = p_before_at and s.session_id > p_before_id))
    and (p_prefix is null or starts_with(s.session_id, p_prefix))
  order by s.last_turn_at desc, s.session_id limit p_limit;
$$;
comment on function public.list_sessions(integer, timestamptz, text, text) is
  'Sessions that hold past answers, last used first, a page after (p_before_at, p_before_id); only those whose id begins with p_prefix. Called by memory-lists.ts.';

create function public.list_procedures(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null, p_domain text default null,
  p_text text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(r) - 'metadata' - 'content_hash' - 'query_hash'
    || jsonb_build_object('incident_id', (select t.incident_id from public.triages t where t.id = r.triage_id))
  from public.procedures r
  where (p_before_at is null or (r.last_used_at, r.id) < (p_before_at, p_before_id))
    and (p_domain is null or r.domain = p_domain)
    and (p_text is null or strpos(lower(concat_ws(' ', r.query, r.answer)), lower(p_text)) > 0)
  order by r.last_used_at desc, r.id desc limit p_limit;
$$;
comment on function public.list_procedures(integer, timestamptz, uuid, text, text) is
  'Procedures including archived ones, last used first, a page before (p_before_at, p_before_id); only those that contain p_text, in any case. Called by memory-lists.ts.';

-- Recall. What shows whether a recalled text is about a failure that is alike: the records of the failures that past answers
-- and procedures were about.

create function public.records_of_answers(p_past_answers uuid[], p_procedures uuid[]) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_object_agg(r.id, r.records), '{}') from (
    select a.id, jsonb_agg(distinct i.observation_id) as records
    from (
      select m.id, unnest(array_append(m.original_ids, m.triage_id)) as triage_id
      from public.past_answers m where m.id = any (p_past_answers)
      union all
      select m.id, unnest(array[m.origin_id, m.triage_id]) from public.procedures m where m.id = any (p_procedures)
    ) a
    join public.triages t on t.id = a.triage_id
    join public.incidents i on i.id = t.incident_id
    where i.observation_id is not null
    group by a.id
  ) r;
$$;
comment on function public.records_of_answers(uuid[], uuid[]) is
  'The observations of the incidents that these past answers and procedures are about: {id: [observation id]}. A summary is about the incidents of the past answers that it was made of. Ids without an observation are missing. Called by recall_state.';

-- A recall reads many records, so it leaves the columns of other uses out, and writes signatures and fixes without keys.
create function public.recalled_observation_json(o public.observations) returns jsonb
language sql stable set search_path = '' as $$
  -- The sign - binds tighter than ||, hence the brackets.
  select (r.row || jsonb_build_object(
    'fixes', (select coalesce(jsonb_agg((select jsonb_agg(e.value order by e.key collate "C") from jsonb_each(f.fix) as e (key, value))
      order by f.n), '[]') from jsonb_array_elements(r.row -> 'fixes') with ordinality as f (fix, n)),
    'signature', jsonb_build_array(o.signature -> 'version', o.signature -> 'basis', o.signature -> 'alert', o.signature -> 'kind',
      o.signature -> 'codes', jsonb_path_query_array(o.signature, '$.templates[*].text'),
      jsonb_path_query_array(o.signature, '$.templates[*].weight'),
      array_to_string(array(select jsonb_array_elements_text(o.signature -> 'words')), ' '), o.signature -> 'mechanisms')))
    - array['incident_id', 'signature_version', 'created_at', 'task', 'last_seen_at', 'review_score', 'worked', 'shown_count',
      'helped_count', 'joined_ids', 'resolved_incident_id', 'rebuild_claimed_until']
  from (select public.observation_json(o) as row) r;
$$;
comment on function public.recalled_observation_json(public.observations) is
  'An observation as a recall reads it. signature: [version, basis, alert, kind, codes, texts and weights of the templates, words with blanks between them, mechanisms]. fixes: the values of fixes_json in the order of their keys. Called by recall_state.';

create function public.recall_state(p jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (with repeated as materialized (
    select public.record_of_fingerprint(p ->> 'domain', p ->> 'fingerprint') as id
  ),
  candidates as (
    select o.id, row_number() over (order by c.n) as place, o.resolution is not null as is_resolved,
      row_number() over (partition by o.resolution is not null order by c.n) as place_of_kind
    from jsonb_array_elements_text(p -> 'incidents') with ordinality as c (id, n)
    join public.observations o on o.id = c.id::uuid
    where o.domain <> all (array(select jsonb_array_elements_text(p -> 'excluded_domains')))
  ),
  chosen as materialized (
    select c.id from candidates c
    where c.place <= (p ->> 'incident_limit')::integer
      or (c.is_resolved and c.place_of_kind <= (p ->> 'resolved_limit')::integer)
  )
  select jsonb_build_object(
    'observations', public.unless_cached(array(select public.recalled_observation_json(o) from public.observations o
      where o.id in (select c.id from chosen c union select r.id from repeated r)), p -> 'cached'),
    'past_answers', public.unless_cached(array(select jsonb_build_object('id', a.id, 'question', a.question, 'answer', a.answer,
        'created_at', a.created_at, 'session_id', a.session_id, 'net_rating', a.net_rating, 'is_summary', a.is_summary)
      from public.past_answers a
      where a.id = any (array(select jsonb_array_elements_text(p -> 'past_answers'))::uuid[])
        and a.compressed_at is null), p -> 'cached'),
    'procedures', public.unless_cached(array(select jsonb_build_object('id', r.id, 'query', r.query, 'strategy', r.strategy,
        'answer', r.answer, 'confidence', r.confidence, 'use_count', r.use_count, 'last_used_at', r.last_used_at)
      from public.procedures r
      where r.id = any (array(select jsonb_array_elements_text(p -> 'procedures'))::uuid[])
        and r.archived_at is null), p -> 'cached'),
    -- In a later migration.
    'corrections', public.corrections_of_records(array(select c.id from chosen c union select r.id from repeated r), p ->> 'domain'),
    'records', public.records_of_answers(
      array(select jsonb_array_elements_text(p -> 'past_answers'))::uuid[],
      array(select jsonb_array_elements_text(p -> 'procedures'))::uuid[]),
    'repeat_of', (select r.id from repeated r),
    'is_ambiguous', (select count(*) > 1 from (select 1 from public.observation_fingerprints f
      where f.domain = p ->> 'domain' and f.fingerprint = p ->> 'fingerprint' limit 2) t),
    'separated', coalesce((select jsonb_agg(jsonb_build_array(s.first_id, s.second_id)) from public.observation_separations s
      where s.first_id in (select c.id from chosen c) and s.second_id in (select c.id from chosen c)), '[]')));
end $$;
comment on function public.recall_state(jsonb) is
  'The current state of recall hits: {domain, incidents, incident_limit, resolved_limit, excluded_domains, past_answers, procedures, fingerprint?, cached}. Of incidents, ids with the likeliest first and without those of the excluded domains, the first incident_limit and the first resolved_limit with a fix are returned, and the record of the fingerprint. Rows are those of unless_cached. Deleted records are missing from the result. records has the observations of the past answers and procedures, see records_of_answers. repeat_of is the id of the record of the fingerprint; is_ambiguous, whether several records have it. separated has the pairs of these incidents that a person separated; corrections, what people named instead for them, see corrections_of_records. Called by recall-state.ts.';

create function public.session_past_answers(p_session_id text, p_limit integer) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(n.id), '[]') from (
    select a.id from public.past_answers a
    where a.session_id = p_session_id and a.compressed_at is null
    order by a.created_at desc, a.id desc limit p_limit) n;
$$;
comment on function public.session_past_answers(text, integer) is
  'Ids of a session''s newest past answers that are in the index, at most p_limit. Called by run-records.ts and start_run.';

-- An observation has the id of its first incident, a past answer that of its triage; a procedure and a summary have ids of
-- their own. A question has no labels, so the other incidents of its session count too.
create function public.document_names(p_ids uuid[], p_limit integer) returns jsonb
language sql stable set search_path = '' as $$
  with origins as (
    select i.id as document_id, i.id as incident_id, i.session_id from public.incidents i where i.id = any (p_ids)
    union
    select t.id, i.id, i.session_id
    from public.triages t join public.incidents i on i.id = t.incident_id
    where t.id = any (p_ids)
    union
    select p.id, i.id, i.session_id
    from public.procedures p
    join public.triages t on t.id in (p.origin_id, p.triage_id)
    join public.incidents i on i.id = t.incident_id
    where p.id = any (p_ids)
    union
    select a.id, null, a.session_id from public.past_answers a where a.id = any (p_ids) and a.is_summary
  )
  select coalesce(
    jsonb_agg(jsonb_build_object('document_id', o.document_id, 'labels', i.labels, 'target', i.target)), '[]'::jsonb
  )
  from origins o
  cross join lateral (
    select o.incident_id as id
    union
    (
      select r.incident_id from public.runs r where r.session_id = o.session_id order by r.started_at desc limit p_limit
    )
  ) named
  join public.incidents i on i.id = named.id;
$$;
comment on function public.document_names(uuid[], integer) is
  'Labels and targets of the incidents that documents of memory are about, and of the newest p_limit runs of their sessions. Called by embed-documents.ts.';

-- Turns of a session with what their triages found: for the session's summary, and for a question about the session.

create function public.triage_turn(t public.triages) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('outcome', t.outcome, 'confidence', t.confidence,
    'evidence', jsonb_path_query_array(t.result, '$.answer.evidence[*] ? (@.quote != null)'),
    'rejected', jsonb_path_query_array(t.result, '$.answer.hypotheses[*] ? (@.verdict == "rejected")'),
    'resolution', i.resolution, 'resolved_by', i.resolved_by)
  from public.incidents i where i.id = t.incident_id;
$$;
comment on function public.triage_turn(public.triages) is
  'The parts of a triage that a session''s summary keeps: {outcome, confidence, evidence with a quote, rejected hypotheses, resolution, resolved_by}. Called by session_turn and benign_turn.';

create function public.session_turn(a public.past_answers) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', a.id, 'domain', a.domain, 'created_at', a.created_at, 'question', a.question,
      'answer', a.answer, 'net_rating', a.net_rating, 'content_hash', a.content_hash)
    || coalesce((select public.triage_turn(t) from public.triages t where t.id = a.triage_id), '{}');
$$;
comment on function public.session_turn(public.past_answers) is
  'A past answer with the outcome of its triage: {id, domain, created_at, question, answer, net_rating, content_hash} and, unless the triage is deleted, the fields of triage_turn. Called by session_record and claim_sessions.';

create function public.benign_turn(t public.triages) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', t.id, 'domain', i.domain, 'created_at', t.created_at,
      'question', case when i.question is null or i.question = i.title then i.title else i.title || ': ' || i.question end,
      'answer', coalesce(t.result #>> '{answer,summary,text}', ''), 'net_rating', 0, 'content_hash', '')
    || public.triage_turn(t)
  from public.incidents i where i.id = t.incident_id;
$$;
comment on function public.benign_turn(public.triages) is
  'A benign triage as a turn of its session. Memory holds no past answer of it. Called by session_record.';

create function public.session_record(p_session_id text, p_turn_limit integer, p_summary_limit integer) returns jsonb
language sql stable set search_path = '' as $$
  with turns as (
    (select a.created_at, a.id, public.session_turn(a) as turn from public.past_answers a
      where a.session_id = p_session_id and not a.is_summary and a.summary_id is null
      order by a.created_at desc, a.id desc limit p_turn_limit)
    union all
    (select t.created_at, t.id, public.benign_turn(t) from public.triages t
      where t.outcome = 'benign' and t.incident_id in (select r.incident_id from public.runs r
        where r.session_id = p_session_id and r.finished_at is not null and not r.injection_blocked)
      order by t.created_at desc, t.id desc limit p_turn_limit)
  )
  select jsonb_build_object(
    'turns', (select coalesce(jsonb_agg(n.turn order by n.created_at desc, n.id desc), '[]')
      from (select * from turns u order by u.created_at desc, u.id desc limit p_turn_limit) n),
    'summaries', (select coalesce(jsonb_agg(jsonb_build_object('id', n.id, 'question', n.question, 'answer', n.answer,
        'created_at', n.created_at, 'session_id', n.session_id, 'net_rating', n.net_rating, 'is_summary', true)
        order by n.created_at desc, n.id desc), '[]')
      from (select a.* from public.past_answers a where a.session_id = p_session_id and a.is_summary
        order by a.created_at desc, a.id desc limit p_summary_limit) n));
$$;
comment on function public.session_record(text, integer, integer) is
  'The content of a session, newest first: {turns: those that no summary replaces and the benign ones (see session_turn), summaries: [{id, question, answer, created_at, session_id, net_rating, is_summary}]}. Called by session-record.ts.';

-- Compression and decay, by jobs. Each claims its rows with skip locked, in batches.

create function public.claim_sessions(
  p_now timestamptz, p_idle_since timestamptz, p_threshold integer, p_limit integer, p_lease_seconds integer,
  p_past_answers_per_session integer
) returns jsonb
language sql set search_path = '' as $$
  with due as (
    select s.session_id from public.sessions s
    where s.raw_count > p_threshold and s.last_turn_at <= p_idle_since
      and (s.claimed_until is null or s.claimed_until <= p_now)
      and not exists (select 1 from public.runs r where r.session_id = s.session_id and r.started_at > p_idle_since)
    order by s.raw_count, s.last_turn_at limit p_limit for update skip locked
  ), claimed as (
    update public.sessions s set claimed_until = p_now + p_lease_seconds * interval '1 second'
    where s.session_id = any (array(select due.session_id from due))
    returning s.session_id
  )
  select coalesce(jsonb_agg(jsonb_build_object('session_id', c.session_id, 'past_answers', (
    select jsonb_agg(t.turn order by t.created_at, t.id) from (
      select a.created_at, a.id, public.session_turn(a) as turn from public.past_answers a
      where a.session_id = c.session_id and not a.is_summary and a.summary_id is null
      order by a.created_at, a.id limit p_past_answers_per_session) t))), '[]')
  from claimed c;
$$;
comment on function public.claim_sessions(timestamptz, timestamptz, integer, integer, integer, integer) is
  'Claims idle sessions with more than p_threshold unsummarised past answers for p_lease_seconds: [{session_id, past_answers: see session_turn}], the oldest p_past_answers_per_session of each. Called by session-summary.ts.';

create function public.store_summary(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_new public.past_answers := jsonb_populate_record(null::public.past_answers, p -> 'summary');
  v_ids uuid[] := array(select (e ->> 'id')::uuid from jsonb_array_elements(p -> 'originals') e);
  v_summary public.past_answers;
  v_raw integer;
  v_net_rating integer;
begin
  perform 1 from public.sessions s where s.session_id = v_new.session_id for update;
  -- If another worker summarised one of them, or one was resolved or deleted meanwhile, this summary is out of date.
  select count(*), sum(t.net_rating) into v_raw, v_net_rating from (
    select a.net_rating from jsonb_array_elements(p -> 'originals') e
    join public.past_answers a on a.id = (e ->> 'id')::uuid and a.content_hash = e ->> 'content_hash'
    where a.summary_id is null and not a.is_summary order by a.id for update of a) t;
  if v_raw < cardinality(v_ids) then
    update public.sessions s set claimed_until = null where s.session_id = v_new.session_id;
    return '[]';
  end if;
  insert into public.past_answers as s (id, domain, session_id, created_at, question, answer, net_rating, is_summary, original_ids,
    domains, metadata, content_hash)
  select v_new.id, v_new.domain, v_new.session_id, max(a.created_at), v_new.question, v_new.answer, v_net_rating, true, v_ids,
    array_agg(distinct a.domain), v_new.metadata, v_new.content_hash
  from public.past_answers a where a.id = any (v_ids)
  on conflict (id) do update set answer = excluded.answer, content_hash = excluded.content_hash, net_rating = excluded.net_rating
  returning * into v_summary;
  update public.past_answers a set summary_id = v_summary.id where a.id = any (v_ids);
  update public.sessions s set raw_count = greatest(0, s.raw_count - cardinality(v_ids)), claimed_until = null
  where s.session_id = v_new.session_id;
  return public.store_document('past_answers', public.past_answer_document(v_summary), v_now,
    (p ->> 'claim_until')::timestamptz);
end $$;
comment on function public.store_summary(jsonb) is
  'Stores the summary of a session''s past answers: {now, claim_until, summary, originals: [{id, content_hash}]}. The originals stay in the index until retire_originals. Does nothing if one of them is already summarised, changed or deleted. Returns the outbox entries. Called by session-summary.ts.';

create function public.add_summary_domain(p_original_id uuid, p_domain text) returns void
-- The rights of the owner: the caller may not see the summary.
language sql security definer set search_path = '' as $$
  update public.past_answers s set domains = s.domains || p_domain
  where s.is_summary and s.original_ids @> array[p_original_id] and p_domain <> all (s.domains);
$$;
comment on function public.add_summary_domain(uuid, text) is
  'Hides the summaries made of a past answer from callers that do not see its new domain. Called by correct_domain.';

create function public.retire_originals(p_now timestamptz, p_limit integer) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_retired text[];
begin
  with due as (
    select a.id from public.past_answers a
    where a.summary_id is not null and a.compressed_at is null
      -- With a join the planner would sort all waiting rows: it does not know that most summaries are in the index.
      and (select d.indexed_hash = d.content_hash from public.collections c join public.documents d on d.collection_id = c.id
        where c.name = 'past_answers' and d.id = a.summary_id::text)
    order by a.summary_id limit p_limit for update of a skip locked
  ), retired as (
    update public.past_answers a set compressed_at = p_now where a.id = any (array(select due.id from due)) returning a.id::text
  )
  select coalesce(array_agg(r.id), '{}') into v_retired from retired r;
  perform public.delete_indexed_documents('past_answers', v_retired, p_now, null);
  return jsonb_build_object('retired', cardinality(v_retired));
end $$;
comment on function public.retire_originals(timestamptz, integer) is
  'Removes past answers from the index once their summary is in it, and enqueues their removal from the vector store. Called by session-summary.ts.';

create function public.restore_past_answers(p_ids uuid[], p_now timestamptz) returns void
language plpgsql set search_path = '' as $$
declare
  v_past_answer public.past_answers;
begin
  for v_past_answer in
    update public.past_answers a set summary_id = null, compressed_at = null where a.id = any (p_ids) returning a.*
  loop
    perform public.store_document('past_answers', public.past_answer_document(v_past_answer), p_now, null);
  end loop;
end $$;
comment on function public.restore_past_answers(uuid[], timestamptz) is
  'Makes past answers separate records again, in place of their summary. Called by delete_past_answer.';

create function public.decay_procedures(p_now timestamptz, p_period_days double precision, p_limit integer) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_period interval := p_period_days * interval '1 day';
  v_decayed integer;
  v_archived text[];
begin
  with due as (
    select r.id, floor(extract(epoch from p_now - r.decayed_until) / extract(epoch from v_period)) as periods
    from public.procedures r
    where r.archived_at is null and r.decayed_until <= p_now - v_period
    order by r.decayed_until limit p_limit for update skip locked
  ), decayed as (
    update public.procedures r
    set use_count = greatest(r.use_count * 0.5 ^ due.periods, 1e-300),
      decayed_until = r.decayed_until + due.periods * v_period,
      archived_at = case when r.use_count * 0.5 ^ due.periods < 0.5 then p_now end
    from due where r.id = due.id
    returning r.id::text, r.archived_at
  )
  select count(*), coalesce(array_agg(d.id) filter (where d.archived_at is not null), '{}') into v_decayed, v_archived
  from decayed d;
  perform public.delete_indexed_documents('procedures', v_archived, p_now, null);
  return jsonb_build_object('decayed', v_decayed, 'archived', cardinality(v_archived));
end $$;
comment on function public.decay_procedures(timestamptz, double precision, integer) is
  'Halves the use count of procedures for each full period without use, at most p_limit of them. Below 0.5 a procedure is archived and leaves the index. Each period is counted once. Called by maintenance.ts.';

call public.restrict_to_service_role();
