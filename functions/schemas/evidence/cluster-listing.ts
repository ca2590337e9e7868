// What a source of evidence lists of its cluster, for the inventory: kinds, and names and labels of objects. No content.

import type { EvidenceKind } from "./evidence-kinds.ts";

/** The kind of source that lists a cluster. */
export const LISTED_KIND: EvidenceKind = "kubernetes";

export interface ListedKind {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly namespaced: boolean;
  /** Whether an extension of the cluster defines it. */
  readonly isCustom: boolean;
  readonly hasStatus: boolean;
  readonly canScale: boolean;
}

export interface ListedObject {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  /** Null for an object outside of namespaces. */
  readonly namespace: string | null;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface ClusterListing {
  readonly kinds: readonly ListedKind[];
  readonly objects: readonly ListedObject[];
  /** False if a part of the API did not answer: what is missing may exist. */
  readonly isComplete: boolean;
  /** Whether there are more objects than may be listed. */
  readonly isCut: boolean;
  /** Kinds that the credential may not list; their objects count as absent. */
  readonly forbidden: number;
}
