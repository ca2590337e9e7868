// Discovery of a Kubernetes API server: which group and version serves a resource.

import { z } from "zod";
import { findClusterResource, splitResource } from "../../../lib/checks/k8s/cluster-resources.ts";
import { setBounded } from "../../bounded-map.ts";
import { type GetFromApi, invalid, permitted } from "./kubernetes-api.ts";

/** A resource of the server, with its place in the API. */
export interface ApiResource {
  readonly plural: string;
  readonly kind: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly namespaced: boolean;
  readonly isListable: boolean;
}

export interface Discovery {
  /** Null for a resource that the server does not have. @throws DependencyError */
  find(resource: string, signal: AbortSignal): Promise<ApiResource | null>;
}

/** A list of groups with a few hundred entries has about 100 KB. */
export const MAX_DISCOVERY_BYTES = 1_048_576;
const CACHE_MS = 60_000;
const MAX_CACHED_GROUPS = 100;

const groupSchema = z.object({
  name: z.string(),
  preferredVersion: z.object({ version: z.string() }).optional(),
  versions: z.array(z.object({ version: z.string() })).min(1),
});
export const groupListSchema = z.object({ groups: z.array(groupSchema) });
export type ApiGroup = z.infer<typeof groupSchema>;

const resourceListSchema = z.object({
  resources: z.array(
    z.object({
      name: z.string(),
      singularName: z.string().default(""),
      shortNames: z.array(z.string()).default([]),
      kind: z.string(),
      namespaced: z.boolean(),
      verbs: z.array(z.string()).default([]),
    }),
  ),
});

type NamedResource = ApiResource & {
  /** Plural, singular, kind and short names in lower case. */
  readonly names: readonly string[];
  readonly shortNames: readonly string[];
  /** Such as "status" and "scale". */
  readonly subresources: readonly string[];
};

export function createDiscovery(get: GetFromApi): Discovery {
  const cache = new Map<string, { readonly at: number; readonly resources: readonly NamedResource[] }>();
  const resourcesIn = async (group: string, signal: AbortSignal): Promise<readonly NamedResource[]> => {
    const cached = cache.get(group);
    if (cached !== undefined && performance.now() - cached.at < CACHE_MS) return cached.resources;
    const resources = await readGroup(get, group, signal);
    setBounded(cache, group, { at: performance.now(), resources }, MAX_CACHED_GROUPS);
    return resources;
  };
  return {
    async find(text, signal) {
      const usual = findClusterResource(text);
      if (usual !== undefined) return { ...usual, isListable: true };
      const { name, group } = splitResource(text);
      const resources = await resourcesIn(group, signal);
      return resources.find(({ names }) => names.includes(name)) ?? null;
    },
  };
}

/** The resources of a group in the version that the server prefers; none if it does not have the group. */
async function readGroup(get: GetFromApi, group: string, signal: AbortSignal): Promise<readonly NamedResource[]> {
  if (group === "") return readResources(get, { group, version: "v1" }, signal);
  const answer = permitted(await get({ path: ["apis", group], maxBytes: MAX_DISCOVERY_BYTES, signal }));
  if (answer.kind === "not_found") return [];
  const parsed = groupSchema.safeParse(answer.kind === "json" ? answer.body : null);
  if (!parsed.success) throw invalid("the response is no group of the API");
  return readResources(get, { group, version: preferredVersion(parsed.data) }, signal);
}

export function preferredVersion({ preferredVersion, versions }: ApiGroup): string {
  return preferredVersion?.version ?? versions[0]?.version ?? "v1";
}

/** The path of a group and version: the core group has one of its own. */
export function apiPath({ group, version }: Pick<ApiResource, "group" | "version">): string[] {
  return group === "" ? ["api", version] : ["apis", group, version];
}

/** The resources of a group and version, each with the names of its subresources. @throws DependencyError */
export async function readResources(
  get: GetFromApi,
  place: Pick<ApiResource, "group" | "version">,
  signal: AbortSignal,
): Promise<readonly NamedResource[]> {
  const answer = permitted(await get({ path: apiPath(place), maxBytes: MAX_DISCOVERY_BYTES, signal }));
  if (answer.kind === "not_found") return [];
  const parsed = resourceListSchema.safeParse(answer.kind === "json" ? answer.body : null);
  if (!parsed.success) throw invalid("the response is no list of resources");
  const subresources = Map.groupBy(parsed.data.resources, ({ name }) => name.split("/", 1)[0]);
  return parsed.data.resources
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, singularName, shortNames, kind, namespaced, verbs }) => ({
      plural: name,
      kind,
      group: place.group,
      version: place.version,
      namespaced,
      isListable: verbs.includes("list"),
      names: [name, singularName, kind.toLowerCase(), ...shortNames],
      shortNames,
      subresources: (subresources.get(name) ?? []).map((each) => each.name.slice(name.length + 1)),
    }));
}
