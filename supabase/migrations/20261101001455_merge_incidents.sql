-- Merging and splitting of incidents. A merged incident keeps its report and its answer; its alerts belong to the other one. The
-- caller joins their records before. A split-off incident takes some alerts along, and is investigated by itself.

create function public.lock_alert_names(p_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  -- The order of ingest_alerts: alerts of these names, and of these groups of the sender, wait, then go where they belong.
  perform pg_advisory_xact_lock(hashtextextended(n.name, 0)) from (
    select distinct concat(a.owner, '/', g.name) as name
    from public.alerts a cross join lateral (values (a.alertname), (a.labels ->> 'groupKey')) as g (name)
    where a.incident_id = any (p_ids) and g.name is not null order by 1) n;
  perform 1 from public.incidents i where i.id = any (p_ids) order by i.id for update;
end $$;
comment on function public.lock_alert_names(uuid[]) is
  'Locks incidents, and keeps alerts of the names of theirs from being stored meanwhile. Called by merge_incidents and split_incident.';

-- The rights of the owner: a restricted caller does not see messages of targets that are not limited to its domains.
create function public.move_messages() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_subject constant uuid := (select public.message_subject(i) from public.incidents i where i.id = new.merged_into);
begin
  -- Nothing was sent yet, and the other incident has a message of its own.
  delete from public.notification_messages m
  where m.incident_id = new.id and m.reference is null and m.subject <> v_subject
    and (m.claimed_until is null or m.claimed_until <= new.merged_at);
  update public.notification_messages m
  set incident_id = case when m.subject = v_subject then new.merged_into else m.incident_id end,
    version = m.version + 1, attempts = case when m.due_at is null then 0 else m.attempts end, given_up_at = null,
    pending_since = coalesce(m.pending_since, new.merged_at), due_at = coalesce(m.due_at, new.merged_at)
  where m.incident_id = new.id and m.summary_id is null and m.succeeded_by is null;
  return null;
end $$;
comment on function public.move_messages() is
  'Makes the messages of an incident that was merged due: they name the incident that it was merged into, or are about that one from now on, if both have the same failure. Trigger of incidents.';
create trigger messages_of_merged after update of merged_into on public.incidents
  for each row when (new.merged_into is not null and new.merged_into is distinct from old.merged_into)
  execute function public.move_messages();

create function public.merge_incidents(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now constant timestamptz := (p ->> 'now')::timestamptz;
  v_from public.incidents;
  v_into public.incidents;
  v_ids constant uuid[] := array[(p ->> 'incident_id')::uuid, (p ->> 'into')::uuid];
  v_alerts integer;
begin
  perform public.lock_alert_names(v_ids);
  select * into v_from from public.incidents i where i.id = v_ids[1];
  select * into v_into from public.incidents i where i.id = v_ids[2];
  if v_from.id is null then
    return '{"state": "not_found"}';
  elsif v_into.id is null or v_into.id = v_from.id then
    return '{"state": "other_not_found"}';
  elsif v_from.merged_into = v_into.id then
    return jsonb_build_object('state', 'merged', 'found', public.get_incident(v_into.id));
  elsif v_from.merged_into is not null or v_into.merged_into is not null then
    return jsonb_build_object('state', 'merged_before', 'into', coalesce(v_into.merged_into, v_from.merged_into));
  elsif v_into.status = 'resolved' and v_from.status <> 'resolved' then
    return '{"state": "resolved"}';
  end if;
  update public.alerts a set incident_id = v_into.id, merged_from = coalesce(a.merged_from, v_from.id) where a.incident_id = v_from.id;
  get diagnostics v_alerts = row_count;
  update public.incidents i
  set merged_into = v_into.id, merged_at = v_now, status = 'resolved', resolved_at = coalesce(i.resolved_at, v_now),
    resolved_by = coalesce(i.resolved_by, p ->> 'by'),
    -- A second report of the same occurrence of the failure.
    duplicate = i.duplicate or coalesce(i.observation_id = v_into.observation_id, false)
  where i.id = v_from.id;
  update public.incidents i set merged_into = v_into.id, merged_at = v_now where i.merged_into = v_from.id;
  if v_from.observation_id = v_into.observation_id and not v_from.duplicate then
    perform public.lock_observations(array[v_from.observation_id]);
    perform public.recount_reports(v_from.observation_id);
  end if;
  -- Who has one of them has both.
  update public.incidents i
  set owner = coalesce(i.owner, v_from.owner), acknowledged_at = coalesce(i.acknowledged_at, v_from.acknowledged_at),
    acknowledged_by = coalesce(i.acknowledged_by, v_from.acknowledged_by)
  where i.id = v_into.id and i.status <> 'resolved';
  perform public.raise_severity(v_into.id, v_from.severity);
  if (select count(distinct a.alertname) from public.alerts a where a.incident_id = v_into.id) = 1
    and (select count(*) from public.alerts a where a.incident_id = v_into.id) > v_alerts then
    perform public.name_group(v_into.id);
  else
    -- The person chose its title. Later alerts do not change it.
    update public.incidents i set edited = array(select f.name from unnest('{title,severity}'::text[]) as f (name)
      where f.name = any (i.edited) or f.name = 'title') where i.id = v_into.id;
  end if;
  insert into public.incident_events (incident_id, at, kind, detail) values
    (v_into.id, v_now, 'merged', jsonb_build_object('by', p -> 'by', 'incident', v_from.id, 'title', v_from.title, 'alerts', v_alerts)),
    (v_from.id, v_now, 'merged_into', jsonb_build_object('by', p -> 'by', 'incident', v_into.id, 'title', v_into.title));
  return jsonb_build_object('state', 'merged', 'found', public.get_incident(v_into.id));
end $$;
comment on function public.merge_incidents(jsonb) is
  'Merges an incident into another one: {now, incident_id, into, by}. Its alerts go there, with their later repeats. It is resolved, its message names the other one, and it is no occurrence of its own. Returns state not_found, other_not_found, merged_before with into (one of them was merged into this incident), resolved (the other one is resolved, and this one is open), or merged with the other incident, also for a repeated call. Called by merge.ts.';

create function public.split_incident(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now constant timestamptz := (p ->> 'now')::timestamptz;
  v_id constant uuid := (p ->> 'incident_id')::uuid;
  v_new uuid := (p ->> 'new_id')::uuid;
  v_old public.incidents;
  v_first public.alerts;
  v_chosen bigint[];
  v_targets text[];
  v_all integer;
  v_severity text;
begin
  perform public.lock_alert_names(array[v_id]);
  select * into v_old from public.incidents i where i.id = v_id;
  if not found then
    return '{"state": "not_found"}';
  end if;
  select count(*), array_agg(a.id) filter (where c.is_chosen), array_agg(distinct a.target) filter (where c.is_chosen and a.target is not null)
  into v_all, v_chosen, v_targets
  from public.alerts a cross join lateral (select coalesce(p -> 'fingerprints' ? a.fingerprint or p -> 'targets' ? a.target, false) as is_chosen) c
  where a.incident_id = v_id;
  if v_chosen is null then
    select i.id into v_new from public.incidents i
    where i.split_from = v_id and exists (select from public.alerts a
      where a.incident_id = i.id and (p -> 'fingerprints' ? a.fingerprint or p -> 'targets' ? a.target))
    order by i.created_at desc, i.id limit 1;
    return case when found then jsonb_build_object('state', 'split', 'found', public.get_incident(v_new)) else '{"state": "no_alerts"}' end;
  elsif cardinality(v_chosen) = v_all then
    return '{"state": "all_alerts"}';
  end if;
  select * into v_first from public.alerts a where a.id = any (v_chosen) order by a.decision = 'created' desc, a.id limit 1;
  select a.severity into v_severity from public.alerts a where a.id = any (v_chosen) order by public.severity_rank(a.severity) limit 1;
  perform public.insert_queued_incident(
    to_jsonb(v_old) - '{previous_id,guardrails}'::text[] || jsonb_build_object('id', v_new, 'created_at', v_now, 'title', v_first.title,
      'question', null, 'target', v_first.target, 'severity', v_severity, 'labels', v_first.labels, 'domain', v_first.domain,
      'session_id', p -> 'session_id',
      -- The report of the first alert is the one of the incident, or of one that was merged into it.
      'logs', (select r.logs from public.incidents r
        where (r.id = v_id or r.merged_into = v_id) and coalesce(r.reported_title, r.title) = v_first.title order by r.id <> v_id limit 1)),
    v_now, jsonb_build_object('source', v_first.source, 'alertname', v_first.alertname, 'rule', 'split off'));
  update public.incidents i set split_from = v_id, allowed_domains = v_old.allowed_domains where i.id = v_new;
  -- The next alerts of these fingerprints belong to the new incident.
  update public.alerts a set incident_id = v_new, merged_from = null, decision = 'created', rule = 'split off' where a.id = any (v_chosen);
  update public.alerts a set decision = 'created' where a.incident_id = v_id;
  perform public.name_group(g.id) from unnest(array[v_id, v_new]) as g (id);
  insert into public.incident_events (incident_id, at, kind, detail) values
    (v_id, v_now, 'split', jsonb_build_object('by', p -> 'by', 'incident', v_new, 'alerts', cardinality(v_chosen), 'targets', coalesce(v_targets[1:5], '{}'))),
    (v_new, v_now, 'split_from', jsonb_build_object('by', p -> 'by', 'incident', v_id, 'title', v_old.title));
  perform public.resolve_ended_incidents(array[v_id, v_new], v_now);
  return jsonb_build_object('state', 'split', 'found', public.get_incident(v_new));
end $$;
comment on function public.split_incident(jsonb) is
  'Gives alerts of an incident one of their own: {now, incident_id, new_id, session_id, by, fingerprints, targets}, chosen by fingerprint or target. The new incident waits for its investigation. Returns state not_found, no_alerts (none is chosen), all_alerts (none would stay), or split with the new incident, also for a repeated call. Called by merge.ts.';

insert into public.restricted_functions (name) values ('merge_incidents'), ('split_incident');

call public.restrict_to_service_role();
