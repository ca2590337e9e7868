// Plants unique secrets in requests to Dejavu and finds them in its console output.

import { inspect } from "node:util";
import { vi } from "vitest";

/** The prefix of every planted word. It occurs nowhere else. */
const PREFIX = "zqplanted";

export interface Planter {
  /** A secret and an e-mail address that match no pattern of the scrubber. @param where the place, for the report of a leak */
  plant(where: string): string;
  /** A single word, for fields that allow no blanks. */
  word(where: string): string;
  /** The places of the secrets that the text contains. */
  foundIn(text: string): string[];
  readonly count: number;
}

export function createPlanter(): Planter {
  const places: string[] = [];
  const word = (where: string) => `${PREFIX}${places.push(where) - 1}q`;
  return {
    plant: (where) => {
      const secret = word(where);
      return `${secret} ${secret}@corp.example`;
    },
    word,
    foundIn: (text) => {
      const numbers = [...text.matchAll(new RegExp(`${PREFIX}(\\d+)`, "gi"))].map(([, number]) => Number(number));
      return [...new Set(numbers)].map((number) => places[number] ?? "nowhere");
    },
    get count() {
      return places.length;
    },
  };
}

export type Path = readonly (string | number)[];

/** The paths of all strings in a value. */
export function stringPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value === "string") return [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    stringPaths(each, [...path, Array.isArray(value) ? Number(name) : name]),
  );
}

/** A copy with another value at the path. */
export function withValueAt(value: unknown, [name, ...rest]: Path, planted: unknown): unknown {
  if (name === undefined) return planted;
  if (Array.isArray(value)) return value.map((each, i) => (i === name ? withValueAt(each, rest, planted) : each));
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.map(([key, each]) => [key, key === name ? withValueAt(each, rest, planted) : each]),
  );
}

/** Captures console output instead of showing it: one text for each call. */
export function captureConsole(): { readonly lines: string[]; restore(): void } {
  const lines: string[] = [];
  const methods = ["log", "debug", "info", "warn", "error", "trace", "dir", "table"] as const;
  const spies = methods.map((method) =>
    vi.spyOn(console, method).mockImplementation((...parts: unknown[]) => {
      lines.push(parts.map((part) => (typeof part === "string" ? part : inspect(part, { depth: 9 }))).join(" "));
    }),
  );
  return { lines, restore: () => spies.forEach((spy) => void spy.mockRestore()) };
}
