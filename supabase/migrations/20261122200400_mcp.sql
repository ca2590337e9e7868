-- What agents ask by themselves: the answer that somebody reacts to.

create function public.latest_triage(p_session_id text) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('triage_id', t.id, 'title', i.title, 'at', t.created_at)
  from public.episodes e
  join public.incidents i on i.id = e.incident_id
  cross join lateral (
    select r.id, r.created_at from public.triages r where r.incident_id = i.id order by r.created_at desc limit 1
  ) t
  where e.session_id = p_session_id and e.finished_at is not null
  order by e.started_at desc, e.run_id desc limit 1;
$$;
comment on function public.latest_triage(text) is
  'The last answer that a session was given: {triage_id, title, at}; null when there is none.';

-- As for everything before: only the service role.

do $$
declare
  v_table text;
begin
  for v_table in select c.relname from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relrowsecurity
  loop
    execute format('alter table public.%I enable row level security', v_table);
  end loop;
end $$;

revoke all on all tables in schema public from public, anon, authenticated;
revoke all on all sequences in schema public from public, anon, authenticated;
revoke all on all functions in schema public from public, anon, authenticated;
grant select, insert, update, delete on all tables in schema public to service_role;
grant usage on all sequences in schema public to service_role;
grant execute on all functions in schema public to service_role;
