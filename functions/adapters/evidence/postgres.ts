// PostgreSQL as a source of evidence: one query in a read-only transaction of its own connection.

import postgres from "postgres";
import { type Cell, QUERY_LIMITS, type QueryResult } from "../../../lib/checks/scope/query.ts";
import { callDependency, DependencyError, type DependencyFailure } from "../../dependencies.ts";
import type { StartTimer } from "../../timers.ts";
import type { CreateEvidenceClient, QueryCall } from "./client.ts";
import { type PostgresAddress, readPostgresAddress } from "./postgres-connection/address.ts";
import { GuardedSocket } from "./postgres-connection/guarded-socket.ts";
import { createMessageGuard } from "./postgres-connection/message-guard.ts";

/** Of the protocol, beside the rows: parameters of the session, descriptions of columns, lengths. */
const PROTOCOL_BYTES = 32_768;
/** The server ends a statement before its client gives up, so that nobody works for nothing. */
const STATEMENT_MARGIN_MS = 250;
const MIN_STATEMENT_MS = 100;
const MAX_LOCK_WAIT_MS = 1_000;

/** What SQLSTATE codes mean for a check. Class codes, of two characters, hold for what is not listed. */
const FAILURES: Readonly<Record<string, readonly [failure: DependencyFailure, detail: string]>> = {
  "08": ["unreachable", "the connection failed"],
  "28": ["refused", "the login was rejected: check the user and the password"],
  "3D000": ["refused", "the database does not exist"],
  "42501": ["refused", "the login may not read this: grant it pg_monitor"],
  "42601": ["refused", "the server cannot parse the query"],
  "42703": ["refused", "the server has no such column; its version may be older or newer"],
  "42804": ["refused", "the types do not fit"],
  "42883": ["refused", "the server has no such function or operator for these types"],
  "42P01": ["refused", "the server has no such view; its version may be older or newer"],
  "22": ["refused", "a value cannot be converted or computed"],
  "53": ["busy", "the server lacks resources: connections, memory or disk space"],
  "55P03": ["busy", "another session holds a lock"],
  "57014": ["timeout", "the server ended the query after its time limit"],
  "57P": ["unreachable", "the server starts, stops or ended the connection"],
};

export const createPostgresClient: CreateEvidenceClient = (definition, credential, startTimer) => {
  const server = { url: definition.url, credential, startTimer };
  return {
    definition,
    server: serverOf(definition.url, credential),
    run: async (query, call) => {
      if (query.language !== "sql") {
        throw new DependencyError("evidence_source", "refused", `the source answers sql, not ${query.language}`);
      }
      return inSession(server, call, (sql) => readRows(sql, query.text, query.parameters));
    },
    ping: async (call) => {
      const result = await inSession(server, call, (sql) =>
        readRows(sql, "select current_setting('server_version')", []),
      );
      const version = result.kind === "rows" ? result.rows[0]?.[0] : undefined;
      if (typeof version !== "string") throw notThisProtocol();
      return { version: version.split(" ")[0] ?? null };
    },
    linkTo: () => null,
  };
};

/** Hyperdrive gives a host of its own in place of the server's. */
const HYPERDRIVE_HOST = ".hyperdrive.local";

/** Null for an address that cannot be used: the query then says why. */
function serverOf(url: string, credential: string | null): string | null {
  try {
    const address = readPostgresAddress(url, credential);
    const isHidden = address.host.endsWith(HYPERDRIVE_HOST) && URL.canParse(url);
    const host = isHidden ? new URL(url).host : `${address.host}:${address.port}`;
    return `${host}/${address.database}`;
  } catch {
    return null;
  }
}

interface Server {
  readonly url: string;
  readonly credential: string | null;
  readonly startTimer: StartTimer;
}

/** Runs `work` in a read-only transaction on a connection of its own, which is closed in every case. */
function inSession(
  { url, credential, startTimer }: Server,
  call: QueryCall,
  work: (sql: postgres.Sql) => Promise<QueryResult>,
): Promise<QueryResult> {
  const { timeoutMs } = call;
  return callDependency({ dependency: "evidence_source", startTimer, retries: 0, ...call }, async (signal) => {
    const address = readPostgresAddress(url, credential);
    const { host, port, encrypted } = address;
    const guard = createMessageGuard(QUERY_LIMITS.bytes + PROTOCOL_BYTES);
    const socket = new GuardedSocket({ host, port, encrypted, signal }, guard);
    const sql = createSql(address, socket);
    try {
      await sql.unsafe(beginReadOnly(timeoutMs)).simple();
      const result = await work(sql);
      await sql.unsafe("rollback").simple();
      return result;
    } catch (error) {
      socket.destroy();
      if (socket.refused === "too_many") return TOO_MANY_BYTES;
      throw socket.refused === "invalid" ? notThisProtocol() : asFailure(error);
    } finally {
      // Says goodbye on a connection that is open.
      sql.end({ timeout: 0 }).catch(() => {});
    }
  });
}

const TOO_MANY_BYTES: QueryResult = {
  kind: "too_large",
  size: `more than ${QUERY_LIMITS.bytes / 1_024} KB`,
  hint: "Select fewer columns, or shorten texts with left(column, 100).",
};
const TOO_MANY_ROWS: QueryResult = {
  kind: "too_large",
  size: `more than ${QUERY_LIMITS.rows} rows`,
  hint: "Count them with count(*), or add order by and limit.",
};

function createSql({ database, user, password }: PostgresAddress, socket: GuardedSocket): postgres.Sql {
  // `socket` is not in the declared types of postgres.js.
  const options = {
    // Not used: the socket has the address.
    host: "localhost",
    port: 5432,
    database,
    user,
    password,
    // The socket is bounded, and encrypted if need be; postgres.js speaks the protocol on it.
    socket: () => socket.open(),
    ssl: false,
    max: 1,
    connect_timeout: 0,
    idle_timeout: 0,
    max_lifetime: null,
    fetch_types: false,
    prepare: false,
    connection: { application_name: "dejavu" },
    onnotice: () => {},
    // Otherwise postgres.js remembers each query that failed, for as long as the process runs.
    debug: () => {},
  };
  return postgres(options);
}

/** One message, and settings of the transaction alone: poolers such as PgBouncer and Hyperdrive pass both on. */
function beginReadOnly(timeoutMs: number): string {
  const statementMs = Math.max(MIN_STATEMENT_MS, Math.round(timeoutMs) - STATEMENT_MARGIN_MS);
  return [
    "begin read only",
    "set local search_path = pg_catalog",
    `set local statement_timeout = ${statementMs}`,
    `set local lock_timeout = ${Math.min(statementMs, MAX_LOCK_WAIT_MS)}`,
    `set local idle_in_transaction_session_timeout = ${Math.max(MIN_STATEMENT_MS, Math.round(timeoutMs))}`,
    "set local standard_conforming_strings = on",
    "set local datestyle = 'ISO, YMD'",
    "set local timezone = 'UTC'",
    "set local intervalstyle = 'postgres'",
    "set local max_parallel_workers_per_gather = 0",
  ].join("; ");
}

/** Reads one row more than the limit at most: the cursor ends there. */
async function readRows(sql: postgres.Sql, text: string, parameters: readonly string[]): Promise<QueryResult> {
  let values: readonly (readonly (Uint8Array | null)[])[] = [];
  const result = await sql
    .unsafe(text, [...parameters])
    .raw()
    .cursor(QUERY_LIMITS.rows + 1, (batch) => {
      values = [...batch];
      return sql.CLOSE;
    });
  if (values.length > QUERY_LIMITS.rows) return TOO_MANY_ROWS;
  const columns = result.columns.map(({ name, type }) => ({ name: String(name), type }));
  const decoder = new TextDecoder();
  const rows = values.map((row) =>
    columns.map(({ type }, index): Cell => {
      const bytes = row[index];
      return bytes ? postgresCell(decoder.decode(bytes), type) : null;
    }),
  );
  return { kind: "rows", columns: columns.map(({ name }) => name), rows };
}

/** Without the server's message and the query, which hold content. */
function asFailure(error: unknown): DependencyError {
  if (error instanceof DependencyError) return error;
  const rawCode = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  const code = /^[A-Z0-9_]{1,40}$/.test(rawCode) ? rawCode : "";
  if (error instanceof postgres.PostgresError) {
    const [failure, detail] = FAILURES[code] ?? FAILURES[code.slice(0, 3)] ?? FAILURES[code.slice(0, 2)] ?? [];
    return new DependencyError(
      "evidence_source",
      failure ?? "refused",
      `${detail ?? "the server refused the query"} (SQLSTATE ${code})`,
    );
  }
  if (/^(?:CONNECTION_|CONNECT_|E[A-Z]+$)/.test(code)) {
    return new DependencyError("evidence_source", "unreachable", "the connection ended before the result");
  }
  return notThisProtocol();
}

function notThisProtocol(): DependencyError {
  return new DependencyError("evidence_source", "invalid_response", "the server does not speak the protocol");
}

const BOOLEAN = 16;
/** int8, int2, int4, oid, float4, float8, numeric. */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 26, 700, 701, 1700]);
const TIMESTAMP = 1114;
const TIMESTAMPTZ = 1184;

const MAX_CELL_LENGTH = 1_000;

/**
 * @param text with `datestyle` ISO and the time zone UTC
 * @param type its object id
 */
function postgresCell(text: string, type: number): Cell {
  if (type === BOOLEAN) return text === "t";
  if (NUMBERS.has(type)) return asNumber(text) ?? text;
  if (type === TIMESTAMP || type === TIMESTAMPTZ) return asTime(text, type) ?? text;
  return text.length > MAX_CELL_LENGTH ? `${text.slice(0, MAX_CELL_LENGTH - 1)}…` : text;
}

/** Undefined for NaN, infinite values and integers that a number cannot hold. */
function asNumber(text: string): number | undefined {
  const value = Number(text);
  const isExact = !Number.isInteger(value) || Number.isSafeInteger(value);
  return Number.isFinite(value) && isExact ? value : undefined;
}

/** Undefined for times before the year 0, after 9999, and infinite ones. */
function asTime(text: string, type: number): string | undefined {
  const [, day, time, fraction = ""] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d{1,6})?(?:\+00)?$/.exec(text) ?? [];
  if (day === undefined || time === undefined) return undefined;
  const milliseconds = fraction === "" ? "" : fraction.padEnd(4, "0").slice(0, 4);
  return `${day}T${time}${milliseconds}${type === TIMESTAMPTZ ? "Z" : ""}`;
}
