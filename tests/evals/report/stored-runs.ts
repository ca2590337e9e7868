// Owns the reading of stored runs.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type EvalRun, evalRunSchema } from "../run-file.ts";

export interface StoredRuns {
  /** The newest last. */
  readonly runs: readonly EvalRun[];
  /** What cannot be read, each in a sentence that names the file. */
  readonly unreadable: readonly string[];
}

/** All runs of a folder, of which there are none where there is no folder. */
export async function readStoredRuns(folder: string): Promise<StoredRuns> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const files = names.filter((name) => name.endsWith(".json")).map((name) => join(folder, name));
  const read = await Promise.all(files.map(readRun));
  const runs = read.filter((each) => typeof each !== "string");
  return {
    // Ids are in the order of time.
    runs: runs.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    unreadable: read.filter((each) => typeof each === "string"),
  };
}

async function readRun(file: string): Promise<EvalRun | string> {
  try {
    return evalRunSchema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    return `${file} is no run of this version: ${reason}`;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
