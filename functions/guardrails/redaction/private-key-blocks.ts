// Owns the one secret that spans lines: a private key in PEM armour. From its first line to its last, or to the end of
// the text where the last is missing, it becomes a marker; certificates and public keys are public and stay.

import { type Counts, marker } from "./redaction-rule.ts";

export interface BlockFilter {
  /** Takes the next piece of the text; gives out what is decided. */
  push(chunk: string): string;
  /** Gives out the rest. */
  end(): string;
}

const NAME = "PRIVATE_KEY";
// RFC 7468 and OpenSSH: RSA, EC, DSA, ENCRYPTED, OPENSSH or nothing before the label; OpenPGP adds BLOCK.
const HEAD = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/;
const FOOT = /-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/;
/** What a head can begin with at the end of a piece. */
const UNFINISHED_HEAD = /-{1,4}$|-----(?:B(?:E(?:G(?:I(?:N(?: [A-Z0-9 ]{0,50}-{0,4})?)?)?)?)?)?$/;
/** Characters: longer than any head or foot, so nothing before it can belong to one that is still to come. */
const LONGEST_LINE = 80;

/** Holds back no more than an unfinished first line, and keeps nothing of a block but what may be its last line. */
export function createBlockFilter(counts: Counts): BlockFilter {
  let pending = "";
  let isInside = false;

  function takeDecided(): string {
    let out = "";
    for (;;) {
      const found = (isInside ? FOOT : HEAD).exec(pending);
      if (!found) break;
      if (!isInside) {
        // The marker leaves at once: whether the block ever ends makes no difference to it.
        out += pending.slice(0, found.index) + marker(NAME);
        counts[NAME] = (counts[NAME] ?? 0) + 1;
      }
      pending = pending.slice(found.index + found[0].length);
      isInside = !isInside;
    }
    const held = isInside ? Math.min(pending.length, LONGEST_LINE) : unfinishedHead(pending);
    if (!isInside) out += pending.slice(0, pending.length - held);
    pending = pending.slice(pending.length - held);
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

/** Characters at the end of `text` that a head may begin with. */
function unfinishedHead(text: string): number {
  const tail = text.slice(-LONGEST_LINE);
  const found = UNFINISHED_HEAD.exec(tail);
  return found ? tail.length - found.index : 0;
}
