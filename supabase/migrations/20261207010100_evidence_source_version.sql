-- The version of the sources of evidence is made from their content: a source that is deleted and defined anew within one
-- tick of the clock is another one.

create or replace function public.load_evidence_sources(p_version text default null) returns jsonb
language sql stable set search_path = '' as $$
  with visible as materialized (select to_jsonb(s) as source, s.name from public.evidence_sources s), current as (
    select md5(coalesce(string_agg(v.source::text, ',' order by v.name), '')) as version from visible v
  )
  select jsonb_build_object('version', c.version, 'sources', case when c.version is distinct from p_version then (
    select coalesce(jsonb_agg(v.source order by v.name), '[]') from visible v) end)
  from current c;
$$;

-- Callers read all of them, which are few.
drop function public.get_evidence_source(text);
delete from public.restricted_functions where name = 'get_evidence_source';

call public.restrict_to_service_role();
