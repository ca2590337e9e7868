// Recognition of a question about the conversation itself, such as "What did we find so far?". Pure functions.

import type { Incident } from "../schemas/incident.ts";

/** Words that such a question may contain besides those below; they name no failure. */
const FUNCTION_WORDS = words(
  "a an the this that these those it its our we us you your i me my they them one is are was were be been being am did do does done " +
    "has have had having ve s d re what which who where when how why whether if in on of to from for with about at by into and or " +
    "but as so then there here yet still already just only again also ever actually exactly really all any each every both happened stand story work works " +
    "everything anything something everyone much many most more else not out off up over far now until till since " +
    "today yesterday tonight earlier before previously last past first recent recently previous latest current currently " +
    "hour hours minute minutes day days time times please thanks thank hi hey hello ok okay well tell show give list remind " +
    "read repeat let s can could would will may shall like want need know get got dejavu",
);

/** Words for a failure in general. They name none, so they neither make nor break a question about the session. */
const GENERAL_WORDS = words(
  "cause causes root reason reasons error errors line lines log logs problem problems issue issues incident incidents failure " +
    "failures alert alerts fix fixes fixed step steps evidence hypothesis hypotheses theory theories option options idea ideas " +
    "candidate candidates question questions thing things point points key main short quick brief bullet " +
    "full complete update status overview worked wrong possible possibility possibilities",
);

/** A question with one of these is about the session if no other word names a failure. */
const RECAP_WORDS = words(
  "recap recaps recapitulate summarise summarize summarised summarized summary summaries tldr tl dr debrief",
);

/** Nouns for the conversation or its result; they need the form of a question or a request. */
const SESSION_NOUNS = words(
  "session conversation discussion chat thread history investigation triage outcome outcomes result results finding findings " +
    "conclusion conclusions answer answers progress turn turns",
);

/** What people do in an investigation, in the past: "we found", "was ruled out". */
const PAST_VERBS = words(
  "found learned concluded established determined discovered figured ruled excluded eliminated rejected dismissed " +
    "discussed covered tried tested checked verified confirmed investigated looked saw seen asked answered agreed decided said " +
    "gathered collected identified noticed suspected considered went gone",
);

/** The same verbs after "did". */
const BASE_VERBS = words(
  "find learn conclude establish determine discover figure rule exclude eliminate reject dismiss discuss cover try test check " +
    "verify confirm investigate look see ask answer agree decide say gather collect identify notice suspect consider talk " +
    "talked leave left miss missed stop stopped go get catch bring sum speed wrap",
);

const PAST_AUXILIARIES = words("did have has had ve was were been");
const PARTNERS = words("we us you i me");
const QUESTION_WORDS = words("what which who where how why when whether");
/** Opening words of a request, before the question itself. */
const REQUEST_WORDS = words(
  "please hi hey hello ok okay so and well now then can could would will you tell show give list remind read repeat let me us " +
    "dejavu just quickly",
);
/** "Is the chat up?" asks for the state of a system. */
const STATE_OPENINGS = words("is are was were has have why how where when");
/** Words of a question about the future: "what should we check?" asks for advice. */
const FUTURE_WORDS = words("should must might next");

const VOCABULARY = new Set([
  ...FUNCTION_WORDS,
  ...GENERAL_WORDS,
  ...RECAP_WORDS,
  ...SESSION_NOUNS,
  ...PAST_VERBS,
  ...BASE_VERBS,
  ...FUTURE_WORDS,
]);

/** Longer texts describe a failure. */
const MAX_WORDS = 30;

/** Idioms without a verb of investigation. */
const IDIOMS = [
  /\bwhere (are|were) we\b/,
  /\bwhere (do|did) we (stand|leave|stop|get)\b/,
  /\bwhat do (we|you) know\b( (so|far|now|already|yet|about|this|it|until))*$/,
  /\bhow (did|was) (the|this|our) (session|investigation|triage|discussion|conversation)( go)?$/,
  /\b(sum|wrap) (it|this|that|things|everything|all)? ?(all )?up\b/,
  /\b(catch|bring|get) (me|us) up\b/,
  /^(what|which|how|any|anything)\b.* so far\b/,
  /^(what|which)( \w+)? (is|are) (ruled|excluded|eliminated|rejected|concluded|established)\b/,
  /^anything (ruled|excluded|eliminated|rejected|concluded|established|found)\b/,
  /^(status|overview) of (the|this|our) (session|investigation|triage|discussion|conversation)$/,
];

/**
 * Whether a report only asks about its own session: it has no target, labels or logs, and every content word of its title
 * and question is about the conversation.
 */
export function isSessionQuestion({
  title,
  question,
  target,
  labels,
  logs,
}: Pick<Incident, "title" | "question" | "target" | "labels" | "logs">): boolean {
  if (target !== null || logs !== null || Object.keys(labels).length > 0) return false;
  return asksAboutSession(question === null || question === title ? title : `${title}\n${question}`);
}

/** Whether every content word of a text is about the conversation, and the text asks for its content. */
export function asksAboutSession(text: string): boolean {
  const tokens = tokensOf(text);
  if (tokens.length === 0 || tokens.length > MAX_WORDS) return false;
  if (!tokens.every((token) => VOCABULARY.has(token) || /^\d{1,4}$/.test(token))) return false;
  if (tokens.some((token) => FUTURE_WORDS.has(token))) return false;
  if (tokens.some((token) => RECAP_WORDS.has(token))) return true;
  const phrase = tokens.join(" ");
  if (IDIOMS.some((idiom) => idiom.test(phrase))) return true;
  const rest = withoutOpening(tokens);
  const isRequest = rest.length < tokens.length || /\?\s*$/.test(text) || QUESTION_WORDS.has(rest[0] ?? "");
  return isRequest && (looksBack(rest) || namesSession(rest, tokens));
}

/** "what did we find", "have you checked", "which causes were ruled out" */
function looksBack(tokens: readonly string[]): boolean {
  const isPast = tokens.some((token) => PAST_AUXILIARIES.has(token));
  const hasPastVerb = tokens.some((token) => PAST_VERBS.has(token));
  // "do" is only a verb after "did": "what did we do".
  const hasBaseVerb =
    tokens.includes("did") && tokens.some((token) => BASE_VERBS.has(token) || token === "do" || token === "know");
  const hasPartner = tokens.some((token) => PARTNERS.has(token));
  const asksContent = tokens.some((token) => QUESTION_WORDS.has(token)) || PAST_AUXILIARIES.has(tokens[0] ?? "");
  // "We have seen this before" reports, whatever question follows.
  if (!asksContent || PARTNERS.has(tokens[0] ?? "")) return false;
  if (hasPartner) return hasPastVerb || hasBaseVerb || (isPast && tokens.includes("done"));
  return isPast && (hasPastVerb || tokens.includes("done"));
}

/** A noun for the conversation with a definite meaning: "what was the outcome", neither "a session" nor "is the chat up". */
function namesSession(rest: readonly string[], tokens: readonly string[]): boolean {
  const asksContent = rest.length < tokens.length || ["what", "which"].includes(rest[0] ?? "") || rest.length <= 2;
  if (rest.length === 0 || !asksContent || STATE_OPENINGS.has(rest[0] ?? "")) return false;
  return tokens.some((token, i) => SESSION_NOUNS.has(token) && !["a", "an", "no", "any"].includes(tokens[i - 1] ?? ""));
}

function withoutOpening(tokens: readonly string[]): readonly string[] {
  const start = tokens.findIndex((token) => !REQUEST_WORDS.has(token));
  return start === -1 ? [] : tokens.slice(start);
}

function tokensOf(text: string): string[] {
  return text
    .toLowerCase()
    .normalize("NFKC")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((token) => token !== "")
    .slice(0, MAX_WORDS + 1);
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}
