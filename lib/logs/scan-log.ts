// First pass over a log: skips settings and stack frames, and groups the lines with a failure word by template. It reads
// each character once.

import {
  type CandidateLine,
  type GoodRow,
  type LogPart,
  MAX_CANDIDATES,
  type MutableCandidate,
  promising,
  type StateLine,
} from "./candidate-lines.ts";
import {
  holdsSentence,
  isBareRow,
  isListingHeader,
  isSameObject,
  isTableRule,
  type ListedRow,
  listsMachines,
  readRow,
} from "./listing.ts";
import { SectionTracker } from "./sections.ts";
import { announcesMessage, startsWithException } from "./traces.ts";
import { contentStart } from "./unwrap-line.ts";
import { WordScanner } from "./word-scanner.ts";

export interface ScannedLog {
  /** The most promising templates, in the order of the log. */
  readonly candidates: readonly CandidateLine[];
  /** The first 48 lines, and lines with a word of a state, in the order of the log; at most 144. */
  readonly states: readonly StateLine[];
  /** Lines of short answers to a command: the reporter chose them. */
  readonly excerpts: readonly StateLine[];
  /** Rows of listings that show the target in a good state. */
  readonly goodRows: readonly GoodRow[];
  /** The first answers to commands, in the order of the log. */
  readonly parts: readonly LogPart[];
  /** The lines of a short log, without settings and rows; null for a longer one. */
  readonly lines: readonly StateLine[] | null;
}

/** Characters. A longer line is a data dump: its sentences are read as lines. */
const MAX_LINE_LENGTH = 2_000;
/** Characters of a piece of a data dump. */
const MAX_PIECE_LENGTH = 600;
const MIN_PIECE_LENGTH = 12;
/** Templates that are counted at a time. */
const MAX_GROUPS = 4_000;
const CAUSES = ["Caused by: ", "---> ", "[cause]: "];
/** Marks of failed tests. */
const MARKS = new Set([..."●✕✖✗✘❌"].map((character) => character.charCodeAt(0)));
/** Weight of the line below an announcement and of a marked one, whatever its words. */
const ANNOUNCED_WEIGHT = 0.6;
const MAX_STATE_LINES = 48;
const MAX_PARTS = 48;
const MAX_NONE_LENGTH = 6;
/** Lines in an answer to a command that is short enough to be read whole. */
const MAX_EXCERPT_LINES = 4;
const MAX_EXCERPTS = 24;
const MAX_ROWS = 60;
const MAX_PROMPT_LENGTH = 100;
/** Rows of a listing whose columns are read. Further ones are read as lines, except those of the target. */
const MAX_PARSED_ROWS = 2_000;
/** First characters of lines that belong to a stack trace: "at", "...", "Caused by", "--->", "[cause]", "Traceback", "Suppressed", "goroutine". */
const TRACE_STARTS = new Set([..."a.C-[TSg"].map((character) => character.charCodeAt(0)));
/** Lines of a log that is short enough to be read whole. */
const MAX_SHORT_LOG = 10;

export function scanLog(log: string, names: readonly string[]): ScannedLog {
  const scan = new LogScan(log, names);
  for (let start = 0; start <= log.length; ) {
    const newline = log.indexOf("\n", start);
    const end = newline === -1 ? log.length : newline;
    scan.readLine(start, end);
    start = end + 1;
  }
  return scan.result();
}

class LogScan {
  readonly #log: string;
  readonly #names: readonly string[];
  readonly #words = new WordScanner();
  readonly #sections = new SectionTracker();
  readonly #groups = new Map<number, MutableCandidate>();
  readonly #firstStates: StateLine[] = [];
  readonly #lastStates: StateLine[] = [];
  readonly #goodRows: GoodRow[] = [];
  readonly #rows: MutableCandidate[] = [];
  readonly #short: StateLine[] = [];
  readonly #excerpts: StateLine[] = [];
  /** The lines below the last command; null once they are too many, and before the first command. */
  #answer: StateLine[] | null = null;
  #line = 0;
  /** Index of the line's first character behind the names and times of a collector. */
  #content = 0;
  /** Lines that are not blank. */
  #written = 0;
  readonly #parts: LogPart[] = [];
  #partStart = 1;
  #partLines = 0;
  #parsedRows = 0;
  #tableRules = 0;
  #lastAdded: { readonly line: number; readonly template: number } | null = null;
  #header: readonly string[] | null = null;
  #trace: "none" | "script" | "routine" = "none";
  /** The exception above the stack frames, and its last cause. */
  #exception: MutableCandidate | null = null;
  #cause: MutableCandidate | null = null;
  /** A line that may only announce the exception below it. */
  #announcement: MutableCandidate | null = null;

  constructor(log: string, names: readonly string[]) {
    this.#log = log;
    this.#names = names;
  }

  readLine(lineStart: number, lineEnd: number): void {
    this.#line += 1;
    const log = this.#log;
    let end = lineEnd;
    while (end > lineStart && log.charCodeAt(end - 1) <= 32) end -= 1;
    let start = lineStart;
    while (start < end && isIndent(log.charCodeAt(start))) start += 1;
    if (start === end || this.#isComment(start)) {
      this.#endBlock();
      if (start < end) this.#startPart();
      return;
    }
    this.#addToAnswer(start, end);
    this.#written += 1;
    this.#partLines += 1;
    const from = start === lineStart ? contentStart(log, start) : start;
    let content = from;
    while (content < end && isIndent(log.charCodeAt(content))) content += 1;
    this.#content = content;
    const indent = content - (from === start ? lineStart : from);
    if (end - start > MAX_LINE_LENGTH) this.#readDump(start, end);
    else if (!this.#isFrame(content, end, indent)) this.#readText(start, end, indent);
  }

  #readText(start: number, end: number, indent: number): void {
    this.#words.scan(this.#log, start, end);
    if (this.#words.weight === 0 && !this.#words.hasLowerCase && isTableRule(this.#log.slice(start, end))) {
      this.#endTableHeader();
      return;
    }
    if (this.#words.weight > 0 && isPrompt(this.#log.slice(start, Math.min(end, start + MAX_PROMPT_LENGTH)))) return;
    if (end - start <= MAX_NONE_LENGTH && isNone(this.#log.slice(start, end))) this.#dropHeading();
    const share = this.#sections.shareOf(this.#log, this.#content, end, indent);
    if (this.#isRow(start, end)) return;
    if (share === 0) return;
    this.#add(start, end, share);
    if (this.#short.length < MAX_SHORT_LOG) this.#short.push({ line: this.#line, text: this.#log.slice(start, end) });
  }

  result(): ScannedLog {
    this.#endTrace();
    this.#endBlock();
    this.#endPart();
    const candidates = [...promising([...this.#groups.values()], MAX_CANDIDATES), ...this.#rows].sort(
      (a, b) => a.line - b.line,
    );
    const lines = this.#written <= MAX_SHORT_LOG ? this.#short : null;
    const states = [...this.#firstStates, ...this.#lastStates];
    const [excerpts, goodRows, parts] = [this.#excerpts, this.#goodRows, this.#parts];
    return { candidates, states, excerpts, goodRows, parts, lines };
  }

  /** A blank line or a heading ends listings, blocks of settings and goroutine dumps. Other stack traces go on. */
  #endBlock(): void {
    if (this.#answer !== null && this.#excerpts.length < MAX_EXCERPTS) this.#excerpts.push(...this.#answer);
    this.#answer = null;
    this.#tableRules = 0;
    this.#header = null;
    this.#sections.reset();
    if (this.#trace === "routine") this.#trace = "none";
  }

  #startPart(): void {
    this.#answer = [];
    this.#endPart();
  }

  #endPart(): void {
    if (this.#partLines > 0 && this.#parts.length < MAX_PARTS)
      this.#parts.push({ first: this.#partStart, last: this.#line, lines: this.#partLines });
    this.#partStart = this.#line;
    this.#partLines = 0;
  }

  #addToAnswer(start: number, end: number): void {
    if (this.#answer === null) return;
    if (this.#answer.length === MAX_EXCERPT_LINES) this.#answer = null;
    else this.#answer.push({ line: this.#line, text: this.#log.slice(start, Math.min(end, start + MAX_LINE_LENGTH)) });
  }

  /** The names of a table's columns stand above its first rule, or between its first two. */
  #endTableHeader(): void {
    this.#tableRules += 1;
    const last = this.#lastAdded;
    if (this.#tableRules > 2 || last === null) return;
    const group = this.#groups.get(last.template);
    if (last.line === this.#line - 1 && group?.count === 1) this.#groups.delete(last.template);
  }

  /** "Alarms" above "(none)" is no alarm. */
  #dropHeading(): void {
    const group = this.#lastAdded ? this.#groups.get(this.#lastAdded.template) : undefined;
    if (group?.count === 1 && this.#line - group.line <= 2 && /^[A-Za-z ]{3,40}:?$/.test(group.text))
      this.#groups.delete(group.template);
  }

  /** "# comment", "### heading", "$ command" and "#1 a frame of a stack trace". */
  #isComment(start: number): boolean {
    const code = this.#log.charCodeAt(start);
    if (code === 35) return !isBuildOutput(this.#log, start);
    return code === 36 && this.#log.charCodeAt(start + 1) === 32;
  }

  /** Follows stack traces. Frames are no candidates. */
  #isFrame(start: number, end: number, indent: number): boolean {
    const log = this.#log;
    const first = log.charCodeAt(start);
    // Most lines are none of those below.
    if (this.#trace === "none" && this.#exception === null && !TRACE_STARTS.has(first)) return false;
    if (log.startsWith("at ", start) && indent > 0) {
      // An exception stands directly above its frames.
      if (this.#exception?.line === this.#line - 1) this.#exception.isRoot = true;
      return true;
    }
    if ((log.startsWith("... ", start) || log.startsWith("Suppressed: ", start)) && indent > 0) return true;
    if (log.startsWith("--- End of ", start)) return true;
    if (this.#startsCause(start)) return false;
    this.#endTrace();
    if (log.startsWith("Traceback (", start)) {
      this.#trace = "script";
      this.#announcement = this.#addedAbove();
      return true;
    }
    if (log.startsWith("goroutine ", start) && log.charCodeAt(end - 1) === 58) {
      this.#trace = "routine";
      return true;
    }
    if (this.#trace === "routine") return true;
    return this.#trace === "script" && indent > 0;
  }

  #startsCause(start: number): boolean {
    return CAUSES.some((words) => this.#log.startsWith(words, start));
  }

  /** The candidate in the line above. */
  #addedAbove(): MutableCandidate | null {
    const last = this.#lastAdded;
    return (last?.line === this.#line - 1 ? this.#groups.get(last.template) : undefined) ?? null;
  }

  #endTrace(): void {
    if (this.#cause) {
      this.#cause.isRoot = true;
      if (this.#exception) Object.assign(this.#exception, { isWrapper: true, isRoot: false });
    }
    this.#cause = null;
    this.#exception = null;
  }

  #readDump(start: number, end: number): void {
    for (let from = start; from < end; ) {
      const to = pieceEnd(this.#log, from, end);
      this.#words.scan(this.#log, from, to);
      this.#add(from, to, 1);
      from = to;
    }
  }

  #isRow(start: number, end: number): boolean {
    const words = this.#words;
    if (!words.hasLowerCase && this.#header === null) {
      const line = this.#log.slice(start, end);
      if (isListingHeader(line)) {
        this.#header = line.split(/ {2,}|\t+/);
        return true;
      }
    }
    const isBare = this.#header === null && words.hasFraction && isBareRow(this.#log.slice(start, end));
    if (this.#header === null && !isBare) return false;
    const text = this.#log.slice(start, end);
    if (/\bWarning\b|\bNormal\b/.test(text.slice(0, 80))) return this.#readEventRow(text);
    if (this.#parsedRows >= MAX_PARSED_ROWS && !this.#names.some((name) => text.includes(name))) return false;
    if (holdsSentence(text)) return false;
    this.#parsedRows += 1;
    const row = readRow(text, this.#header ?? []);
    this.#addRow(text, row);
    // A row in no known state counts by its words.
    return row.isBad || row.isGood || words.weight === 0;
  }

  /** A row of a listing of events: it counts by its words; an event of another object counts as a row of that object. */
  #readEventRow(text: string): boolean {
    const object = /\s(?:[A-Za-z.]+\/)([\w.-]+)\s/.exec(text.slice(0, 400))?.[1];
    if (object === undefined || this.#isTarget([object])) return false;
    if (this.#words.weight === 0) {
      if (this.#names.length === 0) this.#addState(text);
      return true;
    }
    this.#addRow(text, { names: [object], isBad: true, isGood: false, isCounted: false });
    return true;
  }

  #addRow(text: string, { names, isBad, isGood, isCounted }: ListedRow): void {
    const isTarget = this.#names.length === 0 || this.#isTarget(names) || (isBad && listsMachines(this.#header ?? []));
    if (isGood && isTarget && this.#goodRows.length < MAX_STATE_LINES)
      this.#goodRows.push({ line: this.#line, text, isCounted });
    if (!isBad || this.#rows.length >= MAX_ROWS) return;
    const row = { isOther: !isTarget, isTarget: this.#names.length > 0 && isTarget };
    this.#rows.push(this.#candidate(text, { words: this.#words.weight, share: 1, row }));
  }

  #isTarget(names: readonly string[]): boolean {
    return names.some((name) => this.#names.some((target) => isSameObject(name, target)));
  }

  #candidate(text: string, rest: Pick<CandidateLine, "words" | "share" | "row">): MutableCandidate {
    const flags = { isRoot: false, isWrapper: false, template: this.#words.template };
    return { line: this.#line, last: this.#line, count: 1, text, ...flags, ...rest };
  }

  #add(start: number, end: number, share: number): void {
    const { template, mayShowState } = this.#words;
    const above = this.#addedAbove();
    const isAnnounced = above?.line === this.#line - 1 && announcesMessage(above.text);
    const isCandidate = isAnnounced || MARKS.has(this.#log.charCodeAt(this.#content));
    const words = isCandidate ? Math.max(ANNOUNCED_WEIGHT, this.#words.weight) : this.#words.weight;
    if (mayShowState || this.#written <= MAX_STATE_LINES) this.#addState(this.#log.slice(start, end));
    if (words === 0) return;
    const group = this.#groups.get(template);
    if (group) group.count += 1;
    if (group) group.last = this.#line;
    const isHeavier = group === undefined || group.share < share || group.words < words;
    const added = isHeavier ? this.#candidate(this.#log.slice(start, end), { words, share, row: null }) : group;
    if (group && added !== group) Object.assign(added, { count: group.count, isRoot: group.isRoot });
    if (isHeavier) this.#groups.set(template, added);
    if (this.#groups.size > MAX_GROUPS) this.#dropGroups();
    this.#lastAdded = { line: this.#line, template };
    if (isAnnounced) added.isRoot = true;
    if (above && above !== added && (isAnnounced || startsWithException(this.#log.slice(this.#content, end))))
      this.#announcement = above;
    this.#placeInTrace(added, this.#content);
  }

  /** Keeps the most promising groups. Their number bounds the memory. */
  #dropGroups(): void {
    const kept = promising([...this.#groups.values()], MAX_GROUPS / 4);
    this.#groups.clear();
    for (const group of kept) this.#groups.set(group.template, group);
  }

  #placeInTrace(candidate: MutableCandidate, start: number): void {
    if (this.#startsCause(start)) this.#cause = candidate;
    else this.#exception = candidate;
    if (this.#announcement && this.#announcement !== candidate)
      Object.assign(this.#announcement, { isWrapper: true, isRoot: false });
    this.#announcement = null;
    // The line below the frames of a script's trace is the exception.
    if (this.#trace === "script") candidate.isRoot = true;
    this.#trace = "none";
  }

  #addState(text: string): void {
    const state = { line: this.#line, text };
    if (this.#firstStates.length < MAX_STATE_LINES) this.#firstStates.push(state);
    else {
      if (this.#lastStates.length >= 2 * MAX_STATE_LINES) this.#lastStates.splice(0, MAX_STATE_LINES);
      this.#lastStates.push(state);
    }
  }
}

function isNone(line: string): boolean {
  return /^\(?none\)?$|^\[\]$|^0$/i.test(line);
}

const BUILD_OUTPUT = /#\d{1,4} (?:\d{1,6}\.\d{1,4} |ERROR)/y;

/** A line of a build step of BuildKit: "#12 3.211 sh: tsc: not found". */
function isBuildOutput(log: string, start: number): boolean {
  BUILD_OUTPUT.lastIndex = start;
  return BUILD_OUTPUT.test(log);
}

/** A command that somebody typed: "shop=# select", "db> show", "ops@web-1:~$ tail". */
function isPrompt(line: string): boolean {
  return /^(?:\w[\w.-]{0,39}(?:=[#>*]|[>#])|[\w.-]{1,40}@[\w.-]{1,60}[: ][^$#]{0,40}[$#]) \S/.test(line);
}

/** Blanks, and the characters that draw a tree. */
function isIndent(code: number): boolean {
  return (
    code === 32 ||
    code === 9 ||
    code === 13 ||
    code === 0x2502 ||
    code === 0x251c ||
    code === 0x2514 ||
    code === 0x2500 ||
    code === 0xa0
  );
}

/** The end of a sentence, a string or an object of a data dump. */
function pieceEnd(text: string, start: number, end: number): number {
  const limit = Math.min(end, start + MAX_PIECE_LENGTH);
  let lastBlank = -1;
  for (let at = start + MIN_PIECE_LENGTH; at < limit; at++) {
    const code = text.charCodeAt(at);
    if (code === 125 || code === 93) return at + 1;
    if (code === 32) {
      lastBlank = at;
      const before = text.charCodeAt(at - 1);
      if (before === 46 || before === 59 || (before === 44 && text.charCodeAt(at - 2) === 34)) return at;
    }
    if (code === 92 && text.charCodeAt(at + 1) === 110) return at + 2;
    if (code === 44 && text.charCodeAt(at - 1) === 34) return at + 1;
  }
  if (limit === end) return end;
  return lastBlank > start ? lastBlank + 1 : limit;
}
