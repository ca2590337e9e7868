-- Incidents are listed by the beginning of their id, too: people type a few characters of it.

drop function public.list_incidents(integer, timestamptz, uuid, text, text, text, text, text);

create function public.list_incidents(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null,
  p_domain text default null, p_status text default null, p_target text default null,
  p_severity text default null, p_session_id text default null, p_hex text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(i) - 'logs' from public.incidents i
  where (p_before_at is null or (i.created_at, i.id) < (p_before_at, p_before_id))
    and (p_domain is null or i.domain = p_domain)
    and (p_status is null or i.status = p_status)
    and (p_target is null or i.target = p_target)
    and (p_severity is null or i.severity = p_severity)
    and (p_session_id is null or i.session_id = p_session_id)
    -- UUIDs sort by their hex digits, so the primary key serves this range.
    and (p_hex is null or i.id between rpad(p_hex, 32, '0')::uuid and rpad(p_hex, 32, 'f')::uuid)
  order by i.created_at desc, i.id desc
  limit p_limit;
$$;
comment on function public.list_incidents(integer, timestamptz, uuid, text, text, text, text, text, text) is
  'Incidents without their logs, newest first, a page before (p_before_at, p_before_id). p_hex: the first hex digits of the id, without hyphens.';

call public.restrict_to_service_role();
