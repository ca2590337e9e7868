// A log from a file, as text that fits into a request: its start, its end and the error lines between them.

export interface PastedFile {
  readonly text: string;
  /** What was left out; null if nothing was. */
  readonly note: string | null;
}

/** Share of control characters from which on data is binary. */
const MAX_CONTROL_SHARE = 0.1;
const SAMPLE_BYTES = 65_536;
const COUNT = new Intl.NumberFormat("en-US");

/** Reads a file of any size in bounded memory. @throws Error with a message for people when it holds no text */
export async function readFile(file: File): Promise<PastedFile> {
  const sample = new Uint8Array(await file.slice(0, SAMPLE_BYTES).arrayBuffer());
  if (file.size === 0) throw new Error(`${file.name} is empty.`);
  if (isBinary(sample)) throw new Error(`${file.name} is no text. Unpack it first, or choose a log file.`);
  const { LogFitter } = await import("../../../../lib/logs/fit-log.ts");
  const fitter = new LogFitter();
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) fitter.push(next.value);
  const { text, lines, linesOmitted, charactersOmitted } = fitter.result();
  return { text, note: noteOf(file.name, { lines, linesOmitted, charactersOmitted }) };
}

/** A pasted text that is too long for a request is cut in the same way. */
export async function fitText(text: string): Promise<PastedFile> {
  const { fitLog, MAX_LOG_LENGTH } = await import("../../../../lib/logs/fit-log.ts");
  if (text.length <= MAX_LOG_LENGTH / 2) return { text, note: null };
  const fitted = fitLog(text);
  return { text: fitted.text, note: noteOf("The text", fitted) };
}

interface Omitted {
  readonly lines: number;
  readonly linesOmitted: number;
  readonly charactersOmitted: number;
}

function noteOf(name: string, { lines, linesOmitted, charactersOmitted }: Omitted): string | null {
  if (linesOmitted > 0)
    return `${name} has ${COUNT.format(lines)} lines. ${COUNT.format(lines - linesOmitted)} are sent: its start, its end and the error lines between them.`;
  if (charactersOmitted > 0)
    return `${name} has very long lines. ${COUNT.format(charactersOmitted)} characters in the middle of them are left out.`;
  return null;
}

function isBinary(bytes: Uint8Array): boolean {
  const controls = bytes.filter((byte) => byte < 32 && ![8, 9, 10, 12, 13, 27].includes(byte)).length;
  return controls > bytes.length * MAX_CONTROL_SHARE;
}
