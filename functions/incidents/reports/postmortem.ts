// The draft of a postmortem, from what is recorded about an incident and nothing else. A pure function.

import { codeSpan, foreignLine } from "../../../lib/markdown/foreign-text.ts";
import { type AnswerView, answerView, type Item, type SectionKind } from "../../answer-view/answer-view.ts";
import { changeName, liveEvidenceText } from "../../answer-view/live-evidence-text.ts";
import { describeHit, withStruck } from "../../answer-view/past-incident-text.ts";
import { minuteOf, minutesText, periodOf, spanOf } from "../../answer-view/time-text.ts";
import { timelineOf } from "../../answer-view/timeline-text.ts";
import { caveatOf, verdictLine } from "../../answer-view/verdict.ts";
import { truncate } from "../../schemas/incident.ts";
import type { ReportedIncident } from "../../schemas/reports.ts";
import type { PostmortemFacts } from "./postmortem-facts.ts";

const MAX_TITLE = 200;
const MAX_TEXT = 1_500;
const MAX_NAMED_SERVICES = 3;
const MAX_SIMILAR = 5;
/** Reports after the incident that the facts list. */
const MAX_NEAREST = 10;
/** What the answer rests on, in the order of the draft. Steps are in the timeline once they are done. */
const EVIDENCE: readonly SectionKind[] = ["evidence", "checked", "undecided", "observed"];
const CAUSES: readonly SectionKind[] = ["causes", "candidates", "considered"];
const NOT_RECORDED = "*not recorded*";

type Try = PostmortemFacts["tries"][number];

/** Sentences of a language model. */
export interface Prose {
  readonly summary: readonly string[];
  readonly impact: readonly string[];
  readonly cause: readonly string[];
}
const NO_PROSE: Prose = { summary: [], impact: [], cause: [] };

/** Markdown. Sections without facts say so: people fill them in. */
export function postmortem(facts: PostmortemFacts, prose = NO_PROSE): string {
  const view = viewOf(facts);
  const isWritten = Object.values(prose).some(({ length }) => length > 0);
  const paragraph = (sentences: readonly string[]) => line(sentences.join(" "));
  const blocks = [
    `# Postmortem: ${titleOf(facts.incident.title)}`,
    `*Draft of ${minuteOf(facts.read_at)} UTC, made by Dejavu from what is recorded${isWritten ? ", in sentences of a language model" : ""}. Correct and complete it.*`,
    section("Summary", [paragraph(prose.summary) || summaryOf(facts, view).join(" "), list(headFacts(facts))]),
    section("Impact", [paragraph(prose.impact), list(impactOf(facts))]),
    section("Timeline (UTC)", [list(timelineLines(facts))]),
    section("Cause", [paragraph(prose.cause), ...causeBlocks(facts, view)]),
    section("Fix", [list(fixLines(facts)) || NOT_RECORDED]),
    section("What did not help", [list(facts.tries.filter(({ helped }) => !helped).map(tryLine)) || NOT_RECORDED]),
    section("Other reports of this failure", [list(otherReports(facts)) || "None."]),
    section("Similar incidents", [list(similarIncidents(facts)) || "None."]),
    section("Follow-ups", ["- [ ] "]),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** What the draft says, each item below the title of its section: "Likely causes" says more than its items. */
export function statedFacts(facts: PostmortemFacts): string[] {
  let title = "";
  const items = postmortem(facts)
    .split("\n")
    .flatMap((text) => {
      if (text.startsWith("#")) title = text.replace(/^#+ /, "");
      return text.startsWith("- ") ? [`${title}: ${text.slice(2)}`] : [];
    });
  return [...summaryOf(facts, viewOf(facts)), ...items].map((text) => text.replace(/\\([^\w\s])/g, "$1"));
}

function viewOf({ triage }: PostmortemFacts): AnswerView | null {
  return triage === null ? null : answerView(triage);
}

function summaryOf(facts: PostmortemFacts, view: AnswerView | null): string[] {
  const { incident, started_at, ended_at, alerts } = facts;
  const period = `${ended_at === null ? "" : "from "}${periodOf(started_at, ended_at)}`;
  const isWrong = incident.worked === false;
  return [
    alerts.total === 0
      ? `It was reported${placesOf(facts)}, and open ${period}.`
      : `${alertOf(facts)} fired${placesOf(facts)} ${period}.`,
    causeSentence(facts, view),
    ...(isWrong ? ["Dejavu's answer did not lead to the fix."] : []),
    endSentence(facts),
    ...heldSentences(facts),
    recurrenceSentence(facts),
  ];
}

/** Claims no more than the answer: in the order of a runbook, no cause stands above the others. */
function causeSentence({ incident: { worked }, triage }: PostmortemFacts, view: AnswerView | null): string {
  const [cause, ...others] = view?.sections.find(({ kind }) => kind === "causes")?.items ?? [];
  if (cause === undefined || worked === false) return "No cause is established.";
  if (others.length > 0 && cause.lead === null && triage?.answer.causes_ordered_by === "runbook")
    return `Which of ${others.length + 1} likely causes it was is not established.`;
  const state = cause.lead?.toLowerCase() ?? (worked === true ? "the answer led to the fix" : "not confirmed");
  return `Likely cause (${state}): ${sentence(itemLine({ ...cause, lead: null, citations: [] }))}`;
}

function endSentence({ incident, started_at, ended_at }: PostmortemFacts): string {
  if (ended_at === null) return "It is still open.";
  const after = `${spanOf(Date.parse(ended_at) - Date.parse(started_at))} after its start`;
  if (incident.resolution === null) return `It ended ${after}; no fix is recorded.`;
  return `It ended ${after}. The fix of ${person(incident.resolved_by)}: ${sentence(line(incident.resolution))}`;
}

/** Whether the fix of this incident held. */
function heldSentences({ tries }: PostmortemFacts): string[] {
  const [fix] = tries.filter(({ helped }) => helped);
  if (fix === undefined) return [];
  if (fix.came_back_at !== null)
    return [`The fix did not hold: the failure came back on ${minuteOf(fix.came_back_at)} UTC.`];
  if (fix.checked_at === null) return ["Whether the fix held was not looked at yet."];
  return [`The fix held at least until ${minuteOf(fix.checked_at)} UTC.`];
}

function recurrenceSentence({ reports: { before, after } }: PostmortemFacts): string {
  if (before + after === 0) return "No other report of this failure is recorded.";
  const others = [
    ...(before > 0 ? [`${count(before, "time")} before`] : []),
    ...(after > 0 ? [`${count(after, "time")} after`] : []),
  ];
  return `The failure was also reported ${others.join(" and ")} this incident.`;
}

function headFacts({ incident, alerts }: PostmortemFacts): string[] {
  const { id, severity, domain, answer_domain, incident_type, status, labels, owner } = incident;
  return [
    `Incident: \`${id}\`, ${status}`,
    `Severity: ${severity}`,
    `Domain: ${foreignLine(answer_domain ?? domain)}, type ${foreignLine(incident_type)}`,
    ...(owner === null ? [] : [`Owner: ${person(owner)}`]),
    ...(labels.alertname === undefined ? [] : [`Alert: ${line(labels.alertname, MAX_TITLE)}`]),
    `Alerts: ${alerts.total}${alerts.firing === 0 ? "" : `, ${alerts.firing} still firing`}`,
  ];
}

function impactOf({ services: { first, total } }: PostmortemFacts): string[] {
  return [
    ...first.map(({ target, alerts, started_at, ended_at, minutes }) => {
      const name = target === null ? "No service named" : line(target, MAX_TITLE);
      return `${name}: ${count(alerts, "alert")}, ${periodOf(started_at, ended_at)}, fired for ${minutesText(minutes)}`;
    }),
    ...(total > first.length ? [`and ${count(total - first.length, "more service")}`] : []),
    `Effect on users: ${NOT_RECORDED}`,
  ];
}

interface Moment {
  readonly at: string;
  readonly text: string;
}

function timelineLines(facts: PostmortemFacts): string[] {
  const { triage, services, nearest_reports, incident } = facts;
  const moments: Moment[] = [
    ...(triage?.live.changes.recent ?? []).map((change) => ({
      at: change.at,
      text: `Change before it: ${line(changeName(change))}`,
    })),
    ...services.first.map(({ target, started_at }) => ({
      at: started_at,
      text: `${alertOf(facts)} began to fire${target === null ? "" : ` on ${line(target, MAX_TITLE)}`}`,
    })),
    ...(triage === null ? [] : liveEvidenceText(triage).decided).flatMap(({ result: { checked_at }, verdict, text }) =>
      checked_at === null ? [] : [{ at: checked_at, text: `Checked, ${verdict.toLowerCase()}: ${line(text)}` }],
    ),
    ...timelineOf(facts).map(({ at, text, quote, times: often }) => ({
      at,
      text: `${line(text)}${often > 1 ? ` (${often} times)` : ""}${quote === null ? "" : `: "${line(quote)}"`}`,
    })),
    ...nearest_reports
      .filter(({ started_at }) => Date.parse(started_at) >= Date.parse(incident.created_at))
      .map((report) => ({
        at: report.started_at,
        text: `The failure was reported again${report.target === null ? "" : ` on ${line(report.target, MAX_TITLE)}`} (\`${report.id}\`)`,
      })),
  ];
  return moments
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .map(({ at, text }) => `${minuteOf(at)} ${text}`);
}

function causeBlocks({ incident, triage }: PostmortemFacts, view: AnswerView | null): string[] {
  if (triage === null || view === null) return ["No answer is recorded."];
  const { worked } = incident;
  const judged = worked === null ? "" : ` It ${worked ? "led" : "did not lead"} to the fix.`;
  const sections = [...CAUSES, ...EVIDENCE].flatMap((kind) => view.sections.filter((each) => each.kind === kind));
  const cited = new Set(sections.flatMap(({ items }) => items).flatMap(({ citations }) => citations));
  const sources = view.sources.filter(({ number }) => cited.has(number));
  return [
    `Dejavu's last answer: ${verdictLine(view.verdict)}${caveatOf(view.verdict)}.${judged} ${foreignLine(view.verdict.origin)}`,
    ...sections.map(({ title, items }) => subsection(title, items.map(itemBlock))),
    subsection(
      "Sources",
      sources.map(({ number, name }) => `[${number}] ${line(name)}`),
    ),
  ];
}

/** With what is alike, and the query of a check, below it. */
function itemBlock(item: Item): string {
  const { details, ran } = item;
  const below = [...details.map(line), ...(ran === null ? [] : [`Query: ${codeSpan(truncate(ran.query, MAX_TEXT))}`])];
  return [itemLine(item), ...below].join("\n  - ");
}

function itemLine({ lead, quote, text, note, citations }: Item): string {
  const words = [
    lead === null ? "" : `${line(lead)}:`,
    quote === null ? "" : codeSpan(truncate(quote, MAX_TEXT)),
    line(withStruck(text, (former) => `~~${former}~~`)),
    note === null ? citations.map((number) => `[${number}]`).join("") : `(${note})`,
  ];
  return words.filter((word) => word !== "").join(" ");
}

function fixLines({ incident, tries }: PostmortemFacts): string[] {
  const helped = tries.filter((each) => each.helped);
  // Without a record of the failure, only the incident has the fix.
  if (helped.length > 0 || incident.resolution === null) return helped.map(tryLine);
  return [`${sentence(line(incident.resolution))} By ${person(incident.resolved_by)}.`];
}

function tryLine(each: Try): string {
  const { text, conditions, at, by, resolved, came_back_at, tried, worked } = each;
  const proof = `It worked in ${worked} of ${count(tried, "incident")}`;
  return [
    sentence(line(text)),
    `By ${person(by)} on ${minuteOf(at)} UTC${resolved ? ", which resolved the incident" : ""}.`,
    came_back_at !== null
      ? `${worked > 1 ? `${proof}, but did` : "It did"} not hold here: the failure came back on ${minuteOf(came_back_at)} UTC.`
      : worked > 0
        ? `${proof}.`
        : `It was tried in ${count(tried, "incident")} and never helped.`,
    ...(conditions === null ? [] : [`Conditions: ${sentence(line(conditions))}`]),
  ].join(" ");
}

function otherReports({ nearest_reports, reports: { before, after } }: PostmortemFacts): string[] {
  // Those before it come first. Its report counts, not the start of its alerts: the reports of one webhook start together.
  const earlier = nearest_reports.length - Math.min(after, MAX_NEAREST);
  const hidden = before + after - nearest_reports.length;
  return [
    ...nearest_reports.map((report, i) => reportLine(report, i < earlier)),
    ...(hidden > 0 ? [`and ${hidden} more`] : []),
  ];
}

function reportLine(
  { id, title, target, started_at, ended_at, resolution, resolved_by }: ReportedIncident,
  isEarlier: boolean,
): string {
  const where = target === null ? "" : ` on ${line(target, MAX_TITLE)}`;
  const end =
    resolution === null
      ? ended_at === null
        ? "Still open."
        : "It ended without a recorded fix."
      : `Fixed by ${person(resolved_by)}: ${sentence(line(resolution))}`;
  return `${isEarlier ? "Before" : "After"}, ${periodOf(started_at, ended_at)}${where}: ${sentence(titleOf(title))} ${end} (\`${id}\`)`;
}

/** What the answer showed of other failures. */
function similarIncidents({ triage, observation }: PostmortemFacts): string[] {
  return (triage?.recalled.incidents ?? [])
    .filter(({ id, relevant }) => relevant && id !== observation?.id)
    .slice(0, MAX_SIMILAR)
    .map((hit) => `${line(describeHit(hit).text)} (\`${hit.id}\`)`);
}

/** ` on checkout, ledger and 2 more services` */
function placesOf({ incident, services: { first, total } }: PostmortemFacts): string {
  const names = total === 0 ? [incident.target] : first.map(({ target }) => target);
  const named = names.filter((name) => name !== null).slice(0, MAX_NAMED_SERVICES);
  const more = Math.max(total, names.length) - named.length;
  if (named.length === 0) return "";
  const listed = [...named.map((name) => line(name, MAX_TITLE)), ...(more > 0 ? [count(more, "more service")] : [])];
  return ` on ${[listed.slice(0, -1).join(", "), listed.at(-1)].filter((part) => part !== "").join(" and ")}`;
}

function alertOf({ incident: { labels } }: PostmortemFacts): string {
  return labels.alertname === undefined ? "An alert" : `The alert ${codeSpan(truncate(labels.alertname, MAX_TITLE))}`;
}

function section(title: string, blocks: readonly string[]): string {
  return [`## ${title}`, ...blocks.filter((block) => block !== "")].join("\n\n");
}

function subsection(title: string, items: readonly string[]): string {
  return items.length === 0 ? "" : `### ${title}\n\n${list(items)}`;
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}

function line(text: string, length = MAX_TEXT): string {
  return foreignLine(truncate(text, length));
}

function titleOf(title: string): string {
  return line(title, MAX_TITLE);
}

function person(name: string | null): string {
  return name === null || name === "" ? "somebody" : line(name, MAX_TITLE);
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
