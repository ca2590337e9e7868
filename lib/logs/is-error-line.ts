// Whether a single line of a log shows an error, for logs that are shortened.

import { meansFailure } from "./weigh-line.ts";
import { WordScanner } from "./word-scanner.ts";

const scanner = new WordScanner();

/** Reads the first 240 characters. */
export function isErrorLine(line: string): boolean {
  const text = line.trimStart();
  scanner.scan(text, 0, Math.min(text.length, 240));
  return scanner.weight > 0 && meansFailure(text);
}
