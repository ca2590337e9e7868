-- Waiting incidents: a limit for each reporter, turns between reporters, and messages that are sent again.

alter table public.incidents add column sent_at timestamptz;
comment on column public.incidents.sent_at is
  'When recover_stuck_runs last sent its message to the queue again; null before.';
create index incidents_waiting on public.incidents ((coalesce(reported_by, '')), queued_at) where status = 'queued';

create sequence public.reporter_turn_numbers;
create table public.reporter_turns (
  reporter text primary key,
  turn bigint not null
);
comment on table public.reporter_turns is 'The last turn of each reporter in the queue of incidents.';
comment on column public.reporter_turns.reporter is 'incidents.reported_by, or empty.';
comment on column public.reporter_turns.turn is 'Grows with each turn. The reporter with the smallest number is next.';
alter table public.reporter_turns enable row level security;

create or replace function public.claim_incident(p_incident_id uuid, p_run_id uuid, p_now timestamptz, p_max_attempts integer) returns jsonb
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
    -- recover_stuck_runs handles a run that died.
    return jsonb_build_object('state', case when v_incident.status = 'investigating' then 'running' else 'done' end);
  elsif (select count(*) from public.runs r where r.incident_id = p_incident_id) >= p_max_attempts then
    perform public.fail_incident(p_incident_id, 'attempts_exhausted', p_now);
    return jsonb_build_object('state', 'done');
  end if;
  return jsonb_build_object('state', 'claimed', 'run', public.start_queued_run(v_incident, p_run_id, p_now));
end $$;
comment on function public.claim_incident(uuid, uuid, timestamptz, integer) is
  'Claims a queued incident: the oldest one that is due, of the reporter whose last turn is longest ago; the given one if none is due. So a message of the queue is a permit for one run, and no reporter delays the others. Returns state claimed (with the started run: {run_id, incident, attempt}), running, done or gone. Of concurrent callers, one gets an incident.';

create function public.waiting_incidents(p_reporter text) returns integer
language sql stable set search_path = '' as $$
  select count(*)::integer from public.incidents i where i.status = 'queued' and coalesce(i.reported_by, '') = coalesce(p_reporter, '');
$$;
comment on function public.waiting_incidents(text) is 'The incidents of a reporter that wait for a run.';

create function public.count_waiting_incidents(p_reporter text) returns integer
language plpgsql set search_path = '' as $$
begin
  -- Callers of one reporter count one after the other. A statement sees what the caller before it has committed.
  perform pg_advisory_xact_lock(hashtextextended('waiting incidents of ' || coalesce(p_reporter, ''), 0));
  return public.waiting_incidents(p_reporter);
end $$;
comment on function public.count_waiting_incidents(text) is
  'The same, until the end of the transaction without concurrent additions. Call it last, so that its lock is held shortest.';

create function public.enqueue_incident_within(p jsonb, p_limit integer) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_result jsonb;
  v_waiting integer;
begin
  begin
    v_result := public.enqueue_incident(p);
    if v_result ->> 'state' = 'queued' then
      v_waiting := public.count_waiting_incidents(p #>> '{incident,reported_by}');
      if v_waiting > p_limit then
        raise exception using errcode = 'DJ001', message = 'too many incidents wait';
      end if;
    end if;
  exception when sqlstate 'DJ001' then
    return jsonb_build_object('state', 'full');
  end;
  return v_result;
end $$;
comment on function public.enqueue_incident_within(jsonb, integer) is
  'As enqueue_incident, while at most p_limit incidents of its reporter wait; otherwise stores nothing and returns state full.';

create function public.with_stored_starts(p_alerts jsonb, p_owner text) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(case when (t.alert ->> 'start_reported')::boolean is not false then t.alert
    else t.alert || jsonb_build_object('starts_at', coalesce((select max(a.starts_at) from public.alerts a
      where a.source = t.alert ->> 'source' and a.fingerprint = t.alert ->> 'fingerprint' and a.status = 'firing'
        and coalesce(to_jsonb(a) ->> 'owner', p_owner) is not distinct from p_owner),
      (t.alert ->> 'starts_at')::timestamptz)) end order by t.place), '[]')
  from jsonb_array_elements(p_alerts) with ordinality as t (alert, place);
$$;
comment on function public.with_stored_starts(jsonb, text) is
  'Alerts of one owner, where each with start_reported false has the start of the stored alert of its fingerprint that fires. Without it every repetition would be a new start.';

create function public.ingest_alerts_within(p jsonb, p_limit integer) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_all constant jsonb := p || jsonb_build_object('alerts', public.with_stored_starts(p -> 'alerts', p ->> 'owner'));
  v_reporter constant text := p #>> '{alerts,0,reported_by}';
  v_input jsonb := v_all;
  v_result jsonb;
  v_excess integer;
  v_kept jsonb;
begin
  -- The second pass stores the alerts that fit. Between the passes others may add incidents.
  for v_pass in 1..3 loop
    begin
      v_result := public.ingest_alerts(v_input);
      v_excess := case when jsonb_array_length(v_result -> 'incidents') = 0 then 0
        else public.count_waiting_incidents(v_reporter) - p_limit end;
      if v_excess > 0 then
        raise exception using errcode = 'DJ001', message = 'too many incidents wait';
      end if;
      return v_result || jsonb_build_object('postponed',
        jsonb_array_length(p -> 'alerts') - jsonb_array_length(v_input -> 'alerts'));
    exception when sqlstate 'DJ001' then
      -- The variables survive the rollback. The last incidents that it would create are left out, with their alerts.
      select coalesce(jsonb_agg(e.id), '[]') into v_kept from (
        select t.id from jsonb_array_elements(v_result -> 'incidents') with ordinality as t (id, place)
        order by t.place limit greatest(0, jsonb_array_length(v_result -> 'incidents') - v_excess)) e;
      select v_input || jsonb_build_object('alerts', coalesce(jsonb_agg(i.alert order by i.place), '[]')) into v_input
      from jsonb_array_elements(v_input -> 'alerts') with ordinality as i (alert, place)
      join jsonb_array_elements(v_result -> 'alerts') with ordinality as d (decision, place) using (place)
      where not (v_result -> 'incidents') @> jsonb_build_array(d.decision -> 'incident_id')
        or v_kept @> jsonb_build_array(d.decision -> 'incident_id');
    end;
  end loop;
  return jsonb_build_object('stored', 0, 'incidents', '[]'::jsonb, 'alerts', '[]'::jsonb,
    'postponed', jsonb_array_length(p -> 'alerts'));
end $$;
comment on function public.ingest_alerts_within(jsonb, integer) is
  'As ingest_alerts for alerts of one reporter, while at most p_limit of its incidents wait. Alerts that would create further incidents are not stored and counted as postponed; the caller sends them again. An alert with start_reported false takes the start that is stored.';

drop function public.recover_stuck_runs(timestamptz, timestamptz, integer, integer, integer);

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
  'Closes runs that started before p_started_before and never ended, at most p_limit. The incident of a queued report waits again until it had p_max_attempts runs; any other fails. Returns {closed, failed, waiting}: the ids of at most p_limit incidents whose messages the caller sends: those released, and those whose last message was sent before p_started_before.';

call public.restrict_to_service_role();
