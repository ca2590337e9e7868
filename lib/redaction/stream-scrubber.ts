// Redaction of a stream, such as the tokens of a model. The joined output equals `redact` of the whole text, however it is
// split into pieces, so no part of a secret is ever emitted.

import type { HiddenAddresses } from "./personal/ip-addresses.ts";
import { PrivateKeyFilter } from "./private-keys.ts";
import { CONTEXT_LENGTH, type Counts } from "./rules/rule.ts";
import { scrubSegment } from "./scrub-segment.ts";
import { createSegmenter } from "./segmenter.ts";

export interface StreamScrubber {
  /** Takes the next piece and returns the redacted part of the text, which may be empty. */
  push(chunk: string): string;
  /** Returns the rest. The scrubber cannot be used again. */
  end(): string;
  /** Number of replacements so far, by the name in the marker. */
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * Creates a scrubber that holds back one word of prose. It holds back a secret's name until its value ends, a row of
 * numbers until it ends, and a quoted value until its closing quote, but never beyond the end of the line. It holds back
 * a long word (a JWT, minified JSON) until the word ends, and a line with the first line of a private key until it ends.
 */
export function createStreamScrubber(hidden: HiddenAddresses = "public"): StreamScrubber {
  const counts: Counts = {};
  const filter = new PrivateKeyFilter(counts);
  const segmenter = createSegmenter();
  // Pieces of the unfinished segment. They are joined only once, so that a long word takes linear time.
  let pieces: string[] = [];
  // The text before the segment, as it was before redaction.
  let context = "";

  function scrub(text: string): string {
    let out = "";
    let start = 0;
    while (start < text.length) {
      const end = segmenter.next(text, start);
      if (end === -1) {
        pieces.push(text.slice(start));
        break;
      }
      // A segment may end at the start of this piece, which then adds an empty string.
      pieces.push(text.slice(start, end));
      out += release();
      start = end;
    }
    return out;
  }

  function release(): string {
    const segment = pieces.join("");
    pieces = [];
    const scrubbed = scrubSegment(segment, segmenter.traits(), { counts, context, hidden });
    context = (context + segment.slice(-CONTEXT_LENGTH)).slice(-CONTEXT_LENGTH);
    return scrubbed;
  }

  return {
    push: (chunk) => scrub(filter.push(chunk)),
    end: () => scrub(filter.end()) + release(),
    counts,
  };
}
