// Owns the way to Postgres: SQL functions called through PostgREST, one round trip each. The only file that knows its client.

import { PostgrestClient } from "@supabase/postgrest-js";
import type { Database as Schema } from "../../supabase/database-types.ts";
import { callDependency, DependencyError } from "../dependencies.ts";

type Functions = Schema["public"]["Functions"];
export type FunctionName = keyof Functions;

export interface Database {
  /**
   * Calls one SQL function and returns what it returned, unparsed: the caller knows the shape.
   *
   * @param retries further tries when the database is unreachable; 1 only for what may happen twice
   * @throws DependencyError
   */
  call<F extends FunctionName>(name: F, args: Functions[F]["Args"], retries?: number): Promise<unknown>;
}

export interface DatabaseOptions {
  /** The project's URL; PostgREST is at `/rest/v1` below it. */
  readonly url: string;
  readonly serviceRoleKey: string;
  readonly timeoutMs: number;
}

/** SQLSTATE classes in which the server cannot serve now: connection exceptions, no resources, operator intervention. */
const PASSING_CLASSES = new Set(["08", "53", "57"]);

/** SQLSTATE class of transactions that lost against others: deadlocks, failed serialisation. */
const ROLLED_BACK_CLASS = "40";
const ROLLED_BACK_TRIES = 3;

export function createDatabase(options: DatabaseOptions): Database {
  const client = new PostgrestClient<Schema>(`${options.url.replace(/\/+$/, "")}/rest/v1`, {
    headers: { apikey: options.serviceRoleKey, authorization: `Bearer ${options.serviceRoleKey}` },
    retry: false, // Retries are callDependency's, under one deadline.
  });
  return {
    call: (name, args, retries = 0) =>
      callDependency({ system: "postgres", timeoutMs: options.timeoutMs, retries }, async (signal) => {
        for (let triesLeft = ROLLED_BACK_TRIES; ; triesLeft--) {
          const { data, error, status } = await client.rpc(name, args).abortSignal(signal);
          if (!error) return data;
          // Two that waited for each other: this one wrote nothing, and may try again whatever it is.
          if (triesLeft > 0 && (error.code ?? "").startsWith(ROLLED_BACK_CLASS)) continue;
          throw translate(error, status, signal);
        }
      }),
  };
}

function translate(error: { code?: string }, status: number, signal: AbortSignal): DependencyError {
  if (signal.aborted)
    return new DependencyError("postgres", "timeout", "no answer before the deadline", { cause: error });
  // A SQLSTATE or PostgREST's own; anything else might hold content.
  const code = /^(?:[0-9A-Z]{5}|PGRST[0-9A-Z]{1,4})$/.test(error.code ?? "") ? (error.code ?? "") : "";
  const passing = status === 0 || (status >= 502 && status <= 504) || PASSING_CLASSES.has(code.slice(0, 2));
  return passing
    ? new DependencyError("postgres", "unreachable", `no connection (status ${status}, code ${code || "none"})`, {
        cause: error,
      })
    : new DependencyError("postgres", "refused", `status ${status}, code ${code || "none"}`, { cause: error });
}
