-- The searchable documents, the tables of their keyword index (Okapi BM25), and the outbox of index writes.
--
-- `documents` is the source of truth; the vector store holds a copy. Triggers derive `postings`, `terms` and the totals in
-- `collections` from it, so they stay correct whichever statement writes.
--
-- The files of this folder are a baseline: each holds the final state of one area and needs only earlier ones. They do not
-- upgrade a database that was created from earlier migrations. `supabase db push` refuses such a database, because its
-- history has versions that are not in this folder: create a new database. Later changes are new files.

-- Supabase grants new tables to anon and authenticated by default. Tables and functions of this schema are for the service
-- role alone: every migration ends with `call public.restrict_to_service_role()`.
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke all on functions from anon, authenticated;
alter default privileges revoke execute on functions from public;

create procedure public.restrict_to_service_role()
language plpgsql set search_path = '' as $$
declare
  v_table text;
begin
  for v_table in select c.relname from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relrowsecurity
  loop
    execute format('alter table public.%I enable row level security', v_table);
  end loop;
  revoke all on all tables in schema public from public, anon, authenticated;
  revoke all on all sequences in schema public from public, anon, authenticated;
  revoke all on all routines in schema public from public, anon, authenticated;
  grant select, insert, update, delete on all tables in schema public to service_role;
  grant usage on all sequences in schema public to service_role;
  grant execute on all functions in schema public to service_role;
end $$;
comment on procedure public.restrict_to_service_role() is
  'Enables row level security on every table and revokes everything in the schema except from the service role. For migrations: only the owner may call it.';

create table public.collections (
  id smallint generated always as identity primary key,
  name text not null unique check (name ~ '^[a-z][a-z0-9_-]{2,127}$'),
  document_count bigint not null default 0 check (document_count >= 0),
  length_total bigint not null default 0 check (length_total >= 0)
);
comment on table public.collections is 'A set of documents that is searched as one, with the totals that BM25 needs.';
comment on column public.collections.id is 'Short key, so that index entries stay small.';
comment on column public.collections.name is 'Also the name in the vector store, for example runbooks-docker.';
comment on column public.collections.document_count is 'Documents in the collection; maintained by trigger.';
comment on column public.collections.length_total is 'Sum of the documents'' lengths in terms; maintained by trigger.';

create table public.documents (
  key bigint generated always as identity primary key,
  collection_id smallint not null references public.collections (id),
  -- The longest ids are those of cluster objects: "namespace/group/version/kind/name".
  id text not null check (length(id) between 1 and 512),
  source text,
  chunk_index integer check (chunk_index >= 0),
  title text not null,
  heading_path text[] not null default '{}',
  body text not null,
  metadata jsonb not null default '{}',
  written_at timestamptz not null,
  content_hash text not null,
  indexed_hash text,
  index_fingerprint text,
  terms text[] not null,
  frequencies smallint[] not null,
  length integer not null check (length >= 0),
  unique (collection_id, id),
  check (cardinality(terms) = cardinality(frequencies))
);
create index documents_source on public.documents (collection_id, source, chunk_index) where source is not null;
comment on table public.documents is 'Every searchable text, for example runbook chunks and incident records. The vector store holds a copy.';
comment on column public.documents.key is 'Surrogate key for the postings.';
comment on column public.documents.collection_id is 'The collection of the document.';
comment on column public.documents.id is 'The id in the vector store: unique in the collection.';
comment on column public.documents.source is 'The source of a chunk; null for a document that is not a chunk.';
comment on column public.documents.chunk_index is 'The position of a chunk in its source, from 0.';
comment on column public.documents.title is 'Title of the runbook or the incident.';
comment on column public.documents.heading_path is 'Headings above the chunk, outermost first, without the title.';
comment on column public.documents.body is 'The text.';
comment on column public.documents.metadata is 'Flat string, number or boolean values, as the vector store keeps them.';
comment on column public.documents.written_at is 'When the content was written; age counts from here.';
comment on column public.documents.content_hash is 'Hash of all that the indexes see: SHA-256 of the text, a dot, SHA-256 of the metadata.';
comment on column public.documents.indexed_hash is 'The content_hash that the vector store holds; null before the first write.';
comment on column public.documents.index_fingerprint is 'Embedding model and chunking of the stored vector.';
comment on column public.documents.terms is 'Distinct terms of the document.';
comment on column public.documents.frequencies is 'Frequency of each of `terms`, in the same order.';
comment on column public.documents.length is 'Number of terms, including repeats.';

create table public.terms (
  collection_id smallint not null,
  term text collate "C" not null,
  df integer not null check (df >= 0),
  primary key (collection_id, term)
)
-- Leaves room for the next version of a row on its page: df is in no index, so most updates touch the heap alone.
with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
comment on table public.terms is 'The vocabulary of each collection. Derived from documents by trigger.';
comment on column public.terms.collection_id is 'The collection.';
comment on column public.terms.term is 'A term of its documents.';
comment on column public.terms.df is 'Document frequency: how many documents hold the term.';

create table public.postings (
  collection_id smallint not null,
  frequency smallint not null,
  length integer not null,
  document_key bigint not null,
  curated boolean not null,
  term text collate "C" not null,
  primary key (collection_id, term, document_key) include (frequency, curated, length)
)
-- Searches use index-only scans while the visibility map is up to date.
with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_scale_factor = 0.05);
comment on table public.postings is 'The inverted index: which document holds which term. Derived from documents by trigger.';
comment on column public.postings.collection_id is 'The collection of the document.';
comment on column public.postings.frequency is 'How often the document holds the term.';
comment on column public.postings.length is 'The document''s length in terms, here so that searches read only the index.';
comment on column public.postings.document_key is 'The document.';
comment on column public.postings.curated is 'Whether the document describes a fix.';
comment on column public.postings.term is 'The term.';

create function public.is_curated(p_metadata jsonb) returns boolean
language sql immutable set search_path = '' as $$
  select p_metadata @> '{"resolved": true}' or p_metadata @> '{"kind": "runbook"}';
$$;
comment on function public.is_curated(jsonb) is
  'Whether a document describes a fix: a past incident with its resolution, or a runbook.';

create function public.index_documents() returns trigger
language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  -- Every writer locks the collection's row first, the lowest id first, so writers never deadlock.
  if tg_op <> 'INSERT' then
    perform 1 from public.collections c where c.id in (select o.collection_id from old_rows o) order by c.id for update;
    if exists (select 1 from old_rows o where o.length > 0) then
      delete from public.postings p
      using old_rows o cross join lateral unnest(o.terms) as t (term)
      where p.collection_id = o.collection_id and p.term = t.term and p.document_key = o.key;
      with removed as materialized (
        select o.collection_id, t.term, count(*) as documents
        from old_rows o cross join lateral unnest(o.terms) as t (term) group by o.collection_id, t.term
      ),
      emptied as (
        delete from public.terms s using removed g
        where s.collection_id = g.collection_id and s.term = g.term and s.df = g.documents
      )
      update public.terms s set df = s.df - g.documents from removed g
      where s.collection_id = g.collection_id and s.term = g.term and s.df > g.documents;
    end if;
    update public.collections c
    set document_count = c.document_count - removed.documents, length_total = c.length_total - removed.length
    from (select collection_id, count(*) as documents, sum(length) as length from old_rows group by collection_id) removed
    where c.id = removed.collection_id;
  end if;
  if tg_op <> 'DELETE' then
    perform 1 from public.collections c where c.id in (select n.collection_id from new_rows n) order by c.id for update;
    with arrived as materialized (
      select n.collection_id, n.key, n.length, n.terms, n.frequencies, public.is_curated(n.metadata) as curated from new_rows n
    )
    insert into public.postings (collection_id, term, document_key, frequency, length, curated)
    select a.collection_id, t.term, a.key, t.frequency, a.length, a.curated
    from arrived a cross join lateral unnest(a.terms, a.frequencies) as t (term, frequency)
    order by a.collection_id, t.term collate "C", a.key;
    insert into public.terms as s (collection_id, term, df)
    select n.collection_id, t.term, count(*)
    from new_rows n cross join lateral unnest(n.terms) as t (term)
    group by n.collection_id, t.term order by n.collection_id, t.term collate "C"
    on conflict (collection_id, term) do update set df = s.df + excluded.df;
    update public.collections c
    set document_count = c.document_count + added.documents, length_total = c.length_total + added.length
    from (select collection_id, count(*) as documents, sum(length) as length from new_rows group by collection_id) added
    where c.id = added.collection_id;
  end if;
  return null;
end $$;
comment on function public.index_documents() is 'Keeps postings, terms and collection totals equal to documents.';

-- A trigger with transition tables cannot name columns, and an update that leaves the terms alone (marking a document as
-- indexed) must not rewrite postings. So terms are immutable: a changed document is deleted and inserted again.
create function public.reject_term_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  raise exception 'terms of a document are not updated in place: delete the row and insert the new one';
end $$;
comment on function public.reject_term_update() is 'Enforces that upsert_documents replaces changed rows.';

create trigger documents_inserted after insert on public.documents
  referencing new table as new_rows for each statement execute function public.index_documents();
create trigger documents_deleted after delete on public.documents
  referencing old table as old_rows for each statement execute function public.index_documents();
create trigger documents_terms_immutable before update on public.documents for each row
  when (old.terms is distinct from new.terms or old.frequencies is distinct from new.frequencies
    or old.length is distinct from new.length or old.collection_id is distinct from new.collection_id
    or public.is_curated(old.metadata) is distinct from public.is_curated(new.metadata))
  execute function public.reject_term_update();

create function public.upsert_documents(p_collection text, p_documents jsonb) returns void
language plpgsql set search_path = '' as $$
declare
  v_collection smallint;
  v_index_states jsonb;
begin
  insert into public.collections (name) values (p_collection) on conflict (name) do nothing;
  -- One writer per collection at a time. Rows and totals are locked in one order, so writers never deadlock.
  select c.id into strict v_collection from public.collections c where c.name = p_collection for update;

  select coalesce(jsonb_object_agg(d.id, jsonb_build_array(d.indexed_hash, d.index_fingerprint)), '{}') into v_index_states
  from public.documents d
  where d.collection_id = v_collection and d.id in (select e ->> 'id' from jsonb_array_elements(p_documents) e);

  delete from public.documents d
  where d.collection_id = v_collection and d.id in (select e ->> 'id' from jsonb_array_elements(p_documents) e);

  insert into public.documents (collection_id, id, source, chunk_index, title, heading_path, body, metadata, written_at,
    content_hash, terms, frequencies, length, indexed_hash, index_fingerprint)
  select v_collection, d.id, d.source, d.chunk_index, d.title, d.heading_path, d.body, d.metadata, d.written_at,
    d.content_hash, t.terms, t.frequencies, t.length, v_index_states -> d.id ->> 0, v_index_states -> d.id ->> 1
  from jsonb_to_recordset(p_documents) as d (
    id text, source text, chunk_index integer, title text, heading_path text[], body text, metadata jsonb,
    written_at timestamptz, content_hash text, terms jsonb)
  cross join lateral (
    select coalesce(array_agg(e.key), '{}') as terms,
      coalesce(array_agg(least(e.value::integer, 32767)::smallint), '{}') as frequencies,
      coalesce(sum(e.value::integer), 0)::integer as length
    from jsonb_each_text(d.terms) e
  ) t;
end $$;
comment on function public.upsert_documents(text, jsonb) is
  'Stores documents of one collection, replacing those with the same id. Each: id, source, chunk_index, title, heading_path, body, metadata, written_at, content_hash, terms (term to frequency).';

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
  'Rebuilds the keyword index of documents, given as for upsert_documents. Skips those that changed since the caller read them.';

create function public.delete_documents(p_collection text, p_ids text[]) returns integer
language plpgsql set search_path = '' as $$
declare
  v_collection smallint;
  v_deleted integer;
begin
  select c.id into v_collection from public.collections c where c.name = p_collection for update;
  delete from public.documents d where d.collection_id = v_collection and d.id = any (p_ids);
  get diagnostics v_deleted = row_count;
  return v_deleted;
end $$;
comment on function public.delete_documents(text, text[]) is
  'Deletes documents of one collection by id; returns how many existed.';

create function public.list_documents(p_collection text, p_after text, p_limit integer) returns table (
  id text, source text, chunk_index integer, content_hash text, indexed_hash text, index_fingerprint text)
language sql stable set search_path = '' as $$
  select d.id, d.source, d.chunk_index, d.content_hash, d.indexed_hash, d.index_fingerprint
  from public.collections c join public.documents d on d.collection_id = c.id
  where c.name = p_collection and d.id > p_after
  order by d.id
  limit p_limit;
$$;
comment on function public.list_documents(text, text, integer) is
  'Index state of a collection''s documents, ordered by id, a page after p_after.';

create function public.get_documents(p_collection text, p_ids text[]) returns table (
  id text, source text, chunk_index integer, title text, heading_path text[], body text, metadata jsonb,
  written_at timestamptz, content_hash text)
language sql stable set search_path = '' as $$
  select d.id, d.source, d.chunk_index, d.title, d.heading_path, d.body, d.metadata, d.written_at, d.content_hash
  from public.collections c join public.documents d on d.collection_id = c.id
  where c.name = p_collection and d.id = any (p_ids);
$$;
comment on function public.get_documents(text, text[]) is 'Complete documents of one collection by id.';

create function public.document_json(d public.documents) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object('id', d.id, 'source', d.source, 'chunk_index', d.chunk_index, 'title', d.title,
    'heading_path', d.heading_path, 'body', d.body, 'metadata', d.metadata, 'written_at', d.written_at,
    'content_hash', d.content_hash);
$$;
comment on function public.document_json(public.documents) is 'A document as the searches return it.';

create function public.server_version() returns text
language sql stable set search_path = '' as $$ select current_setting('server_version') $$;
comment on function public.server_version() is 'The version of PostgreSQL, for the readiness check.';

-- The outbox.

create table public.outbox (
  id bigint generated always as identity primary key,
  collection text not null,
  document_id text not null,
  created_at timestamptz not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  last_error text,
  done_at timestamptz
);
create index outbox_due on public.outbox (next_attempt_at, id) where done_at is null;
create index outbox_open on public.outbox (id) where done_at is null;
-- Every search reads the pending writes of one collection.
create index outbox_open_by_collection on public.outbox (collection, id) where done_at is null;
create index outbox_open_by_document on public.outbox (document_id) where done_at is null;
create index outbox_finished on public.outbox (done_at) where done_at is not null;
comment on table public.outbox is 'Pending writes to the vector store. Inserted in the transaction that changed the document.';
comment on column public.outbox.id is 'Order of insertion.';
comment on column public.outbox.collection is 'The collection to write to.';
comment on column public.outbox.document_id is 'The document to copy, in its state at the time of the write.';
comment on column public.outbox.created_at is 'Since when the write is pending.';
comment on column public.outbox.attempts is 'Number of attempts.';
comment on column public.outbox.next_attempt_at is 'Earliest next attempt. A claim moves it ahead, so that two workers never hold one row.';
comment on column public.outbox.last_error is 'Why the last attempt failed: a code, never content.';
comment on column public.outbox.done_at is 'When the vector store held the document.';

create function public.outbox_json(o public.outbox) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', o.id, 'collection', o.collection, 'attempts', o.attempts, 'document_id', o.document_id,
    'document', (select public.document_json(d) from public.collections c
      join public.documents d on d.collection_id = c.id and d.id = o.document_id where c.name = o.collection));
$$;
comment on function public.outbox_json(public.outbox) is
  'A pending index write with the current document; document is null if it was deleted.';

create function public.enqueue_index_writes(p_collection text, p_ids text[], p_now timestamptz, p_claim_until timestamptz)
returns jsonb
language sql set search_path = '' as $$
  with entry as (
    insert into public.outbox (collection, document_id, created_at, attempts, next_attempt_at)
    select p_collection, t.id, p_now, case when p_claim_until is null then 0 else 1 end, coalesce(p_claim_until, p_now)
    from unnest(p_ids) as t (id)
    returning *
  )
  select coalesce(jsonb_agg(public.outbox_json(e::public.outbox) order by e.id), '[]') from entry e;
$$;
comment on function public.enqueue_index_writes(text, text[], timestamptz, timestamptz) is
  'Enqueues the copy of documents to the vector store, claimed by the caller until p_claim_until, or due at once if that is null. Returns the outbox entries as a JSON array.';

create function public.store_document(p_collection text, p_document jsonb, p_now timestamptz, p_claim_until timestamptz)
returns jsonb
language plpgsql set search_path = '' as $$
begin
  perform public.upsert_documents(p_collection, jsonb_build_array(p_document));
  return public.enqueue_index_writes(p_collection, array[p_document ->> 'id'], p_now, p_claim_until);
end $$;
comment on function public.store_document(text, jsonb, timestamptz, timestamptz) is
  'Stores a document and enqueues its index write. Returns the outbox entries.';

create function public.store_changed_documents(
  p_collection text, p_documents jsonb, p_now timestamptz, p_claim_until timestamptz
) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_collection smallint;
  v_changed jsonb;
  v_changed_ids text[];
  v_unchanged_ids text[];
  v_pending jsonb := '[]';
begin
  insert into public.collections (name) values (p_collection) on conflict (name) do nothing;
  select c.id into strict v_collection from public.collections c where c.name = p_collection for update;
  -- If only the metadata changed, the text keeps its age.
  select
    coalesce(jsonb_agg(case when split_part(d.content_hash, '.', 1) = split_part(n.document ->> 'content_hash', '.', 1)
      then n.document || jsonb_build_object('written_at', d.written_at) else n.document end)
      filter (where d.content_hash is distinct from n.document ->> 'content_hash'), '[]'),
    coalesce(array_agg(n.document ->> 'id') filter (where d.content_hash is distinct from n.document ->> 'content_hash'), '{}'),
    coalesce(array_agg(n.document ->> 'id') filter (where d.content_hash = n.document ->> 'content_hash'), '{}')
  into v_changed, v_changed_ids, v_unchanged_ids
  from jsonb_array_elements(p_documents) as n (document)
  left join public.documents d on d.collection_id = v_collection and d.id = n.document ->> 'id';
  if cardinality(v_changed_ids) > 0 then
    perform public.upsert_documents(p_collection, v_changed);
    v_pending := public.enqueue_index_writes(p_collection, v_changed_ids, p_now, p_claim_until);
  end if;
  return jsonb_build_object('upserted', v_changed_ids, 'unchanged', v_unchanged_ids, 'pending', v_pending,
    'waiting', exists (select 1 from public.outbox o
      where o.document_id = any (v_unchanged_ids) and o.collection = p_collection and o.done_at is null));
end $$;
comment on function public.store_changed_documents(text, jsonb, timestamptz, timestamptz) is
  'Stores the documents that are new or changed, and enqueues their index writes. Returns {upserted, unchanged: ids, pending: outbox entries, waiting: whether an index write of an unchanged document is pending}.';

create function public.delete_indexed_documents(p_collection text, p_ids text[], p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
begin
  perform public.delete_documents(p_collection, p_ids);
  return public.enqueue_index_writes(p_collection, p_ids, p_now, p_claim_until);
end $$;
comment on function public.delete_indexed_documents(text, text[], timestamptz, timestamptz) is
  'Deletes documents and enqueues their removal from the vector store. Returns the outbox entries.';

create function public.claim_outbox(p_now timestamptz, p_limit integer, p_lease_seconds integer) returns jsonb
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
comment on function public.claim_outbox(timestamptz, integer, integer) is
  'Claims due index writes for p_lease_seconds, with the current documents; document is null if it was deleted.';

create function public.complete_outbox(p_now timestamptz, p_done jsonb, p_fingerprint text) returns integer
language plpgsql set search_path = '' as $$
declare
  v_done integer;
begin
  -- A document that changed, was inserted or was deleted during the write stays pending and is due at once.
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
  'Records index writes that succeeded: p_done is [{id, hash}] with the content hash that was written, empty for a removal.';

create function public.fail_outbox(p_failures jsonb) returns void
language sql set search_path = '' as $$
  update public.outbox o set last_error = f.error, next_attempt_at = f.next_attempt_at
  from jsonb_to_recordset(p_failures) as f (id bigint, error text, next_attempt_at timestamptz)
  where o.id = f.id and o.done_at is null;
$$;
comment on function public.fail_outbox(jsonb) is 'Records index writes that failed: [{id, error, next_attempt_at}].';

create function public.mark_documents_indexed(p_collection text, p_hashes jsonb, p_fingerprint text) returns void
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
  -- The document changed or was deleted while the older text was written: enqueue its newer state.
  insert into public.outbox (collection, document_id, created_at, next_attempt_at)
  select w.name, w.id, now(), 'epoch' from written w where w.content_hash is distinct from w.hash;
$$;
comment on function public.mark_documents_indexed(text, jsonb, text) is
  'Records that the vector store holds these documents: p_hashes maps each id to the content hash that was written.';

call public.restrict_to_service_role();
