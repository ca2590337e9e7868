// Distinguishes the sentences of a person from the output of a program, in any language.

const MAX_READ_LENGTH = 400;

/** A time, and the marks of comments, lists and quotations in front of a line. */
const OPENING =
  /^[\s#>*●•│├└─-]{0,40}\[?(?:\d{4}[-/.]\d{2}[-/.]\d{2}[T ]?)?(?:\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?\]?\s{0,10}/;
/** What a program prints in front of its message: a level, its name and process, or the name of a field. */
const PROGRAM =
  /\b(?:FATAL|CRITICAL|ERROR|ERR|WARN(?:ING)?|INFO|NOTICE|LOG|DEBUG|TRACE)\b|[[=<"](?:fatal|critical|error|err|warn(?:ing)?|info|notice|debug|trace)\b|^[IWEF]\d{4,6} |\b[\w.@/-]{1,60}\[\d{1,10}\]:|^(?:"?\w{1,60}_\w{1,60}"?|(?:"?(?:[Mm]essage|msg|[Rr]eason)"?)) ?[:=]/;
const WORD = "\\p{L}[\\p{L}\\p{M}'’-]{0,30}";
/** Four words in a row. */
const WORDS = new RegExp(`(?:^|[\\s:(])(?:${WORD}[,.;]? ){3}\\p{L}`, "u");
/** A line of three words. */
const THREE_WORDS = new RegExp(`^(?:${WORD},? ){2}${WORD}[.!?]?$`, "u");
const COLUMN_GAP = /\s{2,}|\t|\s?\|\s?/;
/** A value after its name: "overall result: PASSED". */
const NAMED_VALUE = /^[^:]{1,80}: ?\S{1,40}$/;
/** Languages without blanks between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]{6}/u;
/** A heading in capitals, or a remark in brackets. */
const HEADING = /^[^\p{Ll}\p{Lo}]*$|^\(.*\)$/u;

/** Whether a line is a sentence, and neither a cell of a table nor the message of a program. */
export function isSentence(line: string): boolean {
  const text = line
    .slice(0, MAX_READ_LENGTH)
    .replace(OPENING, "")
    .replace(/"[^"]*"/g, '""')
    .trimEnd();
  const [column = ""] = text.split(COLUMN_GAP, 1);
  if (UNSPACED.test(column)) return true;
  if (!(WORDS.test(column) || THREE_WORDS.test(text)) || HEADING.test(text) || NAMED_VALUE.test(text)) return false;
  const program = PROGRAM.exec(text);
  return program === null || THREE_WORDS.test(text.slice(0, program.index).trimEnd());
}

/** A command that somebody typed: "$ uptime", "shell> show status", "ops@web-1:~$ tail". */
const COMMAND = /^\s{0,20}(?:\$|[\w.-]{1,40}(?:=[#>*]|[>#])|[\w.-]{1,40}@[\w.-]{1,60}[: ][^$#]{0,40}[$#]) /;

/** The lines of a log in which somebody describes what they see beside the output of programs. */
export function sentencesIn(log: string): string[] {
  return log.split("\n").filter((line) => !COMMAND.test(line) && isSentence(line));
}
