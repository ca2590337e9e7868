-- What people do in an incident: steps that are done, reopening, and the correction of its domain.

alter table public.incident_events drop constraint incident_events_kind_check;
alter table public.incident_events add constraint incident_events_kind_check check (kind in (
  'reported', 'attempt_failed', 'triaged', 'failed', 'resolved', 'reopened', 'domain_corrected', 'tried', 'alert_repeated',
  'alert_grouped', 'alert_resolved'));

-- Steps.

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
alter table public.incident_steps enable row level security;
create policy restricted on public.incident_steps for all to dejavu_restricted
  using (exists (select 1 from public.incidents i where i.id = incident_id));

create function public.incident_steps_json(p_incident_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('key', s.key, 'done', s.done, 'by', s.by_name, 'at', s.at) order by s.at, s.key), '[]')
  from public.incident_steps s where s.incident_id = p_incident_id;
$$;
comment on function public.incident_steps_json(uuid) is 'The steps of an incident that were ticked or unticked: [{key, done, by, at}].';

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
  'Ticks or unticks a step: {now, incident_id, key, done, by}. Returns {key, done, by, at}; null if there is no such incident.';

create or replace function public.get_incident(p_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'incident', to_jsonb(i),
    'events', coalesce((select jsonb_agg(to_jsonb(e) - 'incident_id' - 'id' order by e.at, e.id)
      from public.incident_events e where e.incident_id = i.id), '[]'),
    'alerts', public.grouped_alerts(i.id) || jsonb_build_object('latest', coalesce((
      select jsonb_agg(to_jsonb(t) - 'id' order by t.received_at desc, t.id desc) from (
        select a.id, a.source, a.fingerprint, a.status, a.starts_at, a.ends_at, a.severity, a.title, a.target, a.namespace, a.times,
          a.received_at, a.last_received_at, a.decision, a.rule
        from public.alerts a where a.incident_id = i.id order by a.received_at desc, a.id desc limit 100) t), '[]')),
    'triage', (select t.result from public.triages t where t.incident_id = i.id order by t.created_at desc limit 1),
    'observation', (select public.observation_json(o) from public.observations o where o.id = i.observation_id),
    'steps', public.incident_steps_json(i.id),
    'run', (select jsonb_build_object('started_at', r.started_at,
        'attempt', (select count(*) from public.runs n where n.incident_id = i.id))
      from public.runs r where r.incident_id = i.id and r.finished_at is null order by r.started_at desc limit 1))
  from public.incidents i where i.id = p_id;
$$;
comment on function public.get_incident(uuid) is
  'An incident with its timeline, its grouped alerts (the newest 100), its latest triage, its observation, its ticked steps and the run that is active ({started_at, attempt}, else null); null if there is none.';

-- Reopening.

alter table public.fix_tries add column reopened_at timestamptz;
comment on column public.fix_tries.reopened_at is
  'When the incident that it resolved was reopened; null if it was not. The failure came back then.';

create or replace function public.refresh_returns(p_id uuid) returns void
language sql set search_path = '' as $$
  with tries as (
    select t.fix_id, t.incident_id, t.at, i.target, t.helped and t.corrected_at is null as counts, t.reopened_at,
      min(t.at) filter (where t.helped and t.corrected_at is null) over (
        partition by i.target, t.helped and t.corrected_at is null order by t.at groups between 1 following and 1 following) as next_at
    from public.fixes f
    join public.fix_tries t on t.fix_id = f.id
    join public.incidents i on i.id = t.incident_id
    where f.observation_id = p_id
  ), returns as (
    select t.fix_id, t.incident_id, case when t.counts then least(t.reopened_at, (
      select min(i.created_at) from public.incidents i
      where i.observation_id = p_id and i.id <> t.incident_id and i.target is not distinct from t.target
        and i.created_at > t.at and i.created_at <= coalesce(t.next_at, 'infinity'))) end as at
    from tries t
  )
  update public.fix_tries t set came_back_at = r.at
  from returns r where r.fix_id = t.fix_id and r.incident_id = t.incident_id and t.came_back_at is distinct from r.at;
$$;
comment on function public.refresh_returns(uuid) is
  'Derives came_back_at of a record''s tries: the first report on the same service after the newest try that had helped there, or the time when its incident was reopened, whichever was earlier.';

create or replace function public.unite_fixes(p_id uuid) returns void
language plpgsql set search_path = '' as $$
declare
  v_pair record;
begin
  for v_pair in
    select t.id, t.kept from (
      select f.id, first_value(f.id) over (
        partition by f.fingerprint, public.fix_key(f.text) order by f.created_at, f.id) as kept
      from public.fixes f where f.observation_id = p_id) t
    where t.id <> t.kept
  loop
    insert into public.fix_tries (fix_id, incident_id, at, by_name, helped, resolved, conditions, came_back_at, corrected_at,
      caller, by_admin, reopened_at)
    select v_pair.kept, t.incident_id, t.at, t.by_name, t.helped, t.resolved, t.conditions, t.came_back_at, t.corrected_at,
      t.caller, t.by_admin, t.reopened_at
    from public.fix_tries t where t.fix_id = v_pair.id
    on conflict do nothing;
    update public.fixes f set conditions = coalesce(f.conditions, d.conditions)
    from public.fixes d where f.id = v_pair.kept and d.id = v_pair.id;
    update public.fixes f set retired_by = v_pair.kept where f.retired_by = v_pair.id and f.id <> v_pair.kept;
    delete from public.fixes f where f.id = v_pair.id;
  end loop;
end $$;

create function public.reopen_incident(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_incident public.incidents;
  v_past_answer public.past_answers;
  v_pending jsonb := '[]';
begin
  select * into v_incident from public.incidents i where i.id = (p ->> 'incident_id')::uuid for update;
  if not found then
    return jsonb_build_object('state', 'not_found');
  elsif v_incident.status <> 'resolved' then
    return jsonb_build_object('state', 'open', 'found', public.get_incident(v_incident.id));
  end if;
  update public.incidents i
  set resolution = null, resolved_by = null, resolved_by_caller = null, resolved_at = null, worked = null,
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
  -- The fix had helped and did not last. It is no longer the resolution, so another fix does not correct it.
  update public.fix_tries t
  set reopened_at = v_now, came_back_at = least(t.came_back_at, v_now), resolved = false
  where t.incident_id = v_incident.id and t.resolved and t.helped and t.corrected_at is null;
  update public.observations o set worked = null
  where o.id = v_incident.observation_id and o.resolved_incident_id = v_incident.id;
  if p ? 'past_answer' then
    update public.past_answers a
    set answer = p #>> '{past_answer,answer}', content_hash = p #>> '{past_answer,content_hash}'
    where a.id = (p #>> '{past_answer,id}')::uuid and not a.is_summary and a.compressed_at is null
    returning * into v_past_answer;
    if found then
      v_pending := public.store_document('past_answers', public.past_answer_document(v_past_answer), v_now,
        (p ->> 'claim_until')::timestamptz);
    end if;
  end if;
  return jsonb_build_object('state', 'reopened', 'pending', v_pending, 'found', public.get_incident(v_incident.id));
end $$;
comment on function public.reopen_incident(jsonb) is
  'Opens a resolved incident again: {now, claim_until, incident_id, by, reason, past_answer?: {id, answer, content_hash}}. Its fix stays on record as one that helped and came back; past_answer is the answer without it. Returns state not_found, open with the incident (it is not resolved), or reopened.';

-- The domain.

create function public.move_record(
  p_id uuid, p_into uuid, p_domain text, p_now timestamptz, p_claim_until timestamptz
) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_pending jsonb := '[]';
begin
  if p_into is not null then
    v_pending := public.merge_observation(p_into, p_id, p_now, p_claim_until);
    perform public.refresh_observation(p_into, p_now);
    return v_pending;
  end if;
  update public.observation_fingerprints f set domain = p_domain where f.observation_id = p_id;
  update public.memory_judgements j set domain = p_domain where j.observation_id = p_id;
  update public.observations o set domain = p_domain, version = o.version + 1 where o.id = p_id;
  return v_pending;
end $$;
comment on function public.move_record(uuid, uuid, text, timestamptz, timestamptz) is
  'Moves a record to another domain, into the record p_into of that domain if there is one. The caller stores the documents. Returns the outbox entries.';

create function public.correct_domain(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_id uuid := (p ->> 'incident_id')::uuid;
  v_domain text := p ->> 'domain';
  v_described public.observations := jsonb_populate_record(null::public.observations, p -> 'row');
  v_incident public.incidents;
  v_record uuid;
  v_fingerprint text;
  v_target uuid;
  v_changed uuid[];
  v_past_answer public.past_answers;
  v_pending jsonb := '[]';
  v_detail text;
begin
  select i.observation_id, i.fingerprint into v_record, v_fingerprint from public.incidents i where i.id = v_id;
  v_target := public.record_of_fingerprint(v_domain, v_fingerprint);
  perform public.lock_reports(array_remove(array[v_record, v_target], null), array_remove(array[v_fingerprint], null));
  select * into v_incident from public.incidents i where i.id = v_id for update;
  if not found then
    return jsonb_build_object('state', 'not_found');
  elsif v_incident.observation_id is distinct from v_record then
    return jsonb_build_object('state', 'changed');
  end if;
  if v_incident.domain <> v_domain and v_record is not null then
    if not exists (select 1 from public.incidents i where i.observation_id = v_record and i.id <> v_id) then
      v_pending := public.move_record(v_record, v_target, v_domain, v_now, v_claim_until);
      v_changed := array[coalesce(v_target, v_record)];
    else
      -- The other reports keep the record and its text.
      if v_target is null and v_described.incident_id is distinct from v_id then
        return jsonb_build_object('state', 'describe', 'found', public.get_incident(v_id));
      elsif v_target is null then
        v_target := case when v_record = v_id then (p ->> 'new_id')::uuid else v_id end;
        v_described.domain := v_domain;
        perform public.insert_observation(v_target, v_described, v_now);
      end if;
      update public.observations o set version = o.version + 1, joined_ids = array_remove(o.joined_ids, v_target) where o.id = v_record;
      perform public.move_reports(v_record, v_target, array[v_id]);
      perform public.refresh_observation(v_record, v_now);
      perform public.refresh_observation(v_target, v_now);
      v_changed := array[v_record, v_target];
    end if;
  end if;
  update public.incidents i set domain = v_domain, domain_rule = p ->> 'rule' where i.id = v_id;
  update public.alerts a set domain = v_domain where a.incident_id = v_id;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (v_id, v_now, 'domain_corrected', jsonb_strip_nulls(jsonb_build_object('domain', v_domain, 'was', v_incident.domain, 'by', p -> 'by')));
  for v_past_answer in
    update public.past_answers a set domain = v_domain, metadata = a.metadata || jsonb_build_object('domain', v_domain)
    where a.triage_id in (select t.id from public.triages t where t.incident_id = v_id) and a.domain <> v_domain
      and a.compressed_at is null
    returning *
  loop
    v_pending := v_pending || public.store_document('past_answers', public.past_answer_document(v_past_answer), v_now, v_claim_until);
  end loop;
  if v_changed is not null then
    v_pending := v_pending || public.store_revised_documents(v_changed, p -> 'revised', v_now, v_claim_until);
  end if;
  return jsonb_build_object('state', 'corrected', 'pending', v_pending, 'found', public.get_incident(v_id));
exception when sqlstate 'DJ001' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return jsonb_build_object('state', 'revise', 'observations', v_detail::jsonb);
end $$;
comment on function public.correct_domain(jsonb) is
  'Corrects the domain of an incident: {now, claim_until, incident_id, domain, rule, by, new_id, row?, revised?}. Its memory follows: its record moves if it holds no other report, else the report gets a record of its own; an existing record of the same fingerprint takes it. Nothing is stored unless the state is corrected. Returns state not_found; changed: call again; describe with the incident that the call must be repeated with as row; revise with the observations that it must be repeated with the documents of (see store_revised_documents); or corrected with the incident.';

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
  'The incident with this id, else one of the record with this id, but never p_except: as get_incident returns it.';

insert into public.restricted_functions (name)
select unnest('{set_incident_step, reopen_incident, correct_domain, incident_to_compare, get_documents}'::text[]);

call public.restrict_to_service_role();
