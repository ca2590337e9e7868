// Postgres through PostgREST: SQL functions called by name, one round trip each. The only file that knows its client.

import { PostgrestClient } from "@supabase/postgrest-js";
import { z } from "zod";
import type { Json, Database as Schema } from "../../supabase/database-types.ts";
import { callDependency, DependencyError, RestrictionError, settle } from "../dependencies.ts";
import { isOlderSchema } from "../schemas/database/schema-version.ts";
import type { StartTimer } from "../timers.ts";
import { fetchDirect, redirectFailure } from "./http/fetch-direct.ts";

type Functions = Schema["public"]["Functions"];
export type FunctionName = keyof Functions;
export type FunctionArguments<F extends FunctionName> = Functions[F]["Args"];

export interface CallOptions {
  /** Retries when the database is unreachable; 0 by default. Above 0 only for functions that may run twice. */
  readonly retries?: number;
}

export interface Database {
  /**
   * Calls a SQL function and parses its result with the schema.
   * @throws DependencyError of role `database`; `invalid_response` names the function whose result has another shape,
   *   `schema_outdated` one that is missing, or that an older schema has in another form
   */
  call<F extends FunctionName, T = unknown>(
    name: F,
    args: Functions[F]["Args"],
    schema?: z.ZodType<T>,
    options?: CallOptions,
  ): Promise<T>;
}

/** For calls whose result is not read. */
export const IGNORE_RESULT: z.ZodType<unknown> = z.unknown();

/** Calls one SQL function and returns its result unparsed. */
export type Rpc = (name: FunctionName, args: Functions[FunctionName]["Args"], retries: number) => Promise<unknown>;

/** Adds parsing to raw calls. */
export function createParsingDatabase(rpc: Rpc): Database {
  return {
    async call(name, args, schema, { retries = 0 } = {}) {
      const result = await rpc(name, args, retries);
      const parsed = (schema ?? IGNORE_RESULT).safeParse(result);
      if (parsed.success) return parsed.data as never;
      const failure = (await hasOlderSchema(rpc)) ? "schema_outdated" : "invalid_response";
      const detail = `the function ${name} returned another shape`;
      throw new DependencyError("database", failure, detail, { cause: parsed.error });
    },
  };
}

/** Asked after a failure only. */
async function hasOlderSchema(rpc: Rpc): Promise<boolean> {
  const applied = await settle(rpc(SCHEMA_OF_ALL, {}, 1));
  if (!applied.ok) return applied.error.failure === "schema_outdated";
  return isOlderSchema(z.array(z.string()).catch([]).parse(applied.value));
}

/** SQLSTATE of insufficient privilege: row level security refused a row, or the function is not for restricted callers. */
const REFUSED_BY_POLICY = "42501";

/** Concerns no domain; an older schema would refuse it to restricted callers instead of lacking it. */
const SCHEMA_OF_ALL: FunctionName = "applied_migrations";

/** PostgREST's code and SQLSTATE of a call to a function that does not exist with these arguments. */
const MISSING_FUNCTION = new Set(["PGRST202", "42883"]);

interface DatabaseOptions {
  /** The project's URL; PostgREST is at `/rest/v1` below it. */
  readonly url: string;
  readonly serviceRoleKey: string;
  readonly timeoutMs: number;
  readonly startTimer: StartTimer;
  /**
   * The domains that the callers are restricted to: the database itself then hides the rows of others in every call. A
   * call that would write such a row, or that concerns all domains, throws RestrictionError. Null for all domains.
   */
  readonly domains?: readonly string[] | null;
}

/** Statuses of a gateway whose server does not answer; from 520 on, those of Cloudflare and of a paused Supabase project. */
function isGatewayStatus(status: number): boolean {
  return (status >= 502 && status <= 504) || status >= 520;
}

/** SQLSTATE classes of a server that cannot serve now: connection exception, insufficient resources, operator intervention. */
const UNAVAILABLE_CLASSES = new Set(["08", "53", "57"]);

/** SQLSTATE class of a transaction rolled back because of others: deadlock, serialisation failure. */
const ROLLBACK_CLASS = "40";
/** PostgREST's code of a call that waited in vain for one of its connections: with many callers at once. */
const NO_CONNECTION_FREE = "PGRST003";
/** Together they wait longer than any deadline; a server that answers at once is not asked forever. */
const MAX_RERUNS = 8;

/** Whether a call has written nothing because of others, so that any function may run again. */
function mayRunAgain(code: string): boolean {
  return code === NO_CONNECTION_FREE || code.startsWith(ROLLBACK_CLASS);
}

export function createDatabase(options: DatabaseOptions): Database {
  const { domains = null, timeoutMs, startTimer } = options;
  const client = new PostgrestClient<Schema>(`${options.url.replace(/(?<!\/)\/+$/, "")}/rest/v1`, {
    headers: { apikey: options.serviceRoleKey, authorization: `Bearer ${options.serviceRoleKey}` },
    fetch: fetchDirect,
    retry: false, // callDependency retries, under one deadline.
  });
  return createParsingDatabase((name, args, retries) =>
    callDependency({ dependency: "database", timeoutMs, startTimer, retries }, async (signal) => {
      for (let reruns = 0; ; reruns++) {
        const call =
          domains === null || name === SCHEMA_OF_ALL
            ? client.rpc(name, args)
            : client.rpc("call_restricted", { p_domains: [...domains], p_function: name, p_args: jsonOf(args) });
        const { data, error, status } = await call.abortSignal(signal);
        if (!error) return data;
        if (domains !== null && error.code === REFUSED_BY_POLICY)
          throw new RestrictionError("the call concerns other domains", { cause: error });
        if (reruns < MAX_RERUNS && !signal.aborted && mayRunAgain(error.code ?? "")) continue;
        if (MISSING_FUNCTION.has(error.code ?? ""))
          throw new DependencyError("database", "schema_outdated", `it has no function ${name} with these arguments`, {
            cause: error,
          });
        throw toDependencyError(error, status, signal);
      }
    }),
  );
}

function toDependencyError(error: { code?: string }, status: number, signal: AbortSignal): DependencyError {
  if (signal.aborted)
    return new DependencyError("database", "timeout", "no answer before the deadline", { cause: error });
  const redirect = redirectFailure("database", status);
  if (redirect) return redirect;
  // A SQLSTATE or a PostgREST code; anything else may hold content of the request.
  const code = /^(?:[0-9A-Z]{5}|PGRST[0-9A-Z]{1,4})$/.test(error.code ?? "") ? (error.code ?? "") : "";
  const isUnavailable = status === 0 || isGatewayStatus(status) || UNAVAILABLE_CLASSES.has(code.slice(0, 2));
  return isUnavailable
    ? new DependencyError("database", "unreachable", `no connection (status ${status}, code ${code || "none"})`, {
        cause: error,
      })
    : new DependencyError("database", "refused", `status ${status}, code ${code || "none"}`, { cause: error });
}

/** Arguments as one JSON object, without those that are undefined. */
function jsonOf(args: object): Json {
  return JSON.parse(JSON.stringify(args));
}
