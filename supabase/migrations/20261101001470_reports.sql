-- Reports for people: a postmortem of one incident, the handover of a shift, and statistics of a period. They only read.

create index incidents_newest_resolved on public.incidents (resolved_at desc, id desc) where resolved_at is not null;

create function public.incident_times(p_ids uuid[], p_now timestamptz)
returns table (incident_id uuid, started_at timestamptz, ended_at timestamptz, alerts bigint, firing bigint, outage tstzmultirange)
language sql stable set search_path = '' as $$
  select s.id, s.started_at,
    -- A fix may be recorded long after the alerts ended.
    case when s.resolved_at is null then null
      else greatest(s.started_at, case when s.firing = 0 then least(s.resolved_at, s.last_end) else s.resolved_at end) end,
    s.alerts, s.firing,
    case when s.alerts > 0 then s.outage
      when s.resolved_at is null then '{}'
      else tstzmultirange(tstzrange(s.created_at, greatest(s.created_at, s.resolved_at))) end
  from (
    select i.id, i.created_at, i.resolved_at, coalesce(min(a.starts_at), i.created_at) as started_at, max(a.ends_at) as last_end,
      count(a.id) as alerts, count(*) filter (where a.status = 'firing') as firing,
      range_agg(tstzrange(a.starts_at, greatest(a.starts_at, coalesce(a.ends_at, i.resolved_at, p_now)))) as outage
    from public.incidents i left join public.alerts a on a.incident_id = i.id
    where i.id = any (p_ids) group by i.id) s;
$$;
comment on function public.incident_times(uuid[], timestamptz) is
  'When incidents began and ended, the number of their alerts and of those that fire, and the time lost: while an alert fired; without alerts, from the report to the resolution. An incident began with its first alert, else with its report. It ended with its last alert, or with its resolution if that was earlier; null while it is open. An open report without alerts lost no time: nobody knows its end. Called by reported_incident, postmortem_facts and incident_stats.';

create function public.minutes_of(p_times tstzmultirange) returns double precision
language sql immutable set search_path = '' as $$
  select coalesce(extract(epoch from sum(upper(r) - lower(r))) / 60, 0)::double precision from unnest(p_times) as r;
$$;
comment on function public.minutes_of(tstzmultirange) is 'The length of these times in minutes. Called by postmortem_facts and incident_stats.';

create function public.reported_failures() returns setof public.incidents
-- Without "set search_path", so that the planner inlines it; a parsed body needs none.
language sql stable
begin atomic
  select i.* from public.incidents i
  -- Who asks a question gets its answer; nobody acts on an evaluation.
  where i.imported is null and i.merged_into is null and not i.benign and not i.duplicate and (i.question is null or i.submitted_via = 'queue')
    and not exists (select 1 from public.triages t where t.incident_id = i.id and t.is_evaluation);
end;
comment on function public.reported_failures() is
  'The incidents that count in reports: neither imported, merged, benign, duplicates, questions nor evaluations. Called by handover and incident_stats.';

create function public.reported_incident(p_incident public.incidents, p_now timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', p_incident.id, 'title', p_incident.title, 'severity', p_incident.severity,
    'status', p_incident.status, 'domain', coalesce(p_incident.answer_domain, p_incident.domain), 'target', p_incident.target,
    'started_at', t.started_at, 'ended_at', t.ended_at, 'alerts', jsonb_build_object('total', t.alerts, 'firing', t.firing),
    'outcome', (select r.outcome from public.triages r where r.incident_id = p_incident.id order by r.created_at desc limit 1),
    'failure_id', public.failure_of(p_incident.id, p_incident.observation_id) -> 'id',
    'owner', p_incident.owner, 'acknowledged_by', p_incident.acknowledged_by,
    'resolution', p_incident.resolution, 'resolved_by', p_incident.resolved_by,
    -- Of its resolution, not of a fix before that.
    'came_back_at', (select min(t.came_back_at) from public.fix_tries t
      where t.incident_id = p_incident.id and t.resolved and t.helped and t.corrected_at is null))
  from public.incident_times(array[p_incident.id], p_now) t;
$$;
comment on function public.reported_incident(public.incidents, timestamptz) is
  'An incident in a report: {id, title, severity, status, domain, target, started_at, ended_at, alerts: {total, firing}, outcome, failure_id, owner, acknowledged_by, resolution, resolved_by, came_back_at}. Called by handover_list and postmortem_facts.';

create function public.postmortem_facts(p_id uuid, p_now timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  select public.get_incident(i.id) || jsonb_build_object(
    'started_at', s.started_at, 'ended_at', s.ended_at,
    'services', (select jsonb_build_object('total', count(*), 'first', coalesce(jsonb_agg(to_jsonb(g) - 'place' order by g.place) filter (where g.place <= 50), '[]'))
      from (
        select a.target, count(*) as alerts, sum(a.times) as notifications, min(a.starts_at) as started_at,
          case when bool_and(a.status = 'resolved') then max(a.ends_at) end as ended_at,
          public.minutes_of(range_agg(tstzrange(a.starts_at, greatest(a.starts_at, coalesce(a.ends_at, p_now))))) as minutes,
          row_number() over (order by min(a.starts_at), a.target) as place
        from public.alerts a where a.incident_id = i.id group by a.target) g),
    'tries', (select coalesce(jsonb_agg(jsonb_build_object('text', f.text, 'conditions', coalesce(t.conditions, f.conditions), 'at', t.at,
        'by', t.by_name, 'helped', t.helped, 'resolved', t.resolved, 'came_back_at', t.came_back_at, 'checked_at', t.checked_at,
        'tried', p.tried, 'worked', p.worked) order by t.resolved desc, t.at, f.id), '[]')
      from public.fix_tries t join public.fixes f on f.id = t.fix_id
      cross join lateral (select count(*) as tried, count(*) filter (where o.helped) as worked
        from public.fix_tries o where o.fix_id = f.id and o.corrected_at is null) p
      where t.incident_id = i.id and t.corrected_at is null),
    'reports', (select jsonb_build_object('before', count(*) filter (where r.created_at < i.created_at), 'after', count(*) filter (where r.created_at >= i.created_at))
      from public.incidents r where r.observation_id = i.observation_id and r.id <> i.id),
    'nearest_reports', (select coalesce(jsonb_agg(public.reported_incident(r, p_now) order by r.created_at, r.id), '[]') from (
      (select * from public.incidents b where b.observation_id = i.observation_id and b.created_at < i.created_at and b.id <> i.id
        order by b.created_at desc, b.id limit 10)
      union all
      (select * from public.incidents a where a.observation_id = i.observation_id and a.created_at >= i.created_at and a.id <> i.id
        order by a.created_at, a.id limit 10)) r))
  from public.incidents i cross join public.incident_times(array[p_id], p_now) s
  where i.id = p_id;
$$;
comment on function public.postmortem_facts(uuid, timestamptz) is
  'What a postmortem is made of: as get_incident, with {started_at, ended_at, services: {total, first: the first 50 with their alerts and firing times}, tries: the actions that were tried in it with the proof of each over all incidents, reports: {before, after}: the other incidents of its failure, nearest_reports: at most 10 before and 10 after it}. Null if there is none. Called by postmortem-facts.ts.';

create function public.handover_list(p_ids uuid[], p_now timestamptz, p_limit integer) returns jsonb
language sql stable set search_path = '' as $$
  with listed as materialized (
    select i.n, r.entry, (r.entry ->> 'started_at')::timestamptz as started_at, (r.entry ->> 'ended_at')::timestamptz as ended_at,
      (r.entry #>> '{alerts,firing}')::integer as firing
    from unnest(p_ids[1:1000]) with ordinality as i (id, n) join public.incidents o on o.id = i.id
    cross join lateral public.reported_incident(o, p_now) as r (entry)
  ), failures as (
    select min(l.n) as n, (array_agg(l.entry order by l.n))[1] as entry, jsonb_build_object('incidents', count(*), 'since', min(l.started_at),
      'firing', sum(l.firing), 'longest_minutes', max(extract(epoch from l.ended_at - l.started_at) / 60)) as same
    from listed l
    -- About these, the same is to be said.
    group by l.entry -> 'failure_id', l.entry -> 'status', l.entry -> 'outcome', l.entry -> 'resolution', l.entry -> 'resolved_by', l.entry -> 'owner',
      l.entry -> 'acknowledged_by', l.entry -> 'came_back_at' = 'null'
  )
  select jsonb_build_object('total', cardinality(p_ids), 'incidents', coalesce(jsonb_agg(f.entry || jsonb_build_object('same', f.same) order by f.n), '[]'))
  from (select * from failures o order by o.n limit p_limit) f;
$$;
comment on function public.handover_list(uuid[], timestamptz, integer) is
  'A list of a handover: {total, incidents: see reported_incident, one for each failure about whose incidents the same is to be said, with same: {incidents, since, firing, longest_minutes}}, at most p_limit, of the first 1,000 incidents in their order. Called by handover.';

create function public.handover(p_since timestamptz, p_now timestamptz, p_limit integer) returns jsonb
language sql stable set search_path = '' as $$
  with firing as materialized (
    select i.* from public.reported_failures() i
    where i.id in (select a.incident_id from public.alerts a where a.status = 'firing')
  ), still_open as materialized (
    select i.* from public.reported_failures() i
    where i.status <> 'resolved' and i.created_at >= p_since and i.id not in (select f.id from firing f)
  ), older as materialized (
    select 1 from public.reported_failures() i
    where i.status <> 'resolved' and i.created_at < p_since and i.id not in (select f.id from firing f)
    limit 1000
  ), resolved as materialized (
    select i.* from public.reported_failures() i
    where i.resolved_at >= p_since and i.id not in (select f.id from firing f)
  ), came_back as materialized (
    select distinct on (t.observation_id) t.observation_id, t.text, t.by_name, t.at, t.came_back_at
    from public.helped_tries() t
    where t.came_back_at >= p_since
    order by t.observation_id, t.came_back_at desc, t.at desc
  )
  select jsonb_build_object(
    'firing', public.handover_list(array(select f.id from firing f order by public.severity_rank(f.severity), f.created_at, f.id), p_now, p_limit),
    'open', jsonb_build_object('older', (select count(*) from older))
      || public.handover_list(array(select o.id from still_open o order by public.severity_rank(o.severity), o.created_at, o.id), p_now, p_limit),
    'resolved', jsonb_build_object('with_fix', (select count(r.resolution) from resolved r))
      || public.handover_list(array(select r.id from resolved r
        order by r.resolution is null, public.severity_rank(r.severity), r.resolved_at desc, r.id), p_now, p_limit),
    'came_back', jsonb_build_object('total', (select count(*) from came_back), 'failures', (select coalesce(jsonb_agg(jsonb_build_object(
        'record_id', l.observation_id, 'title', o.title, 'domain', o.domain, 'targets', to_jsonb(o.targets[1:5]), 'fix', l.text,
        'fixed_by', l.by_name, 'fixed_at', l.at, 'came_back_at', l.came_back_at) order by l.came_back_at desc, l.observation_id), '[]')
      from (select * from came_back c order by c.came_back_at desc, c.observation_id limit p_limit) l
      join public.observations o on o.id = l.observation_id)),
    'without_runbook', public.list_answer_gaps(p_since, 5000, p_limit),
    'mutes', public.list_mutes(p_now, p_limit));
$$;
comment on function public.handover(timestamptz, timestamptz, integer) is
  'What the next shift must know: {firing: incidents with a firing alert; open: others that are not resolved, and how many older ones are open, at most 1000; resolved: others, since p_since; came_back: failures whose fix did not hold since then; without_runbook, see list_answer_gaps; mutes, see list_mutes}. Each list has at most p_limit entries and its total; incidents are the worst first, see handover_list. Called by read-reports.ts.';

create function public.incident_stats(p_since timestamptz, p_now timestamptz, p_limit integer) returns jsonb
language sql stable set search_path = '' as $$
  with recent as materialized (
    select i.id, i.created_at, i.resolution, coalesce(i.observation_id, i.id) as record
    from public.reported_failures() i where i.created_at >= p_since
  ), reported as materialized (
    select r.*, t.ended_at, t.outage, extract(epoch from t.ended_at - t.started_at)::double precision / 60 as minutes
    from recent r join public.incident_times(array(select c.id from recent c), p_now) t on t.incident_id = r.id
  ), failures as materialized (
    select r.record, count(*) as incidents, public.minutes_of(range_agg(r.outage)) as minutes, max(r.created_at) as last_at,
      min(r.created_at) as first_at, (array_agg(r.id order by r.created_at desc, r.id))[1] as newest
    from reported r group by r.record
  ), repeated as (
    select f.record from failures f
    where f.incidents > 1 or exists (select 1 from public.incidents e
      where e.observation_id = f.record and e.created_at < f.first_at and not e.duplicate)
  )
  select jsonb_build_object(
    'incidents', (select count(*) from reported), 'resolved', (select count(r.ended_at) from reported r),
    'with_fix', (select count(r.resolution) from reported r),
    'time_to_resolve', (select jsonb_build_object('mean_minutes', avg(r.minutes), 'median_minutes', percentile_cont(0.5) within group (order by r.minutes))
      from reported r where r.minutes is not null having count(*) > 0),
    'time_to_fix', (select jsonb_build_object('mean_minutes', avg(r.minutes), 'median_minutes', percentile_cont(0.5) within group (order by r.minutes))
      from reported r where r.minutes is not null and r.resolution is not null having count(*) > 0),
    'failures', (select count(*) from failures), 'repeated', (select count(*) from repeated),
    'minutes_lost', (select coalesce(sum(f.minutes), 0) from failures f),
    'top', (select coalesce(jsonb_agg(jsonb_build_object('incident_id', i.id, 'title', i.title, 'domain', coalesce(i.answer_domain, i.domain), 'severity', i.severity,
        'target', i.target, 'incidents', l.incidents, 'minutes_lost', l.minutes, 'last_at', l.last_at,
        'fix', (select o.resolution from public.observations o where o.id = l.record)) order by l.minutes desc, l.incidents desc, i.id), '[]')
      from (select * from failures f order by f.minutes desc, f.incidents desc, f.newest limit p_limit) l
      join public.incidents i on i.id = l.newest));
$$;
comment on function public.incident_stats(timestamptz, timestamptz, integer) is
  'Statistics of the incidents that were reported since p_since: {incidents, resolved, with_fix, time_to_resolve and time_to_fix: {mean_minutes, median_minutes} or null, failures, repeated: those that were reported more than once, minutes_lost, top: at most p_limit failures by the time lost, see incident_times}. Called by read-reports.ts.';

insert into public.restricted_functions (name) values ('postmortem_facts'), ('handover'), ('incident_stats');

call public.restrict_to_service_role();
