// Markers in the place of a removed text: of a secret, of personal data or of an injected instruction. A marker says
// nothing about the failure, so every analysis of a report reads the text without its markers.

/** `[REDACTED_TOKEN]`; `[REDACTED]`, as other tools write it; `[line removed: …]`. */
const MARKER = /\[REDACTED(?:_\w{1,40})?\]|\[line removed[^\]\n]{0,80}\]/gi;
/** With one of two blanks around it: the words on both sides stay apart, and no column seems to end there. */
const MARKER_AND_BLANK = new RegExp(
  `(?<=^|\\s)(?:${MARKER.source})[ \\t]|[ \\t](?:${MARKER.source})(?=[ \\t]*$)|(?:${MARKER.source})`,
  "gim",
);
const HINT = /\[REDACTED|\[line removed/i;

/** The text with the places of markers left empty. Linear in the text. */
export function withoutMarkers(text: string): string {
  return HINT.test(text) ? text.replace(MARKER_AND_BLANK, "") : text;
}

export interface UnmarkedLog {
  /** Without markers, and without lines that held nothing else. */
  readonly text: string;
  /** The number of a line in the original log, from 1. */
  lineOf(line: number): number;
  /** The original line; undefined if it holds no marker. @param line number in `text`, from 1 */
  markedLine(line: number): string | undefined;
}

/** A line that consists of a marker is left out: an empty one would end a stack trace or a block. */
export function unmarkedLog(log: string): UnmarkedLog {
  if (!HINT.test(log)) return { text: log, lineOf: (line) => line, markedLine: () => undefined };
  const lines = log.split("\n").flatMap((original, i) => {
    const text = withoutMarkers(original);
    const isOnlyMarkers = text.trim() === "" && original.trim() !== "";
    return isOnlyMarkers ? [] : [{ text, original, line: i + 1 }];
  });
  return {
    text: lines.map(({ text }) => text).join("\n"),
    lineOf: (line) => lines[line - 1]?.line ?? line,
    markedLine: (line) => {
      const each = lines[line - 1];
      return each === undefined || each.text === each.original ? undefined : each.original;
    },
  };
}
