-- With PSEUDONYMISE, the labels and targets of a session show which words of its turns are names.

create function public.session_names(p_session_id text, p_limit integer) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('labels', i.labels, 'target', i.target)), '[]'::jsonb)
  from public.incidents i
  where i.id in (
    select r.incident_id from public.runs r where r.session_id = p_session_id order by r.started_at desc limit p_limit
  );
$$;
comment on function public.session_names(text, integer) is
  'Labels and targets of the incidents of the newest p_limit runs of a session.';

call public.restrict_to_service_role();
