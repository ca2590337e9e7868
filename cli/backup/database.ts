// The database that a backup is read from and restored to: its address, its tables, sequences and migrations.

import postgres from "postgres";
import { z } from "zod";
import { runningStack } from "../find-stores.ts";
import type { Environment } from "../service/private-file.ts";

/** Seconds. A person waits for the answer. */
const CONNECT_TIMEOUT_S = 15;

export interface TableColumns {
  readonly name: string;
  /** Columns with stored values of their own; generated columns follow from them. */
  readonly columns: readonly string[];
}

export interface SequenceState {
  readonly name: string;
  /** Text: a bigint. */
  readonly lastValue: string;
  readonly isCalled: boolean;
}

/** @throws Error that says how to name the database */
export function databaseAddress(env: Environment): string {
  const address = env.DATABASE_URL ?? runningStack()?.urls.postgres;
  if (address === undefined) {
    throw new Error(
      'No local stack is running and DATABASE_URL is not set. Set DATABASE_URL to the connection string of PostgreSQL, or run "npm start" in another terminal.',
    );
  }
  const isAddress = z.url({ protocol: /^postgres(ql)?$/ }).safeParse(address).success;
  if (!isAddress)
    throw new Error("DATABASE_URL is not a connection string such as postgresql://user:password@host:5432/postgres.");
  return address;
}

/** Opens one connection, runs `work` and closes it. @throws Error whose message has no password */
export async function withDatabase<T>(address: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(address, { max: 1, onnotice: () => {}, connect_timeout: CONNECT_TIMEOUT_S, idle_timeout: 0 });
  try {
    return await work(sql);
  } catch (error) {
    throw explained(error, new URL(address));
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const failureSchema = z.object({ code: z.string(), message: z.string() });

function explained(error: unknown, { host }: URL): unknown {
  const failure = failureSchema.safeParse(error);
  if (!failure.success) return error;
  const { code, message } = failure.data;
  if (["ECONNREFUSED", "ENOTFOUND", "CONNECT_TIMEOUT", "CONNECTION_CLOSED", "ECONNRESET"].includes(code))
    return new Error(`The database at ${host} is not reachable (${code}).`, { cause: error });
  if (code === "28P01" || code === "28000")
    return new Error(`The database at ${host} refused the user or the password.`, { cause: error });
  if (code === "55P03")
    return new Error("Another connection uses the tables. Stop the Worker and its cron jobs, and try again.", {
      cause: error,
    });
  return new Error(`PostgreSQL reports ${code}: ${message}`, { cause: error });
}

/** Versions of the applied migrations, ascending. @throws Error for a database without the schema */
export async function readMigrations(sql: postgres.ISql): Promise<string[]> {
  const [history] = await sql`select to_regclass('supabase_migrations.schema_migrations') is not null as exists`;
  if (!history?.exists) throw new Error("The database has no schema of Dejavu. Apply the migrations first.");
  const rows = await sql`select version from supabase_migrations.schema_migrations order by version`;
  return rows.map(({ version }) => String(version));
}

export async function readTables(sql: postgres.ISql): Promise<TableColumns[]> {
  const rows = await sql`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      and a.attgenerated = ''
    group by c.relname order by c.relname`;
  return z.array(z.object({ name: z.string(), columns: z.array(z.string()) })).parse([...rows]);
}

export async function readSequences(sql: postgres.ISql): Promise<SequenceState[]> {
  const names = await sql`select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'S' order by relname`;
  const states: SequenceState[] = [];
  for (const { name } of names) {
    const [row] = await sql`select last_value::text as last_value, is_called from ${sql(`public.${name}`)}`;
    states.push({ name: String(name), lastValue: String(row?.last_value), isCalled: row?.is_called === true });
  }
  return states;
}

/** `public."name" ("column", …)`, as COPY takes it. */
export function copyTarget({ name, columns }: TableColumns): string {
  return `public.${quoted(name)} (${columns.map(quoted).join(", ")})`;
}

export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}
