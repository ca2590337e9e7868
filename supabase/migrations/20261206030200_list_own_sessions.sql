-- Sessions of one owner: their ids begin with the owner's prefix.

drop function public.list_sessions(integer, timestamptz, text);
create function public.list_sessions(
  p_limit integer, p_before_at timestamptz default null, p_before_id text default null, p_prefix text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('session_id', s.session_id, 'last_turn_at', s.last_turn_at, 'raw_count', s.raw_count,
    'domains', (select coalesce(jsonb_agg(distinct a.domain), '[]') from public.past_answers a
      where a.session_id = s.session_id and not a.is_summary),
    'summary_count', (select count(*) from public.past_answers a where a.session_id = s.session_id and a.is_summary))
  from public.sessions s
  where (p_before_at is null or s.last_turn_at < p_before_at or (s.last_turn_at = p_before_at and s.session_id > p_before_id))
    and (p_prefix is null or starts_with(s.session_id, p_prefix))
  order by s.last_turn_at desc, s.session_id limit p_limit;
$$;
comment on function public.list_sessions(integer, timestamptz, text, text) is
  'Sessions that hold past answers, last used first, a page after (p_before_at, p_before_id); only those whose id begins with p_prefix.';

call public.restrict_to_service_role();
