-- The runbook that answered a past incident, for reports of few words.

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
    'repeat_of', (select public.observation_json(o) from public.observations o
      where o.id = public.record_of_fingerprint(p ->> 'domain', p ->> 'fingerprint')),
    'is_ambiguous', (select count(*) > 1 from (select 1 from public.observation_fingerprints f
      where f.domain = p ->> 'domain' and f.fingerprint = p ->> 'fingerprint' limit 2) t),
    'separated', coalesce((select jsonb_agg(jsonb_build_array(s.first_id, s.second_id)) from public.observation_separations s
      where s.first_id = any (array(select jsonb_array_elements_text(p -> 'incidents'))::uuid[])
        and s.second_id = any (array(select jsonb_array_elements_text(p -> 'incidents'))::uuid[])), '[]'),
    'answered_by', case when (p -> 'with_runbooks')::boolean then coalesce((
      select jsonb_object_agg(t.incident_id, t.source) from (
        select i.id as incident_id, jsonb_path_query_first(newest.result, '$.sources[*] ? (@.kind == "runbook")') ->> 'source' as source
        from unnest(array(select jsonb_array_elements_text(p -> 'incidents'))::uuid[]) as i (id)
        cross join lateral (select a.outcome, a.result from public.triages a where a.incident_id = i.id
          order by a.created_at desc, a.id desc limit 1) newest
        where newest.outcome = 'cause') t
      where t.source is not null), '{}') else '{}' end);
$$;
comment on function public.recall_state(jsonb) is
  'The current state of recall hits: {domain, incidents, documents, past_answers, procedures, fingerprint?, with_runbooks?}, ids each; documents are those whose text the caller has only from the index. Deleted records are missing from the result. repeat_of is the record of the fingerprint; is_ambiguous, whether several records have it. separated has the pairs of these incidents that a person separated. answered_by, if with_runbooks is true, has the runbook that the newest answer to an incident cites first, if the answer names a cause.';

call public.restrict_to_service_role();
