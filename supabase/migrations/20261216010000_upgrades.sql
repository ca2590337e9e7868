-- What a Worker and a schema of different versions need: conditions that an older schema refuses, and a reload of the
-- REST API after each migration.

-- An older put_source ignores a condition and overwrites the text. A function that it lacks fails before the write.
create function public.put_source_if(p jsonb, p_condition jsonb) returns jsonb
language sql set search_path = '' as $$
  select public.put_source(p || p_condition)
$$;
comment on function public.put_source_if(jsonb, jsonb) is
  'put_source under a condition: {if_match?, is_new?}, or {} for none.';

insert into public.restricted_functions (name) values ('put_source_if');

create or replace procedure public.restrict_to_service_role()
language plpgsql set search_path = '' as $$
declare
  v_table text;
begin
  for v_table in select c.relname from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relrowsecurity
  loop
    execute format('alter table public.%I enable row level security', v_table);
  end loop;
  revoke all on all tables in schema public from public, anon, authenticated;
  revoke all on all sequences in schema public from public, anon, authenticated;
  revoke all on all routines in schema public from public, anon, authenticated;
  grant select, insert, update, delete on all tables in schema public to service_role, dejavu_restricted;
  grant usage on all sequences in schema public to service_role, dejavu_restricted;
  grant execute on all functions in schema public to service_role, dejavu_restricted;
  -- A hosted project reloads after each change of the schema; another PostgREST does when it is notified.
  notify pgrst, 'reload schema';
end $$;
comment on procedure public.restrict_to_service_role() is
  'Enables row level security on every table and revokes everything in the schema except from the service role, and from the role of restricted calls, to which policies apply; PostgREST then reloads the schema. For migrations: only the owner may call it.';

call public.restrict_to_service_role();
