// Owns the scrubbing of a whole text: personal data and secrets become markers such as [REDACTED_EMAIL].

import { createBlockFilter } from "./private-key-blocks.ts";
import type { Counts } from "./redaction-rule.ts";
import { scrubSegment } from "./scrub-segment.ts";
import { createSegmenter } from "./segmenter.ts";

export interface Redaction {
  readonly text: string;
  /** How often each kind was replaced, by the name in its marker. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Replaces personal data and secrets. Linear in the text; a second time finds nothing, unless a marker parted a word. */
export function redact(text: string): Redaction {
  const counts: Counts = {};
  const filter = createBlockFilter(counts);
  const open = filter.push(text) + filter.end();
  const segmenter = createSegmenter();
  const parts: string[] = [];
  let copied = 0;
  for (let start = 0; start < open.length; ) {
    const boundary = segmenter.next(open, start);
    const end = boundary === -1 ? open.length : boundary;
    const traits = segmenter.traits();
    if (traits !== 0) {
      const segment = open.slice(start, end);
      const scrubbed = scrubSegment(segment, traits, counts);
      if (scrubbed !== segment) {
        parts.push(open.slice(copied, start), scrubbed);
        copied = end;
      }
    }
    start = end;
  }
  parts.push(open.slice(copied));
  return { text: parts.join(""), counts };
}
