// Step "verify": turns a model's draft into an answer that follows the rules for answers, whatever the model wrote. A
// cause needs a recalled text that names it and a verbatim quote of an error line. Other unsupported statements, and commands
// that stand in no cited text, are marked. Pure functions.

import type { CheckResult } from "../../../lib/checks/check.ts";
import { commandEffect } from "../../../lib/commands/command-effect.ts";
import { ordersLook } from "../../../lib/commands/ordered-change.ts";
import { inlineCommands, stepEffect } from "../../../lib/commands/step-effect.ts";
import { readsAsInstruction } from "../../../lib/injection/detect-injection.ts";
import { removeLinks } from "../../../lib/links/remove-links.ts";
import {
  type Answer,
  EMPTY_ANSWER,
  type Evidence,
  type Hypothesis,
  type PossibleCause,
  type Statement,
  type Step,
} from "../../schemas/answer.ts";
import { checkSentence } from "../evidence/check-verdicts.ts";
import type { Draft } from "../prompts/synthesise.ts";
import { isPartOf, limitOf, outcomeOf, type Support, supportOf } from "./cause-support.ts";
import type { RemovedCounts } from "./final-answer.ts";
import { bareName, type Verifier } from "./verifier.ts";

export interface VerifiedAnswer {
  readonly outcome: Draft["outcome"];
  /** `worked_before` is empty: past fixes come from the records, not from a model. */
  readonly answer: Answer;
  /** Past incidents whose fix applies, according to the model. */
  readonly precedents: readonly string[];
  /** The highest confidence that the sources of the causes or candidates allow; null if the answer names none. */
  readonly limit: number | null;
  readonly removed: RemovedCounts;
}

/** Items of each list that are kept: a longer list does not help during an incident. */
export const MAX_ITEMS = { evidence: 5, hypotheses: 3, confirm: 5, mitigate: 5, prevention: 3, look_next: 5 } as const;

export const REMOVED_STATEMENT = "[removed: reads like an instruction]";

export function verifyDraft(draft: Draft, verifier: Verifier): VerifiedAnswer {
  const items = createItemVerifier(verifier);
  const evidence = draft.evidence.slice(0, MAX_ITEMS.evidence).map(items.evidence);
  const quotes = draft.evidence.slice(0, MAX_ITEMS.evidence).map(({ quote }) => quote);
  const hasFailureQuote = quotes.some(verifier.showsFailure);
  const weighed = draft.hypotheses.slice(0, MAX_ITEMS.hypotheses).map((item) => {
    const hypothesis = items.hypothesis(item);
    const isKept = item.verdict === "kept";
    const support: Support = isKept ? supportOf(hypothesis, hasFailureQuote, verifier) : "none";
    const refutation = isKept && support === "none" ? verifier.refutationOf(item.cause) : undefined;
    return { hypothesis: refutation ? rejectedBy(refutation, hypothesis) : hypothesis, support };
  });
  const outcome = outcomeOf(
    draft.outcome,
    weighed.map(({ support }) => support),
  );
  const isCause = outcome === "cause";
  const steps = <T extends Cited>(list: readonly T[], limit: number): T[] =>
    list.slice(0, limit).filter(items.mayBeStep);
  const isOpen = ({ citations }: Pick<Statement, "citations">) => !verifier.isRuledOut(citations);
  const named = weighed.flatMap(({ hypothesis, support }) => (isPartOf(outcome, support) ? [hypothesis] : []));
  const likely_causes = isCause
    ? named.map(({ cause, citations }) => ({ text: cause, citations, supported: true }))
    : [];
  // Without a cause, nobody should change the system.
  const checksOf = (list: Draft["confirm"], limit: number) =>
    steps(list, limit)
      .map(items.check)
      .filter(({ effect }) => isCause || effect !== "changes_state");
  const checks = checksOf(draft.confirm, MAX_ITEMS.confirm);
  const possible = outcome === "possible" ? candidatesOf(named, checks, verifier) : { candidates: [], others: checks };
  return {
    outcome,
    answer: {
      ...EMPTY_ANSWER,
      summary: summaryOf(draft, outcome, {
        likely_causes,
        candidates: possible.candidates,
        statement: items.foundStatement,
        verifier,
      }),
      evidence,
      hypotheses: weighed.map(({ hypothesis, support }) => withVerdict(hypothesis, outcome, support)),
      likely_causes,
      possible_causes: possible.candidates,
      confirm: possible.others,
      mitigate: isCause ? steps(draft.mitigate, MAX_ITEMS.mitigate).map(items.mitigation).filter(isOpen) : [],
      prevention: isCause ? steps(draft.prevention, MAX_ITEMS.prevention).map(items.foundStatement).filter(isOpen) : [],
      // Without a source, the first looks of the domain are better than those of a model.
      look_next:
        outcome === "unknown"
          ? checksOf(draft.look_next, MAX_ITEMS.look_next).filter(({ citations }) => citations.length > 0)
          : [],
    },
    precedents: items.cite(draft.worked_before).filter(verifier.isPastIncident),
    limit: limitOf(named.flatMap(({ citations }) => verifier.causeTexts(citations))),
    removed: items.removed,
  };
}

function rejectedBy(check: CheckResult, hypothesis: Hypothesis): Hypothesis {
  return { ...hypothesis, verdict: "rejected", reason: `Ruled out. ${checkSentence(check)}` };
}

/** A hypothesis that the model kept stays so if its support suffices for the outcome. */
function withVerdict(hypothesis: Hypothesis, outcome: Draft["outcome"], support: Support): Hypothesis {
  if (hypothesis.verdict !== "kept") return hypothesis;
  const isSupported = outcome === "possible" ? support !== "none" : support === "cause";
  return isSupported ? hypothesis : { ...hypothesis, verdict: "unsupported" };
}

/** The candidates, the most probable first, each with the checks that cite its runbook or incident; and the other checks. */
function candidatesOf(
  named: readonly Hypothesis[],
  checks: readonly Step[],
  verifier: Verifier,
): { readonly candidates: PossibleCause[]; readonly others: Step[] } {
  const candidates = named
    .flatMap(({ cause, citations }) => {
      const source = verifier.bestText(citations);
      return source ? [{ text: cause, title: source.title, probability: source.probability, citations }] : [];
    })
    .toSorted((a, b) => b.probability - a.probability);
  const documentsOf = ({ citations }: { readonly citations: readonly string[] }) => citations.map(verifier.documentOf);
  const ownerOf = (check: Step) => {
    const documents = documentsOf(check);
    return candidates.find((candidate) => documentsOf(candidate).some((document) => documents.includes(document)));
  };
  return {
    candidates: candidates.map((candidate) => ({
      ...candidate,
      confirm: checks.filter((check) => ownerOf(check) === candidate),
    })),
    others: checks.filter((check) => ownerOf(check) === undefined),
  };
}

type Cited = Pick<Draft["summary"], "citations">;

interface StatementVerifier {
  /** False for a step that rests only on sections about other failures than those that were found. */
  mayBeStep(item: Cited): boolean;
  cite(names: readonly string[]): string[];
  citeForCause(cause: string, names: readonly string[]): string[];
  clean(text: string): string;
  statement(item: Pick<Draft["summary"], "citations" | "text">): Statement;
  /** A statement without citations of sections about other failures: a summary, a step, a prevention. */
  foundStatement(item: Pick<Draft["summary"], "citations" | "text">): Statement;
  /** Counts of what was removed so far. */
  readonly removed: { -readonly [Count in keyof RemovedCounts]: number };
}

function createStatementVerifier(verifier: Verifier): StatementVerifier {
  const removed = { citations: 0, links: 0, statements: 0 };

  const cite = (names: readonly string[]): string[] => {
    removed.citations += [...new Set(names.map(bareName))].filter((name) => verifier.cite([name]).length === 0).length;
    return verifier.cite(names);
  };
  const clean = (text: string): string => {
    const cleaned = cleanText(text, verifier);
    removed.links += cleaned.links;
    if (cleaned.text === REMOVED_STATEMENT) removed.statements += 1;
    return cleaned.text;
  };
  const supportedBy = (text: string, citations: string[]): Statement => ({
    text: clean(text),
    citations,
    supported: citations.length > 0,
  });
  return {
    removed,
    mayBeStep({ citations }) {
      const isStep = verifier.cite(citations).length === 0 || verifier.citeForStep(citations).length > 0;
      if (!isStep) removed.statements += 1;
      return isStep;
    },
    cite,
    citeForCause(cause, names) {
      cite(names);
      return verifier.citeForCause(cause, names);
    },
    clean,
    statement: ({ text, citations }) => supportedBy(text, cite(citations)),
    foundStatement({ text, citations }) {
      cite(citations);
      const own = verifier.citeForStep(citations);
      const { supported, ...rest } = supportedBy(text, own);
      return { ...rest, supported: supported && hasSourcedCommands(text, own, verifier) };
    },
  };
}

interface ItemVerifier extends Omit<StatementVerifier, "clean" | "citeForCause"> {
  evidence(item: Draft["evidence"][number]): Evidence;
  hypothesis(item: Draft["hypotheses"][number]): Hypothesis;
  check(item: Draft["confirm"][number]): Step;
  mitigation(item: Draft["mitigate"][number]): Step;
}

function createItemVerifier(verifier: Verifier): ItemVerifier {
  const statements = createStatementVerifier(verifier);
  const { removed, cite, citeForCause, clean, statement, foundStatement } = statements;
  const cleanOrNull = (text: string | null) => (text === null || text.trim() === "" ? null : clean(text));
  /** @param written the step as the model wrote it, without a withheld command */
  const sourced = (written: Pick<Draft["confirm"][number], "citations" | "command" | "text">) => {
    const { text, citations, supported } = foundStatement(written);
    const from_source =
      (written.command === null || verifier.isFromSource(written.command, citations)) &&
      hasSourcedCommands(written.text, citations, verifier);
    return { text, citations, supported: supported && from_source, from_source };
  };
  return {
    ...statements,
    evidence(item) {
      const quote = verifier.reportedQuote(item.quote);
      if (quote === undefined) removed.citations += 1;
      const { supported, ...rest } = statement(item);
      return { ...rest, quote: cleanOrNull(quote ?? null), supported: supported && quote !== undefined, place: null };
    },
    hypothesis: ({ citations, verdict, cause, reason }) => ({
      cause: clean(cause),
      verdict,
      reason: clean(reason),
      citations: verdict === "kept" ? citeForCause(cause, citations) : cite(citations),
    }),
    check(item) {
      // A check must not change the system.
      const isWithheld = !mayShowInCheck(item.command ?? "");
      if (isWithheld) removed.statements += 1;
      const written = { ...item, command: isWithheld ? null : item.command };
      const command = cleanOrNull(written.command);
      const checked = sourced(written);
      return { ...checked, command, effect: effectOf({ ...checked, command }), undo: null };
    },
    /** The model's `changes_state` is trusted; only its commands, or an order to look, can show that a step is read-only. */
    mitigation(item) {
      const mitigation = sourced(item);
      const command = cleanOrNull(item.command);
      const own = item.effect === "changes_state" ? item.effect : effectOf({ ...mitigation, command });
      const effect = own ?? (ordersLook(mitigation.text) ? null : "unverified");
      const undo = item.rollback && undoText(item.rollback, mitigation.citations, verifier);
      return { ...mitigation, command, effect, undo: cleanOrNull(undo) };
    },
  };
}

/** A text as the answer has it: without links, and a note in place of one that reads like an instruction. `links`: removed ones. */
export function cleanText(text: string, { links }: Pick<Verifier, "links">) {
  const { text: unlinked, count } = removeLinks(text.trim(), links);
  return { text: readsAsInstruction(unlinked) ? REMOVED_STATEMENT : unlinked, links: count };
}

/** False if the command is known to change the system. An unverified command is shown with a warning. */
export function mayShowInCheck(command: string): boolean {
  return commandEffect(command) !== "changes_state";
}

/** Whether the commands in a sentence stand in the cited texts. Those that only read may stand anywhere. */
export function hasSourcedCommands(text: string, citations: readonly string[], verifier: Verifier): boolean {
  return inlineCommands(text).every(({ command }) => verifier.isFromSource(command, citations));
}

/** How to take a step back. A command that stands in no cited text is marked: the step may be from a source. */
export function undoText(rollback: string, citations: readonly string[], verifier: Verifier): string {
  const isCommand = commandEffect(rollback) === "changes_state";
  const isSourced = isCommand
    ? verifier.isFromSource(rollback, citations)
    : hasSourcedCommands(rollback, citations, verifier);
  return isSourced ? rollback : `Not from a source: ${rollback.trim()}`;
}

/** Whether the model's summary may be shown: verification kept its outcome, and the summary has a citation. */
export function maySummarise(
  claimed: Draft["outcome"],
  outcome: Draft["outcome"],
  citations: readonly string[],
): boolean {
  // With outcome `unknown`, any summary would be a guess; with `possible`, it might claim a candidate.
  return claimed === "cause" && outcome === "cause" && citations.length > 0;
}

function summaryOf(
  draft: Draft,
  outcome: Draft["outcome"],
  parts: {
    readonly likely_causes: readonly Statement[];
    readonly candidates: readonly PossibleCause[];
    readonly statement: (item: Draft["summary"]) => Statement;
    readonly verifier: Verifier;
  },
): Answer["summary"] {
  const { text, citations, supported } = parts.statement(draft.summary);
  const isShown =
    supported && text !== "" && text !== REMOVED_STATEMENT && parts.verifier.refutationOf(text) === undefined;
  if (isShown && maySummarise(draft.outcome, outcome, citations)) return { text, citations };
  const [cause] = parts.likely_causes;
  if (cause) return { text: cause.text, citations: cause.citations };
  if (outcome === "possible") return possibleSummary(draft.outcome, parts.candidates);
  const reason =
    draft.outcome === "cause"
      ? "a cause was suggested, but no relevant text and no error line of the report supports it"
      : "the recalled texts do not explain this";
  return { text: `Unknown: ${reason}.`, citations: [] };
}

/** Names the sources of the candidates, and claims nothing. */
function possibleSummary(claimed: Draft["outcome"], candidates: readonly PossibleCause[]): Answer["summary"] {
  const titles = new Map(candidates.toReversed().map(({ title, probability }) => [title, probability]));
  const names = [...titles].toReversed().map(([title, share]) => `"${title}" (${Math.round(share * 100)} %)`);
  const listed = new Intl.ListFormat("en", { type: "disjunction" }).format(names);
  const withdrawn =
    claimed === "cause" ? " A cause was suggested, but the error lines and the sources do not support it enough." : "";
  const citations = [...new Set(candidates.flatMap((candidate) => candidate.citations))];
  return { text: `Possible: ${listed}.${withdrawn}`, citations };
}

/** A command that stands in no cited source is never shown as read-only: the report may have made the model write it. */
function effectOf(step: Pick<Step, "text" | "command" | "from_source">): Step["effect"] {
  const effect = stepEffect({ text: step.text, command: step.command });
  return effect === "read_only" && !step.from_source ? "unverified" : effect;
}
