-- Alerts of monitoring systems. Each is stored once per start of firing. Related alerts are grouped into one incident,
-- which is resolved when all of them have ended.

create table public.alerts (
  id bigint generated always as identity primary key,
  source text not null check (source ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  fingerprint text not null check (length(fingerprint) between 1 and 256),
  starts_at timestamptz not null,
  ends_at timestamptz,
  status text not null check (status in ('firing', 'resolved')),
  alertname text not null,
  domain text not null check (domain ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  severity text not null check (severity in ('critical', 'high', 'medium', 'low', 'info')),
  title text not null,
  target text,
  namespace text,
  labels jsonb not null default '{}',
  times integer not null default 1,
  received_at timestamptz not null,
  last_received_at timestamptz not null,
  incident_id uuid references public.incidents (id) on delete cascade,
  decision text not null check (decision in ('created', 'grouped', 'resolved')),
  rule text not null,
  unique (source, fingerprint, starts_at),
  check ((status = 'resolved') = (ends_at is not null)),
  check ((incident_id is null) = (decision = 'resolved'))
);
create index alerts_that_created on public.alerts (alertname, domain, received_at desc) where decision = 'created';
create index alerts_of_incident on public.alerts (incident_id, received_at desc, id desc) where incident_id is not null;
create index alerts_last_received on public.alerts (last_received_at);
comment on table public.alerts is 'Alerts of monitoring systems: a row for each start of firing.';
comment on column public.alerts.id is 'Order of arrival within one moment.';
comment on column public.alerts.source is 'The system that sent it.';
comment on column public.alerts.fingerprint is 'The sender''s id of the alert; the same when it fires again.';
comment on column public.alerts.starts_at is 'Since when it fires.';
comment on column public.alerts.ends_at is 'When it ended; null while it fires.';
comment on column public.alerts.status is 'Whether it fires.';
comment on column public.alerts.alertname is 'The name of the alerting rule.';
comment on column public.alerts.domain is 'The domain that it was routed to.';
comment on column public.alerts.severity is 'Its severity.';
comment on column public.alerts.title is 'Its headline, redacted.';
comment on column public.alerts.target is 'The affected service, host or object.';
comment on column public.alerts.namespace is 'The namespace of the target.';
comment on column public.alerts.labels is 'Its labels, flat strings, redacted.';
comment on column public.alerts.times is 'Firing notifications received for this start.';
comment on column public.alerts.received_at is 'When it was first received, or reopened.';
comment on column public.alerts.last_received_at is 'When it was last received; for an ended alert, when its end was received.';
comment on column public.alerts.incident_id is 'Its incident; null for an alert that was first received when it had ended.';
comment on column public.alerts.decision is 'Whether it created its incident, was grouped into it, or was first received as resolved.';
comment on column public.alerts.rule is 'The reason of the decision, as text for people.';

create function public.grouped_alerts(p_incident_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('total', count(*), 'firing', count(*) filter (where a.status = 'firing'),
    'targets', coalesce((select jsonb_agg(t.target order by t.place) from (
      select o.target, min(o.id) as place from public.alerts o
      where o.incident_id = p_incident_id and o.target is not null group by o.target order by place limit 50) t), '[]'))
  from public.alerts a where a.incident_id = p_incident_id;
$$;
comment on function public.grouped_alerts(uuid) is
  'The alerts of an incident: {total, firing, targets: the first 50 in order of arrival}.';

create function public.raise_severity(p_incident_id uuid, p_severity text) returns boolean
language plpgsql set search_path = '' as $$
declare
  v_order constant text[] := '{critical,high,medium,low,info}';
begin
  update public.incidents i set severity = p_severity
  where i.id = p_incident_id and array_position(v_order, p_severity) < array_position(v_order, i.severity);
  return found;
end $$;
comment on function public.raise_severity(uuid, text) is
  'Raises an incident to the severity of an alert that is grouped into it; false if it is that severe already.';

create function public.reopen_reason(
  p_alert public.alerts, p_now timestamptz, p_window interval, p_new_start_when_reopened boolean
) returns text
language sql stable set search_path = '' as $$
  select case
    when p_alert.status = 'firing' then (select 'still firing, and its investigation failed' from public.incidents i
      where i.id = p_alert.incident_id and i.status = 'failed' and p_now - i.created_at > interval '1 hour')
    -- Within the window after its end, a notification counts as late or repeated.
    when p_alert.incident_id is not null and p_now - p_alert.last_received_at > p_window
      -- Where the sender gives each reopening a new start, a known start is a replay.
      and not p_new_start_when_reopened
      and not exists (select 1 from public.alerts a where a.source = p_alert.source and a.fingerprint = p_alert.fingerprint
        and a.starts_at > p_alert.starts_at)
      then 'fired again after it had ended'
  end;
$$;
comment on function public.reopen_reason(public.alerts, timestamptz, interval, boolean) is
  'Why a stored alert that fires needs another investigation, as text for people; null if it does not.';

create function public.resolve_ended_incidents(p_ids uuid[], p_now timestamptz) returns void
language plpgsql set search_path = '' as $$
declare
  v_id uuid;
  v_source text;
begin
  for v_id in select distinct u.id from unnest(p_ids) as u (id) order by 1 loop
    perform 1 from public.incidents i where i.id = v_id for update;
    continue when exists (select 1 from public.alerts a where a.incident_id = v_id and a.status = 'firing');
    select a.source into v_source from public.alerts a where a.incident_id = v_id order by a.id limit 1;
    update public.incidents i set status = 'resolved', resolved_at = p_now, resolved_by = v_source
    where i.id = v_id and i.status <> 'resolved';
    if found then
      insert into public.incident_events (incident_id, at, kind, detail)
      values (v_id, p_now, 'resolved', jsonb_build_object('rule', 'all its alerts ended', 'resolved_by', v_source));
    end if;
  end loop;
end $$;
comment on function public.resolve_ended_incidents(uuid[], timestamptz) is
  'Resolves the incidents whose alerts have all ended, unless a person did. They have no resolution text.';

create function public.ingest_alerts(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_window integer := (p ->> 'window_seconds')::integer;
  v_name text;
  v_item record;
  v_new public.alerts;
  v_stored_alert public.alerts;
  v_earlier public.alerts;
  v_previous uuid;
  v_reopen_reason text;
  v_decision text;
  v_rule text;
  v_stored integer := 0;
  v_created uuid[] := '{}';
  v_ended uuid[] := '{}';
  v_decisions jsonb[] := '{}';
  v_events jsonb[] := '{}';
begin
  -- One caller at a time decides about alerts of one name. All callers take the locks in the same order.
  for v_name in select distinct e ->> 'alertname' from jsonb_array_elements(p -> 'alerts') e order by 1 loop
    perform pg_advisory_xact_lock(hashtextextended(v_name, 0));
  end loop;
  for v_item in
    select t.alert, t.place from jsonb_array_elements(p -> 'alerts') with ordinality as t (alert, place)
    order by (t.alert ->> 'starts_at')::timestamptz, t.alert ->> 'fingerprint', t.place
  loop
    v_new := jsonb_populate_record(null::public.alerts, v_item.alert - 'id');
    v_previous := null;
    if v_new.status = 'resolved' then
      v_new.ends_at := coalesce(v_new.ends_at, v_now);
    end if;
    if v_new.status = 'resolved' and (v_item.alert ->> 'ends_latest')::boolean then
      v_new.starts_at := coalesce((select a.starts_at from public.alerts a
        where a.source = v_new.source and a.fingerprint = v_new.fingerprint and a.status = 'firing' and a.starts_at <= v_new.ends_at
        order by a.starts_at desc limit 1), v_new.starts_at);
    end if;

    -- A later start implies that the earlier alert has ended, even if its resolved notification was lost.
    for v_earlier in
      update public.alerts a set status = 'resolved', ends_at = v_new.starts_at, last_received_at = v_now
      where a.source = v_new.source and a.fingerprint = v_new.fingerprint and a.starts_at < v_new.starts_at and a.status = 'firing'
      returning a.*
    loop
      v_ended := v_ended || v_earlier.incident_id;
      v_events := v_events || jsonb_build_object('incident_id', v_earlier.incident_id, 'kind', 'alert_resolved', 'target', v_earlier.target);
    end loop;
    select * into v_stored_alert from public.alerts a
    where a.source = v_new.source and a.fingerprint = v_new.fingerprint and a.starts_at = v_new.starts_at for update;
    v_reopen_reason := case when v_new.status = 'firing' then public.reopen_reason(v_stored_alert, v_now, v_window * interval '1 second',
      (v_item.alert ->> 'new_start_when_reopened')::boolean) end;
    if v_stored_alert.incident_id = (v_item.alert ->> 'id')::uuid then
      -- A repeated call: the first response was lost.
      select i.previous_id into v_previous from public.incidents i where i.id = v_stored_alert.incident_id;
      v_decision := v_stored_alert.decision;
      v_rule := v_stored_alert.rule;
      v_created := v_created || v_stored_alert.incident_id;
    elsif v_stored_alert.id is not null and v_new.status = 'firing' and v_reopen_reason is null then
      v_decision := 'deduplicated';
      v_rule := 'fingerprint and start time';
      update public.alerts a
      set times = a.times + 1, last_received_at = case a.status when 'firing' then v_now else a.last_received_at end
      where a.id = v_stored_alert.id;
      -- Record an event each time the number of repetitions has doubled: an alert may fire for years.
      if v_stored_alert.incident_id is not null and (v_stored_alert.times & (v_stored_alert.times + 1)) = 0 then
        v_events := v_events || jsonb_build_object('incident_id', v_stored_alert.incident_id, 'kind', 'alert_repeated', 'target', v_stored_alert.target);
      end if;
    elsif v_stored_alert.id is not null and v_new.status = 'resolved' then
      v_decision := 'resolved';
      v_rule := case v_stored_alert.status when 'firing' then 'fingerprint and start time' else 'it had ended before' end;
      update public.alerts a
      set status = 'resolved', ends_at = coalesce(a.ends_at, v_new.ends_at), last_received_at = v_now where a.id = v_stored_alert.id;
      if v_stored_alert.status = 'firing' then
        v_ended := v_ended || v_stored_alert.incident_id;
        v_events := v_events || jsonb_build_object('incident_id', v_stored_alert.incident_id, 'kind', 'alert_resolved', 'target', v_stored_alert.target);
      end if;
    else
      if v_new.status = 'resolved' then
        v_decision := 'resolved';
        v_rule := 'unknown alert ended';
      else
        -- A reopened alert gets a new row. The events of the earlier firing stay with the previous incident.
        delete from public.alerts a where a.id = v_stored_alert.id;
        v_previous := coalesce(v_stored_alert.incident_id, (select a.incident_id from public.alerts a
          where a.source = v_new.source and a.fingerprint = v_new.fingerprint and a.starts_at < v_new.starts_at and a.incident_id is not null
          order by a.starts_at desc limit 1));
        select i.id into v_new.incident_id from public.alerts a join public.incidents i on i.id = a.incident_id
        where a.alertname = v_new.alertname and a.domain = v_new.domain and a.decision = 'created'
          and a.received_at >= v_now - v_window * interval '1 second' and i.status in ('queued', 'investigating', 'triaged')
        order by a.received_at desc, a.id desc limit 1 for update of i;
        if found then
          v_previous := null;
          v_decision := 'grouped';
          v_rule := format('same alertname and domain within %s s', v_window);
          v_events := v_events || jsonb_build_object('incident_id', v_new.incident_id, 'kind', 'alert_grouped', 'target', v_new.target,
            'raised_to', case when public.raise_severity(v_new.incident_id, v_new.severity) then v_new.severity end);
        else
          v_decision := 'created';
          v_rule := coalesce(v_reopen_reason, case when v_previous is null then 'first of its kind' else 'same fingerprint, new start' end);
          v_new.incident_id := (v_item.alert ->> 'id')::uuid;
          v_created := v_created || v_new.incident_id;
          perform public.insert_queued_incident(v_item.alert || jsonb_build_object('previous_id', v_previous), v_now,
            jsonb_build_object('source', v_new.source, 'alertname', v_new.alertname, 'rule', v_rule));
        end if;
        if v_stored_alert.status = 'firing' then
          -- The other firing alerts of the failed incident move along, because nobody investigates them either.
          update public.alerts a set incident_id = v_new.incident_id where a.incident_id = v_stored_alert.incident_id and a.status = 'firing';
          perform public.raise_severity(v_new.incident_id, i.severity) from public.incidents i where i.id = v_stored_alert.incident_id;
        end if;
      end if;
      insert into public.alerts (source, fingerprint, starts_at, ends_at, status, alertname, domain, severity, title, target,
        namespace, labels, received_at, last_received_at, incident_id, decision, rule)
      values (v_new.source, v_new.fingerprint, v_new.starts_at, v_new.ends_at, v_new.status, v_new.alertname, v_new.domain,
        v_new.severity, v_new.title, v_new.target, v_new.namespace, v_new.labels, v_now, v_now, v_new.incident_id, v_decision, v_rule)
      on conflict (source, fingerprint, starts_at) do nothing;
      if not found then
        -- A concurrent call stored it under another alertname. The caller retries the whole call, which then finds it.
        raise serialization_failure using message = 'another caller stored the same alert';
      end if;
      v_stored := v_stored + (v_stored_alert.id is null)::integer;
      v_stored_alert := v_new;
    end if;
    v_decisions := v_decisions || jsonb_build_object('place', v_item.place, 'fingerprint', v_new.fingerprint, 'status', v_new.status,
      'decision', v_decision, 'rule', v_rule, 'incident_id', v_stored_alert.incident_id, 'related_to', v_previous);
  end loop;

  insert into public.incident_events (incident_id, at, kind, detail)
  select (t.event ->> 'incident_id')::uuid, v_now, t.event ->> 'kind', jsonb_build_object('alerts', count(*),
    'targets', coalesce(to_jsonb((array_agg(distinct t.event ->> 'target') filter (where t.event ->> 'target' is not null))[1:5]), '[]'))
    -- Each alert raises the severity further, so the last value is the result.
    || jsonb_strip_nulls(jsonb_build_object('severity_raised_to',
      (array_agg(t.event ->> 'raised_to' order by t.place desc) filter (where t.event ->> 'raised_to' is not null))[1]))
  from unnest(v_events) with ordinality as t (event, place)
  group by 1, 3 order by min(t.place);
  perform public.resolve_ended_incidents(v_ended, v_now);
  return jsonb_build_object('stored', v_stored, 'incidents', to_jsonb(v_created),
    'alerts', (select coalesce(jsonb_agg(a.decision - 'place' order by (a.decision ->> 'place')::integer), '[]') from unnest(v_decisions) as a (decision)));
end $$;
comment on function public.ingest_alerts(jsonb) is
  'Stores alerts as they arrive: {now, window_seconds, alerts: [{the columns of an incident to create, and source, fingerprint, starts_at, ends_at, status, ends_latest, new_start_when_reopened, alertname, namespace}]}. An alert with a known start is deduplicated or resolved, unless it fires again. A new start ends the earlier ones of its fingerprint. It is grouped into the open incident of its alertname and domain that was created within the window; otherwise it creates one, linked to the previous incident of the fingerprint. Returns {stored, alerts: [{fingerprint, status, decision, rule, incident_id, related_to}], incidents: ids of those created}. Idempotent.';

call public.restrict_to_service_role();
