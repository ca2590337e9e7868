// What the headings of a runbook say: the role of a section, which runbooks name in many ways, or the name of a failure. Pure
// functions.

export type SectionRole = "symptoms" | "confirm" | "mitigate" | "causes" | "prevent";

/** Names steps that look and steps that change something: "What do I do?" */
const STEPS =
  /^(?:the )?(?:steps|procedure|instructions|(?:recommended |required )?actions?)$|^what (?:to do|(?:can|do|must|should) (?:i|we|you) do)\b/iu;
/** Names what nobody should do. */
export const FORBIDS = /^(?:please )?(?:do not|don['’]t|never)$/iu;

/**
 * In the larger languages, by their stems. First match wins: "Root cause analysis" is `causes`, although "analysis" alone is
 * `confirm`.
 */
const ROLES: readonly (readonly [SectionRole, RegExp])[] = [
  ["causes", /\bcauses?\b|\bwhy\b|\breasons?\b|\bcomes? from\b|\bursachen?\b|\bursprung|\bcausas?\b|причин|原因/iu],
  ["prevent", /\bprevent|\bavoid|\blong[- ]term\b|\bfollow[- ]?up\b|\bhardening\b|\bvorbeug|\bpr[eé]ven/iu],
  ["prevent", FORBIDS],
  [
    "mitigate",
    /\bmitigat|\bsolutions?\b|\bsolving\b|\bfix|\bremed|\br[eé]sol|\brecover|\bworkaround|\bstop the|\bactions?\b|\bemergency\b|\bbe(?:heb|handl)ung|\blösung|\bsolu(?:ci|ç|zion)|\bmaßnahme|решени|対処|対策|解决|处理/iu,
  ],
  [
    "confirm",
    /\bconfirm|\bdiagn|\bdebug|\bv[eé]rif|\binvestigat|\bcheck|\btroubleshoot|\btriage\b|\banalysis\b|\blook at\b|prüf|диагностик|проверк|診断|確認|诊断|检查/iu,
  ],
  ["mitigate", STEPS],
  [
    "symptoms",
    /\bs[yíi][mn]p?tom|\bmeaning\b|\bimpact\b|\boverview\b|\bdescription\b|\bsummary\b|\bsigns?\b|^problem(?: statement)?$|симптом|症状/iu,
  ],
];

/** Words that say nothing about which failure a heading is about. */
const COMMON = new Set(
  (
    "a an and as at be by can could come comes do does don't for from get how i if in into is it its me never not of on or our out should the their then there this to up us what when where why will with would you your " +
    "der die das und mögliche le la les des et el los las y posibles possibles o e os " +
    "about above additional advanced after alert alert's alerts all analysis answer appendix architecture background basic before below better books case changelog commands common considerations contact contacts context contents current customer dashboards description detailed details detection documentation " +
    "error errors escalate escalation escalations event events example examples expected explanation failure failures fast faq fire fires firing first follow following further general glossary group guide guidance happen happened happens help history immediate impact important incident info information initial instructions introduction issue issues item items known learned lessons likely links list logs long look looks main " +
    "meaning mean means metrics monitoring more most next note notes observed option options other outcome overview owner owners people permanent playbook playbooks possible post potential pre prerequisites pre-requisites problem problems procedure procedures process proposed purpose queries question questions quick quickly reading recommendations recommended reference references related report requirements resources response result results review root " +
    "runbook runbooks scope section see sees severity short side situation skill sources status step steps suggested summary table team technique techniques temporary term timeline tips tldr tools topics types typical understand understanding useful user users usual usually we well went wrong " +
    // Severities of one failure.
    "critical fatal high info low major medium minor p0 p1 p2 p3 p4 p5 page sev0 sev1 sev2 sev3 sev4 severe warning"
  ).split(" "),
);
/** One of several causes or solutions, with its name: "Cause 2: the disk is slow". */
const NUMBERED_ROLE =
  /^(?:possible |likely |root )?(cause|reason|solution|resolution|fix|workaround|mitigation|remedy|option)\s{0,3}(?:#?\d{1,2}|[A-Z])?\s{0,3}(?:[:.–—-]\s{0,3}(?=\S)|$)/iu;
const IS_CAUSE = /cause|reason/i;
/** A step or a definition: a part of what stands around it. */
const PART =
  /^(?:\d+[.)]\s*)?(?:(?:step|option|method|variant|approach)\s+\w+\b|(?:check(?:ing)?|verify(?:ing)?|confirm(?:ing)?|inspect(?:ing)?|review(?:ing)?|collect(?:ing)?)\s|examples?\b|what\s+(?:is|are|does|do)\b|why\s+(?:is|are)\b.*\bimportant\b|more\s+(?:about|on)\b|understand(?:ing)?\b|.{1,60}\s(?:approach|method|option|way)$)/i;
/** A variant of what stands before it: "(Linux)". */
export const VARIANT = /\s{0,3}\([^()]{1,60}\)\s*$/;
/** Says when the steps below it apply, in the words of another section: "1. If the check shows errors". */
const CONDITION = /^(?:\d{1,3}[.)]\s{0,3})?(?:if|when|once)\b/i;
const EDGES = /^[^\p{L}\p{N}]+|[^\p{L}\p{N})]{1,20}$/gu;

/** Returns the role of the innermost heading that has one; undefined when none has. */
export function sectionRole(headingPath: readonly string[]): SectionRole | undefined {
  for (const heading of headingPath.toReversed()) {
    const role = roleOf(heading);
    if (role) return role;
  }
  return undefined;
}

function roleOf(heading: string): SectionRole | undefined {
  if (CONDITION.test(heading)) return undefined;
  const named = NUMBERED_ROLE.exec(heading)?.[1];
  // A question that names its failure has an answer of several roles: "Why is the disk full?"
  const isQuestion = named === undefined && heading.trimEnd().endsWith("?") && ownWords(heading).length > 0;
  const words = (named ?? heading).replace(EDGES, "").replace(isQuestion ? /^(?:why|what)\b/iu : /^$/, "");
  return ROLES.find(([, pattern]) => pattern.test(words))?.[0];
}

/** Whether the role is that of a heading such as "What do I do?", which holds steps of both kinds. */
export function isMixed(headingPath: readonly string[]): boolean {
  const heading = headingPath.findLast((each) => roleOf(each) !== undefined);
  return heading !== undefined && STEPS.test(heading.replace(EDGES, ""));
}

/**
 * The name of a cause that stands in a heading of its own: of "Cause 2: the disk is slow", or of "The disk is slow" under
 * "Causes". Undefined for another section, empty for a cause without a name.
 */
export function causeName(headingPath: readonly string[]): string | undefined {
  const heading = headingPath.at(-1) ?? "";
  if (sectionRole(headingPath) !== "causes") return undefined;
  const [prefix, named] = NUMBERED_ROLE.exec(heading) ?? [];
  if (prefix !== undefined)
    return IS_CAUSE.test(named ?? "") && /\d|:/.test(heading) ? heading.slice(prefix.length).trim() : undefined;
  return roleOf(heading) === undefined && headingKind(heading) === "topic" ? heading : undefined;
}

/**
 * `role`: what a section says about a failure, such as "Root causes". `part`: a step, an example or a definition. `neutral`:
 * about no failure and no role, such as "Related links". `topic`: everything else, such as "Disk is full".
 */
export type HeadingKind = "role" | "part" | "neutral" | "topic";

/** @param titleWords words that say nothing more about which failure it is */
export function headingKind(text: string, titleWords: ReadonlySet<string> = new Set()): HeadingKind {
  const [prefix] = NUMBERED_ROLE.exec(text) ?? [];
  const isPart = PART.test(text) && !STEPS.test(text);
  if (isPart || (prefix !== undefined && /\d|:/.test(text))) return "part";
  const own = ownWords(text);
  const role = roleOf(text);
  const hasRole = role !== undefined && (role !== "symptoms" || wordsOf(text).some((word) => isRoleWord(word)));
  if (hasRole) return own.every((word) => titleWords.has(word)) ? "role" : "topic";
  return own.length === 0 ? "neutral" : "topic";
}

/** The words that say which failure a heading is about. */
function ownWords(heading: string): string[] {
  return wordsOf(heading.replace(VARIANT, "")).filter(
    (word) => !/^\d+$/.test(word) && !COMMON.has(word) && !isRoleWord(word),
  );
}

function isRoleWord(word: string): boolean {
  return !COMMON.has(word) && ROLES.some(([, pattern]) => pattern.test(word));
}

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];
}
