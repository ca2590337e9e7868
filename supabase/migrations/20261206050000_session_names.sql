-- With PSEUDONYMISE, the labels and targets of incidents show which words of other texts are names: of the turns of a
-- session, and of the documents that an incident left in memory.

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

-- An observation has the id of its first incident, a past answer that of its triage; a procedure and a summary have ids of
-- their own. A question has no labels, so the other incidents of its session count too.
create function public.document_names(p_ids uuid[], p_limit integer) returns jsonb
language sql stable set search_path = '' as $$
  with origins as (
    select i.id as document_id, i.id as incident_id, i.session_id from public.incidents i where i.id = any (p_ids)
    union
    select t.id, i.id, i.session_id
    from public.triages t join public.incidents i on i.id = t.incident_id
    where t.id = any (p_ids)
    union
    select p.id, i.id, i.session_id
    from public.procedures p
    join public.triages t on t.id in (p.origin_id, p.triage_id)
    join public.incidents i on i.id = t.incident_id
    where p.id = any (p_ids)
    union
    select a.id, null, a.session_id from public.past_answers a where a.id = any (p_ids) and a.is_summary
  )
  select coalesce(
    jsonb_agg(jsonb_build_object('document_id', o.document_id, 'labels', i.labels, 'target', i.target)), '[]'::jsonb
  )
  from origins o
  cross join lateral (
    select o.incident_id as id
    union
    (
      select r.incident_id from public.runs r where r.session_id = o.session_id order by r.started_at desc limit p_limit
    )
  ) named
  join public.incidents i on i.id = named.id;
$$;
comment on function public.document_names(uuid[], integer) is
  'Labels and targets of the incidents that documents of memory are about, and of the newest p_limit runs of their sessions.';

call public.restrict_to_service_role();
