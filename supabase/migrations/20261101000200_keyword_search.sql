-- Okapi BM25 ranking over a collection. Its time stays bounded as collections grow: a search reads common terms from the
-- documents that may still be among the best, not from their postings, whose number grows with the collection.

create schema if not exists extensions;
create extension if not exists fuzzystrmatch with schema extensions;
grant usage on schema extensions to service_role, dejavu_restricted;
grant execute on function extensions.levenshtein_less_equal(text, text, integer) to service_role, dejavu_restricted;

create function public.posting_score(
  p_entry bigint, p_gain double precision, p_flat double precision, p_slope double precision
) returns double precision
-- Without "set search_path", so that the planner inlines it; a parsed body needs none.
language sql immutable parallel safe
return p_gain * ((p_entry >> 23) & 32767) / (((p_entry >> 23) & 32767) + p_flat + p_slope * (p_entry >> 38));
comment on function public.posting_score(bigint, double precision, double precision, double precision) is
  'The BM25 score of a term in a document, from the entry of postings; other arguments as for rank_documents. Called by rank_documents.';

create function public.read_postings(p_terms integer[], p_gains double precision[], p_blocks integer[], p_excluded_blocks integer[])
returns table (address bigint, entry bigint, gain double precision)
language sql stable
begin atomic
  select e.block | (e.entry & 8388607), e.entry, e.gain from (
    select p.block_id::bigint << 23 as block, unnest(p.entries) as entry, t.gain
    from unnest(p_terms, p_gains) as t (id, gain) cross join lateral (
      select o.block_id, o.entries from public.postings o where o.term_id = t.id and p_blocks is null
        and o.block_id <> all (p_excluded_blocks)
      union all
      select o.block_id, o.entries from unnest(p_blocks) as b (id) cross join lateral (
        -- "offset 0": looks up each pair. The planner does not know how few they are.
        select i.block_id, i.entries from public.postings i where i.term_id = t.id and i.block_id = b.id offset 0) o
    ) p
  ) e;
end;
comment on function public.read_postings(integer[], double precision[], integer[], integer[]) is
  'The entries of these terms in these blocks, or with null in all but the excluded ones, with the gain of the term and the address of the document: its block, and bits 0 to 22 of the entry. Called by rank_documents.';

create function public.complete_scores(
  p_addresses bigint[], p_scores double precision[], p_words text[], p_gains double precision[],
  p_flat double precision, p_slope double precision
) returns table (address bigint, score double precision)
language sql stable
begin atomic
  select s.address, sum(s.score) from (
    select k.address, k.score from unnest(p_addresses, p_scores) as k (address, score)
    union all
    select e.address, t.gain * e.frequency / (e.frequency + p_flat + p_slope * e.length)
    from (
      select k.address, d.length, unnest(d.terms) as term, unnest(d.frequencies) as frequency
      from unnest(p_addresses) as k (address)
      join public.posting_blocks b on b.id = (k.address >> 23)::integer
      join public.documents d on d.key = b.first_key + (k.address & 4194303)
    ) e
    join unnest(p_words, p_gains) as t (term, gain) on t.term = e.term
  ) s
  group by s.address;
end;
comment on function public.complete_scores(bigint[], double precision[], text[], double precision[], double precision, double precision) is
  'Adds the scores of these terms to the scores of the documents at these addresses (see read_postings). Reads the terms of each document: the postings of a common term hold an entry for most documents of a block, and few of these are wanted. Other arguments as for rank_documents. Called by rank_documents.';

create function public.rank_documents(
  p_terms integer[], p_words text[], p_gains double precision[], p_dfs integer[], p_limit integer, p_curated_limit integer,
  p_flat double precision, p_slope double precision, p_blocks integer[],
  p_excluded_blocks integer[]
) returns table (document_key bigint, score double precision)
language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  -- Postings read for a first estimate of the best scores.
  c_first constant integer := 1500;
  -- Up to this many postings, reading all is cheaper than pruning.
  c_cheap constant integer := 8000;
  -- Upper bounds of the postings read: for the rarer half of the terms, and for all of them.
  c_postings constant integer := 30000;
  c_enough constant integer := 20000;
  -- Documents that are scored in full, for each place in a list.
  c_candidates constant integer := 16;
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
begin
  -- Only common terms: take the documents that score highest for the rarest one.
  if p_dfs[1] > c_postings then
    with scores as materialized (
      select p.address, public.posting_score(p.entry, p.gain, p_flat, p_slope) as score
      from public.read_postings(p_terms[1:1], p_gains[1:1], p_blocks, p_excluded_blocks) p
    )
    select array_agg(d.address), array_agg(d.score) into v_addresses, v_scores from (
      (select s.address, s.score from scores s order by s.score desc limit c_candidates * p_limit)
      union
      (select s.address, s.score from scores s where (s.address & c_curated) > 0
        order by s.score desc limit c_candidates * p_curated_limit)
    ) d;
    v_from := 2;
    v_to := 1;
    v_read := p_dfs[1];
    v_rest := v_rest - p_gains[1];
  end if;

  loop
    while v_to < v_terms and (v_to = 0 or v_read + p_dfs[v_to + 1] <= v_budget
      or (v_budget = c_cheap and v_rest >= least(v_floor, v_curated_floor)
        and v_read + p_dfs[v_to + 1] <= case when v_to < v_terms / 2 then c_postings else c_enough end)) loop
      v_to := v_to + 1;
      v_read := v_read + p_dfs[v_to];
      v_rest := v_rest - p_gains[v_to];
    end loop;
    if v_to >= v_from then
      with sums as materialized (
        select s.address, sum(s.score) as score from (
          select k.address, k.score from unnest(v_addresses, v_scores) as k (address, score)
          union all
          select p.address, public.posting_score(p.entry, p.gain, p_flat, p_slope)
          from public.read_postings(p_terms[v_from:v_to], p_gains[v_from:v_to], p_blocks, p_excluded_blocks) p
        ) s
        group by s.address
      )
      select array_agg(d.address), array_agg(d.score) into v_addresses, v_scores from (
        (select s.address, s.score from sums s where s.score > (v_floor - v_rest) * c_slack
          order by s.score desc limit case when v_budget = c_cheap then c_candidates * p_limit end)
        union
        (select s.address, s.score from sums s where (s.address & c_curated) > 0 and s.score > (v_curated_floor - v_rest) * c_slack
          order by s.score desc limit case when v_budget = c_cheap then c_candidates * p_curated_limit end)
      ) d;
      v_from := v_to + 1;
    end if;
    exit when v_to = v_terms or v_budget = c_cheap;
    v_budget := c_cheap;
    select array_agg(b.address), array_agg(b.score) into v_best, v_best_scores from (
      (select k.address, k.score from unnest(v_addresses, v_scores) as k (address, score)
        order by k.score desc limit 2 * p_limit)
      union
      (select k.address, k.score from unnest(v_addresses, v_scores) as k (address, score) where (k.address & c_curated) > 0
        order by k.score desc limit 2 * p_curated_limit)
    ) b;
    with complete as materialized (
      select c.address, c.score
      from public.complete_scores(v_best, v_best_scores, p_words[v_to + 1:v_terms], p_gains[v_to + 1:v_terms], p_flat, p_slope) c
    )
    select greatest(v_floor, (select c.score from complete c order by 1 desc offset greatest(p_limit - 1, 0) limit 1)),
      greatest(v_curated_floor, (select c.score from complete c where (c.address & c_curated) > 0
        order by 1 desc offset greatest(p_curated_limit - 1, 0) limit 1))
    into v_floor, v_curated_floor;
  end loop;

  if v_from <= v_terms then
    select array_agg(c.address), array_agg(c.score) into v_addresses, v_scores
    from public.complete_scores(v_addresses, v_scores, p_words[v_from:v_terms], p_gains[v_from:v_terms], p_flat, p_slope) c;
  end if;

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
comment on function public.rank_documents(integer[], text[], double precision[], integer[], integer, integer, double precision, double precision, integer[], integer[]) is
  'The best p_limit documents by BM25 and the best p_curated_limit curated ones, in these blocks or in all, without the excluded blocks. p_terms are ids of terms of one collection, the rarest first, p_words the terms. p_gains is weight * idf * (k1 + 1) of each, the upper bound of its score in any document; p_dfs its document frequency; p_flat is k1 * (1 - b), p_slope k1 * b / average length. MaxScore (Turtle and Flood, 1995): rare terms are read first; documents that cannot reach either list even with all remaining terms are dropped. Of the others, the 16 most promising for each place of a list are scored in full, from their own terms. The result equals that of the full computation if no more remain; at 100,000 documents it mostly does. If every term is in more than 30,000 documents, the most promising are those that score highest for the rarest term. Called by search_documents.';

create function public.frequencies_text(p_places integer[], p_frequencies integer[]) returns text
language sql immutable parallel safe set search_path = '' as $$
  select string_agg(case when f.frequency = 1 then f.place::text else f.place || ':' || f.frequency end, ' ' order by f.n)
  from unnest(p_places, p_frequencies) with ordinality as f (place, frequency, n);
$$;
comment on function public.frequencies_text(integer[], integer[]) is
  'How often a text holds terms, by their places from 0: "0 3:2" for the first term once and the fourth twice. The short form is most of what a search returns. Called by search_documents.';

-- A text about several failures is ranked by its topics, a long one by its passages around the hits. Counted as a whole, a runbook of many topics is too long for each of
-- them, and of a very long one only the beginning would count. Domains whose texts are recalled only for reports that their
-- labels or words decide for (only_when_decided) are excluded: a search leaves their blocks of postings out.
create function public.search_documents(
  p_collection text, p_terms text[], p_limit integer, p_k1 double precision, p_b double precision,
  p_sibling_sources integer default 0, p_curated_limit integer default 0, p_domains text[] default null, p_excluded_domains text[] default '{}'
) returns jsonb
language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  -- Chunks of a passage: the chunk of a hit, and as many before as after it.
  c_passage constant integer := 7;
  v_collection smallint;
  v_average double precision;
  v_count double precision;
  v_statistics jsonb;
  -- The place of each of v_terms among the terms of the result.
  v_places integer[];
  v_corrections jsonb;
  v_terms text[];
  v_ids integer[];
  v_gains double precision[];
  v_dfs integer[];
  v_keys bigint[];
  v_scores double precision[];
  v_blocks integer[];
  v_excluded integer[] := array(select b.id from public.posting_blocks b
    join public.collections c on c.id = b.collection_id where c.name = p_collection and b.domain = any (p_excluded_domains));
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
  -- The nearest known word, or the one with two neighbouring letters exchanged. Words with digits or punctuation stay.
  corrected as materialized (
    select a.term as word, a.weight * 0.7 as weight, near.term, near.id, near.df
    from query_terms a
    cross join lateral (select case when length(a.term) < 8 then 1 else 2 end as edits) as allowed
    cross join lateral (
      select t.term, t.id, t.df, 1 as distance
      from generate_series(1, length(a.term) - 1) as letter (place)
      join public.terms t on t.collection_id = v_collection
        and t.term = overlay(a.term placing reverse(substr(a.term, letter.place, 2)) from letter.place)
      where a.df = 0 and a.term ~ '^[a-z]{5,}$'
      union all
      select t.term, t.id, t.df, extensions.levenshtein_less_equal(t.term, a.term, allowed.edits)
      from public.terms t
      -- '{' follows 'z' in byte order and ends the prefix range.
      where a.df = 0 and a.term ~ '^[a-z]{5,}$'
        and t.collection_id = v_collection and t.term >= left(a.term, 3) and t.term < left(a.term, 3) || '{'
        and length(t.term) between length(a.term) - allowed.edits and length(a.term) + allowed.edits and t.term ~ '^[a-z]+$'
        and extensions.levenshtein_less_equal(t.term, a.term, allowed.edits) <= allowed.edits
      order by distance, df desc, term
      limit 1
    ) near
  ),
  used as materialized (
    select u.term, max(u.weight) as weight, max(u.id) as id, max(u.df) as df,
      ln(1 + (v_count - max(u.df) + 0.5) / (max(u.df) + 0.5)) as idf
    from (select a.term, a.weight, a.id, a.df from query_terms a union all select c.term, c.weight, c.id, c.df from corrected c) u
    group by u.term
  ),
  -- In the order of the keys of a jsonb object.
  placed as materialized (
    select u.*, row_number() over (order by octet_length(u.term), u.term collate "C")::integer - 1 as place from used u
  )
  select (select jsonb_build_object('terms', coalesce(jsonb_agg(p.term order by p.place), '[]'),
      'dfs', coalesce(jsonb_agg(p.df order by p.place), '[]'),
      'weights', coalesce(jsonb_agg(p.weight order by p.place), '[]')) from placed p),
    array_agg(s.place order by s.df, s.term),
    array_agg(s.term order by s.df, s.term),
    array_agg(s.id order by s.df, s.term),
    array_agg(s.weight * s.idf * (p_k1 + 1) order by s.df, s.term),
    array_agg(s.df order by s.df, s.term),
    (select jsonb_object_agg(c.word, c.term) from corrected c)
  into v_statistics, v_places, v_terms, v_ids, v_gains, v_dfs, v_corrections
  from (
    -- Time grows with the number of terms; beyond the 96 heaviest, terms of a pasted page do not change the ranking.
    select p.term, p.place, p.id, p.df, p.weight, p.idf from placed p where p.df > 0 order by p.weight * p.idf desc, p.term limit 96
  ) s;

  if v_terms is not null then
    select array_agg(b.document_key), array_agg(b.score) into v_keys, v_scores
    from public.rank_documents(v_ids, v_terms, v_gains, v_dfs, p_limit, p_curated_limit, v_flat, v_slope, null, v_excluded) b;
  end if;
  -- If all of the best documents are within the domains, they are the best within the domains.
  if p_domains is not null
    and exists (select 1 from public.documents d where d.key = any (v_keys) and (d.domain = any (p_domains)) is not true) then
    select coalesce(array_agg(b.id), '{}'), array(select least(t.df, sum(b.document_count)) from unnest(v_dfs) as t (df))
    into v_blocks, v_dfs
    from public.posting_blocks b where b.collection_id = v_collection and b.domain = any (p_domains)
      and b.id <> all (v_excluded);
    select v_keys || array_agg(b.document_key), v_scores || array_agg(b.score) into v_keys, v_scores
    from public.rank_documents(v_ids, v_terms, v_gains, v_dfs, p_limit, p_curated_limit, v_flat, v_slope, v_blocks, v_excluded) b
    where b.document_key <> all (v_keys);
  end if;

  with ranked as materialized (
    select d.key, d.id, d.source, d.metadata ->> 'topic' as topic, d.source || coalesce('#' || (d.metadata ->> 'topic'), '') as text,
      d.chunk_index, d.metadata, d.domain = any (p_domains) as is_in_domains, d.length, k.score
    from unnest(v_keys, v_scores) as k (document_key, score) join public.documents d on d.key = k.document_key
  ),
  best_texts as materialized (
    -- Other chunks of a log explain nothing.
    select r.text, r.source, r.topic, row_number() over (order by max(r.score) desc, r.text) as rank,
      row_number() over (order by max(r.score) filter (where r.is_in_domains) desc nulls last, r.text) as rank_in_domains,
      bool_or(r.is_in_domains) as is_in_domains,
      max((r.metadata ->> 'topic_first')::integer) as first, max((r.metadata ->> 'topic_last')::integer) as last
    from ranked r where r.source is not null and not r.metadata @> '{"kind": "log"}' group by r.text, r.source, r.topic
  ),
  best_sizes as materialized (
    select b.text, b.source, b.topic,
      b.rank <= p_sibling_sources or (b.is_in_domains and b.rank_in_domains <= p_sibling_sources) as is_shown,
      coalesce(b.first, 0) as first,
      coalesce(b.last, (select max(d.chunk_index) from public.documents d
        where d.collection_id = v_collection and d.source = b.source), 0) as last
    from best_texts b
  ),
  -- A text of at most c_passage chunks is one passage.
  passages as materialized (
    select distinct s.text, s.source, s.topic, s.last,
      greatest(s.first, least(coalesce(r.chunk_index, 0) - c_passage / 2, s.last + 1 - c_passage)) as first
    from best_sizes s join ranked r on r.text = s.text
  ),
  passage_chunks as materialized (
    select p.text, p.first, o.key, o.length from passages p cross join lateral (
      select d.key, d.length from public.documents d
      where d.collection_id = v_collection and d.source = p.source
        and d.chunk_index between p.first and least(p.first + c_passage - 1, p.last)
        and d.metadata ->> 'topic' is not distinct from p.topic
      offset 0) o
  ),
  wanted as materialized (
    select r.key from ranked r union select c.key from passage_chunks c
  ),
  matches as materialized (
    select w.key, t.place, e.frequency
    from wanted w join public.documents d on d.key = w.key
    cross join lateral unnest(d.terms, d.frequencies) as e (term, frequency)
    join unnest(v_terms, v_places) as t (term, place) on t.term = e.term
  ),
  hit_frequencies as (
    select m.key, public.frequencies_text(array_agg(m.place order by m.place), array_agg(m.frequency order by m.place)) as text
    from matches m where m.key = any (v_keys) group by m.key
  ),
  frequencies as (
    select c.text, c.first, m.place, sum(m.frequency)::integer as frequency
    from passage_chunks c join matches m on m.key = c.key group by c.text, c.first, m.place
  ),
  passage_frequencies as (
    select f.text, f.first,
      public.frequencies_text(array_agg(f.place order by f.place), array_agg(f.frequency order by f.place)) as frequencies
    from frequencies f group by f.text, f.first
  ),
  passage_lengths as (
    select c.text, c.first, sum(c.length) as length from passage_chunks c group by c.text, c.first
  ),
  text_passages as (
    select l.text, jsonb_agg(jsonb_build_object('first', l.first, 'last', l.first + c_passage - 1, 'length', l.length,
      'frequencies', coalesce(f.frequencies, '')) order by l.first) as passages
    from passage_lengths l left join passage_frequencies f on f.text = l.text and f.first = l.first group by l.text
  ),
  siblings as (
    select o.key from best_sizes s cross join lateral (
      select d.key from public.documents d
      where d.collection_id = v_collection and d.source = s.source and d.chunk_index between s.first and s.last
        and d.metadata ->> 'topic' is not distinct from s.topic order by d.chunk_index limit 40) o
    where s.is_shown and o.key <> all (v_keys)
    union
    select c.key from best_sizes s join passage_chunks c on c.text = s.text where s.is_shown and c.key <> all (v_keys)
  )
  select v_statistics || jsonb_build_object(
    'documents', coalesce(v_count, 0), 'average_length', coalesce(v_average, 1),
    'corrections', coalesce(v_corrections, '{}'),
    'hits', coalesce((
      select jsonb_agg(jsonb_build_array(r.id, r.score, r.length, f.text) order by r.score desc, r.key)
      from ranked r join hit_frequencies f on f.key = r.key), '[]'),
    'siblings', coalesce((
      select jsonb_agg(d.id order by d.source, d.chunk_index)
      from siblings s join public.documents d on d.key = s.key), '[]'),
    'sources', coalesce((
      select jsonb_agg(jsonb_build_object('source', s.source, 'topic', s.topic, 'is_long', s.last - s.first >= c_passage,
        'passages', p.passages) order by s.text)
      from best_sizes s join text_passages p on p.text = s.text), '[]'))
  into v_result;
  return v_result;
end $$;
comment on function public.search_documents(text, text[], integer, double precision, double precision, integer, integer, text[], text[]) is
  'Okapi BM25 over one collection. hits: the best p_limit documents (see rank_documents) and the best p_curated_limit curated ones, each as [id, score, length, frequencies of the terms as frequencies_text writes them]. With p_domains: both lists within these domains, and both of all domains; terms with their dfs and their weights in the query, documents, the number of all, and average_length always cover the collection. p_excluded_domains: domains whose documents are in no list. sources: for each topic of a hit, or its text if that has no topics, except logs, its passages around the hits, of 7 chunks or of all if it has fewer: their length, and how often they hold each term. is_long: it has more chunks than a passage. siblings: the ids of the other chunks of these passages and of the first 40, for the best p_sibling_sources topics, and for the best within p_domains. idf = ln(1 + (N - df + 0.5) / (df + 0.5)), the form that stays positive. A term that the query repeats n times weighs 1 + ln(n). Of more than 96 terms the heaviest are searched. A word of 5 letters or more that the collection does not hold also counts, at 0.7 of its weight, as the nearest word that it holds with the same first three letters, within 1 edit, from 8 letters on within 2: corrections maps the word to it, terms has both. Called by search_collections.';

-- Several collections in one round trip.
create function public.search_collections(p_searches jsonb) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(public.search_documents(s.collection, s.terms, s.top, s.k1, s.b, s.sibling_sources,
    s.curated_top, s.domains, coalesce(s.excluded_domains, '{}')) order by e.n), '[]')
  from jsonb_array_elements(p_searches) with ordinality as e (search, n)
  cross join lateral jsonb_to_record(e.search) as s (collection text, terms text[], top integer, k1 double precision,
    b double precision, sibling_sources integer, curated_top integer, domains text[], excluded_domains text[]);
$$;
comment on function public.search_collections(jsonb) is
  'search_documents for each of [{collection, terms, top, k1, b, sibling_sources, curated_top, domains, excluded_domains}], in this order. Called by hybrid-search.ts.';

call public.restrict_to_service_role();
