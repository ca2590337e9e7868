// The check whether an answer quotes lines of the report. Pure function.

import type { TriageResult } from "../../functions/schemas/triage-result.ts";
import type { Expectation } from "../case-files/case-schema.ts";

/** The expected lines that stand in no quote of the answer. Letter case counts; runs of whitespace are one space. */
export function unquotedLines({ quotes = [] }: Expectation, { answer }: Pick<TriageResult, "answer">): string[] {
  const quoted = answer.evidence.flatMap(({ quote }) => (quote === null ? [] : [foldWhitespace(quote)]));
  return quotes.filter((line) => !quoted.some((quote) => quote.includes(foldWhitespace(line))));
}

function foldWhitespace(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
