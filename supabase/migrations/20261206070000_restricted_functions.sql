-- Restricted calls of functions that other migrations added, and deletions by restricted callers.

insert into public.restricted_functions (name)
select unnest('{store_buffered_alerts, store_buffered_feedback, session_names, document_names}'::text[]);

-- Row level security hides the triages of other domains from the deleting function, but they may show the text, too.
create function public.mark_deletion_in_results() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.in_results := true;
  return new;
end $$;
comment on function public.mark_deletion_in_results() is
  'A deletion by a restricted caller: remove_deleted_from_results looks for its texts in the triages of all domains.';
create trigger audit_events_of_restricted before insert on public.audit_events for each row
  when (new.action = 'deleted' and cardinality(new.record_ids) > 0 and public.restricted_domains() is not null)
  execute function public.mark_deletion_in_results();

-- An event whose texts no result shows must not end the search before the next one.
create or replace function public.remove_deleted_from_results(p_limit integer) returns integer
language plpgsql set search_path = '' as $$
declare
  v_event public.audit_events;
  v_scrubbed integer;
begin
  for v_event in select * from public.audit_events a where a.in_results order by a.id limit p_limit for update skip locked loop
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
    if v_scrubbed > 0 then
      return v_scrubbed;
    end if;
  end loop;
  return 0;
end $$;

call public.restrict_to_service_role();
