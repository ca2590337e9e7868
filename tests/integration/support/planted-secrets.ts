// Plants secrets, each a different one, in what is sent to Dejavu, and finds them in what it wrote to the console.

import { inspect } from "node:util";
import { vi } from "vitest";

/** Begins every planted word; nothing else does. */
const MARK = "zqplanted";

export interface Planter {
  /** A secret and an e-mail address in words that no scrubber has to know. @param where it is planted, to tell a leak */
  plant(where: string): string;
  /** The same without blanks, for a place that takes no others. */
  word(where: string): string;
  /** Where each secret was planted that the text holds. */
  foundIn(text: string): string[];
  readonly count: number;
}

export function createPlanter(): Planter {
  const places: string[] = [];
  const word = (where: string) => `${MARK}${places.push(where) - 1}q`;
  return {
    plant: (where) => {
      const secret = word(where);
      return `${secret} ${secret}@corp.example`;
    },
    word,
    foundIn: (text) => {
      const numbers = [...text.matchAll(new RegExp(`${MARK}(\\d+)`, "gi"))].map(([, number]) => Number(number));
      return [...new Set(numbers)].map((number) => places[number] ?? "nowhere");
    },
    get count() {
      return places.length;
    },
  };
}

export type Path = readonly (string | number)[];

/** The places of a value where a string stands. */
export function stringPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value === "string") return [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    stringPaths(each, [...path, Array.isArray(value) ? Number(name) : name]),
  );
}

/** A copy with another value at the place. */
export function withValueAt(value: unknown, [name, ...rest]: Path, planted: unknown): unknown {
  if (name === undefined) return planted;
  if (Array.isArray(value)) return value.map((each, i) => (i === name ? withValueAt(each, rest, planted) : each));
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.map(([key, each]) => [key, key === name ? withValueAt(each, rest, planted) : each]),
  );
}

/** Everything that is written to the console from now on, a text a call, in place of being shown. */
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
