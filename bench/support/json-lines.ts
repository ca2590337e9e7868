// Reading of corpora: JSON Lines, one record a line.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const ENDING = ".jsonl";

/** Names of the files of a folder, sorted. */
export function corpusFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ENDING))
    .sort();
}

/** The records of a file. @throws Error that names the line of the first that does not match the schema */
export function readJsonLines<T>(path: string, schema: z.ZodType<T>): T[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.flatMap((line, index) => {
    if (line === "") return [];
    try {
      return [schema.parse(JSON.parse(line))];
    } catch (error) {
      const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
      throw new Error(`${path}:${index + 1} is no such record: ${reason}`, { cause: error });
    }
  });
}

/** The records of all files of a folder. */
export function readCorpus<T>(folder: string, schema: z.ZodType<T>): T[] {
  return corpusFiles(folder).flatMap((name) => readJsonLines(join(folder, name), schema));
}
