// A PostgreSQL server of a test's own, whose sessions, slots and settings may be disturbed.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import getPort from "get-port";
import postgres from "postgres";
import { findPostgresHome } from "../../../dev/stack/services/postgres-home.ts";
import type { SqlServer } from "./fixtures/situations.ts";

/** Enough for a busy machine. */
const TIMEOUT_MS = 60_000;
const POLL_MS = 50;
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "30",
  superuser_reserved_connections: "3",
  max_prepared_transactions: "5",
  wal_level: "logical",
  archive_mode: "on",
  fsync: "off",
  shared_buffers: "16MB",
  dynamic_shared_memory_type: "mmap",
  autovacuum_naptime: "1h",
};
const MONITOR = "monitor";
const STRANGER = "stranger";

export interface OwnPostgres extends SqlServer, AsyncDisposable {
  /** Address of a login with pg_monitor. */
  readonly url: string;
  /** Address of a login without any grant. */
  readonly strangerUrl: string;
}

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const dir = await mkdtemp(join(tmpdir(), "dejavu-own-postgres-"));
  // The server does not run as root: its user has to enter the folder.
  await chmod(dir, 0o755);
  const home = await findPostgresHome({ dir, dataDir: join(dir, "data") }, true);
  if (home.runAs) await chown(dir, home.runAs.uid, home.runAs.gid);
  const user = home.runAs ? { uid: home.runAs.uid, gid: home.runAs.gid } : {};
  const options = { ...user, cwd: "/" };
  await promisify(execFile)(
    home.initdb,
    [`--pgdata=${home.dataDir}`, "--username=postgres", "--auth=trust", "--locale=C", "--encoding=UTF8", "--no-sync"],
    options,
  );
  const port = await getPort({ host: "127.0.0.1" });
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(home.postgres, ["-D", home.dataDir, "-p", `${port}`, ...settings], {
    ...options,
    stdio: "ignore",
  });
  const urlOf = (name: string) => `postgres://${name}@127.0.0.1:${port}/postgres`;
  const connect = () => postgres(urlOf("postgres"), { max: 1, onnotice: () => {} });
  const control = connect();

  const statements = async (sql: postgres.Sql, text: string) => {
    for (const statement of text.split(";").filter((each) => each.trim() !== "")) {
      await sql.unsafe(statement);
      // So that the views count what each statement did, in the order of the statements.
      await sql.unsafe("select pg_stat_force_next_flush()");
    }
  };
  const isTrue = async (query: string) => {
    const [row] = await control.unsafe(query).values();
    return row?.[0] === true;
  };
  const until = (query: string) => untilTrue(() => isTrue(query), `The server never reached: ${query}`);
  const accepts = () =>
    control`select 1`.then(
      () => true,
      () => false,
    );
  await untilTrue(accepts, "PostgreSQL did not start.");
  await statements(
    control,
    `create role ${MONITOR} login; grant pg_monitor to ${MONITOR}; create role ${STRANGER} login`,
  );
  return {
    url: urlOf(MONITOR),
    strangerUrl: urlOf(STRANGER),
    run: (text) => statements(control, text),
    until,
    async hold(...texts) {
      const session = connect();
      const [{ pid }] = await session<[{ pid: number }]>`select pg_backend_pid() as pid`;
      for (const text of texts.slice(0, -1)) await session.unsafe(text);
      // The last one may wait for a lock. It fails when its session is ended.
      let isDone = false;
      const done = () => {
        isDone = true;
      };
      session.unsafe(texts.at(-1) ?? "").then(done, done);
      const isBusy = `select state <> 'idle' from pg_stat_activity where pid = ${pid}`;
      await untilTrue(async () => isDone || (await isTrue(isBusy)), "The session never ran its last statement.");
      return {
        async [Symbol.asyncDispose]() {
          await control`select pg_terminate_backend(${pid})`;
          await session.end({ timeout: 1 });
          await until(`select count(*) = 0 from pg_stat_activity where pid = ${pid}`);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await control.end({ timeout: 1 });
      server.kill("SIGINT");
      if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
      for (const folder of [dir, ...home.temporaryDirs]) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** @throws Error with the message after a minute */
async function untilTrue(test: () => Promise<boolean>, message: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await test())) {
    if (performance.now() > deadline) throw new Error(message);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
