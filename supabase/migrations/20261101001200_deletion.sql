-- Deletion of records of memory and of incidents. Deleted texts leave everything that was made from them: the results of
-- triages, and the past answers, observations, procedures and summaries that memory made from these results.

create function public.delete_past_answer(p_id uuid, p_now timestamptz, p_claim_until timestamptz, p_only_summaries boolean default false)
returns jsonb
-- The rights of the owner: a summary of several domains is in none of a restricted caller's.
language plpgsql security definer set search_path = '' as $$
declare
  v_session record;
  v_deleted_ids uuid[];
  v_siblings uuid[];
begin
  -- Lock order of all writers: session, past answers, collection.
  select a.session_id into v_session from public.past_answers a
  where a.id = p_id or (a.is_summary and a.original_ids @> array[p_id]) limit 1;
  if not found then
    return '[]';
  end if;
  perform 1 from public.sessions s where s.session_id = v_session.session_id for update;
  -- A summary is deleted with its originals. Every summary made of a deleted past answer is deleted too, even if the past
  -- answer was restored or has expired since. The other originals of such a summary are restored.
  v_deleted_ids := array(select a.id from public.past_answers a
    where (a.is_summary and a.original_ids @> array[p_id]) or (not p_only_summaries and (a.id = p_id or a.summary_id = p_id))
    order by a.id for update);
  v_siblings := array(select a.id from public.past_answers a
    where a.summary_id = any (v_deleted_ids) and not a.id = any (v_deleted_ids) order by a.id for update);
  update public.sessions s
  set claimed_until = null, raw_count = s.raw_count + cardinality(v_siblings) - (
    select count(*) from public.past_answers a where a.id = any (v_deleted_ids) and not a.is_summary and a.summary_id is null)
  where s.session_id = v_session.session_id;
  delete from public.past_answers a where a.id = any (v_deleted_ids);
  perform public.restore_past_answers(v_siblings, p_now);
  return public.delete_indexed_documents('past_answers', v_deleted_ids::text[], p_now, p_claim_until);
end $$;
comment on function public.delete_past_answer(uuid, timestamptz, timestamptz, boolean) is
  'Deletes a past answer and every summary made of it, and restores the other originals of these summaries; or deletes a summary with all its originals. The past answer itself may have expired. With p_only_summaries, it is restored, too. Returns the outbox entries. Called by delete_incident, delete_record and rewrite_memory.';

create function public.has_past_answers(p_session_id text) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select 1 from public.past_answers a where a.session_id = p_session_id);
$$;
comment on function public.has_past_answers(text) is
  'Whether a session has past answers, also of domains that the caller does not see. Called by delete_incident and delete_record.';

create function public.delete_procedure(p_id uuid, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
begin
  delete from public.procedures r where r.id = p_id;
  if not found then
    return '[]';
  end if;
  return public.delete_indexed_documents('procedures', array[p_id::text], p_now, p_claim_until);
end $$;
comment on function public.delete_procedure(uuid, timestamptz, timestamptz) is
  'Deletes a procedure. Returns the outbox entries. Called by delete_incident and delete_record.';

create function public.forget_report(p_incident public.incidents, p_now timestamptz) returns void
language sql set search_path = '' as $$
  -- Records that were shown to it.
  update public.observations o
  set shown_count = o.shown_count - 1, helped_count = o.helped_count - s.helped::integer
  from public.shown_memories s where s.incident_id = p_incident.id and o.id = s.observation_id;
  delete from public.shown_memories s where s.incident_id = p_incident.id;
  delete from public.fix_tries t where t.incident_id = p_incident.id;
  -- The record of its failure.
  delete from public.observation_fingerprints f
  where f.observation_id = p_incident.observation_id and f.fingerprint = p_incident.fingerprint
    and not exists (select 1 from public.observations o where o.id = f.observation_id and o.fingerprint = f.fingerprint)
    and not exists (select 1 from public.incidents i
      where i.observation_id = f.observation_id and i.fingerprint = f.fingerprint and i.id <> p_incident.id);
  update public.observations o
  set occurrences = o.occurrences - 1, seen_at = t.seen_at,
    first_seen_at = case when o.occurrences <= 20 then t.seen_at[1] else o.first_seen_at end,
    last_seen_at = t.seen_at[cardinality(t.seen_at)],
    targets = array(select i.target from public.incidents i
      where i.observation_id = o.id and i.id <> p_incident.id and i.target is not null
      group by i.target order by max(i.created_at) desc limit 20)
  from (select array(select u.at from unnest(k.seen_at) with ordinality as u (at, n)
      where u.n is distinct from array_position(k.seen_at, p_incident.created_at) order by u.n) as seen_at
    from public.observations k where k.id = p_incident.observation_id) t
  where o.id = p_incident.observation_id and o.occurrences > 1 and cardinality(t.seen_at) > 0
    and not p_incident.duplicate;
  select public.settle_fixes(p_incident.observation_id, p_now);
$$;
comment on function public.forget_report(public.incidents, timestamptz) is
  'Removes a report from the record of its failure, its tries from the proofs of fixes, and its counts from the records that it was shown. Called by delete_incident.';

create function public.delete_incident(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_incident public.incidents;
  v_triages uuid[];
  v_shown uuid[];
  v_each uuid;
  v_before public.observations;
  v_after public.observations;
  v_record_ids text[];
  v_revised jsonb := '[]';
  v_observations jsonb := '[]';
  v_past_answers jsonb := '[]';
  v_procedures jsonb := '[]';
begin
  select * into v_incident from public.incidents i where i.id = (p ->> 'id')::uuid for update;
  if not found then
    return null;
  end if;
  v_triages := array(select t.id from public.triages t where t.incident_id = v_incident.id order by t.id for update);
  v_shown := public.shown_to(v_incident.id);
  perform public.lock_observations(v_shown || v_incident.observation_id);
  select * into v_before from public.observations o where o.id = v_incident.observation_id;
  -- Past answers have the ids of their triages. Include expired ones: results of other triages may still show them. Results
  -- that show a fix that was tried in this incident lose its record; later recalls find it again. The text of a record that
  -- was joined may be of this incident.
  v_record_ids := v_triages::text[] || ('alert:' || v_incident.id) || v_before.joined_ids::text[] || array(select distinct f.observation_id::text
    from public.fix_tries t join public.fixes f on f.id = t.fix_id where t.incident_id = v_incident.id);
  perform public.forget_report(v_incident, v_now);
  if v_before.incident_id = v_incident.id or (v_before.occurrences = 1 and not v_incident.duplicate) then
    -- The text is of this incident.
    v_observations := public.delete_observation(v_before.id, v_now, v_claim_until);
  else
    select * into v_after from public.observations o where o.id = v_before.id;
    if v_after.resolution is distinct from v_before.resolution or v_after.resolved_by is distinct from v_before.resolved_by then
      update public.observations o set version = o.version + 1 where o.id = v_after.id;
      v_revised := public.store_revised_documents(array[v_after.id], jsonb_build_array(p -> 'revised'), v_now, v_claim_until);
    end if;
  end if;
  foreach v_each in array v_triages loop
    v_past_answers := v_past_answers || public.delete_past_answer(v_each, v_now, v_claim_until);
  end loop;
  for v_each in select r.id from public.procedures r where r.triage_id = any (v_triages) or r.origin_id = any (v_triages)
    order by r.id loop
    v_procedures := v_procedures || public.delete_procedure(v_each, v_now, v_claim_until);
  end loop;
  delete from public.idempotency_keys k where k.incident_id = v_incident.id;
  delete from public.runs r where r.incident_id = v_incident.id;
  -- Its title stands in the timelines of those that it was merged with or split from.
  update public.incident_events e set detail = e.detail - 'title'
  where e.kind in ('merged', 'merged_into', 'split_from') and e.detail ->> 'incident' = v_incident.id::text
    and e.incident_id in (select (d.detail ->> 'incident')::uuid from public.incident_events d
      where d.incident_id = v_incident.id and d.kind in ('merged', 'merged_into', 'split', 'split_from'));
  -- A mute of several incidents goes on for the others.
  update public.mutes m
  set incident_id = other.id, incident_ids = array_remove(m.incident_ids, v_incident.id),
    fingerprints = case when exists (select 1 from public.incidents i
        where i.id = any (m.incident_ids) and i.id <> v_incident.id and i.fingerprint = v_incident.fingerprint)
      then m.fingerprints else array_remove(m.fingerprints, v_incident.fingerprint) end
  from public.incidents other
  where m.incident_id = v_incident.id and other.id = (
    select i.id from public.incidents i where i.id = any (m.incident_ids) and i.id <> v_incident.id order by i.id limit 1);
  delete from public.incidents i where i.id = v_incident.id;
  perform public.refresh_returns(v_incident.observation_id);
  -- Its name may be of the report, too.
  delete from public.sessions s where s.session_id = v_incident.session_id
    and not public.has_past_answers(s.session_id)
    and not exists (select 1 from public.runs r where r.session_id = s.session_id);
  return jsonb_build_object('record_ids', v_record_ids, 'revised', v_revised, 'observations', v_observations,
    'past_answers', v_past_answers, 'procedures', v_procedures);
end $$;
comment on function public.delete_incident(jsonb) is
  'Deletes an incident with everything that was derived from it: {now, claim_until, id, revised?}. The record of its failure goes if its text is of this incident; else it keeps the other reports and fixes. Returns {record_ids, revised, observations, past_answers, procedures}: ids that results may show, and the outbox entries; null if there is no such incident. Raises DJ001, see store_revised_documents. Called by delete_record.';

create function public.delete_record(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_kind text := p ->> 'kind';
  v_id text := p ->> 'id';
  v_uuid uuid := case when v_kind <> 'session' then v_id::uuid end;
  v_subject text := case when v_kind = 'session' then encode(sha256(convert_to(v_id, 'UTF8')), 'hex') else v_uuid::text end;
  v_incident jsonb;
  v_each uuid;
  v_observations jsonb := '[]';
  v_past_answers jsonb := '[]';
  v_procedures jsonb := '[]';
  v_revised jsonb := '[]';
  v_pending jsonb;
  v_record_ids text[] := '{}';
  v_found boolean := false;
  v_detail text;
begin
  if v_kind = 'observation' then
    v_observations := public.delete_observation(v_uuid, v_now, v_claim_until);
  elsif v_kind = 'past_answer' then
    if public.restricted_domains() is null or exists (select 1 from public.past_answers a where a.id = v_uuid) then
      v_past_answers := public.delete_past_answer(v_uuid, v_now, v_claim_until);
    end if;
  elsif v_kind = 'procedure' then
    v_procedures := public.delete_procedure(v_uuid, v_now, v_claim_until);
  elsif v_kind = 'session' then
    for v_each in select m.id from public.past_answers m where m.session_id = v_id order by m.domain, m.is_summary desc, m.id loop
      v_past_answers := v_past_answers || public.delete_past_answer(v_each, v_now, v_claim_until);
    end loop;
    delete from public.sessions s where s.session_id = v_id and not public.has_past_answers(v_id);
    v_found := found;
    delete from public.runs r where r.session_id = v_id and r.finished_at is not null;
    v_found := v_found or found;
  else
    v_incident := public.delete_incident(p);
    v_found := v_incident is not null;
    if v_found then
      v_revised := v_incident -> 'revised';
      v_observations := v_incident -> 'observations';
      v_past_answers := v_incident -> 'past_answers';
      v_procedures := v_incident -> 'procedures';
      v_record_ids := array(select jsonb_array_elements_text(v_incident -> 'record_ids'));
    end if;
  end if;
  v_pending := v_revised || v_observations || v_past_answers || v_procedures;
  if not v_found and jsonb_array_length(v_pending) = 0 then
    return jsonb_build_object('state', 'not_found');
  end if;
  v_record_ids := v_record_ids || array(select e.write ->> 'document_id' from jsonb_array_elements(v_pending) as e (write));
  perform public.enqueue_text_removal('deleted', v_record_ids, v_now);
  insert into public.audit_events (at, action, kind, subject_id, actor, request_id, detail)
  values (v_now, 'deleted', v_kind, v_subject, p ->> 'actor', p ->> 'request_id',
    jsonb_build_object('observations', jsonb_array_length(v_observations), 'past_answers', jsonb_array_length(v_past_answers),
      'procedures', jsonb_array_length(v_procedures)));
  return jsonb_build_object('state', 'deleted', 'pending', v_pending);
exception when sqlstate 'DJ001' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return jsonb_build_object('state', 'revise', 'observation', v_detail::jsonb -> 0);
end $$;
comment on function public.delete_record(jsonb) is
  'Deletes a record permanently and adds an audit event: {now, claim_until, kind: incident, observation, memory, session or procedure, id, actor, request_id, revised?}. An incident is deleted with everything that was derived from it. Returns {state: deleted, pending: outbox entries}, {state: not_found}, or {state: revise, observation}: nothing is deleted, and the call must be repeated with the document of this observation (see store_revised_documents). Called by deletion-records.ts.';

-- What a result shows.

create function public.recalled_ids(p_result jsonb) returns text[]
language sql immutable set search_path = '' as $$
  select coalesce(array_agg(distinct p.prefix || (t.id #>> '{}')), '{}')
  from (values ('', '$.recalled.incidents[*].id'::jsonpath), ('', '$.recalled.past_answers[*].id'), ('', '$.recalled.procedure.id'),
    ('', '$.recalled.runbooks[*].source'), ('', '$.recalled.reranking.documents[*].source'), ('', '$.checks[*].runbook'),
    ('', '$.sources[*] ? (@.kind != "check").source'), ('alert:', '$.live.other_alerts[*].incident_id'), ('alert:', '$.live.origin.incident_id'),
    ('domain:', '$ ? (exists (@.answer.look_next[*])).domain.name')) as p (prefix, path)
  cross join lateral jsonb_path_query(p_result, p.path) as t (id)
  where jsonb_typeof(t.id) = 'string';
$$;
comment on function public.recalled_ids(jsonb) is
  'What a triage''s result shows: ids of records of memory, names of runbooks and documents, alert:<id> for each incident whose alert it shows, and domain:<name> if it shows first looks. Called by finish_run.';

create function public.uuid_of(p_text text) returns uuid
language sql immutable set search_path = '' as $$
  select case when p_text ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then p_text::uuid end;
$$;
comment on function public.uuid_of(text) is 'The text as a UUID; null for any other text. Called by deleted_ids and with_current_texts.';

create function public.deleted_ids(p_ids text[]) returns text[]
language sql stable security definer set search_path = '' as $$
  select coalesce(array_agg(u.id), '{}') from unnest(p_ids) as u (id)
  where u.id not like 'domain:%'
    and not exists (select 1 from public.sources s where s.source = u.id)
    and not exists (select 1 from public.observations o where o.id = public.uuid_of(u.id) or (o.joined_ids <> '{}' and o.joined_ids @> array[public.uuid_of(u.id)]))
    and not exists (select 1 from public.past_answers a where a.id = public.uuid_of(u.id))
    and not exists (select 1 from public.procedures r where r.id = public.uuid_of(u.id))
    -- A recap quotes benign triages, of which memory holds no past answer.
    and not exists (select 1 from public.triages t where t.id = public.uuid_of(u.id) and t.outcome = 'benign')
    and not exists (select 1 from public.incidents i where u.id like 'alert:%' and i.id = public.uuid_of(substr(u.id, 7)));
$$;
comment on function public.deleted_ids(text[]) is
  'Those of the records, texts and incidents in triages.recalled_ids that no longer exist. Row level security does not apply: what a caller may not see exists. Called by refresh_new_result.';

-- Removal from one result.

create function public.without_items(p jsonb, p_path text[], p_key text, p_ids text[]) returns jsonb
language sql immutable set search_path = '' as $$
  select case when jsonb_typeof(p #> p_path) = 'array' then jsonb_set(p, p_path, (
      select coalesce(jsonb_agg(e.item order by e.n), '[]')
      from jsonb_array_elements(p #> p_path) with ordinality as e (item, n)
      where not coalesce(e.item ->> p_key, '') = any (p_ids)))
    else p end;
$$;
comment on function public.without_items(jsonb, text[], text, text[]) is
  'A document without the items of the array at p_path whose p_key is one of the ids. Called by without_recap and without_recalled.';

create function public.without_recap(p_result jsonb) returns jsonb
language sql immutable set search_path = '' as $$
  select public.without_items(p_result, '{sources}', 'kind', '{past_answer}') || jsonb_build_object('answer',
    p_result -> 'answer' || jsonb_build_object('summary', jsonb_build_object('citations', '[]'::jsonb,
      'text', 'A past answer that this recap quoted was deleted or changed.')));
$$;
comment on function public.without_recap(jsonb) is 'A result without the recap of its session. Called by without_recalled and with_current_texts.';

create function public.without_citing(p jsonb, p_ids text[]) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  if jsonb_typeof(p) = 'array' then
    return (
      select coalesce(jsonb_agg(case when c.cites then e.item || jsonb_build_object('text', e.item -> 'quote', 'citations', '[]'::jsonb)
        else public.without_citing(e.item, p_ids) end order by e.n), '[]')
      from jsonb_array_elements(p) with ordinality as e (item, n)
      cross join lateral (select jsonb_typeof(e.item) = 'object' and coalesce(e.item -> 'citations' ?| p_ids, false) as cites) c
      -- A quote is of the report.
      where not c.cites or e.item ->> 'quote' is not null);
  elsif jsonb_typeof(p) = 'object' then
    return (select coalesce(jsonb_object_agg(e.key, case when jsonb_typeof(e.value) in ('array', 'object')
      then public.without_citing(e.value, p_ids) else e.value end), '{}') from jsonb_each(p) as e (key, value));
  end if;
  return p;
end $$;
comment on function public.without_citing(jsonb, text[]) is
  'An answer without the statements that cite one of the ids. Of a statement with a quote of the report, the quote stays. Called by without_recalled.';

create function public.without_recalled(p_result jsonb, p_ids text[]) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  v_hits jsonb := coalesce(p_result -> 'sources', '[]') || coalesce(p_result #> '{recalled,runbooks}', '[]')
    || coalesce(p_result #> '{recalled,incidents}', '[]');
  v_reranked jsonb := coalesce(nullif(p_result #> '{recalled,reranking}', 'null') -> 'documents', '[]');
  -- Citations name chunks of a text, and checks, by their ids. The source of a check is the running system that it asked.
  v_ids text[] := p_ids
    || array(select e.item ->> 'id' from jsonb_array_elements(v_hits) as e (item)
      where e.item ->> 'source' = any (p_ids) and e.item ->> 'kind' is distinct from 'check')
    || array(select e.item ->> 'id' from jsonb_array_elements(coalesce(p_result -> 'checks', '[]')) as e (item)
      where e.item ->> 'runbook' = any (p_ids));
  v_names text[] := p_ids || array(
    select e.item ->> 'title' from jsonb_array_elements(v_hits || v_reranked) as e (item)
    where e.item ->> 'id' = any (v_ids) or e.item ->> 'source' = any (p_ids));
  v_is_recap boolean := exists (
    select 1 from jsonb_array_elements(coalesce(p_result -> 'sources', '[]')) as e (item)
    where e.item ->> 'kind' = 'past_answer' and e.item ->> 'id' = any (p_ids));
  v_answer jsonb := p_result -> 'answer';
  v_kept jsonb := public.without_citing(v_answer, v_ids);
begin
  if 'domain:' || (p_result #>> '{domain,name}') = any (p_ids) and jsonb_typeof(v_kept -> 'look_next') = 'array' then
    -- First looks of the definition cite nothing.
    v_kept := v_kept || jsonb_build_object('look_next', (
      select coalesce(jsonb_agg(e.item order by e.n), '[]') from jsonb_array_elements(v_kept -> 'look_next') with ordinality as e (item, n)
      where e.item -> 'citations' <> '[]'));
  end if;
  -- The summary names its candidate without a citation.
  if coalesce(v_answer #> '{summary,citations}' ?| v_ids, false) or exists (
    select 1 from unnest(v_names) as t (name) where length(t.name) >= 4 and strpos(v_answer #>> '{summary,text}', t.name) > 0) then
    v_kept := v_kept || jsonb_build_object('summary', jsonb_build_object('citations', '[]'::jsonb,
      'text', 'Removed with its source: the text that this answer rested on was deleted.'));
  end if;
  if v_kept is distinct from v_answer and jsonb_typeof(p_result -> 'critique') = 'object' then
    p_result := p_result || jsonb_build_object('critique', p_result -> 'critique' || '{"feedback": "", "changes": null}');
  end if;
  p_result := p_result || jsonb_build_object('answer', v_kept);
  if v_is_recap then
    p_result := public.without_recap(p_result);
  end if;
  p_result := public.without_items(p_result, '{sources}', 'id', v_ids);
  p_result := public.without_items(p_result, '{checks}', 'runbook', p_ids);
  p_result := public.without_items(p_result, '{recalled,runbooks}', 'source', p_ids);
  p_result := public.without_items(p_result, '{recalled,reranking,documents}', 'source', p_ids);
  p_result := public.without_items(p_result, '{recalled,incidents}', 'id', p_ids);
  p_result := public.without_items(p_result, '{recalled,past_answers}', 'id', p_ids);
  p_result := public.without_items(p_result, '{live,other_alerts}', 'incident_id',
    array(select substr(u.id, 7) from unnest(p_ids) as u (id) where starts_with(u.id, 'alert:')));
  if 'alert:' || (p_result #>> '{live,origin,incident_id}') = any (p_ids) then
    p_result := jsonb_set(p_result, '{live,origin}', 'null');
  end if;
  if p_result #>> '{recalled,procedure,id}' = any (p_ids) then
    p_result := jsonb_set(p_result, '{recalled,procedure}', 'null');
  end if;
  if jsonb_typeof(p_result -> 'placeholders') = 'object' then
    p_result := p_result || jsonb_build_object('placeholders', (
      select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(p_result -> 'placeholders') as e (key, value)
      where strpos(v_kept::text, e.key) > 0));
  end if;
  return p_result;
end $$;
comment on function public.without_recalled(jsonb, text[]) is
  'A stored result without these records of memory, without the texts that have these names, without the alerts of these incidents, and without the first looks of these domains: their hits and checks, the statements that cite them, the summary that cites or names one, and all quotes of a recap that quotes one. Called by memory_of_triage, remove_deleted_texts and rewrite_memory.';

create function public.with_title(p jsonb, p_id text, p_former text, p_title text) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  if jsonb_typeof(p) = 'array' then
    return (select coalesce(jsonb_agg(public.with_title(e.item, p_id, p_former, p_title) order by e.n), '[]')
      from jsonb_array_elements(p) with ordinality as e (item, n));
  elsif jsonb_typeof(p) = 'object' then
    return (select coalesce(jsonb_object_agg(e.key, case
        when jsonb_typeof(e.value) <> 'string' then public.with_title(e.value, p_id, p_former, p_title)
        when p ->> 'id' = p_id or coalesce(p -> 'citations' ? p_id, false) then to_jsonb(replace(e.value #>> '{}', p_former, p_title))
        else e.value end), '{}') from jsonb_each(p) as e (key, value));
  end if;
  return p;
end $$;
comment on function public.with_title(jsonb, text, text, text) is
  'Replaces the former title of a record in the texts that cite it, and in its source. Called by with_current_texts.';

create function public.with_current_texts(p_result jsonb, p_ids text[]) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_hit jsonb;
  v_texts jsonb;
  v_hits jsonb := '[]';
  v_past_answers jsonb;
begin
  for v_hit in select e.hit from jsonb_array_elements(coalesce(p_result #> '{recalled,incidents}', '[]')) with ordinality as e (hit, n)
    order by e.n loop
    v_texts := (select jsonb_build_object('title', o.title, 'narrative', o.narrative, 'facts', o.facts)
      from public.observations o where o.id = public.uuid_of(v_hit ->> 'id') and o.id::text = any (p_ids));
    if v_texts ->> 'title' <> v_hit ->> 'title' then
      p_result := p_result || public.with_title(jsonb_build_object('answer', p_result -> 'answer', 'sources', p_result -> 'sources'),
        v_hit ->> 'id', v_hit ->> 'title', v_texts ->> 'title');
    end if;
    v_hits := v_hits || (v_hit || coalesce(v_texts, '{}'));
  end loop;
  if p_result #> '{recalled,incidents}' is not null then
    p_result := jsonb_set(p_result, '{recalled,incidents}', v_hits);
  end if;
  if jsonb_typeof(p_result #> '{recalled,past_answers}') = 'array' then
    v_past_answers := (
      select coalesce(jsonb_agg(e.hit || coalesce(a.texts, '{}') order by e.n), '[]')
      from jsonb_array_elements(p_result #> '{recalled,past_answers}') with ordinality as e (hit, n)
      left join lateral (select jsonb_build_object('answer', r.answer) as texts
        from public.past_answers r where r.id = public.uuid_of(e.hit ->> 'id') and r.id::text = any (p_ids)) a on true);
    if v_past_answers <> p_result #> '{recalled,past_answers}' and p_result @> '{"sources": [{"kind": "past_answer"}]}' then
      p_result := public.without_recap(p_result);
    end if;
    p_result := jsonb_set(p_result, '{recalled,past_answers}', v_past_answers);
  end if;
  return coalesce((
    select jsonb_set(p_result, '{recalled,procedure,answer}', to_jsonb(r.answer)) from public.procedures r
    where r.id = public.uuid_of(p_result #>> '{recalled,procedure,id}') and r.id::text = any (p_ids)), p_result);
end $$;
comment on function public.with_current_texts(jsonb, text[]) is
  'A result with the present texts of these records of memory in its hits. A recap that quotes a changed past answer loses its text. Called by refresh_new_result and remove_deleted_texts.';

create function public.refresh_new_result() returns trigger
language plpgsql set search_path = '' as $$
declare
  v_deleted text[] := public.deleted_ids(new.recalled_ids);
begin
  new.result := public.with_current_texts(new.result, new.recalled_ids);
  if cardinality(v_deleted) > 0 then
    insert into public.text_removals (kind, record_ids, at) values ('deleted', v_deleted, new.created_at);
  end if;
  return new;
end $$;
comment on function public.refresh_new_result() is
  'Texts may be deleted or change while an investigation holds them: the result gets the present texts of memory, and the deleted ones are enqueued for removal. Trigger of triages.';
create trigger triages_refreshed before insert on public.triages for each row
  when (cardinality(new.recalled_ids) > 0) execute function public.refresh_new_result();

-- Removal from all results, and from the memory that was made from them.

create function public.plain_answer(p_answer jsonb) returns text
language sql immutable set search_path = '' as $$
  select concat_ws(E'\n', coalesce(p_answer #>> '{summary,text}', ''), (
    select E'Likely causes:\n' || string_agg('- ' || (e.item ->> 'text'), E'\n' order by e.n)
    from jsonb_array_elements(p_answer -> 'likely_causes') with ordinality as e (item, n)));
$$;
comment on function public.plain_answer(jsonb) is 'The summary and the likely causes as plain text, as the row of a run has them. Called by replace_result.';

create function public.replace_result(p_triage public.triages, p_result jsonb, p_recalled_ids text[]) returns void
language sql set search_path = '' as $$
  update public.triages t set result = p_result, recalled_ids = p_recalled_ids where t.id = p_triage.id;
  -- Later questions of the session read the answer of the run.
  update public.runs r set final_answer = public.plain_answer(p_result -> 'answer')
  where p_result -> 'answer' is distinct from p_triage.result -> 'answer'
    and r.run_id = (select n.run_id from public.runs n
      where n.incident_id = p_triage.incident_id and n.final_answer <> '' and n.started_at <= p_triage.created_at
      order by n.started_at desc, n.run_id limit 1);
$$;
comment on function public.replace_result(public.triages, jsonb, text[]) is
  'Replaces the result of a triage, and the answer of its run. Called by clean_result and remove_deleted_texts.';

create function public.clean_result(p_triage public.triages, p_cleaned jsonb, p_ids text[]) returns void
language sql set search_path = '' as $$
  select public.replace_result(p_triage, p_cleaned, array(select u.id from unnest(p_triage.recalled_ids) as u (id) where not u.id = any (p_ids)));
  delete from public.runbook_uses u where u.triage_id = p_triage.id and u.source = any (p_ids);
$$;
comment on function public.clean_result(public.triages, jsonb, text[]) is
  'Stores a result from which deleted records and texts were removed, see without_recalled. Called by remove_deleted_texts and rewrite_memory.';

create function public.memory_of_triage(p_triage public.triages, p_cleaned jsonb, p_removal public.text_removals) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_incident public.incidents;
  v_past_answer jsonb;
  v_observation jsonb;
  v_latest jsonb;
  v_has_procedure boolean;
begin
  if p_cleaned -> 'answer' is not distinct from p_triage.result -> 'answer'
    and p_cleaned -> 'sources' is not distinct from p_triage.result -> 'sources' then
    return null;
  end if;
  select * into strict v_incident from public.incidents i where i.id = p_triage.incident_id;
  v_past_answer := (select jsonb_build_object('answer', a.answer, 'content_hash', a.content_hash)
    from public.past_answers a where a.id = p_triage.id and not a.is_summary);
  v_observation := (select public.observation_json(o) from public.observations o where o.incident_id = v_incident.id limit 1);
  v_has_procedure := exists (select 1 from public.procedures r where r.triage_id = p_triage.id);
  if v_past_answer is null and v_observation is null and not v_has_procedure and not exists (
    select 1 from public.past_answers a where a.is_summary and a.original_ids @> array[p_triage.id]) then
    return null;
  end if;
  v_latest := (select t.result from public.triages t
    where t.incident_id = v_incident.id and t.id <> p_triage.id and t.created_at > p_triage.created_at
    order by t.created_at desc limit 1);
  return jsonb_build_object('removal_id', p_removal.id, 'triage_id', p_triage.id, 'digest', md5(p_triage.result::text),
    'incident', to_jsonb(v_incident), 'past_answer', v_past_answer, 'has_procedure', v_has_procedure, 'observation', v_observation,
    -- The recalled texts, also the deleted ones, so that no quote of them enters memory.
    'result', p_cleaned || jsonb_build_object('recalled', p_triage.result -> 'recalled'),
    'latest', public.without_recalled(v_latest, p_removal.record_ids) || jsonb_build_object('recalled', v_latest -> 'recalled'));
end $$;
comment on function public.memory_of_triage(public.triages, jsonb, public.text_removals) is
  'The memory that was made from a result and must be written anew before the removal: {removal_id, triage_id, digest, incident, result, latest, past_answer, has_procedure, observation}. result is the one after the removal, latest that of the newest triage of the incident if it is another one. Null if nothing must be written: memory is made from the answer and its sources. Called by remove_deleted_texts.';

create function public.remove_deleted_texts(p_limit integer, p_rewrites integer) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_removal public.text_removals;
  v_triage public.triages;
  v_cleaned jsonb;
  v_memory jsonb;
  v_rewrites jsonb := '[]';
  v_count integer := 0;
begin
  -- A removal whose texts no result holds must not end the search before the next one.
  for v_removal in select * from public.text_removals r order by r.id limit p_limit for update skip locked loop
    -- A text of the same name that was stored since stays.
    for v_triage in select * from public.triages t
      where t.recalled_ids && v_removal.record_ids and t.created_at <= v_removal.at
        and (v_removal.after_id is null or t.id > v_removal.after_id)
      order by t.id limit p_limit for no key update
    loop
      if v_removal.kind = 'revised' then
        perform public.replace_result(v_triage, public.with_current_texts(v_triage.result, v_removal.record_ids), v_triage.recalled_ids);
        update public.text_removals r set after_id = v_triage.id where r.id = v_removal.id;
      else
        v_cleaned := public.without_recalled(v_triage.result, v_removal.record_ids);
        v_memory := public.memory_of_triage(v_triage, v_cleaned, v_removal);
        if v_memory is not null then
          v_rewrites := v_rewrites || v_memory;
          exit when jsonb_array_length(v_rewrites) = p_rewrites;
          continue;
        end if;
        perform public.clean_result(v_triage, v_cleaned, v_removal.record_ids);
      end if;
      v_count := v_count + 1;
    end loop;
    exit when v_count > 0 or v_rewrites <> '[]';
    delete from public.text_removals r where r.id = v_removal.id;
  end loop;
  return jsonb_build_object('results', v_count, 'rewrites', v_rewrites);
end $$;
comment on function public.remove_deleted_texts(integer, integer) is
  'Continues the oldest removal of text_removals in at most p_limit results. Returns {results: how many changed, rewrites}: at most p_rewrites results that are unchanged because the Worker must write their memory anew first, see memory_of_triage and rewrite_memory. 0 and none when nothing is left. Called by text-removals.ts.';

create function public.rewrite_memory(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_ids text[] := (select r.record_ids from public.text_removals r where r.id = (p ->> 'removal_id')::bigint);
  v_triage public.triages;
  v_past_answer public.past_answers;
  v_observation public.observations;
  v_revised text[] := '{}';
  v_summaries jsonb;
  v_pending jsonb := '[]';
begin
  -- Lock order of all writers: triage, observation, session, past answers, collections.
  select * into v_triage from public.triages t
  where t.id = (p ->> 'triage_id')::uuid and md5(t.result::text) = p ->> 'digest' for no key update;
  if v_ids is null or v_triage.id is null then
    return v_pending; -- another call removed the text, or the triage is deleted
  end if;
  select * into v_observation from public.observations o where o.incident_id = v_triage.incident_id limit 1 for update;
  perform 1 from public.sessions s where s.session_id in (select a.session_id from public.past_answers a
    where a.id = v_triage.id or (a.is_summary and a.original_ids @> array[v_triage.id])) for update;
  select * into v_past_answer from public.past_answers a where a.id = v_triage.id and not a.is_summary for update;
  if v_past_answer.content_hash is distinct from p #>> '{past_answer,replaces}'
    or v_observation.version is distinct from (p #>> '{observation,version}')::integer then
    return v_pending; -- changed meanwhile, so remove_deleted_texts returns it again
  end if;
  perform public.clean_result(v_triage, public.without_recalled(v_triage.result, v_ids), v_ids);
  with changed as (
    update public.past_answers a set answer = p #>> '{past_answer,answer}', content_hash = p #>> '{past_answer,content_hash}'
    where a.id = v_past_answer.id and a.content_hash <> p #>> '{past_answer,content_hash}'
    returning a.id
  ), procedures as (
    update public.procedures r set answer = p ->> 'procedure_answer'
    where r.triage_id = v_triage.id and r.answer <> p ->> 'procedure_answer'
    returning r.id
  ), observations as (
    update public.observations o
    set version = o.version + 1, title = p #>> '{observation,title}', narrative = p #>> '{observation,narrative}',
      facts = array(select jsonb_array_elements_text(p #> '{observation,facts}')), written_by = p #>> '{observation,written_by}'
    where o.id = v_observation.id and o.title || o.narrative || o.facts::text
      <> (p #>> '{observation,title}') || (p #>> '{observation,narrative}')
        || array(select jsonb_array_elements_text(p #> '{observation,facts}'))::text
    returning o.id
  )
  select array(select id::text from changed union all select id::text from procedures union all select id::text from observations)
  into v_revised;
  perform public.enqueue_text_removal('revised', v_revised, v_now);
  -- A summary quotes the answer. The job writes a new one.
  v_summaries := public.delete_past_answer(v_triage.id, v_now, v_claim_until, true);
  perform public.enqueue_text_removal('deleted', array(select e ->> 'document_id' from jsonb_array_elements(v_summaries) e), v_now);
  v_pending := v_summaries;
  select * into v_past_answer from public.past_answers a
  where a.id = v_past_answer.id and a.compressed_at is null and a.id::text = any (v_revised);
  if found then
    v_pending := v_pending || public.store_document('past_answers', public.past_answer_document(v_past_answer), v_now, v_claim_until);
  end if;
  if v_observation.id::text = any (v_revised) then
    v_pending := v_pending || public.store_document('incidents', p #> '{observation,document}', v_now, v_claim_until);
  end if;
  return v_pending;
end $$;
comment on function public.rewrite_memory(jsonb) is
  'Removes deleted texts from a result and from the memory that was made from it: {now, claim_until, removal_id, triage_id, digest, past_answer?: {answer, content_hash, replaces}, procedure_answer?, observation?: {version, title, narrative, facts, written_by, document}}, see memory_of_triage. Summaries of the past answer are deleted, and their past answers are separate again. Other results that show a changed record are enqueued. Changes nothing if one of them changed meanwhile. Returns the outbox entries. Called by text-removals.ts.';

call public.restrict_to_service_role();
