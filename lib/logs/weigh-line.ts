// The weight of one line: its words, phrases, level, and the negations that take them away.

import { ERROR_CODE, FAILURE_PHRASES, FAILURE_WORDS, SYMPTOMS } from "./failure-words.ts";
import { startsWithException } from "./traces.ts";

/** Characters of a line that its patterns read. */
const MAX_READ_LENGTH = 800;
const MAX_SHORT_READ_LENGTH = 240;
const ROOT_BONUS = 0.18;
/** The most that a probe gets that says why it failed. */
const PROBE_WEIGHT = 0.76;

/** The level in front of a message. In lower case it counts only where a level stands, not within a sentence. */
const LEVEL =
  /(?:^|[\s[|<("':=])(FATAL|CRITICAL|CRIT|PANIC|EMERG|ALERT|SEVERE|ERROR|ERR|WARNING|WARN|WRN|INFO|INF|NOTICE|LOG|DEBUG|DBG|TRACE)(?=$|[\])>|"':,\s;/])|(?:[[=<"|]|^)(fatal|critical|crit|panic|emerg|alert|severe|error|err|warning|warn|info|notice|debug|trace)(?=$|[\])>|"':,\s;])(?! (?:rate|ratio|budget|count)s?\b)|[[<](Fatal|Critical|Severe|Error|Warning|Warn|Information|Info|Notice|Debug|Trace)[\]>]|^([EWIFD])(?:\d{4,6} |\/[\w.$-]{1,80} ?\( {0,6}\d{1,7}\): )/;
/** Characters in front of a message. */
const LEVEL_SCAN_LENGTH = 160;

interface Level {
  /** The least weight of a line of this level. */
  readonly floor: number;
  readonly add: number;
  /** Share of the weight that words and phrases keep. */
  readonly words: number;
  readonly phrases: number;
}

const LEVELS: readonly (readonly [names: RegExp, level: Level])[] = [
  [/^(?:FATAL|CRIT|PANIC|EMERG|ALERT|SEVERE|F$)/i, { floor: 0.72, add: 0.14, words: 1, phrases: 1 }],
  [/^E/i, { floor: 0.5, add: 0.1, words: 1, phrases: 1 }],
  [/^W/i, { floor: 0.29, add: 0.02, words: 0.87, phrases: 0.92 }],
  [/^LOG/i, { floor: 0, add: 0, words: 0.8, phrases: 1 }],
  [/^(?:I|NOTICE)/i, { floor: 0, add: 0, words: 0.5, phrases: 0.85 }],
  [/^(?:D|TRACE)/i, { floor: 0, add: 0, words: 0.4, phrases: 0.7 }],
];

/** The line by which a build names what failed in a step. */
const FAILED_STEP = /^(?:##\[error\]|::error\b|##vso\[task\.logissue type=error)/;
const STEP_LEVEL: Level = { floor: 0.68, add: 0.14, words: 1, phrases: 1 };

/** Files, paths, options and addresses: their names say nothing of what happened. */
const FILE_OR_OPTION =
  /(?<=[\s"'`=(]|^)(?:https?:\/\/[\w.:[\]-]{1,255})?\/[\w.%?&=~+/-]{1,400}|\b[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,200}|(?<![\w./\\@+-])[\w./\\@+-]{1,200}\.(?:py|[cm]?[jt]sx?|rb|go|rs|java|kt|php|ps1|sh|exs?|cs|cpp|md|html?|ya?ml|json|log|conf|cfg|ini|pem|crt)\b|(?<![\w-])--?[A-Za-z][\w-]{1,60}(?=[=\s]|$)|\b[a-z]+_[a-z_]{1,60}\.[a-z_]{1,60}(?=:\s)/g;
/** "0 connections lost": nothing was. */
const NONE_COUNTED = /(?:^|\s- )0 {1,8}[A-Za-z][A-Za-z ]{0,60}/g;
/** A part of a program that works: "error reporter ready". */
const GOOD_END = /\b(?:ready|initiali[sz]ed|enabled|loaded|registered|started)\.?$/i;
const NO_GOOD_END = /\bnot\b|n't|never|fail|unable|cannot/i;
const GOOD_END_SHARE = 0.5;
const READING = /^[\w-]{0,60}(?:\{[^}]{0,100}\})?["']?[ :=]{1,3}["']?(?:[1-9]|NULL\b)/;
/** A word from this weight on says the same within a name: "oom-killer". */
const PLAIN_WEIGHT = 0.8;
/** Share of the weight that a lighter word keeps within a name. */
const NAME_SHARE = 0.5;
const GOOD_MARK = /^[✓✔√✅] /;
const BAD_MARK = /^(?:[✕✖✗✘❌] |● .{1,200} › |\w{1,80}_test\.go:\d{1,6}: )/;
const BAD_MARK_WEIGHT = 0.74;
/** How a command says that it failed, in Terraform's box behind a bar. Warnings and details stand around it. */
const VERDICT = /^(?:│ )?Error: (?=\S)/;
const VERDICT_BONUS = 0.2;
const EXCEPTION_BONUS = 0.08;
/** An exception with a common word, such as "exited", says more than the line that a process terminates. */
const EXCEPTION_FLOOR = 0.62;

/** The heading of a step, a program's word that something is tuned or logged in another way, the bare level of a record, and the links of an alert. */
const NOTICE =
  /^(?:[A-Z ]{4,40} \[.{1,200}\] \*{3,}$|.{0,60}perf: interrupt took too long|.{0,60}WARNING Memory overcommit must be enabled!|(?:Level|LevelDisplayName|Severity|EntryType)\s*:\s*\w+$|(?:link|silence|dashboard|panel|runbook): https?:\/\/\S+$)/;
const NULL_VALUE =
  /^[-\s"']{0,20}[\w .\-/[\]]{1,60}["']?\s{0,40}(?::|=|\s{2}|\s\|)\s{0,40}["']?(?:null|nil|none|None|<none>|<nil>|<unset>|\(none\)|0|0%|0\.0+|\[\]|\{\}|ok|OK|n\/a|N\/A|no|No|Never|Always|-|)["']?[,;]?$/;
/** A limit of time or attempts, as it is configured. */
const SETTING =
  /^(?![^:=]*(?:behind|lag|elapsed|error|fail|exceeded|duration|latency|expired))[-\s"']{0,20}[\w.-]{0,80}(?:timeout|retr(?:y|ies)|limit|threshold|backoff|policy|seconds|delay|interval|grace|attempts|expir\w{0,8}|ttl|maxunavailable|max_unavailable)[\w.-]{0,80}["']?\s{0,40}[:=]\s{0,40}["']?[\w%.]{1,24}["']?,?$/i;
const PROBE_SETTING =
  /^-{1,2}[A-Za-z][\w-]{0,60}(?:, --[\w-]{1,60})?(?: \w{1,30})?\s{2,40}\S|^RollingUpdateStrategy|^\(Total limits may be over 100 percent/;
const CLEAN_EXIT =
  /\b(?:exit(?:ed|ing)?|code|status|rc|returned?|result)[^.]{0,24}?[ :=]["']?(?:0|0\/SUCCESS)\b(?![.\d])/i;
const CONDITION = /^"?([A-Z][A-Za-z]+)"?\s+(True|False|Unknown)(\s.*)?$/;
/** Conditions that are bad when they are true. */
const BAD_CONDITION =
  /Pressure|Unavailable|Failure|Failed|Degraded|Error|Stalled|Problem|Corrupt|Deadlock|Readonly|Frequent/;
const EVENT = /^(?:\S{1,253}\s+){0,3}?(Warning|Normal)\s+([A-Z][A-Za-z]{2,40})\s/;
const REASON =
  /^(?:"?reason"?|last state|state|status|phase|"?containerstatus(?:es)?"?)"?\s*:\s+"?([A-Z][A-Za-z]{3,50})"?,?$/i;

const NEGATIONS = new Set([
  "no",
  "not",
  "without",
  "zero",
  "0",
  "never",
  "any",
  "non",
  "nor",
  "neither",
  "avoid",
  "avoids",
  "prevent",
  "prevents",
  "avoided",
  "nothing",
  "none",
]);
/** Words between a negation and the word that it negates. */
const BETWEEN = new Set([
  "is",
  "are",
  "was",
  "were",
  "new",
  "more",
  "further",
  "recent",
  "other",
  "fatal",
  "critical",
  "any",
  "known",
  "active",
  "single",
  "such",
  "been",
  "be",
  "have",
  "of",
  "failed",
  "error",
  "errors",
  "or",
  "connection",
  "current",
  "pending",
  "open",
]);
const AFTER_IS_NULL =
  /^["'\])]*\s*[:=]\s*["']?(?:null|nil|none|false|0|no(?! [a-z])|\[\]|\{\}|<nil>|<none>|"")(?![\w.%])/i;
/** "no known data errors"; not "no route to host errors". */
const COUNTED = /(?:errors|failures|faults|alarms|warnings|timeouts|crashes|exceptions|conflicts)$/i;
const NO_SUCH = /\b(?:no|zero|without)(?: (?!(?:to|for|of|in|on|with|left) )[a-z]{1,20}){1,3} $/i;
/** "Alarms: no active alarms". */
const AFTER_IS_NONE = /^["']?[:=] ?no(?: [a-z]{1,20}){1,3}/i;
/** "lag 0", "throttled periods 0", "failed 0 of 20", "errors_total{pool="a"} 0". */
const AFTER_IS_ZERO = /^(?:[_ ][a-z]{1,20}){0,2}(?:\{[^}]{0,40}\})?[ :=]{1,3}0(?:\.0+)?(?: ?%| ?m?s)?(?![\w.%/:-])/;
/** "partition 7" is one of several. */
const NUMBERED = /^partitions?$/i;
const FAILURE_OF_NAME =
  /^(?: (?:rate|ratio)s?["']?[ :=]{1,40}0(?:\.0\d{0,4})?(?![\w.])| (?:handlers?|pages?|codes?|budgets?|handling|reporting|tracking|counters?|policy|policies|detection)\b)/i;

/** Variables of an environment, and the state above its reason. */
const NAME_AND_VALUE = /^(?:-\s)?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\s*[:=]\s*\S{0,40}$|^(?:Last )?State:\s+\w+$/;

/** A failure that is counted and did not happen, or an error that is empty. */
export function isZeroFailure(text: string): boolean {
  return text.length < 120 && NULL_VALUE.test(text) && weighWordsOfKey(text) > 0;
}

function weighWordsOfKey(text: string): number {
  const words = text.split(/[^A-Za-z]+/).filter((word) => word !== "");
  return Math.max(0, ...words.map(wordWeight));
}

export interface LineWeight {
  readonly weight: number;
  /** A consequence that many failures have. */
  readonly isSymptom: boolean;
}

export const NO_WEIGHT: LineWeight = { weight: 0, isSymptom: false };

/** @param isRoot whether it is the exception at the end of a stack trace */
export function weighLine(line: string, isRoot = false): LineWeight {
  const text = line.slice(0, MAX_READ_LENGTH);
  if (isBoilerplate(text)) return NO_WEIGHT;
  const condition = CONDITION.exec(text);
  if (condition) return weighCondition(condition, text);
  const event = EVENT.exec(text);
  const words = weighWords(text);
  const level = event ? undefined : levelOf(text);
  const phrase = heaviestPhrase(text) * (level?.phrases ?? 1);
  const heaviest = words.heaviest * (level?.words ?? 1);
  const marked = BAD_MARK.test(text) ? BAD_MARK_WEIGHT : 0;
  const base = Math.max(heaviest, phrase, ERROR_CODE.test(text) ? 0.66 : 0, reasonWeight(text), marked);
  const symptom = SYMPTOMS.find(({ pattern }) => pattern.test(text));
  let weight = base === 0 ? 0 : base + Math.min(0.12, words.others * 0.03);
  if (event) weight = weighEvent(event[1] === "Warning", weight);
  else if (level && (base > 0 || level.floor > 0)) weight = Math.max(weight, level.floor) + level.add;
  if (isRoot) weight = Math.max(weight, 0.6) + ROOT_BONUS;
  else if (weight > 0 && startsWithException(text)) weight = Math.max(weight, EXCEPTION_FLOOR) + EXCEPTION_BONUS;
  if (weight === 0) return NO_WEIGHT;
  weight += specificity(text) + verdictBonus(text);
  if (symptom && !isRoot && !hasOtherCause(text, base, symptom.weight))
    return { weight: Math.min(weight, symptom.weight), isSymptom: true };
  return { weight: Math.min(weight, symptom && !isRoot ? PROBE_WEIGHT : 1), isSymptom: false };
}

function verdictBonus(text: string): number {
  const start = VERDICT.exec(text)?.[0];
  return start !== undefined && meansFailure(text.slice(start.length)) ? VERDICT_BONUS : 0;
}

/** A probe that failed, or a job that ended, for a reason that the line names. */
function hasOtherCause(text: string, base: number, symptom: number): boolean {
  return symptom >= 0.4 && base >= 0.7 && !/is deprecated|for (?:more|details)/.test(text);
}

/** A cheaper test than the weight: whether a word or a phrase of the line means a failure. */
export function meansFailure(line: string): boolean {
  const text = line.slice(0, MAX_SHORT_READ_LENGTH);
  return !isBoilerplate(text) && (weighWords(text).heaviest > 0 || heaviestPhrase(text) > 0);
}

export function isBoilerplate(text: string): boolean {
  if (GOOD_MARK.test(text) || NOTICE.test(text)) return true;
  if (PROBE_SETTING.test(text) || NULL_VALUE.test(text) || SETTING.test(text)) return true;
  if (NAME_AND_VALUE.test(text)) return true;
  return CLEAN_EXIT.test(text) && heaviestPhrase(text) < 0.6;
}

function weighCondition([, name = "", status, rest]: RegExpExecArray, text: string): LineWeight {
  const isBad = BAD_CONDITION.test(name) ? status !== "False" : status !== "True";
  if (!isBad) return NO_WEIGHT;
  if (rest === undefined || rest.trim() === "")
    return { weight: BAD_CONDITION.test(name) ? 0.6 : 0.3, isSymptom: true };
  return { weight: Math.min(0.9, Math.max(0.62, heaviestPhrase(text)) + 0.05), isSymptom: false };
}

function weighEvent(isWarning: boolean, weight: number): number {
  return isWarning ? Math.max(0.58, weight) + 0.06 : Math.min(weight * 0.7, 0.5);
}

function levelOf(text: string): Level | undefined {
  if (FAILED_STEP.test(text)) return STEP_LEVEL;
  const match = LEVEL.exec(text.slice(0, LEVEL_SCAN_LENGTH));
  const name = match?.slice(1).find((group) => group !== undefined);
  return name === undefined ? undefined : LEVELS.find(([names]) => names.test(name))?.[1];
}

/** A reason written as one word. */
function reasonWeight(text: string): number {
  const reason = REASON.exec(text)?.[1];
  if (reason === undefined) return 0;
  return /OOM|Fail|Err|Invalid|Evict|Unsched|NotReady|Cannot|Unhealthy|Degraded|Missing|OutOfSync|Timeout|Denied|Exceeded|Mismatch|Deadline/.test(
    reason,
  )
    ? 0.66
    : 0;
}

function heaviestPhrase(text: string): number {
  let heaviest = 0;
  for (const { pattern, weight } of FAILURE_PHRASES) {
    if (weight > heaviest && pattern.test(text)) heaviest = weight;
  }
  return heaviest;
}

/** The heaviest word that no negation takes away, and the number of other heavy words. */
function weighWords(line: string): { readonly heaviest: number; readonly others: number } {
  const text = line.replace(FILE_OR_OPTION, " ").replace(NONE_COUNTED, " ");
  let heaviest = 0;
  let others = -1;
  const before: string[] = [];
  for (const match of text.matchAll(/[A-Za-z]+(?:'t)?|\d+|[.;!?](?=\s)/g)) {
    const word = match[0];
    const end = match.index + word.length;
    const plain = wordWeight(word);
    const weight =
      plain < PLAIN_WEIGHT && plain > 0 && isPartOfName(text, match.index, end) ? plain * NAME_SHARE : plain;
    if (weight > 0 && !isNegated(before) && !isNulled(text, end, word)) {
      heaviest = Math.max(heaviest, weight);
      if (weight >= 0.45) others += 1;
    }
    before.push(word.toLowerCase());
  }
  const isGood = heaviest > 0 && GOOD_END.test(line) && !NO_GOOD_END.test(line);
  return { heaviest: isGood ? heaviest * GOOD_END_SHARE : heaviest, others: Math.max(0, others) };
}

/** "failed-import-1", "payment-failed", and no reading: "throttled_total{pod="a"} 512". */
function isPartOfName(text: string, start: number, end: number): boolean {
  const rest = text.slice(end, end + 160);
  const isJoined = /[a-z][-_]$/.test(text.slice(Math.max(0, start - 2), start)) || /^[-_][a-z0-9]/.test(rest);
  return isJoined && !READING.test(rest);
}

function wordWeight(word: string): number {
  const whole = FAILURE_WORDS.get(word.toLowerCase()) ?? 0;
  if (whole > 0 || !/[a-z][A-Z]|[A-Z]{2}[a-z]/.test(word)) return whole;
  const parts = word.replace(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ").split(" ");
  return Math.max(
    0,
    ...parts.filter((part) => !NUMBERED.test(part)).map((part) => FAILURE_WORDS.get(part.toLowerCase()) ?? 0),
  );
}

function isNegated(before: readonly string[]): boolean {
  for (let back = 1; back <= 3; back++) {
    const word = before[before.length - back] ?? "";
    if (NEGATIONS.has(word) || word.endsWith("n't")) return true;
    if (!BETWEEN.has(word)) return false;
  }
  return false;
}

function isNulled(text: string, end: number, word: string): boolean {
  const rest = text.slice(end, end + 48);
  const none = AFTER_IS_NONE.exec(rest)?.[0].toLowerCase() ?? "";
  if (none.endsWith(` ${word.toLowerCase()}`)) return true;
  if (COUNTED.test(word) && NO_SUCH.test(text.slice(Math.max(0, end - word.length - 60), end - word.length)))
    return true;
  if (AFTER_IS_ZERO.test(rest) || (NUMBERED.test(word) && /^ \d/.test(rest))) return true;
  return AFTER_IS_NULL.test(rest) || FAILURE_OF_NAME.test(rest);
}

/** Names, paths, addresses and codes make a line a better lead. */
function specificity(text: string): number {
  let bonus = 0;
  if (/["'`][^"'`]{2,120}["'`]/.test(text)) bonus += 0.03;
  if (/[\w-]\.[\w-]+\.[\w-]|:\d{2,5}\b|\/[\w.-]+\/[\w.-]/.test(text)) bonus += 0.02;
  return bonus;
}
