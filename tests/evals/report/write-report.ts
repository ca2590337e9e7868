// Owns the report as a file.

import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { EvalRun } from "../runs/run-file.ts";
import { renderPage } from "./page.ts";

/** The newest; more are no longer told apart in a line. */
export const REPORTED_RUNS = 20;

/**
 * Writes one HTML file that needs nothing else; who reads the path meanwhile finds the old page or the new one.
 *
 * @param runs the newest last, which the page is about; the others are for comparison
 * @throws RangeError where there is no run
 */
export async function writeReport(runs: readonly EvalRun[], path: string): Promise<void> {
  const page = String(await renderPage(runs));
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}.unfinished`;
  try {
    await writeFile(unfinished, page);
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}
