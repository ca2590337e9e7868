-- Writes that waited in the platform's queue while the database was unavailable, and the lease of an idempotency key,
-- which the living run renews.

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
  'Gives the key to the incident, unless a run of another incident holds it: {key, request_hash, expired_before}. Returns null if the caller may store its result, replayed with the stored result of the other run, or in_progress while the other run renews its lease.';

create function public.renew_idempotency_lease(p_key text, p_incident_id uuid, p_now timestamptz) returns boolean
language plpgsql set search_path = '' as $$
begin
  update public.idempotency_keys k set started_at = greatest(k.started_at, p_now)
  where k.key = p_key and k.incident_id = p_incident_id and k.triage_id is null;
  return found;
end $$;
comment on function public.renew_idempotency_lease(text, uuid, timestamptz) is
  'The run of this incident still works on the request of this key: a repeated request waits. False if the key is released, answered, or taken over by another run.';

comment on column public.idempotency_keys.started_at is 'When the run of this key last showed that it lives.';

create or replace function public.finish_run(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_incident uuid := (p #>> '{incident,id}')::uuid;
  v_triage uuid := (p #>> '{triage,id}')::uuid;
  v_is_resolved boolean;
  v_shown uuid[] := '{}';
  v_record uuid;
  v_key_state jsonb;
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
    perform public.record_shown_memories(v_incident, v_shown, v_record, (p ->> 'unhelpful_shows_limit')::integer, v_now);
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
  return jsonb_build_object('pending', v_pending);
end $$;
comment on function public.finish_run(jsonb) is
  'Stores a finished triage and its memory updates in one transaction: {now, claim_until, incident, run, run_finish, usage, triage, idempotency?: {key, request_hash, expired_before, released?}, observation?, past_answer?, procedure?, shown, unhelpful_shows_limit}. shown are the ids of the observations that the answer shows (see record_shown_memories). Does nothing for a stored triage. If another run holds the idempotency key, stores nothing and returns state replayed or in_progress (see hold_idempotency_key). Returns {pending}: the outbox entries, claimed by the caller.';

create function public.store_buffered_alerts(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_ended jsonb;
  v_result jsonb;
begin
  -- Queues keep no order. An alert that fired in this webhook may have ended in one that was stored before it: its row has
  -- no incident then, and the alert is stored again in the order of the events. The id of its incident is for the start: a
  -- repeated id would count as a repeated call.
  with firing as (
    select e.alert, e.place, (e.alert ->> 'starts_at')::timestamptz as starts_at,
      coalesce(p ->> 'owner', e.alert ->> 'reported_by') as owner
    from jsonb_array_elements(p -> 'alerts') with ordinality as e (alert, place)
    where e.alert ->> 'status' = 'firing'
  ), ended as (
    select f.place, f.alert || jsonb_build_object('id', gen_random_uuid(), 'status', 'resolved', 'ends_latest', false, 'ends_at', a.ends_at) as alert, a.id
    from firing f
    join public.alerts a on a.source = f.alert ->> 'source' and a.fingerprint = f.alert ->> 'fingerprint' and a.starts_at = f.starts_at
    where a.incident_id is null and a.received_at >= v_now
      -- Alerts belong to who reported them, where the table has an owner.
      and coalesce(to_jsonb(a) ->> 'owner', f.owner) is not distinct from f.owner
  ), replaced as (
    delete from public.alerts a using ended e where a.id = e.id
  ), superseded as (
    -- A later start implies that this one has ended.
    select f.place, f.alert || jsonb_build_object('id', gen_random_uuid(), 'status', 'resolved', 'ends_latest', false, 'ends_at',
      (select min(a.starts_at) from public.alerts a where a.source = f.alert ->> 'source'
        and a.fingerprint = f.alert ->> 'fingerprint' and a.starts_at > f.starts_at
        and coalesce(to_jsonb(a) ->> 'owner', f.owner) is not distinct from f.owner)) as alert
    from firing f
    where f.place not in (select e.place from ended e)
  )
  select jsonb_agg(u.alert order by u.place) into v_ended from (
    select e.place, e.alert from ended e
    union all select s.place, s.alert from superseded s where s.alert ->> 'ends_at' is not null
  ) u;
  v_result := public.ingest_alerts(p || jsonb_build_object('alerts', public.with_stored_starts(p -> 'alerts', p ->> 'owner')));
  if v_ended is not null then
    perform public.ingest_alerts(p || jsonb_build_object('alerts', v_ended));
  end if;
  return v_result;
end $$;
comment on function public.store_buffered_alerts(jsonb) is
  'Like ingest_alerts, for a webhook that waited while later ones may have been stored: an alert that has ended since then gets its incident, which is resolved. Idempotent.';

create function public.store_buffered_feedback(p jsonb) returns jsonb
language sql set search_path = '' as $$
  select case
    when exists (select 1 from public.feedback f where f.triage_id = (p ->> 'triage_id')::uuid
      and f.person = p ->> 'person' and f.at >= (p ->> 'now')::timestamptz) then jsonb_build_object('state', 'superseded')
    else public.record_feedback(p)
  end;
$$;
comment on function public.store_buffered_feedback(jsonb) is
  'Like record_feedback, for feedback that waited: state superseded if the person has given this or newer feedback. Idempotent.';

create function public.count_buffered_writes(p_results jsonb) returns void
language sql set search_path = '' as $$
  insert into public.metric_increments (metric, labels, value)
  select 'dejavu_buffered_writes_total', public.metric_label('result', r.key), r.value::numeric
  from jsonb_each_text(p_results) r where r.value::numeric > 0;
$$;
comment on function public.count_buffered_writes(jsonb) is
  'Counts writes that waited in the queue, by their result: {stored, superseded, lost}.';

call public.restrict_to_service_role();
