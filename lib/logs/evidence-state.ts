// Whether the structure of the evidence shows a working system, a failure that is over, or nothing. A sentence shows none of
// them: a part may have recovered while the work has stopped.

import { tokenize } from "../text/tokenize.ts";
import type { GoodRow, LogPart, StateLine } from "./candidate-lines.ts";
import { isNormalEvent } from "./event-age.ts";
import type { ReadEvidence } from "./evidence.ts";
import { sentencesIn } from "./free-text.ts";
import { readSign, type Sign } from "./health-signs.ts";

type State = NonNullable<ReadEvidence["state"]>;

/** An error line of this weight contradicts that the query for evidence found nothing. */
const CONTRADICTING_WEIGHT = 0.5;
/** Without a heavier line, one sign is enough. */
const NO_WEIGHT = 0.2;
const MIN_SIGNS = 2;
/** Shorter parts of the evidence need no sign of their own. */
const MIN_PART_LINES = 3;
const MAX_QUOTE_LENGTH = 400;
const MAX_READ_LENGTH = 2_000;

const NOTHING =
  /^no resources found\b|^\(?no (?:output|data|logs?|entries|results|events|matches|rows|records|lines)(?: (?:found|returned|available|matched|in|for|matching)\b.{0,160})?\)?\.?$|^-- no entries --$|^\(?0 rows?\)?$|^(?:found |returned |matched )?0 (?:rows?|results?|hits|matches|documents|records|entries)(?: (?:in set|found|returned|matched).{0,80})?\.?$|^empty set\b|^\(?empty(?: (?:array|list|set|list or set))?\)?$|^error from server \(notfound\): .{0,300}not found\.?$|"(?:result|results|hits|data|items|logs|entries)": ?\[\][\s}\]]{0,8},?$|^no log (?:lines|entries|data)\b|^no (?:pods?|jobs?|deployments?|containers?|services?|such containers?) (?:were )?found\b|^nothing found\b/i;

/** A monitor's mark in front of the title of an alert that has ended. */
const RESOLVED_TITLE = /^\s*(?:\[(?:resolved|recovered|ok)\]:?|resolved:)\s+(?=\S)/i;
/** The labels in which monitors name the state of an alert, and their words for an ended one. */
const STATE_LABELS = ["status", "state", "alertstate", "alert_state"];
const RESOLVED_VALUE = /^(?:resolved|recovered|ok|normal|inactive)$/i;
/** The alert fires again, or a person adds something to its name. */
const FIRES_AGAIN = /\b(?:again|still|but|firing|re-?opened|reoccur\w*)\b/i;

/** Says that a failure is over. */
const OVER =
  /\b(?:back (?:to normal|in (?:service|sync)|online|up)|(?<!\bw(?:as|ere) )(?:online|healthy|reachable|available|ready|connected|running|active) again|returned to normal|(?:has|have|is|are) (?:(?:now|since|fully|all|been) ){0,2}(?:recovered|resolved|cleared|caught up|gone|over|renewed)|(?:lag|backlog|service|alert|node|host|it|consumers?|replication) (?:recovered|cleared))\b(?! (?:a|an|the|its)\b)/i;
/** A condition, or a failure that goes on. */
const GOES_ON =
  /\b(?:after|although|as soon as|but|however|if|not|once|only|still|though|unless|until|when|while|will|yet|\d+(?:st|nd|rd|th) time|behind)\b|n['’]t\b/i;
/** Lines of a message; a longer log shows what is. */
const MAX_MESSAGE_LINES = 10;

/** A headline about something that a listing or a field shows, such as whether it runs. */
const ABOUT_OPERATION =
  /\b(?:pods?|(?:not ?|un)?ready|readiness|crash\w*|restart\w*|down|units?|service|deployment|rollout|release|replicas?|replication|standby|stale|containers?|nodes?|instances?|unavailable|availability|unhealthy|healthy|health|running|pending|start\w*|image ?pull\w*|back-?off|oom\w*|evict\w*|schedul\w*|alive|up|offline|ok|fine|probe|check|alert|alarm|backends?|status|connections?|unreachable|reachable|flapping|lost|degraded|stuck|pressure|drift|damaged|broken|backup|reload|tests?|jobs?|fail\w*)\b/i;
/** A headline about work and amounts: a running process does not answer it, but a count or a limit does. */
const ABOUT_WORK =
  /(?<![\w-])(?:errors?|5xx|[45]\d\d|latency|slow\w*|p9\d|timeouts?|disk|memory|cpu|load|space|full|fill|lag\w*|behind|backlogs?|queues?|delay\w*|saturat\w*|consum\w*|workers?|tasks?|messages?|process(?:ed|ing)|hang\w*|idle|writes?|reads?|requests?)(?![\w-])/i;
/** A longer title, and one of several clauses, describes what somebody saw. */
const MAX_TITLE_WORDS = 6;
const MAX_QUESTION_WORDS = 12;
const CLAUSES = /[,;，、；]|[.!?]\s+\S/;
const YES_NO_QUESTION =
  /^(?:is|are|was|were|do|does|did|has|have|can|any|anything|which|what(?:'s| is) (?:the )?(?:state|status|health)|check|please)\b/i;

export interface StateInput {
  readonly headline: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly log: string;
  /** Whether error lines explain the target. */
  readonly hasFailure: boolean;
  /** Weight of the most important error line. */
  readonly heaviest: number;
  readonly states: readonly StateLine[];
  readonly goodRows: readonly GoodRow[];
  /** Answers to commands: the first line of each, and how many lines it has. */
  readonly parts: readonly LogPart[];
  /** Whether the failures are events of a time ago, and the objects are in a good state now. */
  readonly areEventsOver: boolean;
}

interface SignedLine extends StateLine {
  readonly sign: Sign;
}

/**
 * `state` is null if something fails, and if only sentences speak of health. `mayBeOver`: the monitor says that the alert has ended, or
 * its message does, the failures are events of a time ago, or no line shows a failure and others show work, but the report says more than that.
 */
export function readState(input: StateInput): Pick<ReadEvidence, "state" | "mayBeOver"> {
  const { headline, goodRows, states, areEventsOver, heaviest } = input;
  const signed = states.flatMap((state): SignedLine[] => {
    const sign = isNothing(state) ? null : readSign(state.text);
    return sign === null ? [] : [{ ...state, sign }];
  });
  const signs = signed.filter(({ sign }) => sign !== "bad");
  const isBad = signed.some((line) => line.sign === "bad" && !isOver(line, signed));
  const nothing = states.find(isNothing);
  const isDescribed = sentencesIn(input.log).some((text) => !isNothing({ text: text.trim() }));
  if (!isBad && !isDescribed) {
    const showsWork = signs.some(({ sign }) => sign === "works") || goodRows.some(({ isCounted }) => isCounted);
    const isAnswered = answers(input, showsWork);
    const [good] = goodRows;
    if (isResolved(input) && !input.hasFailure)
      return { state: { name: "recovered", quote: headline.slice(0, MAX_QUOTE_LENGTH), line: null } };
    if (good && areEventsOver && isAnswered) return { state: stateOf("recovered", good) };
    // Objects in a good state have no events. Without their log, nothing can be said.
    const hasNoLog = nothing !== undefined && !/^no resources/i.test(nothing.text);
    const all = [...goodRows, ...signs];
    const isEnough = all.length >= (heaviest < NO_WEIGHT ? 1 : MIN_SIGNS) && (showsWork || coversParts(input, all));
    if (all[0] && isEnough && isAnswered && !input.hasFailure && !hasNoLog)
      return { state: stateOf("healthy", all[0]) };
  }
  const isEmpty = nothing && !isBad && heaviest < CONTRADICTING_WEIGHT;
  const isCalm = !input.hasFailure && (goodRows.length > 0 || signs.some(({ sign }) => sign === "works"));
  return {
    state: isEmpty ? stateOf("nothing_found", nothing) : null,
    mayBeOver: isResolved(input) || (!isBad && (areEventsOver || isCalm || saysOver(input))),
  };
}

/** Whether the same reading is good later and stays so: "p95 3 s (limit 1 s)", then "p95 0.4 s (limit 1 s)". */
function isOver(bad: SignedLine, signed: readonly SignedLine[]): boolean {
  const series = signed.filter(({ text }) => readingOf(text) === readingOf(bad.text));
  const firstGood = series.findIndex(({ sign, line }) => sign !== "bad" && line > bad.line);
  return firstGood !== -1 && series.slice(firstGood).every(({ sign }) => sign !== "bad");
}

/** What a line reads, without its values. */
function readingOf(text: string): string {
  return text
    .replace(/\d+(?:[.,:]\d+)*/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** Whether the monitor says that the alert has ended. Its name may follow, but nothing else. */
function isResolved({ headline, labels }: StateInput): boolean {
  const name = headline.replace(RESOLVED_TITLE, "");
  if (FIRES_AGAIN.test(name) || CLAUSES.test(name)) return false;
  if (STATE_LABELS.some((label) => RESOLVED_VALUE.test(labels[label] ?? ""))) return true;
  return name !== headline && (labels.alertname !== undefined || wordsIn(name) <= MAX_TITLE_WORDS);
}

/** Whether an alert's message says that its failure is over: its headline does, or a sentence that shares a word with it or with its name. */
function saysOver({ headline, log, labels: { alertname }, heaviest }: StateInput): boolean {
  if (alertname === undefined || heaviest >= CONTRADICTING_WEIGHT || log.split("\n").length > MAX_MESSAGE_LINES)
    return false;
  const message = `${headline}\n${log}`.slice(0, MAX_READ_LENGTH);
  if (GOES_ON.test(message)) return false;
  const subject = new Set(tokenize(`${alertname.replace(/(?<=[a-z])(?=[A-Z])/g, " ")} ${headline}`));
  const isOnSubject = (sentence: string) =>
    tokenize(sentence.split(OVER, 1)[0] ?? "").some((word) => subject.has(word));
  const [first = "", ...sentences] = message.split(/\n|(?<=[.!?])\s/);
  return OVER.test(first) || sentences.some((sentence) => OVER.test(sentence) && isOnSubject(sentence));
}

/**
 * Whether signs of health answer the headline: an alert, a question about health, or a short title about operation.
 * @param showsWork whether a result, a count or a limit is among them
 */
function answers({ headline, labels }: StateInput, showsWork: boolean): boolean {
  const text = headline.trim().slice(0, MAX_QUOTE_LENGTH);
  const about = text.replace(/(?<=[a-z])(?=[A-Z])/g, " ");
  if (ABOUT_WORK.test(about) && !showsWork) return false;
  if (labels.alertname !== undefined) return true;
  if (CLAUSES.test(text)) return false;
  if (YES_NO_QUESTION.test(text)) return wordsIn(text) <= MAX_QUESTION_WORDS;
  return wordsIn(text) <= MAX_TITLE_WORDS && (ABOUT_OPERATION.test(about) || ABOUT_WORK.test(about));
}

function wordsIn(text: string): number {
  return text.trim().split(/\s+/).length;
}

/** Whether more answers to commands hold a sign than none. The others may show the failure without a word for it. */
function coversParts({ parts, states }: StateInput, signs: readonly StateLine[]): boolean {
  const calm = [...signs, ...states.filter(({ text }) => isNormalEvent(text))];
  const isCovered = ({ first, last }: LogPart) => calm.some(({ line }) => line >= first && line <= last);
  const covered = parts.filter(isCovered);
  const open = parts.filter((part) => part.lines >= MIN_PART_LINES && !isCovered(part));
  const linesOf = (some: readonly LogPart[]) => some.reduce((sum, { lines }) => sum + lines, 0);
  return open.length === 0 || (covered.length > open.length && linesOf(covered) > linesOf(open));
}

/** Whether a line says that a query returned nothing. Such a line is no failure by itself. */
export function isNothing({ text }: Pick<StateLine, "text">): boolean {
  return NOTHING.test(text.slice(0, MAX_QUOTE_LENGTH));
}

function stateOf(name: State["name"], { text, line }: StateLine): State {
  return { name, quote: text.slice(0, MAX_QUOTE_LENGTH), line };
}
