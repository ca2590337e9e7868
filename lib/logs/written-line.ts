// Whether a person wrote a line, or a program. Pure functions.

import { FAILURE_WORDS } from "./failure-words.ts";
import { hasLogPrefix } from "./log-prefix.ts";

const MAX_READ_LENGTH = 1_000;
const MIN_WORDS = 3;
/** Share of the words that are plain: letters only, apart from punctuation at the end. */
const MIN_PLAIN_SHARE = 0.6;
const MIN_SENTENCE_WORDS = 8;
const MIN_SENTENCE_SHARE = 0.75;

/** Words that people use about their systems and programs do not. */
const PERSONAL = words(
  "we we've we're we'd our us i i'm i've i'd my me customers users people someone somebody anybody anyone team everybody everyone " +
    "colleagues since yesterday today tonight morning afternoon evening weekend anymore suddenly keeps keep kept always sometimes " +
    "randomly hi hello hey thanks seeing getting gets got looks seems weird strange complain complains",
);
/** Words that programs use, too. */
const COLLOQUIAL = words(
  "again why how what which help please you your after slow deploy deployed upgrade upgraded rollout release noticed below attached report reports night week",
);
/** Words that only introduce a text. */
const INTRODUCING = words(
  "hi hello hey dear team all folks everybody everyone there please can could would someone somebody anybody anyone you help me us with on this these that those it is are " +
    "the a an here here's heres below above attached following log logs output trace stacktrace stack traceback error errors message messages dump excerpt snippet " +
    "getting get got see seeing i i'm we we're have has this: any idea ideas what's what does do mean why thanks look at take check of from for my our and still " +
    "full complete relevant some last lines part question problem issue console terminal says say shows show prints paste pasted need advice wrong",
);

/** The start of a line that a program wrote, a command, or a listing. */
const MACHINE =
  /^\s*(?:`{3}|[{[<>|$#%*+=~│╷╵└├●/\\-]|at\s|Traceback\b|Caused by\b|Exception\b|Error\b|During handling\b|\d+[:.]\d|[\w.-]{1,60}@[\w.-]{1,60}[:\s]|[\w.-]{1,40}(?:=[#>]|>)\s|[\w.$]{1,120}(?:Error|Exception)\b|(?:error|fatal|warning|panic|fail|failed|info|debug|note|hint)\b[:[(!])/;
const COLUMNS = /[^\s.!?:] {2,}\S|\t\S/;
const PAIRS = /(?:^|\s)[\w.]{1,40}=\S/;
/** Code, paths and settings. */
const CODE_END = /[{};\\]\s*$|^\s*[\w. /()-]{1,40}:(?: {2,}|\t)\S/;

/** Whether a person wrote the line. @param isAboveLog whether lines of a log or a trace follow */
export function isWritten(line: string, isAboveLog: boolean): boolean {
  const text = line.slice(0, MAX_READ_LENGTH).trim();
  if (isMachineLine(text)) return false;
  const parts = text.split(/\s+/);
  const plain = parts.filter(isPlainWord);
  if (parts.length < MIN_WORDS) return plain.length === parts.length && !/:$/.test(text);
  if (plain.length / parts.length < MIN_PLAIN_SHARE) return false;
  if (/\?$/.test(text) || plain.some((part) => PERSONAL.has(bare(part)))) return true;
  const isColloquial = plain.some((part) => COLLOQUIAL.has(bare(part)));
  return isAboveLog && (isColloquial || plain.length === parts.length) && !/:\s|["'`]/.test(text);
}

/** Whether a line only introduces the text below it: "here is the log:". */
export function isIntroduction(line: string): boolean {
  const text = line.slice(0, MAX_READ_LENGTH).trim();
  const parts = text
    .split(/\s+/)
    .map(bare)
    .filter((part) => part !== "");
  if (parts.length === 0) return false;
  if (parts.every((part) => INTRODUCING.has(part))) return true;
  const isAnnounced =
    /^(?:here|this is|below|see|attached|the (?:log|output|error)|logs?|output|from|error)\b.{0,200}:$/i.test(text);
  return isAnnounced && !parts.some((part) => FAILURE_WORDS.has(part) && !INTRODUCING.has(part));
}

/** Whether a program wrote the line, by its start and its form. */
export function isMachineLine(line: string): boolean {
  const text = line.slice(0, MAX_READ_LENGTH);
  return (
    MACHINE.test(text) ||
    hasLogPrefix(text) ||
    COLUMNS.test(text.trim()) ||
    CODE_END.test(text) ||
    (PAIRS.test(text) && !isSentence(text))
  );
}

/** A sentence may quote a setting. */
function isSentence(text: string): boolean {
  const parts = text.split(/\s+/);
  return parts.length >= MIN_SENTENCE_WORDS && parts.filter(isPlainWord).length / parts.length >= MIN_SENTENCE_SHARE;
}

function isPlainWord(word: string): boolean {
  return /^["'(]?\p{L}[\p{L}'’-]*["')]?[.,;:!?]{0,3}$/u.test(word) || /^\d{1,4}[.,;:!?%]?$/.test(word);
}

function bare(word: string): string {
  return word
    .toLowerCase()
    .replaceAll("’", "'")
    .replace(/^[^\p{L}]+|(?<=\p{L})[^\p{L}]+$/gu, "");
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}
