-- Runs, ratings and deletions keep the proofs of fixes and the counts of shown records.

create or replace function public.finish_run(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_incident uuid := (p #>> '{incident,id}')::uuid;
  v_triage uuid := (p #>> '{triage,id}')::uuid;
  v_is_resolved boolean;
  v_shown uuid[] := '{}';
  v_record uuid;
  v_pending jsonb := '[]';
begin
  -- A concurrent deletion of the incident holds its row lock. Its audit event is visible only after this lock.
  perform 1 from public.incidents i where i.id = v_incident for update;
  if exists (select 1 from public.audit_events a where a.kind = 'incident' and a.subject_id = v_incident::text) then
    return jsonb_build_object('pending', v_pending); -- deleted during the investigation
  end if;
  perform public.insert_run(p);
  select i.resolution is not null into strict v_is_resolved from public.incidents i where i.id = v_incident for update;
  if exists (select 1 from public.triages t where t.id = v_triage) then
    return jsonb_build_object('pending', v_pending); -- a repeated call: the first response was lost
  end if;
  -- Domain and type were classified from keywords at submission; the investigation may correct them.
  update public.incidents i
  set status = case when i.resolved_at is null then 'triaged' else i.status end,
    domain = p #>> '{incident,domain}', domain_rule = p #>> '{incident,domain_rule}',
    incident_type = p #>> '{incident,incident_type}', incident_type_rule = p #>> '{incident,incident_type_rule}',
    benign = p #>> '{triage,outcome}' = 'benign'
  where i.id = v_incident and not v_is_resolved;
  insert into public.triages (id, incident_id, created_at, mode, outcome, confidence, result, model, prompt_version, recalled_ids)
  select t.id, v_incident, v_now, t.mode, t.outcome, t.confidence, t.result, t.model, t.prompt_version,
    public.recalled_ids(t.result)
  from jsonb_populate_record(null::public.triages, p -> 'triage') t;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (v_incident, v_now, 'triaged', jsonb_build_object('triage_id', v_triage, 'mode', p #> '{triage,mode}',
    'outcome', p #> '{triage,outcome}', 'confidence', p #> '{triage,confidence}'));
  perform public.close_run((p -> 'run') || (p -> 'run_finish'));
  perform public.record_model_usage(jsonb_build_object('run_id', p #> '{run,run_id}', 'incident_id', v_incident,
    'at', p -> 'now', 'usage', p -> 'usage'));
  if (p #>> '{idempotency,released}')::boolean then
    delete from public.idempotency_keys k
    where k.key = p #>> '{idempotency,key}' and k.incident_id = v_incident and k.triage_id is null;
  elsif p ? 'idempotency' then
    insert into public.idempotency_keys as k (key, request_hash, started_at, incident_id, triage_id)
    values (p #>> '{idempotency,key}', p #>> '{idempotency,request_hash}', v_now, v_incident, v_triage)
    on conflict (key) do update set triage_id = excluded.triage_id
    where k.incident_id = excluded.incident_id and k.triage_id is null;
  end if;
  -- Collection row locks come last, so that they are held shortest. If the incident was resolved during the run, its
  -- observation already holds the fix and must not be replaced.
  if not v_is_resolved then
    if p ? 'observation' then
      v_record := public.record_of_report(v_incident, p #>> '{observation,row,domain}', p #>> '{observation,row,fingerprint}',
        (p #>> '{observation,repeat_of}')::uuid);
    end if;
    -- Nobody acts on the answers to an evaluation.
    if not public.is_evaluation(p #> '{triage,result}') then
      v_shown := array(select jsonb_array_elements_text(p -> 'shown'))::uuid[];
    end if;
    perform public.lock_observations(v_shown || v_record);
    perform public.record_shown_memories(v_incident, v_shown, v_record, (p ->> 'unhelpful_shows_limit')::integer, v_now);
    if p ? 'observation' then
      v_pending := v_pending || public.record_observation(p -> 'observation', v_now, v_claim_until);
    end if;
  end if;
  if p ? 'past_answer' then
    v_pending := v_pending || public.record_past_answer(p -> 'past_answer', v_now, v_claim_until);
  end if;
  if p ? 'procedure' then
    v_pending := v_pending || public.record_procedure(p -> 'procedure', v_now, v_claim_until);
  end if;
  return jsonb_build_object('pending', v_pending);
end $$;
comment on function public.finish_run(jsonb) is
  'Stores a finished triage and its memory updates in one transaction: {now, claim_until, incident, run, run_finish, usage, triage, idempotency?: {key, request_hash, released?}, observation?, past_answer?, procedure?, shown, unhelpful_shows_limit}. shown are the ids of the observations that the answer shows (see record_shown_memories). Does nothing for a stored triage. Returns {pending}: the outbox entries, claimed by the caller.';

create or replace function public.record_feedback(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_triage uuid := (p ->> 'triage_id')::uuid;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_answer record;
  v_old_rating integer;
  v_new_rating integer := (p ->> 'rating')::integer;
  v_net_rating integer;
  v_is_claimed boolean;
  v_shown uuid[];
  v_entry public.annotation_outbox;
  v_result jsonb;
begin
  -- The row lock serialises the ratings of one answer, so that each changes the net rating by its own difference.
  select t.incident_id, t.recalled_ids, t.result #>> '{trace,span_id}' as span into v_answer
  from public.triages t where t.id = v_triage for update;
  if not found then
    return jsonb_build_object('state', 'not_found');
  end if;
  select f.rating into v_old_rating from public.feedback f where f.triage_id = v_triage and f.person = p ->> 'person';
  v_new_rating := coalesce(v_new_rating, v_old_rating, 0);
  insert into public.feedback as f (triage_id, person, at, rating, comment)
  values (v_triage, p ->> 'person', v_now, v_new_rating, p ->> 'comment')
  on conflict (triage_id, person) do update
  set at = excluded.at, rating = excluded.rating, comment = coalesce(excluded.comment, f.comment);
  update public.past_answers a set net_rating = a.net_rating + v_new_rating - coalesce(v_old_rating, 0)
  where a.id = v_triage or a.id = (select o.summary_id from public.past_answers o where o.id = v_triage);
  select a.net_rating into v_net_rating from public.past_answers a where a.id = v_triage;
  if v_new_rating > 0 then
    v_shown := array(select s.observation_id from public.shown_memories s
      where s.incident_id = v_answer.incident_id and s.observation_id::text = any (v_answer.recalled_ids));
    perform public.lock_observations(v_shown);
    perform public.credit_memories(v_answer.incident_id, v_shown, v_now);
  end if;
  v_result := jsonb_build_object('state', 'recorded', 'rating', v_new_rating, 'net_rating', v_net_rating);
  if v_answer.span is null or not coalesce((p ->> 'annotate')::boolean, false) then
    return v_result;
  end if;
  -- A worker that is posting the earlier rating keeps its claim. When it finishes, the newer rating stays pending.
  select o.claimed_until > v_now into v_is_claimed from public.annotation_outbox o
  where o.triage_id = v_triage and o.person = p ->> 'person' for update;
  insert into public.annotation_outbox as o (triage_id, person, created_at, next_attempt_at, claimed_until)
  values (v_triage, p ->> 'person', v_now, v_claim_until, v_claim_until)
  on conflict (triage_id, person) do update
  set version = o.version + 1, attempts = 1, created_at = excluded.created_at, given_up_at = null, last_error = null,
    next_attempt_at = case when v_is_claimed then o.next_attempt_at else excluded.next_attempt_at end,
    claimed_until = case when v_is_claimed then o.claimed_until else excluded.claimed_until end
  returning * into v_entry;
  if not coalesce(v_is_claimed, false) then
    v_result := v_result || jsonb_build_object('annotation', public.annotation_json(v_entry));
  end if;
  return v_result;
end $$;
comment on function public.record_feedback(jsonb) is
  'Records the feedback of one person on an answer: {now, triage_id, person, rating, comment, annotate?, claim_until?}. rating is 1, -1, 0 to withdraw it, or null to keep it. Returns {state, rating, net_rating}; net_rating of the past answer changes by the difference and is null if the answer is not in memory. A rating of 1 notes that the shown records helped. With annotate, if the triage has a span, the rating is enqueued for the trace server: annotation is the entry, claimed by the caller until claim_until, unless another worker is posting the earlier rating.';

-- Deletion.

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

create or replace function public.delete_record(p jsonb) returns jsonb
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

call public.restrict_to_service_role();
