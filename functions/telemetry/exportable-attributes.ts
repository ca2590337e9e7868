// Prepares span attributes for export: scrubs secrets and personal data, cuts long texts, and hides the texts of inputs and
// outputs when configured. Pure functions.

import type { Redact } from "../../lib/redaction/redact.ts";
import type { Attributes, AttributeValue } from "./openinference.ts";

/** UTF-16 units of one text: most of a prompt, all of most documents. */
export const MAX_CHARACTERS = 8_000;
/** UTF-16 units that are scrubbed of a longer text: scrubbing takes time before the response is sent. */
export const MAX_READ = 4 * MAX_CHARACTERS;
/** UTF-16 units. A cut text may end in part of a secret, which is not recognised: this much of its end is dropped. */
const LONGEST_SECRET = MAX_CHARACTERS;
/** Items of one list, such as warnings. */
const MAX_RANKED_ITEMS = 100;
/** The replacement that OpenInference's own instrumentations write. */
const HIDDEN = "__REDACTED__";

/** Of inputs, outputs and documents. The domain rule quotes the report, and an exception's message may quote its input. */
const TEXTS = [
  /^(input|output)\.value$/,
  /^llm\.(input|output)_messages\.\d+\.message\.content$/,
  /^embedding\.embeddings\.\d+\.embedding\.text$/,
  /^(retrieval\.documents|reranker\.(input|output)_documents)\.\d+\.document\.(content|metadata)$/,
  /^(reranker\.query|dejavu\.domain_rule|dejavu\.critique\.(rejected_)?feedback|exception\.message)$/,
];

/** What may leave in a span. */
export interface ExportRules {
  /** Texts of reports and answers are replaced. */
  readonly hidesTexts: boolean;
  readonly redact: Redact;
}

export function exportable(attributes: Attributes, rules: ExportRules): Record<string, AttributeValue> {
  const exported: Record<string, AttributeValue> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    exported[name] = rules.hidesTexts && TEXTS.some((text) => text.test(name)) ? HIDDEN : shorten(value, rules);
  }
  return exported;
}

/** Scrubs before cutting: half a secret would not be recognised. */
export function exportableText(text: string, { redact }: Pick<ExportRules, "redact">): string {
  const isReadWhole = text.length <= MAX_READ;
  const scrubbed = redact(text.slice(0, MAX_READ)).text;
  const clean = isReadWhole ? scrubbed : scrubbed.slice(0, -LONGEST_SECRET);
  if (isReadWhole && clean.length <= MAX_CHARACTERS) return clean.toWellFormed();
  return `${clean.slice(0, MAX_CHARACTERS - 1).toWellFormed()}…`;
}

function shorten(value: AttributeValue, rules: ExportRules): AttributeValue {
  if (typeof value === "string") return exportableText(value, rules);
  return Array.isArray(value) ? value.slice(0, MAX_RANKED_ITEMS).map((text) => exportableText(text, rules)) : value;
}
