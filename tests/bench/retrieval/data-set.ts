// Owns the form of a data set: a file of alerts, each with the runbook that its authors wrote for it, and a folder of
// runbooks.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Runbook } from "../../../functions/memory/runbook-ingest.ts";
import { splitFrontMatter } from "../../../functions/retrieval/front-matter.ts";

const alertsSchema = z.array(
  z.object({ alert: z.string(), summary: z.string(), description: z.string(), runbook: z.string() }),
);

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
}

/** Reads `alerts.json` and `runbooks/*.md`. @throws Error that says what is missing or wrong */
export async function readDataSet(directory: string): Promise<DataSet> {
  const alertsFile = join(directory, "alerts.json");
  const folder = join(directory, "runbooks");
  const read = async <T>(work: Promise<T>, what: string): Promise<T> =>
    work.catch((cause: unknown) => {
      throw new Error(
        `There is no ${what}. Give a folder that holds alerts.json and runbooks/: npm run bench:retrieval -- <folder>`,
        { cause },
      );
    });
  const text = await read(readFile(alertsFile, "utf8"), alertsFile);
  const files = (await read(readdir(folder), folder)).filter((name) => name.endsWith(".md")).sort();
  const alerts = alertsSchema.safeParse(JSON.parse(text));
  if (!alerts.success)
    throw new Error(
      `${alertsFile} is not a list of alerts with alert, summary, description and runbook: ${alerts.error.message}`,
    );
  const runbooks = await Promise.all(
    files.map(async (name) => ({
      source: name,
      markdown: splitFrontMatter(await readFile(join(folder, name), "utf8")).markdown,
      metadata: {},
    })),
  );
  const known = new Set(files.map(nameOf));
  const unknown = alerts.data.find(({ runbook }) => !known.has(runbook));
  if (unknown) throw new Error(`${unknown.alert} names the runbook ${unknown.runbook}, which is not in ${folder}.`);
  const questions = alerts.data.map(({ alert, summary, description, runbook }) => ({
    alert,
    text: `${summary}\n${description}`.replace(/\{\{.*?\}\}/gs, "x").trim(),
    runbook,
  }));
  return { runbooks, questions };
}

/** A runbook's name of its file's. */
export function nameOf(file: string): string {
  return file.replace(/\.md$/, "");
}
