-- Sources and the cluster inventory. A source is the text of a runbook, note, log or postmortem; its searchable chunks are in
-- documents. The inventory lists the resource kinds of a cluster (capabilities) and its objects (instances).

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
comment on table public.sources is 'Texts of runbooks, notes, logs and postmortems. Their chunks are in documents.';
comment on column public.sources.source is 'Permanent name of the text. The ids of its chunks are derived from it.';
comment on column public.sources.id is 'The first 16 hex digits of the SHA-256 of `source`.';
comment on column public.sources.collection is 'Collection that holds the chunks.';
comment on column public.sources.kind is 'Kind of the text, for example runbook. Texts of every other kind rank lower the older they are.';
comment on column public.sources.origin is
  'Origin of the text: api, folder (the operator''s own files) or built_in (shipped with Dejavu). Of two texts with one name, the origin that is listed first here wins.';
comment on column public.sources.title is 'The title.';
comment on column public.sources.tags is 'Words to filter by.';
comment on column public.sources.bytes is 'Size of the text in UTF-8.';
comment on column public.sources.chunks is 'Number of chunks.';
comment on column public.sources.text is 'The redacted text; null for origins folder and built_in, whose files hold it.';
comment on column public.sources.created_at is 'Time when the text was first stored.';
comment on column public.sources.updated_at is 'Time of the last change.';

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
    raise exception 'the source was deleted concurrently' using errcode = 'serialization_failure';
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
  'Stores a text and replaces its chunks: {now, claim_until, source: row, documents, moves}. A stored text changes to the collection of the row only if moves is true. The caller holds the outbox entries until claim_until. Returns state taken if the name is stored and exactly one of the two texts is a runbook. Otherwise returns state stored, the row, the counts of chunks, the outbox entries (pending), and whether an unchanged chunk has an older pending index write (waiting).';

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
  'A text with its chunks in order; null if no text of these kinds has the id.';

create function public.list_sources(
  p_limit integer, p_kinds text[], p_after text default null, p_collection text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(s) - 'text' from public.sources s
  where s.kind = any (p_kinds) and (p_after is null or s.source > p_after) and (p_collection is null or s.collection = p_collection)
  order by s.source limit p_limit;
$$;
comment on function public.list_sources(integer, text[], text, text) is
  'One page of texts without their content, ordered by name; p_after is the last name of the page before.';

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
comment on function public.source_origins(text[]) is 'Maps the names of those texts that exist to their origins.';

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
  'Records runbooks of a folder: rows with source, id, title, tags, bytes, chunks. Skips a name that is stored with a stronger origin: api always, folder if p_origin is built_in.';

create function public.runbook_sections(p_collection text, p_names text[]) returns jsonb
language sql stable set search_path = '' as $$
  with matches as (
    select d.source, min(case
        when lower(regexp_replace(d.source, '\.md$', '')) = n.name then n.priority
        when lower(regexp_replace(d.source, '^.*/|\.md$', '', 'g')) = n.name then n.priority
      end) as priority
    from public.collections c
    join public.documents d on d.collection_id = c.id and d.source is not null
    cross join unnest(p_names) with ordinality as n (name, priority)
    where c.name = p_collection
    group by d.source
  )
  select coalesce(jsonb_agg(public.document_json(d) order by d.chunk_index), '[]')
  from public.collections c
  join public.documents d on d.collection_id = c.id
  where c.name = p_collection
    and d.source = (select m.source from matches m where m.priority is not null order by m.priority, m.source limit 1);
$$;
comment on function public.runbook_sections(text, text[]) is
  'All sections of one runbook: the first of these names that exists. A name is the lower-case source without .md, or the last part of that path.';

-- The cluster inventory.

create table public.inventory_syncs (
  collection text not null,
  sync_id text not null,
  started_at timestamptz not null,
  result jsonb,
  primary key (collection, sync_id)
);
comment on table public.inventory_syncs is 'Syncs of a whole collection. Finishing a sync deletes every document of the collection that it did not send.';
comment on column public.inventory_syncs.collection is 'The collection.';
comment on column public.inventory_syncs.sync_id is 'The caller''s id of the sync.';
comment on column public.inventory_syncs.started_at is 'Time of the first request of the sync.';
comment on column public.inventory_syncs.result is 'Counts of a finished sync: upserted, unchanged, deleted. Null until it finishes.';

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
comment on column public.inventory_sync_documents.document_id is 'A document that the sync sent.';
comment on column public.inventory_sync_documents.outcome is 'Result for the document. The stored version of a rejected document is kept.';

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
    insert into public.inventory_sync_documents as sent (collection, sync_id, document_id, outcome)
    select v_collection, v_sync, t.id, t.outcome from (
      select jsonb_array_elements_text(v_stored -> 'upserted') as id, 'upserted' as outcome
      union all select jsonb_array_elements_text(v_stored -> 'unchanged'), 'unchanged'
      union all select jsonb_array_elements_text(p -> 'rejected'), 'rejected') t
    -- A document that this sync wrote still counts as upserted when the sync sends it again.
    on conflict (collection, sync_id, document_id) do update
    set outcome = case when sent.outcome = 'upserted' then sent.outcome else excluded.outcome end;
  end if;
  return v_stored || jsonb_build_object('state', 'stored');
end $$;
comment on function public.put_inventory(jsonb) is
  'Stores documents: {now, claim_until, collection, documents, sync_id?, rejected}. rejected lists ids of documents that the API did not accept; documents must not contain them. Returns state sync_ended if the sync has finished. Otherwise returns state stored and the result of store_changed_documents.';

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
      where c.name = v_collection and not exists (select 1 from public.inventory_sync_documents sent
        where sent.collection = v_collection and sent.sync_id = v_sync.sync_id and sent.document_id = d.id));
    v_pending := public.delete_indexed_documents(v_collection, v_removed_ids, (p ->> 'now')::timestamptz, (p ->> 'claim_until')::timestamptz);
    select jsonb_build_object('upserted', count(*) filter (where sent.outcome = 'upserted'),
      'unchanged', count(*) filter (where sent.outcome = 'unchanged'), 'deleted', cardinality(v_removed_ids))
    into v_sync.result
    from public.inventory_sync_documents sent where sent.collection = v_collection and sent.sync_id = v_sync.sync_id;
    update public.inventory_syncs s set result = v_sync.result where s.collection = v_collection and s.sync_id = v_sync.sync_id;
    delete from public.inventory_sync_documents sent where sent.collection = v_collection and sent.sync_id = v_sync.sync_id;
  end if;
  return v_sync.result || jsonb_build_object('state', 'ended', 'pending', v_pending,
    'waiting', exists (select 1 from public.outbox o where o.collection = v_collection and o.done_at is null
      and not o.id = any (array(select (e ->> 'id')::bigint from jsonb_array_elements(v_pending) e))));
end $$;
comment on function public.finish_inventory_sync(jsonb) is
  'Finishes a sync: {now, claim_until, collection, sync_id}. Deletes every document of the collection that the sync did not send. Returns state ended, the counts, the outbox entries (pending), and whether other index writes of the collection are pending (waiting). A repeated call deletes nothing and returns the same counts. Returns state unknown if no such sync has started.';

create function public.delete_inventory(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_collection text := p ->> 'collection';
  v_removed_ids text[];
begin
  -- Block writes to the collection between the query and the deletion.
  perform 1 from public.collections c where c.name = v_collection for update;
  v_removed_ids := array(select d.id from public.collections c join public.documents d on d.collection_id = c.id
    where c.name = v_collection and d.id = any (array(select jsonb_array_elements_text(p -> 'ids'))));
  return jsonb_build_object('deleted', v_removed_ids, 'pending',
    public.delete_indexed_documents(v_collection, v_removed_ids, (p ->> 'now')::timestamptz, (p ->> 'claim_until')::timestamptz));
end $$;
comment on function public.delete_inventory(jsonb) is
  'Deletes documents by id: {now, claim_until, collection, ids}. Returns {deleted: the ids that existed, pending: outbox entries}.';

call public.restrict_to_service_role();
