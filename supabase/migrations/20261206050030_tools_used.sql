-- The sources that were asked for the text of an observation.

alter table public.observations add column tools_used text not null default '';
comment on column public.observations.tools_used is
  'Comma-joined names of the sources that the investigation asked; empty where no triage finished, and for texts from before this column.';

create or replace function public.create_observation(p_new public.observations, p_now timestamptz) returns boolean
language plpgsql set search_path = '' as $$
begin
  insert into public.observations (id, domain, fingerprint, created_at, incident_id, title, narrative, facts, task, task_type,
    target, severity, final_score, written_by, first_seen_at, last_seen_at, seen_at, signature, signature_version, targets,
    tools_used)
  values (p_new.incident_id, p_new.domain, p_new.fingerprint, p_now, p_new.incident_id, p_new.title, p_new.narrative, p_new.facts,
    p_new.task, p_new.task_type, p_new.target, p_new.severity, p_new.final_score, p_new.written_by, p_new.first_seen_at,
    p_new.first_seen_at, array[p_new.first_seen_at], p_new.signature, p_new.signature_version,
    array_remove(array[p_new.target], null), coalesce(p_new.tools_used, ''))
  on conflict (id) do nothing;
  if not found then
    return false;
  end if;
  insert into public.observation_fingerprints (domain, fingerprint, observation_id)
  values (p_new.domain, p_new.fingerprint, p_new.incident_id);
  update public.incidents i set observation_id = p_new.incident_id, fingerprint = p_new.fingerprint where i.id = p_new.incident_id;
  return true;
end $$;
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
    tools_used = coalesce(v_new.tools_used, ''),
    review_score = null -- the review was of the replaced text
  where o.id = v_existing.id;
  return public.store_document('incidents', p -> 'document', p_now, p_claim_until);
end $$;
create or replace function public.insert_observation(p_id uuid, p_text public.observations, p_now timestamptz) returns void
language sql set search_path = '' as $$
  insert into public.observations (id, domain, fingerprint, created_at, incident_id, title, narrative, facts, task, task_type,
    target, severity, final_score, review_score, written_by, first_seen_at, last_seen_at, seen_at, signature, signature_version,
    tools_used)
  values (p_id, p_text.domain, p_text.fingerprint, coalesce(p_text.created_at, p_now), p_text.incident_id, p_text.title,
    p_text.narrative, p_text.facts, p_text.task, p_text.task_type, p_text.target, p_text.severity, p_text.final_score,
    p_text.review_score, p_text.written_by, p_text.first_seen_at, p_text.first_seen_at, array[p_text.first_seen_at],
    p_text.signature, p_text.signature_version, coalesce(p_text.tools_used, ''));
$$;
create or replace function public.replace_text(p_id uuid, p_text public.observations, p_now timestamptz) returns void
language sql set search_path = '' as $$
  update public.observations o
  set created_at = p_now, incident_id = p_text.incident_id, title = p_text.title, narrative = p_text.narrative,
    facts = p_text.facts, task = p_text.task, task_type = p_text.task_type, target = p_text.target, severity = p_text.severity,
    final_score = p_text.final_score, written_by = p_text.written_by, fingerprint = p_text.fingerprint,
    signature = p_text.signature, signature_version = p_text.signature_version, review_score = null,
    tools_used = coalesce(p_text.tools_used, '')
  where o.id = p_id;
$$;
call public.restrict_to_service_role();
