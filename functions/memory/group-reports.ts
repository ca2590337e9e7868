// Groups the reports of one record by failure. Pure functions.

import type { FailureSignature } from "../schemas/failure-signature.ts";
import { isSameFailure } from "./same-failure.ts";

/**
 * Joins items whose failures are the same, each with the first group that its signature matches.
 * @param items of different fingerprints, the most frequent first
 * @returns groups of items, in the order of their first items
 */
export function groupByFailure<T extends { readonly signature: FailureSignature }>(items: readonly T[]): [T, ...T[]][] {
  const groups: [T, ...T[]][] = [];
  for (const item of items) {
    const group = groups.find(([first]) => isSameFailure(first.signature, item.signature));
    if (group) group.push(item);
    else groups.push([item]);
  }
  return groups;
}
