// Owns which collections there are: a layer of knowledge for each domain, so that no domain sees another's documents; and
// what is known of clusters, which belongs to none.

import { DOMAIN_NAMES, type DomainName } from "../schemas/domain.ts";

/** `memories` and `procedures` are found by meaning alone, the others by keywords too. */
export const LAYERS = ["runbooks", "incidents", "memories", "procedures"] as const;
export type Layer = (typeof LAYERS)[number];

export function collectionOf<L extends Layer>(layer: L, domain: DomainName): `${L}-${DomainName}` {
  return `${layer}-${domain}`;
}

/** What a cluster can run, one document a kind of resource; and what runs in it, one document a resource. */
export const INVENTORY_COLLECTIONS = ["capabilities", "instances"] as const;
export type InventoryCollection = (typeof INVENTORY_COLLECTIONS)[number];

/** What anybody may search who may read. */
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

/** Whether a collection has a keyword index. One that nobody asks would be waste. */
export function isKeywordSearched(collection: string): boolean {
  return /^(runbooks|incidents)-/.test(collection);
}
