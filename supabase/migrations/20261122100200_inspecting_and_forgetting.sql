-- Looking at what is remembered, a page at a time, and forgetting it for good.

create function public.list_observations(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null, p_domain text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select public.observation_json(o) from public.observations o
  where (p_before_at is null or (o.last_seen_at, o.id) < (p_before_at, p_before_id))
    and (p_domain is null or o.domain = p_domain)
  order by o.last_seen_at desc, o.id desc limit p_limit;
$$;
comment on function public.list_observations(integer, timestamptz, uuid, text) is
  'Observations, last seen first, a page before (p_before_at, p_before_id).';

create function public.get_observation(p_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select public.observation_json(o) from public.observations o where o.id = p_id;
$$;
comment on function public.get_observation(uuid) is 'An observation; null when there is none.';

create function public.list_memories(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null, p_domain text default null,
  p_session_id text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(m) - 'metadata' - 'content_hash' from public.memories m
  where (p_before_at is null or (m.created_at, m.id) < (p_before_at, p_before_id))
    and (p_domain is null or m.domain = p_domain)
    and (p_session_id is null or m.session_id = p_session_id)
  order by m.created_at desc, m.id desc limit p_limit;
$$;
comment on function public.list_memories(integer, timestamptz, uuid, text, text) is
  'Memories and summaries, newest first, a page before (p_before_at, p_before_id).';

create function public.list_sessions(
  p_limit integer, p_before_at timestamptz default null, p_before_id text default null, p_before_domain text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('session_id', s.session_id, 'domain', s.domain, 'last_turn_at', s.last_turn_at,
    'raw_count', s.raw_count,
    'summary_count', (select count(*) from public.memories m
      where m.session_id = s.session_id and m.domain = s.domain and m.is_summary))
  from public.sessions s
  where p_before_at is null or s.last_turn_at < p_before_at
    or (s.last_turn_at = p_before_at and (s.session_id, s.domain) > (p_before_id, p_before_domain))
  order by s.last_turn_at desc, s.session_id, s.domain limit p_limit;
$$;
comment on function public.list_sessions(integer, timestamptz, text, text) is
  'Sessions that hold memories, last used first, a page after (p_before_at, p_before_id, p_before_domain).';

create function public.list_procedures(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null, p_domain text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(r) - 'metadata' - 'content_hash' - 'query_hash' from public.procedures r
  where (p_before_at is null or (r.last_used_at, r.id) < (p_before_at, p_before_id))
    and (p_domain is null or r.domain = p_domain)
  order by r.last_used_at desc, r.id desc limit p_limit;
$$;
comment on function public.list_procedures(integer, timestamptz, uuid, text) is
  'Procedures, archived ones too, last used first, a page before (p_before_at, p_before_id).';

create function public.list_outbox(p_limit integer, p_after_id bigint default null) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'owed', coalesce((select jsonb_agg(to_jsonb(t) order by t.id) from (
      select o.id, o.collection, o.document_id, o.created_at, o.attempts, o.next_attempt_at, o.last_error
      from public.outbox o where o.done_at is null and o.id > coalesce(p_after_id, 0) order by o.id limit p_limit) t), '[]'),
    'total', (select count(*) from public.outbox o where o.done_at is null));
$$;
comment on function public.list_outbox(integer, bigint) is 'Memory writes that are owed, oldest first, and how many there are.';
create index outbox_open on public.outbox (id) where done_at is null;

create function public.list_job_runs(p_limit integer, p_job text default null) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(j) from public.job_runs j where p_job is null or j.job = p_job
  order by j.started_at desc, j.id desc limit p_limit;
$$;
comment on function public.list_job_runs(integer, text) is 'Runs of jobs, newest first.';

create function public.list_audit_events(p_limit integer, p_before_id bigint default null) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(a) from public.audit_events a where p_before_id is null or a.id < p_before_id order by a.id desc limit p_limit;
$$;
comment on function public.list_audit_events(integer, bigint) is 'Audit events, newest first.';

create function public.remove_observation(p_id uuid, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_domain text;
begin
  delete from public.observations o where o.id = p_id returning o.domain into v_domain;
  if v_domain is null then
    return '[]';
  end if;
  return jsonb_build_array(public.forget_document('incidents-' || v_domain, p_id::text, p_now, p_claim_until));
end $$;
comment on function public.remove_observation(uuid, timestamptz, timestamptz) is 'Removes an observation; returns the writes that are owed.';

create function public.remove_procedure(p_id uuid, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_domain text;
begin
  delete from public.procedures r where r.id = p_id returning r.domain into v_domain;
  if v_domain is null then
    return '[]';
  end if;
  return jsonb_build_array(public.forget_document('procedures-' || v_domain, p_id::text, p_now, p_claim_until));
end $$;
comment on function public.remove_procedure(uuid, timestamptz, timestamptz) is 'Removes a procedure; returns the writes that are owed.';

create function public.restore_memories(p_ids uuid[], p_now timestamptz) returns void
language plpgsql set search_path = '' as $$
declare
  v_memory public.memories;
begin
  for v_memory in
    update public.memories m set summary_id = null, compressed_at = null where m.id = any (p_ids) returning m.*
  loop
    perform public.remember_document('past_answers-' || v_memory.domain, public.memory_document(v_memory), p_now, null);
  end loop;
end $$;
comment on function public.restore_memories(uuid[], timestamptz) is 'Lets memories stand for themselves again, in place of their summary.';

create function public.remove_memory(p_id uuid, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_session record;
  v_gone_ids uuid[];
  v_siblings uuid[];
  v_gone public.memories;
  v_owed jsonb := '[]';
begin
  -- Locked in the order in which everybody locks: session, memories, collection.
  select m.session_id, m.domain into v_session from public.memories m
  where m.id = p_id or (m.is_summary and m.tells_of @> array[p_id]) limit 1;
  if not found then
    return v_owed;
  end if;
  perform 1 from public.sessions s where s.session_id = v_session.session_id and s.domain = v_session.domain for update;
  -- A summary goes with what it stands for. And each summary that was made of a memory goes with it, also when that
  -- memory stands for itself by now or has left long ago; what else such a summary stood for stands for itself again.
  v_gone_ids := array(select m.id from public.memories m
    where m.id = p_id or (m.is_summary and m.tells_of @> array[p_id]) or m.summary_id = p_id order by m.id for update);
  v_siblings := array(select m.id from public.memories m
    where m.summary_id = any (v_gone_ids) and not m.id = any (v_gone_ids) order by m.id for update);
  update public.sessions s
  set claimed_until = null, raw_count = s.raw_count + cardinality(v_siblings) - (
    select count(*) from public.memories m where m.id = any (v_gone_ids) and not m.is_summary and m.summary_id is null)
  where s.session_id = v_session.session_id and s.domain = v_session.domain;
  for v_gone in delete from public.memories m where m.id = any (v_gone_ids) returning m.* loop
    v_owed := v_owed || public.forget_document('past_answers-' || v_gone.domain, v_gone.id::text, p_now, p_claim_until);
  end loop;
  perform public.restore_memories(v_siblings, p_now);
  return v_owed;
end $$;
comment on function public.remove_memory(uuid, timestamptz, timestamptz) is
  'Removes a memory and every summary that was made of it, whose other originals are recalled by themselves again; or a summary and all that it stands for. The memory itself may have left already. Returns the writes that are owed.';

create function public.without_recalled(p_result jsonb, p_ids text[]) returns jsonb
language sql immutable set search_path = '' as $$
  select p_result || jsonb_build_object(
    'recalled', p_result -> 'recalled' || jsonb_build_object(
      'incidents', (select coalesce(jsonb_agg(e.hit order by e.n), '[]')
        from jsonb_array_elements(p_result #> '{recalled,incidents}') with ordinality as e (hit, n)
        where not e.hit ->> 'id' = any (p_ids)),
      'past_answers', (select coalesce(jsonb_agg(e.hit order by e.n), '[]')
        from jsonb_array_elements(coalesce(p_result #> '{recalled,past_answers}', '[]')) with ordinality as e (hit, n)
        where not e.hit ->> 'id' = any (p_ids)),
      'procedure', case when not coalesce(p_result #>> '{recalled,procedure,id}', '') = any (p_ids)
        then p_result #> '{recalled,procedure}' end),
    'sources', (select coalesce(jsonb_agg(e.source order by e.n), '[]')
      from jsonb_array_elements(p_result -> 'sources') with ordinality as e (source, n)
      where not e.source ->> 'id' = any (p_ids)),
    'answer', p_result -> 'answer' || jsonb_build_object(
      'worked_before', (select coalesce(jsonb_agg(e.past order by e.n), '[]')
        from jsonb_array_elements(p_result #> '{answer,worked_before}') with ordinality as e (past, n)
        where not e.past -> 'citations' ?| p_ids)));
$$;
comment on function public.without_recalled(jsonb, text[]) is
  'A triage''s result without the past incidents, memories and procedure of these ids, and without what is told of them.';

create function public.scrub_results(p_limit integer) returns integer
language plpgsql set search_path = '' as $$
declare
  v_event public.audit_events;
  v_scrubbed integer;
begin
  select * into v_event from public.audit_events a where a.in_results order by a.id limit 1 for update skip locked;
  if not found then
    return 0;
  end if;
  with holding as (
    select t.id from public.triages t where t.recalled_ids && v_event.record_ids
    order by t.id limit p_limit for update skip locked
  )
  update public.triages t
  set result = public.without_recalled(t.result, v_event.record_ids),
    recalled_ids = array(select u.id from unnest(t.recalled_ids) as u (id) where not u.id = any (v_event.record_ids))
  from holding where t.id = holding.id;
  get diagnostics v_scrubbed = row_count;
  update public.audit_events a
  set in_results = exists (select 1 from public.triages t where t.recalled_ids && v_event.record_ids)
  where a.id = v_event.id;
  return v_scrubbed;
end $$;
comment on function public.scrub_results(integer) is
  'Takes what was forgotten out of the results of at most p_limit triages that recalled it; returns of how many, 0 when there are none left.';

create function public.forget(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_kind text := p ->> 'kind';
  v_id text := p ->> 'id';
  v_uuid uuid := case when v_kind <> 'session' then v_id::uuid end;
  v_subject text := case when v_kind = 'session' then encode(sha256(convert_to(v_id, 'UTF8')), 'hex') else v_uuid::text end;
  v_incident public.incidents;
  v_triages uuid[];
  v_each uuid;
  v_observations jsonb := '[]';
  v_memories jsonb := '[]';
  v_procedures jsonb := '[]';
  v_owed jsonb;
  v_gone text[] := '{}';
  v_found boolean := false;
begin
  if v_kind = 'observation' then
    v_observations := public.remove_observation(v_uuid, v_now, v_claim_until);
  elsif v_kind = 'past_answer' then
    v_memories := public.remove_memory(v_uuid, v_now, v_claim_until);
  elsif v_kind = 'procedure' then
    v_procedures := public.remove_procedure(v_uuid, v_now, v_claim_until);
  elsif v_kind = 'session' then
    for v_each in select m.id from public.memories m where m.session_id = v_id order by m.domain, m.is_summary desc, m.id loop
      v_memories := v_memories || public.remove_memory(v_each, v_now, v_claim_until);
    end loop;
    delete from public.sessions s where s.session_id = v_id;
    v_found := found;
    delete from public.episodes e where e.session_id = v_id and e.finished_at is not null;
    v_found := v_found or found;
  else
    select * into v_incident from public.incidents i where i.id = v_uuid for update;
    v_found := found;
    v_triages := array(select t.id from public.triages t where t.incident_id = v_uuid order by t.id for update);
    -- The memories bear these ids, also those that have expired since and are still shown by results.
    v_gone := v_triages::text[];
    if v_incident.observation_id is not null then
      -- The record goes if this incident wrote its text or its fix; of a mere repeat only the trace goes.
      if exists (select 1 from public.observations o where o.id = v_incident.observation_id
          and (o.incident_id = v_uuid or o.resolved_incident_id = v_uuid or o.occurrences = 1)) then
        v_observations := public.remove_observation(v_incident.observation_id, v_now, v_claim_until);
      else
        -- Results that show what it once said of the fix lose the record, and find it anew.
        if exists (select 1 from public.observations o, jsonb_array_elements(o.superseded) s
            where o.id = v_incident.observation_id and s ->> 'incident_id' = v_id) then
          v_gone := v_gone || v_incident.observation_id::text;
        end if;
        update public.observations o
        set occurrences = o.occurrences - 1, seen_at = t.seen_at,
          first_seen_at = case when o.occurrences <= 20 then t.seen_at[1] else o.first_seen_at end,
          last_seen_at = t.seen_at[cardinality(t.seen_at)],
          superseded = (select coalesce(jsonb_agg(s.fix order by s.n), '[]')
            from jsonb_array_elements(o.superseded) with ordinality as s (fix, n)
            where s.fix ->> 'incident_id' is distinct from v_id)
        from (select array(select u.at from unnest(k.seen_at) with ordinality as u (at, n)
            where u.n is distinct from array_position(k.seen_at, v_incident.created_at) order by u.n) as seen_at
          from public.observations k where k.id = v_incident.observation_id) t
        where o.id = v_incident.observation_id and cardinality(t.seen_at) > 0;
      end if;
    end if;
    foreach v_each in array v_triages loop
      v_memories := v_memories || public.remove_memory(v_each, v_now, v_claim_until);
    end loop;
    for v_each in select r.id from public.procedures r where r.triage_id = any (v_triages) or r.origin_id = any (v_triages)
      order by r.id loop
      v_procedures := v_procedures || public.remove_procedure(v_each, v_now, v_claim_until);
    end loop;
    delete from public.idempotency_keys k where k.incident_id = v_uuid;
    delete from public.episodes e where e.incident_id = v_uuid;
    delete from public.incidents i where i.id = v_uuid;
  end if;
  v_owed := v_observations || v_memories || v_procedures;
  if not v_found and jsonb_array_length(v_owed) = 0 then
    return jsonb_build_object('state', 'not_found');
  end if;
  v_gone := v_gone || array(select e.write ->> 'document_id' from jsonb_array_elements(v_owed) as e (write));
  insert into public.audit_events (at, action, kind, subject_id, record_ids, in_results, detail)
  values (v_now, 'forgotten', v_kind, v_subject, v_gone, cardinality(v_gone) > 0, jsonb_build_object('observations', jsonb_array_length(v_observations),
    'memories', jsonb_array_length(v_memories), 'procedures', jsonb_array_length(v_procedures)));
  return jsonb_build_object('state', 'forgotten', 'owed', v_owed);
end $$;
comment on function public.forget(jsonb) is
  'Removes a record for good and leaves an audit event: {now, claim_until, kind: incident, observation, memory, session or procedure, id}. With an incident goes all that was written of it. Returns the writes that are owed, or not_found.';

-- As for everything before: only the service role.

do $$
declare
  v_table text;
begin
  for v_table in select c.relname from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relrowsecurity
  loop
    execute format('alter table public.%I enable row level security', v_table);
  end loop;
end $$;

revoke all on all tables in schema public from public, anon, authenticated;
revoke all on all sequences in schema public from public, anon, authenticated;
revoke all on all functions in schema public from public, anon, authenticated;
grant select, insert, update, delete on all tables in schema public to service_role;
grant usage on all sequences in schema public to service_role;
grant execute on all functions in schema public to service_role;
