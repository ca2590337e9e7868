-- Authors of fixes: a fix is replaced only by the caller who recorded it, or by an admin.

alter table public.incidents add column resolved_by_caller text;
comment on column public.incidents.resolved_by_caller is
  'The caller who recorded the resolution: a token''s id, "service", or a person of the chat; null if it was not recorded.';

alter table public.fix_tries
  add column caller text,
  add column by_admin boolean not null default false;
comment on column public.fix_tries.caller is
  'The caller who reported it: a token''s id, "service", or a person of the chat; null if it was not recorded.';
comment on column public.fix_tries.by_admin is 'Whether that caller may replace the fixes of others.';

create function public.may_replace_fix(p_incident_id uuid, p_caller text, p_is_admin boolean) returns boolean
language sql stable set search_path = '' as $$
  select coalesce(p_is_admin, false) or not exists (
    select 1 from public.incidents i
    where i.id = p_incident_id and i.resolution is not null and i.resolved_by_caller is distinct from p_caller);
$$;
comment on function public.may_replace_fix(uuid, text, boolean) is
  'Whether a caller may resolve an incident: it has no recorded fix, or one of this caller, or the caller is an admin.';

create or replace function public.record_fix_try(
  p_observation_id uuid, p_incident_id uuid, p_fingerprint text, p_try jsonb, p_now timestamptz
) returns uuid
language plpgsql set search_path = '' as $$
declare
  v_fix uuid;
begin
  select f.id into v_fix from public.fixes f
  where f.observation_id = p_observation_id
    and (f.id = (p_try ->> 'fix_id')::uuid or public.fix_key(f.text) = public.fix_key(p_try ->> 'text'))
  order by f.id = (p_try ->> 'fix_id')::uuid desc nulls last, f.fingerprint = p_fingerprint desc, f.created_at, f.id limit 1;
  if v_fix is null then
    v_fix := (p_try ->> 'id')::uuid;
    insert into public.fixes (id, observation_id, fingerprint, text, conditions, created_at)
    values (v_fix, p_observation_id, p_fingerprint, p_try ->> 'text', p_try ->> 'conditions', p_now);
  else
    update public.fixes f set conditions = coalesce(p_try ->> 'conditions', f.conditions)
    where f.id = v_fix and (f.conditions is null or (p_try ->> 'is_admin')::boolean
      or p_try ->> 'caller' = (select t.caller from public.fix_tries t where t.fix_id = v_fix order by t.at limit 1));
  end if;
  insert into public.fix_tries as t (fix_id, incident_id, at, by_name, helped, resolved, conditions, caller, by_admin)
  values (v_fix, p_incident_id, p_now, p_try ->> 'by', (p_try ->> 'helped')::boolean,
    coalesce((p_try ->> 'resolved')::boolean, false), p_try ->> 'conditions',
    p_try ->> 'caller', coalesce((p_try ->> 'is_admin')::boolean, false))
  on conflict (fix_id, incident_id) do update
  set at = excluded.at, by_name = excluded.by_name, helped = excluded.helped,
    resolved = excluded.helped and (t.resolved or excluded.resolved), conditions = coalesce(excluded.conditions, t.conditions),
    came_back_at = case when t.helped and excluded.helped and t.corrected_at is null then t.came_back_at end, corrected_at = null, caller = excluded.caller, by_admin = excluded.by_admin
  -- Nobody rewrites what another person reported. The resolution of the incident counts more than a try.
  where t.caller = excluded.caller or excluded.by_admin or (excluded.resolved and not t.resolved);
  return v_fix;
end $$;
comment on function public.record_fix_try(uuid, uuid, text, jsonb, timestamptz) is
  'Adds a try to the proof of a fix, once for each incident: {id, text, by, conditions, fix_id?, helped, resolved?, caller, is_admin}. The try of another caller in the same incident stays, except for an admin and for the resolution; so do the conditions of their fix. The fix is that of fix_id, else the one with the same action, else a new one with this id. Returns its id. The caller settles the record''s fixes.';

create or replace function public.settle_fixes(p_observation_id uuid, p_now timestamptz, p_latest uuid default null) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.fixes f
  where f.observation_id = p_observation_id and not exists (select 1 from public.fix_tries t where t.fix_id = f.id);
  with proofs as (
    select f.id, f.fingerprint, f.created_at, f.retired_at, count(t.at) as tried, max(t.at) filter (where t.helped) as helped_at,
      (array_agg(t.caller order by t.at))[1] as author,
      (array_agg(t.caller order by t.at desc) filter (where t.helped))[1] as helper,
      coalesce((array_agg(t.by_admin order by t.at desc) filter (where t.helped))[1], false) as by_admin
    from public.fixes f left join public.fix_tries t on t.fix_id = f.id and t.corrected_at is null
    where f.observation_id = p_observation_id group by f.id
  ), ranked as (
    select p.fingerprint, p.id, p.author, p.helper, p.by_admin, row_number() over (partition by p.fingerprint
      order by p.id = p_latest desc nulls last, p.helped_at desc, p.retired_at is null desc, p.created_at desc, p.id) as place
    from proofs p where p.helped_at is not null
  ), replaced as (
    select distinct on (o.id) o.id, n.id as newer
    from ranked o
    join ranked n on n.fingerprint = o.fingerprint and n.place < o.place
      and (o.author is null or n.helper = o.author or n.by_admin)
    order by o.id, n.place
  ), states as (
    select p.id, coalesce(r.newer, (select c.id from ranked c where c.fingerprint = p.fingerprint and c.place = 1), p_latest) as newer,
      case when p.tried = 0 then 'corrected' when r.newer is not null then 'a newer fix' end as reason
    from proofs p left join replaced r on r.id = p.id
  )
  update public.fixes f
  set retired_reason = s.reason,
    retired_at = case when s.reason is null then null when f.retired_reason = s.reason then f.retired_at else p_now end,
    retired_by = case when s.reason is null then null when f.retired_reason = s.reason then coalesce(f.retired_by, s.newer) else s.newer end
  from states s
  where s.id = f.id and (s.reason is distinct from f.retired_reason or (s.reason is not null and f.retired_by is null));
  update public.observations o
  set (resolution, resolved_by, resolved_at, resolved_incident_id, worked) = (
    select f.text, t.by_name, t.at, t.incident_id, i.worked
    from public.fixes f
    join public.fix_tries t on t.fix_id = f.id and t.helped and t.corrected_at is null
    join public.incidents i on i.id = t.incident_id
    where f.observation_id = o.id and f.retired_at is null
    order by f.id = p_latest desc nulls last, t.at desc, f.created_at desc, f.id limit 1)
  where o.id = p_observation_id;
end $$;
comment on function public.settle_fixes(uuid, timestamptz, uuid) is
  'Brings the fixes of a record up to date after their tries changed; p_latest is the fix that just helped. Of the fixes of one fingerprint that helped, a later one retires those of its own caller and those without a known one; that of an admin retires all. A fix whose tries were all corrected is retired; one without tries is deleted. The resolution of the record is its latest active fix that helped.';

create or replace function public.resolve_incident(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_id uuid := (p ->> 'incident_id')::uuid;
  v_worked boolean := (p ->> 'worked')::boolean;
  v_new public.observations := jsonb_populate_record(null::public.observations, p #> '{observation,row}');
  v_record uuid;
  v_observation public.observations;
  v_fix uuid;
  v_past_answer public.past_answers;
  v_procedure record;
  v_pending jsonb := '[]';
begin
  perform 1 from public.incidents i where i.id = v_id for update;
  if not found then
    return jsonb_build_object('state', 'not_found');
  end if;
  if not public.may_replace_fix(v_id, p #>> '{fix,caller}', (p #>> '{fix,is_admin}')::boolean) then
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
    perform public.credit_resolution(v_id, v_record, p -> 'fix', v_worked, v_now);
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
  'Records the fix of an incident: {now, claim_until, incident_id, fix: {id, text, by, conditions, fix_id?, caller, is_admin}, did_not_help: [the same], worked, observation?: {row, document, replaces}, past_answer?: {id, answer, content_hash}}. The fix gets a try that helped (see record_fix_try, settle_fixes), the actions of did_not_help one that did not. A fix that resolved this incident before is corrected. Returns state not_found, of_another with the incident (another caller resolved it, see may_replace_fix), changed (the observation is not the version in replaces), or resolved.';

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
      caller, by_admin)
    select v_pair.kept, t.incident_id, t.at, t.by_name, t.helped, t.resolved, t.conditions, t.came_back_at, t.corrected_at,
      t.caller, t.by_admin
    from public.fix_tries t where t.fix_id = v_pair.id
    on conflict do nothing;
    update public.fixes f set conditions = coalesce(f.conditions, d.conditions)
    from public.fixes d where f.id = v_pair.kept and d.id = v_pair.id;
    update public.fixes f set retired_by = v_pair.kept where f.retired_by = v_pair.id and f.id <> v_pair.kept;
    delete from public.fixes f where f.id = v_pair.id;
  end loop;
end $$;
comment on function public.unite_fixes(uuid) is 'Makes one fix of the fixes of a record that have the same action and fingerprint.';

create or replace function public.adopt_resolutions(p_id uuid) returns void
language plpgsql set search_path = '' as $$
declare
  v_incident public.incidents;
begin
  for v_incident in
    select i.* from public.incidents i
    where i.observation_id = p_id and i.resolution is not null
      and not exists (
        select 1 from public.fix_tries t join public.fixes f on f.id = t.fix_id
        where t.incident_id = i.id
          and ((t.resolved and t.corrected_at is null) or public.fix_key(f.text) = public.fix_key(i.resolution)))
    order by i.resolved_at, i.id
  loop
    perform public.record_fix_try(p_id, v_incident.id,
      coalesce(v_incident.fingerprint, (select o.fingerprint from public.observations o where o.id = p_id)),
      jsonb_build_object('id', gen_random_uuid(), 'text', v_incident.resolution, 'by', v_incident.resolved_by, 'helped', true,
        'resolved', true, 'caller', v_incident.resolved_by_caller), v_incident.resolved_at);
  end loop;
end $$;
comment on function public.adopt_resolutions(uuid) is
  'Adds the resolutions of a record''s incidents to the proofs of its fixes, where they are missing. The caller settles the fixes.';

call public.restrict_to_service_role();
