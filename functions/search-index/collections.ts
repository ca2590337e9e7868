// Names of the collections: one for each layer of memory, with the domain of a document in its metadata, and the cluster
// inventory, which belongs to no domain.

/** `past_answers` and `procedures` have a vector index only; the others have a keyword index too. */
export const LAYERS = ["runbooks", "incidents", "past_answers", "procedures"] as const;
export type Layer = (typeof LAYERS)[number];

/** Cluster inventory. `capabilities`: one document for each kind of resource. `instances`: one for each resource. */
export const INVENTORY_COLLECTIONS = ["capabilities", "instances"] as const;
export type InventoryCollection = (typeof INVENTORY_COLLECTIONS)[number];

/** Collections that every client with read access may search. */
export const SEARCHABLE_COLLECTIONS = ["runbooks", "incidents", ...INVENTORY_COLLECTIONS] as const;
export type SearchableCollection = (typeof SEARCHABLE_COLLECTIONS)[number];

export const COLLECTIONS = [...LAYERS, ...INVENTORY_COLLECTIONS] as const;
export type Collection = (typeof COLLECTIONS)[number];

/** Whether a collection has a keyword index; collections without keyword search need none. */
export function isKeywordSearched(collection: string): boolean {
  return collection === "runbooks" || collection === "incidents";
}
