// Reads a file or a stream as text: decodes it, refuses binary data, and fits it into a request in bounded memory.

import { type FittedLog, LogFitter } from "../../lib/logs/fit-log.ts";
import { CommandError } from "../service/command-error.ts";

/** Bytes that decide on the encoding. */
const SAMPLE_BYTES = 65_536;
/** Characters of a JSON document that is kept whole. */
const MAX_JSON_LENGTH = 16_000_000;
/** Share of control characters in the sample from which on data is binary. */
const MAX_CONTROL_SHARE = 0.1;
/** Share from which on other rare characters count, too. */
const MIN_CONTROL_SHARE = 0.02;

export interface InputText extends FittedLog {
  /** The whole text if it begins as a JSON document does; null for other texts, and above 16 million characters. */
  readonly json: string | null;
  readonly notes: readonly string[];
}

/** @param name the source in messages @throws CommandError for binary data, and when the source cannot be read */
export async function readText(chunks: AsyncIterable<unknown>, name: string): Promise<InputText> {
  const reader = new TextReader(name);
  for await (const chunk of chunks) reader.push(bytesOf(chunk));
  return reader.result();
}

class TextReader {
  readonly #name: string;
  readonly #fitter = new LogFitter();
  readonly #notes: string[] = [];
  #sample: Buffer[] | null = [];
  #sampleBytes = 0;
  #decoder: InstanceType<typeof TextDecoder> | null = null;
  /** The chunks of a JSON document; null for other texts. */
  #json: string[] | null = null;
  #jsonLength = 0;
  #isStarted = false;

  constructor(name: string) {
    this.#name = name;
  }

  push(bytes: Buffer): void {
    if (this.#sample === null) {
      this.#take(this.#decoder?.decode(bytes, { stream: true }) ?? "");
      return;
    }
    this.#sample.push(bytes);
    this.#sampleBytes += bytes.length;
    if (this.#sampleBytes >= SAMPLE_BYTES) this.#start();
  }

  result(): InputText {
    this.#start();
    this.#take(this.#decoder?.decode() ?? "");
    return { ...this.#fitter.result(), json: this.#json?.join("") ?? null, notes: this.#notes };
  }

  #start(): void {
    if (this.#sample === null) return;
    const sample = Buffer.concat(this.#sample);
    this.#sample = null;
    const encoding = encodingOf(sample, this.#name);
    if (encoding === "windows-1252")
      this.#notes.push(`${this.#name} is not UTF-8; it was read as Windows-1252 (Latin-1).`);
    this.#decoder = new TextDecoder(encoding);
    this.#take(this.#decoder.decode(sample, { stream: true }));
  }

  #take(decoded: string): void {
    const text = decoded.includes("\0") ? decoded.replaceAll("\0", "") : decoded;
    if (text === "") return;
    this.#fitter.push(text);
    if (!this.#isStarted && text.trim() !== "") {
      this.#isStarted = true;
      if (/^\s*[{[]/.test(text)) this.#json = [];
    }
    if (this.#json === null) return;
    this.#json.push(text);
    this.#jsonLength += text.length;
    if (this.#jsonLength > MAX_JSON_LENGTH) this.#json = null;
  }
}

function bytesOf(chunk: unknown): Buffer {
  if (typeof chunk === "string") return Buffer.from(chunk);
  if (chunk instanceof Uint8Array) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  throw new TypeError("A stream must yield bytes or strings.");
}

/** First bytes of formats that people mistake for a log, and what to do. */
const FORMATS: readonly (readonly [bytes: string, advice: string])[] = [
  ["1f8b", "is compressed (gzip). Decompress it first: gunzip -c FILE | dejavu triage -"],
  ["28b52ffd", "is compressed (Zstandard). Decompress it first: zstd -dc FILE | dejavu triage -"],
  ["fd377a585a00", "is compressed (xz). Decompress it first: xz -dc FILE | dejavu triage -"],
  ["425a68", "is compressed (bzip2). Decompress it first: bunzip2 -c FILE | dejavu triage -"],
  ["504b0304", "is a ZIP archive. Unpack it and pass the log file."],
  ["4c504b5348485248", "is a binary journal. Print it as text: journalctl --file FILE --no-pager"],
  ["25504446", "is a PDF. Pass the text instead."],
  ["89504e47", "is an image. Pass the text instead."],
  ["ffd8ff", "is an image. Pass the text instead."],
  ["0000feff", "is encoded in UTF-32. Convert it to UTF-8 first: iconv -f UTF-32 -t UTF-8 FILE"],
  ["fffe0000", "is encoded in UTF-32. Convert it to UTF-8 first: iconv -f UTF-32 -t UTF-8 FILE"],
];

/** @throws CommandError for data that is no text */
function encodingOf(sample: Buffer, name: string): string {
  const start = sample.toString("hex", 0, 8);
  const format = FORMATS.find(([bytes]) => start.startsWith(bytes));
  if (format) throw new CommandError("usage", `${name} ${format[1]}`);
  if (start.startsWith("fffe")) return "utf-16le";
  if (start.startsWith("feff")) return "utf-16be";
  // A log that was truncated while its program wrote to it begins with NUL bytes.
  const first = sample.findIndex((byte) => byte !== 0);
  const text = first === -1 ? sample.subarray(sample.length) : sample.subarray(first - (first % 2));
  const wide = wideEncodingOf(text);
  if (wide !== null) return wide;
  const controls = text.filter((byte) => byte < 32 && ![8, 9, 10, 12, 13, 27].includes(byte)).length;
  const isUtf8 = isValidUtf8(text);
  // Beside control characters, the bytes that Western texts seldom have show binary data, too.
  const rare = isUtf8 || controls < text.length * MIN_CONTROL_SHARE ? 0 : text.filter((byte) => byte >> 5 === 4).length;
  if (controls + rare > text.length * MAX_CONTROL_SHARE)
    throw new CommandError(
      "usage",
      `${name} is binary data, and no text. Pass a log file, or the output of a command.`,
    );
  // Every byte is a character in Windows-1252, which includes Latin-1.
  return isUtf8 ? "utf-8" : "windows-1252";
}

function isValidUtf8(text: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(text, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** UTF-16 without a mark: every second byte of Western text is zero. */
function wideEncodingOf(text: Buffer): "utf-16le" | "utf-16be" | null {
  const zeros = [0, 0];
  for (const [i, byte] of text.entries()) if (byte === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const half = text.length / 2;
  if (odd > half * 0.6 && even < half * 0.05) return "utf-16le";
  if (even > half * 0.6 && odd < half * 0.05) return "utf-16be";
  return null;
}
