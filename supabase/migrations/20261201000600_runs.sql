-- Investigation runs, from the request or the queue to their end. A queue message may be delivered twice or never; the row
-- of the incident decides.

create function public.start_run(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_key text := p #>> '{idempotency,key}';
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_incident uuid := (p #>> '{incident,id}')::uuid;
  v_key_row public.idempotency_keys;
begin
  if v_key is not null then
    insert into public.idempotency_keys (key, request_hash, started_at, incident_id)
    values (v_key, p #>> '{idempotency,request_hash}', v_now, v_incident)
    on conflict (key) do nothing;
    if not found then
      select * into v_key_row from public.idempotency_keys k where k.key = v_key for update;
      if not found then
        return jsonb_build_object('state', 'in_progress'); -- released concurrently
      elsif v_key_row.request_hash <> p #>> '{idempotency,request_hash}' then
        return jsonb_build_object('state', 'mismatch');
      elsif v_key_row.triage_id is not null then
        return jsonb_build_object('state', 'replayed',
          'result', (select t.result from public.triages t where t.id = v_key_row.triage_id));
      elsif v_key_row.incident_id <> v_incident and v_key_row.started_at > v_now - (p #>> '{idempotency,lease_seconds}')::integer * interval '1 second' then
        return jsonb_build_object('state', 'in_progress');
      end if;
      update public.idempotency_keys k set started_at = v_now, incident_id = v_incident where k.key = v_key;
    end if;
  end if;
  perform public.insert_run(p);
  return jsonb_build_object('state', 'started',
    'turns', public.session_turns(p #>> '{run,session_id}', (p #>> '{run,run_id}')::uuid, (p ->> 'turn_limit')::integer),
    'past_answers', public.session_past_answers(p #>> '{run,session_id}', (p ->> 'past_answer_limit')::integer),
    'tokens_today', (select coalesce(sum(u.input_tokens + u.output_tokens), 0) from public.model_usage u
      where u.at >= date_trunc('day', v_now, 'UTC')));
end $$;
comment on function public.start_run(jsonb) is
  'Starts an investigation run: {now, incident, run, turn_limit, past_answer_limit, idempotency?: {key, request_hash, lease_seconds}}. Returns state started with the session''s last turns, the ids of its newest past answers and the tokens used today. If another incident holds the key, returns replayed (with the first result), in_progress or mismatch, and stores nothing. Idempotent.';

create function public.enqueue_incident(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_key text := p #>> '{idempotency,key}';
  v_incident uuid := (p #>> '{incident,id}')::uuid;
  v_key_row public.idempotency_keys;
begin
  if v_key is not null then
    insert into public.idempotency_keys (key, request_hash, started_at, incident_id)
    values (v_key, p #>> '{idempotency,request_hash}', (p ->> 'now')::timestamptz, v_incident)
    on conflict (key) do nothing;
    if not found then
      select * into v_key_row from public.idempotency_keys k where k.key = v_key;
      if v_key_row.request_hash is distinct from p #>> '{idempotency,request_hash}' then
        return jsonb_build_object('state', 'mismatch');
      elsif exists (select 1 from public.incidents i where i.id = v_key_row.incident_id) then
        return jsonb_build_object('state', 'known', 'incident',
          (select to_jsonb(i) - 'logs' from public.incidents i where i.id = v_key_row.incident_id));
      end if;
      -- The incident of this key was deleted.
      update public.idempotency_keys k set incident_id = v_incident where k.key = v_key;
    end if;
  end if;
  perform public.insert_queued_incident(p -> 'incident', (p ->> 'now')::timestamptz);
  return jsonb_build_object('state', 'queued');
end $$;
comment on function public.enqueue_incident(jsonb) is
  'Stores an incident for later: {now, incident, idempotency?: {key, request_hash}}. Returns state queued. For an existing key returns known (with its incident) or mismatch, and stores nothing. Idempotent.';

create function public.start_queued_run(p_incident public.incidents, p_run_id uuid, p_now timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
begin
  insert into public.runs (run_id, session_id, started_at, query, incident_id)
  values (p_run_id, p_incident.session_id, p_now, coalesce(p_incident.question, p_incident.title), p_incident.id);
  update public.incidents i set status = 'investigating' where i.id = p_incident.id;
  return jsonb_build_object('run_id', p_run_id, 'incident', to_jsonb(p_incident), 'alerts', public.grouped_alerts(p_incident.id),
    'attempt', (select count(*) from public.runs r where r.incident_id = p_incident.id));
end $$;
comment on function public.start_queued_run(public.incidents, uuid, timestamptz) is
  'Starts a run of an incident that the caller has locked: {run_id, incident, alerts: {total, firing, targets}, attempt}. If the caller dies, recover_stuck_runs finds the run.';

create function public.last_failure_reason(p_incident_id uuid) returns text
language sql stable set search_path = '' as $$
  select e.detail ->> 'reason' from public.incident_events e
  where e.incident_id = p_incident_id and e.kind = 'attempt_failed' order by e.at desc, e.id desc limit 1;
$$;
comment on function public.last_failure_reason(uuid) is 'Why the last run of an incident failed; null if none did.';

create function public.fail_incident(p_incident_id uuid, p_reason text, p_now timestamptz) returns boolean
language plpgsql set search_path = '' as $$
begin
  update public.incidents i set status = 'failed' where i.id = p_incident_id and i.status = 'queued';
  if not found then
    return false; -- answered, being investigated, or deleted
  end if;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (p_incident_id, p_now, 'failed', jsonb_build_object('reason', coalesce(public.last_failure_reason(p_incident_id), p_reason),
    'attempts', (select count(*) from public.runs r where r.incident_id = p_incident_id)));
  return true;
end $$;
comment on function public.fail_incident(uuid, text, timestamptz) is
  'Marks a queued incident as failed, with the reason of its last run, or p_reason if it had none; false if it is not queued.';

create function public.claim_incident(p_incident_id uuid, p_run_id uuid, p_now timestamptz, p_max_attempts integer) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_incident public.incidents;
begin
  select * into v_incident from public.incidents i where i.id = p_incident_id for update;
  if not found then
    return jsonb_build_object('state', 'gone');
  elsif v_incident.status <> 'queued' then
    -- recover_stuck_runs handles a run that died.
    return jsonb_build_object('state', case when v_incident.status = 'investigating' then 'running' else 'done' end);
  elsif (select count(*) from public.runs r where r.incident_id = p_incident_id) >= p_max_attempts then
    perform public.fail_incident(p_incident_id, 'attempts_exhausted', p_now);
    return jsonb_build_object('state', 'done');
  end if;
  return jsonb_build_object('state', 'claimed', 'run', public.start_queued_run(v_incident, p_run_id, p_now));
end $$;
comment on function public.claim_incident(uuid, uuid, timestamptz, integer) is
  'Claims a queued incident. Returns state claimed (with the started run: {run_id, incident, attempt}), running, done or gone. Of concurrent callers, one gets it.';

create function public.requeue_run(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_incident uuid := (p ->> 'incident_id')::uuid;
  v_attempts integer;
  v_is_open boolean;
begin
  perform 1 from public.incidents i where i.id = v_incident and i.status = 'investigating' for update;
  v_is_open := found;
  perform public.close_run(p -> 'run_finish');
  perform public.record_model_usage(jsonb_build_object('run_id', p #> '{run_finish,run_id}', 'incident_id', v_incident,
    'at', p -> 'now', 'usage', p -> 'usage'));
  if not v_is_open then
    return jsonb_build_object('state', 'ended');
  end if;
  select count(*) into v_attempts from public.runs r where r.incident_id = v_incident;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (v_incident, v_now, 'attempt_failed', jsonb_build_object('reason', p -> 'reason', 'attempt', v_attempts));
  update public.incidents i set status = 'queued', queued_at = (p ->> 'again_at')::timestamptz where i.id = v_incident;
  if v_attempts >= (p ->> 'max_attempts')::integer then
    perform public.fail_incident(v_incident, p ->> 'reason', v_now);
    return jsonb_build_object('state', 'failed', 'attempts', v_attempts);
  end if;
  return jsonb_build_object('state', 'queued', 'attempts', v_attempts);
end $$;
comment on function public.requeue_run(jsonb) is
  'Closes a failed run and queues its incident again, or fails it after max_attempts: {now, incident_id, reason, again_at, max_attempts, run_finish, usage}. Returns state queued or failed with the number of attempts, or ended if the incident has already ended.';

create function public.abandon_run(p jsonb) returns void
language plpgsql set search_path = '' as $$
declare
  v_incident uuid := (p ->> 'incident_id')::uuid;
begin
  perform public.close_run(p -> 'run_finish');
  perform public.record_model_usage(jsonb_build_object('run_id', p #> '{run_finish,run_id}', 'incident_id', v_incident,
    'at', p -> 'now', 'usage', p -> 'usage'));
  delete from public.idempotency_keys k
  where k.key = p ->> 'idempotency_key' and k.incident_id = v_incident and k.triage_id is null;
  update public.incidents i set status = 'failed' where i.id = v_incident and i.status = 'investigating';
  if found then
    insert into public.incident_events (incident_id, at, kind, detail)
    values (v_incident, (p ->> 'now')::timestamptz, 'failed', jsonb_build_object('reason', p -> 'reason'));
  end if;
end $$;
comment on function public.abandon_run(jsonb) is
  'Closes a failed run that is not retried, and releases its idempotency key: {now, incident_id, reason, idempotency_key?, run_finish, usage}.';

create function public.recover_stuck_runs(
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
    select r.run_id, r.incident_id from public.runs r
    where r.finished_at is null and r.started_at < p_started_before
    order by r.started_at limit p_limit for update skip locked
  loop
    -- The holder of the incident's lock is about to finish this run. Waiting for it would deadlock.
    select * into v_incident from public.incidents i where i.id = v_run.incident_id for update skip locked;
    v_is_free := found;
    continue when not v_is_free and v_run.incident_id is not null;
    -- Return only as many retries as the caller starts at once: the timeout of the next run starts here.
    continue when v_is_free and v_incident.submitted_via = 'queue' and v_incident.status = 'investigating'
      and jsonb_array_length(v_retries) >= p_retry_limit;
    update public.runs r
    set finished_at = p_now, injection_blocked = false, retrieval_hit_count = 0, memory_hit_count = 0, initial_confidence = 0,
      reflected = false, final_confidence = 0, final_answer = ''
    where r.run_id = v_run.run_id;
    v_closed := v_closed + 1;
    -- Another run may be active, or the incident may be answered already.
    continue when not v_is_free or v_incident.status <> 'investigating' or exists (
      select 1 from public.runs r where r.incident_id = v_incident.id and r.finished_at is null);
    select count(*) into v_attempts from public.runs r where r.incident_id = v_incident.id;
    if v_incident.submitted_via = 'queue' and v_attempts < p_max_attempts then
      v_retries := v_retries || public.start_queued_run(v_incident, gen_random_uuid(), p_now);
    else
      delete from public.idempotency_keys k
      where k.incident_id = v_incident.id and k.triage_id is null and v_incident.submitted_via = 'direct';
      update public.incidents i set status = 'failed' where i.id = v_incident.id;
      insert into public.incident_events (incident_id, at, kind, detail)
      values (v_incident.id, p_now, 'failed', jsonb_build_object('reason', 'abandoned', 'attempts', v_attempts));
      v_failed := v_failed + 1;
    end if;
  end loop;
  -- An incident that waited this long was lost in the queue, or the queue is behind.
  for v_incident in
    select * from public.incidents i where i.status = 'queued' and i.queued_at < p_started_before
    order by i.queued_at limit p_retry_limit - jsonb_array_length(v_retries) for update skip locked
  loop
    if (select count(*) from public.runs r where r.incident_id = v_incident.id) >= p_max_attempts then
      perform public.fail_incident(v_incident.id, 'attempts_exhausted', p_now);
      v_failed := v_failed + 1;
    else
      v_retries := v_retries || public.start_queued_run(v_incident, gen_random_uuid(), p_now);
    end if;
  end loop;
  return jsonb_build_object('closed', v_closed, 'failed', v_failed, 'retries', v_retries);
end $$;
comment on function public.recover_stuck_runs(timestamptz, timestamptz, integer, integer, integer) is
  'Closes runs that started before p_started_before and never ended, and finds incidents queued since then: {closed, failed, retries: [{run_id, incident, attempt}]}. A queued incident is retried, with its next run already started, until it had p_max_attempts runs, p_retry_limit of them per call. Any other fails.';

create function public.finish_run(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_incident uuid := (p #>> '{incident,id}')::uuid;
  v_triage uuid := (p #>> '{triage,id}')::uuid;
  v_is_resolved boolean;
  v_pending jsonb := '[]';
begin
  -- A concurrent deletion of the incident holds its row lock. Its audit event is visible only after this lock.
  perform 1 from public.incidents i where i.id = v_incident for update;
  if exists (select 1 from public.audit_events a where a.kind = 'incident' and a.subject_id = v_incident::text) then
    return jsonb_build_object('pending', v_pending); -- deleted during the investigation
  end if;
  perform public.insert_run(p);
  select i.resolution is not null into strict v_is_resolved from public.incidents i where i.id = v_incident for update;
  if exists (select 1 from public.triages t where t.id = v_triage) then
    return jsonb_build_object('pending', v_pending); -- a repeated call: the first response was lost
  end if;
  -- Domain and type were classified from keywords at submission; the investigation may correct them.
  update public.incidents i
  set status = case when i.resolved_at is null then 'triaged' else i.status end,
    domain = p #>> '{incident,domain}', domain_rule = p #>> '{incident,domain_rule}',
    incident_type = p #>> '{incident,incident_type}', incident_type_rule = p #>> '{incident,incident_type_rule}',
    benign = p #>> '{triage,outcome}' = 'benign'
  where i.id = v_incident and not v_is_resolved;
  insert into public.triages (id, incident_id, created_at, mode, outcome, confidence, result, model, prompt_version, recalled_ids)
  select t.id, v_incident, v_now, t.mode, t.outcome, t.confidence, t.result, t.model, t.prompt_version,
    public.recalled_ids(t.result)
  from jsonb_populate_record(null::public.triages, p -> 'triage') t;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (v_incident, v_now, 'triaged', jsonb_build_object('triage_id', v_triage, 'mode', p #> '{triage,mode}',
    'outcome', p #> '{triage,outcome}', 'confidence', p #> '{triage,confidence}'));
  perform public.close_run((p -> 'run') || (p -> 'run_finish'));
  perform public.record_model_usage(jsonb_build_object('run_id', p #> '{run,run_id}', 'incident_id', v_incident,
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
  -- Collection row locks come last, so that they are held shortest. If the incident was resolved during the run, its
  -- observation already holds the fix and must not be replaced.
  if p ? 'observation' and not v_is_resolved then
    v_pending := v_pending || public.record_observation(p -> 'observation', v_now, v_claim_until);
  end if;
  if p ? 'past_answer' then
    v_pending := v_pending || public.record_past_answer(p -> 'past_answer', v_now, v_claim_until);
  end if;
  if p ? 'procedure' then
    v_pending := v_pending || public.record_procedure(p -> 'procedure', v_now, v_claim_until);
  end if;
  return jsonb_build_object('pending', v_pending);
end $$;
comment on function public.finish_run(jsonb) is
  'Stores a finished triage and its memory updates in one transaction: {now, claim_until, incident, run, run_finish, usage, triage, idempotency?: {key, request_hash, released?}, observation?, past_answer?, procedure?}. Does nothing for a stored triage. Returns {pending}: the outbox entries, claimed by the caller.';

call public.restrict_to_service_role();
