-- What people see and do in an incident: lists, ticked steps, resolutions, tries, reopening.

create table public.incident_steps (
  incident_id uuid not null references public.incidents (id) on delete cascade,
  key text not null check (key ~ '^[0-9a-f]{16}$'),
  done boolean not null,
  by_name text,
  at timestamptz not null,
  primary key (incident_id, key)
);
comment on table public.incident_steps is 'Steps of an answer that people ticked, for everybody who works on the incident.';
comment on column public.incident_steps.incident_id is 'The incident.';
comment on column public.incident_steps.key is 'Identifies the step by its text and command, so that a later answer with the same step keeps its state.';
comment on column public.incident_steps.done is 'Whether it is done; false after it was unticked.';
comment on column public.incident_steps.by_name is 'The person who changed it last; null if it was not reported.';
comment on column public.incident_steps.at is 'When it was changed last.';
create policy restricted on public.incident_steps for all to dejavu_restricted
  using (exists (select 1 from public.incidents i where i.id = incident_id));

create function public.set_incident_step(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_id uuid := (p ->> 'incident_id')::uuid;
begin
  perform 1 from public.incidents i where i.id = v_id for key share;
  if not found then
    return null;
  end if;
  insert into public.incident_steps as s (incident_id, key, done, by_name, at)
  values (v_id, p ->> 'key', (p ->> 'done')::boolean, p ->> 'by', (p ->> 'now')::timestamptz)
  on conflict (incident_id, key) do update set done = excluded.done, by_name = excluded.by_name, at = excluded.at
  -- A repeated click keeps the person who was first.
  where s.done <> excluded.done;
  return (select jsonb_build_object('key', s.key, 'done', s.done, 'by', s.by_name, 'at', s.at)
    from public.incident_steps s where s.incident_id = v_id and s.key = p ->> 'key');
end $$;
comment on function public.set_incident_step(jsonb) is
  'Ticks or unticks a step: {now, incident_id, key, done, by}. Returns {key, done, by, at}; null if there is no such incident. Called by steps.ts.';

create function public.get_incident(p_id uuid) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (select jsonb_build_object(
    'incident', to_jsonb(i),
    'events', coalesce((select jsonb_agg(to_jsonb(e) - 'incident_id' - 'id' order by e.at, e.id)
      from public.incident_events e where e.incident_id = i.id), '[]'),
    'alerts', public.grouped_alerts(i.id) || jsonb_build_object('place', public.place_of(array[i.id], false), 'latest', coalesce((
      select jsonb_agg(to_jsonb(t) - 'id' order by t.received_at desc, t.id desc) from (
        select a.id, a.source, a.fingerprint, a.status, a.starts_at, a.ends_at, a.severity, a.title, a.target, a.namespace, a.times,
          a.received_at, a.last_received_at, a.decision, a.rule
        from public.alerts a where a.incident_id = i.id order by a.received_at desc, a.id desc limit 100) t), '[]')),
    'triage', (select t.result from public.triages t where t.incident_id = i.id order by t.created_at desc limit 1),
    'observation', (select public.observation_json(o) from public.observations o where o.id = i.observation_id),
    'shown_fixes', (select coalesce(jsonb_agg(f.fix), '[]') from unnest(public.shown_to(i.id)) as s (id)
      cross join lateral jsonb_array_elements(public.fixes_json(s.id)) as f (fix) where s.id is distinct from i.observation_id),
    'steps', coalesce((select jsonb_agg(jsonb_build_object('key', s.key, 'done', s.done, 'by', s.by_name, 'at', s.at) order by s.at, s.key)
      from public.incident_steps s where s.incident_id = i.id), '[]'),
    'run', (select jsonb_build_object('started_at', r.started_at,
        'attempt', (select count(*) from public.runs n where n.incident_id = i.id))
      from public.runs r where r.incident_id = i.id and r.finished_at is null order by r.started_at desc limit 1),
    -- In a later migration.
    'mute', public.mute_of(i),
    'days_seen', coalesce((select jsonb_agg(jsonb_build_object('day', d.day, 'reports', d.reports) order by d.day desc) from (
      select (s.created_at at time zone 'UTC')::date as day, count(*) as reports from (
        select o.id from public.incidents o where o.observation_id = i.observation_id
        union select t.incident_id from public.triages t where t.failure_id = public.known_failure(i.id) ->> 'id' and t.created_at > i.created_at - interval '60 days') u
      join public.incidents s on s.id = u.id
      where not s.duplicate and s.created_at > i.created_at - interval '60 days' group by 1 order by 1 desc limit 30) d), '[]'),
    'merged_ids', array(select m.id from public.incidents m where m.merged_into = i.id and m.observation_id is distinct from i.observation_id
      order by m.merged_at, m.id))
  from public.incidents i where i.id = p_id);
end $$;
comment on function public.get_incident(uuid) is
  'An incident with its timeline, its grouped alerts (the newest 100), its latest triage, its observation, its ticked steps, the run that is active ({started_at, attempt}, else null), its mute (see mute_of) and the last 30 days on which its failure was reported (days_seen: [{day, reports}], newest first; duplicates are not counted, as in the record), and merged_ids: those merged into it whose failure has a record of its own; null if there is none. Called by incident-records.ts, and by the functions that change an incident.';

create function public.incident_to_compare(p_id uuid, p_except uuid) returns jsonb
language sql stable set search_path = '' as $$
  select public.get_incident(coalesce(
    (select i.id from public.incidents i where i.id = p_id and i.id <> p_except),
    -- A record is compared by the report that its text describes, else by its newest one.
    (select i.id from public.incidents i left join public.observations o on o.id = p_id
      where i.observation_id = p_id and i.id <> p_except
      order by i.id = o.incident_id desc nulls last, i.resolution is not null desc, i.created_at desc limit 1)));
$$;
comment on function public.incident_to_compare(uuid, uuid) is
  'The incident with this id, else one of the record with this id, but never p_except: as get_incident returns it. Called by corrections.ts.';

-- The list: for each incident its alerts, their firing hours, its latest answer and whether a fix is recorded.

create function public.started_at(p_incident uuid, p_reported_at timestamptz) returns timestamptz
language sql stable set search_path = '' as $$
  select least(p_reported_at, (select min(a.starts_at) from public.alerts a where a.incident_id = p_incident));
$$;
comment on function public.started_at(uuid, timestamptz) is
  'When an incident began: the earliest beginning of its alerts, else its report. Called by incident_summary and list_incidents.';

create function public.services_of(p_target text, p_labels jsonb) returns text[]
language sql immutable set search_path = '' as $$
  select array[lower(p_target), lower(p_labels ->> 'service'), lower(p_labels ->> 'app'), lower(p_labels ->> 'job')];
$$;
comment on function public.services_of(text, jsonb) is
  'The names by which people look for the service of an incident or alert, in lower case, with nulls: its target and the labels service, app and job. Called by list_incidents.';

create function public.incident_summary(p_incident public.incidents, p_now timestamptz) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (select jsonb_build_object('failure_id', f.failure -> 'id', 'failure', f.failure -> 'name',
    'alerts', jsonb_build_object('total', g.total, 'firing', g.firing, 'source', g.source, 'place', public.place_of(array[p_incident.id], false)),
    'started_at', public.started_at(p_incident.id, p_incident.created_at),
    'last_activity_at', greatest(p_incident.created_at, p_incident.resolved_at, g.last_received_at,
      (select e.at from public.incident_events e where e.incident_id = p_incident.id order by e.at desc limit 1)),
    'latest_triage', (select jsonb_build_object('id', t.id, 'created_at', t.created_at, 'mode', t.mode, 'outcome', t.outcome, 'confidence', t.confidence,
        'failure', t.failure, 'corrected', public.is_corrected(t.id))
      from public.triages t where t.incident_id = p_incident.id order by t.created_at desc limit 1),
    'has_fix', p_incident.resolution is not null or exists (select 1 from public.helped_tries() t where t.observation_id = p_incident.observation_id and t.is_active)
      or coalesce((select t.shows_fix from public.triages t where t.incident_id = p_incident.id order by t.created_at desc limit 1), false),
    -- In a later migration.
    'mute', public.mute_of(p_incident, p_now))
  from (select count(*) as total, count(*) filter (where a.status = 'firing') as firing, max(a.last_received_at) as last_received_at, max(a.source) as source
    from public.alerts a where a.incident_id = p_incident.id) g
  cross join public.failure_of(p_incident.id, p_incident.observation_id) as f (failure));
end $$;
comment on function public.incident_summary(public.incidents, timestamptz) is
  'Fields of an incident in the list: {alerts: {total, firing, source, place}, started_at, last_activity_at, latest_triage, failure_id, failure, has_fix, mute}. Called by list_incidents.';

create function public.list_incidents(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null,
  p_domain text default null, p_status text default null, p_target text default null,
  p_severity text default null, p_session_id text default null, p_hex text default null,
  p_statuses text[] default null, p_text text default null, p_now timestamptz default now(),
  p_since timestamptz default null, p_until timestamptz default null,
  p_urgent boolean default false, p_after_urgency integer default null, p_counted boolean default false,
  p_service text default null, p_firing boolean default false
) returns setof jsonb
language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  v_many constant integer := 1000;
  v_statuses text[] := coalesce(p_statuses, array[p_status]);
  -- Firing ones first, then by severity; resolved ones last.
  v_urgency constant text := 'case when i.status = ''resolved'' then 20
      when exists (select 1 from public.alerts a where a.incident_id = i.id and a.status = ''firing'') then 0 else 10 end
    + array_position(''{critical,high,medium,low,info}''::text[], i.severity)';
  v_counts constant text := 'jsonb_build_object(''total'', count(*) over (),
    ''critical'', count(*) filter (where i.severity = ''critical'') over (), ''firing'', count(*) filter (where u.urgency < 10) over (),
    ''muted'', ' || case when exists (select 1 from public.mutes m where m.ends_at > p_now)
      then 'count(*) filter (where public.mute_of(i, $11) is not null) over ()' else '0' end || ',
    ''resolved_firing'', (select count(distinct a.incident_id) from public.alerts a join public.incidents r on r.id = a.incident_id
      where a.status = ''firing'' and r.status = ''resolved''))';
  v_query tsquery;
  v_ids uuid[];
begin
  if p_text is not null then
    -- Any of the words may be typed in part.
    select string_agg(quote_literal(w) || ':*', ' & ')::tsquery into v_query from unnest(public.words_of(p_text)) as w;
    v_ids := array(select w.incident_id from public.incident_words w where w.words @@ v_query limit v_many);
  end if;
  -- Only the conditions in use, so that the plan fits them. The page is chosen by its ids: logs are large.
  return query execute 'select to_jsonb(t) - ''logs'' || public.incident_summary(t, $11) || jsonb_build_object(''urgency'', p.urgency, ''counts'', p.counts)'
    || ' from (select i.id, u.urgency, u.started_at, '
    || case when p_counted and coalesce(cardinality(v_ids), 0) < v_many then v_counts else 'null::jsonb' end || ' as counts'
    || ' from public.incidents i cross join lateral (select '
    || case when p_urgent or p_counted then v_urgency else 'null::integer' end || ' as urgency, '
    || case when p_urgent then 'public.started_at(i.id, i.created_at)' else 'i.created_at' end || ' as started_at) u where true'
    || case when p_before_at is null then ''
      when p_urgent then ' and (u.urgency > $13 or u.urgency = $13 and (u.started_at, i.id) < ($1, $2))'
      else ' and (i.created_at, i.id) < ($1, $2)' end
    -- None begins after its report, so the index on created_at serves the lower bound.
    || case when p_since is null then '' else ' and i.created_at >= $14 and public.started_at(i.id, i.created_at) >= $14' end
    || case when p_until is null then '' else ' and public.started_at(i.id, i.created_at) < $15' end
    || case when p_domain is null then '' else ' and coalesce(i.answer_domain, i.domain) = $3' end
    || case when v_statuses[1] is null then '' else ' and i.status = any ($4)' end
    || case when v_statuses[1] is null or 'resolved' = any (v_statuses) then '' else ' and i.status <> ''resolved''' end
    || case when p_firing then ' and i.id in (select a.incident_id from public.alerts a where a.status = ''firing'')' else '' end
    || case when p_target is null then '' else ' and i.target = $5' end
    || case when p_service is null then '' else ' and (lower($16) = any (public.services_of(i.target, i.labels))
      or exists (select 1 from public.alerts a where a.incident_id = i.id and lower($16) = any (public.services_of(a.target, a.labels))))' end
    || case when p_severity is null then '' else ' and i.severity = $6' end
    || case when p_session_id is null then '' else ' and i.session_id = $7' end
    -- UUIDs sort by their hex digits, so the primary key serves this range.
    || case when p_hex is null then '' else ' and i.id between rpad($8, 32, ''0'')::uuid and rpad($8, 32, ''f'')::uuid' end
    -- Few matches are sorted. Of many, the newest are soon met in the order of time; a subquery keeps that order.
    || case when p_text is null then '' when cardinality(v_ids) < v_many then ' and i.id = any ($12)'
      else ' and (select w.words @@ $9 from public.incident_words w where w.incident_id = i.id)' end
    || ' order by ' || case when p_urgent then 'u.urgency, u.started_at' else 'i.created_at' end || ' desc, i.id desc limit $10) p'
    || ' join public.incidents t on t.id = p.id'
    || ' order by ' || case when p_urgent then 'p.urgency, p.started_at' else 't.created_at' end || ' desc, t.id desc'
  using p_before_at, p_before_id, p_domain, v_statuses, p_target, p_severity, p_session_id, p_hex, v_query, p_limit, p_now, v_ids,
    p_after_urgency, p_since, p_until, p_service;
end $$;
comment on function public.list_incidents(integer, timestamptz, uuid, text, text, text, text, text, text, text[], text, timestamptz, timestamptz, timestamptz, boolean, integer, boolean, text, boolean) is
  'Incidents without their logs and with the fields of incident_summary, newest first, a page before (p_before_at, p_before_id). p_domain: that of the answer, where it has one. p_hex: the first hex digits of the id, without hyphens. p_text: words, each of which begins a word of the incident. p_since, p_until: began at or after, and before, see started_at. p_service: the target or a label service, app or job of the incident or of one of its alerts, in any case. p_urgent: by the column urgency, then by started_at, a page after p_after_urgency. p_firing: only those with an alert that fires. p_counted: each row has counts of all that match, {total, critical, firing, muted}, and resolved_firing, those of all that are resolved while an alert fires, unless too many match p_text. Called by incident-records.ts.';

create function public.resolve_incident(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_id uuid := (p ->> 'incident_id')::uuid;
  v_worked boolean := (p ->> 'worked')::boolean;
  v_new public.observations := jsonb_populate_record(null::public.observations, p #> '{observation,row}');
  v_incident public.incidents;
  v_record uuid;
  v_observation public.observations;
  v_fix uuid;
  v_past_answer public.past_answers;
  v_procedure record;
  v_pending jsonb := '[]';
begin
  select * into v_incident from public.incidents i where i.id = v_id for update;
  if not found then
    return jsonb_build_object('state', 'not_found');
  elsif (p ->> 'only_open')::boolean and v_incident.status = 'resolved'
    and (v_incident.resolution is not null or v_incident.merged_into is not null) then
    return jsonb_build_object('state', 'changed');
  elsif v_incident.resolution is not null and v_incident.resolved_by_caller is distinct from p #>> '{fix,caller}'
    and (p #>> '{fix,is_admin}')::boolean is not true then
    return jsonb_build_object('state', 'of_another', 'found', public.get_incident(v_id));
  end if;
  if p ? 'observation' then
    v_record := public.record_of_report(v_id, v_new.domain, v_new.fingerprint);
    perform public.lock_observations(public.shown_to(v_id) || v_record);
    select * into v_observation from public.observations o where o.id = v_record;
    if v_observation.id is distinct from (p #>> '{observation,replaces,id}')::uuid
      or v_observation.version is distinct from (p #>> '{observation,replaces,version}')::integer then
      return jsonb_build_object('state', 'changed');
    end if;
  end if;
  update public.incidents i
  set status = 'resolved', resolution = p #>> '{fix,text}', resolved_by = p #>> '{fix,by}', resolved_at = v_now,
    resolved_by_caller = p #>> '{fix,caller}', worked = coalesce(v_worked, i.worked)
  where i.id = v_id;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (v_id, v_now, 'resolved', jsonb_strip_nulls(jsonb_build_object('resolution', p #> '{fix,text}', 'resolved_by', p #> '{fix,by}',
    'conditions', p #> '{fix,conditions}', 'worked', p -> 'worked',
    'did_not_help', (select jsonb_agg(t.try -> 'text') from jsonb_array_elements(p -> 'did_not_help') as t (try)))));
  if p ? 'observation' then
    if v_record is null then
      v_record := v_id;
      perform public.create_observation(v_new, v_now);
    else
      perform public.join_observation(v_new, v_record);
    end if;
    perform public.credit_resolution(v_id, v_record, p -> 'fix', v_worked);
    perform public.record_fix_try(v_record, v_id, v_new.fingerprint, t.try || '{"helped": false}', v_now)
    from jsonb_array_elements(p -> 'did_not_help') as t (try);
    v_fix := public.record_fix_try(v_record, v_id, v_new.fingerprint, p -> 'fix' || '{"helped": true, "resolved": true}', v_now);
    update public.fix_tries t set corrected_at = v_now
    from public.fixes f
    where f.id = t.fix_id and f.observation_id = v_record and t.incident_id = v_id and t.resolved and t.fix_id <> v_fix
      and t.corrected_at is null;
    perform public.settle_fixes(v_record, v_now, v_fix);
    update public.observations o
    set version = o.version + 1, title = v_new.title, narrative = v_new.narrative, facts = v_new.facts,
      incident_id = case when (o.title, o.narrative, o.facts) is distinct from (v_new.title, v_new.narrative, v_new.facts)
        then v_id else o.incident_id end
    where o.id = v_record;
    v_pending := v_pending || public.store_document('incidents', p #> '{observation,document}', v_now, v_claim_until);
  end if;
  if p ? 'past_answer' then
    -- A past answer that a summary replaced becomes a separate record again, because it now has a fix.
    update public.sessions s set raw_count = s.raw_count + 1
    from public.past_answers a
    where a.id = (p #>> '{past_answer,id}')::uuid and a.summary_id is not null
      and s.session_id = a.session_id;
    update public.past_answers a
    set answer = p #>> '{past_answer,answer}', content_hash = p #>> '{past_answer,content_hash}', summary_id = null, compressed_at = null
    where a.id = (p #>> '{past_answer,id}')::uuid and not a.is_summary
    returning * into v_past_answer;
    if found then
      v_pending := v_pending || public.store_document('past_answers', public.past_answer_document(v_past_answer), v_now, v_claim_until);
    end if;
  end if;
  if not v_worked then
    -- Archive procedures from an answer that did not work. A later success restores them.
    for v_procedure in
      update public.procedures r set archived_at = v_now
      where r.archived_at is null and r.triage_id in (select t.id from public.triages t where t.incident_id = v_id)
      returning r.id, r.domain
    loop
      v_pending := v_pending || public.delete_indexed_documents('procedures', array[v_procedure.id::text], v_now, v_claim_until);
    end loop;
  end if;
  return jsonb_build_object('state', 'resolved', 'pending', v_pending, 'found', public.get_incident(v_id));
end $$;
comment on function public.resolve_incident(jsonb) is
  'Records the fix of an incident: {now, claim_until, incident_id, only_open, fix: {id, text, by, conditions, fix_id?, caller, is_admin}, did_not_help: [the same], worked, observation?: {row, document, replaces}, past_answer?: {id, answer, content_hash}}. The fix gets a try that helped (see record_fix_try, settle_fixes), the actions of did_not_help one that did not. A fix that resolved this incident before is corrected. Returns state not_found, of_another with the incident (it has the fix of another caller, and the caller is no admin), changed (the observation is not the version in replaces, or only_open is true, and the incident has a fix or was merged), or resolved. Called by resolution-records.ts.';

create function public.record_try(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_id uuid := (p ->> 'incident_id')::uuid;
  v_helped boolean := (p #>> '{try,helped}')::boolean;
  v_new public.observations := jsonb_populate_record(null::public.observations, p -> 'row');
  v_record uuid;
  v_before public.observations;
  v_after public.observations;
  v_fix uuid;
  v_detail text;
  v_pending jsonb := '[]';
begin
  perform 1 from public.incidents i where i.id = v_id for update;
  if not found then
    return jsonb_build_object('state', 'not_found');
  end if;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (v_id, v_now, 'tried', jsonb_strip_nulls(jsonb_build_object('action', p #> '{try,text}', 'helped', v_helped,
    'by', p #> '{try,by}', 'conditions', p #> '{try,conditions}')));
  if p ? 'row' then
    v_record := public.record_of_report(v_id, v_new.domain, v_new.fingerprint);
    perform public.lock_observations(public.shown_to(v_id) || v_record);
    select * into v_before from public.observations o where o.id = v_record;
    if v_record is null then
      v_record := v_id;
      perform public.create_observation(v_new, v_now);
    else
      perform public.join_observation(v_new, v_record);
    end if;
    if v_helped then
      perform public.credit_resolution(v_id, v_record, p -> 'try', null);
    end if;
    v_fix := public.record_fix_try(v_record, v_id, v_new.fingerprint, p -> 'try', v_now);
    perform public.settle_fixes(v_record, v_now, case when v_helped then v_fix end);
    select * into v_after from public.observations o where o.id = v_record;
    if v_before.id is null or v_after.resolution is distinct from v_before.resolution
      or v_after.resolved_by is distinct from v_before.resolved_by then
      update public.observations o set version = o.version + 1 where o.id = v_record;
      v_pending := public.store_revised_documents(array[v_record], jsonb_build_array(p -> 'revised'), v_now, (p ->> 'claim_until')::timestamptz);
    end if;
  end if;
  return jsonb_build_object('state', 'recorded', 'pending', v_pending, 'found', public.get_incident(v_id));
exception when sqlstate 'DJ001' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return jsonb_build_object('state', 'revise', 'observation', v_detail::jsonb -> 0);
end $$;
comment on function public.record_try(jsonb) is
  'Records that an action was tried in an incident: {now, claim_until, incident_id, try: {id, text, by, conditions, fix_id?, helped}, row?, revised?}. row is the observation of its report; without it, only the timeline has the try. Returns state not_found, recorded, or revise: nothing is stored, and the call must be repeated with the document of this observation (see store_revised_documents). Called by resolution-records.ts.';

create function public.reopen_incident(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_incident public.incidents;
  v_into constant uuid := (select i.merged_into from public.incidents i where i.id = (p ->> 'incident_id')::uuid);
  v_past_answer public.past_answers;
  v_resolution text;
  v_detail text;
  v_pending jsonb := '[]';
begin
  if v_into is not null then
    -- In a later migration. Alerts are locked before incidents.
    perform public.lock_alert_names(array[(p ->> 'incident_id')::uuid, v_into]);
  end if;
  select * into v_incident from public.incidents i where i.id = (p ->> 'incident_id')::uuid for update;
  if not found then
    return jsonb_build_object('state', 'not_found');
  elsif v_incident.status <> 'resolved' then
    return jsonb_build_object('state', 'open', 'found', public.get_incident(v_incident.id));
  end if;
  update public.incidents i
  set resolution = null, resolved_by = null, resolved_by_caller = null, resolved_at = null, worked = null,
    acknowledged_at = null, acknowledged_by = null, merged_into = null, merged_at = null,
    duplicate = i.duplicate and i.merged_into is null,
    status = case
      when exists (select 1 from public.triages t where t.incident_id = i.id) then 'triaged'
      when exists (select 1 from public.runs r where r.incident_id = i.id and r.finished_at is null) then 'investigating'
      when exists (select 1 from public.runs r where r.incident_id = i.id) then 'failed'
      else 'queued' end,
    -- It was resolved before its first run: the job recover-stuck-runs sends its message again.
    queued_at = coalesce(i.queued_at, v_now)
  where i.id = v_incident.id;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (v_incident.id, v_now, 'reopened', jsonb_strip_nulls(jsonb_build_object('reason', p -> 'reason', 'by', p -> 'by',
    'resolution', v_incident.resolution, 'resolved_by', v_incident.resolved_by)));
  perform public.lock_observations(array[v_incident.observation_id]);
  if v_incident.merged_into is not null then
    -- It is an occurrence of its own again, and has its alerts back.
    perform public.recount_reports(v_incident.observation_id);
    update public.alerts a set incident_id = v_incident.id, merged_from = null where a.merged_from = v_incident.id;
    perform public.name_group(g.id) from unnest(array[v_incident.id, v_incident.merged_into]) as g (id);
    perform public.resolve_ended_incidents(array[v_incident.merged_into], v_now)
    where exists (select 1 from public.alerts a where a.incident_id = v_incident.merged_into);
  end if;
  -- The fix had helped and did not last, unless nobody applied it. It is no longer the resolution, so another fix does not correct it.
  update public.fix_tries t
  set reopened_at = v_now, came_back_at = least(t.came_back_at, v_now), resolved = false,
    corrected_at = case when (p ->> 'mistake')::boolean then v_now end
  where (t.incident_id = v_incident.id or (p ->> 'mistake')::boolean and t.incident_id in (
      select m.id from public.incidents m where m.merged_into = v_incident.id))
    and t.resolved and t.helped and t.corrected_at is null;
  update public.observations o set worked = null
  where o.id = v_incident.observation_id and o.resolved_incident_id = v_incident.id;
  if (p ->> 'mistake')::boolean then
    -- What it had replaced counts again.
    select o.resolution into v_resolution from public.observations o where o.id = v_incident.observation_id;
    perform public.settle_fixes(v_incident.observation_id, v_now);
    v_pending := public.store_revised_documents(
      array(select o.id from public.observations o where o.id = v_incident.observation_id and o.resolution is distinct from v_resolution),
      p -> 'revised', v_now, (p ->> 'claim_until')::timestamptz);
  end if;
  if p ? 'past_answer' then
    update public.past_answers a
    set answer = p #>> '{past_answer,answer}', content_hash = p #>> '{past_answer,content_hash}'
    where a.id = (p #>> '{past_answer,id}')::uuid and not a.is_summary and a.compressed_at is null
    returning * into v_past_answer;
    if found then
      v_pending := v_pending || public.store_document('past_answers', public.past_answer_document(v_past_answer), v_now,
        (p ->> 'claim_until')::timestamptz);
    end if;
  end if;
  return jsonb_build_object('state', 'reopened', 'pending', v_pending, 'found', public.get_incident(v_incident.id));
exception when sqlstate 'DJ001' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return jsonb_build_object('state', 'revise', 'observations', v_detail::jsonb);
end $$;
comment on function public.reopen_incident(jsonb) is
  'Opens a resolved incident again: {now, claim_until, incident_id, by, reason, mistake, past_answer?: {id, answer, content_hash}, revised?}. Nobody has acknowledged it then, it is not merged, has its alerts, and counts as an occurrence. Its fix stays on record as one that helped and came back; with mistake, this incident is no part of its proof. past_answer is the answer without it. Nothing is stored unless the state is reopened. Returns state not_found; open with the incident (it is not resolved); revise with the observation that it must be repeated with the document of (see store_revised_documents); or reopened. Called by corrections.ts.';

-- Who has it, and what people write and correct.

create function public.edit_incident(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now constant timestamptz := (p ->> 'now')::timestamptz;
  v_by constant text := p ->> 'by';
  v_changes constant jsonb := p -> 'changes';
  v_acknowledged constant boolean := (v_changes ->> 'acknowledged')::boolean;
  v_old public.incidents;
  v_new public.incidents;
  v_edits jsonb;
begin
  select * into v_old from public.incidents i where i.id = (p ->> 'incident_id')::uuid for update;
  if not found then
    return '{"state": "not_found"}';
  elsif v_acknowledged and v_old.status = 'resolved' then
    return jsonb_build_object('state', 'resolved', 'merged_into', v_old.merged_into);
  end if;
  v_new := jsonb_populate_record(v_old, v_changes - 'acknowledged');
  if v_acknowledged and v_old.acknowledged_by is distinct from v_by then
    v_new.acknowledged_at := v_now;
    v_new.acknowledged_by := v_by;
    v_new.owner := case when v_changes ? 'owner' then v_new.owner else v_by end;
  elsif not v_acknowledged then
    v_new.acknowledged_at := null;
    v_new.acknowledged_by := null;
    v_new.owner := case when v_changes ? 'owner' or v_old.owner is distinct from v_old.acknowledged_by then v_new.owner end;
  end if;
  v_edits := jsonb_strip_nulls(jsonb_build_object(
    'title', case when v_new.title <> v_old.title then v_new.title end, 'title_was', case when v_new.title <> v_old.title then v_old.title end,
    'severity', case when v_new.severity <> v_old.severity then v_new.severity end,
    'severity_was', case when v_new.severity <> v_old.severity then v_old.severity end));
  update public.incidents i
  set title = v_new.title, severity = v_new.severity, owner = v_new.owner, acknowledged_at = v_new.acknowledged_at,
    acknowledged_by = v_new.acknowledged_by,
    reported_title = case when v_edits ? 'title' then coalesce(i.reported_title, i.title) else i.reported_title end,
    edited = array(select f.name from unnest('{title,severity}'::text[]) as f (name) where f.name = any (i.edited) or v_edits ? f.name)
  where i.id = v_old.id;
  insert into public.incident_events (incident_id, at, kind, detail)
  select v_old.id, v_now, e.kind, jsonb_strip_nulls(jsonb_build_object('by', v_by) || e.detail)
  from (values
    (1, v_edits <> '{}', 'edited', v_edits),
    (2, v_new.acknowledged_at is not null and v_new.acknowledged_by is distinct from v_old.acknowledged_by, 'acknowledged',
      jsonb_build_object('was', case when not v_changes ? 'owner' then nullif(v_old.owner, v_by) end)),
    (3, v_new.acknowledged_at is null and v_old.acknowledged_at is not null, 'acknowledgement_withdrawn', '{}'),
    (4, v_changes ? 'owner' and v_new.owner is distinct from v_old.owner, 'owner_changed',
      jsonb_build_object('owner', v_new.owner, 'was', v_old.owner))
  ) as e (place, happened, kind, detail)
  where e.happened order by e.place;
  return jsonb_build_object('state', 'edited', 'found', public.get_incident(v_old.id));
end $$;
comment on function public.edit_incident(jsonb) is
  'Changes an incident as a person edits it: {now, incident_id, by, changes: {title?, severity?, owner?, acknowledged?}}. Who acknowledges it has it: they become its owner unless changes name another one. Each change is an event; what is so already is none. Returns state not_found, resolved with merged_into (it cannot be acknowledged, and nothing is stored), or edited with the incident. Called by edits.ts.';

create function public.add_comment(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
begin
  insert into public.incident_events (incident_id, at, kind, detail)
  select i.id, (p ->> 'now')::timestamptz, 'commented', jsonb_build_object('by', p -> 'by', 'text', p -> 'text')
  from public.incidents i where i.id = (p ->> 'incident_id')::uuid for key share;
  return public.get_incident((p ->> 'incident_id')::uuid);
end $$;
comment on function public.add_comment(jsonb) is
  'Adds a comment to the timeline of an incident: {now, incident_id, by, text}. Returns the incident; null if there is none. Called by edits.ts.';

insert into public.restricted_functions (name) values ('edit_incident'), ('add_comment');

call public.restrict_to_service_role();
