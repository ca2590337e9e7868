-- Incidents, their triages and timelines, the episode log, idempotency keys and the outbox of memory writes.
-- Every change is one function, so that the Worker needs one round trip and nothing is half-written.

create table public.incidents (
  id uuid primary key,
  created_at timestamptz not null,
  title text not null,
  question text,
  target text,
  severity text not null check (severity in ('critical', 'high', 'medium', 'low', 'info')),
  labels jsonb not null default '{}',
  logs text,
  session_id text not null,
  domain text not null check (domain in ('docker', 'podman', 'kubernetes', 'postgres')),
  domain_rule text not null,
  incident_type text not null,
  incident_type_rule text not null,
  status text not null check (status in ('investigating', 'triaged', 'failed', 'resolved')),
  resolution text,
  resolved_by text,
  resolved_at timestamptz,
  check ((status = 'resolved') = (resolved_at is not null)),
  check ((resolution is null) = (resolved_at is null))
);
create index incidents_newest on public.incidents (created_at desc, id desc);
create index incidents_newest_by_domain on public.incidents (domain, created_at desc, id desc);
create index incidents_newest_by_target on public.incidents (target, created_at desc, id desc) where target is not null;
comment on table public.incidents is 'One incident as it was reported, and how it ended.';
comment on column public.incidents.id is 'Made by the Worker, so that an incident has a name before it is stored.';
comment on column public.incidents.created_at is 'When it was reported.';
comment on column public.incidents.title is 'The alert''s title, or the question.';
comment on column public.incidents.question is 'What was asked, where a question was.';
comment on column public.incidents.target is 'The service, host or object that is affected.';
comment on column public.incidents.severity is 'How bad the reporter says it is.';
comment on column public.incidents.labels is 'Labels of the alert, flat strings.';
comment on column public.incidents.logs is 'Log lines that came with the report.';
comment on column public.incidents.session_id is 'The conversation that it belongs to.';
comment on column public.incidents.domain is 'The domain whose knowledge is searched.';
comment on column public.incidents.domain_rule is 'The rule that chose the domain.';
comment on column public.incidents.incident_type is 'A type of the domain''s closed list, the reporter''s own, or unknown.';
comment on column public.incidents.incident_type_rule is 'What decided the type.';
comment on column public.incidents.status is 'Where it stands.';
comment on column public.incidents.resolution is 'What fixed it.';
comment on column public.incidents.resolved_by is 'Who said so.';
comment on column public.incidents.resolved_at is 'When.';

create table public.triages (
  id uuid primary key,
  incident_id uuid not null references public.incidents (id) on delete cascade,
  created_at timestamptz not null,
  mode text not null check (mode in ('extractive')),
  outcome text not null check (outcome in ('cause', 'unknown')),
  confidence double precision not null check (confidence between 0 and 1),
  result jsonb not null
);
create index triages_of_incident on public.triages (incident_id, created_at desc);
comment on table public.triages is 'The finished answer to an incident.';
comment on column public.triages.id is 'Made by the Worker.';
comment on column public.triages.incident_id is 'The incident that it answers.';
comment on column public.triages.created_at is 'When the answer was finished.';
comment on column public.triages.mode is 'How the answer was written.';
comment on column public.triages.outcome is 'Whether a cause could be named.';
comment on column public.triages.confidence is 'From 0 to 1; in extractive mode the grounding score.';
comment on column public.triages.result is 'The whole response as the caller got it.';

create table public.incident_events (
  id bigint generated always as identity primary key,
  incident_id uuid not null references public.incidents (id) on delete cascade,
  at timestamptz not null,
  kind text not null check (kind in ('reported', 'triaged', 'failed', 'resolved')),
  detail jsonb not null default '{}'
);
create index incident_events_of_incident on public.incident_events (incident_id, at, id);
comment on table public.incident_events is 'The timeline of an incident, append-only.';
comment on column public.incident_events.id is 'Order within one moment.';
comment on column public.incident_events.incident_id is 'The incident.';
comment on column public.incident_events.at is 'When it happened.';
comment on column public.incident_events.kind is 'What happened.';
comment on column public.incident_events.detail is 'More about it, flat.';

create table public.episodes (
  run_id uuid primary key,
  session_id text not null,
  started_at timestamptz not null,
  query text not null,
  finished_at timestamptz,
  injection_blocked boolean,
  retrieval_hit_count integer,
  memory_hit_count integer,
  initial_confidence double precision,
  reflected boolean,
  final_confidence double precision,
  final_answer text
);
create index episodes_of_session on public.episodes (session_id, started_at desc);
create index episodes_open on public.episodes (started_at) where finished_at is null;
comment on table public.episodes is 'Append-only log of investigations in two phases: the start row comes before all else, the finish whatever happens.';
comment on column public.episodes.run_id is 'One run of an investigation.';
comment on column public.episodes.session_id is 'The conversation.';
comment on column public.episodes.started_at is 'Start of the run.';
comment on column public.episodes.query is 'What was asked.';
comment on column public.episodes.finished_at is 'End of the run; null while it runs or when it died.';
comment on column public.episodes.injection_blocked is 'Whether the guardrail answered instead.';
comment on column public.episodes.retrieval_hit_count is 'Runbook chunks that were recalled.';
comment on column public.episodes.memory_hit_count is 'Past incidents that were recalled.';
comment on column public.episodes.initial_confidence is 'Before reflection.';
comment on column public.episodes.reflected is 'Whether there was a reflection.';
comment on column public.episodes.final_confidence is 'The confidence that was returned; 0 where the run died.';
comment on column public.episodes.final_answer is 'The answer as text.';

create table public.idempotency_keys (
  key text primary key check (length(key) between 1 and 255),
  request_hash text not null,
  started_at timestamptz not null,
  incident_id uuid not null,
  triage_id uuid references public.triages (id) on delete cascade
);
comment on table public.idempotency_keys is 'Which triage a caller''s Idempotency-Key stands for.';
comment on column public.idempotency_keys.key is 'As the caller sent it.';
comment on column public.idempotency_keys.request_hash is 'SHA-256 of the request''s body: a key names one request.';
comment on column public.idempotency_keys.started_at is 'When the work began; a run that died can be taken over later.';
comment on column public.idempotency_keys.incident_id is 'The incident whose triage holds the key; the row of the incident may come later.';
comment on column public.idempotency_keys.triage_id is 'The result; null while the work goes on.';

create table public.outbox (
  id bigint generated always as identity primary key,
  collection text not null,
  document_id text not null,
  created_at timestamptz not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  last_error text,
  done_at timestamptz
);
create index outbox_due on public.outbox (next_attempt_at, id) where done_at is null;
comment on table public.outbox is 'Writes to the vector store that are owed. Written in the transaction that changed the document.';
comment on column public.outbox.id is 'Order of writing.';
comment on column public.outbox.collection is 'The collection to write to.';
comment on column public.outbox.document_id is 'The document to copy there; its state at the time of the write counts.';
comment on column public.outbox.created_at is 'Since when it is owed.';
comment on column public.outbox.attempts is 'Times that the write was tried.';
comment on column public.outbox.next_attempt_at is 'Not before then; a claim moves it ahead, so that two workers never hold one row.';
comment on column public.outbox.last_error is 'Why the last attempt failed: a code, never content.';
comment on column public.outbox.done_at is 'When the vector store held the document.';

create function public.record_incident(p jsonb) returns void
language sql set search_path = '' as $$
  with incident as (
    insert into public.incidents (id, created_at, title, question, target, severity, labels, logs, session_id, domain,
      domain_rule, incident_type, incident_type_rule, status)
    select i.id, i.created_at, i.title, i.question, i.target, i.severity, i.labels, i.logs, i.session_id, i.domain,
      i.domain_rule, i.incident_type, i.incident_type_rule, 'investigating'
    from jsonb_populate_record(null::public.incidents, p -> 'incident') i
    on conflict (id) do nothing
    returning id, created_at
  ), event as (
    insert into public.incident_events (incident_id, at, kind) select id, created_at, 'reported' from incident
  )
  insert into public.episodes (run_id, session_id, started_at, query)
  select e.run_id, e.session_id, e.started_at, e.query
  from jsonb_populate_record(null::public.episodes, p -> 'episode') e
  on conflict (run_id) do nothing;
$$;
comment on function public.record_incident(jsonb) is 'Stores the incident and its episode''s start row unless they are there: {incident, episode}.';

create function public.begin_triage(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_key text := p #>> '{idempotency,key}';
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_incident uuid := (p #>> '{incident,id}')::uuid;
  v_known public.idempotency_keys;
begin
  if v_key is not null then
    insert into public.idempotency_keys (key, request_hash, started_at, incident_id)
    values (v_key, p #>> '{idempotency,request_hash}', v_now, v_incident)
    on conflict (key) do nothing;
    if not found then
      select * into strict v_known from public.idempotency_keys k where k.key = v_key for update;
      if v_known.request_hash <> p #>> '{idempotency,request_hash}' then
        return jsonb_build_object('state', 'mismatch');
      elsif v_known.triage_id is not null then
        return jsonb_build_object('state', 'replayed',
          'result', (select t.result from public.triages t where t.id = v_known.triage_id));
      elsif v_known.incident_id <> v_incident and v_known.started_at > v_now - (p #>> '{idempotency,lease_seconds}')::integer * interval '1 second' then
        return jsonb_build_object('state', 'in_progress');
      end if;
      update public.idempotency_keys k set started_at = v_now, incident_id = v_incident where k.key = v_key;
    end if;
  end if;
  perform public.record_incident(p);
  return jsonb_build_object('state', 'started');
end $$;
comment on function public.begin_triage(jsonb) is
  'Opens an investigation: {now, incident, episode, idempotency?: {key, request_hash, lease_seconds}}. Answers started, or for a key that another incident holds replayed (with the first result), in_progress or mismatch; then nothing is stored. May be repeated.';

create function public.finish_episode(p jsonb) returns void
language sql set search_path = '' as $$
  update public.episodes e
  set finished_at = f.finished_at, injection_blocked = f.injection_blocked, retrieval_hit_count = f.retrieval_hit_count,
    memory_hit_count = f.memory_hit_count, initial_confidence = f.initial_confidence, reflected = f.reflected,
    final_confidence = f.final_confidence, final_answer = f.final_answer
  from jsonb_populate_record(null::public.episodes, p) f
  where e.run_id = f.run_id and e.finished_at is null;
$$;
comment on function public.finish_episode(jsonb) is 'Writes the second half of an episode, once.';

create function public.abandon_triage(p jsonb) returns void
language plpgsql set search_path = '' as $$
declare
  v_incident uuid := (p ->> 'incident_id')::uuid;
begin
  perform public.finish_episode(p -> 'episode_finish');
  delete from public.idempotency_keys k
  where k.key = p ->> 'idempotency_key' and k.incident_id = v_incident and k.triage_id is null;
  update public.incidents i set status = 'failed' where i.id = v_incident and i.status = 'investigating';
  if found then
    insert into public.incident_events (incident_id, at, kind, detail)
    values (v_incident, (p ->> 'now')::timestamptz, 'failed', jsonb_build_object('reason', p -> 'reason'));
  end if;
end $$;
comment on function public.abandon_triage(jsonb) is
  'Closes a triage that came to nothing, so that its key can be used again: {now, incident_id, reason, idempotency_key?, episode_finish}.';

create function public.enqueue_memory_write(p_collection text, p_document jsonb, p_now timestamptz, p_claim_until timestamptz)
returns bigint
language plpgsql set search_path = '' as $$
declare
  v_id bigint;
begin
  perform public.upsert_documents(p_collection, jsonb_build_array(p_document));
  insert into public.outbox (collection, document_id, created_at, attempts, next_attempt_at)
  values (p_collection, p_document ->> 'id', p_now, 1, p_claim_until)
  returning id into v_id;
  return v_id;
end $$;
comment on function public.enqueue_memory_write(text, jsonb, timestamptz, timestamptz) is
  'Stores a document and the debt to copy it to the vector store, claimed by the caller until p_claim_until.';

create function public.finish_triage(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_incident uuid := (p #>> '{incident,id}')::uuid;
  v_triage uuid := (p #>> '{triage,id}')::uuid;
  v_status text;
  v_outbox bigint;
begin
  perform public.record_incident(p);
  select i.status into strict v_status from public.incidents i where i.id = v_incident for update;
  if exists (select 1 from public.triages t where t.id = v_triage) then
    return jsonb_build_object('outbox_id', null); -- a repeated call whose first reply was lost
  end if;
  update public.incidents i set status = 'triaged' where i.id = v_incident and i.status in ('investigating', 'failed');
  insert into public.triages (id, incident_id, created_at, mode, outcome, confidence, result)
  select t.id, v_incident, v_now, t.mode, t.outcome, t.confidence, t.result
  from jsonb_populate_record(null::public.triages, p -> 'triage') t;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (v_incident, v_now, 'triaged', jsonb_build_object('triage_id', v_triage, 'mode', p #> '{triage,mode}',
    'outcome', p #> '{triage,outcome}', 'confidence', p #> '{triage,confidence}'));
  perform public.finish_episode((p -> 'episode') || (p -> 'episode_finish'));
  if p ? 'idempotency' then
    insert into public.idempotency_keys as k (key, request_hash, started_at, incident_id, triage_id)
    values (p #>> '{idempotency,key}', p #>> '{idempotency,request_hash}', v_now, v_incident, v_triage)
    on conflict (key) do update set triage_id = excluded.triage_id
    where k.incident_id = excluded.incident_id and k.triage_id is null;
  end if;
  -- Resolved while it was being triaged: its memory holds the fix already, and must not lose it.
  if v_status <> 'resolved' and p ? 'memory' then
    -- The collection's row lock is taken last and held for the shortest time.
    v_outbox := public.enqueue_memory_write(p #>> '{memory,collection}', p #> '{memory,document}', v_now,
      (p #>> '{memory,claim_until}')::timestamptz);
  end if;
  return jsonb_build_object('outbox_id', v_outbox);
end $$;
comment on function public.finish_triage(jsonb) is
  'Stores a finished triage in one transaction: {now, incident, episode, episode_finish, triage, idempotency?: {key, request_hash}, memory?: {collection, document, claim_until}}. A triage that is stored already is left alone.';

create function public.resolve_incident(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_outbox bigint;
begin
  update public.incidents i
  set status = 'resolved', resolution = p ->> 'resolution', resolved_by = p ->> 'resolved_by', resolved_at = v_now
  where i.id = (p ->> 'incident_id')::uuid;
  if not found then
    return jsonb_build_object('state', 'not_found');
  end if;
  insert into public.incident_events (incident_id, at, kind, detail)
  values ((p ->> 'incident_id')::uuid, v_now, 'resolved',
    jsonb_build_object('resolution', p -> 'resolution', 'resolved_by', p -> 'resolved_by'));
  v_outbox := public.enqueue_memory_write(p #>> '{memory,collection}', p #> '{memory,document}', v_now,
    (p #>> '{memory,claim_until}')::timestamptz);
  return jsonb_build_object('state', 'resolved', 'outbox_id', v_outbox,
    'found', public.get_incident((p ->> 'incident_id')::uuid));
end $$;
comment on function public.resolve_incident(jsonb) is
  'Records what fixed an incident: {now, incident_id, resolution, resolved_by, memory: {collection, document, claim_until}}. A later resolution replaces the former; both stay in the timeline.';

create function public.get_incident(p_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'incident', to_jsonb(i),
    'events', coalesce((select jsonb_agg(to_jsonb(e) - 'incident_id' - 'id' order by e.at, e.id)
      from public.incident_events e where e.incident_id = i.id), '[]'),
    'triage', (select t.result from public.triages t where t.incident_id = i.id order by t.created_at desc limit 1))
  from public.incidents i where i.id = p_id;
$$;
comment on function public.get_incident(uuid) is 'An incident with its timeline and its latest triage; null when there is none.';

create function public.list_incidents(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null,
  p_domain text default null, p_status text default null, p_target text default null,
  p_severity text default null, p_session_id text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(i) - 'logs' from public.incidents i
  where (p_before_at is null or (i.created_at, i.id) < (p_before_at, p_before_id))
    and (p_domain is null or i.domain = p_domain)
    and (p_status is null or i.status = p_status)
    and (p_target is null or i.target = p_target)
    and (p_severity is null or i.severity = p_severity)
    and (p_session_id is null or i.session_id = p_session_id)
  order by i.created_at desc, i.id desc
  limit p_limit;
$$;
comment on function public.list_incidents(integer, timestamptz, uuid, text, text, text, text, text) is
  'Incidents without their logs, newest first, a page before (p_before_at, p_before_id).';

create function public.claim_outbox(p_now timestamptz, p_limit integer, p_lease_seconds integer) returns jsonb
language sql set search_path = '' as $$
  with due as (
    select o.id from public.outbox o where o.done_at is null and o.next_attempt_at <= p_now
    order by o.next_attempt_at, o.id limit p_limit for update skip locked
  ), claimed as (
    update public.outbox o
    set attempts = o.attempts + 1, next_attempt_at = p_now + p_lease_seconds * interval '1 second'
    from due where o.id = due.id
    returning o.id, o.collection, o.document_id, o.attempts
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', w.id, 'collection', w.collection, 'attempts', w.attempts,
    'document_id', w.document_id,
    'document', case when d.key is not null then public.document_json(d) end) order by w.id), '[]')
  from claimed w
  left join public.collections c on c.name = w.collection
  left join public.documents d on d.collection_id = c.id and d.id = w.document_id;
$$;
comment on function public.claim_outbox(timestamptz, integer, integer) is
  'Takes due memory writes for p_lease_seconds, with the documents to write as they are now; document is null where it is gone.';

create function public.complete_outbox(p_now timestamptz, p_done jsonb, p_fingerprint text) returns integer
language plpgsql set search_path = '' as $$
declare
  v_done integer;
begin
  -- A document that changed while it was being written stays owed and is due at once.
  with done as (
    select o.id, o.document_id, c.id as collection_id, d.hash
    from jsonb_to_recordset(p_done) as d (id bigint, hash text)
    join public.outbox o on o.id = d.id and o.done_at is null
    left join public.collections c on c.name = o.collection
  ), indexed as (
    update public.documents d set indexed_hash = done.hash, index_fingerprint = p_fingerprint
    from done where d.collection_id = done.collection_id and d.id = done.document_id
    returning d.collection_id, d.id, d.content_hash
  )
  update public.outbox o
  set done_at = case when i.id is null or i.content_hash = done.hash then p_now end,
    next_attempt_at = p_now, last_error = null
  from done left join indexed i on i.collection_id = done.collection_id and i.id = done.document_id
  where o.id = done.id;
  get diagnostics v_done = row_count;
  return v_done;
end $$;
comment on function public.complete_outbox(timestamptz, jsonb, text) is
  'Records memory writes that succeeded: p_done is [{id, hash}] with the content hash that was written.';

create function public.fail_outbox(p_failures jsonb) returns void
language sql set search_path = '' as $$
  update public.outbox o set last_error = f.error, next_attempt_at = f.next_attempt_at
  from jsonb_to_recordset(p_failures) as f (id bigint, error text, next_attempt_at timestamptz)
  where o.id = f.id and o.done_at is null;
$$;
comment on function public.fail_outbox(jsonb) is 'Records memory writes that failed: [{id, error, next_attempt_at}].';

create function public.server_version() returns text
language sql stable set search_path = '' as $$ select current_setting('server_version') $$;
comment on function public.server_version() is 'PostgreSQL''s version, for the readiness check.';
