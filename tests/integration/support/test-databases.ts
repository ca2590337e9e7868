// Databases of test files: copies of the migrated one, each with a PostgREST. Files that share a process use the same one
// after another, as long as nothing but rows was changed: a new one costs half a second of CPU time. This module is kept
// between files.

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { postgrestService } from "../../../dev/stack/services/postgrest.ts";
import { processMarker } from "../../../dev/stack/system/process-tree.ts";
import { EMPTY_TABLES, MAINTENANCE_DATABASE, type SharedStack } from "./shared-stack.ts";

export interface TestDatabase {
  readonly url: string;
  /** Where its PostgREST listens: no two files need the same port. */
  readonly socketPath: string;
  /** What a file must leave as it was: the schema, and the rows that migrations created. */
  readonly state: string;
  /** The rows of domains, which files change: as JSON. */
  readonly domains: string;
  drop(): Promise<void>;
}

/** Few connections that last: the first call of each function compiles and plans it anew in each connection, 0.4 s in all. */
const POOL = { PGRST_DB_POOL: "4", PGRST_DB_POOL_MAX_IDLETIME: "600" };

/** The migrated database. */
const TEMPLATE = "postgres";

const POLL_MS = 5;

const idle: TestDatabase[] = [];

/** An empty database for one file. @throws Error when PostgREST ends during its start */
export async function takeDatabase(shared: SharedStack): Promise<TestDatabase> {
  for (let database = idle.pop(); database !== undefined; database = idle.pop()) {
    const { url, state, domains } = database;
    if ((await withAdmin(url, (sql) => emptied(sql, shared, domains))) === state) return database;
    await database.drop();
  }
  return createDatabase(shared);
}

/** Keeps the database for the next file, if files share this process. */
export async function keepForNextFile(shared: SharedStack, database: TestDatabase): Promise<void> {
  if (shared.sharesProcess) idle.push(database);
  else await database.drop();
}

async function createDatabase(shared: SharedStack): Promise<TestDatabase> {
  const name = `file_${randomUUID().replaceAll("-", "")}`;
  const url = databaseUrl(shared, name);
  const maintenanceUrl = databaseUrl(shared, MAINTENANCE_DATABASE);
  const socketPath = join(shared.dir, `${name.slice(0, 16)}.sock`);
  await withAdmin(maintenanceUrl, (sql) =>
    sql.unsafe(`create database ${name} template ${TEMPLATE} strategy file_copy`),
  );
  const postgrest = startPostgrest(shared, url, socketPath);
  const drop = async () => {
    await ended(postgrest);
    await withAdmin(maintenanceUrl, (sql) => sql.unsafe(`drop database ${name} with (force)`));
  };
  try {
    await untilReady(postgrest, socketPath);
    const initial = await withAdmin(url, async (sql) => {
      const [row] = await sql`select jsonb_agg(d)::text as domains from public.domains d`;
      return { domains: String(row?.domains), state: await stateOf(sql, shared) };
    });
    return { url, socketPath, ...initial, drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

async function withAdmin<T>(url: string, work: (sql: Sql) => PromiseLike<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Deletes the rows of the last file once its last queries have ended. @returns the state */
async function emptied(sql: Sql, shared: SharedStack, domains: string): Promise<string> {
  const active = () =>
    sql`select from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`;
  while ((await active()).length > 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  await sql.unsafe(`select ${EMPTY_TABLES}(true)`);
  await sql.unsafe(`vacuum ${shared.tables.join(", ")}`);
  await sql.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    await transaction`delete from public.domains`;
    await transaction`insert into public.domains
      select * from jsonb_populate_recordset(null::public.domains, ${domains}::text::jsonb)`;
  });
  return stateOf(sql, shared);
}

/** A hash of all rows, and of the version of each entry in the catalogs that describe the schema. */
async function stateOf(sql: Sql, { tables }: SharedStack): Promise<string> {
  const lines = [
    ...tables.map((table) => `select format('%s %s', '${table}', t) from ${table} t`),
    ...CATALOGS.map(
      (name) => `select format('%s %s %s', tableoid, oid, xmin) from ${name} where oid >= ${FIRST_OWN_OID}`,
    ),
    `select format('%s %s %s', attrelid, attnum, xmin) from pg_attribute where attrelid >= ${FIRST_OWN_OID}`,
    "select format('%s %s', setdatabase, s) from pg_db_role_setting s",
  ];
  const [state] = await sql.unsafe(
    `select md5(string_agg(line, E'\\n' order by line)) as hash from (${lines.join(" union all ")}) lines (line)`,
  );
  return String(state?.hash);
}

const CATALOGS = ["attrdef", "class", "constraint", "extension", "namespace", "policy", "proc", "trigger", "type"].map(
  (name) => `pg_${name}`,
);
/** Lower ones belong to PostgreSQL itself (transam.h, FirstNormalObjectId). */
const FIRST_OWN_OID = 16_384;

function databaseUrl({ info }: SharedStack, name: string): string {
  return Object.assign(new URL(info.urls.postgres), { pathname: `/${name}` }).href;
}

/** The process marker ends it with the run. */
function startPostgrest(
  { dir, authenticatorPassword, jwtSecret }: SharedStack,
  databaseAddress: string,
  socket: string,
) {
  const url = new URL(databaseAddress);
  url.username = "authenticator";
  url.password = authenticatorPassword;
  const { command, env } = postgrestService({ port: 0, adminPort: 0, databaseUrl: url.href, jwtSecret });
  const { PGRST_SERVER_PORT: _, PGRST_ADMIN_SERVER_PORT: __, ...rest } = env;
  return spawn(command, [], {
    env: { ...rest, ...processMarker(dir), PGRST_SERVER_UNIX_SOCKET: socket, ...POOL },
    stdio: ["ignore", "ignore", "ignore"],
  });
}

/** PostgREST answers 503 until it has loaded the schema: within 100 ms, or much later on a busy machine. */
async function untilReady(postgrest: ChildProcess, socketPath: string): Promise<void> {
  while ((await statusOf(socketPath)) >= 503) {
    const end = postgrest.exitCode ?? postgrest.signalCode;
    if (end !== null) throw new Error(`PostgREST ended with ${end}.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Returns 599 when nothing listens yet. */
function statusOf(socketPath: string): Promise<number> {
  return new Promise((resolve) => {
    request({ socketPath, path: "/" }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 599);
    })
      .once("error", () => resolve(599))
      .end();
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
