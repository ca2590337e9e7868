// Data set of the retrieval benchmark: a file of alerts, each with the runbook that its authors wrote for it, and a
// folder of runbooks.

import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import type { FolderText } from "../../functions/knowledge/sync-runbooks.ts";
import { splitFrontMatter } from "../../lib/markdown/front-matter.ts";

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const alertsSchema = z.array(
  z.object({
    alert: z.string(),
    summary: text,
    description: text,
    severity: text,
    runbook: z.string(),
    /** Heading of the right section, if the runbook has sections for several alerts. */
    section: z.string().optional(),
  }),
);

export interface Question {
  readonly alert: string;
  /** Summary and description; each template placeholder is replaced by "x". */
  readonly text: string;
  /** The file name of the right runbook without its extension. */
  readonly runbook: string;
  /** The right section's heading, if the runbook has sections for several alerts. */
  readonly section?: string | undefined;
}

export interface DataSet {
  readonly runbooks: readonly FolderText[];
  readonly questions: readonly Question[];
  /** Alerts without text or without an existing runbook. */
  readonly leftOut: readonly string[];
}

export interface DataSetPaths {
  readonly alertsFile: string;
  /** Contains Markdown files, also in subfolders. */
  readonly runbooksFolder: string;
}

/** @throws Error when a file or folder cannot be read or is invalid */
export async function readDataSet({ alertsFile, runbooksFolder }: DataSetPaths): Promise<DataSet> {
  const alerts = await readAlerts(alertsFile);
  const files = (await withUsage(readdir(runbooksFolder, { recursive: true }), runbooksFolder))
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
  for (const { alert, summary, description, runbook, section } of alerts) {
    const right = names.get(nameOf(runbook));
    const alertText = `${summary}\n${description}`.replace(/\{\{.*?\}\}/gs, "x").trim();
    if (right === undefined || alertText === "") leftOut.push(alert);
    else questions.push({ alert, text: alertText, runbook: right, section });
  }
  if (questions.length === 0) throw new Error(`No alert in ${alertsFile} names a runbook in ${runbooksFolder}.`);
  return { runbooks, questions, leftOut };
}

/** The alerts as their file has them. @throws Error when the file cannot be read or is invalid */
export async function readAlerts(alertsFile: string): Promise<z.infer<typeof alertsSchema>> {
  const alerts = alertsSchema.safeParse(await readJson(alertsFile));
  if (alerts.success) return alerts.data;
  throw new Error(
    `${alertsFile} is not a list of alerts, each with alert, summary, description and runbook: ${alerts.error.message}`,
  );
}

async function readJson(file: string): Promise<unknown> {
  const content = await withUsage(readFile(file, "utf8"), file);
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new Error(`${file} is not valid JSON.`, { cause });
  }
}

async function withUsage<T>(read: Promise<T>, path: string): Promise<T> {
  try {
    return await read;
  } catch (cause) {
    throw new Error(
      `${path} cannot be read. Give a folder that holds alerts.json and runbooks/, or a folder of runbooks and a file of alerts: npm run bench -- retrieval <folder> [<file>]`,
      { cause },
    );
  }
}

/** The name of a runbook: its file name without extension. */
export function nameOf(file: string): string {
  return file.replace(/\.md$/, "");
}
