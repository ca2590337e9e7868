// Errors for agents: a text that a model can act on for an expected failure, only the request id for a bug.

import { DependencyError, RestrictionError } from "../../dependencies.ts";
import { RecallUnavailable } from "../../investigation/recall/recall-result.ts";
import { OLDER_SCHEMA } from "../../schemas/database/schema-version.ts";
import { type Dependency, describeDependencies } from "../../schemas/dependency.ts";
import { Problem } from "../http/problem.ts";

/** Error codes of JSON-RPC. */
export const RPC_CODES = {
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
} as const;

/** A JSON-RPC error response; the message is for the client. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;

  constructor(code: keyof typeof RPC_CODES, message: string) {
    super(message);
    this.code = RPC_CODES[code];
  }
}

/** The text of an expected failure; undefined for a bug. */
export function expectedFailureText(error: unknown): string | undefined {
  if (error instanceof Problem) return error.message;
  if (error instanceof RestrictionError)
    return "This token is restricted to domains, and the call concerns another one, or all.";
  if (error instanceof DependencyError && error.failure === "schema_outdated") return OLDER_SCHEMA;
  const failed = failedDependencies(error);
  if (failed.length === 0) return undefined;
  return `Dejavu cannot answer now: ${describeDependencies(failed)} did not answer. Try again in a few seconds; if that fails too, tell the user that Dejavu is unavailable.`;
}

function failedDependencies(error: unknown): Dependency[] {
  if (error instanceof RecallUnavailable) return error.failures.map(({ dependency }) => dependency);
  return error instanceof DependencyError ? [error.dependency] : [];
}
