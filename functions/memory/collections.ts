// Owns which collections there are: a layer of knowledge for each domain, so that no domain sees another's documents.

import { DOMAIN_NAMES, type DomainName } from "../domains/domain.ts";

/** `memories` and `procedures` are found by meaning alone, the others by keywords too. */
export const LAYERS = ["runbooks", "incidents", "memories", "procedures"] as const;
export type Layer = (typeof LAYERS)[number];

export function collectionOf(layer: Layer, domain: DomainName): `${Layer}-${DomainName}` {
  return `${layer}-${domain}`;
}

export const COLLECTIONS: readonly string[] = LAYERS.flatMap((layer) =>
  DOMAIN_NAMES.map((domain) => collectionOf(layer, domain)),
);

/** Whether a collection has a keyword index. An index over millions of short queries that nobody asks would be waste. */
export function isKeywordSearched(collection: string): boolean {
  return !/^(memories|procedures)-/.test(collection);
}
