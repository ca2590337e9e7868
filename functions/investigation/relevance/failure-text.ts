// A failure as the features of past incidents read it: of a report or of a record. Pure functions.

import { codesOfTemplate, templateOf, wordsOfTemplate } from "../../../lib/logs/line-template.ts";
import { weighLine } from "../../../lib/logs/weigh-line.ts";
import { namesFailure } from "../../../lib/mechanisms/read-mechanisms.ts";
import { withoutMarkers } from "../../../lib/redaction/redaction-marker.ts";
import { tokenizeWords } from "../../../lib/text/tokenize.ts";
import { withoutName } from "../../../lib/text/without-name.ts";
import { readSignature } from "../../memory/read-signature.ts";
import type { FailureSignature, LineTemplate } from "../../schemas/failure-signature.ts";
import { type Incident, searchText } from "../../schemas/incident.ts";

export interface FailureParts {
  readonly signature: FailureSignature;
  /** Without the target's name. */
  readonly headline: string;
  /** Empty without one. */
  readonly target: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly type: string;
}

export interface FailureText extends Pick<FailureParts, "signature" | "type"> {
  readonly headline: ReadonlySet<string>;
  /** Terms of the target's name, which says nothing about the failure, also where the other report has it in its headline. */
  readonly targetTerms: ReadonlySet<string>;
  /** The headline as a line; null if it has less than two words. */
  readonly headlineLine: LineTerms | null;
  /** Importance of the headline if it is read as a line of a log, 0 to 1. */
  readonly headlineWeight: number;
  /** The most important first. */
  readonly lines: readonly LineTerms[];
  /** Terms of headline and lines. */
  readonly terms: ReadonlySet<string>;
  /** Words of the whole log. */
  readonly logWords: ReadonlySet<string>;
  /** Weights by mechanism. */
  readonly mechanisms: ReadonlyMap<string, number>;
  /** Pairs of label and value. */
  readonly labels: ReadonlySet<string>;
}

export interface LineTerms {
  /** The template. */
  readonly text: string;
  readonly weight: number;
  readonly terms: ReadonlySet<string>;
  /** Two words that follow each other. */
  readonly phrases: ReadonlySet<string>;
  /** Such as the number of an exit code. */
  readonly codes: ReadonlySet<string>;
}

export function failureTextOf(incident: Incident): FailureText {
  const target = withoutMarkers(incident.target ?? "");
  return readFailure({
    signature: readSignature(incident),
    headline: withoutName(searchText(incident), target),
    target,
    labels: unmarkedLabels(incident.labels),
    type: incident.type.name,
  });
}

/** Labels without those whose value was redacted: the same marker does not make two values equal. */
function unmarkedLabels(labels: Incident["labels"]): Incident["labels"] {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => withoutMarkers(value) === value));
}

export function readFailure({ signature, headline, target, labels, type }: FailureParts): FailureText {
  const headlineTerms = new Set(tokenizeWords(withoutMarkers(headline)));
  const headlineWeight = weighLine(headline).weight;
  const lines = signature.templates.map(lineTerms);
  const headlineLine = lineTerms({ text: templateOf(withoutMarkers(headline), []), weight: 1 });
  return {
    signature,
    type,
    headline: headlineTerms,
    targetTerms: new Set(tokenizeWords(target)),
    headlineLine: headlineLine.phrases.size === 0 ? null : headlineLine,
    headlineWeight,
    lines,
    terms: new Set([...headlineTerms, ...lines.flatMap(({ terms }) => [...terms])]),
    logWords: new Set(signature.words),
    mechanisms: new Map(Object.entries(signature.mechanisms)),
    labels: new Set(Object.entries(labels).map((pair) => pair.join("="))),
  };
}

function lineTerms({ text, weight }: LineTemplate): LineTerms {
  const terms = tokenizeWords(wordsOfTemplate(text).join(" "));
  const phrases = terms.slice(1).map((term, i) => `${terms[i]} ${term}`);
  // A line that names what fails shows it, whatever its level.
  return {
    text,
    weight: namesFailure(text) ? 1 : weight,
    terms: new Set(terms),
    phrases: new Set(phrases),
    codes: new Set(codesOfTemplate(text)),
  };
}
