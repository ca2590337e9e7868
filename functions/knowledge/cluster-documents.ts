// Inventory documents of a listed cluster. Equal listings make equal documents, so that an unchanged cluster writes nothing.
// Pure functions.

import type { ClusterListing, ListedKind, ListedObject } from "../schemas/evidence/cluster-listing.ts";

/** A document as the inventory API takes it; the inventory validates and scrubs it. */
export interface ClusterDocument {
  readonly id: string;
  readonly text: string;
  readonly metadata: Readonly<Record<string, string | boolean>>;
}

const MAX_LABELS = 15;

export function kindDocuments({ kinds }: ClusterListing): ClusterDocument[] {
  return kinds.map((each) => {
    const apiVersion = apiVersionOf(each);
    const scope = each.namespaced ? "Namespaced" : "Cluster";
    const names = [each.plural, ...each.shortNames].join(", ");
    const parts = [
      `${each.kind} (${names}) of ${apiVersion}.`,
      each.namespaced ? "Its objects are in namespaces." : "Its objects are outside of namespaces.",
      ...(each.isCustom ? ["An extension of the cluster defines it."] : []),
      ...(each.hasStatus ? ["Its objects have a status."] : []),
      ...(each.canScale ? ["Its objects can be scaled."] : []),
    ];
    return {
      id: `${apiVersion}/${each.kind}`,
      text: parts.join(" "),
      metadata: {
        kind: each.kind,
        apiVersion,
        apiGroup: each.group,
        scope,
        isCRD: each.isCustom,
        complexity: each.canScale ? "high" : each.hasStatus ? "medium" : "low",
      },
    };
  });
}

export function objectDocuments({ objects }: ClusterListing): ClusterDocument[] {
  return objects.map((object) => {
    const { kind, group, namespace, name } = object;
    const apiVersion = apiVersionOf(object);
    const labels = Object.entries(object.labels)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, MAX_LABELS)
      .map((pair) => pair.join("="));
    const place = namespace === null ? "" : ` in namespace ${namespace}`;
    const shownLabels = labels.length === 0 ? "" : ` Labels: ${labels.join(", ")}.`;
    return {
      id: `${namespace ?? ""}/${apiVersion}/${kind}/${name}`,
      text: `${kind} ${name}${place}.${shownLabels}`,
      metadata: { kind, apiVersion, apiGroup: group, name, ...(namespace === null ? {} : { namespace }) },
    };
  });
}

/** "v1" for the core group, as in a manifest. */
function apiVersionOf({ group, version }: Pick<ListedKind | ListedObject, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}
