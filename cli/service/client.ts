// Sends requests to a service, each with a time limit.

import type { z } from "zod";
import { CommandError } from "./command-error.ts";
import type { Service } from "./find-service.ts";
import { problemIn, unexpected, unreachable } from "./problem-error.ts";

/** Above the time limit of recall. */
const REQUEST_TIMEOUT_MS = 60_000;

export interface ApiRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Begins with a slash. */
  readonly path: string;
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as Markdown. */
  readonly markdown?: Uint8Array<ArrayBuffer>;
  readonly accept?: string;
  /** For the whole exchange. */
  readonly timeoutMs?: number;
}

/** The response, with a status of 200 to 299. @throws CommandError */
export async function send(service: Service, request: ApiRequest): Promise<Response> {
  const { method = "GET", body, markdown, timeoutMs = REQUEST_TIMEOUT_MS } = request;
  const type = markdown === undefined ? (body === undefined ? null : "application/json") : "text/markdown";
  let response: Response;
  try {
    response = await fetch(addressOf(service, request), {
      method,
      headers: {
        authorization: `Bearer ${service.token}`,
        accept: request.accept ?? "application/json",
        ...(type === null ? {} : { "content-type": type }),
      },
      body: markdown ?? (body === undefined ? null : JSON.stringify(body)),
      // A redirect to another origin would lose the token, or send it elsewhere.
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    throw unreachable(error, service, timeoutMs);
  }
  if (response.ok) return response;
  if (response.status >= 300 && response.status < 400)
    throw new CommandError(
      "failed",
      `${service.url} redirects to ${response.headers.get("location") ?? "another address"}. Use the address that it redirects to.`,
    );
  throw await problemIn(response, service);
}

/** The JSON of the response. @throws CommandError */
export async function call(service: Service, request: ApiRequest): Promise<unknown> {
  return (await callWithStatus(service, request)).answer;
}

/** The JSON of the response, and its status of 200 to 299. @throws CommandError */
export async function callWithStatus(
  service: Service,
  request: ApiRequest,
): Promise<{ readonly status: number; readonly answer: unknown }> {
  const response = await send(service, request);
  const { status } = response;
  if (status === 204) return { status, answer: null };
  try {
    return { status, answer: await response.json() };
  } catch (error) {
    if (error instanceof SyntaxError) throw unexpected(service, error);
    throw unreachable(error, service, request.timeoutMs ?? REQUEST_TIMEOUT_MS);
  }
}

/** The parsed response. @throws CommandError */
export async function callFor<T>(service: Service, request: ApiRequest, schema: z.ZodType<T>): Promise<T> {
  return parseAnswer(service, await call(service, request), schema);
}

const ATTEMPTS = 4;

/** The same for a request that may be repeated: temporary failures are retried. @throws CommandError */
export async function callWithRetries<T>(
  service: Service,
  request: ApiRequest,
  schema: z.ZodType<T>,
  sleep: (ms: number) => Promise<unknown>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await callFor(service, request, schema);
    } catch (error) {
      if (!(error instanceof CommandError && error.isTemporary) || attempt === ATTEMPTS) throw error;
      await sleep(attempt * 2_000);
    }
  }
}

/** @throws CommandError for an answer of another shape */
export function parseAnswer<T>(service: Service, answer: unknown, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw unexpected(service, parsed.error);
}

/** A path of the API with the parts escaped. */
export function pathOf(...parts: readonly string[]): string {
  return `/v1/${parts.map(encodeURIComponent).join("/")}`;
}

function addressOf({ url }: Service, { path, query = {} }: ApiRequest): URL {
  const address = new URL(url + path);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) address.searchParams.set(name, value);
  return address;
}
