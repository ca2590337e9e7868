// Owns the scrubbing of a text that comes in pieces, such as the tokens of a model. What it gives out, put together,
// is `redact` of the whole text, whatever the pieces; so at no time has a part of a secret left.

import { createBlockFilter } from "./private-key-blocks.ts";
import type { Counts } from "./redaction-rule.ts";
import { scrubSegment } from "./scrub-segment.ts";
import { createSegmenter } from "./segmenter.ts";

export interface StreamScrubber {
  /** Takes the next piece; gives out what is decided, which may be nothing. */
  push(chunk: string): string;
  /** Gives out the rest; the scrubber is spent. */
  end(): string;
  /** How often each kind was replaced so far, by the name in its marker. */
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * Prose is held back for one word. Held longer: a name until its value is over, a row of numbers until it ends, a
 * quoted value until its closing quote; none of them beyond the end of the line. A word without an end (a JWT, minified
 * JSON) is held as long as it goes on. Of a private key's block nothing is held but its last line: the marker stands
 * for it at once.
 */
export function createStreamScrubber(): StreamScrubber {
  const counts: Counts = {};
  const filter = createBlockFilter(counts);
  const segmenter = createSegmenter();
  // Pieces of the segment that is not over; joined once, so that a long word costs no more than its length.
  let held: string[] = [];

  function scrub(text: string): string {
    let out = "";
    let start = 0;
    while (start < text.length) {
      const end = segmenter.next(text, start);
      if (end === -1) {
        held.push(text.slice(start));
        break;
      }
      // A segment may end where the text begins, with nothing of it in the text.
      held.push(text.slice(start, end));
      out += release();
      start = end;
    }
    return out;
  }

  function release(): string {
    const segment = held.join("");
    held = [];
    return scrubSegment(segment, segmenter.traits(), counts);
  }

  return {
    push: (chunk) => scrub(filter.push(chunk)),
    end: () => scrub(filter.end()) + release(),
    counts,
  };
}
