// A topic's causes and mitigations in an order that means something: what a check confirms, then what the report's own lines
// decide for, then the author's order. Pure functions.

import type { ErrorLine } from "../../../lib/logs/evidence.ts";
import { readEvidence } from "../../../lib/logs/read-evidence.ts";
import { parseRunbookItems } from "../../../lib/markdown/runbook-items.ts";
import { type SectionRole, sectionRole } from "../../../lib/markdown/section-role.ts";
import type { Statement } from "../../schemas/answer.ts";
import type { Incident } from "../../schemas/incident.ts";
import { checksOf, checksOfCause, jointVerdict } from "../evidence/check-verdicts.ts";
import { itemsOf, type SectionItem } from "../evidence/section-items.ts";
import type { Recall, RecalledRunbook } from "../recall/recall-result.ts";
import { decidedItem, type ReportStatement, scoreItems } from "./item-scores.ts";
import { explanationOf } from "./runbook-quotes.ts";

/** What a report says. */
export type ReportTexts = Pick<Incident, "title" | "question" | "logs" | "evidence">;

export interface OrderedCauses {
  /** Best first. Empty if a check refutes each listed cause, or the runbook explains none. */
  readonly causes: readonly Statement[];
  /** How many of them a check confirms. */
  readonly confirmed: number;
  /** How many listed causes a check refutes. */
  readonly refuted: number;
  /** The line of the report that decides for the first cause; undefined if none does. */
  readonly speaking: ErrorLine | undefined;
  /** `report`: the report or a check decides for the first cause. `runbook`: the order is the author's. Null for one cause. */
  readonly orderedBy: "report" | "runbook" | null;
}

/** More causes than a runbook for people lists. */
const MAX_CAUSES = 10;

export function orderCauses(
  runbook: RecalledRunbook,
  incident: ReportTexts,
  recall: Pick<Recall, "checks">,
): OrderedCauses {
  const listed = itemsOf(runbook, "causes").map(({ item, section }) => ({ text: item.text, section }));
  if (listed.length === 0)
    return { causes: unlistedCauses(runbook), confirmed: 0, refuted: 0, speaking: undefined, orderedBy: null };
  const checks = checksOf(recall, runbook);
  const reported = statementsOf(incident);
  const decided = decideAmong(
    runbook,
    "causes",
    listed.map(({ text }) => text),
    reported,
  );
  const judged = listed.map((cause, i) => {
    const own = checksOfCause(checks, cause.text);
    return { ...cause, own, verdict: jointVerdict(own), isDecided: i === decided?.index };
  });
  const placeOf = ({ verdict, isDecided }: (typeof judged)[number]) =>
    verdict === "confirmed" ? 0 : isDecided ? 1 : 2;
  const best = judged
    .filter(({ verdict }) => verdict !== "refuted")
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .slice(0, MAX_CAUSES);
  const [first] = best;
  return {
    causes: best.map(({ text, section, own }) => ({
      text,
      citations: [
        section.id,
        ...own.filter(({ result }) => result.verdict === "confirmed").map(({ result }) => result.id),
      ],
      supported: true,
    })),
    confirmed: best.filter(({ verdict }) => verdict === "confirmed").length,
    refuted: judged.filter(({ verdict }) => verdict === "refuted").length,
    speaking: first?.isDecided === true ? decided?.line : undefined,
    orderedBy: best.length < 2 || first === undefined ? null : placeOf(first) < 2 ? "report" : "runbook",
  };
}

/**
 * The steps of a role in the author's order. If the report decided for a cause, those that stand below it come first: between its
 * section and that of the next cause. Else the one comes first that the report and the cause decide for.
 */
export function orderSteps(
  runbook: RecalledRunbook,
  role: SectionRole,
  { incident, cause }: { readonly incident: ReportTexts; readonly cause: Statement | undefined },
): SectionItem[] {
  const items = itemsOf(runbook, role);
  const tied = cause === undefined ? [] : itemsBelow(runbook, items, cause);
  if (tied.length > 0) return [...tied, ...items.filter((item) => !tied.includes(item))];
  const statements = [...statementsOf(incident), ...(cause ? [{ text: cause.text, weight: 1, line: undefined }] : [])];
  const decided = decideAmong(
    runbook,
    role,
    items.map(({ item }) => item.text),
    statements,
  );
  const first = items[decided?.index ?? 0];
  return first === undefined ? [] : [first, ...items.filter((item) => item !== first)];
}

/** The items that stand below a cause with a section of its own. */
function itemsBelow(runbook: RecalledRunbook, items: readonly SectionItem[], cause: Statement): SectionItem[] {
  const placeOf = ({ section }: SectionItem) => runbook.sections.indexOf(section);
  const places = itemsOf(runbook, "causes").map((each) => ({ text: each.item.text, place: placeOf(each) }));
  const from = places.find(({ text }) => text === cause.text)?.place ?? -1;
  const isShared =
    places.filter(({ place }) => place === from).length > 1 || new Set(places.map(({ place }) => place)).size < 2;
  const to = Math.min(...places.flatMap(({ place }) => (place > from ? place : [])), Number.POSITIVE_INFINITY);
  return isShared || from === -1 ? [] : items.filter((item) => placeOf(item) >= from && placeOf(item) < to);
}

interface ReportedStatement extends ReportStatement {
  readonly line: ErrorLine | undefined;
}

/** The item of a list that the report decides for, with the line that says the most for it. */
function decideAmong(
  { title, sections }: RecalledRunbook,
  role: SectionRole,
  items: readonly string[],
  statements: readonly ReportedStatement[],
): { readonly index: number; readonly line: ErrorLine | undefined } | undefined {
  const others = sections
    .filter(({ headingPath }) => sectionRole(headingPath) !== role)
    .flatMap(({ body }) => parseRunbookItems(body).map(({ text }) => text));
  const scores = scoreItems({ title, items, others }, statements);
  const index = decidedItem(scores);
  return index === undefined ? undefined : { index, line: statements[scores[index]?.best ?? -1]?.line };
}

/** Of titles, questions and lines that name no failure: they may still show its cause, such as a setting or what was done. */
const TEXT_WEIGHT = 0.7;
/** Lines of the log that are read, each to this length. */
const MAX_LINES = 400;
const MAX_LINE_LENGTH = 1_000;
const SENTENCE_END = /(?<=[.!?:])\s+|\n+/;

/** What the report says: its error lines, the other lines of its log, its title and the sentences of its question. */
function statementsOf({ title, question, logs, evidence }: ReportTexts): ReportedStatement[] {
  const headline = question === null || question === title ? title : `${title}\n${question}`;
  const lines = logs === null ? [] : logs.split("\n").slice(0, MAX_LINES);
  return [
    ...evidence.lines.map((line) => ({ text: line.text, weight: line.weight, line })),
    ...lines.map((raw, i) => {
      const text = raw.slice(0, MAX_LINE_LENGTH).trim();
      return { text, weight: TEXT_WEIGHT, line: { text, line: i + 1, time: null, count: 1, weight: TEXT_WEIGHT } };
    }),
    // People paste an error line as the title.
    ...readEvidence({ headline: "", logs: headline, target: null, labels: {} }).lines.map(({ text, weight }) => ({
      text,
      weight,
      line: undefined,
    })),
    ...headline.split(SENTENCE_END).map((text) => ({ text, weight: TEXT_WEIGHT, line: undefined })),
  ].filter(({ text }) => text !== "");
}

/** The cause of a runbook without a list of causes; none if it explains nothing. */
function unlistedCauses(runbook: RecalledRunbook): Statement[] {
  const explanation = explanationOf(runbook);
  return explanation ? [{ text: explanation.text, citations: [explanation.section.id], supported: true }] : [];
}
