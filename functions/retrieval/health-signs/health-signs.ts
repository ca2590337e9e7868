// What one line says about the health of a system: a working part, a failing part, or nothing.

import { readMeasuredValues } from "./measured-values.ts";

/**
 * `good`: a statement that something works, such as a passed check. `fair`: a sign that a working system has, such as a
 * running process; a failing one may have it, too. `zero`: no failures in a count. `bad`: a part that fails.
 */
export type Sign = "good" | "fair" | "zero" | "bad";

const MAX_READ_LENGTH = 400;

const GOOD_VALUE =
  "ok|up|healthy|green|pass|passed|passing|success|successful|succeeded|normal|synced|deployed|operational|good|fine|nominal|in sync|clean|l7ok|optimal|serving";
const BAD_VALUE =
  "down|failed|failing|fail|unhealthy|red|yellow|critical|error|degraded|firing|alerting|outofsync|out of sync|unavailable|offline|stopped|broken|lost|missing|no";
/** Words that running processes have, whether they serve or not. */
const FAIR_VALUE =
  "running|ready|active|available|online|complete|completed|finished|bound|connected|established|streaming|yes|started";
const FIELD =
  "(?:status|state|health|phase|result|verdict|outcome|conclusion|condition|running|healthy|ready|available|connected)";
const SEPARATOR = String.raw`["']?\s?(?:[:=]|\bis\b|\bare\b|\blooks\b)\s{0,20}["']?(?:all |fully )?`;
const END = String.raw`(?![\w-])`;

const GOOD_FIELD = new RegExp(String.raw`(?:\b|_)${FIELD}${SEPARATOR}(?:${GOOD_VALUE}|true)${END}`, "i");
const FAIR_FIELD = new RegExp(String.raw`(?:\b|_)${FIELD}${SEPARATOR}(?:${FAIR_VALUE})${END}`, "i");
const BAD_FIELD = new RegExp(String.raw`(?:\b|_)${FIELD}["']?\s?[:=]\s{0,20}["']?(?:${BAD_VALUE})${END}`, "i");

/** A verdict in front of a line, after the name of a check, or at its end. */
const GOOD_VERDICT =
  /^(?:\[ *(?:ok|pass(?:ed)?|success) *\]|(?:ok|pass(?:ed)?|success|✓|✔|✅)(?=[\s:-]))|^[A-Z][\w /-]{1,30} OK(?: -|:|$)|[\s:|,"](?:pass|passed|ok|healthy|succeeded|success|done|✓|✔)[.!"]?$/i;
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

/** No problem of a kind: "no issues found", "without errors". */
const NO_PROBLEM =
  /\b(?:no|zero|without(?: any)?|not any) (?:[a-z]+ ){0,2}(?:issues?|errors?|problems?|alarms?|alerts?|anomal(?:y|ies)|failures?|incidents?|warnings?|violations?|findings|differences|lag|loss|corruption|drift|degradation|conflicts?|deadlocks?|delays?|outages?|pressure|failed \w+|unhealthy \w+)\b(?! (?:handler|message|code|log|page|budget))|\bnothing (?:is |was |looks )?(?:failing|wrong|failed|unusual|to report|firing|broken|odd|abnormal|out of the ordinary)\b/i;
/** A whole system that works. */
const WORKS =
  /\ball (?:[\w-]+ ){0,4}(?:are |is |were |have |has )?(?:operational|healthy|normal|ready|passing|passed|up|green|ok|running|responding normally|available|in sync|synced|good|well|fine|complete[d]?|succeeded)\b|\beverything (?:is |looks )?(?:fully )?(?:operational|healthy|normal|fine|green|ok|passing|nominal|good|as expected)\b|\b(?:system|service|cluster|state|status|health|overall|gateway|node|replication)s?["']? (?:is |are |looks? |state |status |health |remains? )*(?:fully |all )?(?:operational|healthy|normal|fine|green|ok|passing|nominal)\b|\b(?:health ?)?checks? (?:all |have |has |is |are |was |were )*(?:pass(?:ed|ing|es)?|ok|succeeded|successful|green)\b|\bwithin (?:its |the |their |normal |expected |allowed |usual )*(?:limits?|range|parameters|bounds|slo|target|budget|thresholds?)\b|\b(?:is|are|reports?|looks?) (?:fully |all |still )?(?:healthy|operational|fine|normal)\b|\b(?:operat|function|work|runn|behav|respond)ing (?:normally|as expected|fine|correctly)\b|\bas (?:usual|expected)$|\bfully booted and running\b|\bserving (?:client )?(?:requests|traffic)\b/i;
/** Work that ended well. A routine step such as "Successfully assigned" says nothing about the rest. */
const DONE =
  /successfully rolled out|\b(?:complet|finish|end|exit|conclud|terminat)\w{1,4}:? (?:\w+ )?(?:successfully|ok|without (?:error|problem|issue)s?)\b|\bsucce(?:eded|ssfully (?!(?:assigned|pulled|attached|mounted|created|scheduled|registered)\b)\w+ed)\b|\b(?:exit|return)(?:ed)?(?: with)?(?: |_)?(?:code|status|value)?[ :=]{1,3}0(?:\b(?![.\d])|\/success)|\b(?:build|deploy(?:ment)?|job|run|backup|test|import|export|sync) (?:succeeded|passed|completed|complete)\b|\bjob completed\b|\bverif\w+:? ok\b|\b(?:syntax|test) is (?:ok|successful)\b|\bis (?:still )?valid (?:for|until)\b/i;
const FAIR_WORDS =
  /\bactive \(running\)|\b0 loaded units|\b(?:nodeready|pong|accepting connections|is alive|no changes\.|connection established|in sync|sync_state)\b|\bload average: 0\.|\bHTTP\/[\d.]+"? 20[0-9]\b|"? 20[0-6] (?:OK\b|\d+\b)|\bcomplete +\d+\/\d+|\b(?:is|are|now) (?:up to date|available|reachable|synchroni[sz]ed|answering|up)\b|\bNOERROR\b|\b(?:re)?connected to \S|\bready to accept\b|\(healthy\)|^(?:active|running|200)$|\bcluster_state:ok|\bcircuit\b.{0,60}\bclosed$|\bneighbo[u]?r \S+ up\b|\blink is up\b|\belected\b|\banswering in\b|\bReady:? +True\b|\bAvailable +True\b/i;
/** A cell of a table. */
const FAIR_CELL =
  /[,|]\s{0,20}(?:up|ok|online|healthy|streaming|in sync|synced|running|ready|passed)\s{0,40}(?:[,|]|$)/i;
const BAD_CELL = /[,|]\s{0,20}(?:down|failed|critical|offline|unhealthy|error|degraded)\s{0,40}(?:[,|]|$)/i;
/** An alert that does not fire. */
const CALM_ALERT = /"?state"?[:=] ?"?inactive"?/i;
const CALM_CONTEXT = /\b(?:alert|rule|health"?[:=] ?"?ok)/i;
/** Something that should have members has none. */
const EMPTY_MEMBERS =
  /^(?:endpoints|addresses|address|backends|members|ready addresses|subsets):?\s*(?:<none>|none|\[\]|null)?$/i;

const NONE = /^\(?none\)?$/i;
const EVENT = /\b(?:Warning|Normal)\s+[A-Z][A-Za-z]{2,40}\s/;
const LIST = /: ?((?:[\w-]{1,20},){1,12}[\w-]{1,20})(?=\s|$)/g;

/** Words that take away what a line states: a wish, a condition, a denial or an exception. */
const TAKEN_BACK =
  /\b(?:not|isn't|aren't|never|until|wait\w*|before|expected (?!range|limits)|should|when|if|unless|once|must|required|only|but|except|however|although|while|will|would|cannot|can't|could|wrong|no longer|fail(?:s|ed)? to|stale|ignoring|assuming|last known)\b/i;

/** A timed line is one of many that a program writes: the result of one piece of work is no statement on the system. */
const ROUTINE = /^.{0,60}\b\d{2}:\d{2}:\d{2}\b/;
const STATEMENTS = [NO_PROBLEM, WORKS, PASSED_ONLY];
const RESULTS = [GOOD_FIELD, GOOD_VERDICT, DONE];

/** What a line says about health; null if nothing. */
export function readSign(line: string): Sign | null {
  const text = line.slice(0, MAX_READ_LENGTH);
  const measured = readMeasuredValues(text);
  const ratio = readRatios(text);
  const lists = compareLists(text);
  if (lists === "equal") return "good";
  if (measured === "bad" || ratio === "bad" || lists === "short" || isBad(text)) return EVENT.test(text) ? null : "bad";
  if (TAKEN_BACK.test(text)) return null;
  const patterns = ROUTINE.test(text) || EVENT.test(text) ? STATEMENTS : [...STATEMENTS, ...RESULTS];
  if (
    patterns.some((pattern) => pattern.test(text)) ||
    ratio === "good" ||
    (CALM_ALERT.test(text) && CALM_CONTEXT.test(text))
  )
    return "good";
  if (measured === "good" || [FAIR_FIELD, FAIR_WORDS, FAIR_CELL, ...RESULTS].some((pattern) => pattern.test(text)))
    return "fair";
  return NO_FAILURES.test(text) || FAILURES_ARE_ZERO.test(text) || NONE.test(text) ? "zero" : null;
}

/** Whether a line states a good result, so that failure words in it belong to a name: "PASS tests/error-page". */
export function isGoodVerdict(line: string): boolean {
  const text = line.slice(0, MAX_READ_LENGTH).replace(/\([^)]{0,200}\)/g, "");
  return GOOD_VERDICT.test(text) && !SENTENCE_OF_FAILURE.test(text) && readSign(text) === "good";
}

/** Values of fields that name something. */
const NAME_VALUE = /["']?\b(?:name|alertname|alert|rule|title|check|test|job)\b["']?\s?[:=]\s?["']?[\w.-]+["']?/gi;

/** A line that states a good result, without the names of what was checked; null for other lines. */
export function withoutCheckNames(line: string): string | null {
  const text = line.slice(0, MAX_READ_LENGTH);
  const rest = text.replace(NAME_VALUE, "");
  return rest !== text && readSign(text) === "good" ? rest : null;
}

const SENTENCE_OF_FAILURE =
  /\b(?:fail(?:ed|s|ing)?|refused|denied|unable|cannot|timed out|exception|critical|fatal)\b/i;

function isBad(text: string): boolean {
  return [BAD_FIELD, BAD_VERDICT, BAD_CELL, SOME_FAILURES, EMPTY_MEMBERS].some((pattern) => pattern.test(text));
}

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
