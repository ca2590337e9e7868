// Re-weights error lines with the term statistics of a collection: a rare word makes a line a better lead.

import type { ErrorLine } from "../../schemas/incident.ts";

/** Share of a weight that rarity decides. */
const RARITY_SHARE = 0.2;
/** The rarest words of a line that count. */
const RARE_WORDS = 3;
const WORD = /[\p{L}\p{N}]{2,64}/gu;

/** @param idf inverse document frequency by lower-case word; words without one count as common */
export function rankByRarity(lines: readonly ErrorLine[], idf: Readonly<Record<string, number>>): ErrorLine[] {
  const rarities = lines.map(({ text }) => rarityOf(text, idf));
  const highest = Math.max(...rarities);
  if (!(highest > 0)) return [...lines];
  return lines
    .map((line, i) => ({ ...line, weight: line.weight * (1 - RARITY_SHARE * (1 - (rarities[i] ?? 0) / highest)) }))
    .sort((a, b) => b.weight - a.weight || a.line - b.line);
}

function rarityOf(text: string, idf: Readonly<Record<string, number>>): number {
  const words = new Set(text.slice(0, 1_000).toLowerCase().match(WORD) ?? []);
  const values = [...words].map((word) => (Object.hasOwn(idf, word) ? (idf[word] ?? 0) : 0)).sort((a, b) => b - a);
  return values.slice(0, RARE_WORDS).reduce((sum, value) => sum + value, 0);
}
