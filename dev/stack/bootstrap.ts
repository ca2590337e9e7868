/**
 * What Supabase gives every project before its first migration: the API's roles, and default privileges so generous
 * that a migration which forgets to revoke or to enable row level security shows in tests. Safe to run again.
 */
import postgres from "postgres";

/** Roles as in Supabase's own images; only the authenticator logs in, the others are put on per request. */
const ROLES_SQL = `
do $$
begin
  if not exists (select from pg_roles where rolname = 'anon') then
    create role anon nologin noinherit;
  end if;
  if not exists (select from pg_roles where rolname = 'authenticated') then
    create role authenticated nologin noinherit;
  end if;
  if not exists (select from pg_roles where rolname = 'service_role') then
    create role service_role nologin noinherit bypassrls;
  end if;
  if not exists (select from pg_roles where rolname = 'authenticator') then
    create role authenticator login noinherit;
  end if;
end
$$;
grant anon, authenticated, service_role to authenticator;
-- The limits a hosted project has.
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';
alter role anon set statement_timeout = '3s';
create schema if not exists extensions;
grant usage on schema public, extensions to anon, authenticated, service_role;
alter default privileges in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges in schema public grant all on sequences to anon, authenticated, service_role;
alter default privileges in schema public grant all on functions to anon, authenticated, service_role;
`;

/**
 * @param superuserUrl a connection that may create roles
 * @param authenticatorPassword hexadecimal, as secrets.ts makes it: it is put into SQL as it is
 */
export async function bootstrapDatabase(superuserUrl: string, authenticatorPassword: string): Promise<void> {
  if (!/^[0-9a-f]+$/.test(authenticatorPassword)) throw new Error("The authenticator's password must be hexadecimal.");
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(ROLES_SQL);
    await sql.unsafe(`alter role authenticator password '${authenticatorPassword}'`);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
