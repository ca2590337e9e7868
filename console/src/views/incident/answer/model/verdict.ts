// The outcome of a triage as the page shows it: a name, a figure, and what the figure means. Pure functions.

import { MIN_LIKELY_CONFIDENCE, outcomeMeaning } from "../../../../../../functions/answer-view/confidence-text.ts";
import { isSessionRecap } from "../../../../../../functions/schemas/source-kind.ts";
import type { TriageResult } from "../../../../../../functions/schemas/triage-result.ts";

export interface Verdict {
  /** Such as "Known failure". */
  readonly name: string;
  readonly tone: "good" | "warn" | "info" | "neutral";
  /** 0 to 1; null where a figure says nothing. */
  readonly figure: number | null;
  /** What the figure is, such as "probability of the best candidate". */
  readonly figureName: string;
  /** What to make of the outcome, in one sentence. */
  readonly meaning: string;
  /** What the figure means, one fact a sentence. */
  readonly explanation: readonly string[];
  /** How the answer was made. */
  readonly origin: string;
}

export function verdictOf(result: TriageResult): Verdict {
  const { mode, outcome, confidence, guardrails, sources } = result;
  const meaning = sentence(outcomeMeaning(result));
  const origin = originOf(result);
  const shown = { meaning, origin, explanation: [] };
  if (guardrails.injection_blocked !== null)
    return { ...shown, name: "Not answered", tone: "warn", figure: null, figureName: "" };
  if (isSessionRecap({ sources }))
    return { ...shown, name: "Recap of this session", tone: "neutral", figure: null, figureName: "" };
  const explanation = mode === "model" ? criticExplanation(result) : probabilityExplanation(result);
  const figure = { figure: confidence, explanation };
  switch (outcome) {
    case "cause":
      return { ...shown, ...figure, name: causeName(result), tone: "good", figureName: "confidence" };
    case "possible":
      return { ...shown, ...figure, name: "Possible, not confirmed", tone: "warn", figureName: "probability" };
    case "benign":
      return { ...shown, ...figure, name: "No incident", tone: "info", figureName: "confidence" };
    case "unknown":
      return {
        ...shown,
        ...figure,
        figure: hasRecall(result) ? confidence : null,
        name: "Unknown",
        tone: "warn",
        figureName: mode === "model" ? "confidence" : "nearest match",
      };
  }
}

function causeName({ mode, confidence }: TriageResult): string {
  if (mode === "extractive") return "Known failure";
  return confidence < MIN_LIKELY_CONFIDENCE ? "Uncertain cause" : "Likely cause";
}

function hasRecall({ recalled }: TriageResult): boolean {
  return recalled.runbooks.length + recalled.incidents.length > 0;
}

/** In extractive mode, the figure is the probability of a text. */
function probabilityExplanation(result: TriageResult): string[] {
  const { outcome, confidence } = result;
  const share = Math.round(confidence * 100);
  switch (outcome) {
    case "cause":
      return [
        `An estimate: of 100 such answers, about ${share} rest on a text about the right failure.`,
        "It does not say which of the listed causes is the true one. The checks below do.",
      ];
    case "possible":
      return [
        `An estimate: of 100 such candidates, about ${share} are about the right failure.`,
        "That is too few to name a cause.",
      ];
    case "benign":
      return ["The report itself shows it. No text on record was needed."];
    case "unknown":
      return hasRecall(result)
        ? [
            `The nearest text on record: of 100 such texts, about ${share} are about the right failure.`,
            "Too few to show it as a candidate.",
          ]
        : ["No runbook and no past incident was found."];
  }
}

/** With a language model, the figure is the score of a critic. */
function criticExplanation({ confidence, critique }: TriageResult): string[] {
  const isNoProbability = "It is a score, not a probability.";
  if (critique === null) return ["The language model rated its own answer.", isNoProbability];
  const { initial_confidence, reflected } = critique;
  const first = initial_confidence.toFixed(2);
  if (reflected)
    return [
      `A critic scored the first answer ${first}, and the revised one ${confidence.toFixed(2)}.`,
      isNoProbability,
    ];
  if (confidence < initial_confidence)
    return [
      `A critic scored the answer ${first}. What its sources support limits it to ${confidence.toFixed(2)}.`,
      isNoProbability,
    ];
  return [
    `A critic, a second request to the language model, scored the answer ${confidence.toFixed(2)}.`,
    isNoProbability,
  ];
}

function originOf({ mode, model, usage }: TriageResult): string {
  if (mode === "model") return `Written by ${model?.answer ?? "a language model"} from the cited texts.`;
  const reason = usage.calls > 0 ? " The language model did not help." : "";
  return `Quotes runbooks and past incidents word for word.${reason}`;
}

/** Such as "Candidates to check; no cause is claimed." */
function sentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}
