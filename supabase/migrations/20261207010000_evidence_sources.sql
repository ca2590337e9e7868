-- Sources of evidence: the running systems that checks may ask. The kinds are the service's, and secrets are never stored.

create table public.evidence_sources (
  name text primary key check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  kind text not null,
  url text not null,
  credential text,
  headers jsonb not null default '{}',
  labels jsonb not null default '{}',
  domains text[] not null default '{}',
  open_url text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table public.evidence_sources is 'Running systems that checks may ask, read-only.';
comment on column public.evidence_sources.name is 'The name that results cite.';
comment on column public.evidence_sources.kind is 'The interface that it speaks; the service defines the kinds.';
comment on column public.evidence_sources.url is 'Address of its API, without a user, a password, a query or a fragment.';
comment on column public.evidence_sources.credential is
  'Name of the setting of the service that holds its credential; null without one. The credential itself is never stored.';
comment on column public.evidence_sources.headers is 'Headers of each request, {name: value}; none is secret.';
comment on column public.evidence_sources.labels is
  'Alerts that it serves, {label: [value]}: each label must have one of its values. Empty: all.';
comment on column public.evidence_sources.domains is 'Domains that it serves. Empty: all.';
comment on column public.evidence_sources.open_url is 'Address for links that people open; null: url.';
comment on column public.evidence_sources.created_at is 'Time when the source was first stored.';
comment on column public.evidence_sources.updated_at is 'Time of the last change; a later change is always later.';

alter table public.evidence_sources enable row level security;
-- A restricted caller uses the sources of its domains, and does not change any: a source may name a credential of other domains.
create policy restricted on public.evidence_sources for select to dejavu_restricted
  using (domains && (select public.restricted_domains())::text[]);
insert into public.restricted_functions (name)
select unnest('{load_evidence_sources, get_evidence_source}'::text[]);

create function public.load_evidence_sources(p_version text default null) returns jsonb
language sql stable set search_path = '' as $$
  with visible as materialized (select s.* from public.evidence_sources s), current as (
    select md5(coalesce(string_agg(v.name || ' ' || extract(epoch from v.updated_at), ',' order by v.name), '')) as version
    from visible v
  )
  select jsonb_build_object('version', c.version, 'sources', case when c.version is distinct from p_version then (
    select coalesce(jsonb_agg(to_jsonb(v) order by v.name), '[]') from visible v) end)
  from current c;
$$;
comment on function public.load_evidence_sources(text) is
  'All sources of evidence by name: {version, sources}. sources is null if the version is p_version. The version changes with every change of a source.';

create function public.get_evidence_source(p_name text) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(s) from public.evidence_sources s where s.name = p_name;
$$;
comment on function public.get_evidence_source(text) is 'A source of evidence; null if there is none.';

create function public.put_evidence_source(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_new public.evidence_sources := jsonb_populate_record(null::public.evidence_sources, p -> 'source');
  v_stored public.evidence_sources;
  v_exists boolean;
begin
  -- One writer at a time, so that the limit holds.
  lock table public.evidence_sources in share row exclusive mode;
  v_exists := exists (select from public.evidence_sources s where s.name = v_new.name);
  if not v_exists and (select count(*) from public.evidence_sources) >= (p ->> 'limit')::integer then
    return '{"state": "too_many"}';
  end if;
  v_new.created_at := v_now;
  v_new.updated_at := v_now;
  insert into public.evidence_sources as s select v_new.*
  on conflict (name) do update
  set kind = excluded.kind, url = excluded.url, credential = excluded.credential, headers = excluded.headers,
    labels = excluded.labels, domains = excluded.domains, open_url = excluded.open_url,
    -- The version must change, also within one microsecond or with a clock that was set back.
    updated_at = greatest(excluded.updated_at, s.updated_at + interval '1 microsecond')
  where (s.kind, s.url, s.credential, s.headers, s.labels, s.domains, s.open_url)
    is distinct from (excluded.kind, excluded.url, excluded.credential, excluded.headers, excluded.labels, excluded.domains, excluded.open_url);
  select * into strict v_stored from public.evidence_sources s where s.name = v_new.name;
  return jsonb_build_object('state', 'stored', 'created', not v_exists, 'source', to_jsonb(v_stored));
end $$;
comment on function public.put_evidence_source(jsonb) is
  'Stores a source of evidence: {now, limit, source: a row without times}. Returns {state, created, source}: stored; or too_many if there are already limit others.';

create function public.delete_evidence_source(p_name text) returns boolean
language plpgsql set search_path = '' as $$
begin
  delete from public.evidence_sources s where s.name = p_name;
  return found;
end $$;
comment on function public.delete_evidence_source(text) is 'Deletes a source of evidence; false if there is none.';

call public.restrict_to_service_role();
