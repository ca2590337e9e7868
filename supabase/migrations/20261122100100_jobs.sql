-- The jobs that keep memory small and whole. Each claims its work here, with skip locked, in batches.

create table public.job_runs (
  id uuid primary key,
  job text not null,
  trigger text not null check (trigger in ('cron', 'manual', 'queue')),
  started_at timestamptz not null,
  finished_at timestamptz,
  counts jsonb not null default '{}',
  error text
);
create index job_runs_newest on public.job_runs (started_at desc, id desc);
create index job_runs_of_job on public.job_runs (job, started_at desc);
comment on table public.job_runs is 'Every run of a job.';
comment on column public.job_runs.id is 'Made by the Worker.';
comment on column public.job_runs.job is 'Its name.';
comment on column public.job_runs.trigger is 'Who started it.';
comment on column public.job_runs.started_at is 'Start.';
comment on column public.job_runs.finished_at is 'End; null while it runs or when its worker died.';
comment on column public.job_runs.counts is 'What it did, in numbers.';
comment on column public.job_runs.error is 'Why it ended early: a code, never content.';

create function public.begin_job(p_id uuid, p_job text, p_trigger text, p_now timestamptz) returns void
language sql set search_path = '' as $$
  insert into public.job_runs (id, job, trigger, started_at) values (p_id, p_job, p_trigger, p_now) on conflict (id) do nothing;
$$;
comment on function public.begin_job(uuid, text, text, timestamptz) is 'Writes down that a job begins.';

create function public.finish_job(p_id uuid, p_now timestamptz, p_counts jsonb, p_error text default null) returns void
language sql set search_path = '' as $$
  update public.job_runs j set finished_at = p_now, counts = p_counts, error = p_error where j.id = p_id;
$$;
comment on function public.finish_job(uuid, timestamptz, jsonb, text) is 'Writes down how a job ended.';

create function public.claim_sessions(
  p_now timestamptz, p_idle_since timestamptz, p_threshold integer, p_limit integer, p_lease_seconds integer,
  p_memories_each integer
) returns jsonb
language sql set search_path = '' as $$
  with due as (
    select s.session_id, s.domain from public.sessions s
    where s.raw_count > p_threshold and s.last_turn_at <= p_idle_since
      and (s.claimed_until is null or s.claimed_until <= p_now)
      and not exists (select 1 from public.episodes e where e.session_id = s.session_id and e.started_at > p_idle_since)
    order by s.raw_count, s.last_turn_at limit p_limit for update skip locked
  ), claimed as (
    update public.sessions s set claimed_until = p_now + p_lease_seconds * interval '1 second'
    from due where s.session_id = due.session_id and s.domain = due.domain
    returning s.session_id, s.domain
  )
  select coalesce(jsonb_agg(jsonb_build_object('session_id', c.session_id, 'domain', c.domain, 'memories', (
    select jsonb_agg(to_jsonb(t) order by t.created_at, t.id) from (
      select m.id, m.created_at, m.question, m.answer, m.rating, m.content_hash from public.memories m
      where m.session_id = c.session_id and m.domain = c.domain and not m.is_summary and m.summary_id is null
      order by m.created_at, m.id limit p_memories_each) t))), '[]')
  from claimed c;
$$;
comment on function public.claim_sessions(timestamptz, timestamptz, integer, integer, integer, integer) is
  'Takes idle sessions with more than p_threshold raw memories for p_lease_seconds: [{session_id, domain, memories}], oldest memories first, p_memories_each at most.';

create function public.store_summary(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_new public.memories := jsonb_populate_record(null::public.memories, p -> 'memory');
  v_ids uuid[] := array(select (e ->> 'id')::uuid from jsonb_array_elements(p -> 'originals') e);
  v_memory public.memories;
  v_raw integer;
  v_rating integer;
begin
  perform 1 from public.sessions s where s.session_id = v_new.session_id and s.domain = v_new.domain for update;
  -- Somebody else summed them up, or one was resolved or forgotten meanwhile: then this summary does not tell of them.
  select count(*), sum(t.rating) into v_raw, v_rating from (
    select m.rating from jsonb_array_elements(p -> 'originals') e
    join public.memories m on m.id = (e ->> 'id')::uuid and m.content_hash = e ->> 'content_hash'
    where m.summary_id is null and not m.is_summary order by m.id for update of m) t;
  if v_raw < cardinality(v_ids) then
    update public.sessions s set claimed_until = null where s.session_id = v_new.session_id and s.domain = v_new.domain;
    return '[]';
  end if;
  insert into public.memories as s (id, domain, session_id, created_at, question, answer, rating, is_summary, tells_of,
    metadata, content_hash)
  select v_new.id, v_new.domain, v_new.session_id, max(m.created_at), v_new.question, v_new.answer, v_rating, true, v_ids,
    v_new.metadata, v_new.content_hash
  from public.memories m where m.id = any (v_ids)
  on conflict (id) do update set answer = excluded.answer, content_hash = excluded.content_hash, rating = excluded.rating
  returning * into v_memory;
  update public.memories m set summary_id = v_memory.id where m.id = any (v_ids);
  update public.sessions s set raw_count = s.raw_count - cardinality(v_ids), claimed_until = null
  where s.session_id = v_new.session_id and s.domain = v_new.domain;
  return jsonb_build_array(public.remember_document('past_answers-' || v_memory.domain, public.memory_document(v_memory), v_now,
    (p ->> 'claim_until')::timestamptz));
end $$;
comment on function public.store_summary(jsonb) is
  'Stores the summary of a session''s memories: {now, claim_until, memory, originals: [{id, content_hash}]}. The originals stay in the index until retire_originals. Nothing happens where one of them is summed up already, changed or gone. Returns the writes that are owed.';

create function public.retire_originals(p_now timestamptz, p_limit integer) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_gone record;
  v_count integer := 0;
begin
  for v_gone in
    with due as (
      select m.id from public.memories m
      where m.summary_id is not null and m.compressed_at is null
        -- A join would make the planner sort all that wait: it does not know that most summaries are in the index.
        and (select d.indexed_hash = d.content_hash from public.collections c join public.documents d on d.collection_id = c.id
          where c.name = 'past_answers-' || m.domain and d.id = m.summary_id::text)
      order by m.summary_id limit p_limit for update of m skip locked
    ), retired as (
      update public.memories m set compressed_at = p_now where m.id = any (array(select due.id from due))
      returning m.id::text, m.domain
    )
    select r.domain, array_agg(r.id) as ids from retired r group by r.domain order by r.domain
  loop
    perform public.delete_documents('past_answers-' || v_gone.domain, v_gone.ids);
    insert into public.outbox (collection, document_id, created_at, next_attempt_at)
    select 'past_answers-' || v_gone.domain, u.id, p_now, p_now from unnest(v_gone.ids) as u (id);
    v_count := v_count + cardinality(v_gone.ids);
  end loop;
  return jsonb_build_object('retired', v_count);
end $$;
comment on function public.retire_originals(timestamptz, integer) is
  'Takes memories out of the index whose summary is in it; their removal from the vector store is owed.';

create function public.decay_procedures(p_now timestamptz, p_period_days double precision, p_limit integer) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_period interval := p_period_days * interval '1 day';
  v_part record;
  v_decayed integer := 0;
  v_archived integer := 0;
begin
  for v_part in
    with due as (
      select r.id, floor(extract(epoch from p_now - r.decayed_until) / extract(epoch from v_period)) as periods
      from public.procedures r
      where r.archived_at is null and r.decayed_until <= p_now - v_period
      order by r.decayed_until limit p_limit for update skip locked
    ), decayed as (
      update public.procedures r
      set use_count = greatest(r.use_count * 0.5 ^ due.periods, 1e-300),
        decayed_until = r.decayed_until + due.periods * v_period,
        archived_at = case when r.use_count * 0.5 ^ due.periods < 0.5 then p_now end
      from due where r.id = due.id
      returning r.id::text, r.domain, r.archived_at
    )
    select d.domain, count(*) as decayed, coalesce(array_agg(d.id) filter (where d.archived_at is not null), '{}') as archived
    from decayed d group by d.domain order by d.domain
  loop
    v_decayed := v_decayed + v_part.decayed;
    v_archived := v_archived + cardinality(v_part.archived);
    continue when v_part.archived = '{}';
    perform public.delete_documents('procedures-' || v_part.domain, v_part.archived);
    insert into public.outbox (collection, document_id, created_at, next_attempt_at)
    select 'procedures-' || v_part.domain, u.id, p_now, p_now from unnest(v_part.archived) as u (id);
  end loop;
  return jsonb_build_object('decayed', v_decayed, 'archived', v_archived);
end $$;
comment on function public.decay_procedures(timestamptz, double precision, integer) is
  'Halves the use count of procedures for each full period without use, at most p_limit of them; below 0.5 one is archived and leaves the index. What was counted is not counted again.';

create function public.sweep_episodes(
  p_now timestamptz, p_started_before timestamptz, p_limit integer, p_retry_limit integer, p_max_attempts integer
) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_run record;
  v_incident public.incidents;
  v_is_free boolean;
  v_attempts integer;
  v_again uuid;
  v_closed integer := 0;
  v_failed integer := 0;
  v_retries jsonb := '[]';
begin
  for v_run in
    select e.run_id, e.incident_id, e.session_id, e.query from public.episodes e
    where e.finished_at is null and e.started_at < p_started_before
    order by e.started_at limit p_limit for update skip locked
  loop
    -- Whoever holds the incident is about to finish this very run; waiting for each other would end in a deadlock.
    select * into v_incident from public.incidents i where i.id = v_run.incident_id for update skip locked;
    v_is_free := found;
    continue when not v_is_free and v_run.incident_id is not null;
    -- Given out is only what its taker begins at once: the clock of the next run starts here.
    continue when v_is_free and v_incident.intake = 'queue' and v_incident.status = 'investigating'
      and jsonb_array_length(v_retries) >= p_retry_limit;
    update public.episodes e
    set finished_at = p_now, injection_blocked = false, retrieval_hit_count = 0, memory_hit_count = 0, initial_confidence = 0,
      reflected = false, final_confidence = 0, final_answer = ''
    where e.run_id = v_run.run_id;
    v_closed := v_closed + 1;
    -- Another run may be at it, or the incident may be answered by now.
    continue when not v_is_free or v_incident.status <> 'investigating' or exists (
      select 1 from public.episodes e where e.incident_id = v_incident.id and e.finished_at is null);
    delete from public.idempotency_keys k where k.incident_id = v_incident.id and k.triage_id is null;
    select count(*) into v_attempts from public.episodes e where e.incident_id = v_incident.id;
    if v_incident.intake = 'queue' and v_attempts < p_max_attempts then
      -- The next run begins here: whoever was given it and dies is swept in turn.
      v_again := gen_random_uuid();
      insert into public.episodes (run_id, session_id, started_at, query, incident_id)
      values (v_again, v_run.session_id, p_now, v_run.query, v_incident.id);
      v_retries := v_retries || jsonb_build_object('run_id', v_again, 'incident', to_jsonb(v_incident), 'attempt', v_attempts + 1);
    else
      update public.incidents i set status = 'failed' where i.id = v_incident.id;
      insert into public.incident_events (incident_id, at, kind, detail)
      values (v_incident.id, p_now, 'failed', jsonb_build_object('reason', 'abandoned', 'attempts', v_attempts));
      v_failed := v_failed + 1;
    end if;
  end loop;
  return jsonb_build_object('closed', v_closed, 'failed', v_failed, 'retries', v_retries);
end $$;
comment on function public.sweep_episodes(timestamptz, timestamptz, integer, integer, integer) is
  'Closes runs that began before p_started_before and never ended: {closed, failed, retries: [{run_id, incident, attempt}]}. An incident of the queue is given out again, with the start of its next run written, until it had p_max_attempts runs, p_retry_limit of them at a time; any other has failed.';

create index outbox_open_by_document on public.outbox (document_id) where done_at is null;
create index outbox_finished on public.outbox (done_at) where done_at is not null;
create index idempotency_keys_by_time on public.idempotency_keys (started_at);

create function public.purge_expired(p_before timestamptz, p_limit integer) returns jsonb
language sql set search_path = '' as $$
  with memories as (
    delete from public.memories m where m.id = any (array(
      select o.id from public.memories o
      where o.compressed_at < p_before
        -- Its removal from the vector store is not owed any more.
        and not exists (select 1 from public.outbox w where w.done_at is null and w.document_id = o.id::text)
      order by o.compressed_at limit p_limit for update skip locked))
    returning 1
  ), outbox as (
    delete from public.outbox w where w.id = any (array(
      select o.id from public.outbox o where o.done_at < p_before order by o.done_at limit p_limit for update skip locked))
    returning 1
  ), idempotency_keys as (
    delete from public.idempotency_keys k where k.key = any (array(
      select o.key from public.idempotency_keys o where o.started_at < p_before
      order by o.started_at limit p_limit for update skip locked))
    returning 1
  ), job_runs as (
    delete from public.job_runs j where j.id = any (array(
      select o.id from public.job_runs o where o.started_at < p_before
      order by o.started_at limit p_limit for update skip locked))
    returning 1
  )
  select jsonb_build_object('memories', (select count(*) from memories), 'outbox', (select count(*) from outbox),
    'idempotency_keys', (select count(*) from idempotency_keys), 'job_runs', (select count(*) from job_runs));
$$;
comment on function public.purge_expired(timestamptz, integer) is
  'Deletes compressed originals, finished outbox rows, idempotency keys and job runs from before p_before, at most p_limit of each.';
