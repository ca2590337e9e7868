// Types of the client. `npm run check` writes api.d.ts from the routes.

import type { Client } from "openapi-fetch";
import type { components, paths } from "./api.js";

export type { components, operations, paths } from "./api.js";

/** The answer to a report. */
export type TriageResult = components["schemas"]["Triage"];
/** A problem document (RFC 9457): the body of every error. */
export type Problem = components["schemas"]["Problem"];

/** JSON and problem documents. Text has the type `string` with `parseAs: "text"`, a stream with `parseAs: "stream"`. */
type JsonMedia = `application/${string}json`;

export type DejavuClient = Client<paths, JsonMedia>;

export interface ClientOptions {
  /** Sends the requests; by default the platform's `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/**
 * Creates a client. A call names the method and the path of the API reference:
 * `client.POST("/v1/incidents/{id}/resolve", { params: { path: { id } }, body: { resolution } })`. It resolves to `data`
 * or, for an error status, to `error`, a problem document; `response` is the whole response. It rejects only if the
 * request could not be sent or the response could not be read.
 * @param url of the Worker, such as https://dejavu.example.workers.dev
 * @param token an access token, or the service token; null on the service's own pages, where a cookie authenticates
 */
export declare function createDejavuClient(url: string, token: string | null, options?: ClientOptions): DejavuClient;
