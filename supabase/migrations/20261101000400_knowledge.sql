-- Domains, the texts of runbooks, notes, logs and postmortems, and the cluster inventory.
--
-- A domain is a technology or a team. It is data: its definition says which labels decide for it, which words hint at it, which
-- types of incident it has, and what to look at first. Every domain of a text has a row; most have no definition.

create table public.domains (
  name text primary key check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  definition jsonb not null default '{}',
  origin text check (origin in ('api', 'folder', 'built_in')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  authors jsonb not null default '{"labels": [], "hints": []}'
);
comment on table public.domains is 'Technologies and teams that texts and incidents belong to.';
comment on column public.domains.name is 'The name, as in documents.domain and incidents.domain.';
comment on column public.domains.definition is
  'description, labels, hints, excluded_words, only_when_decided, target_labels, incident_types, first_looks; each may be missing.';
comment on column public.domains.origin is
  'Origin of the definition: api, folder or built_in, the stronger first. Null for a domain that has only texts.';
comment on column public.domains.created_at is 'Time when the domain was first named.';
comment on column public.domains.updated_at is 'Time of the last change of the definition.';
comment on column public.domains.authors is
  'The authors of the label rules and of the hints of the definition, in its order: {labels, hints}. Each is null for a caller without restriction, else {domains, place}: the domains of the caller, and a number that rises with each entry of such callers.';
-- A number for each label rule and hint of a restricted caller: of several such entries the one that was stored first decides.
create sequence public.definition_entry_places;
create policy restricted on public.domains for all to dejavu_restricted using (name = any ((select public.restricted_domains())::text[]));
insert into public.domains (name) values ('general');

-- A report names a runbook by a path or by the last part of one.
create function public.source_names(p_source text) returns text[]
language sql immutable set search_path = '' as $$
  select array[lower(regexp_replace(p_source, '\.md$', '')), lower(regexp_replace(p_source, '^.*/|\.md$', '', 'g'))];
$$;
comment on function public.source_names(text) is
  'Names by which a report may mean a text: its path without .md, and the last part of that, in lower case. Called by runbook_sections and the index sources_by_name.';

-- The searchable chunks of a text are in documents.
create table public.sources (
  source text primary key check (source <> ''),
  id text not null unique,
  domain text not null references public.domains (name),
  kind text not null check (kind ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  origin text not null check (origin in ('api', 'folder', 'built_in')),
  title text not null,
  tags text[] not null default '{}',
  bytes integer not null check (bytes >= 0),
  chunks integer not null check (chunks >= 0),
  text text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by text
);
comment on table public.sources is 'Texts of runbooks, notes, logs and postmortems. Their chunks are in documents.';
comment on column public.sources.source is 'Permanent name of the text. The ids of its chunks are derived from it.';
comment on column public.sources.id is 'The first 16 hex digits of the SHA-256 of `source`.';
comment on column public.sources.domain is 'The domain of the text, as in the metadata of its chunks.';
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
comment on column public.sources.updated_by is 'Name of the caller that stored the text; null for origins folder and built_in.';
create index sources_of_domain on public.sources (domain, source);
create index sources_by_name on public.sources using gin (public.source_names(source));
create policy restricted on public.sources for all to dejavu_restricted using (domain = any ((select public.restricted_domains())::text[]));

create function public.name_domain() returns trigger
language plpgsql set search_path = '' as $$
begin
  insert into public.domains (name) values (new.domain) on conflict (name) do nothing;
  return new;
end $$;
comment on function public.name_domain() is 'A text creates the domain that it names. Trigger of sources.';
create trigger sources_name_domain before insert or update of domain on public.sources
  for each row execute function public.name_domain();

create function public.forget_source_name() returns trigger
language plpgsql set search_path = '' as $$
begin
  update public.audit_events a set subject_id = old.id where a.kind = 'request' and a.subject_id = left(old.source, 256);
  return null;
end $$;
comment on function public.forget_source_name() is
  'Audit events of changes of a deleted text have its id in place of its name, as that of its deletion has. Trigger of sources.';
create trigger sources_names after delete on public.sources for each row execute function public.forget_source_name();

-- A restricted call compares its definition with those of all domains, so a change of any of them has to stop it.
create function public.domains_version() returns text
language sql stable security definer set search_path = '' as $$
  select md5(coalesce(string_agg(d.name || ' ' || extract(epoch from d.updated_at), ',' order by d.name), '')) from public.domains d;
$$;
comment on function public.domains_version() is 'Changes with every change of a domain. Called by load_domains and put_domain.';

create function public.load_domains(p_version text default null) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('version', v.version, 'domains', case when v.version is distinct from p_version then (
    select coalesce(jsonb_agg(jsonb_build_object('name', d.name, 'definition', d.definition, 'authors', d.authors) order by d.name), '[]')
    from public.domains d) end)
  from (select public.domains_version() as version) v;
$$;
comment on function public.load_domains(text) is
  'All domains with their definitions: {version, domains: [{name, definition, authors}]}. domains is null if the version is p_version. Called by domain-records.ts and start_run.';

create function public.domain_json(d public.domains) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(d) || jsonb_build_object(
    'runbooks', (select count(*) from public.sources s where s.domain = d.name and s.kind = 'runbook'),
    'documents', (select count(*) from public.sources s where s.domain = d.name and s.kind <> 'runbook'),
    'incidents', (select count(*) from public.incidents i where coalesce(i.answer_domain, i.domain) = d.name));
$$;
comment on function public.domain_json(public.domains) is
  'A domain with the number of its runbooks, of its notes, logs and postmortems (documents), and of its incidents. Called by get_domain and list_domains.';

create function public.get_domain(p_name text) returns jsonb
language sql stable set search_path = '' as $$
  select public.domain_json(d) from public.domains d where d.name = p_name;
$$;
comment on function public.get_domain(text) is 'A domain with its counts; null if there is none. Called by domain-records.ts, put_domain and delete_domain.';

create function public.list_domains(p_limit integer, p_after text default null) returns setof jsonb
language sql stable set search_path = '' as $$
  select public.domain_json(d) from public.domains d where p_after is null or d.name > p_after order by d.name limit p_limit;
$$;
comment on function public.list_domains(integer, text) is
  'One page of domains with their counts, ordered by name; p_after is the last name of the page before. Called by domain-records.ts.';

create function public.entry_authors(p_entries jsonb, p_known_entries jsonb, p_known_authors jsonb) returns jsonb
language sql set search_path = '' as $$
  select coalesce(jsonb_agg(case
      when public.restricted_domains() is null then 'null'
      when k.place is not null then coalesce(p_known_authors -> k.place, 'null')
      else jsonb_build_object('domains', public.restricted_domains(), 'place', nextval('public.definition_entry_places'))
    end order by e.n), '[]')
  from jsonb_array_elements(p_entries) with ordinality as e (entry, n)
  left join lateral (select min(o.n)::integer - 1 as place
    from jsonb_array_elements(p_known_entries) with ordinality as o (entry, n) where o.entry = e.entry) k on true;
$$;
comment on function public.entry_authors(jsonb, jsonb, jsonb) is
  'The authors of these label rules or hints. One that the domain has already keeps its author, unless the caller is not restricted. Called by put_domain.';

create function public.put_domain(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_strength constant text[] := array['built_in', 'folder', 'api'];
  v_existing public.domains;
  v_created boolean;
begin
  -- One writer at a time: the caller compared the definition with those of p.version.
  lock table public.domains in share row exclusive mode;
  if public.domains_version() <> p ->> 'version' then
    return jsonb_build_object('state', 'changed');
  end if;
  select * into v_existing from public.domains d where d.name = p ->> 'name';
  v_created := not found;
  if array_position(v_strength, v_existing.origin) > array_position(v_strength, p ->> 'origin') then
    return jsonb_build_object('state', 'kept', 'origin', v_existing.origin);
  end if;
  insert into public.domains as d (name, definition, authors, origin, created_at, updated_at)
  values (p ->> 'name', p -> 'definition', jsonb_build_object(
      'labels', public.entry_authors(p #> '{definition,labels}', v_existing.definition -> 'labels', v_existing.authors -> 'labels'),
      'hints', public.entry_authors(p #> '{definition,hints}', v_existing.definition -> 'hints', v_existing.authors -> 'hints')),
    p ->> 'origin', (p ->> 'now')::timestamptz, (p ->> 'now')::timestamptz)
  on conflict (name) do update
  set definition = excluded.definition, authors = excluded.authors, origin = excluded.origin,
    -- The version must change, also within one microsecond or with a clock that was set back.
    updated_at = greatest(excluded.updated_at, d.updated_at + interval '1 microsecond')
  where (d.definition, d.authors, d.origin) is distinct from (excluded.definition, excluded.authors, excluded.origin);
  return jsonb_build_object('state', 'stored', 'created', v_created, 'domain', public.get_domain(p ->> 'name'));
end $$;
comment on function public.put_domain(jsonb) is
  'Stores the definition of a domain: {now, name, definition, origin, version}. Returns state changed if the domains are not of that version, kept if the stored definition has a stronger origin (api before folder before built_in), else stored with the domain (see domain_json). Called by domain-records.ts.';

create function public.delete_domain(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_domain jsonb;
  v_source record;
  v_names text[] := '{}';
  v_pending jsonb := '[]';
begin
  -- A text that is stored at the same time waits, and then names its domain anew.
  lock table public.domains in share row exclusive mode;
  v_domain := public.get_domain(p ->> 'name');
  if v_domain is null then
    return jsonb_build_object('state', 'not_found');
  elsif not (p ->> 'force')::boolean and (v_domain ->> 'runbooks')::integer + (v_domain ->> 'documents')::integer > 0 then
    return jsonb_build_object('state', 'in_use', 'domain', v_domain);
  end if;
  for v_source in delete from public.sources s where s.domain = p ->> 'name' returning s.source loop
    v_pending := v_pending || public.delete_indexed_documents('runbooks', public.chunk_ids('runbooks', v_source.source),
      (p ->> 'now')::timestamptz, (p ->> 'claim_until')::timestamptz);
    v_names := v_names || v_source.source;
  end loop;
  delete from public.domains d where d.name = p ->> 'name';
  perform public.enqueue_text_removal('deleted', v_names || ('domain:' || (p ->> 'name')), (p ->> 'now')::timestamptz);
  insert into public.audit_events (at, action, kind, subject_id, actor, request_id)
  values ((p ->> 'now')::timestamptz, 'deleted', 'domain', p ->> 'name', p ->> 'actor', p ->> 'request_id');
  return jsonb_build_object('state', 'deleted', 'domain', v_domain, 'pending', v_pending);
end $$;
comment on function public.delete_domain(jsonb) is
  'Deletes a domain with its texts, and with an audit event as delete_source: {now, claim_until, name, force, actor?, request_id?}. Its incidents and their memory stay. Returns state not_found, in_use (it has texts, and force is false), or deleted; domain is the domain with its counts, pending the outbox entries. Called by domain-records.ts.';

-- Versions of runbooks from the API, and conditional writes.

create function public.source_etag(p_source public.sources) returns text
language sql immutable set search_path = '' as $$
  select left(encode(sha256(convert_to(coalesce(p_source.text,
    p_source.origin || ' ' || extract(epoch from p_source.updated_at)), 'UTF8')), 'hex'), 32);
$$;
comment on function public.source_etag(public.sources) is
  'Identifies the content of a text: 32 hex digits. A text from a folder, whose content is in its file, is identified by its last change. Called by keep_runbook_version, put_source and get_source.';

create table public.runbook_versions (
  source text not null references public.sources (source) on delete cascade,
  number integer not null check (number > 0),
  etag text not null,
  title text not null,
  bytes integer not null check (bytes >= 0),
  text text not null,
  stored_at timestamptz not null,
  stored_by text,
  primary key (source, number)
);
comment on table public.runbook_versions is 'The texts that a runbook from the API has had, the newest 50 of each. Deleted with the runbook.';
comment on column public.runbook_versions.source is 'Name of the runbook.';
comment on column public.runbook_versions.number is 'Counts from 1. The highest number is the current text, unless a folder replaced it.';
comment on column public.runbook_versions.etag is 'Identifies the text, as source_etag.';
comment on column public.runbook_versions.title is 'The title.';
comment on column public.runbook_versions.bytes is 'Size of the text in UTF-8.';
comment on column public.runbook_versions.text is 'The redacted text.';
comment on column public.runbook_versions.stored_at is 'When it was stored.';
comment on column public.runbook_versions.stored_by is 'Name of the caller that stored it; null if none was kept.';
create policy restricted on public.runbook_versions for all to dejavu_restricted
  using (exists (select 1 from public.sources s where s.source = runbook_versions.source));

create function public.keep_runbook_version() returns trigger
language plpgsql set search_path = '' as $$
declare
  v_number integer;
begin
  if tg_op = 'UPDATE' and new.text is not distinct from old.text then
    return null;
  end if;
  select coalesce(max(v.number), 0) + 1 into v_number from public.runbook_versions v where v.source = new.source;
  insert into public.runbook_versions (source, number, etag, title, bytes, text, stored_at, stored_by)
  values (new.source, v_number, public.source_etag(new), new.title, new.bytes, new.text, new.updated_at, new.updated_by);
  delete from public.runbook_versions v where v.source = new.source and v.number <= v_number - 50;
  return null;
end $$;
comment on function public.keep_runbook_version() is 'Keeps each new text of a runbook as a version, and the newest 50. Trigger of sources.';
create trigger sources_versions after insert or update of text on public.sources for each row
  when (new.kind = 'runbook' and new.text is not null) execute function public.keep_runbook_version();

create function public.list_runbook_versions(p_id text, p_limit integer, p_before integer default null) returns jsonb
language sql stable set search_path = '' as $$
  select (select coalesce(jsonb_agg(to_jsonb(v) - 'text' - 'source' order by v.number desc), '[]') from (
      select * from public.runbook_versions v where v.source = s.source and (p_before is null or v.number < p_before)
      order by v.number desc limit p_limit) v)
  from public.sources s where s.id = p_id and s.kind = 'runbook';
$$;
comment on function public.list_runbook_versions(text, integer, integer) is
  'One page of the versions of a runbook without their text, newest first; p_before is the last number of the page before. Null if there is no such runbook. Called by runbook-versions.ts.';

create function public.get_runbook_version(p_id text, p_number integer) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(v) - 'source' from public.sources s join public.runbook_versions v on v.source = s.source and v.number = p_number
  where s.id = p_id and s.kind = 'runbook';
$$;
comment on function public.get_runbook_version(text, integer) is 'A version of a runbook with its text; null if there is none. Called by runbook-versions.ts.';

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
begin
  v_new.created_at := v_now;
  v_new.updated_at := v_now;
  if p ->> 'if_match' is not null then
    select * into v_existing from public.sources s where s.source = v_new.source for update;
    -- The same text is no conflict: the caller repeats a request whose response was lost.
    if not found or (public.source_etag(v_existing) <> p ->> 'if_match' and v_existing.text is distinct from v_new.text) then
      return '{"state": "changed"}';
    end if;
  end if;
  insert into public.sources select v_new.* on conflict (source) do nothing;
  v_created := found;
  select * into v_existing from public.sources s where s.source = v_new.source for update;
  if not found and public.restricted_domains() is not null then
    raise insufficient_privilege using message = 'the name belongs to a source of another domain';
  elsif not found then
    raise exception 'the source was deleted concurrently' using errcode = 'serialization_failure';
  end if;
  if (v_existing.kind = 'runbook') <> (v_new.kind = 'runbook') then
    return jsonb_build_object('state', 'taken', 'kind', v_existing.kind);
  end if;
  if (p ->> 'is_new')::boolean and not v_created and v_existing.text is distinct from v_new.text then
    return '{"state": "exists"}';
  end if;
  -- The metadata of the documents names the domain, so the caller has to make them again.
  if v_existing.domain <> v_new.domain and not (p ->> 'moves')::boolean then
    return jsonb_build_object('state', 'other_domain', 'domain', v_existing.domain);
  end if;
  v_stored := public.store_changed_documents('runbooks', p -> 'documents', v_now, v_claim_until);
  v_removed_ids := array(select t.id from unnest(public.chunk_ids('runbooks', v_new.source)) as t (id)
    where t.id not in (select e ->> 'id' from jsonb_array_elements(p -> 'documents') e));
  update public.sources s
  set domain = v_new.domain, kind = v_new.kind, origin = v_new.origin, title = v_new.title, tags = v_new.tags,
    bytes = v_new.bytes, chunks = v_new.chunks, text = v_new.text, updated_at = v_now,
    updated_by = v_new.updated_by
  where s.source = v_new.source
    and (s.domain, s.kind, s.origin, s.title, s.tags, s.text)
      is distinct from (v_new.domain, v_new.kind, v_new.origin, v_new.title, v_new.tags, v_new.text);
  return jsonb_build_object('state', 'stored', 'created', v_created, 'moved', v_existing.domain <> v_new.domain,
    'source', (select to_jsonb(s) - 'text' || jsonb_build_object('etag', public.source_etag(s)) from public.sources s where s.source = v_new.source),
    'upserted', jsonb_array_length(v_stored -> 'upserted'), 'unchanged', jsonb_array_length(v_stored -> 'unchanged'),
    'removed', cardinality(v_removed_ids), 'waiting', v_stored -> 'waiting', 'pending', (v_stored -> 'pending')
      || public.delete_indexed_documents('runbooks', v_removed_ids, v_now, v_claim_until));
end $$;
comment on function public.put_source(jsonb) is
  'Stores a text and replaces its chunks: {now, claim_until, source: row, documents, moves, if_match?, is_new?}. A stored text changes to the domain of the row only if moves is true; otherwise returns state other_domain with its domain, and stores nothing. With if_match, returns state changed unless the stored text has this etag; with is_new, state exists if the name is stored. The caller holds the outbox entries until claim_until. Returns state taken if the name is stored and exactly one of the two texts is a runbook. Otherwise returns state stored, the row with its etag, the counts of chunks, the outbox entries (pending), and whether an unchanged chunk has an older pending index write (waiting). Called by text-records.ts.';

create function public.get_source(p_id text, p_kinds text[]) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (select to_jsonb(s) || jsonb_build_object('etag', public.source_etag(s), 'sections', (
    select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'heading_path', d.heading_path, 'body', d.body)
      order by d.chunk_index), '[]')
    from public.collections c join public.documents d on d.collection_id = c.id
    where c.name = 'runbooks' and d.source = s.source),
    'incident_type', (select d.metadata ->> 'incident_type'
    from public.collections c join public.documents d on d.collection_id = c.id
    where c.name = 'runbooks' and d.source = s.source order by d.chunk_index limit 1),
    -- In a later migration.
    'uses', public.runbook_totals(s))
  from public.sources s where s.id = p_id and s.kind = any (p_kinds));
end $$;
comment on function public.get_source(text, text[]) is
  'A text with its chunks in order, its incident type, its etag and its totals as `uses`; null if no text of these kinds has the id. Called by text-records.ts.';

create function public.list_sources(
  p_limit integer, p_kinds text[], p_after text default null, p_domain text default null, p_text text default null
) returns setof jsonb
language plpgsql stable set search_path = '' as $$
begin
  -- runbook_totals is in a later migration.
  return query select to_jsonb(s) - 'text' || jsonb_build_object('uses', public.runbook_totals(s)) from public.sources s
  where s.kind = any (p_kinds) and (p_after is null or s.source > p_after) and (p_domain is null or s.domain = p_domain)
    and (p_text is null or strpos(lower(s.source), lower(p_text)) > 0 or strpos(lower(s.title), lower(p_text)) > 0)
  order by s.source limit p_limit;
end $$;
comment on function public.list_sources(integer, text[], text, text, text) is
  'One page of texts without their content, with the totals of runbooks as `uses`, ordered by name; p_after is the last name of the page before. With p_text, those with it in their name or title. Called by text-records.ts.';

create function public.delete_source(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_source public.sources;
begin
  delete from public.sources s
  where s.id = p ->> 'id' and s.kind = any (array(select jsonb_array_elements_text(p -> 'kinds')))
    and (p ->> 'origin' is null or s.origin = p ->> 'origin')
  returning * into v_source;
  if not found then
    return jsonb_build_object('state', 'not_found');
  end if;
  perform public.enqueue_text_removal('deleted', array[v_source.source], (p ->> 'now')::timestamptz);
  insert into public.audit_events (at, action, kind, subject_id, actor, request_id)
  values ((p ->> 'now')::timestamptz, 'deleted', v_source.kind, v_source.id, p ->> 'actor', p ->> 'request_id');
  return jsonb_build_object('state', 'deleted', 'pending', public.delete_indexed_documents('runbooks',
    public.chunk_ids('runbooks', v_source.source), (p ->> 'now')::timestamptz, (p ->> 'claim_until')::timestamptz));
end $$;
comment on function public.delete_source(jsonb) is
  'Deletes a text and its chunks, with an audit event, and enqueues the removal of the text from what was made from it: {now, claim_until, id, kinds, origin?, actor?, request_id?}. Returns state not_found, or deleted with the outbox entries. Called by text-records.ts.';

create function public.source_origins(p_sources text[]) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_object_agg(s.source, s.origin), '{}') from public.sources s where s.source = any (p_sources);
$$;
comment on function public.source_origins(text[]) is 'Maps the names of those texts that exist to their origins. Called by text-records.ts.';

create function public.record_folder_sources(p_domain text, p_origin text, p_sources jsonb, p_now timestamptz) returns void
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
  'Records texts of a domain''s folder: rows with source, id, kind (runbook if missing), title, tags, bytes, chunks. Skips a name that is stored with a stronger origin: api always, folder if p_origin is built_in. Called by text-records.ts.';

-- Runbooks of many systems have the same last part of their path.
create function public.runbook_sections(p_names text[], p_domain text default null) returns jsonb
language sql stable set search_path = '' as $$
  with best as (
    select s.source from public.sources s
    cross join lateral (select min(n.priority) as priority from unnest(p_names) with ordinality as n (name, priority)
      where n.name = any (public.source_names(s.source))) m
    where public.source_names(s.source) && p_names
      and ((public.source_names(s.source))[1] = any (p_names) or s.domain is not distinct from p_domain
        or not exists (select 1 from public.domains d
          where d.name = s.domain and (d.definition ->> 'only_when_decided')::boolean))
    order by m.priority, coalesce(s.domain = p_domain, false) desc, s.source limit 1
  )
  select coalesce(jsonb_agg(public.recalled_document_json(d) order by d.chunk_index), '[]')
  from public.collections c
  join public.documents d on d.collection_id = c.id
  where c.name = 'runbooks' and d.source = (select b.source from best b);
$$;
comment on function public.runbook_sections(text[], text) is
  'All sections of one runbook: the first of these names that exists (see source_names); of equal names, the one in p_domain. A runbook of a domain with only_when_decided needs its whole path, or a report of that domain. Called by start_run.';

-- The cluster inventory: the resource kinds of a cluster (capabilities) and its objects (instances). The id of a document of a
-- named cluster begins with "cluster:<name>/", so that equal resources of two clusters are two documents, and a load of one
-- cluster leaves the others alone.

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

create function public.is_of_cluster(p_id text, p_cluster text) returns boolean
language sql immutable set search_path = '' as $$
  select case when p_cluster is null then not starts_with(p_id, 'cluster:')
    else starts_with(p_id, 'cluster:' || p_cluster || '/') end
$$;
comment on function public.is_of_cluster(text, text) is
  'Whether an inventory document belongs to the cluster; with null, whether it belongs to no named cluster. Called by finish_inventory_sync and delete_inventory.';

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
  'Stores documents: {now, claim_until, collection, documents, sync_id?, rejected}. rejected lists ids of documents that the API did not accept; documents must not contain them. Returns state sync_ended if the sync has finished. Otherwise returns state stored and the result of store_changed_documents. Called by inventory-records.ts.';

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
  'Deletes the documents that a sync did not send: those of its cluster, or without one those of no named cluster. A repeated call returns the same counts. Called by inventory-records.ts.';

create function public.delete_inventory(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_collection text := p ->> 'collection';
  v_removed_ids text[];
begin
  -- Block writes to the collection between the query and the deletion.
  perform 1 from public.collections c where c.name = v_collection for update;
  v_removed_ids := array(select d.id from public.collections c join public.documents d on d.collection_id = c.id
    where c.name = v_collection and case when p ? 'ids' then d.id = any (array(select jsonb_array_elements_text(p -> 'ids')))
      else public.is_of_cluster(d.id, p ->> 'cluster') end);
  return jsonb_build_object('deleted', v_removed_ids, 'pending',
    public.delete_indexed_documents(v_collection, v_removed_ids, (p ->> 'now')::timestamptz, (p ->> 'claim_until')::timestamptz));
end $$;
comment on function public.delete_inventory(jsonb) is
  'Deletes the documents with these ids, or those of a cluster: {now, claim_until, collection, ids or cluster}. Returns {deleted: the ids that existed, pending: outbox entries}. Called by inventory-records.ts.';

-- Clusters that the job sync-inventory lists by itself: which one is next, and which one a run lists at present.

create table public.inventory_listings (
  cluster text primary key,
  claimed_until timestamptz,
  tried_at timestamptz
);
comment on table public.inventory_listings is 'Clusters that the job sync-inventory lists into the inventory, by the names of their sources.';
comment on column public.inventory_listings.cluster is 'Name of the source of evidence, which is the name of the cluster in the inventory.';
comment on column public.inventory_listings.claimed_until is 'End of the claim of the run that lists it; null if none does.';
comment on column public.inventory_listings.tried_at is 'Start of the last listing; null before the first.';

create function public.claim_inventory_listing(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_row public.inventory_listings;
begin
  delete from public.inventory_listings l
  where not p -> 'clusters' ? l.cluster and coalesce(l.claimed_until, '-infinity') <= v_now;
  insert into public.inventory_listings (cluster)
  select c from jsonb_array_elements_text(p -> 'clusters') c order by c on conflict do nothing;
  select * into v_row from public.inventory_listings l
  where p -> 'clusters' ? l.cluster
    and coalesce(l.claimed_until, '-infinity') <= v_now
    and coalesce(l.tried_at, '-infinity') < (p ->> 'before')::timestamptz
  order by l.tried_at nulls first, l.cluster limit 1 for update skip locked;
  if not found then
    return null;
  end if;
  update public.inventory_listings l
  set claimed_until = (p ->> 'claim_until')::timestamptz, tried_at = v_now
  where l.cluster = v_row.cluster;
  return jsonb_build_object('cluster', v_row.cluster);
end $$;
comment on function public.claim_inventory_listing(jsonb) is
  'Claims the cluster whose last listing is the oldest: {now, claim_until, before, clusters}. Returns {cluster}; null if each of them was tried at or after before, or is claimed. Forgets clusters that are not named. Called by sync-inventory.ts.';

create function public.finish_inventory_listing(p jsonb) returns boolean
language plpgsql set search_path = '' as $$
begin
  update public.inventory_listings l
  set claimed_until = null
  where l.cluster = p ->> 'cluster' and l.claimed_until = (p ->> 'claim_until')::timestamptz;
  return found;
end $$;
comment on function public.finish_inventory_listing(jsonb) is
  'Ends a claim: {cluster, claim_until}. False if the claim was not held any more. Called by sync-inventory.ts.';

call public.restrict_to_service_role();
