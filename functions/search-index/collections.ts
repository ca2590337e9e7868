// Names of the collections: four layers for each domain, so that no domain sees another's documents, and the cluster
// inventory, which belongs to no domain.

import { DOMAIN_NAMES, type DomainName } from "../schemas/domain.ts";

/** `past_answers` and `procedures` have a vector index only; the others have a keyword index too. */
export const LAYERS = ["runbooks", "incidents", "past_answers", "procedures"] as const;
export type Layer = (typeof LAYERS)[number];

export function collectionOf<L extends Layer>(layer: L, domain: DomainName): `${L}-${DomainName}` {
  return `${layer}-${domain}`;
}

/** Cluster inventory. `capabilities`: one document for each kind of resource. `instances`: one for each resource. */
export const INVENTORY_COLLECTIONS = ["capabilities", "instances"] as const;
export type InventoryCollection = (typeof INVENTORY_COLLECTIONS)[number];

/** Collections that every client with read access may search. */
export const SEARCHABLE_COLLECTIONS = [
  ...DOMAIN_NAMES.map((domain) => collectionOf("runbooks", domain)),
  ...DOMAIN_NAMES.map((domain) => collectionOf("incidents", domain)),
  ...INVENTORY_COLLECTIONS,
] as const;
export type SearchableCollection = (typeof SEARCHABLE_COLLECTIONS)[number];

export const COLLECTIONS: readonly string[] = [
  ...LAYERS.flatMap((layer) => DOMAIN_NAMES.map((domain) => collectionOf(layer, domain))),
  ...INVENTORY_COLLECTIONS,
];

/** Whether a collection has a keyword index; collections without keyword search need none. */
export function isKeywordSearched(collection: string): boolean {
  return /^(runbooks|incidents)-/.test(collection);
}
