// Owns what of a span's attributes may leave: scrubbed of secrets and personal data, cut to a length, and without inputs or
// outputs where these are to be hidden. Pure.

import { redact } from "../guardrails/redaction/redact.ts";
import type { Attributes, AttributeValue } from "./openinference.ts";

export interface Hiding {
  readonly inputs: boolean;
  readonly outputs: boolean;
}

/** UTF-16 units of one text: most of a prompt, the whole of most documents. */
export const MAX_CHARACTERS = 8_000;
/** UTF-16 units that are read of a longer text: scrubbing takes its time, and the platform is told before the answer leaves. */
export const MAX_READ = 4 * MAX_CHARACTERS;
/** UTF-16 units. What was read may end in a part of a secret, which is not known for one: so much of its end never leaves. */
const LONGEST_SECRET = MAX_CHARACTERS;
/** Texts of one list, such as warnings. */
const MAX_RANKED_ITEMS = 100;
/** What OpenInference's own instrumentations write in the place of what is hidden. */
const HIDDEN = "__REDACTED__";

/** The rule that chose the domain quotes labels and words of the report. */
const INPUT =
  /^(input\.value|llm\.input_messages\.\d+\.message\.content|embedding\.embeddings\.\d+\.embedding\.text|reranker\.query|dejavu\.domain_rule)$/;
const OUTPUT = /^(output\.value|llm\.output_messages\.\d+\.message\.content)$/;
/** A document may be an earlier report or the answer to it, and what an exception says may quote what it choked on. */
const EITHER =
  /^((retrieval\.documents|reranker\.(input|output)_documents)\.\d+\.document\.(content|metadata)|exception\.message)$/;

export function exportable(attributes: Attributes, hiding: Hiding): Record<string, AttributeValue> {
  const leaving: Record<string, AttributeValue> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    leaving[name] = isHidden(name, hiding) ? HIDDEN : shorten(value);
  }
  return leaving;
}

function isHidden(name: string, { inputs, outputs }: Hiding): boolean {
  return (inputs && INPUT.test(name)) || (outputs && OUTPUT.test(name)) || ((inputs || outputs) && EITHER.test(name));
}

/** Scrubbed before it is cut: half a secret would not be known for one. */
export function exportableText(text: string): string {
  const isRead = text.length <= MAX_READ;
  const scrubbed = redact(text.slice(0, MAX_READ)).text;
  const clean = isRead ? scrubbed : scrubbed.slice(0, -LONGEST_SECRET);
  if (isRead && clean.length <= MAX_CHARACTERS) return clean.toWellFormed();
  return `${clean.slice(0, MAX_CHARACTERS - 1).toWellFormed()}…`;
}

function shorten(value: AttributeValue): AttributeValue {
  if (typeof value === "string") return exportableText(value);
  return Array.isArray(value) ? value.slice(0, MAX_RANKED_ITEMS).map(exportableText) : value;
}
