// Owns the folder that runs are kept in: one file each, the newest fifty.

import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readJsonIfThere, writeFileAtomic } from "../../dev/stack/atomic-file.ts";
import { type EvalRun, evalRunSchema } from "./run-file.ts";

const MOST_RUNS = 50;
const RUN_FILE = /^\d{8}T\d{6}Z-[a-z0-9]+\.json$/;

/** Stores a run and lets the oldest go. @returns the file */
export function storeRun(folder: string, run: EvalRun): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${run.id}.json`);
  writeFileAtomic(path, `${JSON.stringify(run, null, 1)}\n`);
  for (const name of runFiles(folder).slice(0, -MOST_RUNS)) rmSync(join(folder, name), { force: true });
  return path;
}

/** Oldest first; files that are no run of this version are passed over. @param most the newest so many */
export function storedRuns(folder: string, most: number): EvalRun[] {
  const runs: EvalRun[] = [];
  for (const name of runFiles(folder).toReversed()) {
    if (runs.length === most) break;
    const parsed = evalRunSchema.safeParse(readJsonIfThere(join(folder, name)));
    if (parsed.success) runs.unshift(parsed.data);
  }
  return runs;
}

function runFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => RUN_FILE.test(name))
      .sort();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

/** In the order of time, and unique. @param letters a few random ones */
export function runIdOf(start: Date, letters: string): string {
  return `${start.toISOString().replace(/[-:]|\.\d+/g, "")}-${letters}`;
}
