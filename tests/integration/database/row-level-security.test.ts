import { describe, expect, it } from "vitest";
import { z } from "zod";
import { info, sql } from "../support/harness.ts";

const tables =
  await sql`select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`;
const tableNames = tables.map((row) => z.string().parse(row.name));
const functions = await sql`select p.proname as name from pg_proc p where p.pronamespace = 'public'::regnamespace
  and p.prorettype <> 'trigger'::regtype`;
const functionNames = functions.map((row) => z.string().parse(row.name));

function rest(path: string, init: RequestInit = {}) {
  return fetch(`${info.urls.supabase}/rest/v1/${path}`, {
    ...init,
    headers: { apikey: info.anonKey, authorization: `Bearer ${info.anonKey}`, "content-type": "application/json" },
  });
}

describe("row level security", () => {
  it("is enabled for every table", async () => {
    const unprotected =
      await sql`select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and not relrowsecurity`;
    expect(tableNames.length).toBeGreaterThanOrEqual(8);
    expect(unprotected).toEqual([]);
  });

  it("has no policy but those for restricted calls, a role that no key names", async () => {
    const others = await sql`select policyname from pg_policies
      where schemaname = 'public' and roles <> '{dejavu_restricted}'::name[]`;
    expect(others).toEqual([]);
    const members =
      await sql`select member::regrole::text from pg_auth_members where roleid = 'dejavu_restricted'::regrole
      and member <> current_user::regrole`;
    expect(members.map(({ member }) => member)).toEqual(["authenticator"]);
  });

  it("covers only tables and columns that have a comment", async () => {
    const uncommented = await sql`
      select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum >= 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and col_description(c.oid, a.attnum) is null
      union all
      select c.relname, null from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and obj_description(c.oid) is null`;
    expect(uncommented).toEqual([]);
  });
});

describe.each(tableNames)("with the anon key, table %s", (table) => {
  it.each(["GET", "POST", "PATCH", "DELETE"])("refuses %s", async (method) => {
    const init = method === "GET" ? {} : { method, ...(method === "DELETE" ? {} : { body: "{}" }) };
    const response = await rest(table, init);
    expect([401, 403]).toContain(response.status);
  });
});

describe("with the anon key", () => {
  it.each(functionNames)("function %s cannot be called", async (name) => {
    // 404: PostgREST hides a function whose arguments do not match; 401 and 403: it may not be executed.
    const withoutArguments = await rest(`rpc/${name}`, { method: "POST", body: "{}" });
    expect([401, 403, 404]).toContain(withoutArguments.status);
    const [grant] = await sql`select bool_or(has_function_privilege('anon', p.oid, 'execute')) as anon,
      bool_or(has_function_privilege('authenticated', p.oid, 'execute')) as authenticated
      from pg_proc p where p.pronamespace = 'public'::regnamespace and p.proname = ${name}`;
    expect({ ...grant }).toEqual({ anon: false, authenticated: false });
  });

  it("a search with matching arguments is refused", async () => {
    const body = JSON.stringify({
      p_collection: "runbooks",
      p_terms: ["disk"],
      p_limit: 1,
      p_k1: 1.2,
      p_b: 0.75,
    });
    expect([401, 403]).toContain((await rest("rpc/search_documents", { method: "POST", body })).status);
  });

  it("a table of a later migration is not accessible either", async () => {
    try {
      await sql`create table public.later (id int)`;
      await sql`notify pgrst, 'reload schema'`;
      const [grant] = await sql`select has_table_privilege('anon', 'public.later', 'select') as anon`;
      expect({ ...grant }).toEqual({ anon: false });
    } finally {
      await sql`drop table public.later`;
      await sql`notify pgrst, 'reload schema'`;
    }
  });
});
