// Labels and annotations that all alerts of a webhook have in common. A sender repeats them in each alert, so that there
// is seldom anything to add. What is added is bounded: a small body must not become a large one. Pure functions.

import { LIMITS, withoutBlanks } from "./alert-limits.ts";

/** Characters that all alerts of a request get in addition, in equal shares. */
const MAX_LENT_CHARS = 100_000;

type Texts = Readonly<Record<string, string>>;

/**
 * @param common entries of the group; the first 64 that fit into an alert's share are added
 * @param alerts number of alerts that share the room
 * @returns adds the common entries to an alert's own, which take precedence; blank ones are dropped
 */
export function lender(common: Texts, alerts: number): (own: Texts) => Texts {
  const entries = firstEntries(common);
  const room = Math.floor(MAX_LENT_CHARS / Math.max(1, alerts));
  return (own) => {
    const texts = withoutBlanks(own);
    const added: [string, string][] = [];
    let used = 0;
    for (const [name, text] of entries) {
      if (Object.hasOwn(texts, name)) continue;
      const size = name.length + text.length;
      if (used + size > room) continue;
      used += size;
      added.push([name, text]);
    }
    return added.length === 0 ? texts : Object.fromEntries([...Object.entries(texts), ...added]);
  };
}

function firstEntries(common: Texts): [string, string][] {
  const entries = Object.entries(common).slice(0, LIMITS.labels);
  return Object.entries(withoutBlanks(Object.fromEntries(entries)));
}
