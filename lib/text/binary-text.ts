// Detects binary data that was sent as text. Pure functions.

/** Characters that are read. */
const SAMPLE = 8_192;
/** Share of control characters and replacement characters from which on a text is binary data. */
const MAX_CONTROL_SHARE = 0.1;
/** A shorter text may hold a few by chance. */
const MIN_CONTROLS = 4;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches them.
const CONTROL = /[\u0000-\u0007\u000e-\u001a\u001c-\u001f\u007f-\u0084\u0086-\u009f\ufffd]/g;

/** First characters of formats, decoded as Latin-1, or as UTF-8 with replacement characters. */
const FORMATS: readonly (readonly [start: RegExp, name: string])[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the formats begin with them.
  [/^\u001f[\u008b\ufffd]/, "a gzip archive"],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the formats begin with them.
  [/^PK\u0003\u0004/, "a ZIP archive"],
  [/^\(\u00b5\/\u00fd|^\(\ufffd\/\ufffd/, "a Zstandard archive"],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the formats begin with them.
  [/^[\u0089\ufffd]PNG\r?\n\u001a/, "a PNG image"],
  [/^(?:\u00ff\u00d8\u00ff|\ufffd{3}.{0,4}(?:JFIF|Exif))/, "a JPEG image"],
  [/^%PDF-\d/, "a PDF"],
];

/** The format that a text begins as, such as "a gzip archive"; null for another. */
export function binaryFormat(text: string): string | null {
  return FORMATS.find(([start]) => start.test(text))?.[1] ?? null;
}

/** What the text is, such as "a gzip archive"; null for text. */
export function binaryKind(text: string): string | null {
  const format = binaryFormat(text);
  if (format !== null) return format;
  const sample = text.slice(0, SAMPLE);
  const controls = sample.match(CONTROL)?.length ?? 0;
  return controls >= MIN_CONTROLS && controls > sample.length * MAX_CONTROL_SHARE ? "binary data" : null;
}
