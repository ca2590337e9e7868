// Owns the reading of cases: every .yaml file below some folders, one case a file or a list of them. What is wrong with
// one is told with its file, line and field.

import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { CATEGORIES } from "../runs/run-file.ts";
import { caseSchema, type EvalCase } from "./case-schema.ts";

/** @throws Error that names file, line and field of all that is wrong, or that there is no case */
export async function loadCases(folders: readonly string[]): Promise<EvalCase[]> {
  const files = (await Promise.all(folders.map(caseFiles))).flat();
  const read = await Promise.all(
    files.map(async (file) => ({ file, ...readCases(file, await readFile(file, "utf8")) })),
  );
  const faults = read.flatMap(({ faults }) => faults);
  const places = new Map<string, string>();
  for (const { file, cases } of read) {
    for (const { id } of cases) {
      const other = places.get(id);
      if (other !== undefined)
        faults.push(`${shown(file)}: the id "${id}" is taken by ${shown(other)}; give one another`);
      places.set(id, file);
    }
  }
  if (faults.length > 0) throw new Error(`Some cases cannot be read:\n  ${faults.join("\n  ")}`);
  const cases = read.flatMap(({ cases }) => cases);
  if (cases.length === 0) throw new Error(`There is no case (a .yaml file) below ${folders.map(shown).join(", ")}.`);
  return cases.sort(
    (a, b) => CATEGORIES.indexOf(a.category) - CATEGORIES.indexOf(b.category) || (a.id < b.id ? -1 : 1),
  );
}

/** The cases of one file, or what is wrong with it, a line each. Pure. */
export function readCases(file: string, text: string): { readonly cases: EvalCase[]; readonly faults: string[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const at = (offset: number) => `${shown(file)}:${lines.linePos(offset).line}`;
  if (document.errors.length > 0) {
    return {
      cases: [],
      faults: document.errors.map(({ pos, message }) => `${at(pos[0])}: ${message.split("\n", 1)[0]}`),
    };
  }
  const value = withoutCuts(document.toJS());
  const isList = Array.isArray(value);
  const cases: EvalCase[] = [];
  const faults: string[] = [];
  for (const [index, each] of (isList ? value : [value]).entries()) {
    const parsed = caseSchema.safeParse(withDefaults(each, file, isList));
    if (parsed.success) cases.push(parsed.data);
    for (const issue of parsed.error?.issues ?? []) {
      const path = [...(isList ? [index] : []), ...issue.path.filter((key) => typeof key !== "symbol")];
      faults.push(`${at(offsetOf(document, path, issue))}: ${issue.path.join(".") || "the case"} ${wordsOf(issue)}`);
    }
  }
  return { cases, faults };
}

/** A made-up secret is written with `{cut}` in it, so that nobody who looks for leaks takes the file for one. */
function withoutCuts(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("{cut}", "");
  if (Array.isArray(value)) return value.map(withoutCuts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutCuts(item)]));
}

function withDefaults(value: unknown, file: string, isList: boolean): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const folder = basename(dirname(file));
  const category = CATEGORIES.find((each) => each === folder);
  return {
    ...(category === undefined ? {} : { category }),
    ...(isList ? {} : { id: basename(file).replace(/\.ya?ml$/, "") }),
    ...value,
  };
}

/** Where a value begins; of what is missing or superfluous, where it should be or is. */
function offsetOf(document: Document, path: readonly (string | number)[], issue: z.core.$ZodIssue): number {
  const superfluous = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  for (let length = path.length; length >= 0; length--) {
    // One ask is written without a list around it.
    const isUnlisted = (i: number) => path[i - 1] === "ask" && !isSeq(document.getIn(path.slice(0, i), true));
    const place = path.slice(0, length).filter((_, i) => !isUnlisted(i));
    const node = length === 0 ? document.contents : document.getIn(place, true);
    if (!isNode(node)) continue;
    const key = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === superfluous)?.key : undefined;
    return (isNode(key) ? key.range?.[0] : node.range?.[0]) ?? 0;
  }
  return 0;
}

function wordsOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys")
    return `knows no field ${issue.keys.map((key) => `"${key}"`).join(", ")}; see tests/evals/cases/README.md for those it knows`;
  return issue.message.startsWith("Invalid") ? `is not valid: ${issue.message}` : issue.message;
}

async function caseFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => {
    throw new Error(`There is no folder ${shown(folder)}. Cases are .yaml files below a folder; see --cases.`);
  });
  return names
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(folder, name));
}

function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}
