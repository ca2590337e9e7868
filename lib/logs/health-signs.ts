// What the structure of one line says about the health of a system: a field, a verdict of a check, a count or a table cell.
// A sentence says nothing here: "reconnected" and "all is well" may stand beside work that has stopped.

import { isSentence } from "./free-text.ts";
import { readMeasuredValues } from "./values-at-limits.ts";

/**
 * `works`: a result, such as a passed check, a value within its limit or no failures in a count. `runs`: a state that a
 * process has, whether it does its work or not. `bad`: a part that fails.
 */
export type Sign = "works" | "runs" | "bad";

const MAX_READ_LENGTH = 400;

const GOOD_VALUE =
  "ok|up|healthy|green|pass|passed|passing|success|successful|succeeded|synced|deployed|operational|good|in sync|clean|l7ok|optimal|serving|running|ready|active|available|online|complete|completed|finished|bound|connected|established|streaming|yes|started|true";
const BAD_VALUE =
  "down|failed|failing|fail|unhealthy|red|yellow|critical|error|degraded|firing|alerting|outofsync|out of sync|unavailable|offline|stopped|broken|lost|missing|no";
const FIELD =
  "(?:status|state|health|phase|result|verdict|outcome|conclusion|condition|running|healthy|ready|available|connected|active)";
const SEPARATOR = String.raw`["']?\s?[:=]\s{0,20}["']?`;
const END = String.raw`(?![\w-])`;

/** Names of a state that is wanted, or of a former one. */
const OTHER_STATE = String.raw`(?<!\b(?:expected|desired|wanted|last|previous|former|target)[ _])`;

const GOOD_FIELD = new RegExp(String.raw`(?:\b|_)${OTHER_STATE}${FIELD}${SEPARATOR}(?:${GOOD_VALUE})${END}`, "i");
const BAD_FIELD = new RegExp(String.raw`(?:\b|_)${FIELD}${SEPARATOR}(?:${BAD_VALUE})${END}`, "i");
/** An alert that does not fire. */
const CALM_ALERT = new RegExp(String.raw`(?:\b|_)(?:state|status)${SEPARATOR}(?:normal|inactive|resolved)${END}`, "i");
const EXIT_CODE = /\bexit(?:ed)?(?: with)?(?: |_)?(?:code|status)[ :=]{1,3}0\b(?![.\d])|\bstatus=0\/SUCCESS\b/i;

/** A verdict in front of a line, after the name of a check, or in its last column. */
const GOOD_VERDICT =
  /^(?:\[ *(?:ok|pass(?:ed)?|success) *\]|(?:-{3} )?(?:ok|pass(?:ed)?|success|✓|✔|✅)(?=[\s:-]))|^[A-Z][\w /-]{1,30} OK(?: -|:|$)|(?:[:|,"] ?| {2}|\t|\.{3} ?)(?:pass|passed|ok|healthy|succeeded|success|done|✓|✔)[.!"]?$/i;
const BAD_VERDICT =
  /^(?:\[ *(?:fail(?:ed)?|critical|error) *\]|(?:fail(?:ed)?|critical|✗|✘|❌)(?=[\s:-]))|^[A-Z][\w /-]{1,30} (?:CRITICAL|DOWN)(?: -|:|$)|(?<!\b(?:0|no|not))[\s:|](?:fail|failed|critical|(?<!(?:shutting|shut|scal\w{1,3}|going|coming|slow\w*|cool\w*|count\w*) )down|above(?: \w+)?|breach(?:ed)?|✗|✘)[.!]?$/i;

/** "3/3 healthy", "41,220 of 41,220 rows", "5/5 checks ok". */
const RATIO = /(?<![\d./:,-])(\d[\d,]{0,14})(?: ?\/ ?| of | out of )(\d[\d,]{0,14})(?![\d./:-])((?: [\w-]+){0,3})/g;
const RATIO_WORD =
  /\b(?:ready|healthy|pass|passed|passing|ok|up|available|online|running|succeeded|successful|acknowledged|sync|synced|complete|completed|connected|checks|alive|responding|answering|active|done|settled|delivered|imported)\b/i;
const PASSED_ONLY =
  /\b(?:pass(?:ed|ing)|ok):? [1-9]\d*(?: checks?)?,? (?:fail(?:ed|ing)?|failures?|errors?)[:=]? 0\b|\b[1-9]\d* (?:passed|passing|ok|succeeded), 0 \w+/i;
const COUNTED_OF_TOTAL = /\b(\d{1,7}) (?:passed|succeeded|ok|completed), (?:\d+ \w+, )?(\d{1,7}) total\b/i;

const FAILURE_NOUN =
  "errors?|failures?|failed|failing|fail|faults?|rejected|rejections?|dropped|drops|lost|loss|missing|unhealthy|critical|warnings?|alarms?|timeouts?|unacked|unassigned|corrupt(?:ed)?|conflicts?|mismatch(?:es)?|violations?|deadlocks?|kills|crashes|unavailable|under-replicated|offline|late|overdue|stuck|down|5xx|nacked|undelivered|skipped";
const LAG_NOUN = "lag|behind|backlog|pending|remaining|waiting|restarts?|retries|depth|queued|throttled(?: periods)?";
const NO_FAILURES = new RegExp(
  String.raw`(?<![\d./:,])\b0(?:\.0{1,4})?(?: ?%)? (?:\w+ )?(?:${FAILURE_NOUN}|${LAG_NOUN})\b`,
  "i",
);
const FAILURES_ARE_ZERO = new RegExp(
  String.raw`(?:\b|_)(?:${FAILURE_NOUN}|${LAG_NOUN})(?:[_ ](?:count|total|rate|ratio|shards|connections|periods|by|seconds|replies|master|source|calls|s|ms))*(?:\{[^}]{0,80}\})?["']?[ ,]?\s{0,20}[:=|]?\s{0,20}["']?0(?:\.0{1,4})?(?![\w./:-])|\b(?:error|failure|fault|5xx) (?:rate|ratio)[ :=]{1,40}0(?:\.0\d{0,4})?(?![\w./:-])`,
  "i",
);
const SOME_FAILURES = new RegExp(
  String.raw`(?<![\d./:,#=-])\b(?!0)\d(?:[\d,]{0,9}\d)? (?:${FAILURE_NOUN})\b(?![=:]| (?:of 0|deliver|handler|page|code|budget|log|rate))`,
  "i",
);
const ANSWERED = /\bHTTP\/[\d.]+"? 20[0-9]\b|"? 20[0-6] (?:OK\b|\d+\b)|\bNOERROR\b/;

/** A cell of a table. */
const GOOD_CELL =
  /[,|]\s{0,20}(?:up|ok|online|healthy|streaming|in sync|synced|running|ready|passed)\s{0,40}(?:[,|]|$)/i;
const BAD_CELL = /[,|]\s{0,20}(?:down|failed|critical|offline|unhealthy|error|degraded)\s{0,40}(?:[,|]|$)/i;
/** The state of a container in a listing: "Up 3 days (healthy)". */
const CONTAINER = /(?:^|\s{2})Up (?:\d+|About|Less)[a-z\d ]{1,30}(?:\(healthy\))?(?:\s{2}|$)/;
const CONDITION = /^(?:Ready|Available|Initialized|ContainersReady):?\s+True\b/;
/** Something that should have members has none. */
const EMPTY_MEMBERS =
  /^(?:endpoints|addresses|address|backends|members|ready addresses|subsets):?\s*(?:<none>|none|\[\]|null)?$/i;

const NONE = /^\(?none\)?$/i;
const EVENT = /\b(?:Warning|Normal)\s+[A-Z][A-Za-z]{2,40}\s/;
const LIST = /: ?((?:[\w-]{1,20},){1,12}[\w-]{1,20})(?=\s|$)/g;

const WORKS = [CALM_ALERT, EXIT_CODE, GOOD_VERDICT, PASSED_ONLY, NO_FAILURES, FAILURES_ARE_ZERO, ANSWERED, NONE];
const RUNS = [GOOD_FIELD, GOOD_CELL, CONTAINER, CONDITION];
const BAD = [BAD_FIELD, BAD_VERDICT, BAD_CELL, SOME_FAILURES, EMPTY_MEMBERS];

/** What the structure of a line says about health; null if nothing. Events say what happened, not what is. */
export function readSign(line: string): Sign | null {
  const text = line.slice(0, MAX_READ_LENGTH);
  const lists = compareLists(text);
  if (lists === "equal") return "works";
  const values = [readMeasuredValues(text), readRatios(text)];
  const isEvent = EVENT.test(text);
  if (values.includes("bad") || lists === "short" || matches(BAD, text)) return isEvent ? null : "bad";
  if (isEvent || isSentence(text)) return null;
  if (values.includes("good") || matches(WORKS, text)) return "works";
  return matches(RUNS, text) ? "runs" : null;
}

function matches(patterns: readonly RegExp[], text: string): boolean {
  return patterns.some((pattern) => pattern.test(text));
}

/** Whether a line states a good result, so that failure words in it belong to a name: "PASS tests/error-page". */
export function isGoodVerdict(line: string): boolean {
  const text = line.slice(0, MAX_READ_LENGTH).replace(/\([^)]{0,200}\)/g, "");
  return GOOD_VERDICT.test(text) && !SENTENCE_OF_FAILURE.test(text) && readSign(text) === "works";
}

/** Values of fields that name something. */
const NAME_VALUE = /["']?\b(?:name|alertname|alert|rule|title|check|test|job)\b["']?\s?[:=]\s?["']?[\w.-]+["']?/gi;

/** A line that states a good result, without the names of what was checked; null for other lines. */
export function withoutCheckNames(line: string): string | null {
  const text = line.slice(0, MAX_READ_LENGTH);
  const rest = text.replace(NAME_VALUE, "");
  const sign = rest === text ? null : readSign(text);
  return sign === "works" || sign === "runs" ? rest : null;
}

const SENTENCE_OF_FAILURE =
  /\b(?:fail(?:ed|s|ing)?|refused|denied|unable|cannot|timed out|exception|critical|fatal)\b/i;

function readRatios(text: string): "good" | "bad" | null {
  const total = COUNTED_OF_TOTAL.exec(text);
  if (total) return total[1] === total[2] ? "good" : "bad";
  let isGood = false;
  for (const [, part = "", whole = "", words = ""] of text.matchAll(RATIO)) {
    const [count, all] = [part, whole].map((digits) => Number(digits.replaceAll(",", "")));
    if (count === undefined || all === undefined || all === 0 || count > all) continue;
    if (!RATIO_WORD.test(words) && !(count === all && RATIO_WORD.test(text))) continue;
    if (count < all) return "bad";
    isGood = true;
  }
  return isGood ? "good" : null;
}

/** The members that should be there and those that are: "Replicas: 1,2,3 Isr: 1,2"; null without two lists. */
export function compareLists(line: string): "equal" | "short" | null {
  const lists = [...line.slice(0, MAX_READ_LENGTH).matchAll(LIST)].map(([, list = ""]) => new Set(list.split(",")));
  const [wanted, present] = lists;
  if (!wanted || !present || lists.length > 2 || ![...present].every((member) => wanted.has(member))) return null;
  return present.size === wanted.size ? "equal" : "short";
}
