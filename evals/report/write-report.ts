// Writes the report to a file.

import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { CorpusAnswers } from "../runs/relevance-answers.ts";
import type { EvalRun } from "../runs/run-file.ts";
import { renderPage } from "./page.ts";

/** The newest runs in a report; a line chart with more points is hard to read. */
export const REPORTED_RUNS = 20;

/**
 * Writes one self-contained HTML file. The write is atomic: readers find the old page or the new one.
 *
 * @param runs oldest first; the page is about the last one and compares it with the others
 * @param relevance answers of the relevance bench; null leaves their section out
 * @throws RangeError when there is no run
 */
export async function writeReport(
  runs: readonly EvalRun[],
  path: string,
  relevance: readonly CorpusAnswers[] | null = null,
): Promise<void> {
  const page = String(await renderPage(runs, relevance));
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}.unfinished`;
  try {
    await writeFile(unfinished, page);
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}
