// A stand-in for the API server of a Kubernetes cluster. It speaks the wire for reads: discovery, get, list with selectors and
// pages, and Status objects for failures. It fails, stalls, drips and lies on demand. kubectl accepts it: a test compares.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { HungRequests } from "../../../support/test-timers.ts";
import { discoveryDocument, SERVED, type ServedResource } from "./cluster-discovery.ts";
import { type ClusterObject, matchesFields, matchesLabels, SelectorError } from "./cluster-selectors.ts";

import { createHungRequests } from "./hung-requests.ts";

export type { ServedResource } from "./cluster-discovery.ts";
export type { ClusterObject } from "./cluster-selectors.ts";

/** `drip`: a byte a second. `cut`: the connection closes. `flood`: 50 MB of objects. */
export type Misbehaviour =
  | "hang"
  | "cut"
  | "drip"
  | "flood"
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> };

export interface ClusterServer extends AsyncDisposable {
  readonly url: string;
  /** "METHOD /path?query" of each request, in order. */
  readonly requests: string[];
  readonly hung: HungRequests;
  /** The token that it accepts; null accepts every request, as kubectl sends no token without TLS. */
  token: string | null;
  /** What it stores. */
  objects: ClusterObject[];
  resources: readonly ServedResource[];
  /** Plural names that the token may not read. */
  forbidden: readonly string[];
  /** A response in place of its own; undefined for its own. */
  misbehave: (path: string) => Misbehaviour | undefined;
}

const FLOOD_BYTES = 50_000_000;

export async function clusterServer(
  setup: Partial<Pick<ClusterServer, "token" | "objects" | "resources" | "forbidden" | "misbehave">> = {},
): Promise<ClusterServer> {
  const timers = new Set<NodeJS.Timeout>();
  const hung = createHungRequests();
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? "/";
    state.requests.push(`${incoming.method} ${path}`);
    const misbehaviour = state.misbehave(path);
    if (misbehaviour === undefined) reply(state, incoming, outgoing);
    else misbehaveWith(misbehaviour, incoming, outgoing, timers);
    if (misbehaviour === "hang" || misbehaviour === "drip") hung.add(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const state: ClusterServer = {
    url: `http://127.0.0.1:${address.port}`,
    requests: [],
    hung,
    token: "cluster-token",
    objects: [],
    resources: SERVED,
    forbidden: [],
    misbehave: () => undefined,
    ...setup,
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return state;
}

function misbehaveWith(
  misbehaviour: Misbehaviour,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  timers: Set<NodeJS.Timeout>,
): void {
  if (misbehaviour === "hang") return;
  if (misbehaviour === "cut") {
    incoming.socket.destroy();
    return;
  }
  if (misbehaviour === "drip") {
    outgoing.writeHead(200, { "content-type": "application/json" }).write("{");
    timers.add(setInterval(() => outgoing.write(" "), 1_000));
    return;
  }
  if (misbehaviour === "flood") {
    void flood(outgoing);
    return;
  }
  const { status, body = "", headers } = misbehaviour;
  outgoing.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
}

/** Ends early when the client closes the connection. */
async function flood(outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(200, { "content-type": "application/json" });
  await pipeline(Readable.from(floodOfItems()), outgoing).catch(() => {});
}

function* floodOfItems(): Generator<string> {
  const items = `${JSON.stringify({ metadata: { name: "x".repeat(60), namespace: "shop" } })},`.repeat(1_000);
  yield '{"kind":"PodList","apiVersion":"v1","items":[';
  for (let sent = 0; sent < FLOOD_BYTES; sent += items.length) yield items;
  yield '{"metadata":{"name":"last"}}]}';
}

function reply(state: ClusterServer, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { status, body } = answer(state, incoming);
  const isText = typeof body === "string";
  outgoing
    .writeHead(status, { "content-type": isText ? "text/plain; charset=utf-8" : "application/json" })
    .end(isText ? body : JSON.stringify(body));
}

interface Reply {
  readonly status: number;
  readonly body: object | string;
}

function answer(state: ClusterServer, { method, url = "/", headers }: IncomingMessage): Reply {
  const { pathname, searchParams } = new URL(url, state.url);
  const path = pathname.split("/").slice(1).map(decodeURIComponent);
  const isPublic = path[0] === "version";
  if (state.token !== null && headers.authorization !== `Bearer ${state.token}` && !isPublic)
    return failure(401, "Unauthorized", "Unauthorized");
  if (method !== "GET")
    return failure(405, "MethodNotAllowed", "the server does not allow this method on the resource");
  const document = discoveryDocument(path, state.resources);
  if (document !== undefined) return { status: 200, body: document };
  return readResource(state, path, searchParams, headers.accept ?? "");
}

/** `/api/v1/...` and `/apis/<group>/<version>/...`, with `namespaces/<namespace>` or without. */
function readResource(state: ClusterServer, path: readonly string[], query: URLSearchParams, accept: string): Reply {
  const isCore = path[0] === "api";
  const [group = "", version] = isCore ? ["", path[1]] : [path[1], path[2]];
  const rest = path.slice(isCore ? 2 : 3);
  const isWithin = rest[0] === "namespaces" && rest.length > 2;
  const namespace = isWithin ? rest[1] : undefined;
  const [plural, name, ...sub] = isWithin ? rest.slice(2) : rest;
  const resource = state.resources.find(
    (each) => each.group === group && each.version === version && each.name === plural,
  );
  if ((path[0] !== "api" && path[0] !== "apis") || plural === undefined)
    return { status: 404, body: "404 page not found\n" };
  const isMisplaced = resource !== undefined && (isWithin || name !== undefined) && resource.namespaced !== isWithin;
  if (resource === undefined || isMisplaced || sub.length > 0)
    return failure(404, "NotFound", "the server could not find the requested resource", {});
  if (state.forbidden.includes(plural)) {
    const scope = namespace === undefined ? "at the cluster scope" : `in the namespace "${namespace}"`;
    const verb = name === undefined ? "list" : "get";
    const message = `${plural} is forbidden: User "system:serviceaccount:monitoring:dejavu" cannot ${verb} resource "${plural}" in API group "${group}" ${scope}`;
    return failure(403, "Forbidden", message, { kind: plural });
  }
  const apiVersion = group === "" ? resource.version : `${group}/${resource.version}`;
  const objects = state.objects
    .filter((each) => each.kind === resource.kind && each.apiVersion === apiVersion)
    .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)
    .sort((a, b) => keyOf(a).localeCompare(keyOf(b)));
  const isMetadata = accept.startsWith("application/json;as=PartialObjectMetadata");
  return name === undefined
    ? list(objects, { resource, apiVersion, query, isMetadata })
    : one(objects, { resource, name, isMetadata });
}

function keyOf({ metadata }: ClusterObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

function one(
  objects: readonly ClusterObject[],
  {
    resource,
    name,
    isMetadata,
  }: { readonly resource: ServedResource; readonly name: string; readonly isMetadata: boolean },
): Reply {
  const object = objects.find(({ metadata }) => metadata.name === name);
  if (object === undefined) {
    const details = { name, ...(resource.group === "" ? {} : { group: resource.group }), kind: resource.name };
    const suffix = resource.group === "" ? "" : `.${resource.group}`;
    return failure(404, "NotFound", `${resource.name}${suffix} "${name}" not found`, details);
  }
  return { status: 200, body: isMetadata ? metadataOf(object) : object };
}

interface ListRequest {
  readonly resource: ServedResource;
  readonly apiVersion: string;
  readonly query: URLSearchParams;
  readonly isMetadata: boolean;
}

function list(objects: readonly ClusterObject[], { resource, apiVersion, query, isMetadata }: ListRequest): Reply {
  const labels = query.get("labelSelector") ?? "";
  const fields = query.get("fieldSelector") ?? "";
  const limit = Number(query.get("limit") ?? 0);
  let start = 0;
  const token = query.get("continue");
  if (token !== null && token !== "") {
    start = Number(Buffer.from(token, "base64url").toString().replace("offset:", ""));
    if (!Number.isInteger(start)) return failure(410, "Expired", "The provided continue parameter is too old");
  }
  let matching: ClusterObject[];
  try {
    matching = objects.filter((each) => matchesLabels(labels, each) && matchesFields(fields, each, resource));
    // Errors of a selector occur without objects, too.
    matchesFields(fields, { apiVersion, kind: resource.kind, metadata: { name: "" } }, resource);
  } catch (error) {
    if (error instanceof SelectorError) return failure(400, "BadRequest", error.message);
    throw error;
  }
  const end = limit === 0 ? matching.length : start + limit;
  const remaining = matching.length - end;
  const isSelected = labels !== "" || fields !== "";
  const metadata = {
    resourceVersion: "81723",
    ...(remaining > 0 ? { continue: Buffer.from(`offset:${end}`).toString("base64url") } : {}),
    ...(remaining > 0 && !isSelected ? { remainingItemCount: remaining } : {}),
  };
  const items = matching.slice(start, end);
  if (isMetadata)
    return {
      status: 200,
      body: { kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1", metadata, items: items.map(metadataOf) },
    };
  const isCustom = resource.group.includes(".") && !resource.group.endsWith(".k8s.io");
  const body = {
    kind: `${resource.kind}List`,
    apiVersion,
    metadata,
    // Objects of built-in kinds have no kind within a list.
    items: isCustom ? items : items.map(({ kind: _kind, apiVersion: _version, ...object }) => object),
  };
  return { status: 200, body };
}

function metadataOf({ metadata }: ClusterObject): object {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
}

function failure(code: number, reason: string, message: string, details?: object): Reply {
  const body = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
  return { status: code, body: details === undefined ? body : { ...body, details } };
}
