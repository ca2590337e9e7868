// Redaction of private keys in PEM armour, the only secret that spans lines. A block is replaced from its first line to
// its last, or to the end of the text if the last is missing. Certificates and public keys stay.

import { type Counts, marker } from "./redaction-rule.ts";

export interface BlockFilter {
  /** Takes the next piece and returns the filtered part of the text, which may be empty. */
  push(chunk: string): string;
  /** Returns the rest. */
  end(): string;
}

const NAME = "PRIVATE_KEY";
// RFC 7468 and OpenSSH: RSA, EC, DSA, ENCRYPTED, OPENSSH or nothing before the label; OpenPGP adds BLOCK.
const HEAD = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/;
const FOOT = /-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/;
/** The beginning of a head at the end of a piece. */
const UNFINISHED_HEAD = /-{1,4}$|-----(?:B(?:E(?:G(?:I(?:N(?: [A-Z0-9 ]{0,50}-{0,4})?)?)?)?)?)?$/;
/** Characters. Heads and feet are shorter, so text before the last 80 characters cannot belong to an unfinished one. */
const MAX_LINE_LENGTH = 80;

/** Holds back only an unfinished first line. Within a block it keeps only the end, which may be the last line. */
export function createBlockFilter(counts: Counts): BlockFilter {
  let pending = "";
  let isInside = false;

  function takeDecided(): string {
    let out = "";
    for (;;) {
      const match = (isInside ? FOOT : HEAD).exec(pending);
      if (!match) break;
      if (!isInside) {
        // The marker is returned at once: it is the same with and without an end of the block.
        out += pending.slice(0, match.index) + marker(NAME);
        counts[NAME] = (counts[NAME] ?? 0) + 1;
      }
      pending = pending.slice(match.index + match[0].length);
      isInside = !isInside;
    }
    const heldBack = isInside ? Math.min(pending.length, MAX_LINE_LENGTH) : unfinishedHeadLength(pending);
    if (!isInside) out += pending.slice(0, pending.length - heldBack);
    pending = pending.slice(pending.length - heldBack);
    return out;
  }

  return {
    push(chunk) {
      pending += chunk;
      return takeDecided();
    },
    end() {
      const rest = isInside ? "" : pending;
      pending = "";
      return rest;
    },
  };
}

/** Number of characters at the end of `text` that may be the beginning of a head. */
function unfinishedHeadLength(text: string): number {
  const tail = text.slice(-MAX_LINE_LENGTH);
  const match = UNFINISHED_HEAD.exec(tail);
  return match ? tail.length - match.index : 0;
}
