// Kubernetes API as a source of evidence: reads objects and events, never content of secrets and config maps.

import {
  isFieldPath,
  isFieldValue,
  isLabelKey,
  isLabelValue,
  isNamespaceName,
  isObjectName,
} from "../../../lib/checks/k8s/cluster-names.ts";
import { isSecretResource } from "../../../lib/checks/k8s/cluster-resources.ts";
import { type ObjectRequest, QUERY_LIMITS, type QueryResult } from "../../../lib/checks/scope/query.ts";
import { callDependency } from "../../dependencies.ts";
import type { CreateEvidenceClient, QueryCall } from "./client.ts";
import {
  type ApiAnswer,
  createApi,
  type GetFromApi,
  invalid,
  isObject,
  JSON_TYPE,
  permitted,
  refused,
} from "./kubernetes-api.ts";
import { type ApiResource, apiPath, createDiscovery, type Discovery } from "./kubernetes-discovery.ts";
import { listCluster } from "./kubernetes-listing.ts";

/** The API server then sends names and labels alone: content of a config map does not travel. */
const METADATA_OF_LIST = `${JSON_TYPE};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;
const METADATA_OF_ONE = `${JSON_TYPE};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
/** One more than may be returned, so that "too many" is certain. */
const PAGE = QUERY_LIMITS.objects + 1;
const NARROWER = "Select fewer objects: by name, by label with -l, or by field with --field-selector.";

export const createKubernetesClient: CreateEvidenceClient = (definition, credential, startTimer) => {
  const get = createApi(definition, credential);
  const discovery = createDiscovery(get);
  const within = <T>({ timeoutMs, cancelled }: QueryCall, work: (signal: AbortSignal) => Promise<T>) =>
    callDependency({ dependency: "evidence_source", timeoutMs, startTimer, retries: 0, cancelled }, work);
  return {
    definition,
    server: null,
    run: (query, call) => {
      if (query.language !== "k8s") throw new Error(`A cluster cannot answer a query in ${query.language}.`);
      return within(call, (signal) => readObjects({ get, discovery, signal }, query.request));
    },
    ping: (call) =>
      within(call, async (signal) => {
        // Every account may read the groups, and a request without a valid credential may not: `/version` is public.
        const [version, groups] = await Promise.all(
          ["version", "api"].map((path) => get({ path: [path], maxBytes: QUERY_LIMITS.bytes, signal })),
        );
        if (groups === undefined || permitted(groups).kind !== "json")
          throw refused("the server has no /api: is the URL that of an API server?");
        const gitVersion = version?.kind === "json" ? version.body.gitVersion : null;
        return { version: typeof gitVersion === "string" ? gitVersion.slice(0, 60) : null };
      }),
    linkTo: () => definition.open_url,
    listCluster: ({ maxObjects, ...call }) => within(call, (signal) => listCluster(get, { maxObjects, signal })),
  };
};

interface Server {
  readonly get: GetFromApi;
  readonly discovery: Discovery;
  readonly signal: AbortSignal;
}

async function readObjects({ get, discovery, signal }: Server, request: ObjectRequest): Promise<QueryResult> {
  checkRequest(request);
  const resource = await discovery.find(request.resource, signal);
  if (resource === null) throw refused("the server does not have this resource");
  if (isSecretResource(resource.plural) || resource.kind === "Secret") throw refused("secrets are never read");
  if (resource.namespaced && request.name !== null && request.namespace === null)
    throw refused("an object in a namespace is read with its namespace");
  const answer = permitted(
    await get({
      path: pathOf(resource, request),
      parameters: request.name === null ? listParameters(request) : {},
      accept: acceptOf(resource, request),
      maxBytes: QUERY_LIMITS.bytes,
      signal,
    }),
  );
  if (answer.kind === "too_large") return { kind: "too_large", size: "more than 256 KB", hint: NARROWER };
  return request.name === null ? readList(answer, resource) : readOne(answer, resource, request.name);
}

/** @throws DependencyError for a value that could leave its place; checks are validated before, other callers are not */
function checkRequest({ resource, namespace, name, labels, fields }: ObjectRequest): void {
  if (isSecretResource(resource)) throw refused("secrets are never read");
  const isValid =
    isObjectName(resource) &&
    (namespace === null || isNamespaceName(namespace)) &&
    (name === null || isObjectName(name)) &&
    Object.entries(labels).every(([key, value]) => isLabelKey(key) && isLabelValue(value)) &&
    Object.entries(fields).every(([path, value]) => isFieldPath(path) && isFieldValue(value));
  if (!isValid) throw refused("a name or a value in the request is not valid in a cluster");
}

function pathOf(resource: ApiResource, { namespace, name }: ObjectRequest): string[] {
  const scope = resource.namespaced && namespace !== null ? ["namespaces", namespace] : [];
  return [...apiPath(resource), ...scope, resource.plural, ...(name === null ? [] : [name])];
}

/** Values need no escape in a selector: their syntax has no comma, no equals sign and no backslash. */
function listParameters({ labels, fields }: ObjectRequest): Record<string, string> {
  const pairs = (record: Readonly<Record<string, string>>) =>
    Object.entries(record)
      .map(([key, value]) => `${key}=${value}`)
      .join(",");
  return {
    limit: String(PAGE),
    ...(Object.keys(labels).length === 0 ? {} : { labelSelector: pairs(labels) }),
    ...(Object.keys(fields).length === 0 ? {} : { fieldSelector: pairs(fields) }),
  };
}

function acceptOf({ plural, group }: ApiResource, { name }: ObjectRequest): string {
  if (plural !== "configmaps" || group !== "") return JSON_TYPE;
  return `${name === null ? METADATA_OF_LIST : METADATA_OF_ONE},${JSON_TYPE}`;
}

type Answer = Exclude<ApiAnswer, { kind: "too_large" | "forbidden" }>;

function readList(answer: Answer, resource: ApiResource): QueryResult {
  if (answer.kind === "not_found") throw refused("the server answered 404");
  const { items, metadata } = answer.body;
  if (!Array.isArray(items) || !items.every(isObject)) throw invalid("the response is no list of objects");
  const { remainingItemCount, continue: next } = isObject(metadata) ? metadata : {};
  const hasMore = typeof next === "string" && next !== "";
  if (items.length > QUERY_LIMITS.objects || hasMore) {
    const isCounted = !hasMore || isCount(remainingItemCount);
    const count = items.length + (isCount(remainingItemCount) ? remainingItemCount : 0);
    const size = isCounted ? `${count} objects` : `more than ${QUERY_LIMITS.objects} objects`;
    return { kind: "too_large", size, hint: NARROWER };
  }
  return { kind: "objects", objects: items.map((item) => objectOf(item, resource)) };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

/** Items of a list have no kind of their own, and metadata alone has another. */
function objectOf(item: Readonly<Record<string, unknown>>, { kind, group, version }: ApiResource): object {
  return { ...withoutValues(item), apiVersion: group === "" ? version : `${group}/${version}`, kind };
}

/** No object where there is none: "is it gone?" is a question that a check may ask. */
function readOne(answer: Answer, resource: ApiResource, name: string): QueryResult {
  if (answer.kind === "not_found") {
    const details = answer.body?.reason === "NotFound" ? answer.body.details : undefined;
    if (isObject(details) && details.name === name) return { kind: "objects", objects: [] };
    throw refused("the server answered 404");
  }
  const { metadata } = answer.body;
  if (!isObject(metadata) || metadata.name !== name) throw invalid("the response is not the object of the request");
  return { kind: "objects", objects: [objectOf(answer.body, resource)] };
}

/** Top-level fields whose values are content: of secrets, config maps, and revisions of controllers. */
const CONTENT_FIELDS = new Set(["data", "stringData", "binaryData"]);
/** A former version of the whole object, values included. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
/** Deeper values are left out: objects of the API have about 15 levels. */
const MAX_DEPTH = 40;

/** A copy of an object without values that may be secrets, and without the history of its fields. */
function withoutValues(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(object).filter(([key]) => !CONTENT_FIELDS.has(key));
  return copyObject(Object.fromEntries(kept), 0);
}

function copy(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1));
  return copyObject({ ...value }, depth);
}

function copyObject(object: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
  const entries = Object.entries(object)
    .filter(([key]) => key !== "managedFields" && key !== LAST_APPLIED)
    .map(([key, value]) => [key, copy(key === "env" ? withoutLiterals(value) : value, depth + 1)] as const);
  return Object.fromEntries(entries);
}

/** Environment variables: the name, and the reference to where the value comes from. */
function withoutLiterals(env: unknown): unknown {
  if (!Array.isArray(env)) return null;
  return env.map((variable: unknown) =>
    typeof variable === "object" && variable !== null
      ? Object.fromEntries(Object.entries(variable).filter(([key]) => key === "name" || key === "valueFrom"))
      : null,
  );
}
