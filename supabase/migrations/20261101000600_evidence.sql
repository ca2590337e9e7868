-- Sources of evidence, changes of services, and what else happened around the start of an incident.

-- The running systems that checks may ask. The kinds are the service's, and secrets are never stored.
create table public.evidence_sources (
  name text primary key check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  kind text not null,
  url text not null,
  credential text,
  headers jsonb not null default '{}',
  labels jsonb not null default '{}',
  domains text[] not null default '{}',
  open_url text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table public.evidence_sources is 'Running systems that checks may ask, read-only.';
comment on column public.evidence_sources.name is 'The name that results cite.';
comment on column public.evidence_sources.kind is 'The interface that it speaks; the service defines the kinds.';
comment on column public.evidence_sources.url is 'Address of its API, without a user, a password, a query or a fragment.';
comment on column public.evidence_sources.credential is
  'Name of the setting of the service that holds its credential; null without one. The credential itself is never stored.';
comment on column public.evidence_sources.headers is 'Headers of each request, {name: value}; none is secret.';
comment on column public.evidence_sources.labels is
  'Alerts that it serves, {label: [value]}: each label must have one of its values. Empty: all.';
comment on column public.evidence_sources.domains is 'Domains that it serves. Empty: all.';
comment on column public.evidence_sources.open_url is 'Address for links that people open; null: url.';
comment on column public.evidence_sources.created_at is 'Time when the source was first stored.';
comment on column public.evidence_sources.updated_at is 'Time of the last change; a later change is always later.';
-- A restricted caller uses the sources of its domains, and does not change any: a source may name a credential of other domains.
create policy restricted on public.evidence_sources for select to dejavu_restricted
  using (domains && (select public.restricted_domains())::text[]);

-- The version of the sources of evidence is made from their content: a source that is deleted and defined anew within one
-- tick of the clock is another one.
create function public.load_evidence_sources(p_version text default null) returns jsonb
language sql stable set search_path = '' as $$
  with visible as materialized (select to_jsonb(s) as source, s.name from public.evidence_sources s), current as (
    select md5(coalesce(string_agg(v.source::text, ',' order by v.name), '')) as version from visible v
  )
  select jsonb_build_object('version', c.version, 'sources', case when c.version is distinct from p_version then (
    select coalesce(jsonb_agg(v.source order by v.name), '[]') from visible v) end)
  from current c;
$$;
comment on function public.load_evidence_sources(text) is
  'All sources of evidence by name: {version, sources}. sources is null if the version is p_version. The version changes with every change of a source. Called by source-records.ts and start_run.';

create function public.put_evidence_source(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_new public.evidence_sources := jsonb_populate_record(null::public.evidence_sources, p -> 'source');
  v_stored public.evidence_sources;
  v_exists boolean;
begin
  -- One writer at a time, so that the limit holds.
  lock table public.evidence_sources in share row exclusive mode;
  v_exists := exists (select from public.evidence_sources s where s.name = v_new.name);
  if not v_exists and (select count(*) from public.evidence_sources) >= (p ->> 'limit')::integer then
    return '{"state": "too_many"}';
  end if;
  v_new.created_at := v_now;
  v_new.updated_at := v_now;
  insert into public.evidence_sources as s select v_new.*
  on conflict (name) do update
  set kind = excluded.kind, url = excluded.url, credential = excluded.credential, headers = excluded.headers,
    labels = excluded.labels, domains = excluded.domains, open_url = excluded.open_url,
    -- The version must change, also within one microsecond or with a clock that was set back.
    updated_at = greatest(excluded.updated_at, s.updated_at + interval '1 microsecond')
  where (s.kind, s.url, s.credential, s.headers, s.labels, s.domains, s.open_url)
    is distinct from (excluded.kind, excluded.url, excluded.credential, excluded.headers, excluded.labels, excluded.domains, excluded.open_url);
  select * into strict v_stored from public.evidence_sources s where s.name = v_new.name;
  return jsonb_build_object('state', 'stored', 'created', not v_exists, 'source', to_jsonb(v_stored));
end $$;
comment on function public.put_evidence_source(jsonb) is
  'Stores a source of evidence: {now, limit, source: a row without times}. Returns {state, created, source}: stored; or too_many if there are already limit others. Called by source-records.ts.';

create function public.delete_evidence_source(p_name text) returns boolean
language plpgsql set search_path = '' as $$
begin
  delete from public.evidence_sources s where s.name = p_name;
  return found;
end $$;
comment on function public.delete_evidence_source(text) is 'Deletes a source of evidence; false if there is none. Called by source-records.ts.';

-- Changes of services: deployments, releases, configuration. A run reads those near its start, and the other alerts that
-- fire, in the round trip of its start.

create table public.changes (
  id uuid primary key,
  owner text not null,
  source text not null check (source ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  delivery text not null check (length(delivery) between 1 and 300),
  subject text not null check (length(subject) between 1 and 300),
  at timestamptz not null,
  received_at timestamptz not null,
  kind text not null check (kind ~ '^[a-z][a-z_]{0,62}$'),
  service text not null check (service <> ''),
  environment text,
  title text not null,
  version text,
  changed_by text,
  url text,
  labels jsonb not null default '{}',
  scope jsonb not null default '{}',
  domain text not null check (domain ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  constraint changes_of_owner unique (owner, source, delivery)
);
comment on table public.changes is 'What was deployed, released or changed, as it was reported.';
comment on column public.changes.id is 'Generated by the Worker.';
comment on column public.changes.owner is 'Who reported it: the owner of a token, "service", or the name of the sender whose signature it had.';
comment on column public.changes.source is 'The format in which it was reported.';
comment on column public.changes.delivery is 'The sender''s id of the event, or a digest of its content: an event is stored once.';
comment on column public.changes.subject is 'The same for events of one change: a deployment may be reported when it begins and when it ends.';
comment on column public.changes.at is 'When the service changed.';
comment on column public.changes.received_at is 'When it was first received.';
comment on column public.changes.kind is 'The kind; the service defines the kinds.';
comment on column public.changes.service is 'The changed service, as reported.';
comment on column public.changes.environment is 'The environment, as reported; null if none was.';
comment on column public.changes.title is 'One line about the change, redacted.';
comment on column public.changes.version is 'The version after the change.';
comment on column public.changes.changed_by is 'The person or system that made it.';
comment on column public.changes.url is 'A page about it.';
comment on column public.changes.labels is 'Its labels, flat strings, redacted.';
comment on column public.changes.scope is 'Where it applies, in one spelling: {tier, environment, namespace, cluster}, each only if it is known.';
comment on column public.changes.domain is 'The domain that it was reported for or routed to.';
create index changes_newest on public.changes (at desc, id desc);
create index changes_by_receipt on public.changes (received_at);
create policy restricted on public.changes for all to dejavu_restricted using (domain = any ((select public.restricted_domains())::text[]));

create table public.change_names (
  name text not null,
  at timestamptz not null,
  change_id uuid not null references public.changes (id) on delete cascade,
  primary key (name, at, change_id)
);
comment on table public.change_names is 'The names by which a change is found, with its time: one index serves every service.';
comment on column public.change_names.name is 'A name of the changed service, in one spelling.';
comment on column public.change_names.at is 'The time of the change.';
comment on column public.change_names.change_id is 'The change.';
create index change_names_of_change on public.change_names (change_id);
create policy restricted on public.change_names for all to dejavu_restricted
  using (exists (select 1 from public.changes c where c.id = change_id));

create function public.record_changes(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_item record;
  v_new public.changes;
  v_id uuid;
  v_results jsonb[] := '{}';
begin
  for v_item in select t.change from jsonb_array_elements(p -> 'changes') with ordinality as t (change, place) order by t.place loop
    v_new := jsonb_populate_record(null::public.changes, v_item.change);
    v_new.owner := p ->> 'owner';
    v_new.source := p ->> 'source';
    v_new.received_at := (p ->> 'now')::timestamptz;
    select c.id into v_id from public.changes c
    where c.owner = v_new.owner and c.source = v_new.source
      and c.delivery in (v_new.delivery, v_item.change ->> 'earlier_delivery') limit 1;
    if not found then
      insert into public.changes select v_new.* on conflict (owner, source, delivery) do nothing returning id into v_id;
    end if;
    if v_id = v_new.id then
      insert into public.change_names (name, at, change_id)
      select distinct t.name, v_new.at, v_new.id from jsonb_array_elements_text(v_item.change -> 'names') as t (name)
      on conflict do nothing;
    end if;
    v_results := v_results || jsonb_build_object('id', v_id, 'stored', coalesce(v_id = v_new.id, false));
  end loop;
  return to_jsonb(v_results);
end $$;
comment on function public.record_changes(jsonb) is
  'Stores changes: {now, owner, source, changes: [{the columns of a change, and names, earlier_delivery}]}. Returns {id, stored} for each, in order; stored is false for an event that is stored already, with its id. earlier_delivery is another delivery of the same event. A repeated call returns the same. Called by change-records.ts.';

create function public.list_changes(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null,
  p_names text[] default null, p_since timestamptz default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(c) - '{owner,delivery,subject,scope}'::text[] from public.changes c
  where (p_before_at is null or (c.at, c.id) < (p_before_at, p_before_id))
    and (p_since is null or c.at >= p_since)
    and (p_names is null or c.id in (select n.change_id from public.change_names n
      where n.name = any (p_names) and n.at >= coalesce(p_since, '-infinity') and n.at <= coalesce(p_before_at, 'infinity')))
  order by c.at desc, c.id desc
  limit p_limit;
$$;
comment on function public.list_changes(integer, timestamptz, uuid, text[], timestamptz) is
  'Changes of services with one of these names, newest first, since p_since, a page before (p_before_at, p_before_id). Called by change-records.ts.';

create function public.scopes_agree(p_one jsonb, p_other jsonb) returns boolean
language sql immutable set search_path = '' as $$
  select not exists (select 1 from jsonb_each_text(p_one) s where p_other ->> s.key <> s.value);
$$;
comment on function public.scopes_agree(jsonb, jsonb) is 'Whether two scopes have no key with different values. Called by recent_changes.';

create function public.recent_changes(p_names text[], p_scope jsonb, p_start timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  with near as (
    -- The limits bound the work: each name is one range of the index.
    select n.change_id from unnest(p_names) as u (name) cross join lateral (
      select c.change_id from public.change_names c
      -- A deployment may be reported when its last instance runs, after the first ones have failed.
      where c.name = u.name and c.at between p_start - interval '2 hours' and p_start + interval '5 minutes'
      order by c.at desc limit 100) n
  ), events as (
    select distinct on (c.owner, c.source, c.subject) c.*,
      round((extract(epoch from p_start - c.at) / 60)::numeric, 1) as minutes_before
    from public.changes c
    where c.id in (select n.change_id from near n) and public.scopes_agree(p_scope, c.scope)
    order by c.owner, c.source, c.subject, abs(extract(epoch from p_start - c.at)), c.id
  ), nearest as (
    select * from events e order by abs(extract(epoch from p_start - e.at)), e.id limit 10
  )
  select jsonb_build_object(
    'reported', exists (select 1 from (
        -- If the last ones are all about other places, nobody reports changes here.
        select n.change_id from unnest(p_names) as u (name) cross join lateral (
          select c.change_id from public.change_names c
          where c.name = u.name and c.at between p_start - interval '30 days' and p_start + interval '5 minutes'
          order by c.at desc limit 100) n) r
      join public.changes c on c.id = r.change_id and public.scopes_agree(p_scope, c.scope)),
    'recent', (select coalesce(jsonb_agg(jsonb_build_object('id', n.id, 'kind', n.kind, 'service', n.service,
      'environment', n.environment, 'title', n.title, 'version', n.version, 'by', n.changed_by, 'url', n.url, 'at', n.at,
      'minutes_before', n.minutes_before) order by abs(extract(epoch from p_start - n.at)), n.id), '[]') from nearest n));
$$;
comment on function public.recent_changes(text[], jsonb, timestamptz) is
  'Changes of services with one of these names whose scope agrees, from two hours before p_start to 5 minutes after it, nearest first, at most 10: {reported, recent: [{id, kind, service, environment, title, version, by, url, at, minutes_before}]}. Of several events of one change, the nearest. reported: whether such a change was reported in the 30 days before. Called by run_surroundings.';

create function public.other_alerts(p_incident_id uuid, p_labels jsonb, p_from timestamptz, p_start timestamptz, p_now timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  with labels as materialized (
    select l.name, l.value, l.weight, l.is_host
    from jsonb_to_recordset(p_labels) as l (name text, value text, weight integer, is_host boolean)
  ), firing as materialized (
    -- The limit bounds the work in a storm. The earliest are nearest to its origin.
    select a.id, a.incident_id, a.alertname, a.title, a.severity, a.target, a.starts_at,
      case when a.target is null then a.labels else a.labels || jsonb_build_object('target', a.target) end as labels
    from public.alerts a
    where a.status = 'firing' and a.starts_at between p_from and p_now and a.incident_id <> p_incident_id
      and jsonb_array_length(p_labels) > 0
    order by a.starts_at limit 500
  ), related as materialized (
    -- A label of weight 1 names no object: most alerts of an installation share it.
    select f.* from firing f where exists (select 1 from labels l
      where l.weight > 1 and case when l.is_host then split_part(f.labels ->> l.name, ':', 1) else f.labels ->> l.name end = l.value)
  ), scored as (
    select distinct on (f.incident_id) f.*, s.shared, s.score from related f
    join public.incidents i on i.id = f.incident_id and not i.benign
    cross join lateral (
      select jsonb_object_agg(m.name, m.value) as shared, sum(m.weight) as score from (
        -- Several labels may name one object.
        select distinct on (l.value) l.name, f.labels ->> l.name as value, l.weight from labels l
        where case when l.is_host then split_part(f.labels ->> l.name, ':', 1) else f.labels ->> l.name end = l.value
        order by l.value, l.weight desc, l.name = 'target', l.name
      ) m
    ) s
    order by f.incident_id, s.score desc, abs(extract(epoch from p_start - f.starts_at)), f.id
  )
  select coalesce(jsonb_agg(jsonb_build_object('incident_id', t.incident_id, 'alertname', t.alertname, 'title', t.title,
    'severity', t.severity, 'target', t.target, 'starts_at', t.starts_at, 'shared_labels', t.shared)
    order by t.score desc, abs(extract(epoch from p_start - t.starts_at)), t.id), '[]')
  from (select * from scored s order by s.score desc, abs(extract(epoch from p_start - s.starts_at)), s.id limit 10) t;
$$;
comment on function public.other_alerts(uuid, jsonb, timestamptz, timestamptz, timestamptz) is
  'Alerts of other incidents that fire since p_from or later and share a label, one an incident, at most 10, by the sum of the weights of the shared labels, then nearest to p_start. p_labels: [{name, value, weight, is_host}]; is_host compares without a port. At least one shared label must weigh more than 1. Called by run_surroundings.';

create function public.storm_alerts(p_names text[], p_cluster text, p_from timestamptz, p_now timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('incident_id', a.incident_id, 'alertname', a.alertname, 'starts_at', a.starts_at,
    'labels', (select coalesce(jsonb_object_agg(l.key, l.value), '{}') from jsonb_each(a.labels) l where l.key = any (p_names)))
    order by a.starts_at, a.id), '[]')
  from (select f.* from public.alerts f join public.incidents i on i.id = f.incident_id and not i.benign
    where f.status = 'firing' and f.starts_at between p_from and p_now
      and coalesce(f.labels ->> 'cluster' = p_cluster, true)
    order by f.starts_at, f.id limit 200) a;
$$;
comment on function public.storm_alerts(text[], text, timestamptz, timestamptz) is
  'Alerts of the same cluster, as far as it is named, that fire since p_from or later, the first 200: {incident_id, alertname, starts_at, labels}, with the labels of these names. Called by run_surroundings.';

create function public.run_surroundings(p jsonb, p_incident jsonb, p_now timestamptz) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_incident uuid := (p_incident ->> 'id')::uuid;
  v_alert_start timestamptz := (select min(a.starts_at) from public.alerts a where a.incident_id = v_incident);
  v_start timestamptz := coalesce(v_alert_start, (p_incident ->> 'created_at')::timestamptz);
  -- People report a failure later than its alert would.
  v_from timestamptz := v_start - case when v_alert_start is null then interval '1 hour' else interval '15 minutes' end;
begin
  return jsonb_build_object('start', v_start,
    'changes', public.recent_changes(array(select jsonb_array_elements_text(p -> 'names')), p -> 'scope', v_start),
    'other_alerts', public.other_alerts(v_incident, p -> 'labels', v_from, v_start, p_now),
    -- A report without an alert has no object by which others would belong to it.
    'storm', case when v_alert_start is null then '[]' else public.storm_alerts(
      array(select jsonb_array_elements_text(p -> 'storm_labels')), p_incident -> 'labels' ->> 'cluster', v_from, p_now) end);
end $$;
comment on function public.run_surroundings(jsonb, jsonb, timestamptz) is
  'What else happened around the start of an incident: {start, changes, other_alerts, storm}, see recent_changes, other_alerts and storm_alerts. p: {names, scope, labels, storm_labels}. start is that of its first alert; without alerts, the time of its report. Called by start_run.';

call public.restrict_to_service_role();
