-- Knowledge that is loaded through the API: what a cluster can run and what runs in it, and the texts that runbooks, notes,
-- logs and postmortems were cut from.

-- "namespace/group/version/kind/name" is longer than the ids before.
alter table public.documents drop constraint documents_id_check;
alter table public.documents add constraint documents_id_check check (length(id) between 1 and 512);

-- What the vector store is owed of one collection is asked at every recall.
create index outbox_open_by_collection on public.outbox (collection, id) where done_at is null;

create table public.sources (
  source text primary key check (source <> ''),
  id text not null unique,
  collection text not null,
  kind text not null check (kind in ('runbook', 'note', 'log', 'postmortem')),
  origin text not null check (origin in ('api', 'folder')),
  title text not null,
  tags text[] not null default '{}',
  bytes integer not null check (bytes >= 0),
  chunks integer not null check (chunks >= 0),
  text text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index sources_of_collection on public.sources (collection, source);
comment on table public.sources is 'The texts that searchable chunks were cut from.';
comment on column public.sources.source is 'Names the text for ever: the ids of its chunks are made from it.';
comment on column public.sources.id is 'The first 16 hex digits of the SHA-256 of `source`.';
comment on column public.sources.collection is 'Where its chunks are.';
comment on column public.sources.kind is 'What it is; all but runbooks age.';
comment on column public.sources.origin is 'How it came: through the API, or from a folder that is loaded as a whole.';
comment on column public.sources.title is 'For people to read.';
comment on column public.sources.tags is 'Words to filter by.';
comment on column public.sources.bytes is 'Size of the text in UTF-8.';
comment on column public.sources.chunks is 'Into how many it was cut.';
comment on column public.sources.text is 'The text, scrubbed; null for one from a folder, where the file is.';
comment on column public.sources.created_at is 'When it first came.';
comment on column public.sources.updated_at is 'When it last became another.';

insert into public.sources (source, id, collection, kind, origin, title, tags, bytes, chunks, created_at, updated_at)
select d.source, left(encode(sha256(convert_to(d.source, 'UTF8')), 'hex'), 16), c.name, 'runbook', 'folder',
  (array_agg(d.title order by d.chunk_index))[1],
  coalesce(string_to_array((array_agg(d.metadata ->> 'tags' order by d.chunk_index))[1], ','), '{}'),
  sum(octet_length(d.body)), count(*), min(d.written_at), max(d.written_at)
from public.documents d
join public.collections c on c.id = d.collection_id
where c.name like 'runbooks-%' and d.source is not null
group by c.name, d.source
on conflict do nothing;

create table public.knowledge_syncs (
  collection text not null,
  sync_id text not null,
  started_at timestamptz not null,
  result jsonb,
  primary key (collection, sync_id)
);
comment on table public.knowledge_syncs is 'Loads of a whole collection: at their end everything leaves that they did not name.';
comment on column public.knowledge_syncs.collection is 'The collection that is loaded.';
comment on column public.knowledge_syncs.sync_id is 'The caller''s name for this load.';
comment on column public.knowledge_syncs.started_at is 'When it first named a document.';
comment on column public.knowledge_syncs.result is 'What it did, once it has ended: upserted, unchanged, deleted.';

create table public.knowledge_stamps (
  collection text not null,
  sync_id text not null,
  document_id text not null,
  outcome text not null check (outcome in ('upserted', 'unchanged', 'rejected')),
  primary key (collection, sync_id, document_id),
  foreign key (collection, sync_id) references public.knowledge_syncs on delete cascade
);
comment on table public.knowledge_stamps is 'The documents that an unfinished load has named.';
comment on column public.knowledge_stamps.collection is 'The collection that is loaded.';
comment on column public.knowledge_stamps.sync_id is 'The load.';
comment on column public.knowledge_stamps.document_id is 'A document that it named.';
comment on column public.knowledge_stamps.outcome is 'What became of it; a rejected one keeps its former version.';

create function public.owe_writes(p_collection text, p_ids text[], p_now timestamptz, p_claim_until timestamptz) returns jsonb
language sql set search_path = '' as $$
  with owed as (
    insert into public.outbox (collection, document_id, created_at, attempts, next_attempt_at)
    select p_collection, t.id, p_now, 1, p_claim_until from unnest(p_ids) as t (id)
    returning *
  )
  select coalesce(jsonb_agg(public.outbox_json(w::public.outbox) order by w.id), '[]') from owed w;
$$;
comment on function public.owe_writes(text, text[], timestamptz, timestamptz) is
  'Owes the vector store documents as they are, claimed by the caller until p_claim_until; returns the debts.';

create function public.forget_documents(p_collection text, p_ids text[], p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
begin
  perform public.delete_documents(p_collection, p_ids);
  return public.owe_writes(p_collection, p_ids, p_now, p_claim_until);
end $$;
comment on function public.forget_documents(text, text[], timestamptz, timestamptz) is
  'Removes documents and owes their removal from the vector store; returns the debts.';

create function public.remember_changed(p_collection text, p_documents jsonb, p_now timestamptz, p_claim_until timestamptz)
returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_collection smallint;
  v_changed jsonb;
  v_changed_ids text[];
  v_same_ids text[];
  v_owed jsonb := '[]';
begin
  insert into public.collections (name) values (p_collection) on conflict (name) do nothing;
  select c.id into strict v_collection from public.collections c where c.name = p_collection for update;
  -- A text that only got other metadata is as old as it was.
  select
    coalesce(jsonb_agg(case when split_part(d.content_hash, '.', 1) = split_part(n.document ->> 'content_hash', '.', 1)
      then n.document || jsonb_build_object('written_at', d.written_at) else n.document end)
      filter (where d.content_hash is distinct from n.document ->> 'content_hash'), '[]'),
    coalesce(array_agg(n.document ->> 'id') filter (where d.content_hash is distinct from n.document ->> 'content_hash'), '{}'),
    coalesce(array_agg(n.document ->> 'id') filter (where d.content_hash = n.document ->> 'content_hash'), '{}')
  into v_changed, v_changed_ids, v_same_ids
  from jsonb_array_elements(p_documents) as n (document)
  left join public.documents d on d.collection_id = v_collection and d.id = n.document ->> 'id';
  if cardinality(v_changed_ids) > 0 then
    perform public.upsert_documents(p_collection, v_changed);
    v_owed := public.owe_writes(p_collection, v_changed_ids, p_now, p_claim_until);
  end if;
  return jsonb_build_object('upserted', v_changed_ids, 'unchanged', v_same_ids, 'owed', v_owed,
    'waiting', exists (select 1 from public.outbox o
      where o.document_id = any (v_same_ids) and o.collection = p_collection and o.done_at is null));
end $$;
comment on function public.remember_changed(text, jsonb, timestamptz, timestamptz) is
  'Stores those of the documents that are new or another by now, and the debts to copy them. Returns the ids of both kinds, the debts, and whether the vector store is still owed one of the unchanged.';

create function public.put_knowledge(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_name text := p ->> 'collection';
  v_sync text := p ->> 'sync_id';
  v_result jsonb;
  v_stored jsonb;
begin
  if v_sync is not null then
    -- Loads that nobody ended.
    delete from public.knowledge_syncs s
    where s.collection = v_name and s.sync_id <> v_sync and s.started_at < v_now - interval '7 days';
    insert into public.knowledge_syncs (collection, sync_id, started_at) values (v_name, v_sync, v_now)
    on conflict do nothing;
    select s.result into v_result from public.knowledge_syncs s where s.collection = v_name and s.sync_id = v_sync for update;
    if v_result is not null then
      return jsonb_build_object('state', 'sync_ended');
    end if;
  end if;
  v_stored := public.remember_changed(v_name, p -> 'documents', v_now, (p ->> 'claim_until')::timestamptz);
  if v_sync is not null then
    insert into public.knowledge_stamps as k (collection, sync_id, document_id, outcome)
    select v_name, v_sync, t.id, t.outcome from (
      select jsonb_array_elements_text(v_stored -> 'upserted') as id, 'upserted' as outcome
      union all select jsonb_array_elements_text(v_stored -> 'unchanged'), 'unchanged'
      union all select jsonb_array_elements_text(p -> 'rejected'), 'rejected') t
    -- What this load wrote once is not merely unchanged because it was sent twice.
    on conflict (collection, sync_id, document_id) do update
    set outcome = case when k.outcome = 'upserted' then k.outcome else excluded.outcome end;
  end if;
  return v_stored || jsonb_build_object('state', 'stored');
end $$;
comment on function public.put_knowledge(jsonb) is
  'Stores documents: {now, claim_until, collection, documents, sync_id?, rejected}; rejected are ids whose document was refused, none of them among the documents. Answers sync_ended where that load has ended, else as remember_changed.';

create function public.end_knowledge_sync(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_name text := p ->> 'collection';
  v_sync public.knowledge_syncs;
  v_gone text[];
  v_owed jsonb := '[]';
begin
  select * into v_sync from public.knowledge_syncs s
  where s.collection = v_name and s.sync_id = p ->> 'sync_id' for update;
  if not found then
    return jsonb_build_object('state', 'unknown');
  end if;
  if v_sync.result is null then
    -- Nobody writes to the collection between the look and the removal.
    perform 1 from public.collections c where c.name = v_name for update;
    v_gone := array(select d.id from public.collections c join public.documents d on d.collection_id = c.id
      where c.name = v_name and not exists (select 1 from public.knowledge_stamps k
        where k.collection = v_name and k.sync_id = v_sync.sync_id and k.document_id = d.id));
    v_owed := public.forget_documents(v_name, v_gone, (p ->> 'now')::timestamptz, (p ->> 'claim_until')::timestamptz);
    select jsonb_build_object('upserted', count(*) filter (where k.outcome = 'upserted'),
      'unchanged', count(*) filter (where k.outcome = 'unchanged'), 'deleted', cardinality(v_gone))
    into v_sync.result
    from public.knowledge_stamps k where k.collection = v_name and k.sync_id = v_sync.sync_id;
    update public.knowledge_syncs s set result = v_sync.result where s.collection = v_name and s.sync_id = v_sync.sync_id;
    delete from public.knowledge_stamps k where k.collection = v_name and k.sync_id = v_sync.sync_id;
  end if;
  return v_sync.result || jsonb_build_object('state', 'ended', 'owed', v_owed,
    'waiting', exists (select 1 from public.outbox o where o.collection = v_name and o.done_at is null
      and not o.id = any (array(select (e ->> 'id')::bigint from jsonb_array_elements(v_owed) e))));
end $$;
comment on function public.end_knowledge_sync(jsonb) is
  'Ends a load: {now, claim_until, collection, sync_id}. Removes every document that it has not named and answers ended, with its counts, the debts, and whether the vector store is owed others; the same again when it is repeated. Answers unknown where no such load has begun.';

create function public.delete_knowledge(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_name text := p ->> 'collection';
  v_gone text[];
begin
  perform 1 from public.collections c where c.name = v_name for update;
  v_gone := array(select d.id from public.collections c join public.documents d on d.collection_id = c.id
    where c.name = v_name and d.id = any (array(select jsonb_array_elements_text(p -> 'ids'))));
  return jsonb_build_object('deleted', v_gone, 'owed',
    public.forget_documents(v_name, v_gone, (p ->> 'now')::timestamptz, (p ->> 'claim_until')::timestamptz));
end $$;
comment on function public.delete_knowledge(jsonb) is
  'Removes documents by id: {now, claim_until, collection, ids}. Returns the ids that there were, and the debts.';

create function public.chunk_ids(p_collection text, p_source text) returns text[]
language sql stable set search_path = '' as $$
  select array(select d.id from public.collections c join public.documents d on d.collection_id = c.id
    where c.name = p_collection and d.source = p_source order by d.chunk_index);
$$;
comment on function public.chunk_ids(text, text) is 'Ids of the chunks of a source, in its order.';

create function public.put_source(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_new public.sources := jsonb_populate_record(null::public.sources, p -> 'source');
  v_known public.sources;
  v_created boolean;
  v_stored jsonb;
  v_gone text[];
  v_removed integer := 0;
  v_owed jsonb := '[]';
begin
  v_new.created_at := v_now;
  v_new.updated_at := v_now;
  insert into public.sources select v_new.* on conflict (source) do nothing;
  v_created := found;
  select * into v_known from public.sources s where s.source = v_new.source for update;
  if not found then
    raise exception 'the source was removed at this moment' using errcode = 'serialization_failure';
  end if;
  if (v_known.kind = 'runbook') <> (v_new.kind = 'runbook') then
    return jsonb_build_object('state', 'taken', 'kind', v_known.kind);
  end if;
  if not (p ->> 'moves')::boolean then
    v_new.collection := v_known.collection;
  end if;
  if v_known.collection <> v_new.collection then
    v_gone := public.chunk_ids(v_known.collection, v_new.source);
    v_removed := cardinality(v_gone);
    v_owed := public.forget_documents(v_known.collection, v_gone, v_now, v_claim_until);
  end if;
  v_stored := public.remember_changed(v_new.collection, p -> 'documents', v_now, v_claim_until);
  v_gone := array(select t.id from unnest(public.chunk_ids(v_new.collection, v_new.source)) as t (id)
    where t.id not in (select e ->> 'id' from jsonb_array_elements(p -> 'documents') e));
  v_removed := v_removed + cardinality(v_gone);
  v_owed := v_owed || (v_stored -> 'owed') || public.forget_documents(v_new.collection, v_gone, v_now, v_claim_until);
  update public.sources s
  set collection = v_new.collection, kind = v_new.kind, origin = v_new.origin, title = v_new.title, tags = v_new.tags,
    bytes = v_new.bytes, chunks = v_new.chunks, text = v_new.text, updated_at = v_now
  where s.source = v_new.source
    and (s.collection, s.kind, s.origin, s.title, s.tags, s.text)
      is distinct from (v_new.collection, v_new.kind, v_new.origin, v_new.title, v_new.tags, v_new.text);
  return jsonb_build_object('state', 'stored', 'created', v_created, 'moved', v_known.collection <> v_new.collection,
    'source', (select to_jsonb(s) - 'text' from public.sources s where s.source = v_new.source),
    'upserted', jsonb_array_length(v_stored -> 'upserted'), 'unchanged', jsonb_array_length(v_stored -> 'unchanged'),
    'removed', v_removed, 'waiting', v_stored -> 'waiting', 'owed', v_owed);
end $$;
comment on function public.put_source(jsonb) is
  'Stores a text and its chunks in place of those that it had: {now, claim_until, source: row, documents, moves}; with moves it goes to the collection that the row names, else it stays where it is. Answers taken where a runbook has the name of another kind of text or the other way round, else what became of its chunks, and the debts.';

create function public.delete_source(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_source public.sources;
  v_gone text[];
begin
  delete from public.sources s
  where s.id = p ->> 'id' and s.kind = any (array(select jsonb_array_elements_text(p -> 'kinds')))
  returning * into v_source;
  if not found then
    return jsonb_build_object('state', 'not_found');
  end if;
  v_gone := public.chunk_ids(v_source.collection, v_source.source);
  return jsonb_build_object('state', 'deleted', 'owed', public.forget_documents(v_source.collection, v_gone,
    (p ->> 'now')::timestamptz, (p ->> 'claim_until')::timestamptz));
end $$;
comment on function public.delete_source(jsonb) is
  'Removes a text and its chunks: {now, claim_until, id, kinds}. Answers not_found where there is none of these kinds, else deleted with the debts.';

create function public.get_source(p_id text, p_kinds text[]) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(s) || jsonb_build_object('sections', (
    select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'heading_path', d.heading_path, 'body', d.body)
      order by d.chunk_index), '[]')
    from public.collections c join public.documents d on d.collection_id = c.id
    where c.name = s.collection and d.source = s.source))
  from public.sources s where s.id = p_id and s.kind = any (p_kinds);
$$;
comment on function public.get_source(text, text[]) is 'A text with its chunks in their order; null where there is none of these kinds.';

create function public.list_sources(
  p_limit integer, p_kinds text[], p_after text default null, p_collection text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(s) - 'text' from public.sources s
  where s.kind = any (p_kinds) and (p_after is null or s.source > p_after) and (p_collection is null or s.collection = p_collection)
  order by s.source limit p_limit;
$$;
comment on function public.list_sources(integer, text[], text, text) is 'Texts by name, without what they say, a page after p_after.';

create function public.api_sources(p_collection text, p_sources text[]) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(s.source order by s.source), '[]') from public.sources s
  where s.origin = 'api' and (s.collection = p_collection or s.source = any (p_sources));
$$;
comment on function public.api_sources(text, text[]) is
  'Names of what came through the API into a collection, and of those of p_sources that did so anywhere.';

create function public.record_folder_sources(p_collection text, p_sources jsonb, p_now timestamptz) returns void
language plpgsql set search_path = '' as $$
begin
  insert into public.sources as s (source, id, collection, kind, origin, title, tags, bytes, chunks, created_at, updated_at)
  select n.source, n.id, p_collection, 'runbook', 'folder', n.title, n.tags, n.bytes, n.chunks, p_now, p_now
  from jsonb_populate_recordset(null::public.sources, p_sources) n
  on conflict (source) do update
  set title = excluded.title, tags = excluded.tags, bytes = excluded.bytes, chunks = excluded.chunks, updated_at = p_now
  where s.origin = 'folder' and (s.title, s.tags, s.bytes, s.chunks)
    is distinct from (excluded.title, excluded.tags, excluded.bytes, excluded.chunks);
  delete from public.sources s
  where s.collection = p_collection and s.origin = 'folder'
    and s.source not in (select n.source from jsonb_populate_recordset(null::public.sources, p_sources) n);
end $$;
comment on function public.record_folder_sources(text, jsonb, timestamptz) is
  'Makes the list of a collection''s texts from a folder equal to p_sources: rows with source, id, title, tags, bytes, chunks. What came through the API stays as it is.';

-- Long logs and notes must not keep runbooks out, nor come along with all that they say.

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
