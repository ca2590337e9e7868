-- Keyword search that stays quick as collections grow, and tells what a source holds as a whole.

create or replace function public.search_documents(
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
    select c.id as collection_id, t.term, 1 + ln(count(*)::double precision) as weight
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
      join public.documents d on d.key = s.document_key
        and (d.metadata @> '{"resolved": true}' or d.metadata @> '{"kind": "runbook"}')
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
    -- The rest of a log explains nothing.
    where d.source is not null and not d.metadata @> '{"kind": "log"}'
    group by d.collection_id, d.source order by max(r.score) desc, d.source limit p_sibling_sources
  ),
  siblings as (
    select d.key from best_sources b
    cross join lateral (
      select o.key from public.documents o
      where o.collection_id = b.collection_id and o.source = b.source order by o.chunk_index limit 40
    ) d
    where d.key not in (select document_key from ranked)
  ),
  source_chunks as materialized (
    select o.source, o.key, o.length, o.chunk_index, o.body from public.documents o
    where (o.collection_id, o.source) in (
      select d.collection_id, d.source from ranked r join public.documents d on d.key = r.document_key
      where d.source is not null and not d.metadata @> '{"kind": "log"}')
  ),
  source_terms as (
    select s.source, p.term, sum(p.frequency) as frequency
    from collection c cross join term_statistics t cross join source_chunks s
    join public.postings p on p.collection_id = c.id and p.term = t.term and p.document_key = s.key
    group by s.source, p.term
  )
  select jsonb_build_object(
    'average_length', coalesce((select c.average_length from collection c), 0),
    'sources', coalesce((
      select jsonb_agg(jsonb_build_object('source', s.source, 'length', s.length, 'frequencies', coalesce((
          select jsonb_object_agg(t.term, t.frequency) from source_terms t where t.source = s.source), '{}'), 'lead', s.lead) order by s.source)
      from (
        select o.source, sum(o.length) as length,
          left(string_agg(left(o.body, 800), ' ' order by o.chunk_index) filter (where o.chunk_index < 2), 800) as lead
        from source_chunks o group by o.source) s), '[]'),
    'terms', coalesce((select jsonb_object_agg(s.term, jsonb_build_object('df', s.df, 'idf', s.idf)) from term_statistics s), '{}'),
    'hits', coalesce((
      select jsonb_agg(public.document_json(d) || jsonb_build_object('score', r.score, 'contributions', (
          select jsonb_object_agg(t.term, t.value) from contributions t where t.document_key = r.document_key))
        order by r.score desc, d.id)
      from ranked r join public.documents d on d.key = r.document_key), '[]'),
    'siblings', coalesce((
      select jsonb_agg(public.document_json(d) order by d.source, d.chunk_index)
      from siblings s join public.documents d on d.key = s.key), '[]'),
    'owed', array(select o.document_id from public.outbox o
      where o.done_at is null and o.collection = p_collection order by o.id desc limit 1000));
$$;
comment on function public.search_documents(text, text[], integer, integer, integer, double precision, double precision) is
  'Okapi BM25 over one collection: the best p_limit documents and the best p_resolved_limit of those with a resolution or of curated runbooks, with what each term contributed, and the first 40 other chunks of the best p_sibling_sources sources that are no logs; owed are the documents that the vector store does not have as they are by now, the newest 1,000. idf = ln(1 + (N - df + 0.5) / (df + 0.5)), the form that stays positive.';

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
