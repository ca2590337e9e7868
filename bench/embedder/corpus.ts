// The texts that word vectors are learned from: a folder of gzipped JSON Lines, a section of documentation each line.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { z } from "zod";

const sectionSchema = z.object({ headings: z.array(z.string()), text: z.string(), code: z.string() });

export interface Section extends z.infer<typeof sectionSchema> {
  /** The file that holds it, without its endings. */
  readonly source: string;
}

const ENDING = ".jsonl.gz";

/** The sections of all files, in the order of the files' names. @throws Error when the folder or a line is invalid */
export async function readCorpus(folder: string): Promise<Section[]> {
  const files = await readdir(folder).catch((cause: unknown): never => {
    throw new Error(`${folder} cannot be read. Give a folder of *${ENDING} files: npm run train:embedder -- <folder>`, {
      cause,
    });
  });
  const sections: Section[] = [];
  for (const file of files.filter((name) => name.endsWith(ENDING)).sort()) {
    const source = file.slice(0, -ENDING.length);
    const lines = gunzipSync(await readFile(join(folder, file)))
      .toString("utf8")
      .split("\n");
    for (const [i, line] of lines.entries()) {
      if (line === "") continue;
      const section = sectionSchema.safeParse(JSON.parse(line));
      if (!section.success) throw new Error(`${file}, line ${i + 1}: ${z.prettifyError(section.error)}`);
      sections.push({ source, ...section.data });
    }
  }
  if (sections.length === 0) throw new Error(`${folder} has no *${ENDING} files with sections.`);
  return sections;
}
