-- Versions of runbooks from the API, the incidents whose answers cited a runbook, and conditional writes.

alter table public.sources add column updated_by text;
comment on column public.sources.updated_by is 'Name of the caller that stored the text; null for origins folder and built_in, and for texts stored before names were kept.';

create function public.source_etag(p_source public.sources) returns text
language sql immutable set search_path = '' as $$
  select left(encode(sha256(convert_to(coalesce(p_source.text,
    p_source.origin || ' ' || extract(epoch from p_source.updated_at)), 'UTF8')), 'hex'), 32);
$$;
comment on function public.source_etag(public.sources) is
  'Identifies the content of a text: 32 hex digits. A text from a folder, whose content is in its file, is identified by its last change.';

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

insert into public.runbook_versions (source, number, etag, title, bytes, text, stored_at)
select s.source, 1, public.source_etag(s), s.title, s.bytes, s.text, s.updated_at
from public.sources s where s.kind = 'runbook' and s.text is not null;

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
comment on function public.keep_runbook_version() is 'Keeps each new text of a runbook as a version, and the newest 50.';
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
  'One page of the versions of a runbook without their text, newest first; p_before is the last number of the page before. Null if there is no such runbook.';

create function public.get_runbook_version(p_id text, p_number integer) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(v) - 'source' from public.sources s join public.runbook_versions v on v.source = s.source and v.number = p_number
  where s.id = p_id and s.kind = 'runbook';
$$;
comment on function public.get_runbook_version(text, integer) is 'A version of a runbook with its text; null if there is none.';

-- The incidents that a runbook answered.

create table public.runbook_uses (
  source text not null,
  incident_id uuid not null references public.incidents (id) on delete cascade,
  triage_id uuid not null references public.triages (id) on delete cascade,
  at timestamptz not null,
  primary key (source, incident_id)
);
create index runbook_uses_by_time on public.runbook_uses (source, at desc, incident_id desc);
create index runbook_uses_of_incident on public.runbook_uses (incident_id);
create index runbook_uses_of_triage on public.runbook_uses (triage_id);
comment on table public.runbook_uses is 'Incidents whose answer cites a runbook: the newest such answer of each.';
comment on column public.runbook_uses.source is 'Name of the runbook. Uses from before it was stored count for nothing: they are of a deleted one.';
comment on column public.runbook_uses.incident_id is 'The incident.';
comment on column public.runbook_uses.triage_id is 'The newest answer to the incident that cites the runbook.';
comment on column public.runbook_uses.at is 'When that answer was finished.';
-- Written with the triage, of an incident that the caller may see.
create policy restricted on public.runbook_uses for all to dejavu_restricted
  using (exists (select 1 from public.incidents i where i.id = incident_id)) with check (true);

insert into public.runbook_uses (source, incident_id, triage_id, at)
select distinct on (c.source, t.incident_id) c.source, t.incident_id, t.id, t.created_at
from public.triages t
cross join lateral (select e ->> 'source' as source from jsonb_array_elements(
  case when jsonb_typeof(t.result -> 'sources') = 'array' then t.result -> 'sources' else '[]' end) e
  where e ->> 'kind' = 'runbook' and e ->> 'source' is not null) c
order by c.source, t.incident_id, t.created_at desc;

create function public.record_runbook_uses() returns trigger
language plpgsql set search_path = '' as $$
begin
  insert into public.runbook_uses as u (source, incident_id, triage_id, at)
  select distinct e ->> 'source', new.incident_id, new.id, new.created_at
  from jsonb_array_elements(case when jsonb_typeof(new.result -> 'sources') = 'array' then new.result -> 'sources' else '[]' end) e
  where e ->> 'kind' = 'runbook' and e ->> 'source' is not null
  on conflict (source, incident_id) do update set triage_id = excluded.triage_id, at = excluded.at where u.at <= excluded.at;
  return null;
end $$;
comment on function public.record_runbook_uses() is 'Records which runbooks a new answer cites.';
create trigger triages_runbook_uses after insert on public.triages for each row execute function public.record_runbook_uses();

create function public.forget_runbook_uses() returns trigger
language plpgsql set search_path = '' as $$
begin
  delete from public.runbook_uses u where u.source = old.source;
  return null;
end $$;
comment on function public.forget_runbook_uses() is 'Deletes the uses of a deleted runbook.';
create trigger sources_uses after delete on public.sources for each row
  when (old.kind = 'runbook') execute function public.forget_runbook_uses();

create function public.list_runbook_uses(p jsonb) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'totals', (
      select jsonb_build_object('answered', count(*), 'helped', count(*) filter (where r.helped),
        'did_not_help', count(*) filter (where not r.helped), 'since', min(r.at))
      from (
        select u.at, case when i.worked or f.rating > 0 then true when not i.worked or f.rating < 0 then false end as helped
        from (select * from public.runbook_uses u where u.source = s.source and u.at >= s.created_at
          order by u.at desc, u.incident_id desc limit 1000) u
        join public.incidents i on i.id = u.incident_id
        left join lateral (select sum(f.rating) as rating from public.feedback f where f.triage_id = u.triage_id) f on true) r),
    'uses', (
      select coalesce(jsonb_agg(jsonb_build_object('incident_id', u.incident_id, 'triage_id', u.triage_id, 'at', u.at,
        'title', i.title, 'target', i.target, 'severity', i.severity, 'status', i.status, 'outcome', t.outcome,
        'confidence', t.confidence, 'worked', i.worked,
        'rating_up', (select count(*) from public.feedback f where f.triage_id = u.triage_id and f.rating > 0),
        'rating_down', (select count(*) from public.feedback f where f.triage_id = u.triage_id and f.rating < 0))
        order by u.at desc, u.incident_id desc), '[]')
      from (
        select * from public.runbook_uses u where u.source = s.source and u.at >= s.created_at
          and (p ->> 'before_at' is null or (u.at, u.incident_id) < ((p ->> 'before_at')::timestamptz, (p ->> 'before_id')::uuid))
        order by u.at desc, u.incident_id desc limit (p ->> 'limit')::integer) u
      join public.incidents i on i.id = u.incident_id
      join public.triages t on t.id = u.triage_id))
  from public.sources s where s.id = p ->> 'id' and s.kind = 'runbook';
$$;
comment on function public.list_runbook_uses(jsonb) is
  'Incidents whose answer cites a runbook, newest first: {id, limit, before_at?, before_id?}. Totals cover the newest 1000; an answer helped if it led to the fix or its ratings are positive. Null if there is no such runbook.';

-- Reading and storing.

create or replace function public.get_source(p_id text, p_kinds text[]) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(s) || jsonb_build_object('etag', public.source_etag(s), 'sections', (
    select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'heading_path', d.heading_path, 'body', d.body)
      order by d.chunk_index), '[]')
    from public.collections c join public.documents d on d.collection_id = c.id
    where c.name = 'runbooks' and d.source = s.source),
    'incident_type', (select d.metadata ->> 'incident_type'
    from public.collections c join public.documents d on d.collection_id = c.id
    where c.name = 'runbooks' and d.source = s.source order by d.chunk_index limit 1))
  from public.sources s where s.id = p_id and s.kind = any (p_kinds);
$$;
comment on function public.get_source(text, text[]) is
  'A text with its chunks in order, its incident type and its etag; null if no text of these kinds has the id.';

drop function public.list_sources(integer, text[], text, text);
create function public.list_sources(
  p_limit integer, p_kinds text[], p_after text default null, p_domain text default null, p_text text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(s) - 'text' from public.sources s
  where s.kind = any (p_kinds) and (p_after is null or s.source > p_after) and (p_domain is null or s.domain = p_domain)
    and (p_text is null or strpos(lower(s.source), lower(p_text)) > 0 or strpos(lower(s.title), lower(p_text)) > 0)
  order by s.source limit p_limit;
$$;
comment on function public.list_sources(integer, text[], text, text, text) is
  'One page of texts without their content, ordered by name; p_after is the last name of the page before. With p_text, those with it in their name or title.';

create or replace function public.put_source(p jsonb) returns jsonb
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
  'Stores a text and replaces its chunks: {now, claim_until, source: row, documents, moves, if_match?, is_new?}. A stored text changes to the domain of the row only if moves is true; otherwise returns state other_domain with its domain, and stores nothing. With if_match, returns state changed unless the stored text has this etag; with is_new, state exists if the name is stored. The caller holds the outbox entries until claim_until. Returns state taken if the name is stored and exactly one of the two texts is a runbook. Otherwise returns state stored, the row with its etag, the counts of chunks, the outbox entries (pending), and whether an unchanged chunk has an older pending index write (waiting).';

insert into public.restricted_functions (name)
select unnest('{list_runbook_versions, get_runbook_version, list_runbook_uses}'::text[]);

call public.restrict_to_service_role();
