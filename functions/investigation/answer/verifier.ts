// Checks of a model's citations, quotations, commands and links against the recalled texts and the report. verify-draft.ts applies
// them to a finished draft, answer-stream.ts to a partial one. Pure functions.

import type { CheckResult } from "../../../lib/checks/check.ts";
import { readsAsInstruction } from "../../../lib/injection/detect-injection.ts";
import { hostsIn, type LinkPolicy, urlsIn } from "../../../lib/links/remove-links.ts";
import type { ErrorLine } from "../../../lib/logs/evidence.ts";
import { withoutMarkers } from "../../../lib/redaction/redaction-marker.ts";
import type { Config } from "../../config.ts";
import { textKindOf } from "../../knowledge/text-documents.ts";
import { fingerprintOfReport } from "../../memory/observed-report.ts";
import type { Incident } from "../../schemas/incident.ts";
import { shownFix } from "../../schemas/past-incident.ts";
import { decidedChecks, fitsCheck, refutationOf } from "../evidence/check-verdicts.ts";
import type { CitableText } from "../evidence/citable-texts.ts";
import { type CommandText, indexOfName, type ReportedNames, standsInText } from "../evidence/command-text.ts";
import { recordedFixes } from "../evidence/recalled-hits.ts";
import type { RunCheck } from "../recall/recall-result.ts";
import { roundShare } from "../relevance/relevance.ts";

export interface Verifier {
  readonly links: LinkPolicy;
  /** The ids of the names, each once; names that no prompt showed are dropped. */
  cite(names: readonly string[]): string[];
  /** The same for a step, without sections about other failures than those that were found in their texts. */
  citeForStep(names: readonly string[]): string[];
  /** The same for a cause, without confirmed checks of other causes. @param cause undefined while its text is not complete */
  citeForCause(cause: string | undefined, names: readonly string[]): string[];
  /** The quote as the report or its logs contain it; undefined if they do not. */
  reportedQuote(quote: string): string | undefined;
  /** Whether a cause may rest on the quote: it is of an error line, or of the headline if no line clearly shows the failure. */
  showsFailure(quote: string): boolean;
  isPastIncident(id: string): boolean;
  /** The check that refutes a cause; undefined if none does. */
  refutationOf(cause: string): CheckResult | undefined;
  /** Whether a confirmed check is cited: an observation that shows the failure as well as a quote. */
  confirms(ids: readonly string[]): boolean;
  /** Whether all of the texts are of runbooks that a check rules out. */
  isRuledOut(ids: readonly string[]): boolean;
  /** Whether any check is refuted, so that the words of a cause decide whether it may be named. */
  readonly hasRefutation: boolean;
  /** Whether a text can support a cause: not a log, an incident without a fix, a check that is not confirmed, or a runbook that a check rules out. */
  supportsCause(id: string): boolean;
  /** The texts that can support a cause, the most probable first. */
  causeTexts(ids: readonly string[]): CauseText[];
  /** The most probable of them. */
  bestText(ids: readonly string[]): CauseText | undefined;
  /** The runbook of a section, or the past incident itself. */
  documentOf(id: string): string;
  /** Whether the whole command stands in one of the cited runbooks or fixes. */
  isFromSource(command: string, ids: readonly string[]): boolean;
  /** False for a report of a healthy or recovered system, and for one whose query for evidence returned nothing. */
  readonly hasFailure: boolean;
  readonly POSSIBLE_THRESHOLD: number;
}

export interface CauseText {
  readonly id: string;
  readonly title: string;
  /** As it is shown. */
  readonly probability: number;
  readonly isPastIncident: boolean;
  /** False for a section that can carry no more than a candidate. */
  readonly mayStateCause: boolean;
}

/** Weight from which an error line clearly shows the failure. */
const MIN_CLEAR_WEIGHT = 0.35;

/** Occurrences of a quote that are checked. A quote with more occurrences inside longer words proves nothing. */
const MAX_OCCURRENCES = 200;
/** Minimum characters of a specific word alone, of one beside other words, and of a code (137, OOM). */
const MIN_WORD_ALONE = 6;
const MIN_WORD_BESIDE_OTHERS = 4;
const MIN_CODE = 3;
const STOP_WORDS = new Set(
  "with from this that have been were when then into over there which after before".split(" "),
);
/** Scripts without spaces between words: each character counts as a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const SEPARATOR = "\u001e";

export function createVerifier(
  incident: Incident,
  texts: readonly CitableText[],
  { POSSIBLE_THRESHOLD }: Pick<Config, "POSSIBLE_THRESHOLD">,
): Verifier {
  const ids = new Map(
    texts.flatMap(({ name, document }) => [name, document.id].map((key) => [key.toLowerCase(), document.id])),
  );
  const incidentIds = new Set(texts.flatMap(({ kind, document }) => (kind === "incident" ? [document.id] : [])));
  const labels = Object.entries(incident.labels).map(([key, value]) => `${key}=${value} ${value}`);
  const { title, question, target, logs, evidence } = incident;
  // The separator keeps a quote from spanning two parts.
  const headlineText = [title, question ?? "", target ?? "", ...labels].map(normalise).join(SEPARATOR);
  const reported = `${headlineText}${SEPARATOR}${normalise(logs ?? "")}`;
  const hasClearLine = evidence.lines.some(({ weight }) => weight >= MIN_CLEAR_WEIGHT);
  const cite = (names: readonly string[]) => [...new Set(names.flatMap((name) => ids.get(bareName(name)) ?? []))];
  const cached = createCache();
  const documents = new Map(texts.map(({ document }) => [document.id, document.source ?? document.id]));
  const sourcesById = new Map(texts.map((text) => [text.document.id, causeTextOf(text)]));
  const unfitIds = new Set(texts.filter(isUnfit).map(({ document }) => document.id));
  const otherIds = new Set(texts.flatMap((text) => (isOther(text) ? [text.document.id] : [])));
  const supportsCause = (id: string) => !unfitIds.has(id);
  const causeTexts = (cited: readonly string[]) =>
    surestFirst(cited.filter(supportsCause).flatMap((id) => sourcesById.get(id) ?? []));
  const checks = decidedChecks(texts.flatMap((text) => (text.kind === "check" ? [text.check] : [])));
  const confirmedChecks = new Map(checks.filter(isConfirmed).map((check) => [check.result.id, check]));
  const names = reportedNames(incident);
  const fingerprint = fingerprintOfReport(incident);
  const sections = texts.flatMap(({ kind, document }) => (kind === "runbook" ? [document] : []));
  const logIds = new Set(sections.flatMap((document) => (textKindOf(document) === "log" ? [document.id] : [])));
  const isReported = (quote: string) =>
    cached(
      `report ${quote}`,
      () => isSpecific(quote) && containsWords(reported, normalise(quote)) && !readsAsInstruction(quote),
    );
  const reportedQuote = (quote: string) => [quote, bareQuote(quote)].find(isReported);
  return {
    links: linkPolicyOf({ incident, texts, logIds }, cached),
    cite,
    citeForStep: (names) => cite(names).filter((id) => !otherIds.has(id)),
    citeForCause(cause, names) {
      const cited = cite(names);
      const files = cited.map((id) => documents.get(id));
      return cited.filter((id) => {
        const check = confirmedChecks.get(id);
        if (check === undefined || (cause !== undefined && fitsCheck(check, cause))) return true;
        return check.definition.cause === null && files.includes(check.result.runbook);
      });
    },
    reportedQuote,
    showsFailure: (written) =>
      cached(`failure ${written}`, () => {
        const quote = reportedQuote(written);
        if (quote === undefined) return false;
        if (evidence.lines.some((line) => quotesLine(quote, line))) return true;
        return !hasClearLine && containsWords(headlineText, normalise(quote));
      }),
    ...checkVerifier(texts, checks),
    confirms: (cited) => cited.some((id) => confirmedChecks.has(id)),
    isPastIncident: (id) => incidentIds.has(id),
    supportsCause,
    causeTexts,
    bestText: (cited) => causeTexts(cited)[0],
    documentOf: (id) => documents.get(id) ?? id,
    isFromSource: (command, cited) =>
      cached(`command ${cited.join(" ")} ${command}`, () =>
        standsInText(command, commandTexts(texts, cited, fingerprint), names),
      ),
    hasFailure: evidence.state === null,
    POSSIBLE_THRESHOLD,
  };
}

type CheckVerifier = Pick<Verifier, "refutationOf" | "hasRefutation" | "isRuledOut">;

function checkVerifier(texts: readonly CitableText[], checks: readonly RunCheck[]): CheckVerifier {
  const isRefuted = ({ result }: RunCheck) => result.verdict === "refuted";
  const ruledOutIds = new Set(
    texts.flatMap((text) => (text.kind === "runbook" && text.isRuledOut ? [text.document.id] : [])),
  );
  return {
    refutationOf: (cause) => refutationOf(checks, cause),
    hasRefutation: checks.some(isRefuted),
    isRuledOut: (cited) => cited.length > 0 && cited.every((id) => ruledOutIds.has(id)),
  };
}

interface AddressTexts {
  readonly incident: Incident;
  readonly texts: readonly CitableText[];
  readonly logIds: ReadonlySet<string>;
}

function linkPolicyOf(sources: AddressTexts, cached: ReturnType<typeof createCache>): LinkPolicy {
  const { title, question, target } = sources.incident;
  // Only runbooks allow a link: notes are not curated.
  const runbooks = sources.texts.flatMap(({ kind, document }) =>
    kind === "runbook" && textKindOf(document) === "runbook" ? [document.body] : [],
  );
  return {
    hosts: new Set(runbooks.flatMap(hostsIn)),
    urls: new Set(urlsIn([title, question ?? "", target ?? ""].join("\n"))),
    isOperational: createOperationalCheck(sources, cached),
  };
}

/** Checks whether an address stands in the report outside instructions, or its host in a source that no machine wrote. */
function createOperationalCheck(
  work: AddressTexts,
  cached: ReturnType<typeof createCache>,
): NonNullable<LinkPolicy["isOperational"]> {
  const { title, question, target, labels, logs } = work.incident;
  const report = [title, question ?? "", target ?? "", ...Object.values(labels), logs ?? ""].join("\n").toLowerCase();
  const isReported = (address: string) =>
    report.split("\n").some((line) => indexOfName(line, address) !== -1 && !readsAsInstruction(line));
  const isInTexts = (host: string) =>
    work.texts.some(
      ({ kind, document }) =>
        kind !== "check" && !work.logIds.has(document.id) && indexOfName(document.body.toLowerCase(), host) !== -1,
    );
  return (address, host) => cached(`address ${address}`, () => isReported(address) || isInTexts(host));
}

/** Remembers results: a stream checks the same values on every update, and a log may be long. */
function createCache(): (key: string, compute: () => boolean) => boolean {
  const results = new Map<string, boolean>();
  return (key, compute) => {
    const result = results.get(key) ?? compute();
    results.set(key, result);
    return result;
  };
}

function causeTextOf(text: CitableText): CauseText {
  const { id, title } = text.document;
  return {
    id,
    title,
    probability: roundShare(text.relevance.probability),
    isPastIncident: text.kind === "incident",
    mayStateCause: text.kind !== "runbook" || text.isFound,
  };
}

function isOther(text: CitableText): boolean {
  return text.kind === "runbook" && !text.isFound;
}

/** Whether a quote is of the line, or contains it. A quote of its time alone shows no failure. */
function quotesLine(quote: string, { text, time }: ErrorLine): boolean {
  const line = normalise(text);
  const words = normalise(quote);
  const untimed = time === null ? quote : quote.replace(time, " ");
  return isSpecific(untimed) && (containsWords(line, words) || containsWords(words, line));
}

/** The texts in which a command may stand: the shown sections about the found failure of the cited runbooks, and the cited fixes. */
function commandTexts(texts: readonly CitableText[], cited: readonly string[], fingerprint: string): CommandText[] {
  const ids = new Set(cited);
  const files = new Set(
    texts.flatMap(({ kind, document }) => (kind === "runbook" && ids.has(document.id) ? [document.source] : [])),
  );
  return texts.flatMap((text): CommandText[] => {
    const { document } = text;
    // Machines and attackers write a stored log, too.
    if (isOther(text) || (text.kind === "runbook" && textKindOf(document) === "log")) return [];
    if (text.kind === "runbook") return files.has(document.source) ? [{ text: document.body, names: [] }] : [];
    if (text.kind === "check") return [];
    const { observation } = text;
    const fix = ids.has(document.id) ? shownFix(recordedFixes(observation), fingerprint) : null;
    return fix === null
      ? []
      : [{ text: fix.text, names: observation.target === null ? [] : namesIn(observation.target) }];
  });
}

/** A full name, and its parts between slashes. */
function namesIn(name: string): string[] {
  return [...new Set([name, ...name.split("/")])].filter((part) => part !== "");
}

const OBJECT_NAME = /^[\p{L}\p{N}/][\p{L}\p{N}._:/@-]+$/u;
/** Distinguishes a name such as `edge-7` or `/etc/app.yml` from a word. */
const NAME_MARK = /[\p{N}._:/@-]/u;

function reportedNames({ title, question, target, labels, logs }: Incident): ReportedNames {
  const names = [...(target === null ? [] : [target]), ...Object.values(labels)].flatMap(namesIn);
  const distinctNames = new Set(names);
  const text = [title, question ?? "", ...names, logs ?? ""].join("\n");
  return {
    names,
    includes: (name) =>
      distinctNames.has(name) ||
      (OBJECT_NAME.test(name) && NAME_MARK.test(name) && /\p{L}/u.test(name) && indexOfName(text, name) !== -1),
  };
}

/** "[R2]" and "r2" are R2. */
export function bareName(name: string): string {
  return name.replace(/[[\]\s]/g, "").toLowerCase();
}

/** Without the name of its line, quotation marks and ellipses, which models add. */
function bareQuote(quote: string): string {
  return quote
    .trim()
    .replace(/^L\d{1,2}(?: \([^()]{0,80}\))?: /, "")
    .replace(/^(?:["'\u201c\u2026]|\.{3}){1,4}|(?:["'\u201d\u2026]|\.{3}){1,4}$/g, "");
}

/** Whether a quote has a specific word or a code: "api" alone is in any report. */
function isSpecific(quote: string): boolean {
  const words = withoutMarkers(quote).match(/[\p{L}\p{N}][^\s]*/gu) ?? [];
  const length = (word: string) => (UNSPACED.test(word) ? word.length * MIN_WORD_ALONE : word.length);
  const isCode = (word: string) => /\p{N}|^\P{Ll}+$/u.test(word) && word.length >= MIN_CODE;
  const minLength = words.length > 1 ? MIN_WORD_BESIDE_OTHERS : MIN_WORD_ALONE;
  return words.some((word) => isCode(word) || (length(word) >= minLength && !STOP_WORDS.has(word.toLowerCase())));
}

/** Whether the text contains the quote in whole words, apart from line breaks, capitals and typographic marks. */
export function quotesText(text: string, quote: string): boolean {
  return containsWords(normalise(text), normalise(quote));
}

/** Whether the text contains the words as whole words: "code 1" is not in "code 137". */
function containsWords(text: string, words: string): boolean {
  let at = text.indexOf(words);
  for (let count = 0; at !== -1 && count < MAX_OCCURRENCES; count++, at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    const startsWord = !isWithinWord(text[at - 1], text[at]);
    if (startsWord && !isWithinWord(text[end - 1], text[end])) return true;
  }
  return false;
}

function isWithinWord(before: string | undefined, after: string | undefined): boolean {
  const isPart = (character = "") => /[\p{L}\p{N}]/u.test(character) && !UNSPACED.test(character);
  return isPart(before) && isPart(after);
}

/** Models copy words, but not line breaks, typographic quotation marks or markers of removed text. */
function normalise(text: string): string {
  return withoutMarkers(text)
    .replace(/[\u2018\u2019`]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

function isConfirmed({ result }: RunCheck): boolean {
  return result.verdict === "confirmed";
}

/** Whether a text can support no cause. */
function isUnfit(text: CitableText): boolean {
  switch (text.kind) {
    case "runbook":
      return text.isRuledOut || textKindOf(text.document) === "log";
    case "incident":
      return text.observation.resolution === null;
    case "check":
      return !isConfirmed(text.check);
  }
}

function surestFirst(sources: readonly CauseText[]): CauseText[] {
  return sources.toSorted((a, b) => b.probability - a.probability);
}
