// Turns failed requests into errors that say what is wrong and what to do.

import type { z } from "zod";
import { problemSchema } from "../../functions/routes/http/problem-schema.ts";
import { CommandError, type EXIT_CODES } from "./command-error.ts";
import type { Service } from "./find-service.ts";

type ProblemText = Pick<z.infer<typeof problemSchema>, "title" | "detail" | "errors">;

const MAX_PROBLEM_LENGTH = 4_000;

export function describeProblem({ title, detail, errors = [] }: ProblemText): string {
  const fields = errors.map(({ field, message }) => `\n  ${field}: ${message}`).join("");
  return printable(`${title}. ${detail}${fields}`);
}

/** The error of a failed response, with the text of its problem document. */
export async function problemIn(
  response: Response,
  service?: Pick<Service, "url" | "chosenBy">,
): Promise<CommandError> {
  const problem = problemSchema.safeParse(await response.json().catch(() => undefined));
  const reason = REASONS[response.status] ?? "failed";
  if (!problem.success)
    return new CommandError(reason, `Dejavu responded with status ${response.status}.${notDejavu(service)}`);
  const { request_id, type } = problem.data;
  const lines = [
    describeProblem(problem.data),
    ...(response.status === 401 && service ? [signIn(service)] : []),
    ...(response.status >= 500 ? [`Request id: ${printable(request_id)}`] : []),
  ];
  return new CommandError(reason, lines.join("\n"), { problem: type });
}

const REASONS: Readonly<Record<number, keyof typeof EXIT_CODES>> = {
  401: "notAllowed",
  403: "notAllowed",
  404: "notFound",
};

/** The error of a request without a response. */
export function unreachable(
  error: unknown,
  { url, chosenBy }: Pick<Service, "url" | "chosenBy">,
  timeoutMs: number,
): CommandError {
  const where = `${url} (chosen by ${chosenBy})`;
  if (error instanceof Error && error.name === "TimeoutError")
    return new CommandError("failed", `Dejavu at ${where} did not answer within ${timeoutMs / 1_000} s.`, {
      cause: error,
    });
  return new CommandError("failed", `Dejavu at ${where} cannot be reached: ${reasonOf(error)}. ${hintFor(chosenBy)}`, {
    cause: error,
  });
}

/** The error of a response with another shape than this version of the command line expects. */
export function unexpected({ url, chosenBy }: Pick<Service, "url" | "chosenBy">, cause: unknown): CommandError {
  return new CommandError("failed", `The answer of ${url} is not one of Dejavu's.${notDejavu({ url, chosenBy })}`, {
    cause,
  });
}

/** Text of a service without characters that control a terminal. */
export function printable(text: string): string {
  return text.slice(0, MAX_PROBLEM_LENGTH).replace(/[^\P{C}\n\t]/gu, " ");
}

function notDejavu(service: Pick<Service, "url" | "chosenBy"> | undefined): string {
  return service === undefined
    ? ""
    : ` Is ${service.url} (chosen by ${service.chosenBy}) the address of a Dejavu of this version?`;
}

function signIn({ url, chosenBy }: Pick<Service, "url" | "chosenBy">): string {
  const profile = /^the profile (.+)$/.exec(chosenBy)?.[1];
  const flag = profile === undefined ? "" : ` --profile ${profile}`;
  return `The address was chosen by ${chosenBy}. Sign in with another token: dejavu login --url ${url}${flag}`;
}

function hintFor(chosenBy: string): string {
  return chosenBy === "the local stack"
    ? 'Look at the terminal where "npm start" runs.'
    : "Check the address and your network.";
}

/** Node hides the reason in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return WORDS[code] ?? (cause instanceof Error ? printable(cause.message || code) : "unknown error");
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "it closed the connection",
  UND_ERR_SOCKET: "it closed the connection",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host name could not be resolved",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  EHOSTUNREACH: "the host is unreachable",
};
