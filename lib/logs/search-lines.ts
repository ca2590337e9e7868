// Error lines as search terms.

import type { ReadEvidence } from "./evidence.ts";
import { withoutUniqueParts } from "./log-time.ts";
import { messageOf } from "./message-of.ts";

/** Lines that a search reads: further lines are rarely about the same failure. */
const MAX_SEARCH_LINES = 6;
/** Share of the heaviest line's weight below which a line would only add noise. */
const MIN_SHARE = 0.5;

/** The error lines without timestamps and unique ids, most important first. */
export function searchLines({ lines }: Pick<ReadEvidence, "lines">): string[] {
  const heaviest = lines[0]?.weight ?? 0;
  const heavy = lines.slice(0, MAX_SEARCH_LINES).filter(({ weight }) => weight >= heaviest * MIN_SHARE);
  return [...new Set(heavy.map(({ text }) => withoutUniqueParts(messageOf(text))))];
}
