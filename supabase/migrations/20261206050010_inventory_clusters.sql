-- Several clusters in the inventory. The id of a document of a named cluster begins with "cluster:<name>/", so that equal
-- resources of two clusters are two documents, and a load of one cluster leaves the others alone.

create function public.is_of_cluster(p_id text, p_cluster text) returns boolean
language sql immutable set search_path = '' as $$
  select case when p_cluster is null then not starts_with(p_id, 'cluster:')
    else starts_with(p_id, 'cluster:' || p_cluster || '/') end
$$;
comment on function public.is_of_cluster(text, text) is
  'Whether an inventory document belongs to the cluster; with null, whether it belongs to no named cluster.';

create or replace function public.finish_inventory_sync(p jsonb) returns jsonb
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
      where c.name = v_collection
        and public.is_of_cluster(d.id, p ->> 'cluster')
        and not exists (select 1 from public.inventory_sync_documents sent
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
  'Deletes the documents that a sync did not send: those of its cluster, or without one those of no named cluster. A repeated call returns the same counts.';

create function public.delete_inventory_of_cluster(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_collection text := p ->> 'collection';
  v_removed_ids text[];
begin
  -- Block writes to the collection between the query and the deletion.
  perform 1 from public.collections c where c.name = v_collection for update;
  v_removed_ids := array(select d.id from public.collections c join public.documents d on d.collection_id = c.id
    where c.name = v_collection and public.is_of_cluster(d.id, p ->> 'cluster'));
  return jsonb_build_object('deleted', v_removed_ids, 'pending',
    public.delete_indexed_documents(v_collection, v_removed_ids, (p ->> 'now')::timestamptz, (p ->> 'claim_until')::timestamptz));
end $$;
comment on function public.delete_inventory_of_cluster(jsonb) is
  'Deletes all documents of one cluster from a collection of the inventory. Returns their ids and the pending removals from the vector store.';

call public.restrict_to_service_role();
