// Owns how a failure is told to an agent: what is expected in words that a model can act on, a bug by the request's id alone.

import { DependencyError } from "../../dependencies.ts";
import { RecallUnavailable } from "../../investigation/recall/recall-result.ts";
import { type Dependency, describeDependencies } from "../../schemas/dependency.ts";
import { Problem } from "../http/problem.ts";

/** Codes of JSON-RPC, and of MCP for a resource that is not there. */
export const RPC_CODES = {
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  resourceNotFound: -32_002,
} as const;

/** The answer to a request that is an error of the protocol; the message is for the caller. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;

  constructor(code: keyof typeof RPC_CODES, message: string) {
    super(message);
    this.code = RPC_CODES[code];
  }
}

/** What to say of an expected failure; undefined for a bug. */
export function failureText(error: unknown): string | undefined {
  if (error instanceof Problem) return error.message;
  const failed = failedDependencies(error);
  if (failed.length === 0) return undefined;
  return `Dejavu cannot answer now: ${describeDependencies(failed)} did not answer. Try again in a few seconds; if that fails too, tell the user that Dejavu is unavailable.`;
}

function failedDependencies(error: unknown): Dependency[] {
  if (error instanceof RecallUnavailable) return error.failures.map(({ dependency }) => dependency);
  return error instanceof DependencyError ? [error.dependency] : [];
}
