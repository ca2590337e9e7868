-- The searchable documents, their keyword index, and the outbox of index writes.
--
-- `documents` is the source of truth; the vector store holds a copy. There is one collection a layer. The domain of a document
-- is data: `metadata.domain`, repeated in `documents.domain`. A search can be limited to domains, and statistics of words
-- cover the whole layer. Triggers derive `postings`, `posting_blocks`, `terms` and the totals in `collections` from documents,
-- so they stay correct whichever statement writes.

create table public.collections (
  id smallint generated always as identity primary key,
  name text not null unique check (name ~ '^[a-z][a-z0-9_-]{2,127}$'),
  document_count bigint not null default 0 check (document_count >= 0),
  length_total bigint not null default 0 check (length_total >= 0)
);
comment on table public.collections is 'A set of documents that is searched as one, with the totals that BM25 needs.';
comment on column public.collections.id is 'Short key, so that index entries stay small.';
comment on column public.collections.name is 'Also the name in the vector store, for example runbooks.';
comment on column public.collections.document_count is 'Documents in the collection; maintained by trigger.';
comment on column public.collections.length_total is 'Sum of the documents'' lengths in terms; maintained by trigger.';
create policy restricted on public.collections for all to dejavu_restricted using (true);

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
  block_id integer,
  domain text generated always as (metadata ->> 'domain') stored,
  unique (collection_id, id),
  check (cardinality(terms) = cardinality(frequencies)),
  -- Bits 38 to 62 of an entry of postings.
  constraint documents_length_limit check (length < 33554432)
);
comment on table public.documents is 'Every searchable text, for example runbook chunks and incident records. The vector store holds a copy.';
comment on column public.documents.key is 'Surrogate key: in the order of writing.';
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
comment on column public.documents.block_id is 'The block of its postings; null without terms.';
comment on column public.documents.domain is 'The domain that the text belongs to; null for the cluster inventory.';
create index documents_source on public.documents (collection_id, source, chunk_index) where source is not null;
create policy restricted on public.documents for all to dejavu_restricted using (domain = any ((select public.restricted_domains())::text[]));

-- The keyword index (Okapi BM25): postings in blocks of documents.

create table public.terms (
  id integer generated always as identity,
  collection_id smallint not null,
  df integer not null check (df >= 0),
  term text collate "C" not null,
  primary key (collection_id, term)
)
-- Leaves room for the next version of a row on its page: df is in no index, so most updates touch the heap alone.
with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
comment on table public.terms is 'The vocabulary of each collection. Derived from documents by trigger.';
comment on column public.terms.id is 'Short key for the postings.';
comment on column public.terms.collection_id is 'The collection.';
comment on column public.terms.df is 'Document frequency: how many documents hold the term.';
comment on column public.terms.term is 'A term of its documents.';
create policy restricted on public.terms for all to dejavu_restricted using (true);

create table public.posting_blocks (
  id integer generated always as identity primary key,
  collection_id smallint not null,
  domain text not null,
  first_key bigint not null,
  document_count integer not null check (document_count >= 0)
)
with (fillfactor = 50);
comment on table public.posting_blocks is
  'Groups of up to 512 documents of one collection and one domain. Their postings are stored together, and a search of a domain reads only its blocks. Derived from documents by trigger.';
comment on column public.posting_blocks.id is 'Short key for the postings.';
comment on column public.posting_blocks.collection_id is 'The collection of the documents.';
comment on column public.posting_blocks.domain is 'The domain of the documents; empty for documents without one.';
comment on column public.posting_blocks.first_key is 'Postings count from here: the key of a document is at least this, and less than this + 4,194,304.';
comment on column public.posting_blocks.document_count is 'Number of documents. New documents fill blocks that have room.';
create index posting_blocks_of_domain on public.posting_blocks (collection_id, domain, id);
create policy restricted on public.posting_blocks for all to dejavu_restricted using (domain = any ((select public.restricted_domains())::text[]));

create table public.postings (
  term_id integer not null,
  block_id integer not null,
  entries bigint[] storage external not null,
  primary key (term_id, block_id)
)
-- Keeps the entries in the row: a search reads all of them. Leaves room for the next version of a row on its page.
with (toast_tuple_target = 8160, fillfactor = 85, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_scale_factor = 0.05);
comment on table public.postings is 'The inverted index: the documents of a block that hold a term. Derived from documents by trigger.';
comment on column public.postings.term_id is 'The term.';
comment on column public.postings.block_id is 'The block.';
comment on column public.postings.entries is
  'One number for each document. Bits 0 to 21: its key minus first_key of the block; bit 22: whether it describes a fix; bits 23 to 37: how often it holds the term; bits 38 to 62: its length in terms.';
-- A search reads the postings of the domains' blocks alone. Those of a new block are written with it.
create policy restricted on public.postings for all to dejavu_restricted
  using (block_id = any (array(select b.id from public.posting_blocks b))) with check (true);

create function public.is_curated(p_metadata jsonb) returns boolean
language sql immutable set search_path = '' as $$
  select p_metadata @> '{"resolved": true}' or p_metadata @> '{"kind": "runbook"}';
$$;
comment on function public.is_curated(jsonb) is
  'Whether a document describes a fix: a past incident with its resolution, or a runbook. Called by add_postings and the trigger documents_terms_immutable.';

create function public.assign_posting_block() returns trigger
language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  -- Every writer locks the collection's row first.
  perform 1 from public.collections c where c.id = new.collection_id for update;
  update public.posting_blocks b set document_count = b.document_count + 1
  where b.id = (
    select o.id from public.posting_blocks o
    where o.collection_id = new.collection_id and o.domain = coalesce(new.metadata ->> 'domain', '')
      and o.document_count < 512 and new.key between o.first_key and o.first_key + 4194303
    order by o.id desc limit 1)
  returning b.id into new.block_id;
  if not found then
    insert into public.posting_blocks as b (collection_id, domain, first_key, document_count)
    values (new.collection_id, coalesce(new.metadata ->> 'domain', ''), new.key, 1)
    returning b.id into new.block_id;
  end if;
  return new;
end $$;
comment on function public.assign_posting_block() is 'Puts a new document into a block of its collection and domain that has room. Trigger of documents.';

create function public.add_terms() returns trigger
-- Statistics do not describe the rows of a statement. The lookups are few beside the rows of the tables.
language plpgsql set search_path = '' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  -- Every writer locks the collection's row first, the lowest id first, so writers never deadlock.
  perform 1 from public.collections c where c.id in (select n.collection_id from new_rows n) order by c.id for update;
  update public.collections c
  set document_count = c.document_count + added.documents, length_total = c.length_total + added.length
  from (select collection_id, count(*) as documents, sum(length) as length from new_rows group by collection_id) added
  where c.id = added.collection_id;
  -- Not "on conflict": it would use up an id for each term that exists.
  with added as materialized (
    select n.collection_id, t.term, count(*) as documents
    from new_rows n cross join lateral unnest(n.terms) as t (term) group by n.collection_id, t.term
  ),
  known as (
    update public.terms s set df = s.df + a.documents from added a where s.collection_id = a.collection_id and s.term = a.term
  )
  insert into public.terms (collection_id, term, df)
  select a.collection_id, a.term, a.documents from added a
  where not exists (select 1 from public.terms s where s.collection_id = a.collection_id and s.term = a.term)
  order by a.collection_id, a.term collate "C";
  return null;
end $$;
comment on function public.add_terms() is 'Adds new documents to terms and collection totals. Trigger of documents.';

create function public.add_postings() returns trigger
language plpgsql set search_path = '' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with arrived as materialized (
    select n.collection_id, n.block_id, n.key, n.terms, n.frequencies,
      (n.length::bigint << 38) | (public.is_curated(n.metadata)::integer::bigint << 22) | (n.key - b.first_key) as entry
    from new_rows n join public.posting_blocks b on b.id = n.block_id
  ),
  added as materialized (
    select a.collection_id, a.block_id, t.term, array_agg(a.entry | (t.frequency::bigint << 23) order by a.key) as entries
    from arrived a cross join lateral unnest(a.terms, a.frequencies) as t (term, frequency)
    group by a.collection_id, a.block_id, t.term
  )
  insert into public.postings as p (term_id, block_id, entries)
  select s.id, a.block_id, a.entries from added a join public.terms s on s.collection_id = a.collection_id and s.term = a.term
  order by s.id, a.block_id
  on conflict (term_id, block_id) do update set entries = p.entries || excluded.entries;
  return null;
end $$;
comment on function public.add_postings() is 'Adds new documents to postings. Trigger of documents.';

create function public.remove_postings() returns trigger
language plpgsql set search_path = '' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform 1 from public.collections c where c.id in (select o.collection_id from old_rows o) order by c.id for update;
  if exists (select 1 from old_rows o where o.block_id is not null) then
    with removed as materialized (
      select s.id as term_id, g.block_id, g.offsets
      from (
        select o.collection_id, o.block_id, t.term, array_agg(o.key - b.first_key) as offsets
        from old_rows o join public.posting_blocks b on b.id = o.block_id cross join lateral unnest(o.terms) as t (term)
        group by o.collection_id, o.block_id, t.term
      ) g
      join public.terms s on s.collection_id = g.collection_id and s.term = g.term
    ),
    emptied as (
      delete from public.postings p using removed r
      where p.term_id = r.term_id and p.block_id = r.block_id and cardinality(p.entries) = cardinality(r.offsets)
    )
    update public.postings p set entries = array(select e from unnest(p.entries) as e where (e & 4194303) <> all (r.offsets))
    from removed r
    where p.term_id = r.term_id and p.block_id = r.block_id and cardinality(p.entries) > cardinality(r.offsets);
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
    with removed as materialized (
      select o.block_id, count(*) as documents from old_rows o where o.block_id is not null group by o.block_id
    ),
    emptied as (
      delete from public.posting_blocks b using removed g where b.id = g.block_id and b.document_count = g.documents
    )
    update public.posting_blocks b set document_count = b.document_count - g.documents from removed g
    where b.id = g.block_id and b.document_count > g.documents;
  end if;
  update public.collections c
  set document_count = c.document_count - removed.documents, length_total = c.length_total - removed.length
  from (select collection_id, count(*) as documents, sum(length) as length from old_rows group by collection_id) removed
  where c.id = removed.collection_id;
  return null;
end $$;
comment on function public.remove_postings() is 'Removes deleted documents from postings, terms, blocks and collection totals. Trigger of documents.';

-- A trigger with transition tables cannot name columns, and an update that leaves the terms alone (marking a document as
-- indexed) must not rewrite postings. So terms are immutable: a changed document is deleted and inserted again.
create function public.reject_term_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  raise exception 'terms of a document are not updated in place: delete the row and insert the new one';
end $$;
comment on function public.reject_term_update() is 'Enforces that upsert_documents replaces changed rows. Trigger of documents.';

create trigger documents_assigned before insert on public.documents for each row
  when (cardinality(new.terms) > 0) execute function public.assign_posting_block();
-- Triggers of one event fire in the order of their names.
create trigger documents_inserted_1 after insert on public.documents
  referencing new table as new_rows for each statement execute function public.add_terms();
create trigger documents_inserted_2 after insert on public.documents
  referencing new table as new_rows for each statement execute function public.add_postings();
create trigger documents_deleted after delete on public.documents
  referencing old table as old_rows for each statement execute function public.remove_postings();
create trigger documents_terms_immutable before update on public.documents for each row
  when (old.terms is distinct from new.terms or old.frequencies is distinct from new.frequencies
    or old.length is distinct from new.length or old.collection_id is distinct from new.collection_id
    or old.block_id is distinct from new.block_id or old.metadata ->> 'domain' is distinct from new.metadata ->> 'domain'
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
  'Stores documents of one collection, replacing those with the same id. Each: id, source, chunk_index, title, heading_path, body, metadata, written_at, content_hash, terms (term to frequency). Called by sync-runbooks.ts, rewrite_terms, store_document, import_incidents and store_changed_documents.';

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
    and d.content_hash = coalesce(e.value ->> 'read_hash', e.value ->> 'content_hash');
  perform public.upsert_documents(p_collection, v_unchanged);
end $$;
comment on function public.rewrite_terms(text, jsonb) is
  'Rebuilds the keyword index of documents, given as for upsert_documents, with read_hash: the content_hash that the caller read, by default the given one. Skips those that changed since. Called by reindex.ts.';

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
  'Deletes documents of one collection by id; returns how many existed. Called by sync-runbooks.ts and delete_indexed_documents.';

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
  'Index state of a collection''s documents, ordered by id, a page after p_after. Called by index-state.ts.';

create function public.list_source_documents(p_collection text, p_sources text[]) returns table (
  id text, source text, content_hash text, indexed_hash text, index_fingerprint text)
language sql stable set search_path = '' as $$
  select d.id, d.source, d.content_hash, d.indexed_hash, d.index_fingerprint
  from public.collections c join public.documents d on d.collection_id = c.id
  where c.name = p_collection and d.source = any (p_sources);
$$;
comment on function public.list_source_documents(text, text[]) is 'Index state of the chunks of these texts. Called by index-state.ts.';

create function public.get_documents(p_collection text, p_ids text[]) returns table (
  id text, source text, chunk_index integer, title text, heading_path text[], body text, metadata jsonb,
  written_at timestamptz, content_hash text)
language sql stable set search_path = '' as $$
  select d.id, d.source, d.chunk_index, d.title, d.heading_path, d.body, d.metadata, d.written_at, d.content_hash
  from public.collections c join public.documents d on d.collection_id = c.id
  where c.name = p_collection and d.id = any (p_ids);
$$;
comment on function public.get_documents(text, text[]) is 'Complete documents of one collection by id. Called by cited-text.ts and reindex.ts.';

-- A Worker reads the same rows again and again, so it names the hashes of those that it has. Rows name their columns once.
create function public.unless_cached(p_rows jsonb[], p_cached jsonb) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object(
    'columns', array(select c.name from jsonb_object_keys(p_rows[1]) as c (name) order by c.name collate "C"),
    'rows', coalesce(jsonb_agg(case when p_cached ->> (r.row ->> 'id') = h.hash then r.row -> 'id' else
      to_jsonb(h.hash) || (select jsonb_agg(e.value order by e.key collate "C") from jsonb_each(r.row) as e (key, value)) end
      order by r.n), '[]'))
  from unnest(p_rows) with ordinality as r (row, n) cross join lateral (select left(md5(r.row::text), 16)) as h (hash);
$$;
comment on function public.unless_cached(jsonb[], jsonb) is
  'Rows of the same keys as {columns, rows}: of each row its hash and its values in the order of columns; only its id if p_cached, hashes by id, has this hash. Called by read_documents and recall_state.';

create function public.chunk_ids(p_collection text, p_source text) returns text[]
language sql stable set search_path = '' as $$
  select array(select d.id from public.collections c join public.documents d on d.collection_id = c.id
    where c.name = p_collection and d.source = p_source order by d.chunk_index);
$$;
comment on function public.chunk_ids(text, text) is 'Ids of the chunks of a source, in order. Called by delete_domain, put_source and delete_source.';

create function public.document_json(d public.documents) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object('id', d.id, 'source', d.source, 'chunk_index', d.chunk_index, 'title', d.title,
    'heading_path', d.heading_path, 'body', d.body, 'metadata', d.metadata, 'written_at', d.written_at,
    'content_hash', d.content_hash);
$$;
comment on function public.document_json(public.documents) is
  'A document as the searches return it. Called by outbox_json and recalled_document_json.';

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
comment on table public.outbox is 'Pending writes to the vector store. Inserted in the transaction that changed the document.';
comment on column public.outbox.id is 'Order of insertion.';
comment on column public.outbox.collection is 'The collection to write to.';
comment on column public.outbox.document_id is 'The document to copy, in its state at the time of the write.';
comment on column public.outbox.created_at is 'Since when the write is pending.';
comment on column public.outbox.attempts is 'Number of attempts.';
comment on column public.outbox.next_attempt_at is 'Earliest next attempt. A claim moves it ahead, so that two workers never hold one row.';
comment on column public.outbox.last_error is 'Why the last attempt failed: a code, never content.';
comment on column public.outbox.done_at is 'When the vector store held the document.';
create index outbox_due on public.outbox (next_attempt_at, id) where done_at is null;
create index outbox_open on public.outbox (id) where done_at is null;
-- Every search reads the pending writes of one collection.
create index outbox_open_by_collection on public.outbox (collection, id) where done_at is null;
create index outbox_open_by_document on public.outbox (document_id) where done_at is null;
create index outbox_finished on public.outbox (done_at) where done_at is not null;
create policy restricted on public.outbox for all to dejavu_restricted using (true);

-- "How to use this runbook" stands in each file of a folder and says nothing about the failure of one.
create index documents_by_body on public.documents (collection_id, md5(body)) where source is not null and heading_path <> '{}';

create function public.is_shared_section(d public.documents) returns boolean
language plpgsql stable set search_path = '' as $$
declare
  v_folder text := regexp_replace(d.source, '[^/]*$', '');
  v_same integer;
begin
  if d.source is null or d.heading_path = '{}' or d.metadata ->> 'kind' is distinct from 'runbook' then
    return false;
  end if;
  select count(distinct o.source) into v_same from public.documents o
  where o.collection_id = d.collection_id and md5(o.body) = md5(d.body) and o.source is not null and o.heading_path <> '{}'
    and regexp_replace(o.source, '[^/]*$', '') = v_folder;
  return v_same >= 3 and v_same * 2 > (
    select count(*) from public.sources s join public.sources own on own.source = d.source
    where s.domain = own.domain and s.origin = own.origin and s.kind = own.kind and regexp_replace(s.source, '[^/]*$', '') = v_folder);
end $$;
comment on function public.is_shared_section(public.documents) is
  'Whether a section of a runbook is equal in most files of its folder, and in three at least. Called by recalled_document_json.';

create function public.recalled_document_json(d public.documents) returns jsonb
language sql stable set search_path = '' as $$
  select case when public.is_shared_section(d) then jsonb_set(public.document_json(d), '{metadata,shared}', 'true')
    else public.document_json(d) end;
$$;
comment on function public.recalled_document_json(public.documents) is
  'A document for an answer. Sections that most files of the folder have are marked: metadata.shared. Called by read_documents and runbook_sections.';

create function public.read_documents(p jsonb) returns jsonb
language sql stable set search_path = '' as $$
  select public.unless_cached(array(
    select public.recalled_document_json(d) - 'content_hash' || jsonb_build_object('is_pending',
      exists (select 1 from public.outbox o where o.collection = c.name and o.document_id = d.id and o.done_at is null))
    from public.collections c join public.documents d on d.collection_id = c.id
    where c.name = p ->> 'collection' and d.id = any (array(select jsonb_array_elements_text(p -> 'ids')))), p -> 'cached');
$$;
comment on function public.read_documents(jsonb) is
  'The documents of {collection, ids, cached}, in any order; is_pending: the index has an older text. See unless_cached. Called by hybrid-search.ts.';

create function public.outbox_json(o public.outbox) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', o.id, 'collection', o.collection, 'attempts', o.attempts, 'document_id', o.document_id,
    'document', t.document, 'is_indexed', coalesce(t.is_indexed, true))
  from (select 1) one left join lateral (
    select public.document_json(d) as document, d.indexed_hash is not null as is_indexed from public.collections c
    join public.documents d on d.collection_id = c.id and d.id = o.document_id where c.name = o.collection) t on true;
$$;
comment on function public.outbox_json(public.outbox) is
  'A pending index write with the current document; document is null if it was deleted. is_indexed: whether the vector store may hold an earlier version. Called by enqueue_index_writes and claim_outbox.';

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
  'Enqueues the copy of documents to the vector store, claimed by the caller until p_claim_until, or due at once if that is null. Returns the outbox entries as a JSON array. Called by store_document, import_incidents, store_changed_documents and delete_indexed_documents.';

create function public.store_document(p_collection text, p_document jsonb, p_now timestamptz, p_claim_until timestamptz)
returns jsonb
language plpgsql set search_path = '' as $$
begin
  perform public.upsert_documents(p_collection, jsonb_build_array(p_document));
  return public.enqueue_index_writes(p_collection, array[p_document ->> 'id'], p_now, p_claim_until);
end $$;
comment on function public.store_document(text, jsonb, timestamptz, timestamptz) is
  'Stores a document and enqueues its index write. Returns the outbox entries. Called by the functions that write records.';

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
  -- If only the metadata changed, the text keeps its age, unless it has a date of its own.
  select
    coalesce(jsonb_agg(case when split_part(d.content_hash, '.', 1) = split_part(n.document ->> 'content_hash', '.', 1)
        and n.document #> '{metadata,date}' is null
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
  'Stores the documents that are new or changed, and enqueues their index writes. Returns {upserted, unchanged: ids, pending: outbox entries, waiting: whether an index write of an unchanged document is pending}. Called by put_source and put_inventory.';

create function public.delete_indexed_documents(p_collection text, p_ids text[], p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
begin
  perform public.delete_documents(p_collection, p_ids);
  return public.enqueue_index_writes(p_collection, p_ids, p_now, p_claim_until);
end $$;
comment on function public.delete_indexed_documents(text, text[], timestamptz, timestamptz) is
  'Deletes documents and enqueues their removal from the vector store. Returns the outbox entries. Called by the functions that delete texts and records.';

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
  'Claims due index writes for p_lease_seconds, with the current documents; document is null if it was deleted. Called by outbox.ts.';

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
  'Records index writes that succeeded: p_done is [{id, hash}] with the content hash that was written, empty for a removal. Called by outbox.ts.';

create function public.fail_outbox(p_failures jsonb) returns void
language sql set search_path = '' as $$
  update public.outbox o set last_error = f.error, next_attempt_at = f.next_attempt_at
  from jsonb_to_recordset(p_failures) as f (id bigint, error text, next_attempt_at timestamptz)
  where o.id = f.id and o.done_at is null;
$$;
comment on function public.fail_outbox(jsonb) is 'Records index writes that failed: [{id, error, next_attempt_at}]. Called by outbox.ts.';

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
  'Records that the vector store holds these documents: p_hashes maps each id to the content hash that was written. Called by index-state.ts.';

call public.restrict_to_service_role();
