-- Deletion of runbooks and documents: their text leaves the stored results of triages, too.

create or replace function public.recalled_ids(p_result jsonb) returns text[]
language sql immutable set search_path = '' as $$
  select coalesce(array_agg(distinct t.id #>> '{}'), '{}')
  from (
    select jsonb_path_query(jsonb_build_array(p_result #> '{recalled,incidents}', p_result #> '{recalled,past_answers}',
      jsonb_build_array(p_result #> '{recalled,procedure}')), '$[*][*].id')
    union all
    select jsonb_path_query(coalesce(p_result #> '{recalled,runbooks}', '[]'), '$[*].source')
  ) as t (id);
$$;
comment on function public.recalled_ids(jsonb) is
  'Ids of the records of memory that a triage''s result shows, and names of the runbooks and documents.';
comment on column public.triages.recalled_ids is
  'Ids of the records of memory that the result shows, and names of the runbooks and documents: what must leave it when they are deleted.';
update public.triages t set recalled_ids = public.recalled_ids(t.result);

create function public.without_citing(p jsonb, p_ids text[]) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  if jsonb_typeof(p) = 'array' then
    return (
      select coalesce(jsonb_agg(case when c.cites then e.item || jsonb_build_object('text', e.item -> 'quote', 'citations', '[]'::jsonb)
        else public.without_citing(e.item, p_ids) end order by e.n), '[]')
      from jsonb_array_elements(p) with ordinality as e (item, n)
      cross join lateral (select jsonb_typeof(e.item) = 'object' and coalesce(e.item -> 'citations' ?| p_ids, false) as cites) c
      -- A quote is of the report.
      where not c.cites or e.item ->> 'quote' is not null);
  elsif jsonb_typeof(p) = 'object' then
    return (select coalesce(jsonb_object_agg(e.key, case when jsonb_typeof(e.value) in ('array', 'object')
      then public.without_citing(e.value, p_ids) else e.value end), '{}') from jsonb_each(p) as e (key, value));
  end if;
  return p;
end $$;
comment on function public.without_citing(jsonb, text[]) is
  'An answer without the statements that cite one of the ids. Of a statement with a quote of the report, the quote stays.';

create or replace function public.without_recalled(p_result jsonb, p_ids text[]) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  v_sources jsonb := coalesce(p_result -> 'sources', '[]');
  -- Citations name chunks of a text by their ids.
  v_ids text[] := p_ids || array(
    select e.item ->> 'id' from jsonb_array_elements(v_sources || coalesce(p_result #> '{recalled,runbooks}', '[]')) as e (item)
    where e.item ->> 'source' = any (p_ids));
  v_recalled jsonb := coalesce(p_result -> 'recalled', '{}');
  v_answer jsonb := p_result -> 'answer';
  v_kept jsonb := public.without_citing(v_answer, v_ids);
  v_titles text[] := array(
    select e.item ->> 'title' from jsonb_array_elements(v_sources || coalesce(v_recalled -> 'runbooks', '[]')
      || coalesce(v_recalled -> 'incidents', '[]')) as e (item)
    where e.item ->> 'id' = any (v_ids) and length(e.item ->> 'title') >= 4);
  v_is_recap boolean := exists (
    select 1 from jsonb_array_elements(v_sources) as e (item)
    where e.item ->> 'kind' = 'past_answer' and e.item ->> 'id' = any (p_ids));
  v_loses_summary boolean;
begin
  -- The summary names its candidate without a citation.
  v_loses_summary := v_is_recap or coalesce(v_answer #> '{summary,citations}' ?| v_ids, false) or exists (
    select 1 from unnest(v_titles) as t (title) where strpos(v_answer #>> '{summary,text}', t.title) > 0);
  if v_loses_summary then
    v_kept := v_kept || jsonb_build_object('summary', jsonb_build_object('citations', '[]'::jsonb, 'text',
      case when v_is_recap then 'A past answer that this recap quoted was deleted.'
        else 'Removed with its source: the text that this answer rested on was deleted.' end));
  end if;
  if (v_kept is distinct from v_answer or v_loses_summary) and jsonb_typeof(p_result -> 'critique') = 'object' then
    p_result := p_result || jsonb_build_object('critique', p_result -> 'critique' || '{"feedback": "", "changes": null}');
  end if;
  if jsonb_typeof(v_recalled -> 'reranking') = 'object' then
    v_recalled := jsonb_set(v_recalled, '{reranking,documents}', (
      select coalesce(jsonb_agg(e.item order by e.n), '[]')
      from jsonb_array_elements(v_recalled #> '{reranking,documents}') with ordinality as e (item, n)
      where not coalesce(e.item ->> 'source', '') = any (p_ids)));
  end if;
  return p_result || jsonb_build_object(
    'recalled', v_recalled || jsonb_build_object(
      'runbooks', (select coalesce(jsonb_agg(e.hit order by e.n), '[]')
        from jsonb_array_elements(coalesce(v_recalled -> 'runbooks', '[]')) with ordinality as e (hit, n)
        where not coalesce(e.hit ->> 'source', '') = any (p_ids)),
      'incidents', (select coalesce(jsonb_agg(e.hit order by e.n), '[]')
        from jsonb_array_elements(coalesce(v_recalled -> 'incidents', '[]')) with ordinality as e (hit, n)
        where not e.hit ->> 'id' = any (p_ids)),
      'past_answers', (select coalesce(jsonb_agg(e.hit order by e.n), '[]')
        from jsonb_array_elements(coalesce(v_recalled -> 'past_answers', '[]')) with ordinality as e (hit, n)
        where not e.hit ->> 'id' = any (p_ids)),
      'procedure', case when not coalesce(v_recalled #>> '{procedure,id}', '') = any (p_ids)
        then v_recalled -> 'procedure' end),
    'sources', (select coalesce(jsonb_agg(e.source order by e.n), '[]')
      from jsonb_array_elements(v_sources) with ordinality as e (source, n)
      where not e.source ->> 'id' = any (v_ids) and not (v_is_recap and e.source ->> 'kind' = 'past_answer')),
    'answer', v_kept);
end $$;
comment on function public.without_recalled(jsonb, text[]) is
  'A stored result without these records of memory, and without the texts that have these names: their hits, the statements that cite them, the summary that cites or names one, and all quotes of a recap that quotes one.';

create function public.plain_answer(p_answer jsonb) returns text
language sql immutable set search_path = '' as $$
  select concat_ws(E'\n', coalesce(p_answer #>> '{summary,text}', ''), (
    select E'Likely causes:\n' || string_agg('- ' || (e.item ->> 'text'), E'\n' order by e.n)
    from jsonb_array_elements(p_answer -> 'likely_causes') with ordinality as e (item, n)));
$$;
comment on function public.plain_answer(jsonb) is 'The summary and the likely causes as plain text, as the row of a run has them.';

create or replace function public.remove_deleted_from_results(p_limit integer) returns integer
language plpgsql set search_path = '' as $$
declare
  v_event public.audit_events;
  v_scrubbed integer;
begin
  select * into v_event from public.audit_events a where a.in_results order by a.id limit 1 for update skip locked;
  if not found then
    return 0;
  end if;
  with holding as (
    select t.id from public.triages t where t.recalled_ids && v_event.record_ids
    order by t.id limit p_limit for update skip locked
  ), scrubbed as (
    update public.triages t
    set result = public.without_recalled(t.result, v_event.record_ids),
      recalled_ids = array(select u.id from unnest(t.recalled_ids) as u (id) where not u.id = any (v_event.record_ids))
    from holding where t.id = holding.id
    returning t.incident_id, t.created_at, t.result -> 'answer' as answer
  ), of_runs as (
    -- Later questions of the session read the answer of the run.
    update public.runs r set final_answer = public.plain_answer(s.answer)
    from scrubbed s
    where r.run_id = (select n.run_id from public.runs n
      where n.incident_id = s.incident_id and n.final_answer <> '' and n.started_at <= s.created_at
      order by n.started_at desc, n.run_id limit 1)
  )
  select count(*) into v_scrubbed from scrubbed;
  update public.audit_events a
  set in_results = exists (select 1 from public.triages t where t.recalled_ids && v_event.record_ids)
  where a.id = v_event.id;
  return v_scrubbed;
end $$;
comment on function public.remove_deleted_from_results(integer) is
  'Removes the records and texts of the oldest pending deletion from the results of at most p_limit triages, and from the answers of their runs. Returns the number of results; 0 when none are left.';

create or replace function public.delete_source(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_source public.sources;
begin
  delete from public.sources s
  where s.id = p ->> 'id' and s.kind = any (array(select jsonb_array_elements_text(p -> 'kinds')))
    and (p ->> 'origin' is null or s.origin = p ->> 'origin')
  returning * into v_source;
  if not found then
    return jsonb_build_object('state', 'not_found');
  end if;
  insert into public.audit_events (at, action, kind, subject_id, record_ids, in_results, actor, request_id)
  values ((p ->> 'now')::timestamptz, 'deleted', v_source.kind, v_source.id, array[v_source.source],
    exists (select 1 from public.triages t where t.recalled_ids && array[v_source.source]), p ->> 'actor', p ->> 'request_id');
  return jsonb_build_object('state', 'deleted', 'pending', public.delete_indexed_documents('runbooks',
    public.chunk_ids('runbooks', v_source.source), (p ->> 'now')::timestamptz, (p ->> 'claim_until')::timestamptz));
end $$;
comment on function public.delete_source(jsonb) is
  'Deletes a text and its chunks, with an audit event, after which remove_deleted_from_results removes it from the results of triages: {now, claim_until, id, kinds, origin?, actor?, request_id?}. Returns state not_found, or deleted with the outbox entries.';

create or replace function public.delete_domain(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_domain jsonb;
  v_source record;
  v_names text[] := '{}';
  v_pending jsonb := '[]';
begin
  -- A text that is stored at the same time waits, and then names its domain anew.
  lock table public.domains in share row exclusive mode;
  v_domain := public.get_domain(p ->> 'name');
  if v_domain is null then
    return jsonb_build_object('state', 'not_found');
  elsif not (p ->> 'force')::boolean and (v_domain ->> 'runbooks')::integer + (v_domain ->> 'documents')::integer > 0 then
    return jsonb_build_object('state', 'in_use', 'domain', v_domain);
  end if;
  for v_source in delete from public.sources s where s.domain = p ->> 'name' returning s.source loop
    v_pending := v_pending || public.delete_indexed_documents('runbooks', public.chunk_ids('runbooks', v_source.source),
      (p ->> 'now')::timestamptz, (p ->> 'claim_until')::timestamptz);
    v_names := v_names || v_source.source;
  end loop;
  delete from public.domains d where d.name = p ->> 'name';
  insert into public.audit_events (at, action, kind, subject_id, record_ids, in_results, actor, request_id)
  values ((p ->> 'now')::timestamptz, 'deleted', 'domain', p ->> 'name', v_names,
    exists (select 1 from public.triages t where t.recalled_ids && v_names), p ->> 'actor', p ->> 'request_id');
  return jsonb_build_object('state', 'deleted', 'domain', v_domain, 'pending', v_pending);
end $$;
comment on function public.delete_domain(jsonb) is
  'Deletes a domain with its texts, and with an audit event as delete_source: {now, claim_until, name, force, actor?, request_id?}. Its incidents and their memory stay. Returns state not_found, in_use (it has texts, and force is false), or deleted; domain is the domain with its counts, pending the outbox entries.';

call public.restrict_to_service_role();
