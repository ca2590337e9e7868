// Reads the evidence of a report: the lines that show the failure, most important first, and whether it shows one at all.

import { type UnmarkedLog, unmarkedLog, withoutMarkers } from "../redaction/redaction-marker.ts";
import { tokenize } from "../text/tokenize.ts";
import type { CandidateLine } from "./candidate-lines.ts";
import { hasLaterEvent, hasLaterRun, minutesSinceEvent } from "./event-age.ts";
import type { ErrorLine, ReadEvidence } from "./evidence.ts";
import { isNothing, readState } from "./evidence-state.ts";
import { compareLists, isGoodVerdict, withoutCheckNames } from "./health-signs.ts";
import { templateOf } from "./line-template.ts";
import { withoutLogPrefix } from "./log-prefix.ts";
import { instantOf, timeOf } from "./log-time.ts";
import { type ScannedLog, scanLog } from "./scan-log.ts";
import { structuredMessage } from "./structured-line.ts";
import { contentStart, piecesOf } from "./unwrap-line.ts";
import { isBoilerplate, isZeroFailure, type LineWeight, NO_WEIGHT, weighLine } from "./weigh-line.ts";

export const MAX_ERROR_LINES = 12;

/** Lighter lines are left out. */
const MIN_WEIGHT = 0.2;
/** A line of this weight explains the target: other objects of a listing are left out. */
const EXPLAINING_WEIGHT = 0.35;
/** Weight of a line of a short log without any error line. */
const SHORT_LOG_WEIGHT = 0.15;
const ROW_WEIGHT = 0.42;
/** Minutes. A failure that goes on repeats its event more often. */
const MIN_MINUTES_OVER = 5;
/** The most that a field of JSON gets that is no message. */
const FIELD_WEIGHT = 0.44;
const WRAPPER_SHARE = 0.85;
/** Added for each e-fold of the words of a message: a detailed one says more than "startup failed". */
const DETAIL_BONUS = 0.1;
/** Share of a weight that a line keeps when its words are in a heavier line. */
const REPEATED_SHARE = 0.7;
const SIMILAR_WORDS = 0.8;
/** Labels that name the affected object. */
const TARGET_LABELS = [
  "pod",
  "deployment",
  "statefulset",
  "daemonset",
  "job",
  "job_name",
  "service",
  "node",
  "instance",
  "container",
  "workload",
  "host",
];

export interface EvidenceReport {
  readonly headline: string;
  readonly logs: string | null;
  readonly target: string | null;
  readonly labels: Readonly<Record<string, string>>;
}

interface WeighedLine {
  readonly text: string;
  readonly line: number;
  /** Its last occurrence. */
  readonly last: number;
  readonly count: number;
  readonly weight: number;
  readonly isSymptom: boolean;
  readonly isOther: boolean;
}

/** Linear in the log. */
export function readEvidence(report: EvidenceReport): ReadEvidence {
  const log = unmarkedLog(report.logs ?? "");
  const { lines, state, mayBeOver } = readUnmarked({
    headline: withoutMarkers(report.headline),
    logs: log.text,
    target: report.target && withoutMarkers(report.target),
    labels: Object.fromEntries(Object.entries(report.labels).map(([name, value]) => [name, withoutMarkers(value)])),
  });
  return {
    lines: lines.map((line) => ({ ...line, line: log.lineOf(line.line), ...markedText(line, log) })),
    state: state && { ...state, line: state.line === null ? null : log.lineOf(state.line) },
    ...(mayBeOver ? { mayBeOver } : {}),
  };
}

/** The whole original line, if the error line is a whole line. */
function markedText({ line, text }: ErrorLine, log: UnmarkedLog): Pick<ErrorLine, "marked"> {
  const marked = cleanText(log.markedLine(line) ?? "");
  return marked !== "" && withoutMarkers(marked).trim() === text ? { marked } : {};
}

function readUnmarked(report: EvidenceReport): ReadEvidence {
  const scanned = scanLog(report.logs ?? "", targetNames(report));
  let split: string[] | undefined;
  // Most logs need no line beside the error lines.
  const log = () => {
    split ??= (report.logs ?? "").split("\n");
    return split;
  };
  const weighed = foldTemplates(scanned.candidates.flatMap((candidate) => weighCandidate(candidate, report.headline)));
  const relevant = withoutOthers(weighed, scanned.goodRows.length > 0);
  const ranked = rankLines(withoutRecovered(relevant, log));
  const shown = detailedFirst(ranked.slice(0, MAX_ERROR_LINES)).map(errorLineOf);
  const all = shown.length > 0 ? [...shown, ...excerptLines(scanned, shown, report)] : shortLogLines(scanned);
  const lines = all
    .slice(0, MAX_ERROR_LINES)
    .map((line) => ({ ...line, time: line.time ?? timeAbove(log(), line.line) }));
  const state = readState({
    headline: report.headline,
    labels: report.labels,
    log: report.logs ?? "",
    hasFailure: ranked.some(({ weight }) => weight >= EXPLAINING_WEIGHT),
    heaviest: ranked[0]?.weight ?? 0,
    states: scanned.states,
    goodRows: scanned.goodRows,
    parts: scanned.parts,
    areEventsOver: areEventsOver(ranked, scanned),
  });
  return { lines, ...state };
}

/** Lines above an error line that may hold its time: a stack trace has it in its first line. */
const MAX_LINES_ABOVE = 60;

/** The time of the nearest line above that has one. */
function timeAbove(log: readonly string[], line: number): string | null {
  for (let at = line - 2; at >= Math.max(0, line - 2 - MAX_LINES_ABOVE); at--) {
    const time = timeOf(log[at] ?? "");
    if (time !== null) return time;
  }
  return null;
}

/** Milliseconds between a failure that is over and the next one. */
const RECOVERED_MS = 12 * 3_600_000;
const RECOVERED_SHARE = 0.5;
/** Milliseconds before the newest failure: a line nearer to it may belong to it. */
const MIN_WORK_MS = 60_000;
/** Lines below a failure that may show that the work goes on. */
const MAX_LINES_BELOW = 400;

/** Failures of days ago count less if a line between them and the newest failure shows that the work went on. */
function withoutRecovered(lines: readonly WeighedLine[], log: () => readonly string[]): readonly WeighedLine[] {
  const failing = lines.filter(({ weight }) => weight >= EXPLAINING_WEIGHT);
  const firsts = failing.map(({ text }) => instantOf(timeOf(text) ?? "")).filter((instant) => !Number.isNaN(instant));
  if (firsts.length === 0 || Math.max(...firsts) - Math.min(...firsts) < RECOVERED_MS) return lines;
  const texts = log();
  const instantAt = (line: number) => instantOf(timeOf(texts[line - 1] ?? "") ?? timeAbove(texts, line) ?? "");
  const lasts = new Map(failing.map((line) => [line, instantAt(line.last)]));
  const newest = Math.max(...[...lasts.values()].filter((instant) => !Number.isNaN(instant)));
  const failingLines = new Set(failing.flatMap(({ line, last }) => [line, last]));
  return lines.map((line) => {
    const instant = lasts.get(line);
    if (instant === undefined || !(newest - instant >= RECOVERED_MS)) return line;
    const goesOn = texts.slice(line.last, line.last + MAX_LINES_BELOW).some((text, i) => {
      const later = failingLines.has(line.last + i + 1) ? Number.NaN : instantOf(timeOf(text) ?? "");
      return later > instant && newest - later >= MIN_WORK_MS;
    });
    return goesOn ? { ...line, weight: line.weight * RECOVERED_SHARE } : line;
  });
}

/** Whether the only failures are events and runs of a time ago, and the objects are in a good state now. */
function areEventsOver(ranked: readonly WeighedLine[], { goodRows, states }: ScannedLog): boolean {
  const failures = ranked.filter(({ weight }) => weight >= EXPLAINING_WEIGHT);
  const isOver = ({ text, line }: WeighedLine) =>
    (minutesSinceEvent(text) ?? 0) >= MIN_MINUTES_OVER ||
    hasLaterEvent(text, line, states) ||
    hasLaterRun(text, goodRows);
  return goodRows.length > 0 && failures.length > 0 && failures.every(isOver);
}

/** Lines of short answers to commands, after the error lines: settings and readings that explain the failure. */
function excerptLines(
  { excerpts }: ScannedLog,
  shown: readonly ErrorLine[],
  { headline }: EvidenceReport,
): ErrorLine[] {
  const shownTexts = new Set(shown.map(({ text }) => text));
  const words = new Set(headline.toLowerCase().match(/[a-z]{4,}/g) ?? []);
  const sharesWord = (text: string) => (text.toLowerCase().match(/[a-z]{4,}/g) ?? []).some((word) => words.has(word));
  return excerpts
    .map(({ line, text }) => ({ line, text: cleanText(text) }))
    .filter(({ text }) => text !== "" && !shownTexts.has(text) && !isNothing({ text }) && !isZeroFailure(text))
    .map(({ line, text }) => ({ text, line, time: timeOf(text), count: 1, weight: sharesWord(text) ? 0.19 : 0.16 }))
    .sort((a, b) => b.weight - a.weight || a.line - b.line);
}

function targetNames({ target, labels }: EvidenceReport): string[] {
  const names = [
    target ?? "",
    ...(target === null ? TARGET_LABELS.map((label) => labels[label] ?? "") : [labels.pod ?? ""]),
  ];
  return [...new Set(names.map((name) => name.replace(/^.*\//, "")).filter((name) => name !== ""))];
}

/** The heaviest line of each template, with the template's last occurrence and the sum of its counts. */
function foldTemplates(lines: readonly WeighedLine[]): WeighedLine[] {
  const folded = new Map<string, WeighedLine>();
  for (const line of lines) {
    const template = templateOf(line.text, []);
    const other = folded.get(template) ?? line;
    const heavier = line.weight > other.weight ? line : other;
    const count = other === line ? line.count : other.count + line.count;
    folded.set(template, { ...heavier, last: Math.max(other.last, line.last), count });
  }
  return [...folded.values()];
}

function weighCandidate(candidate: CandidateLine, headline: string): WeighedLine[] {
  const { line, last, count, row, share } = candidate;
  const text = cleanText(candidate.text);
  const isOther = row?.isOther ?? false;
  const { weight, isSymptom } = row === null ? weighText(candidate, headline, text) : weighRow(text);
  const kept = weight * share * (candidate.isWrapper ? WRAPPER_SHARE : 1);
  return kept < MIN_WEIGHT ? [] : [{ text, line, last, count, weight: kept, isSymptom, isOther }];
}

function weighText({ isRoot }: CandidateLine, headline: string, text: string): LineWeight {
  if (isNothing({ text }) || isGoodVerdict(text) || compareLists(text) === "equal" || isFailedQuery(text))
    return NO_WEIGHT;
  const content = weighContent(withoutCheckNames(text) ?? text, isRoot);
  const duration = durationWeight(text, headline);
  return duration > content.weight ? { weight: duration, isSymptom: false } : content;
}

/** The heaviest text that a line holds. */
function weighContent(text: string, isRoot: boolean): LineWeight {
  const content = text.slice(contentStart(text, 0));
  const pieces = piecesOf(content);
  if (pieces === null) return weighLine(content, isRoot);
  const weights = pieces.map((piece) => {
    const weighed = weighLine(piece.text, isRoot || piece.isRoot);
    return piece.isMessage ? weighed : { ...weighed, weight: Math.min(weighed.weight, FIELD_WEIGHT) };
  });
  return weights.reduce((heaviest, each) => (each.weight > heaviest.weight ? each : heaviest), NO_WEIGHT);
}

/** A row of a listing in a bad state weighs at least ROW_WEIGHT, and an event what it says. */
function weighRow(text: string): LineWeight {
  const isEvent = /\b(?:Warning|Normal)\s+[A-Z]/.test(text);
  return { weight: isEvent ? Math.max(ROW_WEIGHT, weighLine(text).weight) : ROW_WEIGHT, isSymptom: true };
}

/** The command that gathered the evidence failed because it matched nothing. */
function isFailedQuery(text: string): boolean {
  return /^command [`"'].{1,600} failed with (?:return|exit) code 1$/i.test(text);
}

/** Leaves out the rows of other objects if something is wrong with the target, or if the target is in a good state. */
function withoutOthers(lines: readonly WeighedLine[], isTargetGood: boolean): WeighedLine[] {
  const own = lines.filter(({ isOther }) => !isOther);
  return isTargetGood || own.some(({ weight }) => weight >= EXPLAINING_WEIGHT) ? own : [...lines];
}

/** The heaviest first. */
function rankLines(lines: readonly WeighedLine[]): WeighedLine[] {
  const ranked = lines.toSorted((a, b) => b.weight - a.weight || a.line - b.line);
  return withoutRepetition(ranked.slice(0, 4 * MAX_ERROR_LINES)).filter(({ weight }) => weight >= MIN_WEIGHT);
}

/** The lines, detailed ones first among those of similar weight. */
function detailedFirst(lines: readonly WeighedLine[]): WeighedLine[] {
  return lines
    .map((line) => {
      const message = structuredMessage(line.text) ?? withoutLogPrefix(line.text);
      return { line, importance: line.weight + DETAIL_BONUS * Math.log1p(tokenize(message).length) };
    })
    .sort((a, b) => b.importance - a.importance || a.line.line - b.line.line)
    .map(({ line }) => line);
}

/** Moves lines down that say what a heavier line says. */
function withoutRepetition(ranked: readonly WeighedLine[]): WeighedLine[] {
  const words = ranked.map(
    ({ text }) =>
      new Set(
        text
          .slice(0, 600)
          .toLowerCase()
          .match(/[a-z]{3,}/g) ?? [],
      ),
  );
  return ranked
    .map((line, i) => {
      const own = words[i] ?? new Set<string>();
      const isRepeated = words.slice(0, i).some((heavier) => shareIn(own, heavier) >= SIMILAR_WORDS && own.size >= 3);
      return isRepeated ? { ...line, weight: line.weight * REPEATED_SHARE } : line;
    })
    .sort((a, b) => b.weight - a.weight || a.line - b.line);
}

function shareIn(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of words) if (others.has(word)) shared += 1;
  return words.size === 0 ? 0 : shared / words.size;
}

function errorLineOf({ text, line, count, weight }: WeighedLine): ErrorLine {
  return { text, line, time: timeOf(text), count, weight: Math.round(weight * 1_000) / 1_000 };
}

/** Somebody chose the lines of a short log, so they count a little even without a failure word. */
function shortLogLines({ lines }: ScannedLog): ErrorLine[] {
  const distinct = new Map((lines ?? []).toReversed().map((line) => [cleanText(line.text), line.line]));
  return [...distinct]
    .toReversed()
    .filter(([text]) => text !== "" && !isNothing({ text }) && !isFailedQuery(text) && !isBoilerplate(text))
    .map(([text, line]) => ({
      text,
      line,
      time: timeOf(text),
      count: 1,
      weight: SHORT_LOG_WEIGHT,
    }));
}

/** Without control characters and outer blanks. */
function cleanText(text: string): string {
  return text
    .replace(/\p{Cc}\[[0-9;]{0,12}[A-Za-z]/gu, "")
    .replace(/[^\P{Cc}\t]/gu, "")
    .trim();
}

/** Seconds. Shorter ones are normal for most work. */
const LONG_DURATION = 3;
const WEIGHT = 0.3;
/** Weight when the headline is about time. */
const EXPECTED_WEIGHT = 0.52;

const ABOUT_TIME =
  /latenc|slow|time(?:d )?-?out|delay|\blag|behind|\bhang|\bhung\b|\blate\b|\btakes?\b|\bwait|stale|\bold\b|duration|stall|freez|unresponsive|response time|p9\d|deadline/i;

/** A word, a number and perhaps its unit. */
const VALUE =
  /\b([A-Za-z_][\w.]{0,60})["']?\s?[:=]?\s?["']?(\d{1,9}(?:\.\d{1,9})?)\s?(ms|milliseconds|s|secs?|seconds|m|min|minutes)?\b/g;
const VERB = /^(?:took|takes|after|lasted)$/i;
/** Work that ended "in 8 seconds"; "retry in 8 seconds" is none. */
const ENDED_IN =
  /\b(?:complet|finish|answer|done|respond|serv|end|fail|load|process|execut|return|handl|call|quer|request)\w{0,8}(?:\s\w{1,20}){0,3}\sin$/i;
const DURATION_KEY = /(?:^|[_.])(?:duration|elapsed|latency|rt|urt|time|took|behind\w*|delay|seconds|ms|p9\d|lag)$/i;
const MAX_READ_LENGTH = 800;

/** The weight of the longest duration of a line; 0 without a long one. */
function durationWeight(text: string, headline: string): number {
  for (const match of text.slice(0, MAX_READ_LENGTH).matchAll(VALUE)) {
    const [, key = "", digits = "", unit = ""] = match;
    const { index } = match;
    const isWork =
      VERB.test(key) || (/^in$/i.test(key) && ENDED_IN.test(text.slice(Math.max(0, index - 60), index + 2)));
    if (!(isWork && unit !== "") && !DURATION_KEY.test(key)) continue;
    if (secondsOf(Number(digits), key.toLowerCase(), unit.toLowerCase()) >= LONG_DURATION && !isBoilerplate(text))
      return ABOUT_TIME.test(headline) ? EXPECTED_WEIGHT : WEIGHT;
  }
  return 0;
}

function secondsOf(value: number, key: string, unit: string): number {
  if (unit.startsWith("mi") && unit !== "min" && unit !== "minutes") return value / 1_000;
  if (unit === "ms" || (unit === "" && key.endsWith("ms"))) return value / 1_000;
  if (unit.startsWith("m")) return value * 60;
  if (unit.startsWith("s")) return value;
  // Without a unit, only these keys are seconds; a time of day or an epoch is none.
  return /^(?:rt|urt|.*query_time|.*behind\w*|.*seconds)$/.test(key) ? value : key.startsWith("p9") ? value / 1_000 : 0;
}
