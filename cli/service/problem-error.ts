// Turns failed requests into errors that say what is wrong and what to do.

import type { z } from "zod";
import { problemSchema } from "../../functions/routes/http/problem-schema.ts";
import { CommandError, type EXIT_CODES } from "./command-error.ts";
import type { Service } from "./find-service.ts";

type ProblemText = Pick<z.infer<typeof problemSchema>, "title" | "detail" | "errors">;

const MAX_PROBLEM_LENGTH = 4_000;
const INVALID_REQUEST = "urn:dejavu:problem:invalid-request";

/** The title, the detail and the invalid fields, each once. */
export function describeProblem({ title, detail, errors = [] }: ProblemText): string {
  const isInDetail = (field: string, message: string) => {
    const name = errors.length === 1 ? "" : `${field}: `;
    return detail.includes(name + message.replace(/\.$/, ""));
  };
  const fields = errors.filter(({ field, message }) => !isInDetail(field, message));
  const lines = fields.map(({ field, message }) => `\n  ${field}: ${message}`).join("");
  const text = asCommands(detail);
  return printable(`${text.startsWith(title) ? "" : `${title}. `}${text}${lines}`);
}

/** The commands that do what the API's errors advise, by method and path. */
export const COMMANDS_OF_HINTS: Readonly<Record<string, string>> = {
  "GET /v1/runbooks": "dejavu runbooks list",
  "GET /v1/domains": "dejavu domains list",
  "GET /v1/sources": "dejavu sources list",
  "GET /v1/notifications": "dejavu notify list",
  "GET /v1/mutes": "dejavu mute list",
  "GET /v1/incidents": "dejavu list",
  "GET /v1/memory/observations": "dejavu memory list",
  "GET /v1/memory/observations/{id}": "dejavu memory show <id>",
  "GET /v1/memory/past-answers": "dejavu memory past-answers",
  "GET /v1/memory/procedures": "dejavu memory procedures",
  "GET /v1/memory/sessions": "dejavu memory sessions",
  "GET /v1/admin/tokens": "dejavu tokens list",
};

/** `--force` for `force=true`, and a command for a request: the API's errors advise callers over HTTP. */
function asCommands(detail: string): string {
  return detail
    .replace(/ with `?(GET \/v1\/[\w/{}-]*[\w}])`?(?:\.$)?/g, (hint, request: string) => {
      const command = Object.hasOwn(COMMANDS_OF_HINTS, request) ? COMMANDS_OF_HINTS[request] : undefined;
      return command === undefined ? hint : ` with: ${command}`;
    })
    .replace(/\bSend force=true to\b/g, "Add --force to");
}

/** The error of a failed response, with the text of its problem document. */
export async function problemIn(
  response: Response,
  service?: Pick<Service, "url" | "chosenBy">,
): Promise<CommandError> {
  const problem = problemSchema.safeParse(await response.json().catch(() => undefined));
  const reasonOfStatus = REASONS[response.status] ?? "failed";
  const isTemporary = response.status === 429 || response.status >= 500;
  if (!problem.success)
    return new CommandError(reasonOfStatus, `Dejavu responded with status ${response.status}.${notDejavu(service)}`, {
      isTemporary,
    });
  const { request_id, type } = problem.data;
  const reason = type === INVALID_REQUEST ? "usage" : reasonOfStatus;
  const lines = [
    describeProblem(problem.data),
    ...(reason === "notAllowed" && service ? [signIn(service)] : []),
    ...(response.status === 404 && service ? pathHint(service.url) : []),
    ...(response.status >= 500 ? [`Request id: ${printable(request_id)}`] : []),
  ];
  return new CommandError(reason, lines.join("\n"), { problem: type, isTemporary });
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
      isTemporary: true,
    });
  return new CommandError("failed", `Dejavu at ${where} cannot be reached: ${reasonOf(error)}. ${hintFor(chosenBy)}`, {
    cause: error,
    isTemporary: true,
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

/** A service may have a path, but few have. */
function pathHint(url: string): string[] {
  const { origin, pathname } = new URL(url);
  return pathname === "/" ? [] : [`The address has the path ${pathname}. Without it: --url ${origin}`];
}

/** Says whose token was refused, and how to use another one. */
function signIn({ url, chosenBy }: Pick<Service, "url" | "chosenBy">): string {
  const profile = /^the profile (.+)$/.exec(chosenBy)?.[1];
  const flag = profile === undefined ? "" : ` --profile ${profile}`;
  const where = `The token is that of ${url}, chosen by ${chosenBy}.`;
  if (chosenBy === "DEJAVU_URL") return `${where} Set DEJAVU_TOKEN to another one.`;
  return `${where} Sign in with another one: dejavu login --url ${url}${flag}`;
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
  const tls = tlsReason(cause, code);
  return WORDS[code] ?? tls ?? (cause instanceof Error ? printable(cause.message || code) : "unknown error");
}

/** OpenSSL's messages name its source files; the short reason is a field. */
function tlsReason(cause: unknown, code: string): string | null {
  if (!/^ERR_(?:SSL|TLS)_|CERT|SIGNATURE/.test(code)) return null;
  const reason =
    cause instanceof Error && "reason" in cause && typeof cause.reason === "string" ? cause.reason : undefined;
  return `TLS failed, ${printable(reason ?? (cause instanceof Error ? cause.message : code))}`;
}

const PLAIN_HTTP = "it answers with plain http, so its address begins with http://";

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "it closed the connection",
  UND_ERR_SOCKET: "it closed the connection",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host name could not be resolved",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  EHOSTUNREACH: "the host is unreachable",
  ERR_SSL_WRONG_VERSION_NUMBER: PLAIN_HTTP,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: PLAIN_HTTP,
  ERR_SSL_HTTP_REQUEST: PLAIN_HTTP,
};
