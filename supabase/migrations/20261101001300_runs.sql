-- Investigation runs, from the request or the queue to their end. A queue message may be delivered twice or never; the row
-- of the incident decides.

-- The lease of an idempotency key, which the living run renews.

create function public.hold_idempotency_key(p_key jsonb, p_incident_id uuid, p_now timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_row public.idempotency_keys;
begin
  if p_key is null then
    return null;
  end if;
  insert into public.idempotency_keys (key, request_hash, started_at, incident_id)
  values (p_key ->> 'key', p_key ->> 'request_hash', p_now, p_incident_id)
  on conflict (key) do nothing;
  select * into v_row from public.idempotency_keys k where k.key = p_key ->> 'key' for update;
  if not found or v_row.incident_id = p_incident_id or v_row.request_hash <> p_key ->> 'request_hash' then
    -- A key of another body names another request: this one is stored without its key.
    return null;
  elsif v_row.triage_id is not null then
    return jsonb_build_object('state', 'replayed',
      'result', (select t.result from public.triages t where t.id = v_row.triage_id));
  elsif v_row.started_at > (p_key ->> 'expired_before')::timestamptz then
    return jsonb_build_object('state', 'in_progress');
  end if;
  update public.idempotency_keys k set started_at = p_now, incident_id = p_incident_id where k.key = v_row.key;
  return null;
end $$;
comment on function public.hold_idempotency_key(jsonb, uuid, timestamptz) is
  'Gives the key to the incident, unless a run of another incident holds it: {key, request_hash, expired_before}. Returns null if the caller may store its result, replayed with the stored result of the other run, or in_progress while the other run renews its lease. Called by finish_run.';

create function public.renew_idempotency_lease(p_key text, p_incident_id uuid, p_now timestamptz) returns boolean
language plpgsql set search_path = '' as $$
begin
  update public.idempotency_keys k set started_at = greatest(k.started_at, p_now)
  where k.key = p_key and k.incident_id = p_incident_id and k.triage_id is null;
  return found;
end $$;
comment on function public.renew_idempotency_lease(text, uuid, timestamptz) is
  'The run of this incident still works on the request of this key: a repeated request waits. False if the key is released, answered, or taken over by another run. Called by run-records.ts.';

-- Start and end.

create function public.insert_run(p jsonb) returns void
language plpgsql set search_path = '' as $$
begin
  if exists (select 1 from public.audit_events a where a.kind = 'incident' and a.subject_id = p #>> '{incident,id}') then
    return; -- deleted during the investigation
  end if;
  insert into public.incidents (id, created_at, title, question, target, severity, labels, logs, session_id, domain,
    domain_rule, incident_type, incident_type_rule, runbook, expression, reported_by, status, submitted_via)
  select i.id, i.created_at, i.title, i.question, i.target, i.severity, i.labels, i.logs, i.session_id, i.domain,
    i.domain_rule, i.incident_type, i.incident_type_rule, i.runbook, i.expression, i.reported_by, 'investigating', coalesce(i.submitted_via, 'direct')
  from jsonb_populate_record(null::public.incidents, p -> 'incident') i
  on conflict (id) do nothing;
  -- A statement of its own: the policies of runs and events see the incident only in later ones.
  if found then
    insert into public.incident_events (incident_id, at, kind)
    select i.id, i.created_at, 'reported' from public.incidents i where i.id = (p #>> '{incident,id}')::uuid;
  end if;
  insert into public.runs (run_id, session_id, started_at, query, incident_id)
  select r.run_id, r.session_id, r.started_at, r.query, (p #>> '{incident,id}')::uuid
  from jsonb_populate_record(null::public.runs, p -> 'run') r
  on conflict (run_id) do nothing;
end $$;
comment on function public.insert_run(jsonb) is
  'Stores the incident and the start of its run unless they exist: {incident, run}. Called by start_run and finish_run.';

create function public.record_model_usage(p jsonb) returns void
language sql set search_path = '' as $$
  insert into public.model_usage (run_id, incident_id, at, calls, input_tokens, cached_input_tokens, output_tokens, cost_usd)
  select (p ->> 'run_id')::uuid, i.id, (p ->> 'at')::timestamptz, u.calls, u.input_tokens, u.cached_input_tokens,
    u.output_tokens, u.cost_usd
  from jsonb_populate_record(null::public.model_usage, p -> 'usage') u
  left join public.incidents i on i.id = (p ->> 'incident_id')::uuid
  where u.calls > 0
  on conflict (run_id) do nothing;
$$;
comment on function public.record_model_usage(jsonb) is
  'Records the model usage of a run, once: {run_id, incident_id, at, usage: {calls, input_tokens, cached_input_tokens, output_tokens, cost_usd}}. Called by run-records.ts and close_run.';

create function public.close_run(p_run jsonb, p_incident_id uuid, p_now timestamptz, p_usage jsonb) returns void
language sql set search_path = '' as $$
  update public.runs r
  set finished_at = f.finished_at, injection_blocked = f.injection_blocked, retrieval_hit_count = f.retrieval_hit_count,
    memory_hit_count = f.memory_hit_count, initial_confidence = f.initial_confidence, reflected = f.reflected,
    final_confidence = f.final_confidence, final_answer = f.final_answer
  from jsonb_populate_record(null::public.runs, p_run) f
  where r.run_id = f.run_id and r.finished_at is null;
  select public.record_model_usage(jsonb_build_object('run_id', p_run -> 'run_id', 'incident_id', p_incident_id, 'at', p_now,
    'usage', p_usage));
$$;
comment on function public.close_run(jsonb, uuid, timestamptz, jsonb) is
  'Writes the end of a run and its model usage, once. Called by finish_run, abandon_run and requeue_run.';

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
      elsif v_key_row.incident_id <> v_incident then
        -- The run no longer renews its lease: its caller repeats the request, and its answer would not be stored.
        perform public.abandon_run(jsonb_build_object('now', v_now, 'incident_id', r.incident_id, 'reason', 'superseded', 'usage', '{"calls": 0}'::jsonb, 'run_finish',
          jsonb_build_object('run_id', r.run_id, 'finished_at', v_now, 'injection_blocked', false, 'retrieval_hit_count', 0,
            'memory_hit_count', 0, 'initial_confidence', 0, 'reflected', false, 'final_confidence', 0, 'final_answer', '')))
        from public.runs r where r.incident_id = v_key_row.incident_id and r.finished_at is null;
      end if;
      update public.idempotency_keys k set started_at = v_now, incident_id = v_incident where k.key = v_key;
    end if;
  end if;
  perform public.insert_run(p);
  return jsonb_build_object('state', 'started',
    'catalog', public.load_domains(p ->> 'domains_version'),
    'sources', public.load_evidence_sources(p ->> 'sources_version'),
    'surroundings', public.run_surroundings(p -> 'surroundings', p -> 'incident', v_now),
    'calibration', (select jsonb_build_object('slope', c.slope, 'intercept', c.intercept) from public.relevance_calibration c
      where c.model = p ->> 'relevance_model'),
    'attached', public.runbook_sections(
      array(select jsonb_array_elements_text(p -> 'runbook_names')), p #>> '{incident,domain}'),
    'turns', public.session_turns(p #>> '{run,session_id}', (p #>> '{run,run_id}')::uuid, (p ->> 'turn_limit')::integer),
    'past_answers', public.session_past_answers(p #>> '{run,session_id}', (p ->> 'past_answer_limit')::integer),
    'runbooks_loading', (select coalesce(max(s.created_at) > v_now - interval '30 seconds', true) from public.sources s where s.kind = 'runbook'),
    'tokens_today', (select coalesce(sum(u.input_tokens + u.output_tokens), 0) from public.model_usage u
      where u.at >= date_trunc('day', v_now, 'UTC')));
end $$;
comment on function public.start_run(jsonb) is
  'Starts an investigation run: {now, incident, run, turn_limit, past_answer_limit, domains_version, sources_version, surroundings: {names, scope, labels, storm_labels}, relevance_model, runbook_names, idempotency?: {key, request_hash, lease_seconds}}. Returns state started with the domains if domains_version is not current (catalog, see load_domains), the sources of evidence if sources_version is not (sources, see load_evidence_sources), changes and other alerts around the start of the incident (surroundings, see run_surroundings), the calibration of that relevance model (null for the default), the sections of the runbook of these names (attached), the session''s last turns, the ids of its newest past answers, whether there are no runbooks, or a new one came within the last seconds, so that more may follow (runbooks_loading), and the tokens used today. If another incident holds the key, returns replayed (with the first result), in_progress or mismatch, and stores nothing; if its lease has ended, its run is closed. Idempotent. Called by run-records.ts.';

create function public.finish_run(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_incident uuid := (p #>> '{incident,id}')::uuid;
  v_triage uuid := (p #>> '{triage,id}')::uuid;
  v_is_resolved boolean;
  v_is_closed boolean;
  v_shown uuid[] := '{}';
  v_record uuid;
  v_key_state jsonb;
  v_corrected record;
  v_path text[];
  v_pending jsonb := '[]';
begin
  -- A concurrent deletion of the incident holds its row lock. Its audit event is visible only after this lock.
  perform 1 from public.incidents i where i.id = v_incident for update;
  if exists (select 1 from public.audit_events a where a.kind = 'incident' and a.subject_id = v_incident::text) then
    return jsonb_build_object('pending', v_pending); -- deleted during the investigation
  end if;
  v_key_state := public.hold_idempotency_key(p -> 'idempotency', v_incident, v_now);
  if v_key_state is not null then
    return v_key_state || jsonb_build_object('pending', v_pending); -- another run has the key: of both, one is stored
  end if;
  perform public.insert_run(p);
  select i.resolution is not null,
    -- What is no incident closes itself, unless a person opened it again.
    i.resolved_at is null and p #>> '{triage,outcome}' = 'benign'
      and not exists (select 1 from public.incident_events e where e.incident_id = i.id and e.kind = 'reopened')
  into strict v_is_resolved, v_is_closed from public.incidents i where i.id = v_incident for update;
  if exists (select 1 from public.triages t where t.id = v_triage) then
    return jsonb_build_object('pending', v_pending); -- a repeated call: the first response was lost
  end if;
  -- A person may have corrected the domain during the run.
  select i.domain, i.domain_rule into v_corrected from public.incidents i where i.id = v_incident and i.domain_rule like 'corrected by %';
  if found then
    p := jsonb_set(p, '{incident,domain_rule}', to_jsonb(v_corrected.domain_rule));
    foreach v_path slice 1 in array array[array['incident', 'domain', null, null], array['observation', 'row', 'domain', null],
      array['observation', 'document', 'metadata', 'domain'], array['past_answer', 'domain', null, null],
      array['past_answer', 'metadata', 'domain', null], array['procedure', 'row', 'domain', null],
      array['procedure', 'row', 'metadata', 'domain']] loop
      p := jsonb_set(p, array_remove(v_path, null), to_jsonb(v_corrected.domain), false);
    end loop;
    -- The record that the report repeats stays in its domain: the report gets one of its own there.
    if exists (select from public.observations o where o.id = (p #>> '{observation,repeat_of}')::uuid and o.domain <> v_corrected.domain) then
      p := jsonb_set(p, '{observation}', (p -> 'observation') || '{"repeat_of": null, "replaces": null}'
        || jsonb_build_object('document', jsonb_set((p #> '{observation,document}') || jsonb_build_object('id', v_incident),
          '{metadata,incident_id}', to_jsonb(v_incident))));
    end if;
  end if;
  -- Domain and type were classified from keywords at submission; the investigation may correct them.
  update public.incidents i
  set status = case when v_is_closed then 'resolved' when i.resolved_at is null then 'triaged' else i.status end,
    resolved_at = case when v_is_closed then v_now else i.resolved_at end,
    domain = p #>> '{incident,domain}', domain_rule = p #>> '{incident,domain_rule}',
    incident_type = p #>> '{incident,incident_type}', incident_type_rule = p #>> '{incident,incident_type_rule}',
    answer_domain = case when p #>> '{triage,outcome}' = 'cause' and p #>> '{incident,domain_rule}' not like 'corrected by %' then (
      select s.domain from public.sources s
      where s.source = jsonb_path_query_first(p #> '{triage,result}', '$.sources[*] ? (@.kind == "runbook")') ->> 'source') end,
    benign = p #>> '{triage,outcome}' = 'benign'
  where i.id = v_incident and not v_is_resolved;
  insert into public.triages (id, incident_id, created_at, mode, outcome, confidence, result, recalled_ids)
  select t.id, v_incident, v_now, t.mode, t.outcome, t.confidence, t.result, public.recalled_ids(t.result)
  from jsonb_populate_record(null::public.triages, p -> 'triage') t;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (v_incident, v_now, 'triaged', jsonb_build_object('triage_id', v_triage, 'mode', p #> '{triage,mode}',
    'outcome', p #> '{triage,outcome}', 'confidence', p #> '{triage,confidence}'));
  if v_is_closed then
    insert into public.incident_events (incident_id, at, kind, detail) values (v_incident, v_now, 'resolved', '{"rule": "no incident"}');
  end if;
  perform public.close_run((p -> 'run') || (p -> 'run_finish'), v_incident, v_now, p -> 'usage');
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
  if not v_is_resolved then
    if p ? 'observation' then
      v_record := public.record_of_report(v_incident, p #>> '{observation,row,domain}', p #>> '{observation,row,fingerprint}',
        (p #>> '{observation,repeat_of}')::uuid);
    end if;
    -- Nobody acts on the answers to an evaluation.
    if not public.is_evaluation(p #> '{triage,result}') then
      v_shown := array(select jsonb_array_elements_text(p -> 'shown'))::uuid[];
    end if;
    perform public.lock_observations(v_shown || v_record);
    perform public.record_shown_memories(v_incident, v_shown);
    if p ? 'observation' then
      v_pending := v_pending || public.record_observation(p -> 'observation', v_now, v_claim_until);
    end if;
  end if;
  if p ? 'past_answer' then
    v_pending := v_pending || public.record_past_answer(p -> 'past_answer', v_now, v_claim_until);
  end if;
  if p ? 'procedure' then
    v_pending := v_pending || public.record_procedure(p -> 'procedure', v_now, v_claim_until);
  end if;
  return jsonb_build_object('pending', v_pending,
    'is_announced', exists (select from public.notification_outbox o where o.incident_id = v_incident));
end $$;
comment on function public.finish_run(jsonb) is
  'Stores a finished triage and its memory updates in one transaction: {now, claim_until, incident, run, run_finish, usage, triage, idempotency?: {key, request_hash, expired_before, released?}, observation?, past_answer?, procedure?, shown}. shown are the ids of the observations that the answer shows (see record_shown_memories). Does nothing for a stored triage. If another run holds the idempotency key, stores nothing and returns state replayed or in_progress (see hold_idempotency_key). Returns {pending, is_announced}: the outbox entries, claimed by the caller, and whether notification targets wait for the answer. Called by run-records.ts.';

create function public.abandon_run(p jsonb) returns void
language plpgsql set search_path = '' as $$
declare
  v_incident uuid := (p ->> 'incident_id')::uuid;
begin
  perform public.close_run(p -> 'run_finish', v_incident, (p ->> 'now')::timestamptz, p -> 'usage');
  delete from public.idempotency_keys k
  where k.key = p ->> 'idempotency_key' and k.incident_id = v_incident and k.triage_id is null;
  update public.incidents i set status = 'failed' where i.id = v_incident and i.status = 'investigating';
  if found then
    insert into public.incident_events (incident_id, at, kind, detail)
    values (v_incident, (p ->> 'now')::timestamptz, 'failed', jsonb_build_object('reason', p -> 'reason'));
  end if;
end $$;
comment on function public.abandon_run(jsonb) is
  'Closes a failed run that is not retried, and releases its idempotency key: {now, incident_id, reason, idempotency_key?, run_finish, usage}. Called by run-records.ts and start_run.';

-- The queue: turns between reporters, retries, and messages that are sent again.

create sequence public.reporter_turn_numbers;
create table public.reporter_turns (
  reporter text primary key,
  turn bigint not null
);
comment on table public.reporter_turns is 'The last turn of each reporter in the queue of incidents.';
comment on column public.reporter_turns.reporter is 'incidents.reported_by, or empty.';
comment on column public.reporter_turns.turn is 'Grows with each turn. The reporter with the smallest number is next.';

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
  'Starts a run of an incident that the caller has locked: {run_id, incident, alerts: {total, firing, targets}, attempt}. If the caller dies, release_stuck_runs finds the run. Called by claim_incident.';

create function public.fail_incident(p_incident_id uuid, p_reason text, p_now timestamptz) returns boolean
language plpgsql set search_path = '' as $$
begin
  update public.incidents i set status = 'failed' where i.id = p_incident_id and i.status = 'queued';
  if not found then
    return false; -- answered, being investigated, or deleted
  end if;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (p_incident_id, p_now, 'failed', jsonb_build_object('reason', coalesce((
      select e.detail ->> 'reason' from public.incident_events e
      where e.incident_id = p_incident_id and e.kind = 'attempt_failed' order by e.at desc, e.id desc limit 1), p_reason),
    'attempts', (select count(*) from public.runs r where r.incident_id = p_incident_id)));
  return true;
end $$;
comment on function public.fail_incident(uuid, text, timestamptz) is
  'Marks a queued incident as failed, with the reason of its last run, or p_reason if it had none; false if it is not queued. Called by incident-queue.ts, claim_incident and requeue_run.';

create function public.claim_incident(p_incident_id uuid, p_run_id uuid, p_now timestamptz, p_max_attempts integer) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_reporter text;
  v_incident public.incidents;
begin
  -- One caller at a time: concurrent callers would all choose the same reporter.
  perform pg_advisory_xact_lock(hashtextextended('turns of reporters', 0));
  for v_reporter in
    select w.reporter from (
      select coalesce(i.reported_by, '') as reporter, min(i.queued_at) as oldest from public.incidents i
      where i.status = 'queued' and i.queued_at <= p_now group by 1) w
    left join public.reporter_turns t on t.reporter = w.reporter
    order by t.turn nulls first, w.oldest
  loop
    loop
      select * into v_incident from public.incidents i
      where i.status = 'queued' and coalesce(i.reported_by, '') = v_reporter and i.queued_at <= p_now
      order by i.queued_at, i.created_at, i.id limit 1 for update skip locked;
      exit when not found;
      if (select count(*) from public.runs r where r.incident_id = v_incident.id) < p_max_attempts then
        insert into public.reporter_turns as t (reporter, turn) values (v_reporter, nextval('public.reporter_turn_numbers'))
        on conflict (reporter) do update set turn = excluded.turn;
        return jsonb_build_object('state', 'claimed', 'run', public.start_queued_run(v_incident, p_run_id, p_now));
      end if;
      perform public.fail_incident(v_incident.id, 'attempts_exhausted', p_now);
    end loop;
  end loop;
  -- No incident is due. The queue may deliver a message a little before the time of its incident.
  select * into v_incident from public.incidents i where i.id = p_incident_id for update;
  if not found then
    return jsonb_build_object('state', 'gone');
  elsif v_incident.status <> 'queued' then
    -- release_stuck_runs handles a run that died.
    return jsonb_build_object('state', case when v_incident.status = 'investigating' then 'running' else 'done' end);
  elsif (select count(*) from public.runs r where r.incident_id = p_incident_id) >= p_max_attempts then
    perform public.fail_incident(p_incident_id, 'attempts_exhausted', p_now);
    return jsonb_build_object('state', 'done');
  end if;
  return jsonb_build_object('state', 'claimed', 'run', public.start_queued_run(v_incident, p_run_id, p_now));
end $$;
comment on function public.claim_incident(uuid, uuid, timestamptz, integer) is
  'Claims a queued incident: the oldest one that is due, of the reporter whose last turn is longest ago; the given one if none is due. So a message of the queue is a permit for one run, and no reporter delays the others. Returns state claimed (with the started run: {run_id, incident, attempt}), running, done or gone. Of concurrent callers, one gets an incident. Called by incident-queue.ts.';

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
  perform public.close_run(p -> 'run_finish', v_incident, v_now, p -> 'usage');
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
  'Closes a failed run and queues its incident again, or fails it after max_attempts: {now, incident_id, reason, again_at, max_attempts, run_finish, usage}. Returns state queued or failed with the number of attempts, or ended if the incident has already ended. Called by incident-queue.ts.';

create function public.release_stuck_runs(
  p_now timestamptz, p_started_before timestamptz, p_limit integer, p_max_attempts integer
) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_run record;
  v_incident public.incidents;
  v_is_free boolean;
  v_attempts integer;
  v_closed integer := 0;
  v_failed integer := 0;
  v_waiting uuid[] := '{}';
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
      update public.incidents i set status = 'queued', queued_at = p_now, sent_at = p_now where i.id = v_incident.id;
      v_waiting := v_waiting || v_incident.id;
    else
      delete from public.idempotency_keys k
      where k.incident_id = v_incident.id and k.triage_id is null and v_incident.submitted_via = 'direct';
      update public.incidents i set status = 'failed' where i.id = v_incident.id;
      insert into public.incident_events (incident_id, at, kind, detail)
      values (v_incident.id, p_now, 'failed', jsonb_build_object('reason', 'abandoned', 'attempts', v_attempts));
      v_failed := v_failed + 1;
    end if;
  end loop;
  -- The message of an incident that waited this long was lost, or the queue is behind.
  with sent as (
    update public.incidents i set sent_at = p_now
    where i.id in (
      select w.id from public.incidents w
      where w.status = 'queued' and w.queued_at < p_started_before and coalesce(w.sent_at, w.queued_at) < p_started_before
      order by w.queued_at, w.id limit p_limit - cardinality(v_waiting) for update skip locked)
    returning i.id)
  select v_waiting || coalesce(array_agg(s.id), '{}') into v_waiting from sent s;
  return jsonb_build_object('closed', v_closed, 'failed', v_failed, 'waiting', to_jsonb(v_waiting));
end $$;
comment on function public.release_stuck_runs(timestamptz, timestamptz, integer, integer) is
  'Closes runs that started before p_started_before and never ended, at most p_limit. The incident of a queued report waits again until it had p_max_attempts runs; any other fails. Returns {closed, failed, waiting}: the ids of at most p_limit incidents whose messages the caller sends: those released, and those whose last message was sent before p_started_before. Called by stuck-runs.ts.';

call public.restrict_to_service_role();
