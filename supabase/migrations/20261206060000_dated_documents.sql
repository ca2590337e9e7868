-- Notes, logs and postmortems from a folder, and the date of such a text.

create or replace function public.record_folder_sources(p_domain text, p_origin text, p_sources jsonb, p_now timestamptz) returns void
language plpgsql set search_path = '' as $$
begin
  insert into public.sources as s (source, id, domain, kind, origin, title, tags, bytes, chunks, created_at, updated_at)
  select n.source, n.id, p_domain, coalesce(n.kind, 'runbook'), p_origin, n.title, n.tags, n.bytes, n.chunks, p_now, p_now
  from jsonb_populate_recordset(null::public.sources, p_sources) n
  on conflict (source) do update
  set domain = excluded.domain, kind = excluded.kind, origin = excluded.origin, title = excluded.title, tags = excluded.tags,
    bytes = excluded.bytes, chunks = excluded.chunks, updated_at = p_now
  where s.origin in ('built_in', excluded.origin) and (s.domain, s.kind, s.origin, s.title, s.tags, s.bytes, s.chunks)
    is distinct from (excluded.domain, excluded.kind, excluded.origin, excluded.title, excluded.tags, excluded.bytes, excluded.chunks);
end $$;
comment on function public.record_folder_sources(text, text, jsonb, timestamptz) is
  'Records texts of a domain''s folder: rows with source, id, kind (runbook if missing), title, tags, bytes, chunks. Skips a name that is stored with a stronger origin: api always, folder if p_origin is built_in.';

create or replace function public.store_changed_documents(
  p_collection text, p_documents jsonb, p_now timestamptz, p_claim_until timestamptz
) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_collection smallint;
  v_changed jsonb;
  v_changed_ids text[];
  v_unchanged_ids text[];
  v_pending jsonb := '[]';
begin
  insert into public.collections (name) values (p_collection) on conflict (name) do nothing;
  select c.id into strict v_collection from public.collections c where c.name = p_collection for update;
  -- If only the metadata changed, the text keeps its age, unless it has a date of its own.
  select
    coalesce(jsonb_agg(case when split_part(d.content_hash, '.', 1) = split_part(n.document ->> 'content_hash', '.', 1)
        and n.document #> '{metadata,date}' is null
      then n.document || jsonb_build_object('written_at', d.written_at) else n.document end)
      filter (where d.content_hash is distinct from n.document ->> 'content_hash'), '[]'),
    coalesce(array_agg(n.document ->> 'id') filter (where d.content_hash is distinct from n.document ->> 'content_hash'), '{}'),
    coalesce(array_agg(n.document ->> 'id') filter (where d.content_hash = n.document ->> 'content_hash'), '{}')
  into v_changed, v_changed_ids, v_unchanged_ids
  from jsonb_array_elements(p_documents) as n (document)
  left join public.documents d on d.collection_id = v_collection and d.id = n.document ->> 'id';
  if cardinality(v_changed_ids) > 0 then
    perform public.upsert_documents(p_collection, v_changed);
    v_pending := public.enqueue_index_writes(p_collection, v_changed_ids, p_now, p_claim_until);
  end if;
  return jsonb_build_object('upserted', v_changed_ids, 'unchanged', v_unchanged_ids, 'pending', v_pending,
    'waiting', exists (select 1 from public.outbox o
      where o.document_id = any (v_unchanged_ids) and o.collection = p_collection and o.done_at is null));
end $$;
