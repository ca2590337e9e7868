-- The layers of memory that learn: observations of finished investigations, past answers and the summaries of sessions,
-- and procedures. The rows are the source of truth. Their index entries are also rows of documents, so that one outbox and
-- one reindex serve every layer. A transaction locks the collections incidents, past_answers, procedures in this order.

create table public.observations (
  id uuid primary key,
  domain text not null check (domain ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  fingerprint text not null,
  version integer not null default 1,
  created_at timestamptz not null,
  incident_id uuid not null references public.incidents (id) on delete cascade,
  title text not null,
  narrative text not null,
  facts text[] not null,
  task text not null,
  task_type text not null,
  target text,
  severity text not null,
  final_score double precision check (final_score between 0 and 10),
  review_score double precision check (review_score between -1 and 2),
  written_by text not null,
  occurrences integer not null default 1 check (occurrences > 0),
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  seen_at timestamptz[] not null,
  resolution text,
  resolved_by text,
  resolved_at timestamptz,
  resolved_incident_id uuid,
  worked boolean,
  superseded jsonb not null default '[]',
  unique (domain, fingerprint)
);
create index observations_newest on public.observations (last_seen_at desc, id desc);
create index observations_of_incident on public.observations (incident_id);
create index observations_resolved_by on public.observations (resolved_incident_id) where resolved_incident_id is not null;
-- The tables reference each other.
alter table public.incidents
  add foreign key (observation_id) references public.observations (id) on delete set null;
comment on table public.observations is 'Compressed records of finished investigations: one per failure, however often it recurs.';
comment on column public.observations.id is 'The id of the first incident, and of the document in the collection incidents-<domain>.';
comment on column public.observations.domain is 'The domain whose recall finds it.';
comment on column public.observations.fingerprint is 'Identifies the failure: equal for repeats of one incident.';
comment on column public.observations.version is 'Increases with every change of the indexed text, so that a writer detects a concurrent change.';
comment on column public.observations.created_at is 'When the text was written.';
comment on column public.observations.incident_id is 'The incident that the text describes.';
comment on column public.observations.title is 'One line.';
comment on column public.observations.narrative is 'The findings and the conclusion, in 2 to 3 sentences; for vector search.';
comment on column public.observations.facts is '5 to 10 facts, for keyword search and for prompts.';
comment on column public.observations.task is 'The question or report.';
comment on column public.observations.task_type is 'The type of incident.';
comment on column public.observations.target is 'The affected service, host or object.';
comment on column public.observations.severity is 'As reported.';
comment on column public.observations.final_score is 'The confidence × 10; null if no investigation finished.';
comment on column public.observations.review_score is 'The score of a person''s review, -1 to 2; null without a review.';
comment on column public.observations.written_by is 'extractive, or the model that compressed it.';
comment on column public.observations.occurrences is 'How often the failure was reported.';
comment on column public.observations.first_seen_at is 'The first report.';
comment on column public.observations.last_seen_at is 'The last report; age counts from here.';
comment on column public.observations.seen_at is 'The last 20 reports, oldest first.';
comment on column public.observations.resolution is 'The latest fix.';
comment on column public.observations.resolved_by is 'The person who reported it.';
comment on column public.observations.resolved_at is 'When it was reported.';
comment on column public.observations.resolved_incident_id is 'The incident that it resolved.';
comment on column public.observations.worked is 'Whether Dejavu''s answer led to that fix; null if unknown.';
comment on column public.observations.superseded is 'Earlier fixes, newest first: [{resolution, resolved_by, resolved_at, incident_id, superseded_at}].';

create table public.sessions (
  session_id text not null,
  domain text not null,
  last_turn_at timestamptz not null,
  raw_count integer not null default 0 check (raw_count >= 0),
  claimed_until timestamptz,
  primary key (session_id, domain)
);
create index sessions_by_size on public.sessions (raw_count, last_turn_at);
create index sessions_newest on public.sessions (last_turn_at desc, session_id, domain);
comment on table public.sessions is 'Sessions that hold past answers, a row per domain.';
comment on column public.sessions.session_id is 'The session.';
comment on column public.sessions.domain is 'The domain; a summary stays within it.';
comment on column public.sessions.last_turn_at is 'The last stored turn.';
comment on column public.sessions.raw_count is 'Past answers that no summary replaces.';
comment on column public.sessions.claimed_until is 'Until when a worker holds it to write a summary.';

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
  compressed_at timestamptz,
  metadata jsonb not null,
  content_hash text not null,
  check (not is_summary or triage_id is null)
);
create index past_answers_newest on public.past_answers (created_at desc, id desc);
create index past_answers_of_session on public.past_answers (session_id, domain, created_at, id);
create index past_answers_of_triage on public.past_answers (triage_id) where triage_id is not null;
create index past_answers_of_summary on public.past_answers (summary_id) where summary_id is not null;
create index past_answers_to_retire on public.past_answers (summary_id) where summary_id is not null and compressed_at is null;
create index past_answers_by_original on public.past_answers using gin (original_ids) where is_summary;
create index past_answers_compressed on public.past_answers (compressed_at) where compressed_at is not null;
comment on table public.past_answers is 'Questions with their answers, redacted, and the summaries of sessions.';
comment on column public.past_answers.id is 'The id of the document in the collection past_answers-<domain>: that of the triage, or a summary''s own.';
comment on column public.past_answers.domain is 'The domain whose recall finds it.';
comment on column public.past_answers.session_id is 'The session.';
comment on column public.past_answers.triage_id is 'The triage of the answer; null for a summary.';
comment on column public.past_answers.created_at is 'When it was answered; for a summary the time of its last turn.';
comment on column public.past_answers.question is 'The question; [SESSION SUMMARY …] for a summary.';
comment on column public.past_answers.answer is 'The answer without recalled text; once resolved, it begins with the fix.';
comment on column public.past_answers.net_rating is 'Thumbs up minus thumbs down.';
comment on column public.past_answers.is_summary is 'Whether it is the summary of a session.';
comment on column public.past_answers.summary_id is 'The summary that replaces it.';
comment on column public.past_answers.original_ids is 'For a summary: the past answers that it was made of, including deleted ones.';
comment on column public.past_answers.compressed_at is 'When it left the index because of its summary.';
comment on column public.past_answers.metadata is 'As in documents.';
comment on column public.past_answers.content_hash is 'As in documents.';

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
create index procedures_to_decay on public.procedures (decayed_until) where archived_at is null;
create index procedures_newest on public.procedures (last_used_at desc, id desc);
create index procedures_of_origin on public.procedures (origin_id) where origin_id is not null;
create index procedures_of_triage on public.procedures (triage_id) where triage_id is not null;
comment on table public.procedures is 'Approaches that a critic scored well: hints for later investigations.';
comment on column public.procedures.id is 'The id of the document in the collection procedures-<domain>.';
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

-- Writing.

create function public.recalled_ids(p_result jsonb) returns text[]
language sql immutable set search_path = '' as $$
  select coalesce(array_agg(t.id #>> '{}'), '{}')
  from jsonb_path_query(jsonb_build_array(p_result #> '{recalled,incidents}', p_result #> '{recalled,past_answers}',
    jsonb_build_array(p_result #> '{recalled,procedure}')), '$[*][*].id') as t (id);
$$;
comment on function public.recalled_ids(jsonb) is 'Ids of the records of memory that a triage''s result shows.';

create function public.past_answer_document(a public.past_answers) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object('id', a.id, 'source', null, 'chunk_index', null, 'title', a.question, 'heading_path', '[]'::jsonb,
    'body', a.answer, 'metadata', a.metadata, 'written_at', a.created_at, 'content_hash', a.content_hash, 'terms', '{}'::jsonb);
$$;
comment on function public.past_answer_document(public.past_answers) is
  'A past answer as the index holds it, without terms: it is not part of keyword search.';

create function public.procedure_document(p public.procedures) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object('id', p.id, 'source', null, 'chunk_index', null, 'title', p.query, 'heading_path', '[]'::jsonb,
    'body', '', 'metadata', p.metadata, 'written_at', p.created_at, 'content_hash', p.content_hash, 'terms', '{}'::jsonb);
$$;
comment on function public.procedure_document(public.procedures) is 'A procedure as the index holds it: only its query.';

create function public.observation_json(o public.observations) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(o) || jsonb_build_object(
    'effective_review_score', coalesce(o.review_score, case when o.worked then 1 when not o.worked then -1 end));
$$;
comment on function public.observation_json(public.observations) is
  'An observation; effective_review_score is the review score, else 1 or -1 by whether the answer worked.';

create function public.record_observation(p jsonb, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_new public.observations := jsonb_populate_record(null::public.observations, p -> 'row');
  v_existing public.observations;
begin
  if p -> 'document' <> 'null' and p -> 'replaces' = 'null' then
    insert into public.observations (id, domain, fingerprint, created_at, incident_id, title, narrative, facts, task, task_type,
      target, severity, final_score, written_by, first_seen_at, last_seen_at, seen_at)
    values (v_new.incident_id, v_new.domain, v_new.fingerprint, p_now, v_new.incident_id, v_new.title, v_new.narrative,
      v_new.facts, v_new.task, v_new.task_type, v_new.target, v_new.severity, v_new.final_score, v_new.written_by,
      v_new.first_seen_at, v_new.first_seen_at, array[v_new.first_seen_at])
    on conflict do nothing; -- also when a second run of this incident classified it differently
    if found then
      update public.incidents i set observation_id = v_new.incident_id where i.id = v_new.incident_id;
      return public.store_document('incidents-' || v_new.domain, p -> 'document', p_now, p_claim_until);
    end if;
  end if;

  select * into v_existing from public.observations o
  where o.domain = v_new.domain and o.fingerprint = v_new.fingerprint for update;
  if not found then
    return '[]'; -- deleted concurrently; the next repeat creates a new record
  end if;
  update public.incidents i set observation_id = v_existing.id where i.id = v_new.incident_id and i.observation_id is null;
  if found then
    update public.observations o
    set occurrences = o.occurrences + 1, first_seen_at = least(o.first_seen_at, v_new.first_seen_at),
      last_seen_at = greatest(o.last_seen_at, v_new.first_seen_at),
      seen_at = (select array_agg(t.at order by t.at) from (
        select u.at from unnest(o.seen_at || v_new.first_seen_at) as u (at) order by u.at desc limit 20) t)
    where o.id = v_existing.id;
  end if;
  -- Replace the text with the better one, unless the record changed since the caller read it.
  if p -> 'document' = 'null' or (p #>> '{replaces,id}')::uuid is distinct from v_existing.id
    or (p #>> '{replaces,version}')::integer is distinct from v_existing.version then
    return '[]';
  end if;
  update public.observations o
  set version = o.version + 1, created_at = p_now, incident_id = v_new.incident_id, title = v_new.title,
    narrative = v_new.narrative, facts = v_new.facts, task = v_new.task, target = v_new.target, severity = v_new.severity,
    final_score = v_new.final_score, written_by = v_new.written_by,
    review_score = null -- the review was of the replaced text
  where o.id = v_existing.id;
  return public.store_document('incidents-' || v_new.domain, p -> 'document', p_now, p_claim_until);
end $$;
comment on function public.record_observation(jsonb, timestamptz, timestamptz) is
  'Stores the observation of a finished investigation: {row, document, replaces}. A repeat of a known failure is counted. Its text replaces the stored one if replaces is the current {id, version}. With document null it is only counted. Returns the outbox entries.';

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
  insert into public.sessions as s (session_id, domain, last_turn_at, raw_count)
  values (v_past_answer.session_id, v_past_answer.domain, v_past_answer.created_at, 1)
  on conflict (session_id, domain) do update
  set raw_count = s.raw_count + 1, last_turn_at = greatest(s.last_turn_at, excluded.last_turn_at);
  return public.store_document('past_answers-' || v_past_answer.domain, public.past_answer_document(v_past_answer), p_now, p_claim_until);
end $$;
comment on function public.record_past_answer(jsonb, timestamptz, timestamptz) is
  'Stores a question and its answer, once: a row of past_answers. Returns the outbox entries.';

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
      return public.store_document('procedures-' || v_new.domain, public.procedure_document(v_existing), p_now, p_claim_until);
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
  return public.store_document('procedures-' || v_existing.domain, public.procedure_document(v_existing), p_now, p_claim_until);
end $$;
comment on function public.record_procedure(jsonb, timestamptz, timestamptz) is
  'Stores an approach that worked: {row, merge_into}. If merge_into or the same query exists, that procedure is counted instead. Returns the outbox entries.';

create function public.revise_observation(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_domain text;
begin
  update public.observations o
  set version = o.version + 1, title = p ->> 'title', narrative = p ->> 'narrative', written_by = p ->> 'written_by',
    facts = array(select jsonb_array_elements_text(p -> 'facts'))
  where o.id = (p ->> 'id')::uuid and o.version = (p ->> 'version')::integer
  returning o.domain into v_domain;
  if not found then
    return '[]';
  end if;
  return public.store_document('incidents-' || v_domain, p -> 'document', v_now, (p ->> 'claim_until')::timestamptz);
end $$;
comment on function public.revise_observation(jsonb) is
  'Replaces the text of an observation with a better one: {now, claim_until, id, version, title, narrative, facts, written_by, document}. Does nothing if the version changed. Returns the outbox entries.';

create function public.get_incident(p_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'incident', to_jsonb(i),
    'events', coalesce((select jsonb_agg(to_jsonb(e) - 'incident_id' - 'id' order by e.at, e.id)
      from public.incident_events e where e.incident_id = i.id), '[]'),
    'alerts', public.grouped_alerts(i.id) || jsonb_build_object('latest', coalesce((
      select jsonb_agg(to_jsonb(t) - 'id' order by t.received_at desc, t.id desc) from (
        select a.id, a.source, a.fingerprint, a.status, a.starts_at, a.ends_at, a.severity, a.title, a.target, a.namespace, a.times,
          a.received_at, a.last_received_at, a.decision, a.rule
        from public.alerts a where a.incident_id = i.id order by a.received_at desc, a.id desc limit 100) t), '[]')),
    'triage', (select t.result from public.triages t where t.incident_id = i.id order by t.created_at desc limit 1),
    'observation', (select public.observation_json(o) from public.observations o where o.id = i.observation_id))
  from public.incidents i where i.id = p_id;
$$;
comment on function public.get_incident(uuid) is
  'An incident with its timeline, its grouped alerts (the newest 100), its latest triage and its observation; null if there is none.';

create function public.resolve_incident(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_id uuid := (p ->> 'incident_id')::uuid;
  v_new public.observations := jsonb_populate_record(null::public.observations, p #> '{observation,row}');
  v_observation public.observations;
  v_past_answer public.past_answers;
  v_procedure record;
  v_pending jsonb := '[]';
begin
  perform 1 from public.incidents i where i.id = v_id for update;
  if not found then
    return jsonb_build_object('state', 'not_found');
  end if;
  if p ? 'observation' then
    select * into v_observation from public.observations o
    where o.domain = v_new.domain and o.fingerprint = v_new.fingerprint for update;
    if v_observation.id is distinct from (p #>> '{observation,replaces,id}')::uuid
      or v_observation.version is distinct from (p #>> '{observation,replaces,version}')::integer then
      return jsonb_build_object('state', 'changed');
    end if;
  end if;
  update public.incidents i
  set status = 'resolved', resolution = p ->> 'resolution', resolved_by = p ->> 'resolved_by', resolved_at = v_now,
    worked = coalesce((p ->> 'worked')::boolean, i.worked)
  where i.id = v_id;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (v_id, v_now, 'resolved', jsonb_strip_nulls(jsonb_build_object('resolution', p -> 'resolution',
    'resolved_by', p -> 'resolved_by', 'worked', p -> 'worked')));
  if p ? 'observation' then
    if v_observation.id is null then
      insert into public.observations (id, domain, fingerprint, created_at, incident_id, title, narrative, facts, task,
        task_type, target, severity, final_score, written_by, first_seen_at, last_seen_at, seen_at)
      values (v_id, v_new.domain, v_new.fingerprint, v_now, v_id, v_new.title, v_new.narrative, v_new.facts, v_new.task,
        v_new.task_type, v_new.target, v_new.severity, v_new.final_score, v_new.written_by, v_new.first_seen_at,
        v_new.first_seen_at, array[v_new.first_seen_at])
      returning * into v_observation;
    end if;
    update public.incidents i set observation_id = v_observation.id where i.id = v_id and i.observation_id is null;
    update public.observations o
    set version = o.version + 1, title = v_new.title, narrative = v_new.narrative, facts = v_new.facts, resolution = p ->> 'resolution',
      resolved_by = p ->> 'resolved_by', resolved_at = v_now, resolved_incident_id = v_id,
      worked = coalesce((p ->> 'worked')::boolean, case when o.resolved_incident_id = v_id then o.worked end),
      superseded = case
        when o.resolution is null or lower(o.resolution) = lower(p ->> 'resolution') then o.superseded
        else (select jsonb_agg(t.fix order by t.n) from (
          select s.fix, s.n from jsonb_array_elements(jsonb_build_array(jsonb_build_object('resolution', o.resolution,
            'resolved_by', o.resolved_by, 'resolved_at', o.resolved_at, 'incident_id', o.resolved_incident_id,
            'superseded_at', v_now)) || o.superseded) with ordinality as s (fix, n) limit 10) t)
      end
    where o.id = v_observation.id;
    v_pending := v_pending || public.store_document('incidents-' || v_new.domain, p #> '{observation,document}', v_now, v_claim_until);
  end if;
  if p ? 'past_answer' then
    -- A past answer that a summary replaced becomes a separate record again, because it now has a fix.
    update public.sessions s set raw_count = s.raw_count + 1
    from public.past_answers a
    where a.id = (p #>> '{past_answer,id}')::uuid and a.summary_id is not null
      and s.session_id = a.session_id and s.domain = a.domain;
    update public.past_answers a
    set answer = p #>> '{past_answer,answer}', content_hash = p #>> '{past_answer,content_hash}', summary_id = null, compressed_at = null
    where a.id = (p #>> '{past_answer,id}')::uuid and not a.is_summary
    returning * into v_past_answer;
    if found then
      v_pending := v_pending || public.store_document('past_answers-' || v_past_answer.domain, public.past_answer_document(v_past_answer), v_now, v_claim_until);
    end if;
  end if;
  if not (p ->> 'worked')::boolean then
    -- Archive procedures from an answer that did not work. A later success restores them.
    for v_procedure in
      update public.procedures r set archived_at = v_now
      where r.archived_at is null and r.triage_id in (select t.id from public.triages t where t.incident_id = v_id)
      returning r.id, r.domain
    loop
      v_pending := v_pending || public.delete_indexed_documents('procedures-' || v_procedure.domain, array[v_procedure.id::text], v_now, v_claim_until);
    end loop;
  end if;
  return jsonb_build_object('state', 'resolved', 'pending', v_pending, 'found', public.get_incident(v_id));
end $$;
comment on function public.resolve_incident(jsonb) is
  'Records the fix of an incident: {now, claim_until, incident_id, resolution, resolved_by, worked, observation?: {row, document, replaces}, past_answer?: {id, answer, content_hash}}. A newer fix of the same failure supersedes the earlier one; both stay in the timeline. Returns state not_found, changed (the observation is not the version in replaces), or resolved.';

create function public.resolve_open_incident(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_status text;
begin
  select i.status into v_status from public.incidents i where i.id = (p ->> 'incident_id')::uuid for update;
  if v_status = 'resolved' then
    return jsonb_build_object('state', 'changed');
  end if;
  return public.resolve_incident(p);
end $$;
comment on function public.resolve_open_incident(jsonb) is
  'Like resolve_incident, for an open incident; returns state changed if it is already resolved.';

create function public.set_review_score(p_id uuid, p_review_score double precision default null) returns jsonb
language sql set search_path = '' as $$
  update public.observations o set review_score = p_review_score where o.id = p_id returning public.observation_json(o);
$$;
comment on function public.set_review_score(uuid, double precision) is
  'Sets the review score of an observation, -1 to 2, or removes it with null. Returns null if there is no such observation.';

-- Reading.

create function public.recall_state(p jsonb) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'observations', coalesce((select jsonb_agg(public.observation_json(o)) from public.observations o
      where o.id = any (array(select jsonb_array_elements_text(p -> 'incidents'))::uuid[])), '[]'),
    'documents', coalesce((select jsonb_agg(public.document_json(d)) from public.collections c
      join public.documents d on d.collection_id = c.id
      where c.name = 'incidents-' || (p ->> 'domain')
        and d.id = any (array(select jsonb_array_elements_text(p -> 'documents')))), '[]'),
    'past_answers', coalesce((select jsonb_agg(to_jsonb(a) - 'metadata' - 'content_hash') from public.past_answers a
      where a.id = any (array(select jsonb_array_elements_text(p -> 'past_answers'))::uuid[])
        and a.domain = p ->> 'domain' and a.compressed_at is null), '[]'),
    'procedures', coalesce((select jsonb_agg(to_jsonb(r) - 'metadata' - 'content_hash' - 'query_hash') from public.procedures r
      where r.id = any (array(select jsonb_array_elements_text(p -> 'procedures'))::uuid[])
        and r.domain = p ->> 'domain' and r.archived_at is null), '[]'),
    'repeat_of', (select public.observation_json(o) from public.observations o
      where o.domain = p ->> 'domain' and o.fingerprint = p ->> 'fingerprint'));
$$;
comment on function public.recall_state(jsonb) is
  'The current state of recall hits: {domain, incidents, documents, past_answers, procedures, fingerprint?}, ids each; documents are those whose text the caller has only from the index. Deleted records are missing from the result.';

create function public.session_past_answers(p_session_id text, p_limit integer) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_object_agg(s.domain, t.ids), '{}') from public.sessions s
  cross join lateral (select coalesce(jsonb_agg(n.id), '[]') as ids from (
    select a.id from public.past_answers a
    where a.session_id = s.session_id and a.domain = s.domain and a.compressed_at is null
    order by a.created_at desc, a.id desc limit p_limit) n) t
  where s.session_id = p_session_id;
$$;
comment on function public.session_past_answers(text, integer) is
  'Ids of a session''s newest past answers that are in the index, at most p_limit per domain: {domain: [id]}.';

create function public.list_observations(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null, p_domain text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select public.observation_json(o) from public.observations o
  where (p_before_at is null or (o.last_seen_at, o.id) < (p_before_at, p_before_id))
    and (p_domain is null or o.domain = p_domain)
  order by o.last_seen_at desc, o.id desc limit p_limit;
$$;
comment on function public.list_observations(integer, timestamptz, uuid, text) is
  'Observations, last seen first, a page before (p_before_at, p_before_id).';

create function public.get_observation(p_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select public.observation_json(o) from public.observations o where o.id = p_id;
$$;
comment on function public.get_observation(uuid) is 'An observation; null if there is none.';

create function public.list_past_answers(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null, p_domain text default null,
  p_session_id text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(a) - 'metadata' - 'content_hash' from public.past_answers a
  where (p_before_at is null or (a.created_at, a.id) < (p_before_at, p_before_id))
    and (p_domain is null or a.domain = p_domain)
    and (p_session_id is null or a.session_id = p_session_id)
  order by a.created_at desc, a.id desc limit p_limit;
$$;
comment on function public.list_past_answers(integer, timestamptz, uuid, text, text) is
  'Past answers and summaries, newest first, a page before (p_before_at, p_before_id).';

create function public.list_sessions(
  p_limit integer, p_before_at timestamptz default null, p_before_id text default null, p_before_domain text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('session_id', s.session_id, 'domain', s.domain, 'last_turn_at', s.last_turn_at,
    'raw_count', s.raw_count,
    'summary_count', (select count(*) from public.past_answers a
      where a.session_id = s.session_id and a.domain = s.domain and a.is_summary))
  from public.sessions s
  where p_before_at is null or s.last_turn_at < p_before_at
    or (s.last_turn_at = p_before_at and (s.session_id, s.domain) > (p_before_id, p_before_domain))
  order by s.last_turn_at desc, s.session_id, s.domain limit p_limit;
$$;
comment on function public.list_sessions(integer, timestamptz, text, text) is
  'Sessions that hold past answers, last used first, a page after (p_before_at, p_before_id, p_before_domain).';

create function public.list_procedures(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null, p_domain text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(r) - 'metadata' - 'content_hash' - 'query_hash' from public.procedures r
  where (p_before_at is null or (r.last_used_at, r.id) < (p_before_at, p_before_id))
    and (p_domain is null or r.domain = p_domain)
  order by r.last_used_at desc, r.id desc limit p_limit;
$$;
comment on function public.list_procedures(integer, timestamptz, uuid, text) is
  'Procedures including archived ones, last used first, a page before (p_before_at, p_before_id).';

-- Compression and decay, by jobs. Each claims its rows with skip locked, in batches.

create function public.claim_sessions(
  p_now timestamptz, p_idle_since timestamptz, p_threshold integer, p_limit integer, p_lease_seconds integer,
  p_past_answers_per_session integer
) returns jsonb
language sql set search_path = '' as $$
  with due as (
    select s.session_id, s.domain from public.sessions s
    where s.raw_count > p_threshold and s.last_turn_at <= p_idle_since
      and (s.claimed_until is null or s.claimed_until <= p_now)
      and not exists (select 1 from public.runs r where r.session_id = s.session_id and r.started_at > p_idle_since)
    order by s.raw_count, s.last_turn_at limit p_limit for update skip locked
  ), claimed as (
    update public.sessions s set claimed_until = p_now + p_lease_seconds * interval '1 second'
    from due where s.session_id = due.session_id and s.domain = due.domain
    returning s.session_id, s.domain
  )
  select coalesce(jsonb_agg(jsonb_build_object('session_id', c.session_id, 'domain', c.domain, 'past_answers', (
    select jsonb_agg(to_jsonb(t) order by t.created_at, t.id) from (
      select a.id, a.created_at, a.question, a.answer, a.net_rating, a.content_hash from public.past_answers a
      where a.session_id = c.session_id and a.domain = c.domain and not a.is_summary and a.summary_id is null
      order by a.created_at, a.id limit p_past_answers_per_session) t))), '[]')
  from claimed c;
$$;
comment on function public.claim_sessions(timestamptz, timestamptz, integer, integer, integer, integer) is
  'Claims idle sessions with more than p_threshold unsummarised past answers for p_lease_seconds: [{session_id, domain, past_answers}], the oldest p_past_answers_per_session of each.';

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
  perform 1 from public.sessions s where s.session_id = v_new.session_id and s.domain = v_new.domain for update;
  -- If another worker summarised one of them, or one was resolved or deleted meanwhile, this summary is out of date.
  select count(*), sum(t.net_rating) into v_raw, v_net_rating from (
    select a.net_rating from jsonb_array_elements(p -> 'originals') e
    join public.past_answers a on a.id = (e ->> 'id')::uuid and a.content_hash = e ->> 'content_hash'
    where a.summary_id is null and not a.is_summary order by a.id for update of a) t;
  if v_raw < cardinality(v_ids) then
    update public.sessions s set claimed_until = null where s.session_id = v_new.session_id and s.domain = v_new.domain;
    return '[]';
  end if;
  insert into public.past_answers as s (id, domain, session_id, created_at, question, answer, net_rating, is_summary, original_ids,
    metadata, content_hash)
  select v_new.id, v_new.domain, v_new.session_id, max(a.created_at), v_new.question, v_new.answer, v_net_rating, true, v_ids,
    v_new.metadata, v_new.content_hash
  from public.past_answers a where a.id = any (v_ids)
  on conflict (id) do update set answer = excluded.answer, content_hash = excluded.content_hash, net_rating = excluded.net_rating
  returning * into v_summary;
  update public.past_answers a set summary_id = v_summary.id where a.id = any (v_ids);
  update public.sessions s set raw_count = s.raw_count - cardinality(v_ids), claimed_until = null
  where s.session_id = v_new.session_id and s.domain = v_new.domain;
  return public.store_document('past_answers-' || v_summary.domain, public.past_answer_document(v_summary), v_now,
    (p ->> 'claim_until')::timestamptz);
end $$;
comment on function public.store_summary(jsonb) is
  'Stores the summary of a session''s past answers: {now, claim_until, summary, originals: [{id, content_hash}]}. The originals stay in the index until retire_originals. Does nothing if one of them is already summarised, changed or deleted. Returns the outbox entries.';

create function public.retire_originals(p_now timestamptz, p_limit integer) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_batch record;
  v_count integer := 0;
begin
  for v_batch in
    with due as (
      select a.id from public.past_answers a
      where a.summary_id is not null and a.compressed_at is null
        -- With a join the planner would sort all waiting rows: it does not know that most summaries are in the index.
        and (select d.indexed_hash = d.content_hash from public.collections c join public.documents d on d.collection_id = c.id
          where c.name = 'past_answers-' || a.domain and d.id = a.summary_id::text)
      order by a.summary_id limit p_limit for update of a skip locked
    ), retired as (
      update public.past_answers a set compressed_at = p_now where a.id = any (array(select due.id from due))
      returning a.id::text, a.domain
    )
    select r.domain, array_agg(r.id) as ids from retired r group by r.domain order by r.domain
  loop
    perform public.delete_documents('past_answers-' || v_batch.domain, v_batch.ids);
    insert into public.outbox (collection, document_id, created_at, next_attempt_at)
    select 'past_answers-' || v_batch.domain, u.id, p_now, p_now from unnest(v_batch.ids) as u (id);
    v_count := v_count + cardinality(v_batch.ids);
  end loop;
  return jsonb_build_object('retired', v_count);
end $$;
comment on function public.retire_originals(timestamptz, integer) is
  'Removes past answers from the index once their summary is in it, and enqueues their removal from the vector store.';

create function public.decay_procedures(p_now timestamptz, p_period_days double precision, p_limit integer) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_period interval := p_period_days * interval '1 day';
  v_batch record;
  v_decayed integer := 0;
  v_archived integer := 0;
begin
  for v_batch in
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
      returning r.id::text, r.domain, r.archived_at
    )
    select d.domain, count(*) as decayed, coalesce(array_agg(d.id) filter (where d.archived_at is not null), '{}') as archived
    from decayed d group by d.domain order by d.domain
  loop
    v_decayed := v_decayed + v_batch.decayed;
    v_archived := v_archived + cardinality(v_batch.archived);
    continue when v_batch.archived = '{}';
    perform public.delete_documents('procedures-' || v_batch.domain, v_batch.archived);
    insert into public.outbox (collection, document_id, created_at, next_attempt_at)
    select 'procedures-' || v_batch.domain, u.id, p_now, p_now from unnest(v_batch.archived) as u (id);
  end loop;
  return jsonb_build_object('decayed', v_decayed, 'archived', v_archived);
end $$;
comment on function public.decay_procedures(timestamptz, double precision, integer) is
  'Halves the use count of procedures for each full period without use, at most p_limit of them. Below 0.5 a procedure is archived and leaves the index. Each period is counted once.';

-- Deletion.

create function public.delete_observation(p_id uuid, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_domain text;
begin
  delete from public.observations o where o.id = p_id returning o.domain into v_domain;
  if v_domain is null then
    return '[]';
  end if;
  return public.delete_indexed_documents('incidents-' || v_domain, array[p_id::text], p_now, p_claim_until);
end $$;
comment on function public.delete_observation(uuid, timestamptz, timestamptz) is
  'Deletes an observation. Returns the outbox entries.';

create function public.delete_procedure(p_id uuid, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_domain text;
begin
  delete from public.procedures r where r.id = p_id returning r.domain into v_domain;
  if v_domain is null then
    return '[]';
  end if;
  return public.delete_indexed_documents('procedures-' || v_domain, array[p_id::text], p_now, p_claim_until);
end $$;
comment on function public.delete_procedure(uuid, timestamptz, timestamptz) is
  'Deletes a procedure. Returns the outbox entries.';

create function public.restore_past_answers(p_ids uuid[], p_now timestamptz) returns void
language plpgsql set search_path = '' as $$
declare
  v_past_answer public.past_answers;
begin
  for v_past_answer in
    update public.past_answers a set summary_id = null, compressed_at = null where a.id = any (p_ids) returning a.*
  loop
    perform public.store_document('past_answers-' || v_past_answer.domain, public.past_answer_document(v_past_answer), p_now, null);
  end loop;
end $$;
comment on function public.restore_past_answers(uuid[], timestamptz) is
  'Makes past answers separate records again, in place of their summary.';

create function public.delete_past_answer(p_id uuid, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_session record;
  v_deleted_ids uuid[];
  v_siblings uuid[];
  v_deleted public.past_answers;
  v_pending jsonb := '[]';
begin
  -- Lock order of all writers: session, past answers, collection.
  select a.session_id, a.domain into v_session from public.past_answers a
  where a.id = p_id or (a.is_summary and a.original_ids @> array[p_id]) limit 1;
  if not found then
    return v_pending;
  end if;
  perform 1 from public.sessions s where s.session_id = v_session.session_id and s.domain = v_session.domain for update;
  -- A summary is deleted with its originals. Every summary made of a deleted past answer is deleted too, even if the past
  -- answer was restored or has expired since. The other originals of such a summary are restored.
  v_deleted_ids := array(select a.id from public.past_answers a
    where a.id = p_id or (a.is_summary and a.original_ids @> array[p_id]) or a.summary_id = p_id order by a.id for update);
  v_siblings := array(select a.id from public.past_answers a
    where a.summary_id = any (v_deleted_ids) and not a.id = any (v_deleted_ids) order by a.id for update);
  update public.sessions s
  set claimed_until = null, raw_count = s.raw_count + cardinality(v_siblings) - (
    select count(*) from public.past_answers a where a.id = any (v_deleted_ids) and not a.is_summary and a.summary_id is null)
  where s.session_id = v_session.session_id and s.domain = v_session.domain;
  for v_deleted in delete from public.past_answers a where a.id = any (v_deleted_ids) returning a.* loop
    v_pending := v_pending || public.delete_indexed_documents('past_answers-' || v_deleted.domain, array[v_deleted.id::text], p_now, p_claim_until);
  end loop;
  perform public.restore_past_answers(v_siblings, p_now);
  return v_pending;
end $$;
comment on function public.delete_past_answer(uuid, timestamptz, timestamptz) is
  'Deletes a past answer and every summary made of it, and restores the other originals of these summaries; or deletes a summary with all its originals. The past answer itself may have expired. Returns the outbox entries.';

create function public.without_recalled(p_result jsonb, p_ids text[]) returns jsonb
language sql immutable set search_path = '' as $$
  select p_result || jsonb_build_object(
    'recalled', p_result -> 'recalled' || jsonb_build_object(
      'incidents', (select coalesce(jsonb_agg(e.hit order by e.n), '[]')
        from jsonb_array_elements(p_result #> '{recalled,incidents}') with ordinality as e (hit, n)
        where not e.hit ->> 'id' = any (p_ids)),
      'past_answers', (select coalesce(jsonb_agg(e.hit order by e.n), '[]')
        from jsonb_array_elements(coalesce(p_result #> '{recalled,past_answers}', '[]')) with ordinality as e (hit, n)
        where not e.hit ->> 'id' = any (p_ids)),
      'procedure', case when not coalesce(p_result #>> '{recalled,procedure,id}', '') = any (p_ids)
        then p_result #> '{recalled,procedure}' end),
    'sources', (select coalesce(jsonb_agg(e.source order by e.n), '[]')
      from jsonb_array_elements(p_result -> 'sources') with ordinality as e (source, n)
      where not e.source ->> 'id' = any (p_ids)),
    'answer', p_result -> 'answer' || jsonb_build_object(
      'worked_before', (select coalesce(jsonb_agg(e.past order by e.n), '[]')
        from jsonb_array_elements(p_result #> '{answer,worked_before}') with ordinality as e (past, n)
        where not e.past -> 'citations' ?| p_ids)));
$$;
comment on function public.without_recalled(jsonb, text[]) is
  'A triage''s result without the past incidents, past answers and procedure of these ids, and without the fixes that cite them.';

create function public.remove_deleted_from_results(p_limit integer) returns integer
language plpgsql set search_path = '' as $$
declare
  v_event public.audit_events;
  v_scrubbed integer;
begin
  select * into v_event from public.audit_events a where a.in_results order by a.id limit 1 for update skip locked;
  if not found then
    return 0;
  end if;
  with holding as (
    select t.id from public.triages t where t.recalled_ids && v_event.record_ids
    order by t.id limit p_limit for update skip locked
  )
  update public.triages t
  set result = public.without_recalled(t.result, v_event.record_ids),
    recalled_ids = array(select u.id from unnest(t.recalled_ids) as u (id) where not u.id = any (v_event.record_ids))
  from holding where t.id = holding.id;
  get diagnostics v_scrubbed = row_count;
  update public.audit_events a
  set in_results = exists (select 1 from public.triages t where t.recalled_ids && v_event.record_ids)
  where a.id = v_event.id;
  return v_scrubbed;
end $$;
comment on function public.remove_deleted_from_results(integer) is
  'Removes deleted records from the results of at most p_limit triages that recalled them; returns how many it changed, 0 when none are left.';

create function public.delete_record(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_kind text := p ->> 'kind';
  v_id text := p ->> 'id';
  v_uuid uuid := case when v_kind <> 'session' then v_id::uuid end;
  v_subject text := case when v_kind = 'session' then encode(sha256(convert_to(v_id, 'UTF8')), 'hex') else v_uuid::text end;
  v_incident public.incidents;
  v_triages uuid[];
  v_each uuid;
  v_observations jsonb := '[]';
  v_past_answers jsonb := '[]';
  v_procedures jsonb := '[]';
  v_pending jsonb;
  v_record_ids text[] := '{}';
  v_found boolean := false;
begin
  if v_kind = 'observation' then
    v_observations := public.delete_observation(v_uuid, v_now, v_claim_until);
  elsif v_kind = 'past_answer' then
    v_past_answers := public.delete_past_answer(v_uuid, v_now, v_claim_until);
  elsif v_kind = 'procedure' then
    v_procedures := public.delete_procedure(v_uuid, v_now, v_claim_until);
  elsif v_kind = 'session' then
    for v_each in select m.id from public.past_answers m where m.session_id = v_id order by m.domain, m.is_summary desc, m.id loop
      v_past_answers := v_past_answers || public.delete_past_answer(v_each, v_now, v_claim_until);
    end loop;
    delete from public.sessions s where s.session_id = v_id;
    v_found := found;
    delete from public.runs r where r.session_id = v_id and r.finished_at is not null;
    v_found := v_found or found;
  else
    select * into v_incident from public.incidents i where i.id = v_uuid for update;
    v_found := found;
    v_triages := array(select t.id from public.triages t where t.incident_id = v_uuid order by t.id for update);
    -- Past answers have the ids of their triages. Include expired ones: results of other triages may still show them.
    v_record_ids := v_triages::text[];
    if v_incident.observation_id is not null then
      -- Delete the observation if its text or its fix is from this incident. For a repeat, remove only its trace.
      if exists (select 1 from public.observations o where o.id = v_incident.observation_id
          and (o.incident_id = v_uuid or o.resolved_incident_id = v_uuid or o.occurrences = 1)) then
        v_observations := public.delete_observation(v_incident.observation_id, v_now, v_claim_until);
      else
        -- Results that show the superseded fix of this incident lose the observation; later recalls find it again.
        if exists (select 1 from public.observations o, jsonb_array_elements(o.superseded) s
            where o.id = v_incident.observation_id and s ->> 'incident_id' = v_id) then
          v_record_ids := v_record_ids || v_incident.observation_id::text;
        end if;
        update public.observations o
        set occurrences = o.occurrences - 1, seen_at = t.seen_at,
          first_seen_at = case when o.occurrences <= 20 then t.seen_at[1] else o.first_seen_at end,
          last_seen_at = t.seen_at[cardinality(t.seen_at)],
          superseded = (select coalesce(jsonb_agg(s.fix order by s.n), '[]')
            from jsonb_array_elements(o.superseded) with ordinality as s (fix, n)
            where s.fix ->> 'incident_id' is distinct from v_id)
        from (select array(select u.at from unnest(k.seen_at) with ordinality as u (at, n)
            where u.n is distinct from array_position(k.seen_at, v_incident.created_at) order by u.n) as seen_at
          from public.observations k where k.id = v_incident.observation_id) t
        where o.id = v_incident.observation_id and cardinality(t.seen_at) > 0;
      end if;
    end if;
    foreach v_each in array v_triages loop
      v_past_answers := v_past_answers || public.delete_past_answer(v_each, v_now, v_claim_until);
    end loop;
    for v_each in select r.id from public.procedures r where r.triage_id = any (v_triages) or r.origin_id = any (v_triages)
      order by r.id loop
      v_procedures := v_procedures || public.delete_procedure(v_each, v_now, v_claim_until);
    end loop;
    delete from public.idempotency_keys k where k.incident_id = v_uuid;
    delete from public.runs r where r.incident_id = v_uuid;
    delete from public.incidents i where i.id = v_uuid;
  end if;
  v_pending := v_observations || v_past_answers || v_procedures;
  if not v_found and jsonb_array_length(v_pending) = 0 then
    return jsonb_build_object('state', 'not_found');
  end if;
  v_record_ids := v_record_ids || array(select e.write ->> 'document_id' from jsonb_array_elements(v_pending) as e (write));
  insert into public.audit_events (at, action, kind, subject_id, record_ids, in_results, actor, request_id, detail)
  values (v_now, 'deleted', v_kind, v_subject, v_record_ids, cardinality(v_record_ids) > 0, p ->> 'actor', p ->> 'request_id',
    jsonb_build_object('observations', jsonb_array_length(v_observations), 'past_answers', jsonb_array_length(v_past_answers),
      'procedures', jsonb_array_length(v_procedures)));
  return jsonb_build_object('state', 'deleted', 'pending', v_pending);
end $$;
comment on function public.delete_record(jsonb) is
  'Deletes a record permanently and adds an audit event: {now, claim_until, kind: incident, observation, memory, session or procedure, id, actor, request_id}. An incident is deleted with everything that was derived from it. Returns {state: deleted, pending: outbox entries}, or {state: not_found}.';

call public.restrict_to_service_role();
