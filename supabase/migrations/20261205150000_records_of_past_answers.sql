-- What shows whether a recalled text is about a failure that is alike: the records of the failures that past answers and
-- procedures were about, and the runbooks that answered past incidents.

create function public.records_of_answers(p_past_answers uuid[], p_procedures uuid[]) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_object_agg(r.id, r.records), '{}') from (
    select a.id, jsonb_agg(distinct i.observation_id) as records
    from (
      select m.id, unnest(array_append(m.original_ids, m.triage_id)) as triage_id
      from public.past_answers m where m.id = any (p_past_answers)
      union all
      select m.id, unnest(array[m.origin_id, m.triage_id]) from public.procedures m where m.id = any (p_procedures)
    ) a
    join public.triages t on t.id = a.triage_id
    join public.incidents i on i.id = t.incident_id
    where i.observation_id is not null
    group by a.id
  ) r;
$$;
comment on function public.records_of_answers(uuid[], uuid[]) is
  'The observations of the incidents that these past answers and procedures are about: {id: [observation id]}. A summary is about the incidents of the past answers that it was made of. Ids without an observation are missing.';

create function public.runbooks_of_incidents(p_incidents uuid[]) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_object_agg(t.id, t.source), '{}') from (
    select i.id, jsonb_path_query_first(newest.result, '$.sources[*] ? (@.kind == "runbook")') ->> 'source' as source
    from unnest(p_incidents) as i (id)
    cross join lateral (select a.outcome, a.result from public.triages a where a.incident_id = i.id
      order by a.created_at desc, a.id desc limit 1) newest
    where newest.outcome in ('cause', 'possible')) t
  where t.source is not null;
$$;
comment on function public.runbooks_of_incidents(uuid[]) is
  'The runbook that the newest answer to each of these incidents cites first, if the answer names a cause or candidates: {incident id: source}.';

create or replace function public.recall_state(p jsonb) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'observations', coalesce((select jsonb_agg(public.observation_json(o)) from public.observations o
      where o.id = any (array(select jsonb_array_elements_text(p -> 'incidents'))::uuid[])), '[]'),
    'documents', coalesce((select jsonb_agg(public.document_json(d)) from public.collections c
      join public.documents d on d.collection_id = c.id
      where c.name = 'incidents'
        and d.id = any (array(select jsonb_array_elements_text(p -> 'documents')))), '[]'),
    'past_answers', coalesce((select jsonb_agg(to_jsonb(a) - 'metadata' - 'content_hash') from public.past_answers a
      where a.id = any (array(select jsonb_array_elements_text(p -> 'past_answers'))::uuid[])
        and a.compressed_at is null), '[]'),
    'procedures', coalesce((select jsonb_agg(to_jsonb(r) - 'metadata' - 'content_hash' - 'query_hash') from public.procedures r
      where r.id = any (array(select jsonb_array_elements_text(p -> 'procedures'))::uuid[])
        and r.archived_at is null), '[]'),
    'records', public.records_of_answers(
      array(select jsonb_array_elements_text(p -> 'past_answers'))::uuid[],
      array(select jsonb_array_elements_text(p -> 'procedures'))::uuid[]),
    'repeat_of', (select public.observation_json(o) from public.observations o
      where o.id = public.record_of_fingerprint(p ->> 'domain', p ->> 'fingerprint')),
    'is_ambiguous', (select count(*) > 1 from (select 1 from public.observation_fingerprints f
      where f.domain = p ->> 'domain' and f.fingerprint = p ->> 'fingerprint' limit 2) t),
    'separated', coalesce((select jsonb_agg(jsonb_build_array(s.first_id, s.second_id)) from public.observation_separations s
      where s.first_id = any (array(select jsonb_array_elements_text(p -> 'incidents'))::uuid[])
        and s.second_id = any (array(select jsonb_array_elements_text(p -> 'incidents'))::uuid[])), '[]'),
    -- Reading whole answers takes time: on request only.
    'answered_by', case when (p -> 'with_runbooks')::boolean
      then public.runbooks_of_incidents(array(select jsonb_array_elements_text(p -> 'incidents'))::uuid[]) else '{}' end);
$$;
comment on function public.recall_state(jsonb) is
  'The current state of recall hits: {domain, incidents, documents, past_answers, procedures, fingerprint?, with_runbooks?}, ids each; documents are those whose text the caller has only from the index. Deleted records are missing from the result. records has the observations of the past answers and procedures, see records_of_answers. repeat_of is the record of the fingerprint; is_ambiguous, whether several records have it. separated has the pairs of these incidents that a person separated. answered_by has the runbooks of the incidents if with_runbooks is true, see runbooks_of_incidents.';

call public.restrict_to_service_role();
