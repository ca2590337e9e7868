// Redaction of a whole text: replaces personal data and secrets by markers such as [REDACTED_EMAIL].

import type { HiddenAddresses } from "./personal/ip-addresses.ts";
import { PrivateKeyFilter } from "./private-keys.ts";
import { CONTEXT_LENGTH, type Counts } from "./rules/rule.ts";
import { scrubSegment } from "./scrub-segment.ts";
import { createSegmenter } from "./segmenter.ts";

export interface Redaction {
  readonly text: string;
  /** Number of replacements, by the name in the marker. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Redacts a text. Where addresses of private networks are hidden depends on the deployment, so this is passed. */
export type Redact = (text: string) => Redaction;

export function createRedact(hidden: HiddenAddresses): Redact {
  return (text) => redact(text, hidden);
}

/**
 * Replaces personal data and secrets. Linear in the text. Idempotent, except where a marker splits a word.
 * @param hidden for texts in which addresses of private networks cannot stand, or that are redacted once more
 */
export function redact(text: string, hidden: HiddenAddresses = "public"): Redaction {
  const counts: Counts = {};
  const filter = new PrivateKeyFilter(counts);
  const filtered = filter.push(text) + filter.end();
  const segmenter = createSegmenter();
  const parts: string[] = [];
  let copied = 0;
  for (let start = 0; start < filtered.length; ) {
    const boundary = segmenter.next(filtered, start);
    const end = boundary === -1 ? filtered.length : boundary;
    const traits = segmenter.traits();
    if (traits !== 0) {
      const segment = filtered.slice(start, end);
      const context = filtered.slice(Math.max(0, start - CONTEXT_LENGTH), start);
      const scrubbed = scrubSegment(segment, traits, { counts, context, hidden });
      if (scrubbed !== segment) {
        parts.push(filtered.slice(copied, start), scrubbed);
        copied = end;
      }
    }
    start = end;
  }
  parts.push(filtered.slice(copied));
  return { text: parts.join(""), counts };
}
