-- The layers of memory that learn: observations of finished investigations, question and answer pairs, procedures,
-- feedback. The rows are the truth; what the vector store holds of them is also a row of documents, so that one outbox
-- and one reindex serve every layer. A transaction locks the collections incidents, past_answers, procedures in this order.

-- Episodes know their incident, so that a run that died can be told from its siblings.

alter table public.episodes add column incident_id uuid references public.incidents (id) on delete cascade;
update public.episodes e set incident_id = i.id from public.incidents i
where i.session_id = e.session_id and i.created_at = e.started_at;
create index episodes_of_incident on public.episodes (incident_id) where incident_id is not null;
comment on column public.episodes.incident_id is 'The incident that was investigated.';
comment on column public.episodes.memory_hit_count is 'Past incidents and earlier answers that were recalled.';

-- What a background job uses of a model belongs to no incident.
alter table public.model_usage alter column incident_id drop not null;
alter table public.model_usage drop constraint model_usage_incident_id_fkey;
alter table public.model_usage add constraint model_usage_incident_id_fkey
  foreign key (incident_id) references public.incidents (id) on delete set null;
comment on column public.model_usage.run_id is 'The run, as in episodes; a run of its own for what is compressed afterwards.';
comment on column public.model_usage.incident_id is 'The incident that it was about; null for a session''s summary, and where the incident was forgotten.';

-- Results keep what was recalled for them; what is forgotten leaves them too, and is found there by this.

alter table public.triages add column recalled_ids text[] not null default '{}';
comment on column public.triages.recalled_ids is 'Ids of the past incidents, memories and the procedure that the result shows.';

create function public.recalled_ids(p_result jsonb) returns text[]
language sql immutable set search_path = '' as $$
  select coalesce(array_agg(t.id #>> '{}'), '{}')
  from jsonb_path_query(jsonb_build_array(p_result #> '{recalled,incidents}', p_result #> '{recalled,past_answers}',
    jsonb_build_array(p_result #> '{recalled,procedure}')), '$[*][*].id') as t (id);
$$;
comment on function public.recalled_ids(jsonb) is 'Ids of what was recalled from memory for a triage''s result.';

update public.triages t set recalled_ids = public.recalled_ids(t.result);
create index triages_by_recalled on public.triages using gin (recalled_ids);

create table public.observations (
  id uuid primary key,
  domain text not null check (domain in ('docker', 'podman', 'kubernetes', 'postgres')),
  failure_key text not null,
  version integer not null default 1,
  created_at timestamptz not null,
  incident_id uuid not null references public.incidents (id) on delete cascade,
  title text not null,
  narrative text not null,
  facts text[] not null,
  task text not null,
  task_type text not null,
  target text,
  severity text not null,
  final_score double precision check (final_score between 0 and 10),
  quality double precision check (quality between -1 and 2),
  written_by text not null,
  occurrences integer not null default 1 check (occurrences > 0),
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  seen_at timestamptz[] not null,
  resolution text,
  resolved_by text,
  resolved_at timestamptz,
  resolved_incident_id uuid,
  worked boolean,
  superseded jsonb not null default '[]',
  unique (domain, failure_key)
);
create index observations_newest on public.observations (last_seen_at desc, id desc);
create index observations_of_incident on public.observations (incident_id);
create index observations_resolved_by on public.observations (resolved_incident_id) where resolved_incident_id is not null;
comment on table public.observations is 'What finished investigations became: one compressed record a failure, however often it came back.';
comment on column public.observations.id is 'The id of the first incident, and of the record in the collection incidents-<domain>.';
comment on column public.observations.domain is 'The domain whose recall finds it.';
comment on column public.observations.failure_key is 'Names the failure: equal for repeats of one incident.';
comment on column public.observations.version is 'Grows with every change of what is indexed, so that a writer who read an older one notices.';
comment on column public.observations.created_at is 'When the text was written.';
comment on column public.observations.incident_id is 'The incident whose investigation the text tells.';
comment on column public.observations.title is 'One line.';
comment on column public.observations.narrative is 'What was covered and concluded, in 2 to 3 sentences; found by meaning.';
comment on column public.observations.facts is '5 to 10 facts, found by keywords and shown to a model later.';
comment on column public.observations.task is 'What was asked or reported.';
comment on column public.observations.task_type is 'The type of incident.';
comment on column public.observations.target is 'The service, host or object that was affected.';
comment on column public.observations.severity is 'As reported.';
comment on column public.observations.final_score is 'The confidence × 10; null where no investigation finished.';
comment on column public.observations.quality is 'A person''s judgement, -1 to 2; null where nobody gave one.';
comment on column public.observations.written_by is 'extractive, or the model that compressed it.';
comment on column public.observations.occurrences is 'How often the failure was reported.';
comment on column public.observations.first_seen_at is 'The first report.';
comment on column public.observations.last_seen_at is 'The last report; age counts from here.';
comment on column public.observations.seen_at is 'The last 20 reports, oldest first.';
comment on column public.observations.resolution is 'What fixed it last.';
comment on column public.observations.resolved_by is 'Who said so.';
comment on column public.observations.resolved_at is 'When.';
comment on column public.observations.resolved_incident_id is 'The incident that was resolved so.';
comment on column public.observations.worked is 'Whether Dejavu''s answer led to that fix; null where nobody said.';
comment on column public.observations.superseded is 'Fixes that a newer one retired, newest first: [{resolution, resolved_by, resolved_at, incident_id, superseded_at}].';

alter table public.incidents add column observation_id uuid references public.observations (id) on delete set null;
alter table public.incidents add column benign boolean not null default false;
alter table public.incidents add column intake text not null default 'direct' check (intake in ('direct', 'queue'));
alter table public.incidents add column worked boolean;
create index incidents_of_observation on public.incidents (observation_id) where observation_id is not null;
comment on column public.incidents.observation_id is 'The record that this incident is remembered in.';
comment on column public.incidents.benign is 'Whether it was none: a watchdog, a test, a healthy system. Such are never recalled.';
comment on column public.incidents.intake is 'Whether somebody waited for the answer, or a queue; only the latter is tried again.';
comment on column public.incidents.worked is 'Whether Dejavu''s answer led to the fix; null where nobody said.';

create table public.sessions (
  session_id text not null,
  domain text not null,
  last_turn_at timestamptz not null,
  raw_count integer not null default 0 check (raw_count >= 0),
  claimed_until timestamptz,
  primary key (session_id, domain)
);
create index sessions_by_size on public.sessions (raw_count, last_turn_at);
create index sessions_newest on public.sessions (last_turn_at desc, session_id, domain);
comment on table public.sessions is 'Conversations that hold memories, a row for each domain that one touched.';
comment on column public.sessions.session_id is 'The conversation.';
comment on column public.sessions.domain is 'The domain; what is summed up stays within it.';
comment on column public.sessions.last_turn_at is 'The last remembered turn.';
comment on column public.sessions.raw_count is 'Memories that no summary stands for.';
comment on column public.sessions.claimed_until is 'Until then one worker sums it up.';

create table public.memories (
  id uuid primary key,
  domain text not null,
  session_id text not null,
  triage_id uuid references public.triages (id) on delete cascade,
  created_at timestamptz not null,
  question text not null,
  answer text not null,
  rating integer not null default 0,
  is_summary boolean not null default false,
  summary_id uuid references public.memories (id) on delete set null,
  tells_of uuid[] not null default '{}',
  compressed_at timestamptz,
  metadata jsonb not null,
  content_hash text not null,
  check (not is_summary or triage_id is null)
);
create index memories_newest on public.memories (created_at desc, id desc);
create index memories_of_session on public.memories (session_id, domain, created_at, id);
create index memories_of_triage on public.memories (triage_id) where triage_id is not null;
create index memories_of_summary on public.memories (summary_id) where summary_id is not null;
create index memories_to_retire on public.memories (summary_id) where summary_id is not null and compressed_at is null;
create index memories_by_told on public.memories using gin (tells_of) where is_summary;
create index memories_compressed on public.memories (compressed_at) where compressed_at is not null;
comment on table public.memories is 'Questions and what was answered, scrubbed; and the summaries of sessions.';
comment on column public.memories.id is 'Its id in the collection past_answers-<domain>: that of the triage, or a summary''s own.';
comment on column public.memories.domain is 'The domain whose recall finds it.';
comment on column public.memories.session_id is 'The conversation.';
comment on column public.memories.triage_id is 'The triage that answered; null for a summary.';
comment on column public.memories.created_at is 'When it was answered; a summary has the time of its last turn.';
comment on column public.memories.question is 'What was asked; [SESSION SUMMARY …] for a summary.';
comment on column public.memories.answer is 'What was answered, without what was only recalled; once it is resolved, what fixed it first.';
comment on column public.memories.rating is 'Thumbs up less thumbs down.';
comment on column public.memories.is_summary is 'Whether it stands for the turns of a session.';
comment on column public.memories.summary_id is 'The summary that stands for it.';
comment on column public.memories.tells_of is 'For a summary: the memories that it was made of, also those that have left since.';
comment on column public.memories.compressed_at is 'When it left the index in favour of the summary.';
comment on column public.memories.metadata is 'As the index keeps it.';
comment on column public.memories.content_hash is 'As in documents.';

create table public.procedures (
  id uuid primary key,
  domain text not null,
  query text not null,
  query_hash uuid not null,
  strategy text not null,
  answer text not null,
  confidence double precision not null check (confidence between 0 and 1),
  use_count double precision not null default 1 check (use_count > 0),
  origin_id uuid references public.triages (id) on delete set null,
  triage_id uuid references public.triages (id) on delete set null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  decayed_until timestamptz not null,
  archived_at timestamptz,
  metadata jsonb not null,
  content_hash text not null,
  unique (domain, query_hash)
);
create index procedures_to_decay on public.procedures (decayed_until) where archived_at is null;
create index procedures_newest on public.procedures (last_used_at desc, id desc);
create index procedures_of_origin on public.procedures (origin_id) where origin_id is not null;
create index procedures_of_triage on public.procedures (triage_id) where triage_id is not null;
comment on table public.procedures is 'Approaches that a critic found good: a hint for the next time.';
comment on column public.procedures.id is 'Its id in the collection procedures-<domain>.';
comment on column public.procedures.domain is 'The domain whose recall finds it.';
comment on column public.procedures.query is 'What was searched for.';
comment on column public.procedures.query_hash is '128 bits of a SHA-256 that name the query however it is spaced and capitalised: one row a query, also among concurrent runs.';
comment on column public.procedures.strategy is 'How the answer came about: retrieval_hits=…, memory_hits=…, reflected=….';
comment on column public.procedures.answer is 'The first 300 characters of the answer.';
comment on column public.procedures.confidence is 'The critic''s score of that answer.';
comment on column public.procedures.use_count is 'How often it was the way; halves while it is not used.';
comment on column public.procedures.origin_id is 'The triage that the query is from.';
comment on column public.procedures.triage_id is 'The triage that the answer is from.';
comment on column public.procedures.created_at is 'When it was first written.';
comment on column public.procedures.last_used_at is 'When it was the way last.';
comment on column public.procedures.decayed_until is 'The time without use up to here is in use_count already.';
comment on column public.procedures.archived_at is 'When it left recall, for want of use.';
comment on column public.procedures.metadata is 'As the index keeps it.';
comment on column public.procedures.content_hash is 'As in documents.';

create table public.feedback (
  triage_id uuid not null references public.triages (id) on delete cascade,
  person text not null,
  at timestamptz not null,
  vote integer not null default 0 check (vote between -1 and 1),
  comment text,
  primary key (triage_id, person)
);
comment on table public.feedback is 'What people said of an answer, one vote a person.';
comment on column public.feedback.triage_id is 'The answer.';
comment on column public.feedback.person is 'A digest of who; empty for callers who do not say.';
comment on column public.feedback.at is 'When it was last said.';
comment on column public.feedback.vote is '1 for helpful, -1 for not, 0 for none.';
comment on column public.feedback.comment is 'In their words, scrubbed.';

-- What was removed on request. Also the mark by which a run that was still going on notices.

create table public.audit_events (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  action text not null check (action in ('forgotten')),
  kind text not null check (kind in ('incident', 'observation', 'past_answer', 'session', 'procedure')),
  subject_id text not null,
  detail jsonb not null default '{}',
  record_ids text[] not null default '{}',
  in_results boolean not null default false
);
create index audit_events_to_follow on public.audit_events (id) where in_results;
create index audit_events_of_subject on public.audit_events (kind, subject_id);
comment on table public.audit_events is 'That something was removed, and nothing of what it said.';
comment on column public.audit_events.id is 'Order within one moment.';
comment on column public.audit_events.at is 'When.';
comment on column public.audit_events.action is 'What was done.';
comment on column public.audit_events.kind is 'To what kind of record.';
comment on column public.audit_events.subject_id is 'Its id. A session''s is a digest: callers choose those names.';
comment on column public.audit_events.record_ids is 'Ids of what must leave the results of other triages.';
comment on column public.audit_events.in_results is 'Whether results may still hold one of them.';
comment on column public.audit_events.detail is 'How many records of each layer went with it.';

-- Documents without terms have no postings. The planner does not know, and would read all of those that there are.

create or replace function public.index_documents() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op <> 'INSERT' then
    if exists (select 1 from old_rows o where o.length > 0) then
      delete from public.postings p
      using old_rows o cross join lateral unnest(o.terms) as t (term)
      where p.collection_id = o.collection_id and p.term = t.term and p.document_key = o.key;
    end if;
    update public.collections c
    set document_count = c.document_count - gone.documents, length_total = c.length_total - gone.length
    from (select collection_id, count(*) as documents, sum(length) as length from old_rows group by collection_id) gone
    where c.id = gone.collection_id;
  end if;
  if tg_op <> 'DELETE' then
    insert into public.postings (collection_id, term, document_key, frequency, length)
    select n.collection_id, t.term, n.key, t.frequency, n.length
    from new_rows n cross join lateral unnest(n.terms, n.frequencies) as t (term, frequency);
    update public.collections c
    set document_count = c.document_count + come.documents, length_total = c.length_total + come.length
    from (select collection_id, count(*) as documents, sum(length) as length from new_rows group by collection_id) come
    where c.id = come.collection_id;
  end if;
  return null;
end $$;

-- The outbox: what is owed is written, claimed and completed in one form.

create function public.outbox_json(o public.outbox) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', o.id, 'collection', o.collection, 'attempts', o.attempts, 'document_id', o.document_id,
    'document', (select public.document_json(d) from public.collections c
      join public.documents d on d.collection_id = c.id and d.id = o.document_id where c.name = o.collection));
$$;
comment on function public.outbox_json(public.outbox) is 'A memory write that is owed, with the document as it is now; null where it is gone.';

create or replace function public.claim_outbox(p_now timestamptz, p_limit integer, p_lease_seconds integer) returns jsonb
language sql set search_path = '' as $$
  with due as (
    select o.id from public.outbox o where o.done_at is null and o.next_attempt_at <= p_now
    order by o.next_attempt_at, o.id limit p_limit for update skip locked
  ), claimed as (
    update public.outbox o
    set attempts = o.attempts + 1, next_attempt_at = p_now + p_lease_seconds * interval '1 second'
    from due where o.id = due.id
    returning o.*
  )
  select coalesce(jsonb_agg(public.outbox_json(w::public.outbox) order by w.id), '[]') from claimed w;
$$;

create or replace function public.complete_outbox(p_now timestamptz, p_done jsonb, p_fingerprint text) returns integer
language plpgsql set search_path = '' as $$
declare
  v_done integer;
begin
  -- What changed, came or went while it was being written stays owed and is due at once.
  with done as (
    select o.id, o.document_id, c.id as collection_id, d.hash
    from jsonb_to_recordset(p_done) as d (id bigint, hash text)
    join public.outbox o on o.id = d.id and o.done_at is null
    left join public.collections c on c.name = o.collection
  ), indexed as (
    update public.documents d set indexed_hash = done.hash, index_fingerprint = p_fingerprint
    from done where d.collection_id = done.collection_id and d.id = done.document_id and done.hash <> ''
    returning d.collection_id, d.id, d.content_hash
  ), present as (
    select done.id, coalesce(i.content_hash, d.content_hash) as content_hash
    from done
    left join indexed i on i.collection_id = done.collection_id and i.id = done.document_id
    left join public.documents d on d.collection_id = done.collection_id and d.id = done.document_id
  )
  update public.outbox o
  set done_at = case when coalesce(present.content_hash, '') = done.hash then p_now end,
    next_attempt_at = p_now, last_error = null
  from done join present on present.id = done.id
  where o.id = done.id;
  get diagnostics v_done = row_count;
  return v_done;
end $$;
comment on function public.complete_outbox(timestamptz, jsonb, text) is
  'Records memory writes that succeeded: p_done is [{id, hash}] with the content hash that was written, empty for a removal.';

create function public.owe_write(p_collection text, p_document_id text, p_now timestamptz, p_claim_until timestamptz)
returns jsonb
language sql set search_path = '' as $$
  insert into public.outbox as o (collection, document_id, created_at, attempts, next_attempt_at)
  values (p_collection, p_document_id, p_now, case when p_claim_until is null then 0 else 1 end, coalesce(p_claim_until, p_now))
  returning public.outbox_json(o);
$$;
comment on function public.owe_write(text, text, timestamptz, timestamptz) is
  'Owes the vector store a document as it is, claimed by the caller until p_claim_until, or due at once where that is null.';

create function public.remember_document(p_collection text, p_document jsonb, p_now timestamptz, p_claim_until timestamptz)
returns jsonb
language plpgsql set search_path = '' as $$
begin
  perform public.upsert_documents(p_collection, jsonb_build_array(p_document));
  return public.owe_write(p_collection, p_document ->> 'id', p_now, p_claim_until);
end $$;
comment on function public.remember_document(text, jsonb, timestamptz, timestamptz) is
  'Stores a document and the debt to copy it to the vector store; returns the debt.';

create function public.forget_document(p_collection text, p_id text, p_now timestamptz, p_claim_until timestamptz)
returns jsonb
language plpgsql set search_path = '' as $$
begin
  perform public.delete_documents(p_collection, array[p_id]);
  return public.owe_write(p_collection, p_id, p_now, p_claim_until);
end $$;
comment on function public.forget_document(text, text, timestamptz, timestamptz) is
  'Removes a document and owes its removal from the vector store; returns the debt.';

drop function public.enqueue_memory_write(text, jsonb, timestamptz, timestamptz) cascade;

create or replace function public.mark_documents_indexed(p_collection text, p_hashes jsonb, p_fingerprint text) returns void
language sql set search_path = '' as $$
  with written as (
    select c.name, h.key as id, h.value as hash, d.content_hash
    from jsonb_each_text(p_hashes) h
    join public.collections c on c.name = p_collection
    left join public.documents d on d.collection_id = c.id and d.id = h.key
  ), marked as (
    update public.documents d set indexed_hash = w.hash, index_fingerprint = p_fingerprint
    from written w, public.collections c
    where c.name = w.name and d.collection_id = c.id and d.id = w.id
  )
  -- Changed or gone while the older text was being written: the newer state follows.
  insert into public.outbox (collection, document_id, created_at, next_attempt_at)
  select w.name, w.id, now(), 'epoch' from written w where w.content_hash is distinct from w.hash;
$$;

create function public.rewrite_terms(p_collection text, p_documents jsonb) returns void
language plpgsql set search_path = '' as $$
declare
  v_collection smallint;
  v_unchanged jsonb;
begin
  select c.id into strict v_collection from public.collections c where c.name = p_collection for update;
  select coalesce(jsonb_agg(e.value), '[]') into v_unchanged
  from jsonb_array_elements(p_documents) e
  join public.documents d on d.collection_id = v_collection and d.id = e.value ->> 'id'
    and d.content_hash = e.value ->> 'content_hash';
  perform public.upsert_documents(p_collection, v_unchanged);
end $$;
comment on function public.rewrite_terms(text, jsonb) is
  'Makes the keyword index of documents anew, as upsert_documents takes them; those that changed since they were read are left alone.';

-- Writing.

create function public.memory_document(m public.memories) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object('id', m.id, 'source', null, 'chunk_index', null, 'title', m.question, 'heading_path', '[]'::jsonb,
    'body', m.answer, 'metadata', m.metadata, 'written_at', m.created_at, 'content_hash', m.content_hash, 'terms', '{}'::jsonb);
$$;
comment on function public.memory_document(public.memories) is 'A memory as the index holds it; nobody searches it by keywords.';

create function public.procedure_document(p public.procedures) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object('id', p.id, 'source', null, 'chunk_index', null, 'title', p.query, 'heading_path', '[]'::jsonb,
    'body', '', 'metadata', p.metadata, 'written_at', p.created_at, 'content_hash', p.content_hash, 'terms', '{}'::jsonb);
$$;
comment on function public.procedure_document(public.procedures) is 'A procedure as the index holds it: its query alone.';

create or replace function public.record_incident(p jsonb) returns void
language plpgsql set search_path = '' as $$
begin
  if exists (select 1 from public.audit_events a where a.kind = 'incident' and a.subject_id = p #>> '{incident,id}') then
    return; -- forgotten while it was being investigated, or about to be again
  end if;
  with incident as (
    insert into public.incidents (id, created_at, title, question, target, severity, labels, logs, session_id, domain,
      domain_rule, incident_type, incident_type_rule, status, intake)
    select i.id, i.created_at, i.title, i.question, i.target, i.severity, i.labels, i.logs, i.session_id, i.domain,
      i.domain_rule, i.incident_type, i.incident_type_rule, 'investigating', coalesce(i.intake, 'direct')
    from jsonb_populate_record(null::public.incidents, p -> 'incident') i
    on conflict (id) do nothing
    returning id, created_at
  ), event as (
    insert into public.incident_events (incident_id, at, kind) select id, created_at, 'reported' from incident
  )
  insert into public.episodes (run_id, session_id, started_at, query, incident_id)
  select e.run_id, e.session_id, e.started_at, e.query, (p #>> '{incident,id}')::uuid
  from jsonb_populate_record(null::public.episodes, p -> 'episode') e
  on conflict (run_id) do nothing;
end $$;

create function public.record_observation(p jsonb, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_new public.observations := jsonb_populate_record(null::public.observations, p -> 'row');
  v_known public.observations;
begin
  if p -> 'document' <> 'null' and p -> 'replaces' = 'null' then
    insert into public.observations (id, domain, failure_key, created_at, incident_id, title, narrative, facts, task, task_type,
      target, severity, final_score, written_by, first_seen_at, last_seen_at, seen_at)
    values (v_new.incident_id, v_new.domain, v_new.failure_key, p_now, v_new.incident_id, v_new.title, v_new.narrative,
      v_new.facts, v_new.task, v_new.task_type, v_new.target, v_new.severity, v_new.final_score, v_new.written_by,
      v_new.first_seen_at, v_new.first_seen_at, array[v_new.first_seen_at])
    on conflict do nothing; -- also of a second run of this incident that classified it otherwise
    if found then
      update public.incidents i set observation_id = v_new.incident_id where i.id = v_new.incident_id;
      return jsonb_build_array(
        public.remember_document('incidents-' || v_new.domain, p -> 'document', p_now, p_claim_until));
    end if;
  end if;

  select * into v_known from public.observations o
  where o.domain = v_new.domain and o.failure_key = v_new.failure_key for update;
  if not found then
    return '[]'; -- forgotten this moment; the next repeat begins anew
  end if;
  update public.incidents i set observation_id = v_known.id where i.id = v_new.incident_id and i.observation_id is null;
  if found then
    update public.observations o
    set occurrences = o.occurrences + 1, first_seen_at = least(o.first_seen_at, v_new.first_seen_at),
      last_seen_at = greatest(o.last_seen_at, v_new.first_seen_at),
      seen_at = (select array_agg(t.at order by t.at) from (
        select u.at from unnest(o.seen_at || v_new.first_seen_at) as u (at) order by u.at desc limit 20) t)
    where o.id = v_known.id;
  end if;
  -- A better telling of the same failure, if nobody changed the record since it was read.
  if p -> 'document' = 'null' or (p #>> '{replaces,id}')::uuid is distinct from v_known.id
    or (p #>> '{replaces,version}')::integer is distinct from v_known.version then
    return '[]';
  end if;
  update public.observations o
  set version = o.version + 1, created_at = p_now, incident_id = v_new.incident_id, title = v_new.title,
    narrative = v_new.narrative, facts = v_new.facts, task = v_new.task, target = v_new.target, severity = v_new.severity,
    final_score = v_new.final_score, written_by = v_new.written_by,
    quality = null -- judged was what it said before
  where o.id = v_known.id;
  return jsonb_build_array(public.remember_document('incidents-' || v_new.domain, p -> 'document', p_now, p_claim_until));
end $$;
comment on function public.record_observation(jsonb, timestamptz, timestamptz) is
  'Remembers a finished investigation: {row, document, replaces}. A repeat of a known failure is counted; its text takes the place of the known one where replaces is {id, version} of it as it still is. document null: only counted. Returns the writes that are owed.';

create function public.record_memory(p jsonb, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_memory public.memories;
begin
  insert into public.memories (id, domain, session_id, triage_id, created_at, question, answer, metadata, content_hash)
  select m.id, m.domain, m.session_id, m.triage_id, m.created_at, m.question, m.answer, m.metadata, m.content_hash
  from jsonb_populate_record(null::public.memories, p) m
  on conflict (id) do nothing
  returning * into v_memory;
  if not found then
    return '[]';
  end if;
  insert into public.sessions as s (session_id, domain, last_turn_at, raw_count)
  values (v_memory.session_id, v_memory.domain, v_memory.created_at, 1)
  on conflict (session_id, domain) do update
  set raw_count = s.raw_count + 1, last_turn_at = greatest(s.last_turn_at, excluded.last_turn_at);
  return jsonb_build_array(
    public.remember_document('past_answers-' || v_memory.domain, public.memory_document(v_memory), p_now, p_claim_until));
end $$;
comment on function public.record_memory(jsonb, timestamptz, timestamptz) is
  'Remembers a question and its answer, once: a row of memories. Returns the writes that are owed.';

create function public.record_procedure(p jsonb, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_new public.procedures := jsonb_populate_record(null::public.procedures, p -> 'row');
  v_known public.procedures;
begin
  if p ->> 'merge_into' is not null then
    select * into v_known from public.procedures r
    where r.id = (p ->> 'merge_into')::uuid and r.archived_at is null for update;
  end if;
  if v_known.id is null then
    insert into public.procedures (id, domain, query, query_hash, strategy, answer, confidence, origin_id, triage_id,
      created_at, last_used_at, decayed_until, metadata, content_hash)
    values (v_new.id, v_new.domain, v_new.query, v_new.query_hash, v_new.strategy, v_new.answer, v_new.confidence,
      v_new.triage_id, v_new.triage_id, p_now, p_now, p_now, v_new.metadata, v_new.content_hash)
    on conflict (domain, query_hash) do nothing;
    if found then
      select * into strict v_known from public.procedures r where r.id = v_new.id;
      return jsonb_build_array(
        public.remember_document('procedures-' || v_new.domain, public.procedure_document(v_known), p_now, p_claim_until));
    end if;
    select * into v_known from public.procedures r
    where r.domain = v_new.domain and r.query_hash = v_new.query_hash for update;
    if not found then
      return '[]'; -- forgotten this moment
    end if;
  end if;
  -- Back from the archive it begins anew. The better of the two answers is kept.
  update public.procedures r
  set use_count = case when r.archived_at is null then r.use_count + 1 else 1 end,
    last_used_at = greatest(r.last_used_at, p_now), decayed_until = greatest(r.decayed_until, p_now), archived_at = null,
    strategy = case when v_new.confidence > r.confidence then v_new.strategy else r.strategy end,
    answer = case when v_new.confidence > r.confidence then v_new.answer else r.answer end,
    triage_id = case when v_new.confidence > r.confidence then v_new.triage_id else r.triage_id end,
    confidence = greatest(r.confidence, v_new.confidence)
  where r.id = v_known.id;
  if v_known.archived_at is null then
    return '[]';
  end if;
  return jsonb_build_array(
    public.remember_document('procedures-' || v_known.domain, public.procedure_document(v_known), p_now, p_claim_until));
end $$;
comment on function public.record_procedure(jsonb, timestamptz, timestamptz) is
  'Remembers an approach that worked: {row, merge_into}. The one that it is merged into, or the one of the same query, is counted up instead. Returns the writes that are owed.';

create or replace function public.finish_triage(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_incident uuid := (p #>> '{incident,id}')::uuid;
  v_triage uuid := (p #>> '{triage,id}')::uuid;
  v_status text;
  v_owed jsonb := '[]';
begin
  -- Whoever is forgetting the incident holds its row; only after that can the mark be seen.
  perform 1 from public.incidents i where i.id = v_incident for update;
  if exists (select 1 from public.audit_events a where a.kind = 'incident' and a.subject_id = v_incident::text) then
    return jsonb_build_object('owed', v_owed); -- forgotten while it was being investigated
  end if;
  perform public.record_incident(p);
  select i.status into strict v_status from public.incidents i where i.id = v_incident for update;
  if exists (select 1 from public.triages t where t.id = v_triage) then
    return jsonb_build_object('owed', v_owed); -- a repeated call whose first reply was lost
  end if;
  -- Domain and type were told from cues when it was reported; the investigation may know better.
  update public.incidents i
  set status = 'triaged', domain = p #>> '{incident,domain}', domain_rule = p #>> '{incident,domain_rule}',
    incident_type = p #>> '{incident,incident_type}', incident_type_rule = p #>> '{incident,incident_type_rule}',
    benign = p #>> '{triage,outcome}' = 'benign'
  where i.id = v_incident and i.status <> 'resolved';
  insert into public.triages (id, incident_id, created_at, mode, outcome, confidence, result, model, prompt_version, recalled_ids)
  select t.id, v_incident, v_now, t.mode, t.outcome, t.confidence, t.result, t.model, t.prompt_version,
    public.recalled_ids(t.result)
  from jsonb_populate_record(null::public.triages, p -> 'triage') t;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (v_incident, v_now, 'triaged', jsonb_build_object('triage_id', v_triage, 'mode', p #> '{triage,mode}',
    'outcome', p #> '{triage,outcome}', 'confidence', p #> '{triage,confidence}'));
  perform public.finish_episode((p -> 'episode') || (p -> 'episode_finish'));
  perform public.record_model_usage(jsonb_build_object('run_id', p #> '{episode,run_id}', 'incident_id', v_incident,
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
  -- The collections' row locks are taken last and held for the shortest time. Resolved while it was being triaged: the
  -- record holds the fix already, and must not lose it.
  if p ? 'observation' and v_status <> 'resolved' then
    v_owed := v_owed || public.record_observation(p -> 'observation', v_now, v_claim_until);
  end if;
  if p ? 'memory' then
    v_owed := v_owed || public.record_memory(p -> 'memory', v_now, v_claim_until);
  end if;
  if p ? 'procedure' then
    v_owed := v_owed || public.record_procedure(p -> 'procedure', v_now, v_claim_until);
  end if;
  return jsonb_build_object('owed', v_owed);
end $$;
comment on function public.finish_triage(jsonb) is
  'Stores a finished triage and what is learnt from it in one transaction: {now, claim_until, incident, episode, episode_finish, usage, triage, idempotency?: {key, request_hash, released?}, observation?, memory?, procedure?}. A triage that is stored already is left alone. Returns {owed}: the memory writes, claimed by the caller.';

create function public.revise_observation(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_domain text;
begin
  update public.observations o
  set version = o.version + 1, title = p ->> 'title', narrative = p ->> 'narrative', written_by = p ->> 'written_by',
    facts = array(select jsonb_array_elements_text(p -> 'facts'))
  where o.id = (p ->> 'id')::uuid and o.version = (p ->> 'version')::integer
  returning o.domain into v_domain;
  if not found then
    return '[]';
  end if;
  return jsonb_build_array(
    public.remember_document('incidents-' || v_domain, p -> 'document', v_now, (p ->> 'claim_until')::timestamptz));
end $$;
comment on function public.revise_observation(jsonb) is
  'Puts a better compression in the place of one: {now, claim_until, id, version, title, narrative, facts, written_by, document}. Does nothing where the record is not as it was read. Returns the writes that are owed.';

create or replace function public.record_model_usage(p jsonb) returns void
language sql set search_path = '' as $$
  insert into public.model_usage (run_id, incident_id, at, calls, input_tokens, cached_input_tokens, output_tokens, cost_usd)
  select (p ->> 'run_id')::uuid, i.id, (p ->> 'at')::timestamptz, u.calls, u.input_tokens, u.cached_input_tokens,
    u.output_tokens, u.cost_usd
  from jsonb_populate_record(null::public.model_usage, p -> 'usage') u
  left join public.incidents i on i.id = (p ->> 'incident_id')::uuid
  where u.calls > 0
  on conflict (run_id) do nothing;
$$;

-- Resolving.

create function public.observation_json(o public.observations) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(o) || jsonb_build_object(
    'quality', coalesce(o.quality, case when o.worked then 1 when not o.worked then -1 end), 'manual_quality', o.quality);
$$;
comment on function public.observation_json(public.observations) is
  'An observation; its quality is a person''s judgement, else 1 or -1 by whether the answer worked.';

create or replace function public.get_incident(p_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'incident', to_jsonb(i),
    'events', coalesce((select jsonb_agg(to_jsonb(e) - 'incident_id' - 'id' order by e.at, e.id)
      from public.incident_events e where e.incident_id = i.id), '[]'),
    'triage', (select t.result from public.triages t where t.incident_id = i.id order by t.created_at desc limit 1),
    'observation', (select public.observation_json(o) from public.observations o where o.id = i.observation_id))
  from public.incidents i where i.id = p_id;
$$;
comment on function public.get_incident(uuid) is
  'An incident with its timeline, its latest triage and the record that it is remembered in; null when there is none.';

create or replace function public.resolve_incident(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_id uuid := (p ->> 'incident_id')::uuid;
  v_row public.observations := jsonb_populate_record(null::public.observations, p #> '{observation,row}');
  v_known public.observations;
  v_memory public.memories;
  v_procedure record;
  v_owed jsonb := '[]';
begin
  perform 1 from public.incidents i where i.id = v_id for update;
  if not found then
    return jsonb_build_object('state', 'not_found');
  end if;
  if p ? 'observation' then
    select * into v_known from public.observations o
    where o.domain = v_row.domain and o.failure_key = v_row.failure_key for update;
    if v_known.id is distinct from (p #>> '{observation,replaces,id}')::uuid
      or v_known.version is distinct from (p #>> '{observation,replaces,version}')::integer then
      return jsonb_build_object('state', 'changed');
    end if;
  end if;
  update public.incidents i
  set status = 'resolved', resolution = p ->> 'resolution', resolved_by = p ->> 'resolved_by', resolved_at = v_now,
    worked = coalesce((p ->> 'worked')::boolean, i.worked)
  where i.id = v_id;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (v_id, v_now, 'resolved', jsonb_strip_nulls(jsonb_build_object('resolution', p -> 'resolution',
    'resolved_by', p -> 'resolved_by', 'worked', p -> 'worked')));
  if p ? 'observation' then
    if v_known.id is null then
      insert into public.observations (id, domain, failure_key, created_at, incident_id, title, narrative, facts, task,
        task_type, target, severity, final_score, written_by, first_seen_at, last_seen_at, seen_at)
      values (v_id, v_row.domain, v_row.failure_key, v_now, v_id, v_row.title, v_row.narrative, v_row.facts, v_row.task,
        v_row.task_type, v_row.target, v_row.severity, v_row.final_score, v_row.written_by, v_row.first_seen_at,
        v_row.first_seen_at, array[v_row.first_seen_at])
      returning * into v_known;
    end if;
    update public.incidents i set observation_id = v_known.id where i.id = v_id and i.observation_id is null;
    update public.observations o
    set version = o.version + 1, title = v_row.title, narrative = v_row.narrative, facts = v_row.facts, resolution = p ->> 'resolution',
      resolved_by = p ->> 'resolved_by', resolved_at = v_now, resolved_incident_id = v_id,
      worked = coalesce((p ->> 'worked')::boolean, case when o.resolved_incident_id = v_id then o.worked end),
      superseded = case
        when o.resolution is null or lower(o.resolution) = lower(p ->> 'resolution') then o.superseded
        else (select jsonb_agg(t.fix order by t.n) from (
          select s.fix, s.n from jsonb_array_elements(jsonb_build_array(jsonb_build_object('resolution', o.resolution,
            'resolved_by', o.resolved_by, 'resolved_at', o.resolved_at, 'incident_id', o.resolved_incident_id,
            'superseded_at', v_now)) || o.superseded) with ordinality as s (fix, n) limit 10) t)
      end
    where o.id = v_known.id;
    v_owed := v_owed || jsonb_build_array(
      public.remember_document('incidents-' || v_row.domain, p #> '{observation,document}', v_now, v_claim_until));
  end if;
  if p ? 'memory' then
    -- A turn that a summary stands for is worth a record of its own again, now that it has a fix.
    update public.sessions s set raw_count = s.raw_count + 1
    from public.memories m
    where m.id = (p #>> '{memory,id}')::uuid and m.summary_id is not null
      and s.session_id = m.session_id and s.domain = m.domain;
    update public.memories m
    set answer = p #>> '{memory,answer}', content_hash = p #>> '{memory,content_hash}', summary_id = null, compressed_at = null
    where m.id = (p #>> '{memory,id}')::uuid and not m.is_summary
    returning * into v_memory;
    if found then
      v_owed := v_owed || jsonb_build_array(
        public.remember_document('past_answers-' || v_memory.domain, public.memory_document(v_memory), v_now, v_claim_until));
    end if;
  end if;
  if not (p ->> 'worked')::boolean then
    -- An approach that led astray is not proven. It may prove itself again.
    for v_procedure in
      update public.procedures r set archived_at = v_now
      where r.archived_at is null and r.triage_id in (select t.id from public.triages t where t.incident_id = v_id)
      returning r.id, r.domain
    loop
      v_owed := v_owed || jsonb_build_array(public.forget_document('procedures-' || v_procedure.domain,
        v_procedure.id::text, v_now, v_claim_until));
    end loop;
  end if;
  return jsonb_build_object('state', 'resolved', 'owed', v_owed, 'found', public.get_incident(v_id));
end $$;
comment on function public.resolve_incident(jsonb) is
  'Records what fixed an incident: {now, claim_until, incident_id, resolution, resolved_by, worked, observation?: {row, document, replaces}, memory?: {id, answer, content_hash}}. A newer fix of the same failure retires the former; both stay in the timeline. Answers not_found; changed where the observation is not as replaces says; or resolved.';

-- Recall: what of the hits still stands, as it is now.

create function public.recall_state(p jsonb) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'observations', coalesce((select jsonb_agg(public.observation_json(o)) from public.observations o
      where o.id = any (array(select jsonb_array_elements_text(p -> 'incidents'))::uuid[])), '[]'),
    'documents', coalesce((select jsonb_agg(public.document_json(d)) from public.collections c
      join public.documents d on d.collection_id = c.id
      where c.name = 'incidents-' || (p ->> 'domain')
        and d.id = any (array(select jsonb_array_elements_text(p -> 'documents')))), '[]'),
    'memories', coalesce((select jsonb_agg(to_jsonb(m) - 'metadata' - 'content_hash') from public.memories m
      where m.id = any (array(select jsonb_array_elements_text(p -> 'memories'))::uuid[])
        and m.domain = p ->> 'domain' and m.compressed_at is null), '[]'),
    'procedures', coalesce((select jsonb_agg(to_jsonb(r) - 'metadata' - 'content_hash' - 'query_hash') from public.procedures r
      where r.id = any (array(select jsonb_array_elements_text(p -> 'procedures'))::uuid[])
        and r.domain = p ->> 'domain' and r.archived_at is null), '[]'),
    'repeat_of', (select public.observation_json(o) from public.observations o
      where o.domain = p ->> 'domain' and o.failure_key = p ->> 'failure_key'));
$$;
comment on function public.recall_state(jsonb) is
  'What the hits of a recall are now: {domain, incidents, documents, memories, procedures, failure_key?}, ids each; documents are those whose text the caller knows from the index alone. What is missing from the answer is gone.';

create function public.session_memories(p_session_id text, p_limit integer) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_object_agg(s.domain, t.ids), '{}') from public.sessions s
  cross join lateral (select coalesce(jsonb_agg(n.id), '[]') as ids from (
    select m.id from public.memories m
    where m.session_id = s.session_id and m.domain = s.domain and m.compressed_at is null
    order by m.created_at desc, m.id desc limit p_limit) n) t
  where s.session_id = p_session_id;
$$;
comment on function public.session_memories(text, integer) is
  'Ids of a session''s newest memories that are in the index, at most p_limit for each domain: {domain: [id]}.';

create or replace function public.begin_triage(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_key text := p #>> '{idempotency,key}';
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_incident uuid := (p #>> '{incident,id}')::uuid;
  v_known public.idempotency_keys;
begin
  if v_key is not null then
    insert into public.idempotency_keys (key, request_hash, started_at, incident_id)
    values (v_key, p #>> '{idempotency,request_hash}', v_now, v_incident)
    on conflict (key) do nothing;
    if not found then
      select * into v_known from public.idempotency_keys k where k.key = v_key for update;
      if not found then
        return jsonb_build_object('state', 'in_progress'); -- it was given back this moment
      elsif v_known.request_hash <> p #>> '{idempotency,request_hash}' then
        return jsonb_build_object('state', 'mismatch');
      elsif v_known.triage_id is not null then
        return jsonb_build_object('state', 'replayed',
          'result', (select t.result from public.triages t where t.id = v_known.triage_id));
      elsif v_known.incident_id <> v_incident and v_known.started_at > v_now - (p #>> '{idempotency,lease_seconds}')::integer * interval '1 second' then
        return jsonb_build_object('state', 'in_progress');
      end if;
      update public.idempotency_keys k set started_at = v_now, incident_id = v_incident where k.key = v_key;
    end if;
  end if;
  perform public.record_incident(p);
  return jsonb_build_object('state', 'started',
    'turns', public.session_turns(p #>> '{episode,session_id}', (p #>> '{episode,run_id}')::uuid, (p ->> 'turn_limit')::integer),
    'memories', public.session_memories(p #>> '{episode,session_id}', (p ->> 'memory_limit')::integer),
    'tokens_today', (select coalesce(sum(u.input_tokens + u.output_tokens), 0) from public.model_usage u
      where u.at >= date_trunc('day', v_now, 'UTC')));
end $$;
comment on function public.begin_triage(jsonb) is
  'Opens an investigation: {now, incident, episode, turn_limit, memory_limit, idempotency?: {key, request_hash, lease_seconds}}. Answers started, with the session''s last turns, the ids of its newest memories and the tokens that were used today; or for a key that another incident holds replayed (with the first result), in_progress or mismatch; then nothing is stored. May be repeated.';

-- Feedback.

create function public.give_feedback(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_triage uuid := (p ->> 'triage_id')::uuid;
  v_before integer;
  v_after integer := (p ->> 'vote')::integer;
  v_rating integer;
begin
  -- The row lock puts the votes on one answer in a row, so that each moves the rating by its own difference.
  perform 1 from public.triages t where t.id = v_triage for update;
  if not found then
    return jsonb_build_object('state', 'not_found');
  end if;
  select f.vote into v_before from public.feedback f where f.triage_id = v_triage and f.person = p ->> 'person';
  v_after := coalesce(v_after, v_before, 0);
  insert into public.feedback as f (triage_id, person, at, vote, comment)
  values (v_triage, p ->> 'person', (p ->> 'now')::timestamptz, v_after, p ->> 'comment')
  on conflict (triage_id, person) do update
  set at = excluded.at, vote = excluded.vote, comment = coalesce(excluded.comment, f.comment);
  update public.memories m set rating = m.rating + v_after - coalesce(v_before, 0)
  where m.id = v_triage or m.id = (select o.summary_id from public.memories o where o.id = v_triage);
  select m.rating into v_rating from public.memories m where m.id = v_triage;
  return jsonb_build_object('state', 'recorded', 'vote', v_after, 'rating', v_rating);
end $$;
comment on function public.give_feedback(jsonb) is
  'Records one person''s word on an answer: {now, triage_id, person, vote, comment}; vote 1, -1, 0 to take it back, null to leave it. The rating of the memory moves by the difference; it is null where the answer is not remembered.';

create function public.set_observation_quality(p_id uuid, p_quality double precision default null) returns jsonb
language sql set search_path = '' as $$
  update public.observations o set quality = p_quality where o.id = p_id returning public.observation_json(o);
$$;
comment on function public.set_observation_quality(uuid, double precision) is
  'Sets a person''s judgement of an observation, -1 to 2, or takes it back with null. Null where there is no such observation.';

-- What was remembered before there were observations becomes one a record.

insert into public.observations (id, domain, failure_key, created_at, incident_id, title, narrative, facts, task, task_type,
  target, severity, final_score, written_by, first_seen_at, last_seen_at, seen_at, resolution, resolved_by, resolved_at,
  resolved_incident_id)
select i.id, i.domain, i.id::text, i.created_at, i.id, i.title,
  -- Of "facts, analysis, Resolution: …" the part in the middle.
  btrim(split_part(substring(d.body from position(E'\n\n' in d.body || E'\n\n') + 2), E'\n\nResolution: ', 1), E'\n '),
  array['Type: ' || i.incident_type, 'Target: ' || coalesce(i.target, 'not named'), 'Severity: ' || i.severity],
  coalesce(i.question, i.title), i.incident_type,
  i.target, i.severity, t.confidence * 10, 'extractive', i.created_at, i.created_at, array[i.created_at], i.resolution,
  i.resolved_by, i.resolved_at, case when i.resolution is not null then i.id end
from public.incidents i
join public.collections c on c.name = 'incidents-' || i.domain
join public.documents d on d.collection_id = c.id and d.id = i.id::text
left join lateral (
  select r.confidence from public.triages r where r.incident_id = i.id order by r.created_at desc limit 1) t on true;
update public.incidents i set observation_id = i.id where exists (select 1 from public.observations o where o.id = i.id);
update public.incidents i set benign = true where exists (
  select 1 from public.triages t where t.incident_id = i.id and t.outcome = 'benign');
