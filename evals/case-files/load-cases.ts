// Reads case files: every .yaml file below the given folders, with one case or a list of cases in each. Errors name the
// file, the line and the field.

import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { useIssueMessages } from "../../functions/routes/http/issue-messages.ts";
import { CATEGORIES } from "../runs/run-file.ts";
import { caseSchema, type EvalCase } from "./case-schema.ts";

useIssueMessages();

/** Sorted by category and id. @throws Error when a file is invalid (lists every problem) or when there is no case */
export async function loadCases(folders: readonly string[]): Promise<EvalCase[]> {
  const files = (await Promise.all(folders.map(caseFiles))).flat();
  const parsed = await Promise.all(
    files.map(async (file) => ({ file, ...readCases(file, await readFile(file, "utf8")) })),
  );
  const errors = parsed.flatMap(({ errors }) => errors);
  const fileById = new Map<string, string>();
  for (const { file, cases } of parsed) {
    for (const { id } of cases) {
      const otherFile = fileById.get(id);
      if (otherFile !== undefined)
        errors.push(`${relativePath(file)}: the id "${id}" is used in ${relativePath(otherFile)} too; rename one`);
      fileById.set(id, file);
    }
  }
  if (errors.length > 0) throw new Error(`Some case files are invalid:\n  ${errors.join("\n  ")}`);
  const cases = parsed.flatMap(({ cases }) => cases);
  if (cases.length === 0)
    throw new Error(`There is no case (a .yaml file) below ${folders.map(relativePath).join(", ")}.`);
  return cases.sort(
    (a, b) => CATEGORIES.indexOf(a.category) - CATEGORIES.indexOf(b.category) || (a.id < b.id ? -1 : 1),
  );
}

/** The cases of one file, and its errors, one line each. Pure. */
export function readCases(file: string, text: string): { readonly cases: EvalCase[]; readonly errors: string[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const at = (offset: number) => `${relativePath(file)}:${lines.linePos(offset).line}`;
  if (document.errors.length > 0) {
    return {
      cases: [],
      errors: document.errors.map(({ pos, message }) => `${at(pos[0])}: ${message.split("\n", 1)[0]}`),
    };
  }
  const value = removeCutMarkers(document.toJS());
  const isList = Array.isArray(value);
  const cases: EvalCase[] = [];
  const errors: string[] = [];
  for (const [index, each] of (isList ? value : [value]).entries()) {
    const parsed = caseSchema.safeParse(withDefaults(each, file, isList));
    if (parsed.success) cases.push(parsed.data);
    for (const issue of parsed.error?.issues ?? []) {
      const path = [...(isList ? [index] : []), ...issue.path.filter((key) => typeof key !== "symbol")];
      errors.push(`${at(offsetOf(document, path, issue))}: ${issue.path.join(".") || "the case"} ${describe(issue)}`);
    }
  }
  return { cases, errors };
}

/** Removes `{cut}`, which splits made-up secrets so that secret scanners do not report the case file. */
function removeCutMarkers(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("{cut}", "");
  if (Array.isArray(value)) return value.map(removeCutMarkers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, removeCutMarkers(item)]));
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

/** Offset of the value that the issue is about: of the parent when the value is missing, of the key when it is unknown. */
function offsetOf(document: Document, path: readonly (string | number)[], issue: z.core.$ZodIssue): number {
  const unknownKey = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  for (let length = path.length; length >= 0; length--) {
    // A single request is written without a list, but the schema reports it with index 0.
    const isUnlisted = (i: number) => path[i - 1] === "ask" && !isSeq(document.getIn(path.slice(0, i), true));
    const place = path.slice(0, length).filter((_, i) => !isUnlisted(i));
    const node = length === 0 ? document.contents : document.getIn(place, true);
    if (!isNode(node)) continue;
    const key = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === unknownKey)?.key : undefined;
    return (isNode(key) ? key.range?.[0] : node.range?.[0]) ?? 0;
  }
  return 0;
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys")
    return `has no field ${issue.keys.map((key) => `"${key}"`).join(", ")}; evals/cases/README.md lists the fields`;
  return issue.message.startsWith("Invalid") ? `is not valid: ${issue.message}` : issue.message;
}

async function caseFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => {
    throw new Error(`There is no folder ${relativePath(folder)}. Cases are .yaml files below a folder; see --cases.`);
  });
  return names
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(folder, name));
}

function relativePath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}
