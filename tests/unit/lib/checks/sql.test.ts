import { describe, expect, it } from "vitest";
import { sql } from "../../../../lib/checks/sql/sql.ts";

const NOW = new Date(0);

describe("a check of the server's statistics", () => {
  it.each([
    "select count(*) * 100.0 / current_setting('max_connections')::int as percent from pg_stat_activity",
    "select pid, usename, extract(epoch from now() - xact_start) as seconds from pg_stat_activity where state = 'idle in transaction' order by xact_start limit 10;",
    "select blocked.pid, b.pid as blocker from pg_stat_activity blocked join lateral unnest(pg_blocking_pids(blocked.pid)) as b(pid) on true",
    "select slot_name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) as bytes from pg_replication_slots where not active",
    "with waits as (select pid, wait_event from pg_stat_activity where wait_event_type = 'Lock') select count(*) as n from waits w where w.pid > 0",
    "select relname, round(100.0 * n_dead_tup / nullif(n_live_tup + n_dead_tup, 0), 1) as share from pg_stat_user_tables order by n_dead_tup desc limit 5",
    "select max(age(datfrozenxid)) as age from pg_database",
    "select * from pg_stat_replication",
    "select d.* from pg_stat_database d where d.datname = :datname",
    "select case when pg_is_in_recovery() then extract(epoch from now() - pg_last_xact_replay_timestamp()) else 0 end as lag",
    "select 1 as n where exists (select 1 from pg_locks where not granted) union all select 2",
    "select rank() over (partition by datname order by temp_bytes desc) as r from pg_catalog.pg_stat_database",
    "select count(*) filter (where state = 'active') as busy, count(distinct datname) as n from pg_stat_activity",
    "SELECT Datname FROM PG_Stat_Database -- in capitals",
    'select "datname" as "Name of it" from "pg_stat_database" /* in quotes */',
    "select l.mode, a.state from pg_locks l left join pg_stat_activity a using (pid) group by 1, 2 having count(*) > 1",
    "select percentile_cont(0.9) within group (order by extract(epoch from write_lag)) from pg_stat_replication",
    "select count(*) from pg_stat_activity where state_change < now() - interval '5 minutes' and application_name ~ '^web'",
    "select c.relname, pg_size_pretty(pg_total_relation_size(c.oid)) from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname not in ('pg_catalog')",
  ])("may run: %s", (query) => {
    expect(sql.validate(query)).toEqual([]);
  });

  it.each([
    ["select\n  pid,\n  pg_sleep(1)\nfrom pg_stat_activity", 3, /may not call pg_sleep\(\)/],
    ["select pid\nfrom pg_stat_activity\nwhere foo = 1", 3, /pg_stat_activity has no column foo/],
    ["select a.pid, a.foo from pg_stat_activity a", 1, /pg_stat_activity has no column foo/],
    ["select 1\nfrom pg_authid", 2, /may not read pg_authid/],
    ["select pid\nfrom pg_stat_activity\nwhere (", 1, /not complete/],
    ["select pid\nfrom pg_stat_activity\nwher x", 3, /cannot be parsed at column 6/],
    ["select query from pg_stat_activity", 1, /`query_id` identifies a statement without its text/],
    ["select name, setting from pg_settings", 1, /`current_setting\('max_connections'\)` reads a setting/],
    ["select *\nfrom pg_stat_activity", 1, /Name the columns of pg_stat_activity instead of \*/],
    ["select 'a\nb', 'c\\d'", 2, /a backslash/],
    ["", 1, /not complete|empty/],
    ["-- nothing", 1, /not complete|empty/],
  ])("shows the line of a problem: %j", (query, line, message) => {
    expect(sql.validate(query)).toContainEqual({ line, message: expect.stringMatching(message) });
  });
});

describe("the labels of an alert", () => {
  const prepare = (query: string, labels: Record<string, string>, match: readonly string[] | null = null) =>
    sql.prepare(query, { labels, match, now: NOW });

  it("become parameters, one for each label, outside of strings, comments and casts", () => {
    const query = "select ':no', 1::int -- :no\nfrom pg_stat_database where datname = :db or datname = :db";
    expect(prepare(query, { db: "shop" })).toEqual({
      ok: true,
      value: {
        query: {
          language: "sql",
          text: "select ':no', 1::int \nfrom pg_stat_database where datname = ($1::text) or datname = ($1::text)",
          parameters: ["shop"],
        },
        shown: "select ':no', 1::int \nfrom pg_stat_database where datname = 'shop' or datname = 'shop'",
      },
    });
  });

  it("keep a query without parameters as it is", () => {
    expect(prepare("select 1", {})).toMatchObject({ ok: true, value: { query: { text: "select 1", parameters: [] } } });
  });

  it.each<readonly [labels: Record<string, string>, match: readonly string[] | null, reason: string]>([
    [{}, null, "The alert has no label db."],
    [{ db: "" }, null, "The alert has no label db."],
    [{ db: "shop" }, ["db", "instance"], "match names the label instance, but the query has no :instance."],
    [{ db: "shop" }, ["instance?"], "match names the label instance, but the query has no :instance."],
  ])("%j with match %j: the check does not run", (labels, match, reason) => {
    expect(prepare("select 1 where 'x' = :db", labels, match)).toEqual({ ok: false, reason });
  });

  it("that may be missing are null", () => {
    const query = "select 1 as n where :db is null or :db = 'x' or :job = 'y'";
    expect(prepare(query, { job: "web" }, ["db?"])).toMatchObject({
      value: {
        query: {
          text: "select 1 as n where (null::text) is null or (null::text) = 'x' or ($1::text) = 'y'",
          parameters: ["web"],
        },
        shown: "select 1 as n where null is null or null = 'x' or 'web' = 'y'",
      },
    });
  });
});
