-- Who stored each label rule and each hint of a domain. What a restricted caller stores decides last, and of several such
-- entries the one that was stored first. So no caller gives its domains the reports of others.

create sequence public.definition_entry_places;
alter table public.domains add column authors jsonb not null default '{"labels": [], "hints": []}';
comment on column public.domains.authors is
  'The authors of the label rules and of the hints of the definition, in its order: {labels, hints}. Each is null for a caller without restriction, else {domains, place}: the domains of the caller, and a number that rises with each entry of such callers.';

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
  'The authors of these label rules or hints. One that the domain has already keeps its author, unless the caller is not restricted.';

-- A restricted call compares its definition with those of all domains, so a change of any of them has to stop it.
alter function public.domains_version() security definer;

create or replace function public.load_domains(p_version text default null) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('version', v.version, 'domains', case when v.version is distinct from p_version then (
    select coalesce(jsonb_agg(jsonb_build_object('name', d.name, 'definition', d.definition, 'authors', d.authors) order by d.name), '[]')
    from public.domains d) end)
  from (select public.domains_version() as version) v;
$$;
comment on function public.load_domains(text) is
  'All domains with their definitions: {version, domains: [{name, definition, authors}]}. domains is null if the version is p_version.';

create or replace function public.put_domain(p jsonb) returns jsonb
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

call public.restrict_to_service_role();
