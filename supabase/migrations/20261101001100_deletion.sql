-- Deletion of records of memory and of incidents, and of their texts in the stored results of triages.

create function public.delete_past_answer(p_id uuid, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_session record;
  v_deleted_ids uuid[];
  v_siblings uuid[];
  v_deleted public.past_answers;
  v_pending jsonb := '[]';
begin
  -- Lock order of all writers: session, past answers, collection.
  select a.session_id into v_session from public.past_answers a
  where a.id = p_id or (a.is_summary and a.original_ids @> array[p_id]) limit 1;
  if not found then
    return v_pending;
  end if;
  perform 1 from public.sessions s where s.session_id = v_session.session_id for update;
  -- A summary is deleted with its originals. Every summary made of a deleted past answer is deleted too, even if the past
  -- answer was restored or has expired since. The other originals of such a summary are restored.
  v_deleted_ids := array(select a.id from public.past_answers a
    where a.id = p_id or (a.is_summary and a.original_ids @> array[p_id]) or a.summary_id = p_id order by a.id for update);
  v_siblings := array(select a.id from public.past_answers a
    where a.summary_id = any (v_deleted_ids) and not a.id = any (v_deleted_ids) order by a.id for update);
  update public.sessions s
  set claimed_until = null, raw_count = s.raw_count + cardinality(v_siblings) - (
    select count(*) from public.past_answers a where a.id = any (v_deleted_ids) and not a.is_summary and a.summary_id is null)
  where s.session_id = v_session.session_id;
  for v_deleted in delete from public.past_answers a where a.id = any (v_deleted_ids) returning a.* loop
    v_pending := v_pending || public.delete_indexed_documents('past_answers', array[v_deleted.id::text], p_now, p_claim_until);
  end loop;
  perform public.restore_past_answers(v_siblings, p_now);
  return v_pending;
end $$;
comment on function public.delete_past_answer(uuid, timestamptz, timestamptz) is
  'Deletes a past answer and every summary made of it, and restores the other originals of these summaries; or deletes a summary with all its originals. The past answer itself may have expired. Returns the outbox entries.';

create function public.delete_procedure(p_id uuid, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_domain text;
begin
  delete from public.procedures r where r.id = p_id returning r.domain into v_domain;
  if v_domain is null then
    return '[]';
  end if;
  return public.delete_indexed_documents('procedures', array[p_id::text], p_now, p_claim_until);
end $$;
comment on function public.delete_procedure(uuid, timestamptz, timestamptz) is
  'Deletes a procedure. Returns the outbox entries.';

create function public.forget_report(p_incident public.incidents, p_now timestamptz) returns void
language sql set search_path = '' as $$
  -- Records that were shown to it.
  update public.observations o
  set shown_count = o.shown_count - 1, helped_count = o.helped_count - s.helped::integer,
    shows_since_help = greatest(o.shows_since_help
      - (not s.helped and s.observation_id is distinct from p_incident.observation_id)::integer, 0)
  from public.shown_memories s where s.incident_id = p_incident.id and o.id = s.observation_id;
  delete from public.shown_memories s where s.incident_id = p_incident.id;
  delete from public.fix_tries t where t.incident_id = p_incident.id;
  -- The record of its failure.
  update public.fix_tries t set came_back_at = null
  from public.fixes f
  where f.observation_id = p_incident.observation_id and t.fix_id = f.id and t.came_back_at = p_incident.created_at;
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
  where o.id = p_incident.observation_id and o.occurrences > 1 and cardinality(t.seen_at) > 0;
  select public.settle_fixes(p_incident.observation_id, p_now);
$$;
comment on function public.forget_report(public.incidents, timestamptz) is
  'Removes a report from the record of its failure, its tries from the proofs of fixes, and its counts from the records that it was shown.';

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
  v_record_ids := v_triages::text[] || v_before.joined_ids::text[] || array(select distinct f.observation_id::text
    from public.fix_tries t join public.fixes f on f.id = t.fix_id where t.incident_id = v_incident.id);
  perform public.forget_report(v_incident, v_now);
  if v_before.incident_id = v_incident.id or v_before.occurrences = 1 then
    -- The text is of this incident.
    v_observations := public.delete_observation(v_before.id, v_now, v_claim_until);
  else
    select * into v_after from public.observations o where o.id = v_before.id;
    if v_after.resolution is distinct from v_before.resolution or v_after.resolved_by is distinct from v_before.resolved_by then
      update public.observations o set version = o.version + 1 where o.id = v_after.id returning * into v_after;
      v_revised := public.store_revised_document(v_after, p -> 'revised', v_now, v_claim_until);
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
  delete from public.incidents i where i.id = v_incident.id;
  return jsonb_build_object('record_ids', v_record_ids, 'revised', v_revised, 'observations', v_observations,
    'past_answers', v_past_answers, 'procedures', v_procedures);
end $$;
comment on function public.delete_incident(jsonb) is
  'Deletes an incident with everything that was derived from it: {now, claim_until, id, revised?}. The record of its failure goes if its text is of this incident; else it keeps the other reports and fixes. Returns {record_ids, revised, observations, past_answers, procedures}: ids that results may show, and the outbox entries; null if there is no such incident. Raises DJ001, see store_revised_document.';

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
    v_past_answers := public.delete_past_answer(v_uuid, v_now, v_claim_until);
  elsif v_kind = 'procedure' then
    v_procedures := public.delete_procedure(v_uuid, v_now, v_claim_until);
  elsif v_kind = 'session' then
    for v_each in select m.id from public.past_answers m where m.session_id = v_id order by m.domain, m.is_summary desc, m.id loop
      v_past_answers := v_past_answers || public.delete_past_answer(v_each, v_now, v_claim_until);
    end loop;
    delete from public.sessions s where s.session_id = v_id;
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
  insert into public.audit_events (at, action, kind, subject_id, record_ids, in_results, actor, request_id, detail)
  values (v_now, 'deleted', v_kind, v_subject, v_record_ids, cardinality(v_record_ids) > 0, p ->> 'actor', p ->> 'request_id',
    jsonb_build_object('observations', jsonb_array_length(v_observations), 'past_answers', jsonb_array_length(v_past_answers),
      'procedures', jsonb_array_length(v_procedures)));
  return jsonb_build_object('state', 'deleted', 'pending', v_pending);
exception when sqlstate 'DJ001' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return jsonb_build_object('state', 'revise', 'observation', v_detail::jsonb);
end $$;
comment on function public.delete_record(jsonb) is
  'Deletes a record permanently and adds an audit event: {now, claim_until, kind: incident, observation, memory, session or procedure, id, actor, request_id, revised?}. An incident is deleted with everything that was derived from it. Returns {state: deleted, pending: outbox entries}, {state: not_found}, or {state: revise, observation}: nothing is deleted, and the call must be repeated with the document of this observation (see store_revised_document).';

-- Results. The text of a deleted record, runbook or document leaves the stored results of other triages, too.

create function public.recalled_ids(p_result jsonb) returns text[]
language sql immutable set search_path = '' as $$
  select coalesce(array_agg(distinct t.id #>> '{}'), '{}')
  from (
    select jsonb_path_query(jsonb_build_array(p_result #> '{recalled,incidents}', p_result #> '{recalled,past_answers}',
      jsonb_build_array(p_result #> '{recalled,procedure}')), '$[*][*].id')
    union all
    select jsonb_path_query(coalesce(p_result #> '{recalled,runbooks}', '[]'), '$[*].source')
  ) as t (id);
$$;
comment on function public.recalled_ids(jsonb) is
  'Ids of the records of memory that a triage''s result shows, and names of the runbooks and documents.';

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
  'An answer without the statements that cite one of the ids. Of a statement with a quote of the report, the quote stays.';

create function public.without_recalled(p_result jsonb, p_ids text[]) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  v_sources jsonb := coalesce(p_result -> 'sources', '[]');
  -- Citations name chunks of a text by their ids.
  v_ids text[] := p_ids || array(
    select e.item ->> 'id' from jsonb_array_elements(v_sources || coalesce(p_result #> '{recalled,runbooks}', '[]')) as e (item)
    where e.item ->> 'source' = any (p_ids));
  v_recalled jsonb := coalesce(p_result -> 'recalled', '{}');
  v_answer jsonb := p_result -> 'answer';
  v_kept jsonb := public.without_citing(v_answer, v_ids);
  v_titles text[] := array(
    select e.item ->> 'title' from jsonb_array_elements(v_sources || coalesce(v_recalled -> 'runbooks', '[]')
      || coalesce(v_recalled -> 'incidents', '[]')) as e (item)
    where e.item ->> 'id' = any (v_ids) and length(e.item ->> 'title') >= 4);
  v_is_recap boolean := exists (
    select 1 from jsonb_array_elements(v_sources) as e (item)
    where e.item ->> 'kind' = 'past_answer' and e.item ->> 'id' = any (p_ids));
  v_loses_summary boolean;
begin
  -- The summary names its candidate without a citation.
  v_loses_summary := v_is_recap or coalesce(v_answer #> '{summary,citations}' ?| v_ids, false) or exists (
    select 1 from unnest(v_titles) as t (title) where strpos(v_answer #>> '{summary,text}', t.title) > 0);
  if v_loses_summary then
    v_kept := v_kept || jsonb_build_object('summary', jsonb_build_object('citations', '[]'::jsonb, 'text',
      case when v_is_recap then 'A past answer that this recap quoted was deleted.'
        else 'Removed with its source: the text that this answer rested on was deleted.' end));
  end if;
  if (v_kept is distinct from v_answer or v_loses_summary) and jsonb_typeof(p_result -> 'critique') = 'object' then
    p_result := p_result || jsonb_build_object('critique', p_result -> 'critique' || '{"feedback": "", "changes": null}');
  end if;
  if jsonb_typeof(v_recalled -> 'reranking') = 'object' then
    v_recalled := jsonb_set(v_recalled, '{reranking,documents}', (
      select coalesce(jsonb_agg(e.item order by e.n), '[]')
      from jsonb_array_elements(v_recalled #> '{reranking,documents}') with ordinality as e (item, n)
      where not coalesce(e.item ->> 'source', '') = any (p_ids)));
  end if;
  return p_result || jsonb_build_object(
    'recalled', v_recalled || jsonb_build_object(
      'runbooks', (select coalesce(jsonb_agg(e.hit order by e.n), '[]')
        from jsonb_array_elements(coalesce(v_recalled -> 'runbooks', '[]')) with ordinality as e (hit, n)
        where not coalesce(e.hit ->> 'source', '') = any (p_ids)),
      'incidents', (select coalesce(jsonb_agg(e.hit order by e.n), '[]')
        from jsonb_array_elements(coalesce(v_recalled -> 'incidents', '[]')) with ordinality as e (hit, n)
        where not e.hit ->> 'id' = any (p_ids)),
      'past_answers', (select coalesce(jsonb_agg(e.hit order by e.n), '[]')
        from jsonb_array_elements(coalesce(v_recalled -> 'past_answers', '[]')) with ordinality as e (hit, n)
        where not e.hit ->> 'id' = any (p_ids)),
      'procedure', case when not coalesce(v_recalled #>> '{procedure,id}', '') = any (p_ids)
        then v_recalled -> 'procedure' end),
    'sources', (select coalesce(jsonb_agg(e.source order by e.n), '[]')
      from jsonb_array_elements(v_sources) with ordinality as e (source, n)
      where not e.source ->> 'id' = any (v_ids) and not (v_is_recap and e.source ->> 'kind' = 'past_answer')),
    'answer', v_kept);
end $$;
comment on function public.without_recalled(jsonb, text[]) is
  'A stored result without these records of memory, and without the texts that have these names: their hits, the statements that cite them, the summary that cites or names one, and all quotes of a recap that quotes one.';

create function public.plain_answer(p_answer jsonb) returns text
language sql immutable set search_path = '' as $$
  select concat_ws(E'\n', coalesce(p_answer #>> '{summary,text}', ''), (
    select E'Likely causes:\n' || string_agg('- ' || (e.item ->> 'text'), E'\n' order by e.n)
    from jsonb_array_elements(p_answer -> 'likely_causes') with ordinality as e (item, n)));
$$;
comment on function public.plain_answer(jsonb) is 'The summary and the likely causes as plain text, as the row of a run has them.';

-- An event whose texts no result shows must not end the search before the next one.
create function public.remove_deleted_from_results(p_limit integer) returns integer
language plpgsql set search_path = '' as $$
declare
  v_event public.audit_events;
  v_scrubbed integer;
begin
  for v_event in select * from public.audit_events a where a.in_results order by a.id limit p_limit for update skip locked loop
    with holding as (
      select t.id from public.triages t where t.recalled_ids && v_event.record_ids
      order by t.id limit p_limit for update skip locked
    ), scrubbed as (
      update public.triages t
      set result = public.without_recalled(t.result, v_event.record_ids),
        recalled_ids = array(select u.id from unnest(t.recalled_ids) as u (id) where not u.id = any (v_event.record_ids))
      from holding where t.id = holding.id
      returning t.incident_id, t.created_at, t.result -> 'answer' as answer
    ), of_runs as (
      -- Later questions of the session read the answer of the run.
      update public.runs r set final_answer = public.plain_answer(s.answer)
      from scrubbed s
      where r.run_id = (select n.run_id from public.runs n
        where n.incident_id = s.incident_id and n.final_answer <> '' and n.started_at <= s.created_at
        order by n.started_at desc, n.run_id limit 1)
    )
    select count(*) into v_scrubbed from scrubbed;
    update public.audit_events a
    set in_results = exists (select 1 from public.triages t where t.recalled_ids && v_event.record_ids)
    where a.id = v_event.id;
    if v_scrubbed > 0 then
      return v_scrubbed;
    end if;
  end loop;
  return 0;
end $$;
comment on function public.remove_deleted_from_results(integer) is
  'Removes the records and texts of the oldest pending deletion from the results of at most p_limit triages, and from the answers of their runs. Returns the number of results; 0 when none are left.';

insert into public.restricted_functions (name) values ('delete_record');

call public.restrict_to_service_role();
