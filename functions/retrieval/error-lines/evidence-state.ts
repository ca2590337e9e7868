// Whether the evidence shows a working system, a failure that is over, or nothing. Only without a heavy error line.

import type { ReadEvidence } from "../../schemas/incident.ts";
import { readSign, type Sign } from "../health-signs/health-signs.ts";
import type { LogPart, StateLine } from "./candidates.ts";
import { timeOf } from "./log-time.ts";
import { isAbout, isSameSubject, messageKey } from "./same-subject.ts";

type State = NonNullable<ReadEvidence["state"]>;

/** An error line of this weight contradicts a good state. */
const CONTRADICTING_WEIGHT = 0.5;
/** Weight of a line that shows a failing part. */
const BAD_WEIGHT = 0.5;
const MAX_QUOTE_LENGTH = 400;

const RECOVERED =
  /\b(?:(?:has|have|is|are|was|been|fully|now|automatically|auto-?) ?recovered|recovered (?:after|from|in|within|at|on|automatically|successfully|itself|fully)|rolled back (?:to|successfully|automatically)|rollback (?:was a success|complete[d]?|succeeded|successful|finished|done)|(?:back|returned|return) to normal|(?:healthy|ready|available|normal|up|stable|reachable|running|ok) again|(?:issue|incident|alert|problem|alarm|condition|outage)s? (?:is |was |were |has been |have been |now |auto-?)*(?:resolved|cleared|over|closed)|(?:service|connectivity|connection|replication|traffic|quorum|operation)s? (?:is |was |has been |have been )?(?:restored|re-?established)|re-?connected (?:to|successfully|after)|(?:queue|backlog|buffer)\b.{0,40}\bdrained|circuit\b.{0,60}\bclosed$|\b(?:link|peer|tunnel|session|interface|neighbo[u]?r \S+) (?:is |came |comes |back )*(?:up|established)\b|\belected (?:as )?leader|\bis (?:now )?(?:the )?(?:new )?(?:primary|leader|master)\b|\brejoined\b|now (?:healthy|ready|available|normal|stable|within|in sync|caught up)|recovery (?:is )?(?:complete[d]?|successful|finished)|succeeded (?:after|on) (?:\d+|retry|the)|caught up|self-healed|promoted (?:self )?to (?:leader|primary|master)|failover (?:complete[d]?|succeeded|finished)|rollback to (?!savepoint)[\w.-]+|rollout undo|error (?:rate|ratio)\b.{0,60}? 0(?:\.0\d*)?%?$)\b|\brecovered[.!;)"']*$|^\[?(?:resolved|recovered)\]?(?:\s|:|$)|\b(?:is|was|been|now|auto) resolved\b(?! (?:to|by|as|from|via|in)\b)|^\W{0,2}(?:\d{2}:\d{2}(?::\d{2})?\]? )?resolved\b|status["']?[:=] ?["']?resolved\b/i;
const NOT_RECOVERED =
  /\b(?:not|never|cannot|could|couldn't|can't|until|unless|if|when|failed to|fails to|unable|will|would|hasn't|haven't|isn't|wait\w*|once|try\w*|attempt\w*|should|before|must|may|no)\b.{0,40}\b(?:recover|resolve|roll|restor|normal|again|reconnect|clear|heal|caught)|recovered from panic|panic recovered|unresolved|recovered:? runtime|recovered panic/i;
const NOTHING =
  /^no resources found\b|^\(?no (?:output|data|logs?|entries|results|events|matches|rows|records|lines)(?: (?:found|returned|available|matched|in|for|matching)\b.{0,160})?\)?\.?$|^-- no entries --$|^\(?0 rows?\)?$|^(?:found |returned |matched )?0 (?:rows?|results?|hits|matches|documents|records|entries)(?: (?:in set|found|returned|matched).{0,80})?\.?$|^empty set\b|^\(?empty(?: (?:array|list|set|list or set))?\)?$|^error from server \(notfound\): .{0,300}not found\.?$|"(?:result|results|hits|data|items|logs|entries)": ?\[\][\s}\]]{0,8},?$|^no log (?:lines|entries|data)\b|^no (?:pods?|jobs?|deployments?|containers?|services?|such containers?) (?:were )?found\b|^nothing found\b/i;
/** A failure is over where this share of the log, and so many lines, hold none, and then a good sign. */
const CALM_SHARE = 0.4;
const MIN_CALM_LINES = 12;
/** Lighter lines do not contradict fair signs. */
const WEAK_WEIGHT = 0.35;
/** Without a heavier line, one fair sign is enough. */
const NO_WEIGHT = 0.2;
const MIN_SIGNS = 2;
/** Shorter parts of the evidence need no sign of their own. */
const MIN_PART_LINES = 3;

/** A headline about something that fair signs can answer: whether it runs, its errors, speed, capacity and lag. */
const ABOUT_OPERATION =
  /\b(?:pods?|(?:not ?|un)?ready|readiness|crash\w*|restart\w*|down|units?|service|deployment|rollout|release|replicas?|replication|standby|stale|containers?|nodes?|instances?|unavailable|availability|unhealthy|healthy|health|running|pending|start\w*|image ?pull\w*|back-?off|oom\w*|evict\w*|schedul\w*|jobs?|alive|up|offline|ok|fine|probe|check|errors?|5xx|5\d\d|fail\w*|latency|slow\w*|p9\d|timeouts?|disk|memory|cpu|load|space|full|fill|lag\w*|behind|backlog|queue|delay\w*|alert|alarm|backends?|status|connections?|unreachable|reachable|flapping|lost|stuck|degraded|saturat\w*|pressure|drift|damaged|broken|backup|reload|tests?)\b/i;
/** A longer title describes what somebody saw. */
const MAX_TITLE_WORDS = 6;
const YES_NO_QUESTION =
  /^(?:is|are|was|were|do|does|did|has|have|can|any|anything|which|what(?:'s| is) (?:the )?(?:state|status|health)|check|please)\b/i;
/** A headline that says that an alert is over. */
const FIRES_AGAIN = /\b(?:again|still|but|firing|not|re-?opened|reoccur\w*)\b/i;

interface Failure {
  readonly text: string;
  readonly line: number;
  readonly lastLine: number;
  readonly weight: number;
}

export interface StateInput {
  readonly headline: string;
  /** Name of an alert, if the report has one. */
  readonly isAlert: boolean;
  /** Error lines that explain the target, most important first. */
  readonly failures: readonly Failure[];
  /** Weight of the most important error line. */
  readonly heaviest: number;
  readonly states: readonly StateLine[];
  /** Number of the last line of the log. */
  readonly lastLine: number;
  readonly goodRows: readonly StateLine[];
  /** Answers to commands: the first line of each, and how many lines it has. */
  readonly parts: readonly LogPart[];
  /** Whether the failures are events of a time ago, and the objects are in a good state now. */
  readonly areEventsOver: boolean;
}

interface SignedLine extends StateLine {
  readonly sign: Sign;
}

/**
 * The state that the lines show. A failure is over if the log says so after its last line, or if the same subject works
 * again. Without a failure of real weight, a statement of health is enough, or signs in most parts of the evidence.
 */
export function readState(input: StateInput): State | null {
  const { headline, heaviest, states, goodRows, areEventsOver } = input;
  const signed = states.flatMap((state): SignedLine[] => {
    const sign = isNothing(state) ? null : readSign(state.text);
    return sign === null ? [] : [{ ...state, sign }];
  });
  const bad = signed.filter(({ sign, text }) => sign === "bad" && !isRecovered(text));
  const failures = [...input.failures, ...bad.map((line) => ({ ...line, lastLine: line.line, weight: BAD_WEIGHT }))];
  const recovered = findRecovery(input, failures, signed);
  if (recovered) return stateOf("recovered", recovered);
  if (!/\?\s*$/.test(headline) && isRecovered(headline) && !FIRES_AGAIN.test(headline) && bad.length === 0)
    return { name: "recovered", quote: headline.slice(0, MAX_QUOTE_LENGTH), line: null };
  const [good] = goodRows;
  if (areEventsOver && good && bad.length === 0) return stateOf("recovered", good);
  if (heaviest >= CONTRADICTING_WEIGHT || bad.length > 0) return null;
  const stated = signed.find(({ sign }) => sign === "good");
  if (stated && !describesSymptom(input)) return stateOf("healthy", stated);
  const nothing = states.find(isNothing);
  // Objects in a good state have no events. Without their log, nothing can be said.
  const hasNoLog = nothing !== undefined && !/^no resources/i.test(nothing.text);
  const signs = [...goodRows, ...signed];
  const isEnough = signs.length >= (heaviest < NO_WEIGHT ? 1 : MIN_SIGNS) && heaviest < WEAK_WEIGHT && !hasNoLog;
  if (signs[0] && isEnough && isAnswered(input) && coversParts(input, signs)) return stateOf("healthy", signs[0]);
  return nothing ? stateOf("nothing_found", nothing) : null;
}

/** The line that shows that all failures are over. */
function findRecovery(
  { states, headline, lastLine, failures: own }: StateInput,
  failures: readonly Failure[],
  signed: readonly SignedLine[],
): StateLine | undefined {
  const lastFailure = Math.max(0, ...failures.map((failure) => failure.lastLine));
  const context = [headline, ...failures.map(({ text }) => text)].join("\n");
  const recoveries = states.filter(({ text }) => isRecovered(text));
  const stated = recoveries.findLast(
    (state) =>
      (state.line > lastFailure && isAbout(state.text, context)) ||
      (own[0] !== undefined && failures.length === own.length && state.line > own[0].lastLine && isEnd(state, own[0])),
  );
  if (stated || failures.length === 0) return stated;
  const isTimed = failures.every(({ text }) => timeOf(text) !== null);
  if (!isTimed) return undefined;
  const good = signed.filter(({ sign, text }) => (sign === "good" || sign === "fair") && !isRecovered(text));
  const ends = [...recoveries, ...good].sort((a, b) => a.line - b.line);
  const endOf = (failure: Failure) => ends.findLast((end) => end.line > lastFailure && isEnd(end, failure));
  const alternates = failures.some(({ line, lastLine: last, text }) =>
    ends.some((end) => end.line > line && end.line < last && isSameSubject(end.text, text, isRecovered(end.text))),
  );
  const last = failures.map(endOf);
  if (!alternates && last.every((end) => end !== undefined)) return last.at(-1);
  const isCalm = lastFailure < lastLine * (1 - CALM_SHARE) && lastLine - lastFailure >= MIN_CALM_LINES;
  if (!isCalm) return undefined;
  // A statement that was there before the failure did not contradict it then.
  const earlier = new Set(ends.filter(({ line }) => line < lastFailure).map(({ text }) => messageKey(text)));
  const lastTime = failures.map(({ text }) => text).sort((a, b) => Number(isBefore(b, a)) - Number(isBefore(a, b)))[0];
  const statements = [...recoveries, ...signed.filter(({ sign }) => sign === "good")];
  return statements.findLast(
    ({ line, text }) => line > lastFailure && !earlier.has(messageKey(text)) && !isBefore(text, lastTime ?? ""),
  );
}

function isEnd(end: StateLine, failure: Failure): boolean {
  if (end.line <= failure.lastLine || isBefore(end.text, failure.text)) return false;
  return isSameSubject(end.text, failure.text, isRecovered(end.text));
}

/** Whether a line has an earlier time than another: the logs of several programs may follow each other. */
function isBefore(line: string, other: string): boolean {
  const [time, otherTime] = [timeOf(line), timeOf(other)].map((text) => text?.replace("T", " ").slice(0, 19));
  if (time === undefined || otherTime === undefined || time.length !== otherTime.length) return false;
  return /^\d{4}-|^\d{2}:/.test(time) && time < otherTime;
}

/** Whether the headline says what somebody saw, as "old prices on the home page": no status field refutes that. */
function describesSymptom({ headline, isAlert }: StateInput): boolean {
  const text = headline.trim();
  return !isAlert && !text.endsWith("?") && text.split(/\s+/).length > MAX_TITLE_WORDS;
}

/** Whether signs such as "running" answer the headline: not if it describes a symptom, as "all prices are in euros". */
function isAnswered({ headline, isAlert }: StateInput): boolean {
  const text = headline.trim();
  if (isAlert || YES_NO_QUESTION.test(text)) return true;
  const isShort = text.endsWith("?") || text.split(/\s+/).length <= MAX_TITLE_WORDS;
  return isShort && ABOUT_OPERATION.test(withoutCamelCase(text));
}

function withoutCamelCase(text: string): string {
  return text.slice(0, MAX_QUOTE_LENGTH).replace(/(?<=[a-z])(?=[A-Z])/g, " ");
}

/** Whether more answers to commands hold a sign than none. The others may show the failure without a word for it. */
function coversParts({ parts }: StateInput, signs: readonly StateLine[]): boolean {
  const isCovered = ({ first, last }: LogPart) => signs.some(({ line }) => line >= first && line <= last);
  const covered = parts.filter(isCovered);
  const open = parts.filter((part) => part.lines >= MIN_PART_LINES && !isCovered(part));
  const linesOf = (some: readonly LogPart[]) => some.reduce((sum, { lines }) => sum + lines, 0);
  return open.length === 0 || (covered.length > open.length && linesOf(covered) > linesOf(open));
}

/** Whether a line says that a query returned nothing. Such a line is no failure by itself. */
export function isNothing({ text }: Pick<StateLine, "text">): boolean {
  return NOTHING.test(text.slice(0, MAX_QUOTE_LENGTH));
}

export function isRecovered(text: string): boolean {
  const read = text.slice(0, MAX_QUOTE_LENGTH);
  return RECOVERED.test(read) && !NOT_RECOVERED.test(read);
}

function stateOf(name: State["name"], { text, line }: StateLine): State {
  return { name, quote: text.slice(0, MAX_QUOTE_LENGTH), line };
}
