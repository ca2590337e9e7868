-- Stored alerts are looked up by their owner first, as their index has it.

create or replace function public.with_stored_starts(p_alerts jsonb, p_owner text) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(case when (t.alert ->> 'start_reported')::boolean is not false then t.alert
    else t.alert || jsonb_build_object('starts_at', coalesce((select max(a.starts_at) from public.alerts a
      where a.owner = coalesce(p_owner, t.alert ->> 'reported_by') and a.source = t.alert ->> 'source'
        and a.fingerprint = t.alert ->> 'fingerprint' and a.status = 'firing'),
      (t.alert ->> 'starts_at')::timestamptz)) end order by t.place), '[]')
  from jsonb_array_elements(p_alerts) with ordinality as t (alert, place);
$$;

create or replace function public.store_buffered_alerts(p jsonb) returns jsonb
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
    select e.alert, e.place, (e.alert ->> 'starts_at')::timestamptz as starts_at, e.alert ->> 'source' as source,
      e.alert ->> 'fingerprint' as fingerprint, coalesce(p ->> 'owner', e.alert ->> 'reported_by') as owner
    from jsonb_array_elements(p -> 'alerts') with ordinality as e (alert, place)
    where e.alert ->> 'status' = 'firing'
  ), ended as (
    select f.place, f.alert || jsonb_build_object('id', gen_random_uuid(), 'status', 'resolved', 'ends_latest', false, 'ends_at', a.ends_at) as alert, a.id
    from firing f
    join public.alerts a on a.owner = f.owner and a.source = f.source and a.fingerprint = f.fingerprint and a.starts_at = f.starts_at
    where a.incident_id is null and a.received_at >= v_now
  ), replaced as (
    delete from public.alerts a using ended e where a.id = e.id
  ), superseded as (
    -- A later start implies that this one has ended.
    select f.place, f.alert || jsonb_build_object('id', gen_random_uuid(), 'status', 'resolved', 'ends_latest', false, 'ends_at',
      (select min(a.starts_at) from public.alerts a
        where a.owner = f.owner and a.source = f.source and a.fingerprint = f.fingerprint and a.starts_at > f.starts_at)) as alert
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

call public.restrict_to_service_role();
