-- Incidents that are stored now and investigated later: their way from the queue to an end. A message may come twice or
-- never; the row decides.

alter table public.incidents drop constraint incidents_status_check;
alter table public.incidents add constraint incidents_status_check
  check (status in ('queued', 'investigating', 'triaged', 'failed', 'resolved'));
-- An alert may end by itself: resolved, and nobody said what fixed it.
alter table public.incidents drop constraint incidents_check1;
alter table public.incidents add constraint incidents_resolution_check check (resolution is null or resolved_at is not null);
alter table public.incidents add column runbook text;
alter table public.incidents add column previous_id uuid references public.incidents (id) on delete set null;
alter table public.incidents add column guardrails jsonb not null default '{}';
alter table public.incidents add column queued_at timestamptz;
alter table public.incidents add column reported_by text;
create index incidents_queued on public.incidents (queued_at) where status = 'queued';
create index incidents_of_previous on public.incidents (previous_id) where previous_id is not null;
comment on column public.incidents.status is 'Where it stands; queued: stored, and nobody is at it.';
comment on column public.incidents.runbook is 'The runbook that its reporter attached, as a URL or a name.';
comment on column public.incidents.previous_id is 'The incident that the same alert opened before.';
comment on column public.incidents.guardrails is 'What was scrubbed of the report before it was stored: {lines_removed, redacted}.';
comment on column public.incidents.reported_by is 'The caller who reported it: a token''s id, or a fixed name such as "service", "slack" or "pagerduty"; null before callers were told apart.';
comment on column public.incidents.queued_at is 'Since when it waits for a run, or until when its next run has time; a sweep takes what waits too long.';

alter table public.incident_events drop constraint incident_events_kind_check;
alter table public.incident_events add constraint incident_events_kind_check
  check (kind in ('reported', 'attempt_failed', 'triaged', 'failed', 'resolved', 'alert_repeated', 'alert_joined', 'alert_resolved'));

create or replace function public.record_incident(p jsonb) returns void
language plpgsql set search_path = '' as $$
begin
  if exists (select 1 from public.audit_events a where a.kind = 'incident' and a.subject_id = p #>> '{incident,id}') then
    return; -- forgotten while it was being investigated, or about to be again
  end if;
  with incident as (
    insert into public.incidents (id, created_at, title, question, target, severity, labels, logs, session_id, domain,
      domain_rule, incident_type, incident_type_rule, runbook, reported_by, status, intake)
    select i.id, i.created_at, i.title, i.question, i.target, i.severity, i.labels, i.logs, i.session_id, i.domain,
      i.domain_rule, i.incident_type, i.incident_type_rule, i.runbook, i.reported_by, 'investigating', coalesce(i.intake, 'direct')
    from jsonb_populate_record(null::public.incidents, p -> 'incident') i
    on conflict (id) do nothing
    returning id, created_at
  ), event as (
    insert into public.incident_events (incident_id, at, kind) select id, created_at, 'reported' from incident
  )
  insert into public.episodes (run_id, session_id, started_at, query, incident_id)
  select e.run_id, e.session_id, e.started_at, e.query, (p #>> '{incident,id}')::uuid
  from jsonb_populate_record(null::public.episodes, p -> 'episode') e
  on conflict (run_id) do nothing;
end $$;

create function public.queue_incident(p_incident jsonb, p_now timestamptz, p_detail jsonb default '{}') returns void
language sql set search_path = '' as $$
  with incident as (
    insert into public.incidents (id, created_at, title, question, target, severity, labels, logs, session_id, domain,
      domain_rule, incident_type, incident_type_rule, runbook, reported_by, previous_id, guardrails, status, intake, queued_at)
    select i.id, i.created_at, i.title, i.question, i.target, i.severity, i.labels, i.logs, i.session_id, i.domain,
      i.domain_rule, i.incident_type, i.incident_type_rule, i.runbook, i.reported_by, i.previous_id, coalesce(i.guardrails, '{}'), 'queued', 'queue', p_now
    from jsonb_populate_record(null::public.incidents, p_incident) i
    on conflict (id) do nothing
    returning id, created_at
  )
  insert into public.incident_events (incident_id, at, kind, detail) select id, created_at, 'reported', p_detail from incident;
$$;
comment on function public.queue_incident(jsonb, timestamptz, jsonb) is 'Stores an incident that is to be investigated later.';

create function public.accept_incident(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_key text := p #>> '{idempotency,key}';
  v_incident uuid := (p #>> '{incident,id}')::uuid;
  v_known public.idempotency_keys;
begin
  if v_key is not null then
    insert into public.idempotency_keys (key, request_hash, started_at, incident_id)
    values (v_key, p #>> '{idempotency,request_hash}', (p ->> 'now')::timestamptz, v_incident)
    on conflict (key) do nothing;
    if not found then
      select * into v_known from public.idempotency_keys k where k.key = v_key;
      if v_known.request_hash is distinct from p #>> '{idempotency,request_hash}' then
        return jsonb_build_object('state', 'mismatch');
      elsif exists (select 1 from public.incidents i where i.id = v_known.incident_id) then
        return jsonb_build_object('state', 'known', 'incident',
          (select to_jsonb(i) - 'logs' from public.incidents i where i.id = v_known.incident_id));
      end if;
      -- What it stood for was forgotten.
      update public.idempotency_keys k set incident_id = v_incident where k.key = v_key;
    end if;
  end if;
  perform public.queue_incident(p -> 'incident', (p ->> 'now')::timestamptz);
  return jsonb_build_object('state', 'queued');
end $$;
comment on function public.accept_incident(jsonb) is
  'Stores an incident for later: {now, incident, idempotency?: {key, request_hash}}. Answers queued; or for a key that is known known (with the incident it stands for) or mismatch, and nothing is stored. May be repeated.';

create function public.last_failure(p_incident_id uuid) returns text
language sql stable set search_path = '' as $$
  select e.detail ->> 'reason' from public.incident_events e
  where e.incident_id = p_incident_id and e.kind = 'attempt_failed' order by e.at desc, e.id desc limit 1;
$$;
comment on function public.last_failure(uuid) is 'Why the last run of an incident came to nothing; null where none did.';

create function public.fail_incident(p_incident_id uuid, p_reason text, p_now timestamptz) returns boolean
language plpgsql set search_path = '' as $$
begin
  update public.incidents i set status = 'failed' where i.id = p_incident_id and i.status = 'queued';
  if not found then
    return false; -- answered, being investigated, or gone
  end if;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (p_incident_id, p_now, 'failed', jsonb_build_object('reason', coalesce(public.last_failure(p_incident_id), p_reason),
    'attempts', (select count(*) from public.episodes e where e.incident_id = p_incident_id)));
  return true;
end $$;
comment on function public.fail_incident(uuid, text, timestamptz) is
  'Ends an incident that waits for a run in vain, with the reason of its last run, or p_reason where it had none; false where it does not wait.';

create function public.start_run(p_incident public.incidents, p_run_id uuid, p_now timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
begin
  insert into public.episodes (run_id, session_id, started_at, query, incident_id)
  values (p_run_id, p_incident.session_id, p_now, coalesce(p_incident.question, p_incident.title), p_incident.id);
  update public.incidents i set status = 'investigating' where i.id = p_incident.id;
  return jsonb_build_object('run_id', p_run_id, 'incident', to_jsonb(p_incident),
    'attempt', (select count(*) from public.episodes e where e.incident_id = p_incident.id));
end $$;
comment on function public.start_run(public.incidents, uuid, timestamptz) is
  'Begins a run of an incident that the caller has locked: {run_id, incident, attempt}. Whoever was given it and dies is swept in turn.';

create function public.claim_incident(p_incident_id uuid, p_run_id uuid, p_now timestamptz, p_max_attempts integer) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_incident public.incidents;
begin
  select * into v_incident from public.incidents i where i.id = p_incident_id for update;
  if not found then
    return jsonb_build_object('state', 'gone');
  elsif v_incident.status <> 'queued' then
    -- A run that died without a word is the sweep's.
    return jsonb_build_object('state', case when v_incident.status = 'investigating' then 'running' else 'done' end);
  elsif (select count(*) from public.episodes e where e.incident_id = p_incident_id) >= p_max_attempts then
    perform public.fail_incident(p_incident_id, 'attempts_exhausted', p_now);
    return jsonb_build_object('state', 'done');
  end if;
  return jsonb_build_object('state', 'claimed', 'run', public.start_run(v_incident, p_run_id, p_now));
end $$;
comment on function public.claim_incident(uuid, uuid, timestamptz, integer) is
  'Takes an incident that waits: claimed (with the run, begun: {run_id, incident, attempt}), running, done or gone. Of any number of callers one is given it.';

create function public.release_run(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_incident uuid := (p ->> 'incident_id')::uuid;
  v_attempts integer;
  v_is_open boolean;
begin
  perform 1 from public.incidents i where i.id = v_incident and i.status = 'investigating' for update;
  v_is_open := found;
  perform public.finish_episode(p -> 'episode_finish');
  perform public.record_model_usage(jsonb_build_object('run_id', p #> '{episode_finish,run_id}', 'incident_id', v_incident,
    'at', p -> 'now', 'usage', p -> 'usage'));
  if not v_is_open then
    return jsonb_build_object('state', 'ended');
  end if;
  select count(*) into v_attempts from public.episodes e where e.incident_id = v_incident;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (v_incident, v_now, 'attempt_failed', jsonb_build_object('reason', p -> 'reason', 'attempt', v_attempts));
  update public.incidents i set status = 'queued', queued_at = (p ->> 'again_at')::timestamptz where i.id = v_incident;
  if v_attempts >= (p ->> 'max_attempts')::integer then
    perform public.fail_incident(v_incident, p ->> 'reason', v_now);
    return jsonb_build_object('state', 'failed', 'attempts', v_attempts);
  end if;
  return jsonb_build_object('state', 'queued', 'attempts', v_attempts);
end $$;
comment on function public.release_run(jsonb) is
  'Closes a run that came to nothing and lets its incident wait for the next, or end where it had max_attempts: {now, incident_id, reason, again_at, max_attempts, episode_finish, usage}. Answers queued or failed with the number of runs, or ended where another has ended it.';

create or replace function public.sweep_episodes(
  p_now timestamptz, p_started_before timestamptz, p_limit integer, p_retry_limit integer, p_max_attempts integer
) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_run record;
  v_incident public.incidents;
  v_is_free boolean;
  v_attempts integer;
  v_closed integer := 0;
  v_failed integer := 0;
  v_retries jsonb := '[]';
begin
  for v_run in
    select e.run_id, e.incident_id from public.episodes e
    where e.finished_at is null and e.started_at < p_started_before
    order by e.started_at limit p_limit for update skip locked
  loop
    -- Whoever holds the incident is about to finish this very run; waiting for each other would end in a deadlock.
    select * into v_incident from public.incidents i where i.id = v_run.incident_id for update skip locked;
    v_is_free := found;
    continue when not v_is_free and v_run.incident_id is not null;
    -- Given out is only what its taker begins at once: the clock of the next run starts here.
    continue when v_is_free and v_incident.intake = 'queue' and v_incident.status = 'investigating'
      and jsonb_array_length(v_retries) >= p_retry_limit;
    update public.episodes e
    set finished_at = p_now, injection_blocked = false, retrieval_hit_count = 0, memory_hit_count = 0, initial_confidence = 0,
      reflected = false, final_confidence = 0, final_answer = ''
    where e.run_id = v_run.run_id;
    v_closed := v_closed + 1;
    -- Another run may be at it, or the incident may be answered by now.
    continue when not v_is_free or v_incident.status <> 'investigating' or exists (
      select 1 from public.episodes e where e.incident_id = v_incident.id and e.finished_at is null);
    select count(*) into v_attempts from public.episodes e where e.incident_id = v_incident.id;
    if v_incident.intake = 'queue' and v_attempts < p_max_attempts then
      v_retries := v_retries || public.start_run(v_incident, gen_random_uuid(), p_now);
    else
      delete from public.idempotency_keys k
      where k.incident_id = v_incident.id and k.triage_id is null and v_incident.intake = 'direct';
      update public.incidents i set status = 'failed' where i.id = v_incident.id;
      insert into public.incident_events (incident_id, at, kind, detail)
      values (v_incident.id, p_now, 'failed', jsonb_build_object('reason', 'abandoned', 'attempts', v_attempts));
      v_failed := v_failed + 1;
    end if;
  end loop;
  -- What waits so long was lost on the way, or its queue is behind.
  for v_incident in
    select * from public.incidents i where i.status = 'queued' and i.queued_at < p_started_before
    order by i.queued_at limit p_retry_limit - jsonb_array_length(v_retries) for update skip locked
  loop
    if (select count(*) from public.episodes e where e.incident_id = v_incident.id) >= p_max_attempts then
      perform public.fail_incident(v_incident.id, 'attempts_exhausted', p_now);
      v_failed := v_failed + 1;
    else
      v_retries := v_retries || public.start_run(v_incident, gen_random_uuid(), p_now);
    end if;
  end loop;
  return jsonb_build_object('closed', v_closed, 'failed', v_failed, 'retries', v_retries);
end $$;
comment on function public.sweep_episodes(timestamptz, timestamptz, integer, integer, integer) is
  'Closes runs that began before p_started_before and never ended, and finds incidents that have waited since: {closed, failed, retries: [{run_id, incident, attempt}]}. An incident of the queue is given out again, with the start of its next run written, until it had p_max_attempts runs, p_retry_limit of them at a time; any other has failed.';

create or replace function public.finish_triage(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_incident uuid := (p #>> '{incident,id}')::uuid;
  v_triage uuid := (p #>> '{triage,id}')::uuid;
  v_is_fixed boolean;
  v_owed jsonb := '[]';
begin
  -- Whoever is forgetting the incident holds its row; only after that can the mark be seen.
  perform 1 from public.incidents i where i.id = v_incident for update;
  if exists (select 1 from public.audit_events a where a.kind = 'incident' and a.subject_id = v_incident::text) then
    return jsonb_build_object('owed', v_owed); -- forgotten while it was being investigated
  end if;
  perform public.record_incident(p);
  select i.resolution is not null into strict v_is_fixed from public.incidents i where i.id = v_incident for update;
  if exists (select 1 from public.triages t where t.id = v_triage) then
    return jsonb_build_object('owed', v_owed); -- a repeated call whose first reply was lost
  end if;
  -- Domain and type were told from cues when it was reported; the investigation may know better.
  update public.incidents i
  set status = case when i.resolved_at is null then 'triaged' else i.status end,
    domain = p #>> '{incident,domain}', domain_rule = p #>> '{incident,domain_rule}',
    incident_type = p #>> '{incident,incident_type}', incident_type_rule = p #>> '{incident,incident_type_rule}',
    benign = p #>> '{triage,outcome}' = 'benign'
  where i.id = v_incident and not v_is_fixed;
  insert into public.triages (id, incident_id, created_at, mode, outcome, confidence, result, model, prompt_version, recalled_ids)
  select t.id, v_incident, v_now, t.mode, t.outcome, t.confidence, t.result, t.model, t.prompt_version,
    public.recalled_ids(t.result)
  from jsonb_populate_record(null::public.triages, p -> 'triage') t;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (v_incident, v_now, 'triaged', jsonb_build_object('triage_id', v_triage, 'mode', p #> '{triage,mode}',
    'outcome', p #> '{triage,outcome}', 'confidence', p #> '{triage,confidence}'));
  perform public.finish_episode((p -> 'episode') || (p -> 'episode_finish'));
  perform public.record_model_usage(jsonb_build_object('run_id', p #> '{episode,run_id}', 'incident_id', v_incident,
    'at', p -> 'now', 'usage', p -> 'usage'));
  if (p #>> '{idempotency,released}')::boolean then
    delete from public.idempotency_keys k
    where k.key = p #>> '{idempotency,key}' and k.incident_id = v_incident and k.triage_id is null;
  elsif p ? 'idempotency' then
    insert into public.idempotency_keys as k (key, request_hash, started_at, incident_id, triage_id)
    values (p #>> '{idempotency,key}', p #>> '{idempotency,request_hash}', v_now, v_incident, v_triage)
    on conflict (key) do update set triage_id = excluded.triage_id
    where k.incident_id = excluded.incident_id and k.triage_id is null;
  end if;
  -- The collections' row locks are taken last and held for the shortest time. Fixed while it was being triaged: the
  -- record holds the fix already, and must not lose it.
  if p ? 'observation' and not v_is_fixed then
    v_owed := v_owed || public.record_observation(p -> 'observation', v_now, v_claim_until);
  end if;
  if p ? 'memory' then
    v_owed := v_owed || public.record_memory(p -> 'memory', v_now, v_claim_until);
  end if;
  if p ? 'procedure' then
    v_owed := v_owed || public.record_procedure(p -> 'procedure', v_now, v_claim_until);
  end if;
  return jsonb_build_object('owed', v_owed);
end $$;

create function public.runbook_sections(p_collection text, p_names text[]) returns jsonb
language sql stable set search_path = '' as $$
  with known as (
    select d.source, min(case
        when lower(regexp_replace(d.source, '\.md$', '')) = n.name then n.place
        when lower(regexp_replace(d.source, '^.*/|\.md$', '', 'g')) = n.name then n.place
      end) as place
    from public.collections c
    join public.documents d on d.collection_id = c.id and d.source is not null
    cross join unnest(p_names) with ordinality as n (name, place)
    where c.name = p_collection
    group by d.source
  )
  select coalesce(jsonb_agg(public.document_json(d) order by d.chunk_index), '[]')
  from public.collections c
  join public.documents d on d.collection_id = c.id
  where c.name = p_collection
    and d.source = (select k.source from known k where k.place is not null order by k.place, k.source limit 1);
$$;
comment on function public.runbook_sections(text, text[]) is
  'All sections of the runbook that one of these names stands for, the first that is known; names are lower-case sources without .md, or their last part.';

revoke all on all functions in schema public from public, anon, authenticated;
grant execute on all functions in schema public to service_role;
