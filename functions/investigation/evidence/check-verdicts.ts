// What the results of checks say about runbooks and their causes. Pure functions.

import type { CheckDefinition, CheckResult } from "../../../lib/checks/check.ts";
import { beginsWithWords } from "../../../lib/checks/parse-checks.ts";
import { tokenize } from "../../../lib/text/tokenize.ts";
import type { RuledOut } from "../../schemas/answer.ts";
import type { Recall, RecalledRunbook, RunCheck } from "../recall/recall-result.ts";
import { itemsOf } from "./section-items.ts";

/** `conflicting`: one check confirms and another refutes. Neither counts then. */
export type JointVerdict = "confirmed" | "refuted" | "conflicting" | "open";

export function jointVerdict(checks: readonly RunCheck[]): JointVerdict {
  const verdicts = new Set(checks.map(({ result }) => result.verdict));
  if (verdicts.has("confirmed")) return verdicts.has("refuted") ? "conflicting" : "confirmed";
  return verdicts.has("refuted") ? "refuted" : "open";
}

export function checksOf(
  { checks }: Pick<Recall, "checks">,
  { sections }: Pick<RecalledRunbook, "sections">,
): RunCheck[] {
  return checks.filter(({ result }) => sections.some(({ id }) => result.citations.includes(id)));
}

/**
 * The checks that confirm or refute, without those that another check of the same cause contradicts. Checks of the whole
 * runbook are a group of their own.
 */
export function decidedChecks(checks: readonly RunCheck[]): RunCheck[] {
  const groupOf = ({ definition, result }: RunCheck) =>
    `${result.runbook}\n${definition.cause === null ? "" : (result.cause ?? definition.cause)}`;
  const groups = new Map<string, RunCheck[]>();
  for (const check of checks) groups.set(groupOf(check), [...(groups.get(groupOf(check)) ?? []), check]);
  return checks.filter((check) => {
    const isDecided = check.result.verdict === "confirmed" || check.result.verdict === "refuted";
    return isDecided && jointVerdict(groups.get(groupOf(check)) ?? []) !== "conflicting";
  });
}

/**
 * The verdict on a whole runbook. A confirmed cause confirms it. A refuted cause leaves its other causes open; if all of
 * them are refuted, so is the runbook.
 */
export function runbookVerdict(
  recall: Pick<Recall, "checks">,
  runbook: Pick<RecalledRunbook, "source" | "sections">,
): JointVerdict {
  const checks = checksOf(recall, runbook);
  if (checks.length === 0) return "open";
  const ofWhole = checks.filter(({ definition }) => definition.cause === null);
  const confirmed = decidedChecks(checks).filter(({ result }) => result.verdict === "confirmed");
  const verdict = jointVerdict([...ofWhole, ...confirmed]);
  const causes = itemsOf(runbook, "causes").map(({ item }) => checksOfCause(checks, item.text));
  const areRefuted = causes.length > 0 && causes.every((own) => jointVerdict(own) === "refuted");
  return verdict === "open" && areRefuted ? "refuted" : verdict;
}

export function isRuledOut(
  recall: Pick<Recall, "checks">,
  runbook: Pick<RecalledRunbook, "source" | "sections">,
): boolean {
  return runbookVerdict(recall, runbook) === "refuted";
}

/** The checks of one cause of a runbook. */
export function checksOfCause(checks: readonly RunCheck[], cause: string): RunCheck[] {
  return checks.filter(({ definition }) => isOfCause(definition, cause));
}

/** Whether the `cause` of a check is the beginning of a cause's text. */
export function isOfCause({ cause }: Pick<CheckDefinition, "cause">, text: string): boolean {
  return cause !== null && beginsWithWords(text, cause);
}

/** Share of the terms of a refuted cause that a text must have to say the same, 0 to 1. */
const MIN_SHARED_TERMS = 0.6;
/** The same for the few words by which a check names its cause. */
const MIN_SHARED_NAME = 0.8;
/** A cause of one word is in many texts. */
const MIN_TERMS = 2;

/**
 * The check that refutes a cause, in whatever words it is stated. Undefined if the words fit a confirmed cause as well:
 * causes of one runbook share words.
 */
export function refutationOf(checks: readonly RunCheck[], cause: string): CheckResult | undefined {
  const has = hasTermsOf(cause, MIN_TERMS);
  const matching = decidedChecks(checks).filter(
    ({ definition, result }) =>
      has(definition.cause, MIN_SHARED_NAME) || has(result.cause ?? definition.confirms?.meaning, MIN_SHARED_TERMS),
  );
  if (matching.some(({ result }) => result.verdict === "confirmed")) return undefined;
  return matching[0]?.result;
}

/** Share of the terms of a confirmed cause that a text must have to be about it. Models shorten and paraphrase it. */
const MIN_NAMED_TERMS = 1 / 3;

/** Whether a cause has words of the cause of a check, or of what it confirms. */
export function fitsCheck({ definition, result }: RunCheck, cause: string): boolean {
  const has = hasTermsOf(cause, 1);
  return [definition.cause, result.cause, definition.confirms?.meaning].some((text) => has(text, MIN_NAMED_TERMS));
}

function hasTermsOf(cause: string, minTerms: number) {
  const terms = new Set(tokenize(cause));
  return (text: string | null | undefined, minShare: number): boolean => {
    const own = [...new Set(tokenize(text ?? ""))];
    return own.length >= minTerms && own.filter((term) => terms.has(term)).length >= minShare * own.length;
  };
}

/** What the checks refuted: whole runbooks, else single causes. */
export function ruledOutBy(recall: Pick<Recall, "checks" | "runbooks">): RuledOut[] {
  return recall.runbooks.flatMap((runbook) => {
    const checks = checksOf(recall, runbook);
    const refuted = checks.filter(({ result }) => result.verdict === "refuted");
    if (isRuledOut(recall, runbook)) return [{ text: runbook.title, ...reasonOf(refuted) }];
    const causes = [...new Set(refuted.flatMap(({ result }) => result.cause ?? []))];
    return causes.flatMap((cause) => {
      const own = checks.filter(({ result }) => result.cause === cause);
      if (jointVerdict(own) !== "refuted") return [];
      return [{ text: cause, ...reasonOf(own.filter(({ result }) => result.verdict === "refuted")) }];
    });
  });
}

function reasonOf(checks: readonly RunCheck[]): Omit<RuledOut, "text"> {
  return {
    reason: checks.map(({ result }) => checkSentence(result)).join(" "),
    citations: [...new Set(checks.flatMap(({ result }) => [result.id, ...result.citations]))],
  };
}

/** For example `Check "slots-used": look for a network cause (0.31, source metrics).` */
export function checkSentence({ name, statement, value, source, server, as_of }: CheckResult): string {
  const facts = [
    ...(value === null ? [] : [value]),
    ...(source === null ? [] : [`source ${source}${server === null ? "" : ` at ${server}`}`]),
    ...(as_of === null ? [] : [`about ${as_of}`]),
  ];
  return `Check "${name}": ${withoutStop(statement)}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}.`;
}

/** A statement that can be continued. */
export function withoutStop(statement: string): string {
  return statement.replace(/[.\s]{1,9}$/, "");
}
