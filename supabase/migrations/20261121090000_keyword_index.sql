-- Searchable documents and their keyword index (Okapi BM25).
--
-- `documents` is the truth for everything that is also in the vector index. `postings` and the totals in
-- `collections` are derived from it by triggers, so they stay right whichever statement writes.

create table public.collections (
  id smallint generated always as identity primary key,
  name text not null unique check (name ~ '^[a-z][a-z0-9-]{2,62}$'),
  document_count bigint not null default 0 check (document_count >= 0),
  length_total bigint not null default 0 check (length_total >= 0)
);
comment on table public.collections is 'A set of documents that is searched as one, with the totals that BM25 needs.';
comment on column public.collections.id is 'Short key, so that an index entry stays small.';
comment on column public.collections.name is 'The name that the vector store uses too, for example runbooks-docker.';
comment on column public.collections.document_count is 'Documents in the collection; kept by trigger.';
comment on column public.collections.length_total is 'Sum of the documents'' lengths in terms; kept by trigger.';

create table public.documents (
  key bigint generated always as identity primary key,
  collection_id smallint not null references public.collections (id),
  id text not null check (length(id) between 1 and 128),
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
comment on table public.documents is 'Every searchable text: runbook chunks and incident records. The vector store holds a copy.';
comment on column public.documents.key is 'Surrogate key for the postings.';
comment on column public.documents.collection_id is 'The collection that the document is searched in.';
comment on column public.documents.id is 'The id in the vector store: unique in the collection.';
comment on column public.documents.source is 'The file that a chunk was cut from; null for a document that stands alone.';
comment on column public.documents.chunk_index is 'The chunk''s place in its source, from 0.';
comment on column public.documents.title is 'Title of the runbook or the incident.';
comment on column public.documents.heading_path is 'Headings above the chunk, outermost first, without the title.';
comment on column public.documents.body is 'The text itself.';
comment on column public.documents.metadata is 'Flat string, number or boolean values, as the vector store keeps them.';
comment on column public.documents.written_at is 'When the content came to be; age counts from here.';
comment on column public.documents.content_hash is 'Names everything that the indexes see: SHA-256 of the text, a dot, SHA-256 of the metadata.';
comment on column public.documents.indexed_hash is 'The content_hash that the vector store is known to hold; null before the first write.';
comment on column public.documents.index_fingerprint is 'Embedding model and chunking of the vector that the store holds.';
comment on column public.documents.terms is 'Distinct terms of the document.';
comment on column public.documents.frequencies is 'How often each of `terms` occurs, in the same order.';
comment on column public.documents.length is 'Number of terms, repeats counted.';

create table public.postings (
  collection_id smallint not null,
  term text not null,
  document_key bigint not null,
  frequency smallint not null,
  length integer not null,
  primary key (collection_id, term, document_key) include (frequency, length)
);
comment on table public.postings is 'The inverted index: which document holds which term. Derived from documents by trigger.';
comment on column public.postings.collection_id is 'The collection of the document.';
comment on column public.postings.term is 'One term.';
comment on column public.postings.document_key is 'The document that holds it.';
comment on column public.postings.frequency is 'How often it holds it.';
comment on column public.postings.length is 'The document''s length in terms, here so that a search reads the index alone.';

create function public.index_documents() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op <> 'INSERT' then
    delete from public.postings p
    using old_rows o cross join lateral unnest(o.terms) as t (term)
    where p.collection_id = o.collection_id and p.term = t.term and p.document_key = o.key;
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
comment on function public.index_documents() is 'Keeps postings and collection totals equal to documents.';

-- An update that leaves the terms alone (marking a document as indexed) must not rewrite its postings, and a trigger
-- with transition tables cannot name columns: so the terms are frozen, and a changed document is replaced.
create function public.refuse_term_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  raise exception 'terms of a document are not updated in place: delete the row and insert the new one';
end $$;
comment on function public.refuse_term_update() is 'Guards the rule that upsert_documents replaces changed rows.';

create trigger documents_inserted after insert on public.documents
  referencing new table as new_rows for each statement execute function public.index_documents();
create trigger documents_deleted after delete on public.documents
  referencing old table as old_rows for each statement execute function public.index_documents();
create trigger documents_terms_frozen before update on public.documents for each row
  when (old.terms is distinct from new.terms or old.frequencies is distinct from new.frequencies
    or old.length is distinct from new.length or old.collection_id is distinct from new.collection_id)
  execute function public.refuse_term_update();

create function public.upsert_documents(p_collection text, p_documents jsonb) returns void
language plpgsql set search_path = '' as $$
declare
  v_collection smallint;
  v_known jsonb;
begin
  insert into public.collections (name) values (p_collection) on conflict (name) do nothing;
  -- One writer a collection: rows and totals are locked in one order, so writers wait for each other and never deadlock.
  select c.id into strict v_collection from public.collections c where c.name = p_collection for update;

  select coalesce(jsonb_object_agg(d.id, jsonb_build_array(d.indexed_hash, d.index_fingerprint)), '{}') into v_known
  from public.documents d
  where d.collection_id = v_collection and d.id in (select e ->> 'id' from jsonb_array_elements(p_documents) e);

  delete from public.documents d
  where d.collection_id = v_collection and d.id in (select e ->> 'id' from jsonb_array_elements(p_documents) e);

  insert into public.documents (collection_id, id, source, chunk_index, title, heading_path, body, metadata, written_at,
    content_hash, terms, frequencies, length, indexed_hash, index_fingerprint)
  select v_collection, d.id, d.source, d.chunk_index, d.title, d.heading_path, d.body, d.metadata, d.written_at,
    d.content_hash, t.terms, t.frequencies, t.length, v_known -> d.id ->> 0, v_known -> d.id ->> 1
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
  'Stores documents of one collection, replacing those of the same id. Each: id, source, chunk_index, title, heading_path, body, metadata, written_at, content_hash, terms (term to frequency).';

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
comment on function public.delete_documents(text, text[]) is 'Removes documents of one collection by id; returns how many there were.';

create function public.mark_documents_indexed(p_collection text, p_hashes jsonb, p_fingerprint text) returns void
language sql set search_path = '' as $$
  update public.documents d set indexed_hash = h.value, index_fingerprint = p_fingerprint
  from jsonb_each_text(p_hashes) h, public.collections c
  where c.name = p_collection and d.collection_id = c.id and d.id = h.key;
$$;
comment on function public.mark_documents_indexed(text, jsonb, text) is
  'Records that the vector store holds these documents: p_hashes maps id to the content hash that was written.';

create function public.list_documents(p_collection text, p_after text, p_limit integer) returns table (
  id text, source text, chunk_index integer, content_hash text, indexed_hash text, index_fingerprint text)
language sql stable set search_path = '' as $$
  select d.id, d.source, d.chunk_index, d.content_hash, d.indexed_hash, d.index_fingerprint
  from public.collections c join public.documents d on d.collection_id = c.id
  where c.name = p_collection and d.id > p_after
  order by d.id
  limit p_limit;
$$;
comment on function public.list_documents(text, text, integer) is 'State of a collection''s documents by id, a page after p_after.';

create function public.get_documents(p_collection text, p_ids text[]) returns table (
  id text, source text, chunk_index integer, title text, heading_path text[], body text, metadata jsonb,
  written_at timestamptz, content_hash text)
language sql stable set search_path = '' as $$
  select d.id, d.source, d.chunk_index, d.title, d.heading_path, d.body, d.metadata, d.written_at, d.content_hash
  from public.collections c join public.documents d on d.collection_id = c.id
  where c.name = p_collection and d.id = any (p_ids);
$$;
comment on function public.get_documents(text, text[]) is 'Whole documents of one collection by id.';

create function public.document_json(d public.documents) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object('id', d.id, 'source', d.source, 'chunk_index', d.chunk_index, 'title', d.title,
    'heading_path', d.heading_path, 'body', d.body, 'metadata', d.metadata, 'written_at', d.written_at,
    'content_hash', d.content_hash);
$$;
comment on function public.document_json(public.documents) is 'A document as the searches return it.';

create function public.search_documents(
  p_collection text, p_terms text[], p_limit integer, p_sibling_sources integer default 0, p_resolved_limit integer default 0,
  p_k1 double precision default 1.2, p_b double precision default 0.75
) returns jsonb
language sql stable set search_path = '' as $$
  with collection as materialized (
    select c.id, c.document_count::double precision as n,
      greatest(c.length_total, 1)::double precision / greatest(c.document_count, 1) as average_length
    from public.collections c where c.name = p_collection
  ),
  query as materialized (
    select c.id as collection_id, t.term, count(*)::double precision as weight
    from collection c cross join unnest(p_terms) as t (term) group by c.id, t.term
  ),
  term_statistics as materialized (
    select q.collection_id, q.term, q.weight, f.df, ln(1 + (c.n - f.df + 0.5) / (f.df + 0.5)) as idf
    from query q
    cross join collection c
    cross join lateral (
      select count(*) as df from public.postings p where p.collection_id = q.collection_id and p.term = q.term
    ) f
  ),
  scored as materialized (
    select p.document_key, sum(s.weight * s.idf * p.frequency * (p_k1 + 1)
      / (p.frequency + p_k1 * (1 - p_b + p_b * p.length / c.average_length))) as score
    from collection c
    cross join term_statistics s
    join public.postings p on p.collection_id = s.collection_id and p.term = s.term
    group by p.document_key
  ),
  ranked as materialized (
    (select document_key, score from scored order by score desc, document_key limit p_limit)
    union
    (select s.document_key, s.score from scored s
      join public.documents d on d.key = s.document_key and d.metadata @> '{"resolved": true}'
      where p_resolved_limit > 0
      order by s.score desc, s.document_key limit p_resolved_limit)
  ),
  contributions as materialized (
    select r.document_key, s.term, s.weight * s.idf * p.frequency * (p_k1 + 1)
      / (p.frequency + p_k1 * (1 - p_b + p_b * p.length / c.average_length)) as value
    from collection c
    cross join ranked r
    cross join term_statistics s
    join public.postings p
      on p.collection_id = s.collection_id and p.term = s.term and p.document_key = r.document_key
  ),
  best_sources as (
    select d.collection_id, d.source from ranked r join public.documents d on d.key = r.document_key
    where d.source is not null
    group by d.collection_id, d.source order by max(r.score) desc, d.source limit p_sibling_sources
  ),
  siblings as (
    select d.key from best_sources b
    join public.documents d on d.collection_id = b.collection_id and d.source = b.source
    where d.key not in (select document_key from ranked)
  )
  select jsonb_build_object(
    'terms', coalesce((select jsonb_object_agg(s.term, jsonb_build_object('df', s.df, 'idf', s.idf)) from term_statistics s), '{}'),
    'hits', coalesce((
      select jsonb_agg(public.document_json(d) || jsonb_build_object('score', r.score, 'contributions', (
          select jsonb_object_agg(t.term, t.value) from contributions t where t.document_key = r.document_key))
        order by r.score desc, d.id)
      from ranked r join public.documents d on d.key = r.document_key), '[]'),
    'siblings', coalesce((
      select jsonb_agg(public.document_json(d) order by d.source, d.chunk_index)
      from siblings s join public.documents d on d.key = s.key), '[]'));
$$;
comment on function public.search_documents(text, text[], integer, integer, integer, double precision, double precision) is
  'Okapi BM25 over one collection: the best p_limit documents and the best p_resolved_limit of those with a resolution, with what each term contributed, and the other chunks of the best p_sibling_sources sources. idf = ln(1 + (N - df + 0.5) / (df + 0.5)), the form that stays positive.';
