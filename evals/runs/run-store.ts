// Folder of stored evaluation runs: one JSON file each, the newest fifty.

import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { REPO_DIR } from "../../dev/stack/paths.ts";
import { writeFileAtomic } from "../../dev/stack/system/atomic-file.ts";
import { type EvalRun, evalRunSchema } from "./run-file.ts";

export const RUNS_FOLDER = join(REPO_DIR, ".dejavu/evals");
const MAX_RUNS = 50;
const RUN_FILE = /^\d{8}T\d{6}Z-[a-z0-9]+\.json$/;

/** Stores a run and deletes the oldest runs above the limit. @returns the path of the file */
export function storeRun(folder: string, run: EvalRun): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${run.id}.json`);
  writeFileAtomic(path, `${JSON.stringify(run, null, 1)}\n`);
  const stored = namesIn(folder).filter((name) => RUN_FILE.test(name));
  for (const name of stored.slice(0, -MAX_RUNS)) rmSync(join(folder, name), { force: true });
  return path;
}

export interface StoredRuns {
  /** Oldest first. */
  readonly runs: readonly EvalRun[];
  /** One error message for each JSON file that is not a valid run; it names the file. */
  readonly unreadable: readonly string[];
}

/** All runs of a folder; empty when the folder does not exist. */
export function storedRuns(folder: string): StoredRuns {
  const results = namesIn(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => readRun(join(folder, name)));
  const runs = results.filter((result) => typeof result !== "string");
  return {
    // Ids start with the time, so they sort by it.
    runs: runs.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    unreadable: results.filter((result) => typeof result === "string"),
  };
}

function readRun(file: string): EvalRun | string {
  try {
    return evalRunSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    return `${file} is not a run of this version: ${reason}`;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

/** A unique id that sorts by start time. @param suffix a few random characters */
export function runIdOf(start: Date, suffix: string): string {
  return `${start.toISOString().replace(/[-:]|\.\d+/g, "")}-${suffix}`;
}
