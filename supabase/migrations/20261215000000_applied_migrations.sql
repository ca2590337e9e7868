-- The migrations of the database, for the check of a deployment.

create function public.applied_migrations() returns text[]
language plpgsql stable security definer set search_path = '' as $$
begin
  -- Written by the Supabase CLI; a schema that was applied by other means has no such table.
  if to_regclass('supabase_migrations.schema_migrations') is null then return '{}'; end if;
  return array(select m.version::text from supabase_migrations.schema_migrations m order by m.version);
end $$;
comment on function public.applied_migrations() is 'Versions of the applied migrations, oldest first.';

call public.restrict_to_service_role();
