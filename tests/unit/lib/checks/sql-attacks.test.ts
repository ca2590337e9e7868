// Hostile SQL checks and labels. Each query would read what a check may not read, change something, or wear the server out.

import { parse } from "pgsql-ast-parser";
import { describe, expect, it } from "vitest";
import { sqlNodesOf } from "../../../../lib/checks/sql/nodes.ts";
import { sql } from "../../../../lib/checks/sql/sql.ts";
import { treeProblems } from "../../../../lib/checks/sql/tree.ts";

const NOW = new Date(0);

/** What it tries, and the query. */
const HOSTILE: readonly (readonly [aim: string, query: string])[] = [
  ["stacked statements", "select 1; drop table runs"],
  ["stacked statements after a string", "select ';'; select pg_sleep(10)"],
  ["no select", "delete from pg_class"],
  ["a change of a setting", "set log_statement = 'none'"],
  ["a copy to a program", "copy (select 1) to program 'sh'"],
  ["a block of code", "do $$ begin perform pg_sleep(10); end $$"],
  ["explain analyze", "explain analyze select 1"],
  ["values of a function", "values (pg_sleep(10))"],
  ["a new table", "select 1 into stolen"],
  ["a lock on rows", "select relname from pg_class for update"],
  ["a shared lock on rows", "select relname from pg_class for share skip locked"],
  ["a change in a CTE", "with x as (delete from pg_class returning relname) select * from x"],
  ["a new row in a CTE", "with x as (insert into pg_class values (1) returning oid) select * from x"],
  ["an endless recursion", "with recursive x(n) as (select 1 union all select n from x) select n from x"],
  ["a slow function", "select pg_sleep(10)"],
  ["a function of the catalog", "select pg_catalog.set_config('log_statement', 'none', false)"],
  ["a function in quotes", 'select "pg_terminate_backend"(1)'],
  ["a function in capitals", "select PG_Terminate_Backend(pid) from pg_stat_activity"],
  ["a function after a line break", "select pg_terminate_backend\n(pid) from pg_stat_activity"],
  ["a function after a comment", "select pg_terminate_backend/**/(pid) from pg_stat_activity"],
  ["a function in where", "select pid from pg_stat_activity where pg_cancel_backend(pid)"],
  ["a function in order by", "select pid from pg_stat_activity order by pg_terminate_backend(pid)"],
  ["a function in group by", "select 1 from pg_stat_activity group by pg_terminate_backend(pid)"],
  ["a function in having", "select 1 from pg_class having lo_import('/etc/passwd') is not null"],
  ["a function in limit", "select 1 from pg_class limit nextval('s')"],
  ["a function in a join", "select 1 from pg_class a join pg_class b on pg_advisory_lock(1) is null"],
  ["a function in from", "select * from pg_ls_dir('/')"],
  ["a function in a lateral join", "select 1 from pg_class, lateral pg_read_file('/etc/passwd') f"],
  ["a function in case", "select case when true then pg_read_file('/etc/passwd') end"],
  ["a function in a filter", "select count(*) filter (where pg_switch_wal() is null) from pg_class"],
  ["a function in a window", "select count(*) over (partition by pg_reload_conf()) from pg_class"],
  [
    "a function in an aggregate's order",
    "select percentile_cont(0.5) within group (order by pg_sleep(1)) from pg_class",
  ],
  ["a function in a subquery", "select (select pg_promote())"],
  ["a function in an array", "select array[pg_rotate_logfile()]"],
  ["a function in a cast", "select pg_read_binary_file('/etc/passwd')::text"],
  ["a function in distinct on", "select distinct on (pg_sleep(1)) relname from pg_class"],
  ["a function in a union", "select 1 union all select lo_unlink(1)"],
  ["a function of an extension", "select dblink('host=evil.example', 'select 1')"],
  ["a query in a text", "select query_to_xml('select * from pg_authid', true, true, '')"],
  ["a function of a schema", "select public.evil()"],
  ["an attribute that calls a function", "select a.row_to_json from pg_stat_activity a"],
  ["an operator of a schema", "select 1 operator(public.+) 2"],
  ["a custom operator", "select 1 <#> 2"],
  ["an operator of a function", "select !!1"],
  ["passwords", "select rolpassword from pg_authid"],
  ["passwords, in quotes", 'select rolpassword from "pg_authid"'],
  ["passwords, in capitals", "select passwd from PG_SHADOW"],
  ["passwords of roles", "select rolpassword, rolconfig from pg_roles"],
  ["passwords of foreign servers", "select umoptions from pg_user_mappings"],
  ["passwords of subscriptions", "select subconninfo from pg_subscription"],
  ["passwords of replication", "select conninfo from pg_stat_wal_receiver"],
  ["a setting with a password", "select current_setting('primary_conninfo')"],
  ["a setting in a label", "select current_setting(:setting)"],
  ["a setting that is computed", "select current_setting('primary' || '_conninfo')"],
  ["all settings", "select name, setting from pg_settings"],
  ["all columns of settings", "select * from pg_settings"],
  ["statements of others", "select query from pg_stat_activity"],
  ["statements of others by a star", "select a.* from pg_stat_activity a"],
  ["statements of others by the row", "select a from pg_stat_activity a"],
  ["statements of others by the name", "select pg_stat_activity from pg_stat_activity"],
  ["statements of others as a text", "select a::text from pg_stat_activity a"],
  ["statements of others by a new name", "select c20 from pg_stat_activity a(c1, c2, c3)"],
  ["statements of others by an alias", "select (select 1 as query), query from pg_stat_activity"],
  ["statements of others by an alias of the row", "select (select 1 as a), a from pg_stat_activity a"],
  ["statements of others in a subquery", "select * from (select * from pg_stat_activity) x"],
  ["statements of others in a join", "select 1 from pg_stat_activity a join pg_stat_activity b using (query)"],
  ["values of rows", "select most_common_vals from pg_stats"],
  ["source code", "select prosrc from pg_proc"],
  ["a table of the database", "select * from runs"],
  ["a table of a schema", "select * from public.pg_class"],
  ["large objects", "select data from pg_largeobject"],
  ["files by a view", "select * from pg_hba_file_rules"],
  ["a hidden table behind a CTE's name", "with pg_authid as (select 1 as rolname) select rolname from pg_authid"],
  ["an escape in a string", "select E'\\x41'"],
  ["a backslash in a string", "select 'a\\'', pg_sleep(10) --'"],
  ["an escape in a name", 'select U&"pg\\005fsleep"(10)'],
  ["a dollar quote", "select $$a$$"],
  ["a dollar quote with a tag", "select $a$;drop table runs;$a$"],
  ["a nested comment", "select 1 /* /* */ , pg_sleep(10) -- */"],
  ["a comment without an end", "select 1 /* "],
  ["a string without an end", "select 'a"],
  ["a number that is two tokens", "select 1e3"],
  ["a parameter of its own", "select $1"],
  ["a letter that looks like another", "select ｐg_sleep(1)"],
  ["a blank that is none", "select\u00a01"],
  ["a null byte", "select 1\0"],
  ["a long series", "select * from generate_series(1, 1000000000)"],
  ["a long text", "select repeat('x', 1000000000)"],
  ["a long padding", "select lpad('x', 1000000000)"],
  ["a long list", "select string_agg(relname, ',') from pg_class"],
  ["many joins", `select 1 from ${Array.from({ length: 9 }, (_, i) => `pg_class a${i}`).join(", ")}`],
  ["deep brackets", `select ${"(".repeat(21)}1${")".repeat(21)}`],
  ["a long query", `select ${"1 + ".repeat(1_500)}1`],
  ["many words", `select 1 where 1 in (${"1,".repeat(400)}1)`],
  ["a cast that runs code", "select 'evil'::regprocedure"],
  ["a cast to a type of a schema", "select '1'::public.evil"],
  ["json of a row", "select row_to_json(a) from pg_stat_activity a"],
];

describe("a hostile check is refused:", () => {
  it.each(HOSTILE)("%s", (_aim, query) => {
    const problems = sql.validate(query);
    expect(problems.length).toBeGreaterThan(0);
    for (const { line, message } of problems) {
      expect(line).toBeGreaterThan(0);
      expect(line).toBeLessThanOrEqual(query.split("\n").length);
      expect(message).toMatch(/^.{10,300}$/);
    }
  });
});

describe("the tree of a query is enough to refuse", () => {
  it.each(HOSTILE.filter(([aim]) => /^an? (?:function|row|change|lock|attribute)\b|^statements of/.test(aim)))(
    "%s",
    (_, query) => {
      for (const statement of sqlNodesOf(parsedOrNothing(query)))
        expect(treeProblems(statement).length).toBeGreaterThan(0);
    },
  );
});

function parsedOrNothing(query: string): unknown {
  try {
    return parse(query);
  } catch {
    return []; // The parser refuses it.
  }
}

const LABELS = [
  "x'; drop table runs; --",
  "x' or '1'='1",
  "\\'; select pg_sleep(10); --",
  "$1",
  ":other",
  "') union select rolpassword from pg_authid --",
  '"; select 1',
  "$$; select 1; $$",
  "*/ select 1 /*",
  "x\n; select 1",
  "#{1}",
  "%s",
  "'",
  "''",
  "U&'\\0027'",
  "\u2019; select 1",
];

describe("a hostile label changes nothing but its parameter:", () => {
  const query = "select pid from pg_stat_activity where datname = :database and application_name = :job";

  it.each(LABELS)("%j", (value) => {
    const labels = { database: value, job: "web" };
    expect(sql.prepare(query, { labels, match: null, now: NOW })).toEqual({
      ok: true,
      value: {
        query: {
          language: "sql",
          text: "select pid from pg_stat_activity where datname = ($1::text) and application_name = ($2::text)",
          parameters: [value, "web"],
        },
        shown: `select pid from pg_stat_activity where datname = '${value.replaceAll("'", "''")}' and application_name = 'web'`,
      },
    });
  });

  it.each(["a\0b", "x".repeat(1_001)])("a value that names nothing is refused", (value) => {
    expect(sql.prepare(query, { labels: { database: value, job: "web" }, match: null, now: NOW })).toEqual({
      ok: false,
      reason: "The value of the label database is not a name.",
    });
  });

  it("a label of the prototype is no label", () => {
    const prepared = sql.prepare("select 1 where :constructor = 'x'", { labels: {}, match: null, now: NOW });
    expect(prepared).toEqual({ ok: false, reason: "The alert has no label constructor." });
  });
});
