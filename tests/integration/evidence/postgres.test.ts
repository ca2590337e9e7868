// SQL checks against a real PostgreSQL server with real trouble: locks, forgotten transactions, replication slots, full slots.

import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { QueryCall } from "../../../functions/adapters/evidence/client.ts";
import { createPostgresClient } from "../../../functions/adapters/evidence/postgres.ts";
import { evidenceSourceSchema } from "../../../functions/schemas/evidence/source.ts";
import { FUNCTIONS, READABLE_SETTINGS } from "../../../lib/checks/sql/functions.ts";
import { HIDDEN_COLUMNS, RELATIONS } from "../../../lib/checks/sql/relations.ts";
import { sql as language } from "../../../lib/checks/sql/sql.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { MAINTENANCE_DATABASE } from "../support/shared-stack.ts";

const ID = randomUUID().replaceAll("-", "").slice(0, 12);
const DATABASE = `checks_${ID}`;
const LOGIN = `reader_${ID}`;
const FULL_LOGIN = `full_${ID}`;
const PASSWORD = "reader-secret";
const { startTimer } = createTestTimers();
const CALL: QueryCall = { timeoutMs: 20_000 };

const serverUrl = (database: string) =>
  Object.assign(new URL(inject("stack").info.urls.postgres), { pathname: `/${database}` }).href;
const maintenance = postgres(serverUrl(MAINTENANCE_DATABASE), { max: 1, onnotice: () => {} });
const admin = postgres(serverUrl(DATABASE), { max: 1, onnotice: () => {} });
/** Sessions of an application in trouble. */
const application = postgres(serverUrl(DATABASE), {
  max: 5,
  onnotice: () => {},
  connection: { application_name: "shop" },
});

beforeAll(async () => {
  await maintenance.unsafe(`create database ${DATABASE}`);
  for (const login of [LOGIN, FULL_LOGIN]) {
    await maintenance.unsafe(`create role ${login} login password '${PASSWORD}'`);
    await maintenance.unsafe(`grant pg_monitor to ${login}`);
  }
  await maintenance.unsafe(`alter role ${FULL_LOGIN} connection limit 1`);
  await admin.unsafe("create table orders (id int primary key, card text)");
  await admin.unsafe("insert into orders values (1, '4111')");
});

afterAll(async () => {
  await application.end({ timeout: 0 });
  await admin.end({ timeout: 1 });
  await maintenance.unsafe(`drop database ${DATABASE} with (force)`);
  await maintenance.unsafe(`drop role ${LOGIN}`);
  await maintenance.unsafe(`drop role ${FULL_LOGIN}`);
  await maintenance.end({ timeout: 1 });
});

function client(login = LOGIN, password = PASSWORD, database = DATABASE) {
  const { host } = new URL(inject("stack").info.urls.postgres);
  const url = `postgres://${host}/${database}`;
  return createPostgresClient(
    evidenceSourceSchema.parse({ name: "db", kind: "postgres", url }),
    `${login}:${password}`,
    startTimer,
  );
}

/** Runs a query that was not validated. */
const runText = (text: string, parameters: readonly string[] = [], call = CALL) =>
  client().run({ language: "sql", text, parameters }, call);

/** Runs a check for an alert with these labels. */
async function runCheck(query: string, labels: Readonly<Record<string, string>> = { database: DATABASE }) {
  expect(language.validate(query)).toEqual([]);
  const prepared = language.prepare(query, { labels, match: null, now: new Date(0) });
  if (!prepared.ok) throw new Error(prepared.reason);
  return await client().run(prepared.value.query, CALL);
}

describe("a check sees", () => {
  const WAITING =
    "select count(*) from pg_locks where not granted and database = (select oid from pg_database where datname = :database)";
  const BLOCKERS = `select blocked.pid, b.pid as blocker, l.mode
    from pg_stat_activity blocked
    join pg_locks l on l.pid = blocked.pid and not l.granted
    join lateral unnest(pg_blocking_pids(blocked.pid)) as b(pid) on true
    where blocked.datname = :database`;

  it("who waits for whose lock", async () => {
    const holder = await application.reserve();
    await holder.unsafe("begin");
    await holder.unsafe("lock table orders in access exclusive mode");
    const [{ pid: holderPid } = { pid: 0 }] = await holder.unsafe("select pg_backend_pid() as pid");
    const waiter = application.unsafe("select * from orders").execute();
    await expect.poll(() => runCheck(WAITING)).toMatchObject({ rows: [[1]] });
    expect(await runCheck(BLOCKERS)).toEqual({
      kind: "rows",
      columns: ["pid", "blocker", "mode"],
      rows: [[expect.any(Number), holderPid, "AccessShareLock"]],
    });
    await holder.unsafe("rollback");
    holder.release();
    await waiter;
    expect(await runCheck(WAITING)).toMatchObject({ rows: [[0]] });
  });

  it("a transaction that was forgotten", async () => {
    const session = await application.reserve();
    await session.unsafe("begin");
    await session.unsafe("select 1");
    const query = `select count(*) as sessions, max(extract(epoch from now() - state_change)) >= 0 as waits
      from pg_stat_activity where state = 'idle in transaction' and datname = :database and application_name = 'shop'`;
    expect(await runCheck(query)).toEqual({ kind: "rows", columns: ["sessions", "waits"], rows: [[1, true]] });
    await session.unsafe("rollback");
    session.release();
    expect(await runCheck(query)).toMatchObject({ rows: [[0, null]] });
  });

  it("WAL that an inactive replication slot retains", async () => {
    const slot = `slot_${ID}`;
    await admin`select pg_create_physical_replication_slot(${slot}, true)`;
    const query = `select slot_name, active, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) as bytes
      from pg_replication_slots where slot_name = :slot`;
    const before = await runCheck(query, { slot });
    expect(before).toMatchObject({ kind: "rows", rows: [[slot, false, expect.any(Number)]] });
    await admin.unsafe("insert into orders select n, repeat('x', 100) from generate_series(2, 2000) n");
    const after = await runCheck(query, { slot });
    const bytes = (result: typeof before) => (result.kind === "rows" ? Number(result.rows[0]?.[2]) : Number.NaN);
    expect(bytes(after)).toBeGreaterThan(bytes(before) + 100_000);
    await admin`select pg_drop_replication_slot(${slot})`;
    expect(await runCheck(query, { slot })).toMatchObject({ rows: [] });
  });

  it("dead rows and the size of a table", async () => {
    await admin.unsafe("update orders set card = card");
    await admin.unsafe("select pg_stat_force_next_flush()");
    const query = `select relname, n_dead_tup > 0 as dead, pg_total_relation_size(relid) > 0 as large
      from pg_stat_user_tables where relname = 'orders'`;
    await expect.poll(() => runCheck(query)).toMatchObject({ rows: [["orders", true, true]] });
  });

  it("how many connections are used, and no statement of another session", async () => {
    const query = `select count(*) <= current_setting('max_connections')::int as fits, min(state) as state
      from pg_stat_activity where backend_type = 'client backend'`;
    expect(await runCheck(query)).toMatchObject({ rows: [[true, "active"]] });
  });

  it("nothing when the slots of its login are used up, and says why", async () => {
    const holder = postgres(serverUrl(DATABASE), { user: FULL_LOGIN, pass: PASSWORD, max: 1 });
    await holder`select 1`;
    await expect(client(FULL_LOGIN).ping(CALL)).rejects.toMatchObject({
      name: "DependencyError",
      dependency: "evidence_source",
      failure: "busy",
      message: expect.stringContaining("53300"),
    });
    await holder.end({ timeout: 5 });
    await expect
      .poll(() =>
        client(FULL_LOGIN)
          .ping(CALL)
          .catch(() => null),
      )
      .toEqual({ version: expect.stringMatching(/^18/) });
  });
});

describe("a hostile label", () => {
  it.each([
    "x'; drop table orders; --",
    "' or 1=1 --",
    "\\'; drop table orders; --",
    "') union select card from orders --",
    "$1",
    "$$; drop table orders; $$",
    "x\n; drop table orders",
    "*/ drop table orders /*",
    "\u2019 or 1=1",
  ])("is a value and nothing else: %j", async (value) => {
    const query = "select count(*) from pg_database where datname = :database";
    expect(await runCheck(query, { database: value })).toEqual({ kind: "rows", columns: ["count"], rows: [[0]] });
    const echoed = await runCheck("select :database as value", { database: value });
    expect(echoed).toEqual({ kind: "rows", columns: ["value"], rows: [[value]] });
    expect(await admin.unsafe("select card from orders where id = 1")).toEqual([{ card: "4111" }]);
  });

  it("that is no number fails without its value in the message", async () => {
    const run = runCheck("select count(*) from pg_stat_activity where pid = :pid::int", { pid: "s3cret" });
    await expect(run).rejects.toMatchObject({ failure: "refused", message: expect.not.stringContaining("s3cret") });
  });
});

describe("a query that was never validated", () => {
  it.each([
    ["changes nothing", "create table stolen ()", "25006"],
    [
      "changes no row",
      "with x as (update pg_catalog.pg_description set description = '' returning 1) select * from x",
      /25006|42501/,
    ],
    ["reads no table", "select card from public.orders", "42501"],
    ["reads no password", "select rolpassword from pg_authid", "42501"],
    ["is one statement", "select 1; select 2", "42601"],
    ["finds no table by its name alone", "select card from orders", "42P01"],
    ["divides by nothing", "select 1/0", "22012"],
    [
      "ends no session of a superuser",
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'shop'",
      "42501",
    ],
    ["sees the size of a table whose rows it may not read", `select pg_relation_size('public.orders')`, ""],
  ])("%s", async (_, text, code) => {
    const outcome = await runText(text).catch((error: unknown) => error);
    if (code === "") expect(outcome).toMatchObject({ kind: "rows" });
    else expect(outcome).toMatchObject({ failure: "refused", message: expect.stringMatching(code) });
  });

  it("ends on the server before its client gives up, and its session is closed", async () => {
    const run = runText("select pg_sleep(600)", [], { timeoutMs: 1_000 });
    await expect(run).rejects.toMatchObject({ failure: "timeout" });
    await expectNoSessions();
  });

  it("ends on the server when its caller disconnects", async () => {
    const caller = new AbortController();
    const run = runText("select pg_sleep(2)", [], { timeoutMs: 2_500, cancelled: caller.signal });
    const sleeping = () =>
      maintenance`select 1 from pg_stat_activity where usename = ${LOGIN} and wait_event = 'PgSleep'`;
    await expect.poll(sleeping).toHaveLength(1);
    caller.abort();
    await expect(run).rejects.toMatchObject({ failure: "cancelled" });
    await expectNoSessions();
  });
});

/** No session of the adapter is left on the server. */
async function expectNoSessions(): Promise<void> {
  await expect.poll(() => maintenance`select pid, state from pg_stat_activity where usename = ${LOGIN}`).toEqual([]);
}

describe("a result", () => {
  it("has numbers, times, truth values and texts", async () => {
    const text = `select 1::int8, 2.5::numeric, '12345678901234567890'::numeric, 'NaN'::float8, true, null::int,
      '2026-03-01 03:00:00.123456+00'::timestamptz, '2026-03-01 03:00:00'::timestamp, 'infinity'::timestamptz,
      '90 seconds'::interval, array['a', 'b'], repeat('x', 2000), 'ünï'`;
    expect(await runText(text)).toMatchObject({
      rows: [
        [
          1,
          2.5,
          "12345678901234567890",
          "NaN",
          true,
          null,
          "2026-03-01T03:00:00.123Z",
          "2026-03-01T03:00:00",
          "infinity",
          "00:01:30",
          "{a,b}",
          `${"x".repeat(999)}…`,
          "ünï",
        ],
      ],
    });
  });

  it("has its columns also without rows, with and without parameters", async () => {
    const empty = { kind: "rows", columns: ["a"], rows: [] };
    expect(await runText("select 1 as a where false")).toEqual(empty);
    expect(await runText("select 1 as a where $1 = 'x'", ["y"])).toEqual(empty);
  });

  it("may have 100 rows; with more, none is returned", async () => {
    expect(await runText("select n from generate_series(1, 100) n")).toMatchObject({ rows: { length: 100 } });
    expect(await runText("select n from generate_series(1, 1000000) n")).toEqual({
      kind: "too_large",
      size: "more than 100 rows",
      hint: expect.stringContaining("count(*)"),
    });
  });

  it("may have 256 KB; with more, none is returned", async () => {
    expect(await runText("select repeat('x', 200000) as a")).toMatchObject({ kind: "rows" });
    expect(await runText("select repeat('x', 30000000) as a")).toMatchObject({
      kind: "too_large",
      size: "more than 256 KB",
    });
  });
});

describe("a login", () => {
  it("is tried with a ping that returns the version", async () => {
    expect(await client().ping(CALL)).toEqual({ version: expect.stringMatching(/^18(\.\d+)?$/) });
    await expectNoSessions();
  });

  it.each([
    ["the password is wrong", () => client(LOGIN, "wrong"), "28P01"],
    ["the database does not exist", () => client(LOGIN, PASSWORD, "nowhere"), "3D000"],
  ])("fails when %s", async (_, source, code) => {
    await expect(source().ping(CALL)).rejects.toMatchObject({
      failure: "refused",
      message: expect.stringContaining(code),
    });
  });

  it("may come as a whole connection string in the secret", async () => {
    const { host } = new URL(inject("stack").info.urls.postgres);
    const definition = evidenceSourceSchema.parse({ name: "db", kind: "postgres", url: "postgres://hyperdrive/shop" });
    const source = createPostgresClient(
      definition,
      `postgresql://${LOGIN}:${PASSWORD}@${host}/${DATABASE}?sslmode=disable`,
      startTimer,
    );
    expect(await source.ping(CALL)).toEqual({ version: expect.any(String) });
  });
});

describe("the allow-lists", () => {
  it("name every column of each relation of this version: readable or hidden", async () => {
    const columns = await admin`select relname as relation, array_agg(attname::text) as names from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
      where relnamespace = 'pg_catalog'::regnamespace and relname in ${admin([...RELATIONS.keys()])} group by 1`;
    expect(columns.map(({ relation }) => relation).sort()).toEqual([...RELATIONS.keys()].sort());
    for (const { relation, names } of columns) {
      const hidden: readonly string[] = HIDDEN_COLUMNS[relation] ?? [];
      const unlisted = names.filter((name: string) => !RELATIONS.get(relation)?.has(name));
      expect([relation, unlisted.sort()]).toEqual([relation, [...hidden].sort()]);
    }
  });

  it("have no function that changes something", async () => {
    const volatile = await admin`select distinct proname::text as name from pg_proc
      where pronamespace = 'pg_catalog'::regnamespace and provolatile = 'v' and proname in ${admin([...FUNCTIONS])} order by 1`;
    // Volatile because their results change by themselves.
    expect(volatile.map(({ name }) => name)).toEqual([
      "clock_timestamp",
      "pg_blocking_pids",
      "pg_current_wal_flush_lsn",
      "pg_current_wal_insert_lsn",
      "pg_current_wal_lsn",
      "pg_database_size",
      "pg_get_wal_replay_pause_state",
      "pg_indexes_size",
      "pg_is_in_recovery",
      "pg_is_wal_replay_paused",
      "pg_last_wal_receive_lsn",
      "pg_last_wal_replay_lsn",
      "pg_last_xact_replay_timestamp",
      "pg_relation_size",
      "pg_safe_snapshot_blocking_pids",
      "pg_table_size",
      "pg_tablespace_size",
      "pg_total_relation_size",
      "pg_xact_commit_timestamp",
    ]);
  });

  it("have no setting that only superusers may read", async () => {
    const secret = await admin`select name from pg_settings
      where name in ${admin([...READABLE_SETTINGS])} and name ~ 'conninfo|command|passphrase|key|preload|file$|directory'`;
    expect(secret).toEqual([]);
  });
});
