// Labels and words as people type them. Pure functions.

import type { LabelRule } from "./types.ts";

/** `team=payments, env=prod` as labels. Parts without `=` are left out. */
export function parseLabels(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(/[,\n]/).flatMap((part) => {
      const at = part.indexOf("=");
      const name = part.slice(0, Math.max(at, 0)).trim();
      return name === "" ? [] : [[name, part.slice(at + 1).trim()]];
    }),
  );
}

/** `team=payments, billing; env=prod`: values are separated by commas, labels by semicolons. */
export function parseMatch(text: string): LabelRule["match"] {
  return Object.fromEntries(
    text.split(";").flatMap((part) => {
      const at = part.indexOf("=");
      const name = part.slice(0, Math.max(at, 0)).trim();
      return name === "" ? [] : [[name, parseList(part.slice(at + 1))]];
    }),
  );
}

export function matchText(match: LabelRule["match"]): string {
  return Object.entries(match)
    .map(([name, values]) => `${name}=${values.join(", ")}`)
    .join("; ");
}

export function parseList(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}
