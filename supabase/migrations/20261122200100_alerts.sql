-- Alerts of monitoring systems: each is stored once for each time that it starts to fire, those that belong together are
-- one incident, and when all of them have ended so has the incident.

create table public.alerts (
  id bigint generated always as identity primary key,
  source text not null check (source in ('alertmanager', 'grafana', 'pagerduty')),
  fingerprint text not null check (length(fingerprint) between 1 and 256),
  starts_at timestamptz not null,
  ends_at timestamptz,
  status text not null check (status in ('firing', 'resolved')),
  alertname text not null,
  domain text not null check (domain in ('docker', 'podman', 'kubernetes', 'postgres')),
  severity text not null check (severity in ('critical', 'high', 'medium', 'low', 'info')),
  title text not null,
  target text,
  namespace text,
  labels jsonb not null default '{}',
  times integer not null default 1,
  received_at timestamptz not null,
  last_received_at timestamptz not null,
  incident_id uuid references public.incidents (id) on delete cascade,
  decision text not null check (decision in ('new', 'related', 'resolved')),
  rule text not null,
  unique (source, fingerprint, starts_at),
  check ((status = 'resolved') = (ends_at is not null)),
  check ((incident_id is null) = (decision = 'resolved'))
);
create index alerts_that_opened on public.alerts (alertname, domain, received_at desc) where decision = 'new';
create index alerts_of_incident on public.alerts (incident_id, received_at desc, id desc) where incident_id is not null;
create index alerts_last_heard_of on public.alerts (last_received_at);
comment on table public.alerts is 'What monitoring systems said was wrong: a row for each time that an alert started to fire.';
comment on column public.alerts.id is 'Order of arrival within one moment.';
comment on column public.alerts.source is 'The system that sent it.';
comment on column public.alerts.fingerprint is 'The system''s id of what is watched; the same when it fires again.';
comment on column public.alerts.starts_at is 'Since when it fires.';
comment on column public.alerts.ends_at is 'When it ended; null while it fires.';
comment on column public.alerts.status is 'Whether it fires.';
comment on column public.alerts.alertname is 'What is watched for.';
comment on column public.alerts.domain is 'The domain that it was routed to.';
comment on column public.alerts.severity is 'How bad it is.';
comment on column public.alerts.title is 'Its headline, scrubbed.';
comment on column public.alerts.target is 'The service, host or object that it is about.';
comment on column public.alerts.namespace is 'The namespace of that.';
comment on column public.alerts.labels is 'Its labels, flat strings, scrubbed.';
comment on column public.alerts.times is 'How often it was said to fire since then.';
comment on column public.alerts.received_at is 'When it was first heard of, or began anew.';
comment on column public.alerts.last_received_at is 'When it was last heard of; of one that has ended, when its end was.';
comment on column public.alerts.incident_id is 'The incident that covers it; null for one that was heard of only when it had ended.';
comment on column public.alerts.decision is 'Whether it opened that incident, joined it, or came ended.';
comment on column public.alerts.rule is 'What decided that, in words for a person.';
comment on column public.incidents.severity is 'How bad the reporter says it is, or the worst alert that joined it.';

create function public.receive_alerts(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_window integer := (p ->> 'window_seconds')::integer;
  v_name text;
  v_sent record;
  v_new public.alerts;
  v_known public.alerts;
  v_former public.alerts;
  v_previous uuid;
  v_anew text;
  v_decision text;
  v_rule text;
  v_stored integer := 0;
  v_opened uuid[] := '{}';
  v_ended uuid[] := '{}';
  v_answers jsonb[] := '{}';
  v_events jsonb[] := '{}';
begin
  -- Alerts of one name are decided about by one caller at a time; all callers take their locks in the same order.
  for v_name in select distinct e ->> 'alertname' from jsonb_array_elements(p -> 'alerts') e order by 1 loop
    perform pg_advisory_xact_lock(hashtextextended(v_name, 0));
  end loop;
  for v_sent in
    select t.alert, t.place from jsonb_array_elements(p -> 'alerts') with ordinality as t (alert, place)
    order by (t.alert ->> 'starts_at')::timestamptz, t.alert ->> 'fingerprint', t.place
  loop
    v_new := jsonb_populate_record(null::public.alerts, v_sent.alert - 'id');
    v_previous := null;
    if v_new.status = 'resolved' then
      v_new.ends_at := coalesce(v_new.ends_at, v_now);
    end if;
    if v_new.status = 'resolved' and (v_sent.alert ->> 'ends_latest')::boolean then
      v_new.starts_at := coalesce((select a.starts_at from public.alerts a
        where a.source = v_new.source and a.fingerprint = v_new.fingerprint and a.status = 'firing' and a.starts_at <= v_new.ends_at
        order by a.starts_at desc limit 1), v_new.starts_at);
    end if;

    -- Whoever tells of a later start tells that the former is over, though its end got lost.
    for v_former in
      update public.alerts a set status = 'resolved', ends_at = v_new.starts_at, last_received_at = v_now
      where a.source = v_new.source and a.fingerprint = v_new.fingerprint and a.starts_at < v_new.starts_at and a.status = 'firing'
      returning a.*
    loop
      v_ended := v_ended || v_former.incident_id;
      v_events := v_events || jsonb_build_object('incident_id', v_former.incident_id, 'kind', 'alert_resolved', 'target', v_former.target);
    end loop;
    select * into v_known from public.alerts a
    where a.source = v_new.source and a.fingerprint = v_new.fingerprint and a.starts_at = v_new.starts_at for update;
    v_anew := case when v_new.status = 'firing' then public.begins_anew(v_known, v_now, v_window * interval '1 second') end;
    if v_known.incident_id = (v_sent.alert ->> 'id')::uuid then
      -- This very call was made before, and its reply was lost.
      select i.previous_id into v_previous from public.incidents i where i.id = v_known.incident_id;
      v_decision := v_known.decision;
      v_rule := v_known.rule;
      v_opened := v_opened || v_known.incident_id;
    elsif v_known.id is not null and v_new.status = 'firing' and v_anew is null then
      v_decision := 'same';
      v_rule := 'fingerprint and start time';
      update public.alerts a
      set times = a.times + 1, last_received_at = case a.status when 'firing' then v_now else a.last_received_at end
      where a.id = v_known.id;
      -- Told each time that the number of repetitions has doubled: an alert may fire for years.
      if v_known.incident_id is not null and (v_known.times & (v_known.times + 1)) = 0 then
        v_events := v_events || jsonb_build_object('incident_id', v_known.incident_id, 'kind', 'alert_repeated', 'target', v_known.target);
      end if;
    elsif v_known.id is not null and v_new.status = 'resolved' then
      v_decision := 'resolved';
      v_rule := case v_known.status when 'firing' then 'fingerprint and start time' else 'it had ended before' end;
      update public.alerts a
      set status = 'resolved', ends_at = coalesce(a.ends_at, v_new.ends_at), last_received_at = v_now where a.id = v_known.id;
      if v_known.status = 'firing' then
        v_ended := v_ended || v_known.incident_id;
        v_events := v_events || jsonb_build_object('incident_id', v_known.incident_id, 'kind', 'alert_resolved', 'target', v_known.target);
      end if;
    else
      if v_new.status = 'resolved' then
        v_decision := 'resolved';
        v_rule := 'unknown alert ended';
      else
        -- What begins anew is told of from its beginning; its former incident has the former events.
        delete from public.alerts a where a.id = v_known.id;
        v_previous := coalesce(v_known.incident_id, (select a.incident_id from public.alerts a
          where a.source = v_new.source and a.fingerprint = v_new.fingerprint and a.starts_at < v_new.starts_at and a.incident_id is not null
          order by a.starts_at desc limit 1));
        select i.id into v_new.incident_id from public.alerts a join public.incidents i on i.id = a.incident_id
        where a.alertname = v_new.alertname and a.domain = v_new.domain and a.decision = 'new'
          and a.received_at >= v_now - v_window * interval '1 second' and i.status in ('queued', 'investigating', 'triaged')
        order by a.received_at desc, a.id desc limit 1 for update of i;
        if found then
          v_previous := null;
          v_decision := 'related';
          v_rule := format('same alertname and domain within %s s', v_window);
          v_events := v_events || jsonb_build_object('incident_id', v_new.incident_id, 'kind', 'alert_joined', 'target', v_new.target,
            'raised_to', case when public.raise_severity(v_new.incident_id, v_new.severity) then v_new.severity end);
        else
          v_decision := 'new';
          v_rule := coalesce(v_anew, case when v_previous is null then 'first of its kind' else 'same fingerprint, new start' end);
          v_new.incident_id := (v_sent.alert ->> 'id')::uuid;
          v_opened := v_opened || v_new.incident_id;
          perform public.queue_incident(v_sent.alert || jsonb_build_object('previous_id', v_previous), v_now,
            jsonb_build_object('source', v_new.source, 'alertname', v_new.alertname, 'rule', v_rule));
        end if;
        if v_known.status = 'firing' then
          -- Nobody looks after the others of the incident that failed either.
          update public.alerts a set incident_id = v_new.incident_id where a.incident_id = v_known.incident_id and a.status = 'firing';
          perform public.raise_severity(v_new.incident_id, i.severity) from public.incidents i where i.id = v_known.incident_id;
        end if;
      end if;
      insert into public.alerts (source, fingerprint, starts_at, ends_at, status, alertname, domain, severity, title, target,
        namespace, labels, received_at, last_received_at, incident_id, decision, rule)
      values (v_new.source, v_new.fingerprint, v_new.starts_at, v_new.ends_at, v_new.status, v_new.alertname, v_new.domain,
        v_new.severity, v_new.title, v_new.target, v_new.namespace, v_new.labels, v_now, v_now, v_new.incident_id, v_decision, v_rule)
      on conflict (source, fingerprint, starts_at) do nothing;
      if not found then
        -- It came under another name at the same moment: the whole call is tried again, and finds it.
        raise serialization_failure using message = 'another caller stored the same alert';
      end if;
      v_stored := v_stored + (v_known.id is null)::integer;
      v_known := v_new;
    end if;
    v_answers := v_answers || jsonb_build_object('place', v_sent.place, 'fingerprint', v_new.fingerprint, 'status', v_new.status,
      'decision', v_decision, 'rule', v_rule, 'incident_id', v_known.incident_id, 'related_to', v_previous);
  end loop;

  insert into public.incident_events (incident_id, at, kind, detail)
  select (t.event ->> 'incident_id')::uuid, v_now, t.event ->> 'kind', jsonb_build_object('alerts', count(*),
    'targets', coalesce(to_jsonb((array_agg(distinct t.event ->> 'target') filter (where t.event ->> 'target' is not null))[1:5]), '[]'))
    -- Each raised it further, so the last says how far.
    || jsonb_strip_nulls(jsonb_build_object('severity_raised_to',
      (array_agg(t.event ->> 'raised_to' order by t.place desc) filter (where t.event ->> 'raised_to' is not null))[1]))
  from unnest(v_events) with ordinality as t (event, place)
  group by 1, 3 order by min(t.place);
  perform public.end_alerted_incidents(v_ended, v_now);
  return jsonb_build_object('stored', v_stored, 'incidents', to_jsonb(v_opened),
    'alerts', (select coalesce(jsonb_agg(a.answer - 'place' order by (a.answer ->> 'place')::integer), '[]') from unnest(v_answers) as a (answer)));
end $$;
comment on function public.receive_alerts(jsonb) is
  'Stores alerts as they arrived: {now, window_seconds, alerts: [{the columns of an incident to open, and source, fingerprint, starts_at, ends_at, status, ends_latest, alertname, namespace}]}. A known start is the same alert again, or ends it, unless it begins anew; a new one ends those before it, and joins the open incident of its alertname and domain that was opened within the window, or opens one, linked to the one that the same fingerprint had before. Answers {stored, alerts: [{fingerprint, status, decision, rule, incident_id, related_to}], incidents: the ids of those opened}. May be repeated.';

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
  'Makes an incident as severe as what joins it; false where it is so already.';

create function public.begins_anew(p_known public.alerts, p_now timestamptz, p_window interval) returns text
language sql stable set search_path = '' as $$
  select case
    when p_known.status = 'firing' then (select 'still firing, and its investigation failed' from public.incidents i
      where i.id = p_known.incident_id and i.status = 'failed' and p_now - i.created_at > interval '1 hour')
    -- Soon after its end it is late or repeated news.
    when p_known.incident_id is not null and p_now - p_known.last_received_at > p_window
      -- PagerDuty names each reopening by a start of its own: an old one is played back.
      and p_known.source <> 'pagerduty'
      and not exists (select 1 from public.alerts a where a.source = p_known.source and a.fingerprint = p_known.fingerprint
        and a.starts_at > p_known.starts_at)
      then 'fired again after it had ended'
  end;
$$;
comment on function public.begins_anew(public.alerts, timestamptz, interval) is
  'Why an alert on record that is said to fire needs an investigation of its own again, in words for a person; null where it does not.';

create function public.end_alerted_incidents(p_ids uuid[], p_now timestamptz) returns void
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
comment on function public.end_alerted_incidents(uuid[], timestamptz) is
  'Resolves those of the incidents all of whose alerts have ended, unless a person did. Nobody says what fixed them.';

create function public.covered_alerts(p_incident_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('total', count(*), 'firing', count(*) filter (where a.status = 'firing'),
    'targets', coalesce((select jsonb_agg(t.target order by t.place) from (
      select o.target, min(o.id) as place from public.alerts o
      where o.incident_id = p_incident_id and o.target is not null group by o.target order by place limit 50) t), '[]'))
  from public.alerts a where a.incident_id = p_incident_id;
$$;
comment on function public.covered_alerts(uuid) is
  'The alerts that an incident covers: {total, firing, targets: the first 50 in the order of arrival}.';

create or replace function public.start_run(p_incident public.incidents, p_run_id uuid, p_now timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
begin
  insert into public.episodes (run_id, session_id, started_at, query, incident_id)
  values (p_run_id, p_incident.session_id, p_now, coalesce(p_incident.question, p_incident.title), p_incident.id);
  update public.incidents i set status = 'investigating' where i.id = p_incident.id;
  return jsonb_build_object('run_id', p_run_id, 'incident', to_jsonb(p_incident), 'alerts', public.covered_alerts(p_incident.id),
    'attempt', (select count(*) from public.episodes e where e.incident_id = p_incident.id));
end $$;
comment on function public.start_run(public.incidents, uuid, timestamptz) is
  'Begins a run of an incident that the caller has locked: {run_id, incident, alerts: {total, firing, targets}, attempt}. Whoever was given it and dies is swept in turn.';

create or replace function public.get_incident(p_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'incident', to_jsonb(i),
    'events', coalesce((select jsonb_agg(to_jsonb(e) - 'incident_id' - 'id' order by e.at, e.id)
      from public.incident_events e where e.incident_id = i.id), '[]'),
    'alerts', public.covered_alerts(i.id) || jsonb_build_object('latest', coalesce((
      select jsonb_agg(to_jsonb(t) - 'id' order by t.received_at desc, t.id desc) from (
        select a.id, a.source, a.fingerprint, a.status, a.starts_at, a.ends_at, a.severity, a.title, a.target, a.namespace, a.times,
          a.received_at, a.last_received_at, a.decision, a.rule
        from public.alerts a where a.incident_id = i.id order by a.received_at desc, a.id desc limit 100) t), '[]')),
    'triage', (select t.result from public.triages t where t.incident_id = i.id order by t.created_at desc limit 1),
    'observation', (select public.observation_json(o) from public.observations o where o.id = i.observation_id))
  from public.incidents i where i.id = p_id;
$$;
comment on function public.get_incident(uuid) is
  'An incident with its timeline, the alerts that it covers (the newest 100), its latest triage and the record that it is remembered in; null when there is none.';

-- As for everything before: only the service role.

do $$
declare
  v_table text;
begin
  for v_table in select c.relname from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relrowsecurity
  loop
    execute format('alter table public.%I enable row level security', v_table);
  end loop;
end $$;

revoke all on all tables in schema public from public, anon, authenticated;
revoke all on all sequences in schema public from public, anon, authenticated;
revoke all on all functions in schema public from public, anon, authenticated;
grant select, insert, update, delete on all tables in schema public to service_role;
grant usage on all sequences in schema public to service_role;
grant execute on all functions in schema public to service_role;
