// Whether the evidence shows a working system, a failure that is over, or nothing. Only without a heavy error line.

import type { ReadEvidence } from "../../schemas/incident.ts";
import type { StateLine } from "./candidates.ts";
import { timeOf } from "./log-time.ts";

type State = NonNullable<ReadEvidence["state"]>;

/** An error line of this weight contradicts a good state. */
const CONTRADICTING_WEIGHT = 0.5;
const MAX_QUOTE_LENGTH = 400;

const RECOVERED =
  /\b(?:(?:has|have|is|are|was|been|fully|now|automatically|auto-?) ?recovered|recovered (?:after|from|in|within|at|on|automatically|successfully|itself|fully)|rolled back (?:to|successfully|automatically)|rollback (?:complete[d]?|succeeded|successful|finished|done)|(?:back|returned|return) to normal|(?:healthy|ready|available|normal|up|stable|reachable|running|ok) again|(?:issue|incident|alert|problem|alarm|condition|outage)s? (?:is |was |were |has been |have been |now |auto-?)*(?:resolved|cleared|over|closed)|(?:service|connectivity|connection|replication|traffic|quorum|operation)s? (?:is |was |has been |have been )?(?:restored|re-?established)|re-?connected (?:to|successfully|after)|now (?:healthy|ready|available|normal|stable|within|in sync|caught up)|recovery (?:is )?(?:complete[d]?|successful|finished)|succeeded (?:after|on) (?:\d+|retry|the)|caught up|self-healed|promoted (?:self )?to (?:leader|primary|master)|failover (?:complete[d]?|succeeded|finished)|rollback to (?!savepoint)[\w.-]+|rollout undo|error (?:rate|ratio)\b.{0,60}? 0(?:\.0\d*)?%?$)\b|\brecovered[.!;)"']*$|^\[?(?:resolved|recovered)\]?(?:\s|:|$)|status["']?[:=] ?["']?resolved\b/i;
const NOT_RECOVERED =
  /\b(?:not|never|cannot|could|couldn't|can't|until|unless|if|when|failed to|fails to|unable|will|would|hasn't|haven't|isn't|wait\w*|once|try\w*|attempt\w*|should|before|must|may|no)\b.{0,40}\b(?:recover|resolve|roll|restor|normal|again|reconnect|clear|heal|caught)|recovered from panic|panic recovered|unresolved|recovered:? runtime|recovered panic/i;
const HEALTHY =
  /\ball (?:[\w-]+ ){0,4}(?:are |is |were )?(?:operational|healthy|normal|ready|passing|passed|up|green|ok|running|responding normally|available|in sync|synced)\b|\b(?:everything|system|systems|service|services|cluster|state|status|health|overall|gateway|gateways)["']? ?(?:is |are |looks? |state |status |health )*[:=]? ?["']?(?:fully |all )?(?:operational|healthy|normal|fine|green|ok|passing|nominal)\b|\b(?:health ?)?checks? (?:all |have |has |is |are |was |were )*(?:pass(?:ed|ing|es)?|ok|succeeded|successful|green)\b|\b(?:pass(?:ed|ing)|ok):? \d+(?: checks?)?,? (?:fail(?:ed|ing)?|failures?|errors?)[:=]? 0\b|\bno (?:active |open |current |recent )?(?:failures?|errors?|issues?|problems?|anomal(?:y|ies)|incidents?|alerts?|alarms?|warnings?|degradation)(?: (?:or|and) \w+)? ?(?:detected|reported|present|active|were|was|are|is|firing|in |on |for |at |observed|since|$|[.,;])|\bnothing (?:is |was )?(?:failing|wrong|failed|unusual|to report|firing)\b|\bwithin (?:normal|expected) (?:limits|range|parameters|bounds)\b|\b0 (?:failed|failing|failures|errors|unhealthy|critical)\b|\b(?:is|are|reports?) (?:fully |all )?(?:healthy|operational)\b|\boperating normally\b|\bsuccessfully rolled out\b|"(?:status|health|state)": ?"(?:ok|healthy|up|green|pass|normal|running)"|\bstate[:=]? ?normal\b/i;
const NOT_HEALTHY =
  /\b(?:not|isn't|aren't|never|until|wait\w*|unhealthy|degraded|before|expected|should|when|if|unless|must|0\/\d+|required|only|but)\b/i;
const PART_FAILS = /\b(?:[1-9]\d*) (?:failed|failing|failures|errors|unhealthy|critical)\b/i;
const NOTHING =
  /^no resources found\b|^\(?no (?:output|data|logs?|entries|results|events|matches|rows|records|lines)(?: (?:found|returned|available|matched|in|for|matching)\b.{0,160})?\)?\.?$|^-- no entries --$|^\(?0 rows?\)?$|^(?:found |returned |matched )?0 (?:rows?|results?|hits|matches|documents|records|entries)(?: (?:in set|found|returned|matched).{0,80})?\.?$|^empty set\b|^\(?empty\)?$|^error from server \(notfound\): .{0,300}not found\.?$|"(?:result|results|hits|data|items|logs|entries)": ?\[\],?$|^no log (?:lines|entries|data)\b|^no (?:pods?|jobs?|deployments?|containers?|services?|such containers?) (?:were )?found\b|^nothing found\b/i;
/** One sign of a working system. Two of them are enough where nothing shows a failure. */
const GOOD_SIGN =
  /\bactive \(running\)|\b0 loaded units|\bsyntax is ok\b|\btest is successful\b|status["']?\s?[:=]\s?["']?(?:ok|up|healthy|green|passing|running)\b|\brunning["']?:? +(?:yes|true)\b|_running: yes|"running": ?true|\bReady:? +True\b|\bAvailable +True\b|\bload average: 0\.|\bjob completed\b|\bComplete +\d+\/\d+|successfully rolled out|\bstate=online\b|\bsynced\b|\b(?:failed|failures|errors?|timeouts)=0\b|\bpong\b|\baccepting connections\b|\bis alive\b|cluster_state:ok|\bno changes\. |\b(?:completed|finished|ended) successfully\b|\bbuild succeeded\b|\bverif\w+:? ok\b|return code: 0 \(ok\)|\b0 critical\b|\(healthy\)|^(?:ok|active|healthy|running|pass(?:ed)?|200)$|"(?:health|state|status)": ?"(?:green|pass|up|ok|healthy|running|active)"|\bin sync\b|\bconnection established\b|\bNodeReady\b|\bHTTP\/[\d.]+ 200 OK\b|\b(?:is|are|now) (?:up to date|available|reachable|synchroni[sz]ed)\b/i;
const MIN_SIGNS = 2;
/** A failure is over where this share of the log, and so many lines, hold none, and then a good sign. */
const CALM_SHARE = 0.4;
const MIN_CALM_LINES = 12;
/** Without any error line, one sign is enough. */
const NO_WEIGHT = 0.2;
/** Zero failures of so many kinds count as a sign. */
const MIN_ZERO_FAILURES = 2;
/** Lighter lines contradict no sign. */
const WEAK_WEIGHT = 0.33;
/** A line about the end of a failure shares so many words with the line about its start. */
const SAME_SUBJECT = 0.5;

interface Failure {
  readonly text: string;
  readonly lastLine: number;
  readonly weight: number;
}

export interface StateInput {
  readonly headline: string;
  /** Error lines that explain the target, most important first. */
  readonly failures: readonly Failure[];
  /** Weight of the most important error line. */
  readonly heaviest: number;
  readonly states: readonly StateLine[];
  /** Number of the last line of the log. */
  readonly lastLine: number;
  readonly goodRows: readonly StateLine[];
  /** Number of lines such as "failures: 0". */
  readonly zeroFailures: number;
  /** Whether the failures are events of a time ago, and the objects are in a good state now. */
  readonly areEventsOver: boolean;
}

export function readState(input: StateInput): State | null {
  const { headline, failures, heaviest, states, goodRows, areEventsOver } = input;
  const lastFailure = Math.max(0, ...failures.map(({ lastLine }) => lastLine));
  const recovered = states.findLast(
    (state) => isRecovered(state.text) && (state.line > lastFailure || ends(state, failures[0])),
  );
  if (recovered) return stateOf("recovered", recovered);
  if (!/\?\s*$/.test(headline) && isRecovered(headline))
    return { name: "recovered", quote: headline.slice(0, MAX_QUOTE_LENGTH), line: null };
  const [good] = goodRows;
  if (areEventsOver && good) return stateOf("recovered", good);
  const later = lastFailure < input.lastLine * (1 - CALM_SHARE) ? goodSigns({ ...input, heaviest: 0 }) : [];
  const isTimed = failures.length > 0 && failures.every(({ text }) => timeOf(text) !== null);
  const calm = isTimed ? later.findLast(({ line }) => line > lastFailure) : undefined;
  if (calm && input.lastLine - lastFailure >= MIN_CALM_LINES) return stateOf("recovered", calm);
  if (heaviest >= CONTRADICTING_WEIGHT) return null;
  const healthy = states.find(({ text }) => isHealthy(text));
  if (healthy) return stateOf("healthy", healthy);
  const nothing = states.find(isNothing);
  // Objects in a good state have no events. Without their log, nothing can be said.
  const hasNoLog = nothing !== undefined && !/^no resources/i.test(nothing.text);
  const signs = heaviest < WEAK_WEIGHT && !hasNoLog ? goodSigns(input) : [];
  if (signs[0]) return stateOf("healthy", signs[0]);
  return nothing ? stateOf("nothing_found", nothing) : null;
}

/** Whether a line about an end is about the heaviest failure: "alarm set", "alarm cleared". */
function ends({ line, text }: StateLine, failure: Failure | undefined): boolean {
  if (failure === undefined || line <= failure.lastLine) return false;
  const words = new Set(failure.text.toLowerCase().match(/[a-z]{3,}/g) ?? []);
  const ending = new Set(text.toLowerCase().match(/[a-z]{3,}/g) ?? []);
  const shared = [...words].filter((word) => ending.has(word)).length;
  return words.size > 0 && shared / words.size >= SAME_SUBJECT;
}

/** The signs of a working system, if there are enough of them. */
function goodSigns({ states, goodRows, zeroFailures, heaviest }: StateInput): StateLine[] {
  const signs = [...goodRows, ...states.filter(({ text }) => GOOD_SIGN.test(text.slice(0, MAX_QUOTE_LENGTH)))];
  const count = signs.length + Number(zeroFailures >= MIN_ZERO_FAILURES);
  return count >= (heaviest < NO_WEIGHT ? 1 : MIN_SIGNS) ? signs : [];
}

/** Whether a line says that a query returned nothing. Such a line is no failure by itself. */
export function isNothing({ text }: Pick<StateLine, "text">): boolean {
  return NOTHING.test(text.slice(0, MAX_QUOTE_LENGTH));
}

export function isRecovered(text: string): boolean {
  const read = text.slice(0, MAX_QUOTE_LENGTH);
  return RECOVERED.test(read) && !NOT_RECOVERED.test(read);
}

function isHealthy(text: string): boolean {
  const read = text.slice(0, MAX_QUOTE_LENGTH);
  return HEALTHY.test(read) && !NOT_HEALTHY.test(read) && !PART_FAILS.test(read);
}

function stateOf(name: State["name"], { text, line }: StateLine): State {
  return { name, quote: text.slice(0, MAX_QUOTE_LENGTH), line };
}
