// The typed client: every route of the API as a function, with the Worker's own types.

import type { Env, Hono } from "hono";
import { hc } from "hono/client";
import type { Endpoint, ExtractSchema } from "hono/types";
import type { DejavuApp } from "../functions/app.ts";

export type { InferRequestType, InferResponseType } from "hono/client";

/** The routes. A query or header without required fields may be omitted in a call. */
type Routes<Schema> = {
  [Path in keyof Schema]: { [Method in keyof Schema[Path]]: WithOptionalParts<Schema[Path][Method]> };
};
type WithOptionalParts<Each> = Each extends Endpoint ? Omit<Each, "input"> & { input: Parts<Each["input"]> } : Each;
type Parts<Input> = { [Part in keyof Input as Needs<Input[Part], Part>]: Input[Part] } & {
  [Part in keyof Input as Exclude<Part, Needs<Input[Part], Part>>]?: Input[Part];
};
type Needs<Value, Part> = Part extends "query" | "header" ? (object extends Value ? never : Part) : Part;

type Api = Hono<Env, Routes<ExtractSchema<DejavuApp>>, "/">;
export type DejavuClient = ReturnType<typeof hc<Api>>;

export interface ClientOptions {
  /** Sends the requests; by default the platform's `fetch`. */
  readonly fetch?: typeof fetch;
}

/**
 * Creates a client. A path is a chain of properties: POST /v1/incidents/{id}/resolve is
 * `client.v1.incidents[":id"].resolve.$post`. An error response does not throw: check `response.ok`. If true,
 * `response.json()` has the type of the result; otherwise the body is a problem document.
 * @param url of the Worker, such as https://dejavu.example.workers.dev
 */
export function createDejavuClient(url: string, token: string, options: ClientOptions = {}): DejavuClient {
  return hc<Api>(url, { ...options, headers: { authorization: `Bearer ${token}` } });
}
