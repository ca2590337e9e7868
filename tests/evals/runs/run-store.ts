// Owns the folder that runs are kept in: one file each, the newest fifty.

import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "../../../dev/stack/system/atomic-file.ts";
import { type EvalRun, evalRunSchema } from "./run-file.ts";

const MOST_RUNS = 50;
const RUN_FILE = /^\d{8}T\d{6}Z-[a-z0-9]+\.json$/;

/** Stores a run and lets the oldest go. @returns the file */
export function storeRun(folder: string, run: EvalRun): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${run.id}.json`);
  writeFileAtomic(path, `${JSON.stringify(run, null, 1)}\n`);
  const stored = namesIn(folder).filter((name) => RUN_FILE.test(name));
  for (const name of stored.slice(0, -MOST_RUNS)) rmSync(join(folder, name), { force: true });
  return path;
}

export interface StoredRuns {
  /** The newest last. */
  readonly runs: readonly EvalRun[];
  /** What is no run, each in a sentence that names the file. */
  readonly unreadable: readonly string[];
}

/** All runs of a folder, of which there are none where there is no folder. */
export function storedRuns(folder: string): StoredRuns {
  const read = namesIn(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => readRun(join(folder, name)));
  const runs = read.filter((each) => typeof each !== "string");
  return {
    // Ids are in the order of time.
    runs: runs.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    unreadable: read.filter((each) => typeof each === "string"),
  };
}

function readRun(file: string): EvalRun | string {
  try {
    return evalRunSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    return `${file} is no run of this version: ${reason}`;
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

/** In the order of time, and unique. @param letters a few random ones */
export function runIdOf(start: Date, letters: string): string {
  return `${start.toISOString().replace(/[-:]|\.\d+/g, "")}-${letters}`;
}
