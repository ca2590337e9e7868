-- Alerts of monitoring systems. Each is stored once per start of firing. Related alerts are grouped into one incident,
-- which is resolved when all of them have ended.
--
-- An alert belongs to the token that reported it, or to the webhook whose signature it had. Reports of others neither end,
-- repeat nor group it: fingerprints and alert names are chosen by the sender.

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
  object_kind text,
  service text,
  namespace text,
  failure text,
  labels jsonb not null default '{}',
  times integer not null default 1,
  last_report uuid,
  received_at timestamptz not null,
  last_received_at timestamptz not null,
  incident_id uuid references public.incidents (id) on delete cascade,
  merged_from uuid references public.incidents (id) on delete set null,
  decision text not null check (decision in ('created', 'grouped', 'resolved')),
  rule text not null,
  owner text not null,
  constraint alerts_of_owner unique (owner, source, fingerprint, starts_at),
  check ((status = 'resolved') = (ends_at is not null)),
  check ((incident_id is null) = (decision = 'resolved'))
);
comment on table public.alerts is 'Alerts of monitoring systems: a row for each start of firing.';
comment on column public.alerts.id is 'Order of arrival within one moment.';
comment on column public.alerts.source is 'The system that sent it.';
comment on column public.alerts.fingerprint is 'The sender''s id of the alert; the same when it fires again.';
comment on column public.alerts.starts_at is 'Since when it fires.';
comment on column public.alerts.ends_at is 'When it ended; null while it fires.';
comment on column public.alerts.status is 'Whether it fires.';
comment on column public.alerts.alertname is 'The name of the alerting rule.';
comment on column public.alerts.last_report is 'Id of the call''s item that stored it or was its last repeat: the same item is not counted twice.';
comment on column public.alerts.domain is 'The domain that it was routed to.';
comment on column public.alerts.severity is 'Its severity.';
comment on column public.alerts.title is 'Its headline, redacted.';
comment on column public.alerts.target is 'The affected service, host or object.';
comment on column public.alerts.object_kind is 'What its target is, such as pod, node or service; null if no label has it.';
comment on column public.alerts.service is 'The service that the target belongs to; null if unknown.';
comment on column public.alerts.namespace is 'The namespace of the target.';
comment on column public.alerts.failure is 'What goes wrong by its text, such as disk-full; null if the text does not say.';
comment on column public.alerts.labels is 'Its labels, flat strings, redacted.';
comment on column public.alerts.times is 'Firing notifications received for this start.';
comment on column public.alerts.received_at is 'When it was first received, or reopened.';
comment on column public.alerts.last_received_at is 'When it was last received; for an ended alert, when its end was received.';
comment on column public.alerts.incident_id is 'Its incident; null for an alert that was first received when it had ended.';
comment on column public.alerts.merged_from is 'The merged incident that had it; null if none had.';
comment on column public.alerts.decision is 'Whether it created its incident, was grouped into it, or was first received as resolved.';
comment on column public.alerts.rule is 'The reason of the decision, as text for people.';
comment on column public.alerts.owner is
  'Who reported it: the owner of a token, "service", or the name of the webhook whose signature it had.';
create index alerts_of_incident on public.alerts (incident_id, received_at desc, id desc) where incident_id is not null;
create index alerts_merged_from on public.alerts (merged_from) where merged_from is not null;
create index alerts_last_received on public.alerts (last_received_at);
create index alerts_that_created on public.alerts (owner, alertname, domain, received_at desc) where decision = 'created';
create index alerts_firing on public.alerts (starts_at) where status = 'firing';
create policy restricted on public.alerts for all to dejavu_restricted using (domain = any ((select public.restricted_domains())::text[]));

create function public.grouped_alerts(p_incident_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('total', count(*), 'firing', count(*) filter (where a.status = 'firing'),
    'targets', coalesce((select jsonb_agg(t.target order by t.place) from (
      select o.target, min(o.id) as place from public.alerts o
      where o.incident_id = p_incident_id and o.target is not null group by o.target order by place limit 50) t), '[]'))
  from public.alerts a where a.incident_id = p_incident_id;
$$;
comment on function public.grouped_alerts(uuid) is
  'The alerts of an incident: {total, firing, targets: the first 50 in order of arrival}. Called by get_incident and start_queued_run.';

create function public.raise_severity(p_incident_id uuid, p_severity text) returns boolean
language plpgsql set search_path = '' as $$
declare
  v_order constant text[] := '{critical,high,medium,low,info}';
begin
  update public.incidents i set severity = p_severity
  where i.id = p_incident_id and array_position(v_order, p_severity) < array_position(v_order, i.severity)
    and not 'severity' = any (i.edited);
  return found;
end $$;
comment on function public.raise_severity(uuid, text) is
  'Raises an incident to the severity of an alert that is grouped into it; false if it is that severe already, or a person set its severity. Called by ingest_alerts.';

create function public.common_words(p_titles text[]) returns text
language sql immutable set search_path = '' as $$
  with titles as (
    select distinct regexp_split_to_array(btrim(t.title), '\s+') as words from unnest(p_titles) as t (title)
  ), shortest as (
    select min(cardinality(t.words)) as words from titles t
  ), start as (
    select max(k) as words from shortest s, generate_series(0, s.words) k
    where (select count(distinct t.words[1:k]) from titles t) = 1
  ), rest as (
    select max(k) as words from shortest s, start b, generate_series(0, s.words - b.words) k
    where (select count(distinct t.words[cardinality(t.words) - k + 1:]) from titles t) = 1
  )
  select coalesce(string_agg(p.words, ' … ' order by p.place), '')
  from (select t.words, b.words as first, e.words as last from titles t, start b, rest e limit 1) c
  cross join lateral (values (1, array_to_string(c.words[1:c.first], ' ')),
    (2, array_to_string(c.words[cardinality(c.words) - c.last + 1:], ' '))) as p (place, words)
  -- Rests such as "s)" say nothing.
  where p.words ~ '[[:alpha:]]{3}';
$$;
comment on function public.common_words(text[]) is
  'The words with which all titles begin, and those with which they end; an ellipsis stands between them. Parts without a word of some length are left out. Called by group_title.';

create function public.place_of(p_incident_ids uuid[], p_open boolean) returns text
language sql stable set search_path = '' as $$
  select case when p.targets > 1 then case
    when p.services > 1 and p.kind in ('service', 'target') then concat(p.services, ' services')
    when p.services = p.targets then concat(p.targets, ' services')
    when p.services = 0 then concat(p.targets, ' ', case p.kind when 'target' then 'service' else p.kind end, 's')
    else concat(p.targets, ' ', p.kind, 's of ', case when p.services = 1 then p.service else p.services || ' services' end) end end
  from (
    select count(distinct a.target) as targets, min(a.service) as service,
      -- 0 if a target has none.
      case when bool_and(a.service is not null) then count(distinct a.service) else 0 end as services,
      case when count(distinct coalesce(a.object_kind, '')) = 1 then coalesce(min(a.object_kind), 'target') else 'target' end as kind
    from public.alerts a where a.incident_id = any (p_incident_ids) and a.target is not null
      and (a.status = 'firing' or not p_open)) p;
$$;
comment on function public.place_of(uuid[], boolean) is
  'Where the alerts of incidents fire, with p_open false also where they have ended, such as "3 pods of checkout", "5 pods of 2 services" or "15 services"; null if it is one target. Called by group_title, failure_state, incident_summary and get_incident.';

create function public.group_title(p_incident_ids uuid[]) returns text
language sql stable set search_path = '' as $$
  select case when a.names > 1 then null when a.titles > 1 or a.targets > 1 then concat_ws(' on ',
    -- One word alone names nothing, unless it is the name of the rule.
    case when w.words = a.alertname or w.words ~ '[[:alpha:]].*\s\S*[[:alpha:]]' then w.words else a.alertname end,
    case when a.targets > 1 then public.place_of(p_incident_ids, false)
      when a.titles > 1 and strpos(w.words, a.target) = 0 then a.target end) else a.some_titles[1] end
  from (
    select min(o.alertname) as alertname, (array_agg(distinct o.title))[1:100] as some_titles, count(distinct o.title) as titles, count(distinct o.alertname) as names,
      count(distinct o.target) as targets, min(o.target) as target
    from public.alerts o where o.incident_id = any (p_incident_ids)) a
  cross join lateral (
    -- What led to the part that differs, such as "in", says nothing without it.
    select regexp_replace(regexp_replace(public.common_words(a.some_titles),
      '^[\s:;,)–-]*((is|are|was|has|in|on|at|of|for|to|from|by|with|and)\s+)*', '', 'i'),
      '(\s+(in|on|at|of|for|to|from|by|with|the|and|is|are|was|has|pod|service|host|instance))*[\s:;,.(–-]*$', '', 'i') as words) w;
$$;
comment on function public.group_title(uuid[]) is
  'What the alerts of incidents have in common: the words that their titles share, else the name of their rule, and where they fire; their title if it is one, of one target; null for alerts of several rules. Called by name_group, failure_state and summary_state.';

create function public.name_group(p_incident_id uuid) returns void
language sql set search_path = '' as $$
  update public.incidents i set reported_title = coalesce(i.reported_title, i.title), title = g.title
  from (select public.group_title(array[p_incident_id]) as title) g
  where i.id = p_incident_id and i.title <> g.title and not 'title' = any (i.edited);
  -- Of several targets, what they belong to.
  update public.incidents i set target = g.target
  from (select case count(distinct a.target) when 1 then min(a.target)
      else case when count(distinct coalesce(a.service, '')) = 1 then min(a.service) end end as target
    from public.alerts a where a.incident_id = p_incident_id) g
  where i.id = p_incident_id and g.target <> i.target;
$$;
comment on function public.name_group(uuid) is
  'Names an incident and its target after what its alerts have in common, unless a person set its title. Called by ingest_alerts, merge_incidents and split_incident.';

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
      and not exists (select 1 from public.alerts a where a.owner = p_alert.owner and a.source = p_alert.source and a.fingerprint = p_alert.fingerprint
        and a.starts_at > p_alert.starts_at)
      then 'fired again after it had ended'
  end;
$$;
comment on function public.reopen_reason(public.alerts, timestamptz, interval, boolean) is
  'Why a stored alert that fires needs another investigation, as text for people; null if it does not. Called by ingest_alerts.';

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
  'Resolves the incidents whose alerts have all ended, unless a person did. They have no resolution text. Called by ingest_alerts.';

create function public.ingest_alerts(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  -- A sender's clock may be wrong by less.
  v_ahead constant interval := interval '30 minutes';
  v_window integer := (p ->> 'window_seconds')::integer;
  v_by_sender constant boolean := coalesce(p -> 'group_labels' ? 'groupKey', false);
  v_name text;
  v_names text[];
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
  v_grown uuid[] := '{}';
begin
  -- One caller at a time decides about alerts of one owner and name, or group. All callers take the locks in the same order.
  for v_name in select distinct concat(coalesce(p ->> 'owner', e ->> 'reported_by'), '/',
      case when v_by_sender then coalesce(e -> 'labels' ->> 'groupKey', e ->> 'alertname') else e ->> 'alertname' end)
    from jsonb_array_elements(p -> 'alerts') e order by 1
  loop
    perform pg_advisory_xact_lock(hashtextextended(v_name, 0));
  end loop;
  for v_item in
    select t.alert, t.place from jsonb_array_elements(p -> 'alerts') with ordinality as t (alert, place)
    order by (t.alert ->> 'starts_at')::timestamptz, t.alert ->> 'fingerprint', t.place
  loop
    v_new := jsonb_populate_record(null::public.alerts, v_item.alert - 'id');
    v_new.owner := coalesce(p ->> 'owner', v_item.alert ->> 'reported_by');
    v_previous := null;
    if v_new.status = 'resolved' then
      v_new.ends_at := case when v_new.ends_at <= v_now + v_ahead then v_new.ends_at else v_now end;
    end if;
    if v_new.starts_at > v_now + v_ahead then
      -- A start in the future would count as later than every real one until then. It is the present firing, or starts now.
      v_new.starts_at := coalesce((select a.starts_at from public.alerts a
        where a.owner = v_new.owner and a.source = v_new.source and a.fingerprint = v_new.fingerprint and a.status = 'firing'
          and a.starts_at <= v_now + v_ahead
        order by a.starts_at desc limit 1), v_now);
    end if;
    if v_new.status = 'resolved' and (v_item.alert ->> 'ends_latest')::boolean then
      v_new.starts_at := coalesce((select a.starts_at from public.alerts a
        where a.owner = v_new.owner and a.source = v_new.source and a.fingerprint = v_new.fingerprint and a.status = 'firing' and a.starts_at <= v_new.ends_at
        order by a.starts_at desc limit 1), v_new.starts_at);
    end if;

    -- Alertmanager merges overlapping alerts, such as those of two Prometheus servers, and from then on reports the earliest start.
    v_new.starts_at := coalesce((select min(a.starts_at) from public.alerts a
      where a.owner = v_new.owner and a.source = v_new.source and a.fingerprint = v_new.fingerprint
        and (a.status = 'firing' or a.starts_at = v_new.starts_at) and a.received_at <= v_now
        and a.starts_at between v_new.starts_at and case v_new.status when 'resolved' then v_new.ends_at else 'infinity' end), v_new.starts_at);

    -- A later start implies that the earlier alert has ended, even if its resolved notification was lost.
    for v_earlier in
      update public.alerts a set status = 'resolved', ends_at = v_new.starts_at, last_received_at = v_now
      where a.owner = v_new.owner and a.source = v_new.source and a.fingerprint = v_new.fingerprint and a.starts_at < v_new.starts_at and a.status = 'firing'
      returning a.*
    loop
      v_ended := v_ended || v_earlier.incident_id;
      v_events := v_events || jsonb_build_object('incident_id', v_earlier.incident_id, 'kind', 'alert_resolved', 'target', v_earlier.target);
    end loop;
    select * into v_stored_alert from public.alerts a
    where a.owner = v_new.owner and a.source = v_new.source and a.fingerprint = v_new.fingerprint and a.starts_at = v_new.starts_at for update;
    v_reopen_reason := case when v_new.status = 'firing' then public.reopen_reason(v_stored_alert, v_now, v_window * interval '1 second',
      (v_item.alert ->> 'new_start_when_reopened')::boolean) end;
    if v_stored_alert.incident_id = (v_item.alert ->> 'id')::uuid then
      -- A repeated call: the first response was lost.
      select i.previous_id into v_previous from public.incidents i where i.id = v_stored_alert.incident_id;
      v_decision := v_stored_alert.decision;
      v_rule := v_stored_alert.rule;
      v_created := v_created || v_stored_alert.incident_id;
    elsif v_stored_alert.last_report = (v_item.alert ->> 'id')::uuid then
      -- The same for an alert that created nothing.
      v_decision := case v_stored_alert.times when 1 then v_stored_alert.decision else 'deduplicated' end;
      v_rule := case v_stored_alert.times when 1 then v_stored_alert.rule else 'fingerprint and start time' end;
    elsif v_stored_alert.id is not null and v_new.status = 'firing' and v_reopen_reason is null then
      v_decision := 'deduplicated';
      v_rule := 'fingerprint and start time';
      update public.alerts a
      set times = a.times + 1, last_report = (v_item.alert ->> 'id')::uuid, last_received_at = case a.status when 'firing' then v_now else a.last_received_at end
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
          where a.owner = v_new.owner and a.source = v_new.source and a.fingerprint = v_new.fingerprint and a.starts_at < v_new.starts_at and a.incident_id is not null
          order by a.starts_at desc limit 1));
        v_names := array[v_new.alertname];
        if v_by_sender and v_new.labels ? 'groupKey' then
          -- The group of the sender may hold alerts of several names.
          select v_names || coalesce(array_agg(distinct a.alertname), '{}') into v_names from public.alerts a
          where a.owner = v_new.owner and a.last_received_at >= v_now - v_window * interval '1 second'
            and a.labels ->> 'groupKey' = v_new.labels ->> 'groupKey';
        end if;
        select i.id into v_new.incident_id from public.alerts a join public.incidents i on i.id = a.incident_id
        where a.owner = v_new.owner and a.alertname = any (v_names) and a.domain = v_new.domain and a.decision = 'created'
          and a.received_at >= v_now - v_window * interval '1 second' and i.status in ('queued', 'investigating', 'triaged')
          and not exists (select 1 from jsonb_array_elements_text(coalesce(p -> 'group_labels', '[]')) l
            where a.labels ->> l.value is distinct from v_new.labels ->> l.value)
          -- Alerts of one name may say that different things fail: a full disk is no deadlock.
          and (v_by_sender or coalesce(a.failure = v_new.failure, true))
        -- Where its earlier alerts are; a person may have split some off.
        order by exists (select 1 from public.alerts e where e.owner = a.owner and e.source = v_new.source and e.fingerprint = v_new.fingerprint
            and e.incident_id = a.incident_id) desc, i.split_from is null desc, a.received_at desc, a.id desc limit 1 for update of i;
        if found then
          v_previous := null;
          v_decision := 'grouped';
          v_grown := v_grown || v_new.incident_id;
          v_rule := format(case when v_by_sender then 'same group of the sender within %s s' else 'same alertname, domain and place within %s s' end, v_window);
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
          v_grown := v_grown || v_new.incident_id;
          perform public.raise_severity(v_new.incident_id, i.severity) from public.incidents i where i.id = v_stored_alert.incident_id;
        end if;
      end if;
      insert into public.alerts (owner, source, fingerprint, starts_at, ends_at, status, alertname, domain, severity, title, target,
        object_kind, service, namespace, failure, labels, received_at, last_received_at, last_report, incident_id, decision, rule)
      values (v_new.owner, v_new.source, v_new.fingerprint, v_new.starts_at, v_new.ends_at, v_new.status, v_new.alertname, v_new.domain,
        v_new.severity, v_new.title, v_new.target, v_new.object_kind, v_new.service, v_new.namespace, v_new.failure, v_new.labels,
        v_now, v_now, (v_item.alert ->> 'id')::uuid, v_new.incident_id, v_decision, v_rule)
      on conflict (owner, source, fingerprint, starts_at) do nothing;
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
  perform public.name_group(g.id) from (select distinct u.id from unnest(v_grown) as u (id) order by 1) g;
  perform public.resolve_ended_incidents(v_ended, v_now);
  return jsonb_build_object('stored', v_stored, 'incidents', to_jsonb(v_created),
    'alerts', (select coalesce(jsonb_agg(a.decision - 'place' order by (a.decision ->> 'place')::integer), '[]') from unnest(v_decisions) as a (decision)));
end $$;
comment on function public.ingest_alerts(jsonb) is
  'Stores alerts as they arrive: {now, window_seconds, group_labels, owner, alerts: [{the columns of an incident to create, and source, fingerprint, starts_at, ends_at, status, ends_latest, new_start_when_reopened, alertname, object_kind, service, namespace, failure}]}. An alert belongs to its owner: those of other owners neither end, repeat nor group it. A start that is more than 30 minutes in the future is the present one, or now. A start before that of the alert that fires, and without an end between, is its start. An alert with a known start is deduplicated or resolved, unless it fires again. A new start ends the earlier ones of its fingerprint. It is grouped into the open incident of its alertname and domain, and of the same values of group_labels, that was created within the window, unless their texts name different failures, and names it (see name_group). With groupKey among group_labels, the name does not count where a label groupKey gives the group of the sender; otherwise it creates one, linked to the previous incident of the fingerprint. Returns {stored, alerts: [{fingerprint, status, decision, rule, incident_id, related_to}], incidents: ids of those created}. Idempotent. Called by ingest_alerts_within and store_buffered_alerts.';

-- Stored alerts are looked up by their owner first, as their index has it.
create function public.with_stored_starts(p_alerts jsonb, p_owner text) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(case when (t.alert ->> 'start_reported')::boolean is not false then t.alert
    else t.alert || jsonb_build_object('starts_at', coalesce((select max(a.starts_at) from public.alerts a
      where a.owner = coalesce(p_owner, t.alert ->> 'reported_by') and a.source = t.alert ->> 'source'
        and a.fingerprint = t.alert ->> 'fingerprint' and a.status = 'firing'),
      (t.alert ->> 'starts_at')::timestamptz)) end order by t.place), '[]')
  from jsonb_array_elements(p_alerts) with ordinality as t (alert, place);
$$;
comment on function public.with_stored_starts(jsonb, text) is
  'Alerts of one owner, where each with start_reported false has the start of the stored alert of its fingerprint that fires. Without it every repetition would be a new start. Called by ingest_alerts_within and store_buffered_alerts.';

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
        raise exception using errcode = 'DJ002', message = 'too many incidents wait';
      end if;
      return v_result || jsonb_build_object('postponed',
        jsonb_array_length(p -> 'alerts') - jsonb_array_length(v_input -> 'alerts'));
    exception when sqlstate 'DJ002' then
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
  'As ingest_alerts for alerts of one reporter, while at most p_limit of its incidents wait. Alerts that would create further incidents are not stored and counted as postponed; the caller sends them again. An alert with start_reported false takes the start that is stored. Called by alert-records.ts.';

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
comment on function public.store_buffered_alerts(jsonb) is
  'Like ingest_alerts, for a webhook that waited while later ones may have been stored: an alert that has ended since then gets its incident, which is resolved. Idempotent. Called by alert-records.ts.';

create table public.webhook_deliveries (
  digest text primary key,
  at timestamptz not null
);
comment on table public.webhook_deliveries is 'Processed webhook deliveries, so that none is processed twice.';
comment on column public.webhook_deliveries.digest is 'SHA-256, in hex, of the signature of the delivery or of the id that its sender gave it.';
comment on column public.webhook_deliveries.at is 'When it was first received.';
create index webhook_deliveries_by_time on public.webhook_deliveries (at);

create function public.claim_webhook_delivery(p_digest text, p_at timestamptz) returns boolean
language sql set search_path = '' as $$
  with claimed as (
    insert into public.webhook_deliveries (digest, at) values (p_digest, p_at) on conflict do nothing returning 1
  )
  select exists (select 1 from claimed);
$$;
comment on function public.claim_webhook_delivery(text, timestamptz) is
  'Records a webhook delivery; true for the first caller only, who processes it. Called by webhook-deduplication.ts.';

call public.restrict_to_service_role();
