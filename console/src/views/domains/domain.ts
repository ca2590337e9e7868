// A domain in the API and in addresses, and its labels and words as people type them. Pure functions.

import type { Body } from "../../api/types.ts";
import { consolePath } from "../../format/console-path.ts";

export type DomainRecord = Body<"/v1/domains/{name}">;
export type Definition = DomainRecord["definition"];
export type Hint = Definition["hints"][number];
type LabelRule = Definition["labels"][number];

export const DOMAINS = consolePath("/domains");

export function domainHref(name: string, part: "read" | "edit" = "read"): string {
  return `${DOMAINS}/${encodeURIComponent(name)}${part === "read" ? "" : `?part=${part}`}`;
}

/** Of a hint or a label rule. */
export const WEIGHTS: Readonly<Record<Hint["weight"], string>> = { 1: "faint hint", 2: "usual here", 3: "decisive" };

/** `team=payments, env=prod` as labels. */
export function parseLabels(text: string): Record<string, string> {
  return Object.fromEntries(pairsOf(text.split(/[,\n]/)));
}

/** `team=payments, billing; env=prod`: values are separated by commas, labels by semicolons. */
export function parseMatch(text: string): LabelRule["match"] {
  return Object.fromEntries(pairsOf(text.split(";")).map(([name, values]) => [name, parseList(values)]));
}

/** Name and value of each part; those without `=` are left out. */
function pairsOf(parts: readonly string[]): [string, string][] {
  return parts.flatMap((part) => {
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(part) ?? [];
    return name.trim() === "" ? [] : [[name.trim(), value.trim()]];
  });
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
