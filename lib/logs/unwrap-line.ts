// What a line says without the tools that forwarded it: names of streams and times in front of it, JSON around it, escapes
// within it. Pure functions, linear in the line.

import { z } from "zod";
import { isSettingKey } from "./sections.ts";
import { isInsideTrace, startsWithException } from "./traces.ts";

/** The name of a container or pod, and the time of a collector, in front of each line. */
const FORWARDED =
  /(?:(?:[\w.-]{1,64} {0,20}\| ?|\[pod\/[\w./-]{1,200}\] )(?!.{0,400}\s\|\s))?(?:\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{7,9}(?:Z|[+-]\d{2}:\d{2}) (?:std(?:err|out) [FP] )?)?/y;
/** Characters of a stream's name with the blanks behind it. */
const MAX_NAME_LENGTH = 86;
/** Characters. A longer line is no JSON that is read. */
const MAX_JSON_LENGTH = 100_000;
const MAX_DEPTH = 8;
const MAX_PIECES = 80;
const MAX_TEXT_LINES = 200;

const LEVEL_KEY = /^(?:@l|(?:log[._]?)?level(?:name)?|lvl|severity(?:text|level)?|priority|status)$/i;
const LEVEL_NAME =
  /^(?:emerg\w*|alert|fatal|crit\w*|panic|severe|error|err|warn(?:ing)?|notice|info\w*|debug|trace|verbose|[ewif])$/i;
const MESSAGE_KEY =
  /(?:^|[._])(?:(?:outer|inner|innermost|short|error|exception)?_?(?:message|msg)|err_?msg|log|body|event|text|summary|title|err(?:or)?|exception|cause|reason|detail|details|stack(?:_?trace)?|errortype|description|exceptions|logs)$/i;
/** Keys of names: failure words in their values are no failure. */
const NAME_KEY =
  /(?:^|[._-])(?:name|logger\w*|caller|file\w*|func\w*|thread\w*|class|method|module|component|path|url|uri|host\w*|service|app|pod|container|namespace|image|id|uuid|version|stream|key|operator|effect|query|sql|time\w*|ts|labels|tags|agent|user\w*|job|task|check|test|topic|queue|metricname)$|(?:Name|Id|ID|Url|Policy)$|^t$/i;

/** A text within a line. */
export interface LinePiece {
  readonly text: string;
  /** Whether it is the text of a message or an error, and no other field. */
  readonly isMessage: boolean;
  /** Whether it is the innermost cause of a stack trace. */
  readonly isRoot: boolean;
}

/** Index of the first character behind what a collector of logs puts in front of each line. */
export function contentStart(text: string, start: number): number {
  if (!mayBeForwarded(text, start)) return start;
  FORWARDED.lastIndex = start;
  return FORWARDED.test(text) ? FORWARDED.lastIndex : start;
}

/** A cheaper test, for each line of a log: a word and a bar, a bracket, or the digits of a second. */
function mayBeForwarded(text: string, start: number): boolean {
  if (text.charCodeAt(start) === 91) return text.startsWith("pod/", start + 1);
  if (text.charCodeAt(start + 10) === 84 && text.charCodeAt(start + 19) === 46) return true;
  const bar = text.slice(start, start + MAX_NAME_LENGTH).indexOf("|");
  return bar > 0 && text.charCodeAt(start + bar - 1) === 32;
}

/** The texts in the JSON of a line, each with the level of its record in front; null for a line without JSON. */
export function piecesOf(line: string): LinePiece[] | null {
  const json = jsonIn(line) ?? (line.includes('\\"') ? jsonIn(withoutEscapes(line)) : null);
  if (json === null) return null;
  const pieces: LinePiece[] = [];
  if (json.before !== "") pieces.push({ text: json.before, isMessage: true, isRoot: false });
  collect(json.value, { pieces, key: "", level: "", depth: 0 });
  return pieces;
}

/** Without one level of JSON escapes. */
function withoutEscapes(text: string): string {
  return text.replace(/\\(["\\/nrt])/g, (_, escaped: string) => (/[nrt]/.test(escaped) ? " " : escaped));
}

const fields = z.record(z.string(), z.unknown());

interface Place {
  readonly pieces: LinePiece[];
  readonly key: string;
  readonly level: string;
  readonly depth: number;
}

function collect(value: unknown, place: Place): void {
  const { pieces, key, level, depth } = place;
  if (pieces.length >= MAX_PIECES || depth > MAX_DEPTH || isSettingKey(key.toLowerCase())) return;
  if (typeof value === "string") {
    collectText(value.trim(), place);
    return;
  }
  if (value === null || typeof value !== "object") {
    if (!NAME_KEY.test(key)) pieces.push({ text: `${key}: ${String(value)}`, isMessage: false, isRoot: false });
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) collect(item, { ...place, depth: depth + 1 });
    return;
  }
  const record = fields.parse(value);
  const { type, status } = record;
  if (typeof type === "string" && typeof status === "string") {
    const rest = [record.reason, record.message].filter((part) => typeof part === "string");
    pieces.push({ text: [type, status, ...rest].join(" "), isMessage: true, isRoot: false });
    return;
  }
  const own = levelOf(record) ?? level;
  for (const [name, item] of Object.entries(record)) {
    if (LEVEL_KEY.test(name) && levelName(name, item) !== null) continue;
    // The items of a list of errors, and an error written as an object, are messages as the list is.
    const isNamed = name === "name" && MESSAGE_KEY.test(key);
    collect(item, { pieces, key: isNamed ? key : name, level: own, depth: depth + 1 });
  }
}

function collectText(text: string, { pieces, key, level, depth }: Place): void {
  const nested = /^[{[]/.test(text) ? jsonIn(text) : null;
  if (nested) {
    collect(nested.value, { pieces, key, level, depth: depth + 1 });
    return;
  }
  if (text === "" || NAME_KEY.test(key)) return;
  if (key !== "" && !MESSAGE_KEY.test(key)) {
    pieces.push({ text: `${key}: ${text}`, isMessage: false, isRoot: false });
    return;
  }
  const lines = text.split(/\r?\n/, MAX_TEXT_LINES).map((line) => line.trimEnd());
  const written = lines.filter((line) => line.trim() !== "" && !(isInsideTrace(line) && !CAUSE.test(line)));
  const root = written.findLastIndex((line) => CAUSE.test(line));
  for (const [i, line] of written.entries()) {
    const inner = i === 0 ? jsonAfterText(line) : null;
    if (inner) collect(inner.value, { pieces, key, level, depth: depth + 1 });
    const shown = (inner ? inner.before : line).trim();
    if (shown === "") continue;
    // Further lines of a text are details, apart from exceptions and causes.
    const isOwn = i === 0 || i === root || startsWithException(shown);
    pieces.push({ text: level === "" ? shown : `${level} ${shown}`, isMessage: isOwn, isRoot: i === root });
  }
}

const CAUSE = /^\s*(?:Caused by: |---> |\[cause\]: )\S/;

function jsonAfterText(line: string) {
  return line.endsWith("}") ? jsonIn(line) : null;
}

function levelOf(record: Readonly<Record<string, unknown>>): string | null {
  for (const [key, value] of Object.entries(record)) {
    const name = LEVEL_KEY.test(key) ? levelName(key, value) : null;
    if (name !== null) return name;
  }
  return null;
}

/** Names, and the numbers of syslog, Bunyan and Application Insights. */
function levelName(key: string, value: unknown): string | null {
  const text = String(value).toLowerCase();
  if (LEVEL_NAME.test(text)) return (LEVEL_LETTERS[text] ?? text).toUpperCase();
  if (!/^\d{1,2}$/.test(text) || /^status$/i.test(key)) return null;
  const number = Number(text);
  if (/priority/i.test(key)) return number <= 2 ? "CRITICAL" : number === 3 ? "ERROR" : number === 4 ? "WARN" : "INFO";
  if (/severitylevel/i.test(key)) return number >= 3 ? "ERROR" : number === 2 ? "WARN" : "INFO";
  return number >= 60 ? "FATAL" : number >= 50 ? "ERROR" : number >= 40 ? "WARN" : "INFO";
}

const LEVEL_LETTERS: Readonly<Record<string, string>> = {
  e: "error",
  w: "warn",
  i: "info",
  f: "fatal",
  information: "info",
  verbose: "debug",
};

/** The JSON object or list in a line, and the text in front of it. */
function jsonIn(line: string): { readonly before: string; readonly value: unknown } | null {
  const start = line.search(/[{[](?=\s{0,4}["{[])/);
  const end = Math.max(line.lastIndexOf("}"), line.lastIndexOf("]")) + 1;
  if (start === -1 || end <= start + 2 || line.length > MAX_JSON_LENGTH) return null;
  try {
    return { before: line.slice(0, start).trim(), value: JSON.parse(line.slice(start, end)) };
  } catch {
    // Not JSON: the line is read as text.
    return null;
  }
}
