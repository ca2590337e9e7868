-- Texts that runbooks, notes, logs and postmortems are cut from, and the cluster inventory: the capabilities of a cluster
-- and the objects in it.

create table public.sources (
  source text primary key check (source <> ''),
  id text not null unique,
  collection text not null,
  kind text not null check (kind ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  origin text not null check (origin in ('api', 'folder', 'built_in')),
  title text not null,
  tags text[] not null default '{}',
  bytes integer not null check (bytes >= 0),
  chunks integer not null check (chunks >= 0),
  text text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index sources_of_collection on public.sources (collection, source);
comment on table public.sources is 'The texts that searchable chunks are cut from.';
comment on column public.sources.source is 'The permanent name of the text: the ids of its chunks are derived from it.';
comment on column public.sources.id is 'The first 16 hex digits of the SHA-256 of `source`.';
comment on column public.sources.collection is 'The collection of its chunks.';
comment on column public.sources.kind is 'The kind of text, for example runbook; all but runbooks age.';
comment on column public.sources.origin is
  'Where it came from: the API, a folder of the operator, or the runbooks that ship with Dejavu. An earlier one in this list replaces a later one of the same name.';
comment on column public.sources.title is 'The title.';
comment on column public.sources.tags is 'Words to filter by.';
comment on column public.sources.bytes is 'Size of the text in UTF-8.';
comment on column public.sources.chunks is 'Number of chunks.';
comment on column public.sources.text is 'The text, redacted; null for one from a folder, which holds the file.';
comment on column public.sources.created_at is 'When it was first stored.';
comment on column public.sources.updated_at is 'When it last changed.';

create function public.chunk_ids(p_collection text, p_source text) returns text[]
language sql stable set search_path = '' as $$
  select array(select d.id from public.collections c join public.documents d on d.collection_id = c.id
    where c.name = p_collection and d.source = p_source order by d.chunk_index);
$$;
comment on function public.chunk_ids(text, text) is 'Ids of the chunks of a source, in order.';

create function public.put_source(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_new public.sources := jsonb_populate_record(null::public.sources, p -> 'source');
  v_existing public.sources;
  v_created boolean;
  v_stored jsonb;
  v_removed_ids text[];
  v_removed integer := 0;
  v_pending jsonb := '[]';
begin
  v_new.created_at := v_now;
  v_new.updated_at := v_now;
  insert into public.sources select v_new.* on conflict (source) do nothing;
  v_created := found;
  select * into v_existing from public.sources s where s.source = v_new.source for update;
  if not found then
    raise exception 'the source was removed at this moment' using errcode = 'serialization_failure';
  end if;
  if (v_existing.kind = 'runbook') <> (v_new.kind = 'runbook') then
    return jsonb_build_object('state', 'taken', 'kind', v_existing.kind);
  end if;
  if not (p ->> 'moves')::boolean then
    v_new.collection := v_existing.collection;
  end if;
  if v_existing.collection <> v_new.collection then
    v_removed_ids := public.chunk_ids(v_existing.collection, v_new.source);
    v_removed := cardinality(v_removed_ids);
    v_pending := public.delete_indexed_documents(v_existing.collection, v_removed_ids, v_now, v_claim_until);
  end if;
  v_stored := public.store_changed_documents(v_new.collection, p -> 'documents', v_now, v_claim_until);
  v_removed_ids := array(select t.id from unnest(public.chunk_ids(v_new.collection, v_new.source)) as t (id)
    where t.id not in (select e ->> 'id' from jsonb_array_elements(p -> 'documents') e));
  v_removed := v_removed + cardinality(v_removed_ids);
  v_pending := v_pending || (v_stored -> 'pending') || public.delete_indexed_documents(v_new.collection, v_removed_ids, v_now, v_claim_until);
  update public.sources s
  set collection = v_new.collection, kind = v_new.kind, origin = v_new.origin, title = v_new.title, tags = v_new.tags,
    bytes = v_new.bytes, chunks = v_new.chunks, text = v_new.text, updated_at = v_now
  where s.source = v_new.source
    and (s.collection, s.kind, s.origin, s.title, s.tags, s.text)
      is distinct from (v_new.collection, v_new.kind, v_new.origin, v_new.title, v_new.tags, v_new.text);
  return jsonb_build_object('state', 'stored', 'created', v_created, 'moved', v_existing.collection <> v_new.collection,
    'source', (select to_jsonb(s) - 'text' from public.sources s where s.source = v_new.source),
    'upserted', jsonb_array_length(v_stored -> 'upserted'), 'unchanged', jsonb_array_length(v_stored -> 'unchanged'),
    'removed', v_removed, 'waiting', v_stored -> 'waiting', 'pending', v_pending);
end $$;
comment on function public.put_source(jsonb) is
  'Stores a text and replaces its chunks: {now, claim_until, source: row, documents, moves}. With moves it goes to the collection of the row, otherwise it stays in its own. Returns state taken if a runbook has the name of another kind of text or the reverse, else stored with the counts of its chunks and the outbox entries.';

create function public.get_source(p_id text, p_kinds text[]) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(s) || jsonb_build_object('sections', (
    select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'heading_path', d.heading_path, 'body', d.body)
      order by d.chunk_index), '[]')
    from public.collections c join public.documents d on d.collection_id = c.id
    where c.name = s.collection and d.source = s.source))
  from public.sources s where s.id = p_id and s.kind = any (p_kinds);
$$;
comment on function public.get_source(text, text[]) is
  'A text with its chunks in order; null if there is none of these kinds.';

create function public.list_sources(
  p_limit integer, p_kinds text[], p_after text default null, p_collection text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(s) - 'text' from public.sources s
  where s.kind = any (p_kinds) and (p_after is null or s.source > p_after) and (p_collection is null or s.collection = p_collection)
  order by s.source limit p_limit;
$$;
comment on function public.list_sources(integer, text[], text, text) is
  'Texts by name without their content, a page after p_after.';

create function public.delete_source(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_source public.sources;
  v_removed_ids text[];
begin
  delete from public.sources s
  where s.id = p ->> 'id' and s.kind = any (array(select jsonb_array_elements_text(p -> 'kinds')))
    and (p ->> 'origin' is null or s.origin = p ->> 'origin')
  returning * into v_source;
  if not found then
    return jsonb_build_object('state', 'not_found');
  end if;
  v_removed_ids := public.chunk_ids(v_source.collection, v_source.source);
  return jsonb_build_object('state', 'deleted', 'pending', public.delete_indexed_documents(v_source.collection, v_removed_ids,
    (p ->> 'now')::timestamptz, (p ->> 'claim_until')::timestamptz));
end $$;
comment on function public.delete_source(jsonb) is
  'Deletes a text and its chunks: {now, claim_until, id, kinds, origin?}; with origin, only a text of that origin. Returns state not_found, or deleted with the outbox entries.';

create function public.source_origins(p_sources text[]) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_object_agg(s.source, s.origin), '{}') from public.sources s where s.source = any (p_sources);
$$;
comment on function public.source_origins(text[]) is 'The origin of each of these texts that exists, by name.';

create function public.record_folder_sources(p_collection text, p_origin text, p_sources jsonb, p_now timestamptz) returns void
language plpgsql set search_path = '' as $$
begin
  insert into public.sources as s (source, id, collection, kind, origin, title, tags, bytes, chunks, created_at, updated_at)
  select n.source, n.id, p_collection, 'runbook', p_origin, n.title, n.tags, n.bytes, n.chunks, p_now, p_now
  from jsonb_populate_recordset(null::public.sources, p_sources) n
  on conflict (source) do update
  set origin = excluded.origin, title = excluded.title, tags = excluded.tags, bytes = excluded.bytes, chunks = excluded.chunks,
    updated_at = p_now
  where s.origin in ('built_in', excluded.origin) and (s.origin, s.title, s.tags, s.bytes, s.chunks)
    is distinct from (excluded.origin, excluded.title, excluded.tags, excluded.bytes, excluded.chunks);
end $$;
comment on function public.record_folder_sources(text, text, jsonb, timestamptz) is
  'Stores texts of a folder: rows with source, id, title, tags, bytes, chunks. A text that came through the API is not changed, nor, for built_in, one from a folder.';

create function public.runbook_sections(p_collection text, p_names text[]) returns jsonb
language sql stable set search_path = '' as $$
  with named as (
    select d.source, min(case
        when lower(regexp_replace(d.source, '\.md$', '')) = n.name then n.place
        when lower(regexp_replace(d.source, '^.*/|\.md$', '', 'g')) = n.name then n.place
      end) as place
    from public.collections c
    join public.documents d on d.collection_id = c.id and d.source is not null
    cross join unnest(p_names) with ordinality as n (name, place)
    where c.name = p_collection
    group by d.source
  )
  select coalesce(jsonb_agg(public.document_json(d) order by d.chunk_index), '[]')
  from public.collections c
  join public.documents d on d.collection_id = c.id
  where c.name = p_collection
    and d.source = (select n.source from named n where n.place is not null order by n.place, n.source limit 1);
$$;
comment on function public.runbook_sections(text, text[]) is
  'All sections of the first existing runbook among these names; a name is the lower-case source without .md, or its last part.';

-- The cluster inventory.

create table public.inventory_syncs (
  collection text not null,
  sync_id text not null,
  started_at timestamptz not null,
  result jsonb,
  primary key (collection, sync_id)
);
comment on table public.inventory_syncs is 'Syncs of a whole collection: finishing one deletes every document that it did not include.';
comment on column public.inventory_syncs.collection is 'The collection.';
comment on column public.inventory_syncs.sync_id is 'The caller''s id of the sync.';
comment on column public.inventory_syncs.started_at is 'When it first sent a document.';
comment on column public.inventory_syncs.result is 'Its counts, once it has finished: upserted, unchanged, deleted.';

create table public.inventory_sync_documents (
  collection text not null,
  sync_id text not null,
  document_id text not null,
  outcome text not null check (outcome in ('upserted', 'unchanged', 'rejected')),
  primary key (collection, sync_id, document_id),
  foreign key (collection, sync_id) references public.inventory_syncs on delete cascade
);
comment on table public.inventory_sync_documents is 'The documents that an unfinished sync has sent.';
comment on column public.inventory_sync_documents.collection is 'The collection.';
comment on column public.inventory_sync_documents.sync_id is 'The sync.';
comment on column public.inventory_sync_documents.document_id is 'A document that it sent.';
comment on column public.inventory_sync_documents.outcome is 'What happened to it; a rejected one keeps its stored version.';

create function public.put_inventory(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_collection text := p ->> 'collection';
  v_sync text := p ->> 'sync_id';
  v_result jsonb;
  v_stored jsonb;
begin
  if v_sync is not null then
    -- Delete syncs that were never finished.
    delete from public.inventory_syncs s
    where s.collection = v_collection and s.sync_id <> v_sync and s.started_at < v_now - interval '7 days';
    insert into public.inventory_syncs (collection, sync_id, started_at) values (v_collection, v_sync, v_now)
    on conflict do nothing;
    select s.result into v_result from public.inventory_syncs s where s.collection = v_collection and s.sync_id = v_sync for update;
    if v_result is not null then
      return jsonb_build_object('state', 'sync_ended');
    end if;
  end if;
  v_stored := public.store_changed_documents(v_collection, p -> 'documents', v_now, (p ->> 'claim_until')::timestamptz);
  if v_sync is not null then
    insert into public.inventory_sync_documents as k (collection, sync_id, document_id, outcome)
    select v_collection, v_sync, t.id, t.outcome from (
      select jsonb_array_elements_text(v_stored -> 'upserted') as id, 'upserted' as outcome
      union all select jsonb_array_elements_text(v_stored -> 'unchanged'), 'unchanged'
      union all select jsonb_array_elements_text(p -> 'rejected'), 'rejected') t
    -- A document that this sync wrote stays upserted when it is sent again.
    on conflict (collection, sync_id, document_id) do update
    set outcome = case when k.outcome = 'upserted' then k.outcome else excluded.outcome end;
  end if;
  return v_stored || jsonb_build_object('state', 'stored');
end $$;
comment on function public.put_inventory(jsonb) is
  'Stores documents: {now, claim_until, collection, documents, sync_id?, rejected}; rejected are ids of refused documents, none of them among the documents. Returns state sync_ended if the sync has finished, else stored and the result of store_changed_documents.';

create function public.finish_inventory_sync(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_collection text := p ->> 'collection';
  v_sync public.inventory_syncs;
  v_removed_ids text[];
  v_pending jsonb := '[]';
begin
  select * into v_sync from public.inventory_syncs s
  where s.collection = v_collection and s.sync_id = p ->> 'sync_id' for update;
  if not found then
    return jsonb_build_object('state', 'unknown');
  end if;
  if v_sync.result is null then
    -- Block writes to the collection between the query and the deletion.
    perform 1 from public.collections c where c.name = v_collection for update;
    v_removed_ids := array(select d.id from public.collections c join public.documents d on d.collection_id = c.id
      where c.name = v_collection and not exists (select 1 from public.inventory_sync_documents k
        where k.collection = v_collection and k.sync_id = v_sync.sync_id and k.document_id = d.id));
    v_pending := public.delete_indexed_documents(v_collection, v_removed_ids, (p ->> 'now')::timestamptz, (p ->> 'claim_until')::timestamptz);
    select jsonb_build_object('upserted', count(*) filter (where k.outcome = 'upserted'),
      'unchanged', count(*) filter (where k.outcome = 'unchanged'), 'deleted', cardinality(v_removed_ids))
    into v_sync.result
    from public.inventory_sync_documents k where k.collection = v_collection and k.sync_id = v_sync.sync_id;
    update public.inventory_syncs s set result = v_sync.result where s.collection = v_collection and s.sync_id = v_sync.sync_id;
    delete from public.inventory_sync_documents k where k.collection = v_collection and k.sync_id = v_sync.sync_id;
  end if;
  return v_sync.result || jsonb_build_object('state', 'ended', 'pending', v_pending,
    'waiting', exists (select 1 from public.outbox o where o.collection = v_collection and o.done_at is null
      and not o.id = any (array(select (e ->> 'id')::bigint from jsonb_array_elements(v_pending) e))));
end $$;
comment on function public.finish_inventory_sync(jsonb) is
  'Finishes a sync: {now, claim_until, collection, sync_id}. Deletes every document that it did not include. Returns state ended with its counts, the outbox entries, and whether other index writes are pending; the same when repeated. Returns state unknown if no such sync has started.';

create function public.delete_inventory(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_collection text := p ->> 'collection';
  v_removed_ids text[];
begin
  perform 1 from public.collections c where c.name = v_collection for update;
  v_removed_ids := array(select d.id from public.collections c join public.documents d on d.collection_id = c.id
    where c.name = v_collection and d.id = any (array(select jsonb_array_elements_text(p -> 'ids'))));
  return jsonb_build_object('deleted', v_removed_ids, 'pending',
    public.delete_indexed_documents(v_collection, v_removed_ids, (p ->> 'now')::timestamptz, (p ->> 'claim_until')::timestamptz));
end $$;
comment on function public.delete_inventory(jsonb) is
  'Deletes documents by id: {now, claim_until, collection, ids}. Returns {deleted: the ids that existed, pending: outbox entries}.';

call public.restrict_to_service_role();
