-- Keyword index and Okapi BM25 ranking over a collection. Its time stays bounded as collections grow.

create schema if not exists extensions;
create extension if not exists fuzzystrmatch with schema extensions;
grant usage on schema extensions to service_role;
grant execute on function extensions.levenshtein_less_equal(text, text, integer) to service_role;

create function public.rank_documents(
  p_collection_id smallint, p_terms text[], p_gains double precision[], p_dfs integer[], p_limit integer,
  p_is_curated boolean, p_flat double precision, p_slope double precision
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
  -- Only common terms: take the documents that score highest for the rarest one.
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

  -- Sums in another order differ in the last bits. Rounding gives equal documents equal scores.
  return query
    select k.document_key, round(k.score * 1e12) / 1e12 from unnest(v_keys, v_scores) as k (document_key, score)
    order by 2 desc, 1 limit p_limit;
end $$;
comment on function public.rank_documents(smallint, text[], double precision[], integer[], integer, boolean, double precision, double precision) is
  'The best p_limit documents by BM25, among all or the curated ones. p_terms exist in the collection, the rarest first. p_gains is weight * idf * (k1 + 1) of each, the upper bound of its score in any document; p_dfs its document frequency; p_flat is k1 * (1 - b), p_slope k1 * b / average length. MaxScore (Turtle and Flood, 1995): rare terms are read first; documents that cannot reach the best even with all remaining terms are dropped. The result equals that of the full computation if fewer than 3,000 documents remain candidates and the rarest decisive terms are in fewer than 30,000 documents. Beyond that, the 3,000 most promising candidates are ranked. If every term is in more than 30,000, they are the 3,000 that score highest for the rarest term.';

create function public.search_documents(
  p_collection text, p_terms text[], p_limit integer, p_k1 double precision, p_b double precision,
  p_sibling_sources integer default 0, p_curated_limit integer default 0
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
  v_result jsonb;
begin
  select c.id, c.document_count, greatest(c.length_total, 1)::double precision / greatest(c.document_count, 1)
  into v_collection, v_count, v_average
  from public.collections c where c.name = p_collection;
  v_slope := p_k1 * p_b / v_average;

  with query_terms as materialized (
    select q.term, q.weight, coalesce(t.df, 0) as df
    from (select a.term, 1 + ln(count(*)::double precision) as weight from unnest(p_terms) as a (term) group by a.term) q
    left join public.terms t on t.collection_id = v_collection and t.term = q.term
    where v_collection is not null
  ),
  corrected as materialized (
    select a.term as word, a.weight * 0.7 as weight, near.term, near.df
    from query_terms a
    cross join lateral (select case when length(a.term) < 8 then 1 else 2 end as edits) as allowed
    cross join lateral (
      select t.term, t.df from public.terms t
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
    select u.term, max(u.weight) as weight, max(u.df) as df,
      ln(1 + (v_count - max(u.df) + 0.5) / (max(u.df) + 0.5)) as idf
    from (select a.term, a.weight, a.df from query_terms a union all select c.term, c.weight, c.df from corrected c) u
    group by u.term
  )
  select (select jsonb_object_agg(u.term, jsonb_build_object('df', u.df, 'idf', u.idf)) from used u),
    array_agg(s.term order by s.df, s.term),
    array_agg(s.weight * s.idf * (p_k1 + 1) order by s.df, s.term),
    array_agg(s.df order by s.df, s.term),
    (select jsonb_object_agg(c.word, c.term) from corrected c)
  into v_statistics, v_terms, v_gains, v_dfs, v_corrections
  from (
    -- Time grows with the number of terms; beyond the 96 heaviest, terms of a pasted page do not change the ranking.
    select u.term, u.df, u.weight, u.idf from used u where u.df > 0 order by u.weight * u.idf desc, u.term limit 96
  ) s;

  if v_terms is not null then
    select array_agg(r.document_key), array_agg(r.score) into v_keys, v_scores
    from public.rank_documents(v_collection, v_terms, v_gains, v_dfs, p_limit, false, v_flat, v_slope) r;
    -- Search curated documents separately only if the best documents hold too few of them.
    if p_curated_limit > (select count(*) from public.documents d where d.key = any (v_keys) and public.is_curated(d.metadata)) then
      select array_agg(b.document_key), array_agg(b.score) into v_keys, v_scores from (
        select k.document_key, k.score from unnest(v_keys, v_scores) as k (document_key, score)
        union all
        select r.document_key, r.score
        from public.rank_documents(v_collection, v_terms, v_gains, v_dfs, p_curated_limit, true, v_flat, v_slope) r
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
    -- Other chunks of a log explain nothing.
    select r.source, row_number() over (order by max(r.score) desc, r.source) as rank from ranked r
    where r.source is not null and not r.metadata @> '{"kind": "log"}' group by r.source
  ),
  source_chunks as materialized (
    -- The first 40 chunks describe a long text as well as all of it, in less time.
    select b.rank, o.source, o.key, o.length, o.chunk_index from best_sources b
    cross join lateral (
      select d.source, d.key, d.length, d.chunk_index from public.documents d
      where d.collection_id = v_collection and d.source = b.source order by d.chunk_index limit 40
    ) o
  ),
  whole_sources as materialized (
    select c.source, sum(c.length) as length, array_agg(c.key) as keys,
      -- Two chunks: a one-line introduction is followed by the section that describes the text.
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
    'pending', array(select o.document_id from public.outbox o
      where o.done_at is null and o.collection = p_collection order by o.id desc limit 1000))
  into v_result;
  return v_result;
end $$;
comment on function public.search_documents(text, text[], integer, double precision, double precision, integer, integer) is
  'Okapi BM25 over one collection. hits: the best p_limit documents (see rank_documents), and the best p_curated_limit curated ones, with the contribution of each term. sources: for each source of a hit except logs, by its first 40 chunks, their length, how often they hold each term, and their beginning. siblings: the other ones of these chunks, for the best p_sibling_sources. pending: the newest 1,000 documents with a pending index write. idf = ln(1 + (N - df + 0.5) / (df + 0.5)), the form that stays positive. A term that the query repeats n times weighs 1 + ln(n). Of more than 96 terms the heaviest are searched. A word of 5 letters or more that the collection does not hold also counts, at 0.7 of its weight, as the nearest word that it holds with the same first three letters, within 1 edit, from 8 letters on within 2: corrections maps the word to it, terms has both.';

call public.restrict_to_service_role();
