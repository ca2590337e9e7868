// Step "verify": turns a model's draft into an answer that follows the rules for answers, whatever the model wrote. A
// cause needs a recalled text that names it and a verbatim quote from the report. Other unsupported statements are marked.
// Pure functions.

import { commandEffect } from "../../command-safety/command-effect.ts";
import { readsAsInstruction } from "../../guardrails/injection/detect-injection.ts";
import { removeLinks } from "../../guardrails/links/remove-links.ts";
import {
  type Answer,
  EMPTY_ANSWER,
  type Evidence,
  type Hypothesis,
  type Statement,
  type Step,
} from "../../schemas/answer.ts";
import type { Draft } from "../prompts/synthesise.ts";
import type { RemovedCounts } from "./final-answer.ts";
import { bareName, type Verifier } from "./verifier.ts";

export interface VerifiedAnswer {
  readonly outcome: Draft["outcome"];
  /** `worked_before` is empty: past fixes come from the records, not from a model. */
  readonly answer: Answer;
  /** Past incidents whose fix applies, according to the model. */
  readonly precedents: readonly string[];
  readonly removed: RemovedCounts;
}

/** Items of each list that are kept: a longer list does not help during an incident. */
export const MAX_ITEMS = { evidence: 5, hypotheses: 3, confirm: 5, mitigate: 5, prevention: 3, look_next: 5 } as const;

export const REMOVED_STATEMENT = "[removed: reads like an instruction]";

export function verifyDraft(draft: Draft, verifier: Verifier): VerifiedAnswer {
  const items = createItemVerifier(verifier);
  const evidence = draft.evidence.slice(0, MAX_ITEMS.evidence).map(items.evidence);
  const hasQuote = evidence.some(({ quote }) => quote !== null);
  const hypotheses = draft.hypotheses
    .slice(0, MAX_ITEMS.hypotheses)
    .map((item) => items.hypothesis(item, (citations) => isSupportedCause(citations, hasQuote, verifier)));
  const outcome = outcomeOf(draft.outcome, hasQuote, hypotheses);
  const isCause = outcome === "cause";
  const likely_causes = isCause ? keptCauses(hypotheses) : [];
  return {
    outcome,
    answer: {
      ...EMPTY_ANSWER,
      summary: summaryOf(draft, outcome, { evidence, likely_causes, statement: items.statement }),
      evidence,
      hypotheses,
      likely_causes,
      confirm: draft.confirm.slice(0, MAX_ITEMS.confirm).map(items.check),
      // Without a cause, nobody should change the system.
      mitigate: isCause ? draft.mitigate.slice(0, MAX_ITEMS.mitigate).map(items.mitigation) : [],
      prevention: isCause ? draft.prevention.slice(0, MAX_ITEMS.prevention).map(items.statement) : [],
      look_next: outcome === "unknown" ? draft.look_next.slice(0, MAX_ITEMS.look_next).map(items.check) : [],
    },
    precedents: items.cite(draft.worked_before).filter(verifier.isPastIncident),
    removed: items.removed,
  };
}

interface ItemVerifier {
  cite(names: readonly string[]): string[];
  statement(item: Pick<Draft["summary"], "citations" | "text">): Statement;
  evidence(item: Draft["evidence"][number]): Evidence;
  hypothesis(item: Draft["hypotheses"][number], isSupported: (citations: readonly string[]) => boolean): Hypothesis;
  check(item: Draft["confirm"][number]): Step;
  mitigation(item: Draft["mitigate"][number]): Step;
  /** Counts of what was removed so far. */
  readonly removed: RemovedCounts;
}

function createItemVerifier(verifier: Verifier): ItemVerifier {
  const removed = { citations: 0, links: 0, statements: 0 };

  const cite = (names: readonly string[]): string[] => {
    removed.citations += [...new Set(names.map(bareName))].filter((name) => verifier.cite([name]).length === 0).length;
    return verifier.cite(names);
  };
  const clean = (text: string): string => {
    const { text: unlinked, count } = removeLinks(text.trim(), verifier.links);
    removed.links += count;
    if (!readsAsInstruction(unlinked)) return unlinked;
    removed.statements += 1;
    return REMOVED_STATEMENT;
  };
  const cleanOrNull = (text: string | null) => (text === null || text.trim() === "" ? null : clean(text));
  const statement: ItemVerifier["statement"] = (item) => {
    const citations = cite(item.citations);
    return { text: clean(item.text), citations, supported: citations.length > 0 };
  };
  return {
    removed,
    cite,
    statement,
    evidence(item) {
      const isReported = verifier.isReported(item.quote);
      if (!isReported) removed.citations += 1;
      const { supported, ...rest } = statement(item);
      const quote = isReported ? clean(item.quote) : null;
      return { ...rest, quote, supported: supported && isReported, place: null };
    },
    hypothesis(item, isSupported) {
      const citations = cite(item.citations);
      const verdict = item.verdict === "kept" && !isSupported(citations) ? "unsupported" : item.verdict;
      return { cause: clean(item.cause), verdict, reason: clean(item.reason), citations };
    },
    check(item) {
      // A check must not change the system.
      const isWithheld = !mayShowInCheck(item.command ?? "");
      if (isWithheld) removed.statements += 1;
      const command = isWithheld ? null : cleanOrNull(item.command);
      const effect = command === null ? null : commandEffect(command);
      return { ...statement(item), command, effect, undo: null };
    },
    mitigation: (item) => ({
      ...statement(item),
      command: cleanOrNull(item.command),
      effect: effectOf(item),
      undo: cleanOrNull(item.rollback),
    }),
  };
}

function keptCauses(hypotheses: readonly Hypothesis[]): Statement[] {
  return hypotheses
    .filter(({ verdict }) => verdict === "kept")
    .map(({ cause, citations }) => ({ text: cause, citations, supported: true }));
}

/** Whether a cause may be stated: it cites a runbook or a fixed incident, and the evidence quotes the report. */
export function isSupportedCause(citations: readonly string[], hasQuote: boolean, verifier: Verifier): boolean {
  return hasQuote && citations.some(verifier.supportsCause);
}

/** False if the command is known to change the system. An unverified command is shown with a warning. */
export function mayShowInCheck(command: string): boolean {
  return commandEffect(command) !== "changes_state";
}

export function outcomeOf(
  claimed: Draft["outcome"],
  hasQuote: boolean,
  hypotheses: readonly { readonly verdict: string }[],
): Draft["outcome"] {
  if (claimed === "cause") return hypotheses.some(({ verdict }) => verdict === "kept") ? "cause" : "unknown";
  if (claimed === "benign") return hasQuote ? "benign" : "unknown";
  return "unknown";
}

/** Whether the model's summary may be shown: verification kept its outcome, and the summary has a citation. */
export function maySummarise(
  claimed: Draft["outcome"],
  outcome: Draft["outcome"],
  citations: readonly string[],
): boolean {
  // With outcome `unknown`, any summary would be a guess.
  if (claimed !== outcome || outcome === "unknown") return false;
  return citations.length > 0 || outcome === "benign";
}

function summaryOf(
  draft: Draft,
  outcome: Draft["outcome"],
  parts: {
    readonly evidence: readonly Evidence[];
    readonly likely_causes: readonly Statement[];
    readonly statement: (item: Draft["summary"]) => Statement;
  },
): Answer["summary"] {
  const { text, citations } = parts.statement(draft.summary);
  if (maySummarise(draft.outcome, outcome, citations) && text !== "" && text !== REMOVED_STATEMENT)
    return { text, citations };
  const [cause] = parts.likely_causes;
  if (cause) return { text: cause.text, citations: cause.citations };
  const quoted = parts.evidence.find(({ quote }) => quote !== null);
  if (outcome === "benign" && quoted) return { text: `No incident: ${quoted.text}`, citations: quoted.citations };
  const reason =
    draft.outcome === "cause"
      ? "a cause was suggested, but no recalled text and no line of the report supports it"
      : "the recalled texts do not explain this";
  return { text: `Unknown: ${reason}.`, citations: [] };
}

/** The model's `changes_state` is trusted; only the command itself can show that a step is read-only. */
function effectOf({ command, effect }: Draft["mitigate"][number]): Step["effect"] {
  const verified = command === null ? null : commandEffect(command);
  if (verified === "changes_state" || effect === "changes_state") return "changes_state";
  return verified;
}
