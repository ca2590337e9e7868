// Owns what of a span's attributes may leave: scrubbed of secrets and personal data, cut to a length, and without inputs or
// outputs where these are to be hidden. Pure.

import { redact } from "../guardrails/redact.ts";
import type { Attributes, AttributeValue } from "./openinference.ts";

export interface Hiding {
  readonly inputs: boolean;
  readonly outputs: boolean;
}

/** UTF-16 units of one text: most of a prompt, the whole of most documents. */
export const MOST_CHARACTERS = 8_000;
/** Texts of one list, such as warnings. */
const MOST_ITEMS = 100;
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

/** Scrubbed as a whole before it is cut: half a secret would not be known for one. */
export function exportableText(text: string): string {
  const clean = redact(text).text.toWellFormed();
  return clean.length <= MOST_CHARACTERS ? clean : `${clean.slice(0, MOST_CHARACTERS - 1).toWellFormed()}…`;
}

function shorten(value: AttributeValue): AttributeValue {
  if (typeof value === "string") return exportableText(value);
  return Array.isArray(value) ? value.slice(0, MOST_ITEMS).map(exportableText) : value;
}
