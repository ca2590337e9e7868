-- Keyword search that stays quick as collections grow, and tells what a source holds as a whole.

create schema if not exists extensions;
create extension if not exists fuzzystrmatch with schema extensions;
grant usage on schema extensions to service_role;
grant execute on function extensions.levenshtein_less_equal(text, text, integer) to service_role;

create function public.is_curated(p_metadata jsonb) returns boolean
language sql immutable set search_path = '' as $$
  select p_metadata @> '{"resolved": true}' or p_metadata @> '{"kind": "runbook"}';
$$;
comment on function public.is_curated(jsonb) is 'Whether a document tells what helps: a past incident with its resolution, or a runbook.';

create table public.terms (
  collection_id smallint not null,
  term text collate "C" not null,
  df integer not null check (df >= 0),
  primary key (collection_id, term)
)
-- Room for the next version of a row beside it: df is in no index, so most updates touch the heap alone.
with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
comment on table public.terms is 'The vocabulary of each collection. Derived from documents by trigger.';
comment on column public.terms.collection_id is 'The collection.';
comment on column public.terms.term is 'One term that a document of it holds.';
comment on column public.terms.df is 'How many of its documents do.';

-- The postings are derived, so they are made anew: with the flag, and compared byte by byte.

drop table public.postings;

create table public.postings (
  collection_id smallint not null,
  frequency smallint not null,
  length integer not null,
  document_key bigint not null,
  curated boolean not null,
  term text collate "C" not null,
  primary key (collection_id, term, document_key) include (frequency, curated, length)
)
-- Searches read the index alone as long as the heap is known to be visible.
with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_scale_factor = 0.05);
comment on table public.postings is 'The inverted index: which document holds which term. Derived from documents by trigger.';
comment on column public.postings.collection_id is 'The collection of the document.';
comment on column public.postings.frequency is 'How often the document holds the term.';
comment on column public.postings.length is 'The document''s length in terms, here so that a search reads the index alone.';
comment on column public.postings.document_key is 'The document.';
comment on column public.postings.curated is 'Whether the document tells what helps.';
comment on column public.postings.term is 'The term.';

insert into public.postings (collection_id, term, document_key, frequency, length, curated)
select d.collection_id, t.term, d.key, t.frequency, d.length, public.is_curated(d.metadata)
from public.documents d cross join lateral unnest(d.terms, d.frequencies) as t (term, frequency)
order by d.collection_id, t.term collate "C", d.key;

insert into public.terms (collection_id, term, df)
select p.collection_id, p.term, count(*) from public.postings p group by p.collection_id, p.term;

create or replace function public.index_documents() returns trigger
language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  -- Whoever changes a collection holds its row first, the lowest id first: writers wait for each other and never deadlock.
  if tg_op <> 'INSERT' then
    perform 1 from public.collections c where c.id in (select o.collection_id from old_rows o) order by c.id for update;
    if exists (select 1 from old_rows o where o.length > 0) then
      delete from public.postings p
      using old_rows o cross join lateral unnest(o.terms) as t (term)
      where p.collection_id = o.collection_id and p.term = t.term and p.document_key = o.key;
      with gone as materialized (
        select o.collection_id, t.term, count(*) as documents
        from old_rows o cross join lateral unnest(o.terms) as t (term) group by o.collection_id, t.term
      ),
      forgotten as (
        delete from public.terms s using gone g
        where s.collection_id = g.collection_id and s.term = g.term and s.df = g.documents
      )
      update public.terms s set df = s.df - g.documents from gone g
      where s.collection_id = g.collection_id and s.term = g.term and s.df > g.documents;
    end if;
    update public.collections c
    set document_count = c.document_count - gone.documents, length_total = c.length_total - gone.length
    from (select collection_id, count(*) as documents, sum(length) as length from old_rows group by collection_id) gone
    where c.id = gone.collection_id;
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
    set document_count = c.document_count + come.documents, length_total = c.length_total + come.length
    from (select collection_id, count(*) as documents, sum(length) as length from new_rows group by collection_id) come
    where c.id = come.collection_id;
  end if;
  return null;
end $$;
comment on function public.index_documents() is 'Keeps postings, terms and collection totals equal to documents.';

drop trigger documents_terms_frozen on public.documents;
create trigger documents_terms_frozen before update on public.documents for each row
  when (old.terms is distinct from new.terms or old.frequencies is distinct from new.frequencies
    or old.length is distinct from new.length or old.collection_id is distinct from new.collection_id
    or public.is_curated(old.metadata) is distinct from public.is_curated(new.metadata))
  execute function public.refuse_term_update();

create function public.rank_documents(
  p_collection_id smallint, p_terms text[], p_gains double precision[], p_dfs integer[], p_limit integer,
  p_is_curated boolean, p_flat double precision, p_slope double precision
) returns table (document_key bigint, score double precision)
language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  -- Postings that are read to get a first idea of what the best documents score.
  c_first constant integer := 1500;
  -- Postings that are sooner read than thought about.
  c_cheap constant integer := 12000;
  -- What bounds the work: postings that are read, and documents whose other words are looked up.
  c_postings constant integer := 30000;
  c_candidates constant integer := 3000;
  -- So few documents are not worth a step for each word.
  c_few constant integer := 150;
  -- Sums of another order differ in the last bits.
  c_slack constant double precision := 1 - 1e-9;
  v_terms integer := cardinality(p_terms);
  v_from integer := 1;
  v_to integer := 0;
  v_read bigint := 0;
  v_budget integer := case when (select sum(n) from unnest(p_dfs) as n) <= c_cheap then c_cheap else c_first end;
  v_rest double precision := (select sum(g) from unnest(p_gains) as g);
  v_floor double precision := 0;
  v_keys bigint[] := '{}';
  v_scores double precision[] := '{}';
  v_best bigint[];
begin
  if p_limit < 1 then
    return;
  end if;
  -- Nothing but common words: the documents of which the rarest says most.
  if p_dfs[1] > c_postings then
    select array_agg(d.document_key), array_agg(d.score) into v_keys, v_scores from (
      select p.document_key, p_gains[1] * p.frequency / (p.frequency + p_flat + p_slope * p.length) as score
      from public.postings p
      where p.collection_id = p_collection_id and p.term = p_terms[1] and (p.curated or not p_is_curated)
      order by 2 desc limit c_candidates
    ) d;
    v_from := 2;
    v_to := 1;
    v_read := p_dfs[1];
    v_rest := v_rest - p_gains[1];
  end if;

  loop
    while v_to < v_terms and (v_to = 0 or v_read + p_dfs[v_to + 1] <= v_budget
      or (v_budget = c_cheap and v_rest >= v_floor and v_read + p_dfs[v_to + 1] <= c_postings)) loop
      v_to := v_to + 1;
      v_read := v_read + p_dfs[v_to];
      v_rest := v_rest - p_gains[v_to];
    end loop;
    if v_to >= v_from then
      select array_agg(d.document_key), array_agg(d.score) into v_keys, v_scores from (
        select s.document_key, sum(s.score) as score from (
          select k.document_key, k.score from unnest(v_keys, v_scores) as k (document_key, score)
          union all
          select p.document_key, t.gain * p.frequency / (p.frequency + p_flat + p_slope * p.length)
          from unnest(p_terms[v_from:v_to], p_gains[v_from:v_to]) as t (term, gain)
          join public.postings p on p.collection_id = p_collection_id and p.term = t.term and (p.curated or not p_is_curated)
        ) s
        group by s.document_key having sum(s.score) > (v_floor - v_rest) * c_slack
      ) d;
      v_from := v_to + 1;
    end if;
    exit when v_to = v_terms or v_budget = c_cheap;
    v_budget := c_cheap;
    v_best := array(select k.document_key from unnest(v_keys, v_scores) as k (document_key, score)
      order by k.score desc limit 2 * p_limit);
    v_floor := coalesce((
      select sum(t.gain * p.frequency / (p.frequency + p_flat + p_slope * p.length))
      from unnest(p_terms, p_gains) as t (term, gain)
      join public.postings p on p.collection_id = p_collection_id and p.term = t.term and p.document_key = any (v_best)
      group by p.document_key order by 1 desc offset p_limit - 1 limit 1), 0);
  end loop;

  while v_from <= v_terms loop
    select array_agg(d.document_key), array_agg(d.score) into v_keys, v_scores from (
      select k.document_key, k.score from unnest(v_keys, v_scores) as k (document_key, score)
      where k.score + v_rest > v_floor * c_slack order by k.score desc limit c_candidates
    ) d;
    v_to := case when cardinality(v_keys) > c_few then v_from else v_terms end;
    select array_agg(d.document_key), array_agg(d.score) into v_keys, v_scores from (
      select s.document_key, sum(s.score) as score from (
        select k.document_key, k.score from unnest(v_keys, v_scores) as k (document_key, score)
        union all
        select p.document_key, t.gain * p.frequency / (p.frequency + p_flat + p_slope * p.length)
        from unnest(p_terms[v_from:v_to], p_gains[v_from:v_to]) as t (term, gain)
        join public.postings p on p.collection_id = p_collection_id and p.term = t.term and p.document_key = any (v_keys)
      ) s
      group by s.document_key
    ) d;
    v_rest := v_rest - (select sum(g) from unnest(p_gains[v_from:v_to]) as g);
    v_from := v_to + 1;
  end loop;

  -- Sums of another order differ in the last bits; documents that say the same must not.
  return query
    select k.document_key, round(k.score * 1e12) / 1e12 from unnest(v_keys, v_scores) as k (document_key, score)
    order by 2 desc, 1 limit p_limit;
end $$;
comment on function public.rank_documents(smallint, text[], double precision[], integer[], integer, boolean, double precision, double precision) is
  'The best p_limit documents by BM25, of all or of the curated ones. p_terms are in the collection, the rarest first; p_gains is weight * idf * (k1 + 1) of each, which no posting of it can exceed, p_dfs its documents; p_flat is k1 * (1 - b), p_slope k1 * b / average length. MaxScore (Turtle and Flood, 1995): what is read first are the rare words; documents that cannot reach the best any more, even with all of the rest, are not looked at again. The result is that of the full computation where fewer than 3,000 documents remain in question and the rarest words that decide are in fewer than 30,000; past that, the 3,000 that promised most are. Where every word is in more than 30,000, they are the 3,000 of which the rarest word says most.';

create or replace function public.search_documents(
  p_collection text, p_terms text[], p_limit integer, p_sibling_sources integer default 0, p_resolved_limit integer default 0,
  p_k1 double precision default 1.2, p_b double precision default 0.75
) returns jsonb
language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  v_collection smallint;
  v_average double precision;
  v_count double precision;
  v_statistics jsonb;
  v_corrections jsonb;
  v_terms text[];
  v_gains double precision[];
  v_dfs integer[];
  v_keys bigint[];
  v_scores double precision[];
  v_flat double precision := p_k1 * (1 - p_b);
  v_slope double precision;
  v_reply jsonb;
begin
  select c.id, c.document_count, greatest(c.length_total, 1)::double precision / greatest(c.document_count, 1)
  into v_collection, v_count, v_average
  from public.collections c where c.name = p_collection;
  v_slope := p_k1 * p_b / v_average;

  with asked as materialized (
    select q.term, q.weight, coalesce(t.df, 0) as df
    from (select a.term, 1 + ln(count(*)::double precision) as weight from unnest(p_terms) as a (term) group by a.term) q
    left join public.terms t on t.collection_id = v_collection and t.term = q.term
    where v_collection is not null
  ),
  corrected as materialized (
    select a.term as asked, a.weight * 0.7 as weight, near.term, near.df
    from asked a
    cross join lateral (select case when length(a.term) < 8 then 1 else 2 end as slips) as allowed
    cross join lateral (
      select t.term, t.df from public.terms t
      -- What comes right after z in bytes ends the range; names with digits or punctuation mean what they say.
      where a.df = 0 and a.term ~ '^[a-z]{5,}$'
        and t.collection_id = v_collection and t.term >= left(a.term, 3) and t.term < left(a.term, 3) || '{'
        and length(t.term) between length(a.term) - allowed.slips and length(a.term) + allowed.slips and t.term ~ '^[a-z]+$'
        and extensions.levenshtein_less_equal(t.term, a.term, allowed.slips) <= allowed.slips
      order by extensions.levenshtein_less_equal(t.term, a.term, allowed.slips), t.df desc, t.term
      limit 1
    ) near
  ),
  used as materialized (
    select u.term, max(u.weight) as weight, max(u.df) as df,
      ln(1 + (v_count - max(u.df) + 0.5) / (max(u.df) + 0.5)) as idf
    from (select a.term, a.weight, a.df from asked a union all select c.term, c.weight, c.df from corrected c) u
    group by u.term
  )
  select (select jsonb_object_agg(u.term, jsonb_build_object('df', u.df, 'idf', u.idf)) from used u),
    array_agg(s.term order by s.df, s.term),
    array_agg(s.weight * s.idf * (p_k1 + 1) order by s.df, s.term),
    array_agg(s.df order by s.df, s.term),
    (select jsonb_object_agg(c.asked, c.term) from corrected c)
  into v_statistics, v_terms, v_gains, v_dfs, v_corrections
  from (
    -- The time grows with the words; what a pasted page says beside its most telling ones decides nothing.
    select u.term, u.df, u.weight, u.idf from used u where u.df > 0 order by u.weight * u.idf desc, u.term limit 96
  ) s;

  if v_terms is not null then
    select array_agg(r.document_key), array_agg(r.score) into v_keys, v_scores
    from public.rank_documents(v_collection, v_terms, v_gains, v_dfs, p_limit, false, v_flat, v_slope) r;
    -- The best of those that help are among the best, or have to be looked for.
    if p_resolved_limit > (select count(*) from public.documents d where d.key = any (v_keys) and public.is_curated(d.metadata)) then
      select array_agg(b.document_key), array_agg(b.score) into v_keys, v_scores from (
        select k.document_key, k.score from unnest(v_keys, v_scores) as k (document_key, score)
        union all
        select r.document_key, r.score
        from public.rank_documents(v_collection, v_terms, v_gains, v_dfs, p_resolved_limit, true, v_flat, v_slope) r
        where r.document_key <> all (coalesce(v_keys, '{}'))
      ) b;
    end if;
  end if;

  with ranked as materialized (
    select d.key, d.id, d.source, d.metadata, public.document_json(d) as document, k.score
    from unnest(v_keys, v_scores) as k (document_key, score) join public.documents d on d.key = k.document_key
  ),
  contributions as (
    select p.document_key, jsonb_object_agg(t.term, t.gain * p.frequency / (p.frequency + v_flat + v_slope * p.length)) as terms
    from unnest(v_terms, v_gains) as t (term, gain)
    join public.postings p on p.collection_id = v_collection and p.term = t.term and p.document_key = any (v_keys)
    group by p.document_key
  ),
  best_sources as materialized (
    -- The rest of a log explains nothing.
    select r.source, row_number() over (order by max(r.score) desc, r.source) as rank from ranked r
    where r.source is not null and not r.metadata @> '{"kind": "log"}' group by r.source
  ),
  source_chunks as materialized (
    -- The beginning of a book tells what it is about as well as the whole, in less time.
    select b.rank, o.source, o.key, o.length, o.chunk_index from best_sources b
    cross join lateral (
      select d.source, d.key, d.length, d.chunk_index from public.documents d
      where d.collection_id = v_collection and d.source = b.source order by d.chunk_index limit 40
    ) o
  ),
  whole_sources as materialized (
    select c.source, sum(c.length) as length, array_agg(c.key) as keys,
      -- An introduction of a line is followed by the section that says what the text is about.
      (select left(string_agg(left(d.body, 800), ' ' order by d.chunk_index), 800) from public.documents d
        where d.key = any (array_agg(c.key) filter (where c.chunk_index < 2))) as lead
    from source_chunks c group by c.source
  ),
  siblings as (
    select c.key from source_chunks c where c.rank <= p_sibling_sources and c.key <> all (v_keys)
  )
  select jsonb_build_object(
    'terms', coalesce(v_statistics, '{}'),
    'corrections', coalesce(v_corrections, '{}'),
    'hits', coalesce((
      select jsonb_agg(r.document || jsonb_build_object('score', r.score, 'contributions', c.terms) order by r.score desc, r.key)
      from ranked r join contributions c on c.document_key = r.key), '[]'),
    'siblings', coalesce((
      select jsonb_agg(public.document_json(d) order by d.source, d.chunk_index)
      from siblings s join public.documents d on d.key = s.key), '[]'),
    'sources', coalesce((
      select jsonb_agg(jsonb_build_object('source', s.source, 'length', s.length, 'frequencies', f.frequencies, 'lead', s.lead) order by s.source)
      from whole_sources s
      cross join lateral (
        select coalesce(jsonb_object_agg(t.term, p.frequency) filter (where p.frequency > 0), '{}') as frequencies
        from unnest(v_terms) as t (term)
        cross join lateral (
          select sum(o.frequency) as frequency from public.postings o
          where o.collection_id = v_collection and o.term = t.term and o.document_key = any (s.keys)) p
      ) f), '[]'),
    'owed', array(select o.document_id from public.outbox o
      where o.done_at is null and o.collection = p_collection order by o.id desc limit 1000))
  into v_reply;
  return v_reply;
end $$;
comment on function public.search_documents(text, text[], integer, integer, integer, double precision, double precision) is
  'Okapi BM25 over one collection: the best p_limit documents (rank_documents says how exactly), and of curated ones the best p_resolved_limit, with what each term contributed; of the sources that these are from and that are no logs, by their first 40 chunks: their lengths, how often they hold each term and how they begin; the other ones of these chunks for the best p_sibling_sources; owed are the documents that the vector store does not have as they are by now, the newest 1,000. idf = ln(1 + (N - df + 0.5) / (df + 0.5)), the form that stays positive; a term that the query repeats n times counts 1 + ln(n) times; of more than 96 terms those that say most are searched for. A word of 5 letters or more that the collection does not know also stands, at 0.7 of its weight, for the nearest one that it does know and that begins with the same three letters, one slip away, from 8 letters on two: corrections says which, terms has both.';

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
