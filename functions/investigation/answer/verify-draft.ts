// Step "verify": turns a model's draft into an answer that keeps the house rules, whatever the model wrote. A cause is
// stated only with a recalled text that names it and a verbatim sign of it in the report; what else has no support is
// marked. Pure.

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
} from "../../schemas/triage-result.ts";
import type { Draft } from "../prompts/synthesise.ts";
import type { RemovedCounts } from "./composition.ts";
import { bareName, type Verifier } from "./verifier.ts";

export interface VerifiedAnswer {
  readonly outcome: Draft["outcome"];
  /** `worked_before` holds nothing yet: what fixed an incident is told from its record, not by a model. */
  readonly answer: Answer;
  /** Past incidents whose fix the model takes to apply. */
  readonly precedents: readonly string[];
  readonly removed: RemovedCounts;
}

/** Items of a kind that are kept; a longer list is no help to somebody in a hurry. */
export const MAX_ITEMS = { evidence: 5, hypotheses: 3, confirm: 5, mitigate: 5, prevention: 3, look_next: 5 } as const;

export const REMOVED_STATEMENT = "[removed: reads like an instruction]";

export function verifyDraft(draft: Draft, verifier: Verifier): VerifiedAnswer {
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
  const statement = (item: { readonly citations: readonly string[]; readonly text: string }): Statement => {
    const citations = cite(item.citations);
    return { text: clean(item.text), citations, supported: citations.length > 0 };
  };
  const check = (item: Draft["confirm"][number]): Step => {
    // Somebody who looks for a cause must not change the system by it.
    const isWithheld = !mayShowInCheck(item.command ?? "");
    if (isWithheld) removed.statements += 1;
    const command = isWithheld ? null : cleanOrNull(item.command);
    const effect = command === null ? null : commandEffect(command);
    return { ...statement(item), command, effect, undo: null };
  };
  const mitigation = (item: Draft["mitigate"][number]): Step => ({
    ...statement(item),
    command: cleanOrNull(item.command),
    effect: effectOf(item),
    undo: cleanOrNull(item.rollback),
  });

  const evidence = draft.evidence.slice(0, MAX_ITEMS.evidence).map((item): Evidence => {
    const isReported = verifier.isReported(item.quote);
    if (!isReported) removed.citations += 1;
    const said = statement(item);
    return { ...said, quote: isReported ? clean(item.quote) : null, supported: said.supported && isReported };
  });
  const hasSign = evidence.some(({ quote }) => quote !== null);
  const hypotheses = draft.hypotheses.slice(0, MAX_ITEMS.hypotheses).map((item): Hypothesis => {
    const citations = cite(item.citations);
    const verdict = item.verdict === "kept" && !isCarried(citations, hasSign, verifier) ? "unsupported" : item.verdict;
    return { cause: clean(item.cause), verdict, reason: clean(item.reason), citations };
  });
  const outcome = outcomeOf(draft.outcome, hasSign, hypotheses);
  const likely_causes =
    outcome === "cause"
      ? hypotheses
          .filter(({ verdict }) => verdict === "kept")
          .map(({ cause, citations }): Statement => ({ text: cause, citations, supported: true }))
      : [];
  return {
    outcome,
    answer: {
      ...EMPTY_ANSWER,
      summary: summaryOf(draft, outcome, { evidence, likely_causes, statement }),
      evidence,
      hypotheses,
      likely_causes,
      confirm: draft.confirm.slice(0, MAX_ITEMS.confirm).map(check),
      // Nobody should change a system because of a cause that nobody knows.
      mitigate: outcome === "cause" ? draft.mitigate.slice(0, MAX_ITEMS.mitigate).map(mitigation) : [],
      prevention: outcome === "cause" ? draft.prevention.slice(0, MAX_ITEMS.prevention).map(statement) : [],
      look_next: outcome === "unknown" ? draft.look_next.slice(0, MAX_ITEMS.look_next).map(check) : [],
    },
    precedents: cite(draft.worked_before).filter(verifier.isPastIncident),
    removed,
  };
}

/** Whether a cause may be stated: a runbook or an incident that was fixed names it, and the report shows a sign. */
export function isCarried(citations: readonly string[], hasSign: boolean, verifier: Verifier): boolean {
  return hasSign && citations.some(verifier.carries);
}

/** Whether a check may show the command: not if it is known to change something. One that is not verified is shown with a warning. */
export function mayShowInCheck(command: string): boolean {
  return commandEffect(command) !== "changes_state";
}

export function outcomeOf(
  claimed: Draft["outcome"],
  hasSign: boolean,
  hypotheses: readonly { readonly verdict: string }[],
): Draft["outcome"] {
  if (claimed === "cause") return hypotheses.some(({ verdict }) => verdict === "kept") ? "cause" : "unknown";
  if (claimed === "benign") return hasSign ? "benign" : "unknown";
  return "unknown";
}

/** Whether the model's own summary may stand: its verdict was not taken back, and it cites what says so. */
export function maySummarise(
  claimed: Draft["outcome"],
  outcome: Draft["outcome"],
  citations: readonly string[],
): boolean {
  // Of what is unknown nothing can be summarised but a guess.
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
  const sign = parts.evidence.find(({ quote }) => quote !== null);
  if (outcome === "benign" && sign) return { text: `No incident: ${sign.text}`, citations: sign.citations };
  const why =
    draft.outcome === "cause"
      ? "a cause was suggested, but nothing that was recalled and reported supports it"
      : "what was recalled does not explain this";
  return { text: `Unknown: ${why}.`, citations: [] };
}

/** A model's word counts when it warns; that a step is harmless has to be seen in the command itself. */
function effectOf({ command, effect }: Draft["mitigate"][number]): Step["effect"] {
  const verified = command === null ? null : commandEffect(command);
  if (verified === "changes_state" || effect === "changes_state") return "changes_state";
  return verified;
}
