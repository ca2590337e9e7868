// Lists a cluster for the inventory: kinds by discovery, and the names and labels of objects that stay: workloads, services,
// volumes, nodes and objects of extensions. Pods, events and other short-lived objects are left out.

import { z } from "zod";
import { isSecretResource } from "../../../lib/checks/k8s/cluster-resources.ts";
import { DependencyError, settle } from "../../dependencies.ts";
import type { ClusterListing, ListedKind, ListedObject } from "../../schemas/evidence/cluster-listing.ts";
import { type GetFromApi, invalid, JSON_TYPE, permitted } from "./kubernetes-api.ts";
import {
  type ApiResource,
  apiPath,
  groupListSchema,
  MAX_DISCOVERY_BYTES,
  preferredVersion,
  readResources,
} from "./kubernetes-discovery.ts";

/** Of the groups that every API server has. All objects of other groups are listed. */
const LISTED = new Set([
  ...["services", "persistentvolumeclaims", "persistentvolumes", "nodes", "namespaces"],
  ...["deployments.apps", "statefulsets.apps", "daemonsets.apps", "cronjobs.batch"],
  ...["horizontalpodautoscalers.autoscaling", "poddisruptionbudgets.policy"],
  ...["ingresses.networking.k8s.io", "networkpolicies.networking.k8s.io", "storageclasses.storage.k8s.io"],
]);
const BUILT_IN_GROUPS = new Set([
  ...["", "apps", "autoscaling", "batch", "extensions", "policy"],
  ...[
    ...["admissionregistration", "apiextensions", "apiregistration", "authentication", "authorization", "certificates"],
    ...["coordination", "discovery", "events", "flowcontrol.apiserver", "internal.apiserver", "networking", "node"],
    ...["rbac.authorization", "resource", "scheduling", "storage", "storagemigration"],
  ].map((name) => `${name}.k8s.io`),
]);
/** Measurements in the form of objects. Their server is often unavailable, and they are no objects that stay. */
const MEASUREMENT_GROUPS = new Set(["metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io"]);

const METADATA_LIST = `${JSON_TYPE};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,${JSON_TYPE}`;
const REQUESTS_AT_ONCE = 5;
const MAX_GROUPS = 150;
const MAX_KINDS = 150;
const PAGE = 250;
/** Metadata of an object has some kilobytes, most of them the history of its fields. */
const MAX_PAGE_BYTES = 4_194_304;
/** One kind with many objects must not push out the others. */
const MAX_OF_KIND = 500;
/** A server may send small pages. */
const MAX_PAGES = 20;

const pageSchema = z.object({
  metadata: z.object({ continue: z.string().nullish() }).nullish(),
  items: z.array(
    z.object({
      metadata: z.object({
        name: z.string(),
        namespace: z.string().nullish(),
        labels: z.record(z.string(), z.string()).nullish(),
      }),
    }),
  ),
});

/** @throws DependencyError if the kinds of the core group or a list of objects cannot be read */
export async function listCluster(
  get: GetFromApi,
  { maxObjects, signal }: { readonly maxObjects: number; readonly signal: AbortSignal },
): Promise<ClusterListing> {
  const { resources, isComplete } = await readKinds(get, signal);
  const listed = resources.filter(isListed).sort((a, b) => rankOf(a) - rankOf(b));
  const pages = await atOnce(listed.slice(0, MAX_KINDS), (resource) => readObjects(get, resource, signal));
  const all = pages.flatMap(({ objects }) => objects);
  return {
    kinds: resources.map(kindOf),
    objects: all.slice(0, maxObjects),
    isComplete,
    isCut: listed.length > MAX_KINDS || all.length > maxObjects || pages.some(({ isCut }) => isCut),
    forbidden: pages.filter(({ isForbidden }) => isForbidden).length,
  };
}

type Resource = Awaited<ReturnType<typeof readResources>>[number];

/** The core group has to answer. A group whose own server is unavailable makes the listing incomplete. */
async function readKinds(
  get: GetFromApi,
  signal: AbortSignal,
): Promise<{ readonly resources: readonly Resource[]; readonly isComplete: boolean }> {
  const core = await readResources(get, { group: "", version: "v1" }, signal);
  if (core.length === 0) throw invalid("the server has no core group: is the URL that of an API server?");
  const answer = permitted(await get({ path: ["apis"], maxBytes: MAX_DISCOVERY_BYTES, signal }));
  const parsed = groupListSchema.safeParse(answer.kind === "json" ? answer.body : null);
  if (!parsed.success) throw invalid("the response is no list of groups");
  const groups = parsed.data.groups.filter(({ name }) => !MEASUREMENT_GROUPS.has(name));
  const settled = await atOnce(groups.slice(0, MAX_GROUPS), (group) =>
    settle(readResources(get, { group: group.name, version: preferredVersion(group) }, signal)),
  );
  return {
    resources: [core, ...settled.map((each) => (each.ok ? each.value : []))].flat(),
    isComplete: groups.length <= MAX_GROUPS && settled.every(({ ok }) => ok) && !signal.aborted,
  };
}

function isListed(resource: Resource): boolean {
  const { plural, group, isListable } = resource;
  if (!isListable || isSecretResource(plural)) return false;
  return isCustom(resource) || LISTED.has(group === "" ? plural : `${plural}.${group}`);
}

function isCustom({ group }: ApiResource): boolean {
  return !BUILT_IN_GROUPS.has(group);
}

/** Those that every cluster has first, so that a limit cuts the others. */
function rankOf(resource: Resource): number {
  return isCustom(resource) ? 1 : 0;
}

function kindOf(resource: Resource): ListedKind {
  const { kind, plural, shortNames, group, version, namespaced, subresources } = resource;
  return {
    ...{ kind, plural, shortNames, group, version, namespaced },
    isCustom: isCustom(resource),
    hasStatus: subresources.includes("status"),
    canScale: subresources.includes("scale"),
  };
}

interface ObjectsOfKind {
  readonly objects: readonly ListedObject[];
  readonly isCut: boolean;
  readonly isForbidden: boolean;
}

/** All pages of a kind. A kind that is gone meanwhile has no objects. @throws DependencyError */
async function readObjects(get: GetFromApi, resource: Resource, signal: AbortSignal): Promise<ObjectsOfKind> {
  const objects: ListedObject[] = [];
  let next: string | null = null;
  for (let pages = 0; pages < MAX_PAGES && objects.length < MAX_OF_KIND; pages++) {
    const parameters = { limit: String(PAGE), ...(next === null ? {} : { continue: next }) };
    const path = [...apiPath(resource), resource.plural];
    const answer = await get({ path, parameters, accept: METADATA_LIST, maxBytes: MAX_PAGE_BYTES, signal });
    if (answer.kind === "forbidden") return { objects: [], isCut: false, isForbidden: true };
    if (answer.kind === "not_found") return { objects: [], isCut: false, isForbidden: false };
    if (answer.kind === "too_large") throw invalid(`a list of ${PAGE} objects has more than 4 MB`);
    const parsed = pageSchema.safeParse(answer.body);
    if (!parsed.success) throw invalid("the response is no list of objects");
    objects.push(...parsed.data.items.map(({ metadata }) => objectOf(metadata, resource)));
    next = parsed.data.metadata?.continue || null;
    if (next === null) return { objects, isCut: false, isForbidden: false };
  }
  return { objects: objects.slice(0, MAX_OF_KIND), isCut: true, isForbidden: false };
}

type Metadata = z.infer<typeof pageSchema>["items"][number]["metadata"];

function objectOf({ name, namespace, labels }: Metadata, { kind, group, version }: Resource): ListedObject {
  return { kind, group, version, name, namespace: namespace || null, labels: labels ?? {} };
}

/** Results in the order of the items. After a failure, no further request is sent. @throws DependencyError */
async function atOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  let failure: unknown;
  const worker = async () => {
    while (next < items.length && failure === undefined) {
      const index = next++;
      const item = items[index];
      if (item === undefined) continue;
      try {
        results[index] = await work(item);
      } catch (error) {
        failure ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, worker));
  if (failure instanceof Error) throw failure;
  if (failure !== undefined) throw new DependencyError("evidence_source", "unreachable", "the connection failed");
  return results;
}
