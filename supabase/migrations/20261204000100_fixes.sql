-- Writing and reading records of failures with their fixes. A transaction locks in this order: the incident, the fingerprint,
-- the records by id, the collections.

-- Recognition.

create function public.record_of_fingerprint(p_domain text, p_fingerprint text) returns uuid
language sql stable set search_path = '' as $$
  select case when count(*) = 1 then (array_agg(t.observation_id))[1] end from (
    select f.observation_id from public.observation_fingerprints f
    where f.domain = p_domain and f.fingerprint = p_fingerprint limit 2) t;
$$;
comment on function public.record_of_fingerprint(text, text) is
  'The record that a fingerprint leads to; null for an unknown one, and for one of several records.';

create function public.record_of_report(p_incident_id uuid, p_domain text, p_fingerprint text, p_repeat_of uuid default null) returns uuid
language plpgsql set search_path = '' as $$
declare
  v_id uuid;
begin
  -- Parallel first reports of one failure meet here.
  perform pg_advisory_xact_lock(hashtextextended(p_domain || p_fingerprint, 0));
  select i.observation_id into v_id from public.incidents i where i.id = p_incident_id;
  return coalesce(v_id, public.record_of_fingerprint(p_domain, p_fingerprint),
    (select o.id from public.observations o where o.id = p_repeat_of and o.domain = p_domain));
end $$;
comment on function public.record_of_report(uuid, text, text, uuid) is
  'The record that a report belongs to: that of its incident, else the one of its fingerprint, else p_repeat_of if it exists in the domain, else null. Other reports of this fingerprint wait until the end of the transaction.';

create function public.lock_observations(p_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  perform 1 from public.observations o where o.id = any (p_ids) order by o.id for update;
end $$;
comment on function public.lock_observations(uuid[]) is 'Locks records in the order of their ids, so that writers never deadlock.';

create function public.shown_to(p_incident_id uuid) returns uuid[]
language sql stable set search_path = '' as $$
  select coalesce(array_agg(s.observation_id), '{}') from public.shown_memories s where s.incident_id = p_incident_id;
$$;
comment on function public.shown_to(uuid) is 'The records that the answers to an incident showed.';

-- Reports.

create function public.create_observation(p_new public.observations, p_now timestamptz) returns boolean
language plpgsql set search_path = '' as $$
begin
  insert into public.observations (id, domain, fingerprint, created_at, incident_id, title, narrative, facts, task, task_type,
    target, severity, final_score, written_by, first_seen_at, last_seen_at, seen_at, signature, signature_version, targets)
  values (p_new.incident_id, p_new.domain, p_new.fingerprint, p_now, p_new.incident_id, p_new.title, p_new.narrative, p_new.facts,
    p_new.task, p_new.task_type, p_new.target, p_new.severity, p_new.final_score, p_new.written_by, p_new.first_seen_at,
    p_new.first_seen_at, array[p_new.first_seen_at], p_new.signature, p_new.signature_version,
    array_remove(array[p_new.target], null))
  on conflict (id) do nothing;
  if not found then
    return false;
  end if;
  insert into public.observation_fingerprints (domain, fingerprint, observation_id)
  values (p_new.domain, p_new.fingerprint, p_new.incident_id);
  update public.incidents i set observation_id = p_new.incident_id, fingerprint = p_new.fingerprint where i.id = p_new.incident_id;
  return true;
end $$;
comment on function public.create_observation(public.observations, timestamptz) is
  'Stores the record of a new failure, with the id of its incident; false if there is one with this id.';

create function public.join_observation(p_new public.observations, p_id uuid) returns void
language plpgsql set search_path = '' as $$
begin
  insert into public.observation_fingerprints (domain, fingerprint, observation_id)
  select o.domain, p_new.fingerprint, o.id from public.observations o where o.id = p_id
  on conflict do nothing;
  update public.incidents i set fingerprint = p_new.fingerprint where i.id = p_new.incident_id;
  update public.incidents i set observation_id = p_id where i.id = p_new.incident_id and i.observation_id is null;
  if not found then
    return; -- counted before
  end if;
  update public.observations o
  set occurrences = o.occurrences + 1, first_seen_at = least(o.first_seen_at, p_new.first_seen_at),
    last_seen_at = greatest(o.last_seen_at, p_new.first_seen_at),
    seen_at = (select array_agg(t.at order by t.at) from (
      select u.at from unnest(o.seen_at || p_new.first_seen_at) as u (at) order by u.at desc limit 20) t),
    targets = case when p_new.target is null then o.targets
      else (array[p_new.target] || array_remove(o.targets, p_new.target))[1:20] end
  where o.id = p_id;
  -- The failure is back on a service where a fix had helped.
  update public.fix_tries t set came_back_at = p_new.first_seen_at
  from (
    select h.fix_id, h.incident_id from public.fixes f
    join public.fix_tries h on h.fix_id = f.id and h.helped and h.corrected_at is null and h.at < p_new.first_seen_at
    join public.incidents i on i.id = h.incident_id and i.target is not distinct from p_new.target
    where f.observation_id = p_id and h.incident_id <> p_new.incident_id order by h.at desc limit 1
  ) newest
  where t.fix_id = newest.fix_id and t.incident_id = newest.incident_id and t.came_back_at is null;
end $$;
comment on function public.join_observation(public.observations, uuid) is
  'Adds a report to the record of its failure: its fingerprint, and once for each incident the count, dates and service. If a fix had helped on this service before the report, its newest try came back.';

create or replace function public.record_observation(p jsonb, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_new public.observations := jsonb_populate_record(null::public.observations, p -> 'row');
  v_id uuid := public.record_of_report(v_new.incident_id, v_new.domain, v_new.fingerprint, (p ->> 'repeat_of')::uuid);
  v_existing public.observations;
begin
  if v_id is null then
    -- Without a document, the failure was deleted concurrently. Its next repeat creates a new record.
    if p -> 'document' = 'null' or p -> 'replaces' <> 'null' or not public.create_observation(v_new, p_now) then
      return '[]';
    end if;
    return public.store_document('incidents', p -> 'document', p_now, p_claim_until);
  end if;
  select * into v_existing from public.observations o where o.id = v_id for update;
  if not found then
    return '[]'; -- deleted concurrently
  end if;
  perform public.join_observation(v_new, v_id);
  -- Replace the text with the better one, unless the record changed since the caller read it.
  if p -> 'document' = 'null' or (p #>> '{replaces,id}')::uuid is distinct from v_existing.id
    or (p #>> '{replaces,version}')::integer is distinct from v_existing.version then
    return '[]';
  end if;
  update public.observations o
  set version = o.version + 1, created_at = p_now, incident_id = v_new.incident_id, title = v_new.title,
    narrative = v_new.narrative, facts = v_new.facts, task = v_new.task, target = v_new.target, severity = v_new.severity,
    final_score = v_new.final_score, written_by = v_new.written_by, fingerprint = v_new.fingerprint,
    signature = v_new.signature, signature_version = v_new.signature_version,
    review_score = null -- the review was of the replaced text
  where o.id = v_existing.id;
  return public.store_document('incidents', p -> 'document', p_now, p_claim_until);
end $$;
comment on function public.record_observation(jsonb, timestamptz, timestamptz) is
  'Stores the observation of a finished investigation: {row, document, replaces, repeat_of}. A repeat (see record_of_report) is counted. Its text replaces the stored one if replaces is the current {id, version}. With document null it is only counted. Returns the outbox entries.';

-- Fixes.

create function public.record_fix_try(
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
    update public.fixes f set conditions = coalesce(p_try ->> 'conditions', f.conditions) where f.id = v_fix;
  end if;
  insert into public.fix_tries as t (fix_id, incident_id, at, by_name, helped, resolved, conditions)
  values (v_fix, p_incident_id, p_now, p_try ->> 'by', (p_try ->> 'helped')::boolean,
    coalesce((p_try ->> 'resolved')::boolean, false), p_try ->> 'conditions')
  on conflict (fix_id, incident_id) do update
  set at = excluded.at, by_name = excluded.by_name, helped = excluded.helped,
    resolved = excluded.helped and (t.resolved or excluded.resolved), conditions = coalesce(excluded.conditions, t.conditions),
    came_back_at = case when t.helped and excluded.helped and t.corrected_at is null then t.came_back_at end, corrected_at = null;
  return v_fix;
end $$;
comment on function public.record_fix_try(uuid, uuid, text, jsonb, timestamptz) is
  'Adds a try to the proof of a fix, once for each incident: {id, text, by, conditions, fix_id?, helped, resolved?}. The fix is that of fix_id, else the one with the same action, else a new one with this id. Returns its id. The caller settles the record''s fixes.';

create function public.settle_fixes(p_observation_id uuid, p_now timestamptz, p_latest uuid default null) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.fixes f
  where f.observation_id = p_observation_id and not exists (select 1 from public.fix_tries t where t.fix_id = f.id);
  with proofs as (
    select f.id, f.fingerprint, f.created_at, f.retired_at, count(t.at) as tried, max(t.at) filter (where t.helped) as helped_at
    from public.fixes f left join public.fix_tries t on t.fix_id = f.id and t.corrected_at is null
    where f.observation_id = p_observation_id group by f.id
  ), current as (
    select distinct on (p.fingerprint) p.fingerprint, p.id from proofs p where p.helped_at is not null
    order by p.fingerprint, p.id = p_latest desc nulls last, p.helped_at desc, p.retired_at is null desc, p.created_at desc, p.id
  ), states as (
    select p.id, coalesce(c.id, p_latest) as newer,
      case when p.tried = 0 then 'corrected' when p.helped_at is not null and c.id <> p.id then 'a newer fix' end as reason
    from proofs p left join current c on c.fingerprint = p.fingerprint
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
  'Brings the fixes of a record up to date after their tries changed; p_latest is the fix that just helped. Of the fixes of one fingerprint that helped, the latest is active and the others are retired. A fix whose tries were all corrected is retired; one without tries is deleted. The resolution of the record is its latest active fix that helped.';

create function public.get_fix(p_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', f.id, 'observation_id', f.observation_id, 'text', f.text) from public.fixes f where f.id = p_id;
$$;
comment on function public.get_fix(uuid) is 'A fix: {id, observation_id, text}; null if there is none.';

-- Shown records.

create function public.record_shown_memories(
  p_incident_id uuid, p_ids uuid[], p_repeat_of uuid, p_limit integer, p_now timestamptz
) returns void
language sql set search_path = '' as $$
  with shown as (
    insert into public.shown_memories (observation_id, incident_id, shown_at)
    select o.id, p_incident_id, p_now from public.observations o where o.id = any (p_ids)
    on conflict do nothing returning observation_id, (observation_id is distinct from p_repeat_of)::integer as is_other
  )
  update public.observations o
  set shown_count = o.shown_count + 1, shows_since_help = o.shows_since_help + shown.is_other,
    inactive_at = coalesce(o.inactive_at,
      case when p_limit > 0 and shown.is_other = 1 and o.shows_since_help + 1 >= p_limit then p_now end)
  from shown where shown.observation_id = o.id;
$$;
comment on function public.record_shown_memories(uuid, uuid[], uuid, integer, timestamptz) is
  'Counts the records that an answer shows, once for each incident. A record that p_limit incidents saw since it helped last goes inactive; never with 0. An incident that repeats its failure, p_repeat_of, does not count for that.';

create function public.credit_memories(p_incident_id uuid, p_ids uuid[], p_now timestamptz) returns void
language sql set search_path = '' as $$
  with credited as (
    update public.shown_memories s set helped = true
    where s.incident_id = p_incident_id and s.observation_id = any (p_ids) and not s.helped returning s.observation_id
  )
  update public.observations o
  set helped_count = o.helped_count + 1, last_helped_at = p_now, shows_since_help = 0, inactive_at = null
  from credited c where c.observation_id = o.id;
$$;
comment on function public.credit_memories(uuid, uuid[], timestamptz) is
  'Notes that records helped an incident that was shown them, once for each incident. An inactive one is recalled again.';

create function public.credit_resolution(
  p_incident_id uuid, p_observation_id uuid, p_fix jsonb, p_worked boolean, p_now timestamptz
) returns void
language plpgsql set search_path = '' as $$
begin
  perform public.credit_memories(p_incident_id, array(
    select s.observation_id from public.shown_memories s
    where s.incident_id = p_incident_id and (p_worked or (s.observation_id = p_observation_id and p_worked is not false)
      or exists (select 1 from public.fixes f join public.fix_tries t on t.fix_id = f.id and t.helped and t.corrected_at is null
        where f.observation_id = s.observation_id
          and (f.id = (p_fix ->> 'fix_id')::uuid or public.fix_key(f.text) = public.fix_key(p_fix ->> 'text'))))), p_now);
  -- A fix that helped keeps its record in use, however people came to it.
  update public.observations o set last_helped_at = p_now, shows_since_help = 0, inactive_at = null where o.id = p_observation_id;
end $$;
comment on function public.credit_resolution(uuid, uuid, jsonb, boolean, timestamptz) is
  'Notes which shown records helped an incident that a fix of the record p_observation_id helped: all of them if the answer worked, and those with this fix, and that record unless the answer did not work. To be called before the fix is recorded.';

-- Resolutions and tries.

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
    worked = coalesce(v_worked, i.worked)
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
  'Records the fix of an incident: {now, claim_until, incident_id, fix: {id, text, by, conditions, fix_id?}, did_not_help: [the same], worked, observation?: {row, document, replaces}, past_answer?: {id, answer, content_hash}}. The fix gets a try that helped (see record_fix_try, settle_fixes), the actions of did_not_help one that did not. A fix that resolved this incident before is corrected. Returns state not_found, changed (the observation is not the version in replaces), or resolved.';

create function public.store_revised_document(
  o public.observations, p_revised jsonb, p_now timestamptz, p_claim_until timestamptz
) returns jsonb
language plpgsql set search_path = '' as $$
begin
  if (p_revised ->> 'version')::integer is distinct from o.version or p_revised ->> 'resolution' is distinct from o.resolution
    or p_revised ->> 'resolved_by' is distinct from o.resolved_by then
    raise exception 'The document of the record must be written anew.'
      using errcode = 'DJ001', detail = public.observation_json(o);
  end if;
  return public.store_document('incidents', p_revised -> 'document', p_now, p_claim_until);
end $$;
comment on function public.store_revised_document(public.observations, jsonb, timestamptz, timestamptz) is
  'Stores the document of a record whose resolution changed: {version, resolution, resolved_by, document}. If the caller has none, or one of another state, raises DJ001 with the record as detail: only the Worker can write a document.';

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
      perform public.credit_resolution(v_id, v_record, p -> 'try', null, v_now);
    end if;
    v_fix := public.record_fix_try(v_record, v_id, v_new.fingerprint, p -> 'try', v_now);
    perform public.settle_fixes(v_record, v_now, case when v_helped then v_fix end);
    select * into v_after from public.observations o where o.id = v_record;
    if v_before.id is null or v_after.resolution is distinct from v_before.resolution
      or v_after.resolved_by is distinct from v_before.resolved_by then
      update public.observations o set version = o.version + 1 where o.id = v_record returning * into v_after;
      v_pending := public.store_revised_document(v_after, p -> 'revised', v_now, (p ->> 'claim_until')::timestamptz);
    end if;
  end if;
  return jsonb_build_object('state', 'recorded', 'pending', v_pending, 'found', public.get_incident(v_id));
exception when sqlstate 'DJ001' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return jsonb_build_object('state', 'revise', 'observation', v_detail::jsonb);
end $$;
comment on function public.record_try(jsonb) is
  'Records that an action was tried in an incident: {now, claim_until, incident_id, try: {id, text, by, conditions, fix_id?, helped}, row?, revised?}. row is the observation of its report; without it, only the timeline has the try. Returns state not_found, recorded, or revise: nothing is stored, and the call must be repeated with the document of this observation (see store_revised_document).';

call public.restrict_to_service_role();
