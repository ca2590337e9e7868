-- Lists of memory filtered by words, and the incident that a past answer or a procedure is from.

drop function public.list_observations(integer, timestamptz, uuid, text);
create function public.list_observations(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null, p_domain text default null,
  p_text text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select public.observation_json(o) from public.observations o
  where (p_before_at is null or (o.last_seen_at, o.id) < (p_before_at, p_before_id))
    and (p_domain is null or o.domain = p_domain)
    and (p_text is null
      or strpos(lower(concat_ws(' ', o.title, o.narrative, o.target, o.resolution)), lower(p_text)) > 0)
  order by o.last_seen_at desc, o.id desc limit p_limit;
$$;
comment on function public.list_observations(integer, timestamptz, uuid, text, text) is
  'Observations, last seen first, a page before (p_before_at, p_before_id); only those that contain p_text, in any case.';

drop function public.list_past_answers(integer, timestamptz, uuid, text, text);
create function public.list_past_answers(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null, p_domain text default null,
  p_session_id text default null, p_text text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(a) - 'metadata' - 'content_hash'
    || jsonb_build_object('incident_id', (select t.incident_id from public.triages t where t.id = a.triage_id))
  from public.past_answers a
  where (p_before_at is null or (a.created_at, a.id) < (p_before_at, p_before_id))
    and (p_domain is null or a.domain = p_domain)
    and (p_session_id is null or a.session_id = p_session_id)
    and (p_text is null or strpos(lower(concat_ws(' ', a.question, a.answer)), lower(p_text)) > 0)
  order by a.created_at desc, a.id desc limit p_limit;
$$;
comment on function public.list_past_answers(integer, timestamptz, uuid, text, text, text) is
  'Past answers and summaries, newest first, a page before (p_before_at, p_before_id); only those that contain p_text, in any case.';

drop function public.list_procedures(integer, timestamptz, uuid, text);
create function public.list_procedures(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null, p_domain text default null,
  p_text text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(r) - 'metadata' - 'content_hash' - 'query_hash'
    || jsonb_build_object('incident_id', (select t.incident_id from public.triages t where t.id = r.triage_id))
  from public.procedures r
  where (p_before_at is null or (r.last_used_at, r.id) < (p_before_at, p_before_id))
    and (p_domain is null or r.domain = p_domain)
    and (p_text is null or strpos(lower(concat_ws(' ', r.query, r.answer)), lower(p_text)) > 0)
  order by r.last_used_at desc, r.id desc limit p_limit;
$$;
comment on function public.list_procedures(integer, timestamptz, uuid, text, text) is
  'Procedures including archived ones, last used first, a page before (p_before_at, p_before_id); only those that contain p_text, in any case.';

call public.restrict_to_service_role();
