-- A long text is ranked by its passages around the hits. Counted as a whole, a runbook of many topics is too long for each of
-- them, and of a very long one only the beginning was counted.

create or replace function public.search_documents(
  p_collection text, p_terms text[], p_limit integer, p_k1 double precision, p_b double precision,
  p_sibling_sources integer default 0, p_curated_limit integer default 0, p_domains text[] default null
) returns jsonb
language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  -- Chunks of a passage: the chunk of a hit, and as many before as after it.
  c_passage constant integer := 7;
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
    select d.key, d.block_id, d.id, d.source, d.chunk_index, d.metadata, d.domain = any (p_domains) as is_in_domains, public.document_json(d) as document, k.score
    from unnest(v_keys, v_scores) as k (document_key, score) join public.documents d on d.key = k.document_key
  ),
  best_sources as materialized (
    -- Other chunks of a log explain nothing.
    select r.source, row_number() over (order by max(r.score) desc, r.source) as rank,
      row_number() over (order by max(r.score) filter (where r.is_in_domains) desc nulls last, r.source) as rank_in_domains,
      bool_or(r.is_in_domains) as is_in_domains
    from ranked r where r.source is not null and not r.metadata @> '{"kind": "log"}' group by r.source
  ),
  best_sizes as materialized (
    select b.source, b.rank <= p_sibling_sources or (b.is_in_domains and b.rank_in_domains <= p_sibling_sources) as is_shown,
      coalesce((select max(d.chunk_index) from public.documents d
        where d.collection_id = v_collection and d.source = b.source), 0) + 1 as chunk_count
    from best_sources b
  ),
  -- A text of at most c_passage chunks is one passage.
  passages as materialized (
    select distinct s.source, greatest(0, least(coalesce(r.chunk_index, 0) - c_passage / 2, s.chunk_count - c_passage)) as first
    from best_sizes s join ranked r on r.source = s.source
  ),
  passage_chunks as materialized (
    select p.source, p.first, o.key, o.block_id, o.length from passages p cross join lateral (
      select d.key, d.block_id, d.length from public.documents d
      where d.collection_id = v_collection and d.source = p.source and d.chunk_index between p.first and p.first + c_passage - 1
      offset 0) o
  ),
  wanted as materialized (
    select r.key, r.block_id from ranked r union select c.key, c.block_id from passage_chunks c
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
    select c.source, c.first, m.n, sum((m.entry >> 23) & 32767) as frequency
    from passage_chunks c join matches m on m.key = c.key group by c.source, c.first, m.n
  ),
  passage_frequencies as (
    select f.source, f.first, jsonb_object_agg(v_terms[f.n], f.frequency) as frequencies from frequencies f group by f.source, f.first
  ),
  passage_lengths as (
    select c.source, c.first, sum(c.length) as length from passage_chunks c group by c.source, c.first
  ),
  source_passages as (
    select l.source, jsonb_agg(jsonb_build_object('first', l.first, 'last', l.first + c_passage - 1, 'length', l.length,
      'frequencies', coalesce(f.frequencies, '{}')) order by l.first) as passages
    from passage_lengths l left join passage_frequencies f on f.source = l.source and f.first = l.first group by l.source
  ),
  siblings as (
    select o.key from best_sizes s cross join lateral (
      select d.key from public.documents d
      where d.collection_id = v_collection and d.source = s.source order by d.chunk_index limit 40) o
    where s.is_shown and o.key <> all (v_keys)
    union
    select c.key from best_sizes s join passage_chunks c on c.source = s.source where s.is_shown and c.key <> all (v_keys)
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
      select jsonb_agg(jsonb_build_object('source', s.source, 'is_long', s.chunk_count > c_passage, 'passages', p.passages, 'lead', (
        -- Two chunks: a one-line introduction is followed by the section that describes the text.
        select coalesce(left(string_agg(left(d.body, 800), ' ' order by d.chunk_index), 800), '') from public.documents d
        where d.collection_id = v_collection and d.source = s.source and d.chunk_index < 2)) order by s.source)
      from best_sizes s join source_passages p on p.source = s.source), '[]'),
    'pending', array(select o.document_id from public.outbox o
      where o.done_at is null and o.collection = p_collection order by o.id desc limit 1000))
  into v_result;
  return v_result;
end $$;
comment on function public.search_documents(text, text[], integer, double precision, double precision, integer, integer, text[]) is
  'Okapi BM25 over one collection. hits: the best p_limit documents (see rank_documents), and the best p_curated_limit curated ones, with the contribution of each term. With p_domains: both lists within these domains, and both of all domains; statistics of terms always cover the collection. sources: for each source of a hit except logs, its beginning, and its passages around the hits, of 7 chunks or of all if it has fewer: their length, and how often they hold each term. is_long: it has more chunks than a passage. siblings: the other chunks of these passages and of the first 40, for the best p_sibling_sources, and for the best within p_domains. pending: the newest 1,000 documents with a pending index write. idf = ln(1 + (N - df + 0.5) / (df + 0.5)), the form that stays positive. A term that the query repeats n times weighs 1 + ln(n). Of more than 96 terms the heaviest are searched. A word of 5 letters or more that the collection does not hold also counts, at 0.7 of its weight, as the nearest word that it holds with the same first three letters, within 1 edit, from 8 letters on within 2: corrections maps the word to it, terms has both.';
