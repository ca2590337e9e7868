-- One collection a layer. The domain of a document is data: `metadata.domain`, repeated in `documents.domain`. A search can
-- be limited to domains, and statistics of words cover the whole layer.
--
-- Documents move from `<layer>-<domain>` to `<layer>`. The vector store has no collections of the new names: documents count as
-- not indexed until the next reindex.

-- Collections.

drop trigger documents_inserted on public.documents;
drop trigger documents_deleted on public.documents;
drop trigger documents_terms_immutable on public.documents;

insert into public.collections (name)
select distinct split_part(c.name, '-', 1) from public.collections c where c.name ~ '^(runbooks|incidents|past_answers|procedures)-'
on conflict (name) do nothing;

-- A text that was loaded into two domains has the same ids in both. Its source names the later one.
delete from public.documents d
using public.collections c, public.documents other, public.collections other_collection
where c.id = d.collection_id and c.name ~ '^(runbooks|incidents|past_answers|procedures)-' and other.id = d.id
  and other_collection.id = other.collection_id
  and split_part(other_collection.name, '-', 1) = split_part(c.name, '-', 1) and other.key > d.key;

-- The keyword index: postings in blocks of documents.

drop table public.postings;
drop table public.terms;
drop function public.index_documents();

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

create table public.posting_blocks (
  id integer generated always as identity primary key,
  collection_id smallint not null,
  domain text not null,
  first_key bigint not null,
  document_count integer not null check (document_count >= 0)
)
with (fillfactor = 50);
create index posting_blocks_of_domain on public.posting_blocks (collection_id, domain, id);
comment on table public.posting_blocks is
  'Groups of up to 512 documents of one collection and one domain. Their postings are stored together, and a search of a domain reads only its blocks. Derived from documents by trigger.';
comment on column public.posting_blocks.id is 'Short key for the postings.';
comment on column public.posting_blocks.collection_id is 'The collection of the documents.';
comment on column public.posting_blocks.domain is 'The domain of the documents; empty for documents without one.';
comment on column public.posting_blocks.first_key is 'Postings count from here: the key of a document is at least this, and less than this + 4,194,304.';
comment on column public.posting_blocks.document_count is 'Number of documents. New documents fill blocks that have room.';

create table public.postings (
  term_id integer not null,
  block_id integer not null,
  entries bigint[] not null,
  primary key (term_id, block_id)
)
-- Keeps the entries in the row: a search reads all of them. Leaves room for the next version of a row on its page.
with (toast_tuple_target = 8160, fillfactor = 85, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_scale_factor = 0.05);
alter table public.postings alter column entries set storage external;
comment on table public.postings is 'The inverted index: the documents of a block that hold a term. Derived from documents by trigger.';
comment on column public.postings.term_id is 'The term.';
comment on column public.postings.block_id is 'The block.';
comment on column public.postings.entries is
  'One number for each document. Bits 0 to 21: its key minus first_key of the block; bit 22: whether it describes a fix; bits 23 to 37: how often it holds the term; bits 38 to 62: its length in terms.';

alter table public.documents add column block_id integer, add constraint documents_length_limit check (length < 33554432);
comment on column public.documents.key is 'Surrogate key: in the order of writing.';
comment on column public.documents.block_id is 'The block of its postings; null without terms.';

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
comment on function public.assign_posting_block() is 'Puts a new document into a block of its collection and domain that has room.';

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
  update public.terms s set df = s.df + g.documents
  from (
    select n.collection_id, t.term, count(*) as documents
    from new_rows n cross join lateral unnest(n.terms) as t (term) group by n.collection_id, t.term
  ) g
  where s.collection_id = g.collection_id and s.term = g.term;
  insert into public.terms (collection_id, term, df)
  select g.collection_id, g.term, g.documents
  from (
    select n.collection_id, t.term, count(*) as documents
    from new_rows n cross join lateral unnest(n.terms) as t (term) group by n.collection_id, t.term
  ) g
  where not exists (select 1 from public.terms s where s.collection_id = g.collection_id and s.term = g.term)
  order by g.collection_id, g.term collate "C";
  return null;
end $$;
comment on function public.add_terms() is 'Adds new documents to terms and collection totals.';

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
comment on function public.add_postings() is 'Adds new documents to postings.';

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
comment on function public.remove_postings() is 'Removes deleted documents from postings, terms, blocks and collection totals.';

create trigger documents_assigned before insert on public.documents for each row
  when (cardinality(new.terms) > 0) execute function public.assign_posting_block();
-- Triggers of one event fire in the order of their names.
create trigger documents_inserted_1 after insert on public.documents
  referencing new table as new_rows for each statement execute function public.add_terms();
create trigger documents_inserted_2 after insert on public.documents
  referencing new table as new_rows for each statement execute function public.add_postings();

-- Documents.

-- Written again, so that the triggers index the documents. The second half of the hash covers the metadata; the application
-- computes it at the next write.
update public.collections set document_count = 0, length_total = 0;
with moved as (
  delete from public.documents d using public.collections c left join public.collections layer
    on layer.name = split_part(c.name, '-', 1) and layer.id <> c.id and c.name ~ '^(runbooks|incidents|past_answers|procedures)-'
  where c.id = d.collection_id
  returning d.*, layer.id as layer_id, substr(c.name, length(layer.name) + 2) as domain
)
insert into public.documents (key, collection_id, id, source, chunk_index, title, heading_path, body, metadata, written_at,
  content_hash, indexed_hash, index_fingerprint, terms, frequencies, length)
overriding system value
select m.key, coalesce(m.layer_id, m.collection_id), m.id, m.source, m.chunk_index, m.title, m.heading_path, m.body,
  case when m.layer_id is null then m.metadata else m.metadata || jsonb_build_object('domain', m.domain) end, m.written_at,
  case when m.layer_id is null then m.content_hash else split_part(m.content_hash, '.', 1) || '.moved' end,
  case when m.layer_id is null then m.indexed_hash end, case when m.layer_id is null then m.index_fingerprint end,
  m.terms, m.frequencies, m.length
from moved m order by m.key;

delete from public.collections c where c.name ~ '^(runbooks|incidents|past_answers|procedures)-';

alter table public.documents add column domain text generated always as (metadata ->> 'domain') stored;
comment on column public.documents.domain is 'The domain that the text belongs to; null for the cluster inventory.';
create trigger documents_deleted after delete on public.documents
  referencing old table as old_rows for each statement execute function public.remove_postings();
create trigger documents_terms_immutable before update on public.documents for each row
  when (old.terms is distinct from new.terms or old.frequencies is distinct from new.frequencies
    or old.length is distinct from new.length or old.collection_id is distinct from new.collection_id
    or old.block_id is distinct from new.block_id or old.metadata ->> 'domain' is distinct from new.metadata ->> 'domain'
    or public.is_curated(old.metadata) is distinct from public.is_curated(new.metadata))
  execute function public.reject_term_update();

update public.past_answers a
set metadata = a.metadata || jsonb_build_object('domain', a.domain), content_hash = split_part(a.content_hash, '.', 1) || '.moved';
update public.procedures r
set metadata = r.metadata || jsonb_build_object('domain', r.domain), content_hash = split_part(r.content_hash, '.', 1) || '.moved';

update public.outbox o set collection = split_part(o.collection, '-', 1)
where o.done_at is null and o.collection ~ '^(runbooks|incidents|past_answers|procedures)-';

comment on column public.collections.name is 'Also the name in the vector store, for example runbooks.';
comment on column public.observations.id is 'The id of the first incident, and of the document in the collection incidents.';
comment on column public.past_answers.id is 'The id of the document in the collection past_answers: that of the triage, or a summary''s own.';
comment on column public.procedures.id is 'The id of the document in the collection procedures.';

-- All texts of sources are in the collection runbooks.
drop function public.list_sources(integer, text[], text, text);
drop function public.record_folder_sources(text, text, jsonb, timestamptz);
drop function public.runbook_sections(text, text[]);
drop index public.sources_of_collection;
alter table public.sources rename column collection to domain;
update public.sources s set domain = substr(s.domain, length('runbooks-') + 1) where s.domain like 'runbooks-%';
create index sources_of_domain on public.sources (domain, source);
comment on column public.sources.domain is 'The domain of the text, as in the metadata of its chunks.';

create or replace function public.rewrite_terms(p_collection text, p_documents jsonb) returns void
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
  'Rebuilds the keyword index of documents, given as for upsert_documents, with read_hash: the content_hash that the caller read, by default the given one. Skips those that changed since.';

-- Search.

drop function public.search_documents(text, text[], integer, double precision, double precision, integer, integer);
drop function public.rank_documents(smallint, text[], double precision[], integer[], integer, boolean, double precision, double precision);

create function public.posting_score(
  p_entry bigint, p_gain double precision, p_flat double precision, p_slope double precision
) returns double precision
-- Without "set search_path", so that the planner inlines it; a parsed body needs none.
language sql immutable parallel safe
return p_gain * ((p_entry >> 23) & 32767) / (((p_entry >> 23) & 32767) + p_flat + p_slope * (p_entry >> 38));
comment on function public.posting_score(bigint, double precision, double precision, double precision) is
  'The BM25 score of a term in a document, from the entry of postings; other arguments as for rank_documents.';

create function public.read_postings(p_terms integer[], p_gains double precision[], p_blocks integer[])
returns table (address bigint, entry bigint, gain double precision)
language sql stable
begin atomic
  select e.block | (e.entry & 8388607), e.entry, e.gain from (
    select p.block_id::bigint << 23 as block, unnest(p.entries) as entry, t.gain
    from unnest(p_terms, p_gains) as t (id, gain) cross join lateral (
      select o.block_id, o.entries from public.postings o where o.term_id = t.id and p_blocks is null
      union all
      select o.block_id, o.entries from unnest(p_blocks) as b (id) cross join lateral (
        -- "offset 0": looks up each pair. The planner does not know how few they are.
        select i.block_id, i.entries from public.postings i where i.term_id = t.id and i.block_id = b.id offset 0) o
    ) p
  ) e;
end;
comment on function public.read_postings(integer[], double precision[], integer[]) is
  'The entries of these terms in these blocks, by default in all, with the gain of the term and the address of the document: its block, and bits 0 to 22 of the entry.';

create function public.rank_documents(
  p_terms integer[], p_gains double precision[], p_dfs integer[], p_limit integer, p_curated_limit integer,
  p_flat double precision, p_slope double precision, p_blocks integer[]
) returns table (document_key bigint, score double precision)
language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  -- Postings read for a first estimate of the best scores.
  c_first constant integer := 1500;
  -- Up to this many postings, reading all is cheaper than pruning.
  c_cheap constant integer := 12000;
  -- Upper bounds of the work: postings read, and documents whose remaining terms are looked up.
  c_postings constant integer := 30000;
  c_candidates constant integer := 3000;
  -- With so few documents, all remaining terms are looked up in one step.
  c_few constant integer := 150;
  -- Sums in another order differ in the last bits.
  c_slack constant double precision := 1 - 1e-9;
  -- The bit of an address that marks a curated document.
  c_curated constant bigint := 4194304;
  v_terms integer := cardinality(p_terms);
  v_from integer := 1;
  v_to integer := 0;
  v_read bigint := 0;
  v_budget integer := case when (select sum(n) from unnest(p_dfs) as n) <= c_cheap then c_cheap else c_first end;
  v_rest double precision := (select sum(g) from unnest(p_gains) as g);
  -- Minimum scores of the two lists.
  v_floor double precision := case when p_limit > 0 then 0 else float8 'infinity' end;
  v_curated_floor double precision := case when p_curated_limit > 0 then 0 else float8 'infinity' end;
  v_addresses bigint[] := '{}';
  v_scores double precision[] := '{}';
  v_best bigint[];
  v_best_scores double precision[];
  v_blocks integer[];
begin
  -- Only common terms: take the documents that score highest for the rarest one.
  if p_dfs[1] > c_postings then
    select array_agg(d.address), array_agg(d.score) into v_addresses, v_scores from (
      select p.address, public.posting_score(p.entry, p.gain, p_flat, p_slope) as score,
        row_number() over (order by public.posting_score(p.entry, p.gain, p_flat, p_slope) desc) as rank,
        row_number() over (partition by p.address & c_curated order by public.posting_score(p.entry, p.gain, p_flat, p_slope) desc) as curated_rank
      from public.read_postings(p_terms[1:1], p_gains[1:1], p_blocks) p
    ) d
    where d.rank <= c_candidates or (p_curated_limit > 0 and d.address & c_curated > 0 and d.curated_rank <= c_candidates);
    v_from := 2;
    v_to := 1;
    v_read := p_dfs[1];
    v_rest := v_rest - p_gains[1];
  end if;

  loop
    while v_to < v_terms and (v_to = 0 or v_read + p_dfs[v_to + 1] <= v_budget
      or (v_budget = c_cheap and v_rest >= least(v_floor, v_curated_floor) and v_read + p_dfs[v_to + 1] <= c_postings)) loop
      v_to := v_to + 1;
      v_read := v_read + p_dfs[v_to];
      v_rest := v_rest - p_gains[v_to];
    end loop;
    if v_to >= v_from then
      select array_agg(d.address), array_agg(d.score) into v_addresses, v_scores from (
        select s.address, sum(s.score) as score from (
          select k.address, k.score from unnest(v_addresses, v_scores) as k (address, score)
          union all
          select p.address, public.posting_score(p.entry, p.gain, p_flat, p_slope)
          from public.read_postings(p_terms[v_from:v_to], p_gains[v_from:v_to], p_blocks) p
        ) s
        group by s.address
        having sum(s.score) > (v_floor - v_rest) * c_slack
          or ((s.address & c_curated) > 0 and sum(s.score) > (v_curated_floor - v_rest) * c_slack)
      ) d;
      v_from := v_to + 1;
    end if;
    exit when v_to = v_terms or v_budget = c_cheap;
    v_budget := c_cheap;
    select array_agg(b.address), array_agg(b.score), array_agg(distinct (b.address >> 23)::integer)
    into v_best, v_best_scores, v_blocks from (
      (select k.address, k.score from unnest(v_addresses, v_scores) as k (address, score)
        order by k.score desc limit 2 * p_limit)
      union
      (select k.address, k.score from unnest(v_addresses, v_scores) as k (address, score) where (k.address & c_curated) > 0
        order by k.score desc limit 2 * p_curated_limit)
    ) b;
    with complete as materialized (
      select k.address, k.score + coalesce(sum(public.posting_score(p.entry, p.gain, p_flat, p_slope)), 0) as score
      from unnest(v_best, v_best_scores) as k (address, score)
      left join public.read_postings(p_terms[v_to + 1:v_terms], p_gains[v_to + 1:v_terms], v_blocks) p on p.address = k.address
      group by k.address, k.score
    )
    select greatest(v_floor, (select c.score from complete c order by 1 desc offset greatest(p_limit - 1, 0) limit 1)),
      greatest(v_curated_floor, (select c.score from complete c where (c.address & c_curated) > 0
        order by 1 desc offset greatest(p_curated_limit - 1, 0) limit 1))
    into v_floor, v_curated_floor;
  end loop;

  while v_from <= v_terms loop
    select array_agg(d.address), array_agg(d.score) into v_addresses, v_scores from (
      select k.address, k.score, row_number() over (order by k.score desc) as rank,
        row_number() over (partition by k.address & c_curated order by k.score desc) as curated_rank
      from unnest(v_addresses, v_scores) as k (address, score)
      where k.score + v_rest > v_floor * c_slack or ((k.address & c_curated) > 0 and k.score + v_rest > v_curated_floor * c_slack)
    ) d
    where d.rank <= c_candidates or (p_curated_limit > 0 and (d.address & c_curated) > 0 and d.curated_rank <= c_candidates);
    v_to := case when cardinality(v_addresses) > c_few then v_from else v_terms end;
    v_blocks := array(select distinct (k.address >> 23)::integer from unnest(v_addresses) as k (address));
    select array_agg(d.address), array_agg(d.score) into v_addresses, v_scores from (
      select s.address, sum(s.score) as score from (
        select k.address, k.score from unnest(v_addresses, v_scores) as k (address, score)
        union all
        select p.address, public.posting_score(p.entry, p.gain, p_flat, p_slope)
        from public.read_postings(p_terms[v_from:v_to], p_gains[v_from:v_to], v_blocks) p
        join unnest(v_addresses) as k (address) on k.address = p.address
      ) s
      group by s.address
    ) d;
    v_rest := v_rest - (select sum(g) from unnest(p_gains[v_from:v_to]) as g);
    v_from := v_to + 1;
  end loop;

  return query
    select d.key, d.score from (
      select k.key, k.score, k.is_curated, row_number() over (order by k.score desc, k.key) as rank,
        row_number() over (partition by k.is_curated order by k.score desc, k.key) as curated_rank
      from (
        -- Sums in another order differ in the last bits. Rounding gives equal documents equal scores.
        select b.first_key + (k.address & 4194303) as key, round(k.score * 1e12) / 1e12 as score, (k.address & c_curated) > 0 as is_curated
        from unnest(v_addresses, v_scores) as k (address, score) join public.posting_blocks b on b.id = k.address >> 23
      ) k
    ) d
    where d.rank <= p_limit or (d.is_curated and d.curated_rank <= p_curated_limit);
end $$;
comment on function public.rank_documents(integer[], double precision[], integer[], integer, integer, double precision, double precision, integer[]) is
  'The best p_limit documents by BM25 and the best p_curated_limit curated ones, in these blocks or in all. p_terms are ids of terms of one collection, the rarest first. p_gains is weight * idf * (k1 + 1) of each, the upper bound of its score in any document; p_dfs its document frequency; p_flat is k1 * (1 - b), p_slope k1 * b / average length. MaxScore (Turtle and Flood, 1995): rare terms are read first; documents that cannot reach either list even with all remaining terms are dropped. The result equals that of the full computation if fewer than 3,000 documents remain candidates and the rarest decisive terms are in fewer than 30,000 documents. Beyond that, the 3,000 most promising candidates and the 3,000 most promising curated ones are ranked. If every term is in more than 30,000, they are those that score highest for the rarest term.';

create function public.search_documents(
  p_collection text, p_terms text[], p_limit integer, p_k1 double precision, p_b double precision,
  p_sibling_sources integer default 0, p_curated_limit integer default 0, p_domains text[] default null
) returns jsonb
language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  v_collection smallint;
  v_average double precision;
  v_count double precision;
  v_statistics jsonb;
  v_corrections jsonb;
  v_terms text[];
  v_ids integer[];
  v_gains double precision[];
  v_dfs integer[];
  v_keys bigint[];
  v_scores double precision[];
  v_blocks integer[];
  v_flat double precision := p_k1 * (1 - p_b);
  v_slope double precision;
  v_result jsonb;
begin
  select c.id, c.document_count, greatest(c.length_total, 1)::double precision / greatest(c.document_count, 1)
  into v_collection, v_count, v_average
  from public.collections c where c.name = p_collection;
  v_slope := p_k1 * p_b / v_average;

  with query_terms as materialized (
    select q.term, q.weight, t.id, coalesce(t.df, 0) as df
    from (select a.term, 1 + ln(count(*)::double precision) as weight from unnest(p_terms) as a (term) group by a.term) q
    left join public.terms t on t.collection_id = v_collection and t.term = q.term
    where v_collection is not null
  ),
  corrected as materialized (
    select a.term as word, a.weight * 0.7 as weight, near.term, near.id, near.df
    from query_terms a
    cross join lateral (select case when length(a.term) < 8 then 1 else 2 end as edits) as allowed
    cross join lateral (
      select t.term, t.id, t.df from public.terms t
      -- '{' follows 'z' in byte order and ends the prefix range. Words with digits or punctuation are not corrected.
      where a.df = 0 and a.term ~ '^[a-z]{5,}$'
        and t.collection_id = v_collection and t.term >= left(a.term, 3) and t.term < left(a.term, 3) || '{'
        and length(t.term) between length(a.term) - allowed.edits and length(a.term) + allowed.edits and t.term ~ '^[a-z]+$'
        and extensions.levenshtein_less_equal(t.term, a.term, allowed.edits) <= allowed.edits
      order by extensions.levenshtein_less_equal(t.term, a.term, allowed.edits), t.df desc, t.term
      limit 1
    ) near
  ),
  used as materialized (
    select u.term, max(u.weight) as weight, max(u.id) as id, max(u.df) as df,
      ln(1 + (v_count - max(u.df) + 0.5) / (max(u.df) + 0.5)) as idf
    from (select a.term, a.weight, a.id, a.df from query_terms a union all select c.term, c.weight, c.id, c.df from corrected c) u
    group by u.term
  )
  select (select jsonb_object_agg(u.term, jsonb_build_object('df', u.df, 'idf', u.idf)) from used u),
    array_agg(s.term order by s.df, s.term),
    array_agg(s.id order by s.df, s.term),
    array_agg(s.weight * s.idf * (p_k1 + 1) order by s.df, s.term),
    array_agg(s.df order by s.df, s.term),
    (select jsonb_object_agg(c.word, c.term) from corrected c)
  into v_statistics, v_terms, v_ids, v_gains, v_dfs, v_corrections
  from (
    -- Time grows with the number of terms; beyond the 96 heaviest, terms of a pasted page do not change the ranking.
    select u.term, u.id, u.df, u.weight, u.idf from used u where u.df > 0 order by u.weight * u.idf desc, u.term limit 96
  ) s;

  if v_terms is not null then
    select array_agg(b.document_key), array_agg(b.score) into v_keys, v_scores
    from public.rank_documents(v_ids, v_gains, v_dfs, p_limit, p_curated_limit, v_flat, v_slope, null) b;
  end if;
  -- If all of the best documents are within the domains, they are the best within the domains.
  if p_domains is not null
    and exists (select 1 from public.documents d where d.key = any (v_keys) and (d.domain = any (p_domains)) is not true) then
    select coalesce(array_agg(b.id), '{}'), array(select least(t.df, sum(b.document_count)) from unnest(v_dfs) as t (df))
    into v_blocks, v_dfs
    from public.posting_blocks b where b.collection_id = v_collection and b.domain = any (p_domains);
    select v_keys || array_agg(b.document_key), v_scores || array_agg(b.score) into v_keys, v_scores
    from public.rank_documents(v_ids, v_gains, v_dfs, p_limit, p_curated_limit, v_flat, v_slope, v_blocks) b
    where b.document_key <> all (v_keys);
  end if;

  with ranked as materialized (
    select d.key, d.block_id, d.id, d.source, d.metadata, d.domain = any (p_domains) as is_in_domains, public.document_json(d) as document, k.score
    from unnest(v_keys, v_scores) as k (document_key, score) join public.documents d on d.key = k.document_key
  ),
  best_sources as materialized (
    -- Other chunks of a log explain nothing.
    select r.source, row_number() over (order by max(r.score) desc, r.source) as rank,
      row_number() over (order by max(r.score) filter (where r.is_in_domains) desc nulls last, r.source) as rank_in_domains,
      bool_or(r.is_in_domains) as is_in_domains
    from ranked r where r.source is not null and not r.metadata @> '{"kind": "log"}' group by r.source
  ),
  source_chunks as materialized (
    -- The first 40 chunks describe a long text as well as all of it, in less time.
    select b.rank <= p_sibling_sources or (b.is_in_domains and b.rank_in_domains <= p_sibling_sources) as is_shown,
      o.source, o.key, o.block_id, o.length, o.chunk_index from best_sources b
    cross join lateral (
      select d.source, d.key, d.block_id, d.length, d.chunk_index from public.documents d
      where d.collection_id = v_collection and d.source = b.source order by d.chunk_index limit 40
    ) o
  ),
  whole_sources as materialized (
    select c.source, sum(c.length) as length,
      -- Two chunks: a one-line introduction is followed by the section that describes the text.
      (select left(string_agg(left(d.body, 800), ' ' order by d.chunk_index), 800) from public.documents d
        where d.key = any (array_agg(c.key) filter (where c.chunk_index < 2))) as lead
    from source_chunks c group by c.source
  ),
  wanted as materialized (
    select r.key, r.block_id from ranked r union select c.key, c.block_id from source_chunks c
  ),
  matches as materialized (
    select w.key, e.n, e.entry from (
      select t.n, b.first_key, unnest(p.entries) as entry
      from (select distinct w.block_id from wanted w) w join public.posting_blocks b on b.id = w.block_id
      cross join unnest(v_ids) with ordinality as t (id, n)
      -- As in read_postings.
      cross join lateral (select o.entries from public.postings o where o.term_id = t.id and o.block_id = b.id offset 0) p
    ) e join wanted w on w.key = e.first_key + (e.entry & 4194303)
  ),
  contributions as (
    select m.key, jsonb_object_agg(v_terms[m.n], public.posting_score(m.entry, v_gains[m.n], v_flat, v_slope)) as terms
    from matches m where m.key = any (v_keys) group by m.key
  ),
  frequencies as (
    select c.source, m.n, sum((m.entry >> 23) & 32767) as frequency
    from source_chunks c join matches m on m.key = c.key group by c.source, m.n
  ),
  source_frequencies as (
    select f.source, jsonb_object_agg(v_terms[f.n], f.frequency) as frequencies from frequencies f group by f.source
  ),
  siblings as (
    select c.key from source_chunks c where c.is_shown and c.key <> all (v_keys)
  )
  select jsonb_build_object(
    'terms', coalesce(v_statistics, '{}'),
    'corrections', coalesce(v_corrections, '{}'),
    'hits', coalesce((
      select jsonb_agg(r.document || jsonb_build_object('score', r.score, 'contributions', c.terms) order by r.score desc, r.key)
      from ranked r join contributions c on c.key = r.key), '[]'),
    'siblings', coalesce((
      select jsonb_agg(public.document_json(d) order by d.source, d.chunk_index)
      from siblings s join public.documents d on d.key = s.key), '[]'),
    'sources', coalesce((
      select jsonb_agg(jsonb_build_object('source', s.source, 'length', s.length, 'frequencies', coalesce(f.frequencies, '{}'),
        'lead', s.lead) order by s.source)
      from whole_sources s left join source_frequencies f on f.source = s.source), '[]'),
    'pending', array(select o.document_id from public.outbox o
      where o.done_at is null and o.collection = p_collection order by o.id desc limit 1000))
  into v_result;
  return v_result;
end $$;
comment on function public.search_documents(text, text[], integer, double precision, double precision, integer, integer, text[]) is
  'Okapi BM25 over one collection. hits: the best p_limit documents (see rank_documents), and the best p_curated_limit curated ones, with the contribution of each term. With p_domains: both lists within these domains, and both of all domains; statistics of terms always cover the collection. sources: for each source of a hit except logs, by its first 40 chunks, their length, how often they hold each term, and their beginning. siblings: the other ones of these chunks, for the best p_sibling_sources, and for the best within p_domains. pending: the newest 1,000 documents with a pending index write. idf = ln(1 + (N - df + 0.5) / (df + 0.5)), the form that stays positive. A term that the query repeats n times weighs 1 + ln(n). Of more than 96 terms the heaviest are searched. A word of 5 letters or more that the collection does not hold also counts, at 0.7 of its weight, as the nearest word that it holds with the same first three letters, within 1 edit, from 8 letters on within 2: corrections maps the word to it, terms has both.';

-- Memory.

create or replace function public.record_observation(p jsonb, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_new public.observations := jsonb_populate_record(null::public.observations, p -> 'row');
  v_existing public.observations;
begin
  if p -> 'document' <> 'null' and p -> 'replaces' = 'null' then
    insert into public.observations (id, domain, fingerprint, created_at, incident_id, title, narrative, facts, task, task_type,
      target, severity, final_score, written_by, first_seen_at, last_seen_at, seen_at)
    values (v_new.incident_id, v_new.domain, v_new.fingerprint, p_now, v_new.incident_id, v_new.title, v_new.narrative,
      v_new.facts, v_new.task, v_new.task_type, v_new.target, v_new.severity, v_new.final_score, v_new.written_by,
      v_new.first_seen_at, v_new.first_seen_at, array[v_new.first_seen_at])
    on conflict do nothing; -- also when a second run of this incident classified it differently
    if found then
      update public.incidents i set observation_id = v_new.incident_id where i.id = v_new.incident_id;
      return public.store_document('incidents', p -> 'document', p_now, p_claim_until);
    end if;
  end if;

  select * into v_existing from public.observations o
  where o.domain = v_new.domain and o.fingerprint = v_new.fingerprint for update;
  if not found then
    return '[]'; -- deleted concurrently; the next repeat creates a new record
  end if;
  update public.incidents i set observation_id = v_existing.id where i.id = v_new.incident_id and i.observation_id is null;
  if found then
    update public.observations o
    set occurrences = o.occurrences + 1, first_seen_at = least(o.first_seen_at, v_new.first_seen_at),
      last_seen_at = greatest(o.last_seen_at, v_new.first_seen_at),
      seen_at = (select array_agg(t.at order by t.at) from (
        select u.at from unnest(o.seen_at || v_new.first_seen_at) as u (at) order by u.at desc limit 20) t)
    where o.id = v_existing.id;
  end if;
  -- Replace the text with the better one, unless the record changed since the caller read it.
  if p -> 'document' = 'null' or (p #>> '{replaces,id}')::uuid is distinct from v_existing.id
    or (p #>> '{replaces,version}')::integer is distinct from v_existing.version then
    return '[]';
  end if;
  update public.observations o
  set version = o.version + 1, created_at = p_now, incident_id = v_new.incident_id, title = v_new.title,
    narrative = v_new.narrative, facts = v_new.facts, task = v_new.task, target = v_new.target, severity = v_new.severity,
    final_score = v_new.final_score, written_by = v_new.written_by,
    review_score = null -- the review was of the replaced text
  where o.id = v_existing.id;
  return public.store_document('incidents', p -> 'document', p_now, p_claim_until);
end $$;

create or replace function public.record_procedure(p jsonb, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_new public.procedures := jsonb_populate_record(null::public.procedures, p -> 'row');
  v_existing public.procedures;
begin
  if p ->> 'merge_into' is not null then
    select * into v_existing from public.procedures r
    where r.id = (p ->> 'merge_into')::uuid and r.archived_at is null for update;
  end if;
  if v_existing.id is null then
    insert into public.procedures (id, domain, query, query_hash, strategy, answer, confidence, origin_id, triage_id,
      created_at, last_used_at, decayed_until, metadata, content_hash)
    values (v_new.id, v_new.domain, v_new.query, v_new.query_hash, v_new.strategy, v_new.answer, v_new.confidence,
      v_new.triage_id, v_new.triage_id, p_now, p_now, p_now, v_new.metadata, v_new.content_hash)
    on conflict (domain, query_hash) do nothing;
    if found then
      select * into strict v_existing from public.procedures r where r.id = v_new.id;
      return public.store_document('procedures', public.procedure_document(v_existing), p_now, p_claim_until);
    end if;
    select * into v_existing from public.procedures r
    where r.domain = v_new.domain and r.query_hash = v_new.query_hash for update;
    if not found then
      return '[]'; -- deleted concurrently
    end if;
  end if;
  -- An archived procedure restarts at a use count of 1. The answer with the higher confidence is kept.
  update public.procedures r
  set use_count = case when r.archived_at is null then r.use_count + 1 else 1 end,
    last_used_at = greatest(r.last_used_at, p_now), decayed_until = greatest(r.decayed_until, p_now), archived_at = null,
    strategy = case when v_new.confidence > r.confidence then v_new.strategy else r.strategy end,
    answer = case when v_new.confidence > r.confidence then v_new.answer else r.answer end,
    triage_id = case when v_new.confidence > r.confidence then v_new.triage_id else r.triage_id end,
    confidence = greatest(r.confidence, v_new.confidence)
  where r.id = v_existing.id;
  if v_existing.archived_at is null then
    return '[]';
  end if;
  return public.store_document('procedures', public.procedure_document(v_existing), p_now, p_claim_until);
end $$;

create or replace function public.revise_observation(p jsonb) returns jsonb
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
  return public.store_document('incidents', p -> 'document', v_now, (p ->> 'claim_until')::timestamptz);
end $$;

create or replace function public.retire_originals(p_now timestamptz, p_limit integer) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_batch record;
  v_count integer := 0;
begin
  for v_batch in
    with due as (
      select a.id from public.past_answers a
      where a.summary_id is not null and a.compressed_at is null
        -- With a join the planner would sort all waiting rows: it does not know that most summaries are in the index.
        and (select d.indexed_hash = d.content_hash from public.collections c join public.documents d on d.collection_id = c.id
          where c.name = 'past_answers' and d.id = a.summary_id::text)
      order by a.summary_id limit p_limit for update of a skip locked
    ), retired as (
      update public.past_answers a set compressed_at = p_now where a.id = any (array(select due.id from due))
      returning a.id::text, a.domain
    )
    select r.domain, array_agg(r.id) as ids from retired r group by r.domain order by r.domain
  loop
    perform public.delete_documents('past_answers', v_batch.ids);
    insert into public.outbox (collection, document_id, created_at, next_attempt_at)
    select 'past_answers', u.id, p_now, p_now from unnest(v_batch.ids) as u (id);
    v_count := v_count + cardinality(v_batch.ids);
  end loop;
  return jsonb_build_object('retired', v_count);
end $$;

create or replace function public.decay_procedures(p_now timestamptz, p_period_days double precision, p_limit integer) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_period interval := p_period_days * interval '1 day';
  v_batch record;
  v_decayed integer := 0;
  v_archived integer := 0;
begin
  for v_batch in
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
    v_decayed := v_decayed + v_batch.decayed;
    v_archived := v_archived + cardinality(v_batch.archived);
    continue when v_batch.archived = '{}';
    perform public.delete_documents('procedures', v_batch.archived);
    insert into public.outbox (collection, document_id, created_at, next_attempt_at)
    select 'procedures', u.id, p_now, p_now from unnest(v_batch.archived) as u (id);
  end loop;
  return jsonb_build_object('decayed', v_decayed, 'archived', v_archived);
end $$;

create or replace function public.delete_observation(p_id uuid, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_domain text;
begin
  delete from public.observations o where o.id = p_id returning o.domain into v_domain;
  if v_domain is null then
    return '[]';
  end if;
  return public.delete_indexed_documents('incidents', array[p_id::text], p_now, p_claim_until);
end $$;

create or replace function public.delete_procedure(p_id uuid, p_now timestamptz, p_claim_until timestamptz) returns jsonb
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

create or replace function public.restore_past_answers(p_ids uuid[], p_now timestamptz) returns void
language plpgsql set search_path = '' as $$
declare
  v_past_answer public.past_answers;
begin
  for v_past_answer in
    update public.past_answers a set summary_id = null, compressed_at = null where a.id = any (p_ids) returning a.*
  loop
    perform public.store_document('past_answers', public.past_answer_document(v_past_answer), p_now, null);
  end loop;
end $$;

-- Sources.

create or replace function public.put_source(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_new public.sources := jsonb_populate_record(null::public.sources, p -> 'source');
  v_existing public.sources;
  v_created boolean;
  v_stored jsonb;
  v_removed_ids text[];
begin
  v_new.created_at := v_now;
  v_new.updated_at := v_now;
  insert into public.sources select v_new.* on conflict (source) do nothing;
  v_created := found;
  select * into v_existing from public.sources s where s.source = v_new.source for update;
  if not found then
    raise exception 'the source was deleted concurrently' using errcode = 'serialization_failure';
  end if;
  if (v_existing.kind = 'runbook') <> (v_new.kind = 'runbook') then
    return jsonb_build_object('state', 'taken', 'kind', v_existing.kind);
  end if;
  -- The metadata of the documents names the domain, so the caller has to make them again.
  if v_existing.domain <> v_new.domain and not (p ->> 'moves')::boolean then
    return jsonb_build_object('state', 'other_domain', 'domain', v_existing.domain);
  end if;
  v_stored := public.store_changed_documents('runbooks', p -> 'documents', v_now, v_claim_until);
  v_removed_ids := array(select t.id from unnest(public.chunk_ids('runbooks', v_new.source)) as t (id)
    where t.id not in (select e ->> 'id' from jsonb_array_elements(p -> 'documents') e));
  update public.sources s
  set domain = v_new.domain, kind = v_new.kind, origin = v_new.origin, title = v_new.title, tags = v_new.tags,
    bytes = v_new.bytes, chunks = v_new.chunks, text = v_new.text, updated_at = v_now
  where s.source = v_new.source
    and (s.domain, s.kind, s.origin, s.title, s.tags, s.text)
      is distinct from (v_new.domain, v_new.kind, v_new.origin, v_new.title, v_new.tags, v_new.text);
  return jsonb_build_object('state', 'stored', 'created', v_created, 'moved', v_existing.domain <> v_new.domain,
    'source', (select to_jsonb(s) - 'text' from public.sources s where s.source = v_new.source),
    'upserted', jsonb_array_length(v_stored -> 'upserted'), 'unchanged', jsonb_array_length(v_stored -> 'unchanged'),
    'removed', cardinality(v_removed_ids), 'waiting', v_stored -> 'waiting', 'pending', (v_stored -> 'pending')
      || public.delete_indexed_documents('runbooks', v_removed_ids, v_now, v_claim_until));
end $$;
comment on function public.put_source(jsonb) is
  'Stores a text and replaces its chunks: {now, claim_until, source: row, documents, moves}. A stored text changes to the domain of the row only if moves is true; otherwise returns state other_domain with its domain, and stores nothing. The caller holds the outbox entries until claim_until. Returns state taken if the name is stored and exactly one of the two texts is a runbook. Otherwise returns state stored, the row, the counts of chunks, the outbox entries (pending), and whether an unchanged chunk has an older pending index write (waiting).';

create or replace function public.get_source(p_id text, p_kinds text[]) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(s) || jsonb_build_object('sections', (
    select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'heading_path', d.heading_path, 'body', d.body)
      order by d.chunk_index), '[]')
    from public.collections c join public.documents d on d.collection_id = c.id
    where c.name = 'runbooks' and d.source = s.source))
  from public.sources s where s.id = p_id and s.kind = any (p_kinds);
$$;

create function public.list_sources(
  p_limit integer, p_kinds text[], p_after text default null, p_domain text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(s) - 'text' from public.sources s
  where s.kind = any (p_kinds) and (p_after is null or s.source > p_after) and (p_domain is null or s.domain = p_domain)
  order by s.source limit p_limit;
$$;
comment on function public.list_sources(integer, text[], text, text) is
  'One page of texts without their content, ordered by name; p_after is the last name of the page before.';

create or replace function public.delete_source(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_source public.sources;
begin
  delete from public.sources s
  where s.id = p ->> 'id' and s.kind = any (array(select jsonb_array_elements_text(p -> 'kinds')))
    and (p ->> 'origin' is null or s.origin = p ->> 'origin')
  returning * into v_source;
  if not found then
    return jsonb_build_object('state', 'not_found');
  end if;
  return jsonb_build_object('state', 'deleted', 'pending', public.delete_indexed_documents('runbooks',
    public.chunk_ids('runbooks', v_source.source), (p ->> 'now')::timestamptz, (p ->> 'claim_until')::timestamptz));
end $$;

create function public.record_folder_sources(p_domain text, p_origin text, p_sources jsonb, p_now timestamptz) returns void
language plpgsql set search_path = '' as $$
begin
  insert into public.sources as s (source, id, domain, kind, origin, title, tags, bytes, chunks, created_at, updated_at)
  select n.source, n.id, p_domain, 'runbook', p_origin, n.title, n.tags, n.bytes, n.chunks, p_now, p_now
  from jsonb_populate_recordset(null::public.sources, p_sources) n
  on conflict (source) do update
  set domain = excluded.domain, origin = excluded.origin, title = excluded.title, tags = excluded.tags, bytes = excluded.bytes,
    chunks = excluded.chunks, updated_at = p_now
  where s.origin in ('built_in', excluded.origin) and (s.domain, s.origin, s.title, s.tags, s.bytes, s.chunks)
    is distinct from (excluded.domain, excluded.origin, excluded.title, excluded.tags, excluded.bytes, excluded.chunks);
end $$;
comment on function public.record_folder_sources(text, text, jsonb, timestamptz) is
  'Records runbooks of a domain''s folder: rows with source, id, title, tags, bytes, chunks. Skips a name that is stored with a stronger origin: api always, folder if p_origin is built_in.';

create function public.runbook_sections(p_names text[], p_domain text default null) returns jsonb
language sql stable set search_path = '' as $$
  with matches as (
    select d.source, bool_or(d.domain = p_domain) as is_in_domain, min(case
        when lower(regexp_replace(d.source, '\.md$', '')) = n.name then n.priority
        when lower(regexp_replace(d.source, '^.*/|\.md$', '', 'g')) = n.name then n.priority
      end) as priority
    from public.collections c
    join public.documents d on d.collection_id = c.id and d.source is not null
    cross join unnest(p_names) with ordinality as n (name, priority)
    where c.name = 'runbooks'
    group by d.source
  )
  select coalesce(jsonb_agg(public.document_json(d) order by d.chunk_index), '[]')
  from public.collections c
  join public.documents d on d.collection_id = c.id
  where c.name = 'runbooks' and d.source = (
    select m.source from matches m where m.priority is not null
    order by m.priority, coalesce(m.is_in_domain, false) desc, m.source limit 1);
$$;
comment on function public.runbook_sections(text[], text) is
  'All sections of one runbook: the first of these names that exists; of equal names, the one in p_domain. A name is the lower-case source without .md, or the last part of that path.';

call public.restrict_to_service_role();
