// The view of an answer: its sections in the order in which people read them, made once from a triage result. The command
// line, Slack, MCP and the console print it and decide nothing else. Pure functions.

import type { CheckResult } from "../../lib/checks/check.ts";
import { codeMeanings } from "../../lib/logs/failure-codes.ts";
import { withoutMarkers } from "../../lib/redaction/redaction-marker.ts";
import type { Evidence, Hypothesis, PastFix, PossibleCause, Statement, Step } from "../schemas/answer.ts";
import { GENERAL_DOMAIN, UNKNOWN_INCIDENT_TYPE } from "../schemas/incident-values.ts";
import { isSessionRecap } from "../schemas/text-kind.ts";
import type { TriageResult } from "../schemas/triage-result.ts";
import { causeState, checksOfCauses } from "./checks-of-causes.ts";
import { type CheckText, liveEvidenceText } from "./live-evidence-text.ts";
import { type NextStep, nextSteps } from "./next-steps.ts";
import { FIXED_BEFORE } from "./outcome-name.ts";
import {
  cameBack,
  type DescribedHit,
  didNotHelpSentence,
  didNotHoldSentence,
  type FixedIncident,
  firstFixed,
  fixedBefore,
  fixFirst,
  isProven,
  likenessLines,
  otherServiceIn,
  proofOf,
  startsWithFix,
  type TextPart,
  textParts,
} from "./past-incident-text.ts";
import { percentOf } from "./percent.ts";
import { type PlaceholderNote, placeholderNotes, placeholdersIn, withPlaceholders } from "./placeholders.ts";
import { type CitedSource, sourceName, sourceNote } from "./source-text.ts";
import { furtherSearchNote, type Verdict, verdictOf } from "./verdict.ts";

export interface AnswerView {
  readonly title: string;
  readonly verdict: Verdict;
  /** Such as "severity high". */
  readonly facts: readonly string[];
  /** What fixed it before, however likely it is the same failure: it stands first. Null without a fix. */
  readonly fix: FixSection | null;
  /** Null where its sections say the same. */
  readonly summary: Item | null;
  readonly sections: readonly Section[];
  /** What people must know about the names in the commands. */
  readonly notes: readonly PlaceholderNote[];
  readonly sources: readonly Source[];
  readonly warnings: readonly string[];
  readonly next: readonly NextStep[];
}

export interface Section {
  readonly kind: SectionKind;
  readonly title: string;
  readonly items: readonly Item[];
}

export interface FixSection extends Section {
  /** Begins the first one, such as "Fixed before, 88 % the same failure". */
  readonly lead: string;
  readonly past: FixedIncident;
}

export type SectionKind =
  | "evidence"
  | "worked_before"
  | "checked"
  | "undecided"
  | "observed"
  | "causes"
  | "considered"
  | "candidates"
  | "confirm"
  | "mitigate"
  | "prevention"
  | "look_next";

export interface Item {
  /** Begins the item, such as the verdict of a check, or what checks say of a cause. */
  readonly lead: string | null;
  readonly leadTone: LeadTone;
  /** What people must know before they run the command. */
  readonly warning: StepWarning | null;
  /** A line of the report. */
  readonly quote: string | null;
  readonly text: readonly TextPart[];
  /** Such as "no source says this"; null where the citations stand. */
  readonly note: string | null;
  /** Numbers of `sources`. */
  readonly citations: readonly number[];
  /** Lines below the text, such as what is alike. */
  readonly details: readonly string[];
  /** With the names of the report in place of its placeholders. */
  readonly command: string | null;
  readonly undo: Undo | null;
  /** Placeholders of the command and of its undo that people replace themselves. */
  readonly open: readonly string[];
  /** Checks of a cause or candidate. */
  readonly checks: readonly Item[];
  /** The check that ran, with its query and the page that shows it. */
  readonly ran: CheckResult | null;
}

export type LeadTone = "good" | "warn" | "bad" | "dim" | "strong";

export type StepWarning = "changes state" | "not verified as read-only";

/** `isCommand`: the text is nothing but a command. */
export interface Undo {
  readonly text: string;
  readonly isCommand: boolean;
}

export interface Source {
  readonly id: string;
  /** From 1. */
  readonly number: number;
  readonly name: string;
}

/** The title of the section of changes before the start. */
export const CHANGES_TITLE = "Changed before it started";

const WARNINGS: Readonly<Record<NonNullable<Step["effect"]>, StepWarning | null>> = {
  read_only: null,
  changes_state: "changes state",
  unverified: "not verified as read-only",
};
const CHECK_TONES: Readonly<Record<CheckResult["verdict"], LeadTone>> = {
  confirmed: "good",
  refuted: "bad",
  inconclusive: "warn",
  not_run: "dim",
};
const RUNBOOK_ORDER = ", in the runbook's order";
/** Items of the brief view. */
const BRIEF = { quotes: 3, causes: 3, pastFixes: 2, checks: 6, observed: 3, looks: 3, steps: 1, targets: 3 } as const;
/** The outcome at the beginning of a summary, which the verdict has too. */
const REPEATED_OUTCOME = /^(?:Unknown|No incident|Possible): (\S)/;
/** An undo that is nothing but a command, in a code span. */
const COMMAND_ALONE = /^`([^`\n]+)`\.?$/;

/**
 * @param brief what people need first: the best items of each section, and one source a document. All of the answer by
 * default.
 */
export function answerView(result: TriageResult, { brief = false }: { readonly brief?: boolean } = {}): AnswerView {
  const { answer, outcome, checks } = result;
  const make = itemMaker(result, { brief });
  // Candidates claim nothing: neither a cause nor a step that changes something.
  const { likely_causes, mitigate } = outcome === "possible" ? { likely_causes: [], mitigate: [] } : answer;
  const causes = firstOf(likely_causes, brief ? BRIEF.causes : null);
  const ownChecks = brief ? checksOfCauses(causes, answer, result.sources) : new Map<Statement, Step>();
  const [firstFix] = answer.worked_before;
  const past = firstFixed(answer);
  const isFixEnough = startsWithFix(answer) && isProven(firstFix?.fix ?? null);
  const isSure = outcome === "cause" || outcome === "possible";
  const verdict = verdictOf(result);
  // Nothing says that the first step fits a line which the runbook does not mention.
  const order = verdict.unmentioned === null ? "" : RUNBOOK_ORDER;
  const workedBefore = section(
    "worked_before",
    pastFixesTitle(answer.worked_before),
    pastFixes(answer, brief).map(make.pastFix),
  );
  const sections = [
    section(
      "evidence",
      brief ? "In the report" : "Evidence",
      (brief ? answer.evidence.filter(({ quote }) => quote !== null).slice(0, BRIEF.quotes) : answer.evidence).map(
        make.evidence,
      ),
    ),
    ...liveSections({ checks, live: result.live }, make, { brief }),
    section(
      "causes",
      causesTitle(answer, causes.length),
      causes.map((cause) => make.cause(cause, ownChecks.get(cause))),
    ),
    section(
      "considered",
      "Also considered",
      brief ? [] : answer.hypotheses.filter(({ verdict }) => !isSure || verdict !== "kept").map(make.hypothesis),
    ),
    section("candidates", "Candidates", answer.possible_causes.map(make.candidate)),
    // Without a check of its own for each cause, the first check of the answer serves all of them.
    section(
      "confirm",
      `${brief ? "First check" : "Confirm"}${order}`,
      firstOf(ownChecks.size > 0 ? [] : answer.confirm, brief ? BRIEF.steps : null).map(make.step),
    ),
    // A fix that has held is the first mitigation.
    section(
      "mitigate",
      `${brief ? "First mitigation" : "Mitigate"}${order}`,
      firstOf(brief && isFixEnough ? [] : mitigate, brief ? BRIEF.steps : null).map(make.step),
    ),
    ...(past ? [] : [workedBefore]),
    section("prevention", "Prevent", brief ? [] : answer.prevention.map(make.statement)),
    section(
      "look_next",
      brief ? "Look at this first" : "Look next",
      firstOf(answer.look_next, brief ? BRIEF.looks : null).map(make.look),
    ),
  ].filter(({ items }) => items.length > 0);
  const summary = brief && answer.possible_causes.length > 0 ? null : make.summary();
  return {
    title: result.title,
    verdict,
    facts: factsOf(result, { brief }),
    fix: past ? { ...workedBefore, lead: fixedBefore(past), past } : null,
    summary,
    sections,
    notes: placeholderNotes(make.commands, result.placeholders),
    sources: brief
      ? citedIn([summary, ...(past ? workedBefore.items : []), ...sections.flatMap(({ items }) => items)], make.sources)
      : make.sources,
    warnings: result.warnings.map(({ message }) => message),
    next: nextSteps(result),
  };
}

/** A past incident of a search. */
export function pastIncidentItem(past: DescribedHit): Item {
  return { ...item(past.text), text: textParts(past), details: likenessLines(past) };
}

/** Says what the order means, and how many causes are not shown. */
function causesTitle({ causes_ordered_by, likely_causes }: TriageResult["answer"], shown: number): string {
  const order = causes_ordered_by === "runbook" ? RUNBOOK_ORDER : "";
  return shown < likely_causes.length
    ? `Likely causes${order}: the first ${shown} of ${likely_causes.length}`
    : `Likely causes${order}`;
}

function section(kind: SectionKind, title: string, items: readonly Item[]): Section {
  return { kind, title, items };
}

function item(text: string): Item {
  return {
    lead: null,
    leadTone: "strong",
    warning: null,
    quote: null,
    text: text === "" ? [] : [{ text, role: "plain" }],
    note: null,
    citations: [],
    details: [],
    command: null,
    undo: null,
    open: [],
    checks: [],
    ran: null,
  };
}

/** Makes the items of one answer, and remembers the commands that they show. */
function itemMaker(result: TriageResult, { brief }: { readonly brief: boolean }) {
  const { placeholders, answer } = result;
  const commands: string[] = [];
  const numbers = sourceNumbers(result.sources, { brief });
  const cite = (ids: readonly string[]) => [...new Set(ids.flatMap((id) => numbers.get(id) ?? []))];
  const fill = (text: string | null) => {
    if (text === null || text.trim() === "") return null;
    commands.push(text);
    return withPlaceholders(text, placeholders);
  };
  const statement = ({ text, citations, ...support }: Statement & Partial<Pick<Step, "from_source">>): Item => {
    const note = sourceNote(support);
    return { ...item(text), note, citations: note === null ? cite(citations) : [] };
  };
  const step = (each: Step): Item => {
    const command = fill(each.command);
    const undo = fill(each.undo);
    return {
      ...statement(each),
      warning: each.effect && WARNINGS[each.effect],
      command,
      undo: undoOf(undo),
      open: placeholdersIn([command, undo].join("\n")),
    };
  };
  /** A check below its cause or candidate, which has its sources. */
  const checkBelow = (each: Step): Item => ({ ...step(each), lead: "Check", citations: [] });
  return {
    commands,
    sources: sourcesOf(result.sources, numbers, { brief }),
    statement,
    step,
    /** Suggestions without a cause cite no source by design. */
    look: (each: Step): Item => ({ ...step({ ...each, supported: true }), citations: cite(each.citations) }),
    summary: (): Item | null => {
      const { text, citations } = answer.summary;
      const shown = isSessionRecap(result)
        ? text
        : text.replace(REPEATED_OUTCOME, (_, first: string) => first.toUpperCase());
      return text === "" ? null : { ...item(shown), citations: cite(citations) };
    },
    evidence: (each: Evidence): Item => ({
      ...(brief ? item(placeOf(each)) : statement(each)),
      quote: each.quote,
      details: each.quote === null ? [] : codeMeanings(withoutMarkers(each.quote)),
    }),
    cause: (each: Statement, check: Step | undefined): Item => ({
      ...statement(each),
      ...causeState(each, result),
      checks: check === undefined ? [] : [checkBelow(check)],
    }),
    candidate: ({ title, probability, text, citations, confirm }: PossibleCause): Item => ({
      ...item(text),
      lead: `${title}, ${percentOf(probability)}`,
      citations: cite(citations),
      checks: firstOf(confirm, brief ? BRIEF.steps : null).map(checkBelow),
    }),
    hypothesis: ({ cause, verdict, reason, citations }: Hypothesis): Item => ({
      ...item(reason),
      lead: `${cause} (${verdict})`,
      leadTone: "dim",
      citations: cite(citations),
    }),
    pastFix: (each: PastFix): Item =>
      brief && each.fix !== null
        ? {
            ...item([...didNotHoldSentence(each), briefFix(each, each.fix, result.target)].join(" ")),
            details: didNotHelpSentence(each),
            citations: cite(each.citations),
          }
        : {
            ...pastIncidentItem(each),
            text: fixFirst(each),
            ...(brief && { details: [] }),
            citations: cite(each.citations),
          },
    check: ({ result: ran, verdict: lead, text }: CheckText): Item => ({
      ...item(text),
      lead,
      leadTone: CHECK_TONES[ran.verdict],
      ...(!brief && { ran }),
    }),
  };
}

/** What was checked and observed in the running system. */
function liveSections(
  live: Pick<TriageResult, "checks" | "live">,
  make: ReturnType<typeof itemMaker>,
  { brief }: { readonly brief: boolean },
): Section[] {
  const { decided, undecided, changes, object, otherAlerts, expression } = liveEvidenceText(live);
  const observed = (title: string, texts: readonly string[]) =>
    section("observed", title, firstOf(texts, brief ? BRIEF.observed : null).map(item));
  const [first, ...others] = undecided.map(make.check);
  const more = others.length === 0 ? [] : [`and ${others.length} more`];
  return [
    section("checked", "Checked", firstOf(decided, brief ? BRIEF.checks : null).map(make.check)),
    // The reasons of the others are in the whole answer.
    section(
      "undecided",
      "Not decided",
      first === undefined ? [] : brief ? [{ ...first, details: more }] : [first, ...others],
    ),
    observed(CHANGES_TITLE, changes),
    observed("In the cluster", object),
    observed("Also firing", otherAlerts),
    observed("The alert's expression", brief || expression === null ? [] : [expression]),
  ];
}

function factsOf(
  { severity, target, domain, incident_type }: TriageResult,
  { brief }: { readonly brief: boolean },
): string[] {
  const isUndecided = domain.name === GENERAL_DOMAIN && domain.decided_by === "none";
  const rule = (text: string) => (brief ? "" : ` (${text})`);
  return [
    `severity ${severity}`,
    ...(target === null ? [] : [`target ${target}`]),
    brief && isUndecided ? "domain undecided" : `domain ${domain.name}${rule(domain.rule)}`,
    ...furtherSearchNote(domain),
    ...(brief && incident_type.name === UNKNOWN_INCIDENT_TYPE
      ? []
      : [`type ${incident_type.name}${rule(incident_type.rule)}`]),
  ];
}

/** Each item says how probable it is that it is the same failure. */
function pastFixesTitle(items: readonly PastFix[]): string {
  return items.every(({ fix }) => fix === null) ? "Seen before" : FIXED_BEFORE;
}

/** Records without a fix say only that the failure is not new: one of them is enough, if there is no fix. */
function pastFixes(
  { worked_before }: Pick<TriageResult["answer"], "worked_before">,
  brief: boolean,
): readonly PastFix[] {
  if (!brief) return worked_before;
  const fixed = worked_before.filter(({ fix }) => fix !== null);
  return fixed.length > 0 ? fixed.slice(0, BRIEF.pastFixes) : worked_before.slice(0, 1);
}

/** What fixed it, who says so, where, and how often it worked. */
function briefFix(past: PastFix, fix: NonNullable<PastFix["fix"]>, target: string | null): string {
  const { probability, recurrence } = past;
  const other = otherServiceIn(past, target);
  const targets = recurrence.targets.slice(0, BRIEF.targets);
  const day = (fix.last_worked_at ?? fix.at).slice(0, 10);
  const details = [
    ...(other === null ? [] : [`for ${other}, not ${target}`]),
    [fix.by, day].filter((part) => part !== null && part !== "").join(", "),
    ...(targets.length === 0 ? [] : [`seen on ${targets.join(", ")}`]),
    ...proofOf(fix),
    ...cameBack(fix),
    `${percentOf(probability)} likely the same failure`,
  ].filter((detail) => detail !== "");
  return `${fix.text} (${details.join("; ")})`;
}

function placeOf({ place }: Evidence): string {
  return place === null ? "" : `line ${place.line}${place.count === 1 ? "" : `, ${place.count} times`}`;
}

function undoOf(text: string | null): Undo | null {
  if (text === null) return null;
  const alone = COMMAND_ALONE.exec(text.trim())?.[1];
  return alone === undefined ? { text, isCommand: false } : { text: alone, isCommand: true };
}

/** The number of each source by its id. The sections of one document have the same number in the brief view. */
function sourceNumbers(sources: readonly CitedSource[], { brief }: { readonly brief: boolean }): Map<string, number> {
  const documents = [...new Set(sources.map(documentOf))];
  return new Map(sources.map((source, i) => [source.id, brief ? documents.indexOf(documentOf(source)) + 1 : i + 1]));
}

function sourcesOf(
  sources: readonly CitedSource[],
  numbers: ReadonlyMap<string, number>,
  { brief }: { readonly brief: boolean },
): Source[] {
  const shown = sources.map((source) => ({
    id: source.id,
    number: numbers.get(source.id) ?? 0,
    name: sourceName(brief ? { ...source, heading: source.kind === "check" ? source.heading : "" } : source),
  }));
  return shown.filter(({ number }, i) => shown.findIndex((other) => other.number === number) === i);
}

function citedIn(items: readonly (Item | null)[], sources: readonly Source[]): Source[] {
  const cited = new Set(items.flatMap((each) => each?.citations ?? []));
  return sources.filter(({ number }) => cited.has(number));
}

function documentOf({ id, kind, source }: CitedSource): string {
  return kind === "check" ? id : (source ?? id);
}

function firstOf<T>(items: readonly T[], count: number | null): readonly T[] {
  return count === null ? items : items.slice(0, count);
}
