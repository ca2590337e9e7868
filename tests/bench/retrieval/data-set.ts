// Owns the form of a data set: a file of alerts, each with the runbook that its authors wrote for it, and a folder of
// runbooks.

import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import type { Runbook } from "../../../functions/knowledge/sync-runbooks.ts";
import { splitFrontMatter } from "../../../functions/retrieval/chunking/front-matter.ts";

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const alertsSchema = z.array(z.object({ alert: z.string(), summary: text, description: text, runbook: z.string() }));

export interface Question {
  readonly alert: string;
  /** Summary and description; what the alerting system would fill in is an x. */
  readonly text: string;
  /** The runbook that is right, by its file's name without ending. */
  readonly runbook: string;
}

export interface DataSet {
  readonly runbooks: readonly Runbook[];
  readonly questions: readonly Question[];
  /** Alerts that name a runbook which is not there, and are left out. */
  readonly leftOut: readonly string[];
}

/** Where a data set lies. */
export interface Place {
  readonly alertsFile: string;
  /** Holds Markdown files, also in folders of their own. */
  readonly runbooksFolder: string;
}

/** @throws Error that says what is missing or wrong */
export async function readDataSet({ alertsFile, runbooksFolder }: Place): Promise<DataSet> {
  const alerts = alertsSchema.safeParse(await readJson(alertsFile));
  if (!alerts.success)
    throw new Error(
      `${alertsFile} is not a list of alerts, each with alert, summary, description and runbook: ${alerts.error.message}`,
    );
  const files = (await orSay(readdir(runbooksFolder, { recursive: true }), runbooksFolder))
    .filter((name) => name.endsWith(".md"))
    .sort();
  const runbooks = await Promise.all(
    files.map(async (source) => ({
      source,
      markdown: splitFrontMatter(await readFile(join(runbooksFolder, source), "utf8")).markdown,
      metadata: {},
    })),
  );
  const names = new Map(files.flatMap((file) => [basename(file), file].map((each) => [nameOf(each), nameOf(file)])));
  const questions: Question[] = [];
  const leftOut: string[] = [];
  for (const { alert, summary, description, runbook } of alerts.data) {
    const right = names.get(nameOf(runbook));
    const said = `${summary}\n${description}`.replace(/\{\{.*?\}\}/gs, "x").trim();
    if (right === undefined || said === "") leftOut.push(alert);
    else questions.push({ alert, text: said, runbook: right });
  }
  if (questions.length === 0) throw new Error(`No alert in ${alertsFile} names a runbook in ${runbooksFolder}.`);
  return { runbooks, questions, leftOut };
}

async function readJson(file: string): Promise<unknown> {
  const content = await orSay(readFile(file, "utf8"), file);
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new Error(`${file} is no JSON.`, { cause });
  }
}

async function orSay<T>(reading: Promise<T>, what: string): Promise<T> {
  try {
    return await reading;
  } catch (cause) {
    throw new Error(
      `${what} cannot be read. Give a folder that holds alerts.json and runbooks/, or a folder of runbooks and a file of alerts: npm run bench:retrieval -- <folder> [<file>]`,
      { cause },
    );
  }
}

/** A runbook's name of its file's. */
export function nameOf(file: string): string {
  return file.replace(/\.md$/, "");
}
