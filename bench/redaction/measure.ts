// Figures of redaction on samples: recall by category, overreach, changed ordinary lines.

import { redact } from "../../lib/redaction/redact.ts";
import type { RedactionSample, RedactionSamples } from "./samples.ts";

/** Characters. A shorter remainder of a secret is no use to anybody. */
const LEAK_LENGTH = 8;

export interface Share {
  readonly caught: number;
  readonly total: number;
}

export interface RedactionFigures {
  /** Fair samples by category, and all of them. */
  readonly categories: ReadonlyMap<string, Share>;
  readonly all: Share;
  /** Samples that only a reader can find; not part of `all`. */
  readonly unfair: Share;
  readonly missed: readonly { readonly sample: RedactionSample; readonly output: string }[];
  /** Samples whose redaction removed something that must stay. */
  readonly overreach: readonly { readonly sample: RedactionSample; readonly output: string }[];
  readonly changed: readonly { readonly text: string; readonly output: string }[];
}

export function measure({ samples, ordinary }: RedactionSamples): RedactionFigures {
  const results = samples.map((sample) => ({ sample, output: redact(sample.text).text }));
  const isCaught = ({ sample, output }: (typeof results)[number]) =>
    sample.secrets.every((secret) => !leaks(secret, sample.text, output));
  const shareOf = (part: typeof results): Share => ({ caught: part.filter(isCaught).length, total: part.length });
  const fair = results.filter(({ sample }) => sample.fair);
  const byCategory = Object.groupBy(fair, ({ sample }) => sample.category);
  return {
    categories: new Map(Object.entries(byCategory).map(([category, part]) => [category, shareOf(part ?? [])])),
    all: shareOf(fair),
    unfair: shareOf(results.filter(({ sample }) => !sample.fair)),
    missed: fair.filter((result) => !isCaught(result)),
    overreach: results.filter(({ sample, output }) => sample.keep.some((part) => !output.includes(part))),
    changed: ordinary
      .map(({ text }) => ({ text, output: redact(text).text }))
      .filter(({ text, output }) => output !== text),
  };
}

/** Whether a part of the secret is left that stands nowhere else in the text. */
function leaks(secret: string, text: string, output: string): boolean {
  const elsewhere = text.replaceAll(secret, "\u0000");
  const length = Math.min(secret.length, LEAK_LENGTH);
  for (let start = 0; start + length <= secret.length; start++) {
    const part = secret.slice(start, start + length);
    if (output.includes(part) && !elsewhere.includes(part)) return true;
  }
  return false;
}
