// Samples for the redaction benchmark: one JSON file for each area and part in samples/.

import { readdir, readFile } from "node:fs/promises";
import { z } from "zod";

/** Removed from every text, so that secret scanners do not report the files. */
const BREAK = /¦/g;

const text = z.string().transform((value) => value.replace(BREAK, ""));

const fileSchema = z.strictObject({
  samples: z
    .array(
      z
        .strictObject({
          category: z.string().min(1),
          text,
          /** Substrings of `text` that must not survive. */
          secrets: z.array(text.pipe(z.string().min(1))).min(1),
          /** Substrings of `text` that must survive. */
          keep: z.array(text).default([]),
          /** `false` for secrets that only a reader who understands the sentence can find. */
          fair: z.boolean().default(true),
        })
        .refine((sample) => [...sample.secrets, ...sample.keep].every((part) => sample.text.includes(part)), {
          error: "`secrets` and `keep` must be substrings of `text`",
        }),
    )
    .default([]),
  /** Operational lines that must stay as they are. */
  ordinary: z.array(z.strictObject({ technology: z.string().min(1), text })).default([]),
});

export type RedactionSamples = z.infer<typeof fileSchema>;
export type RedactionSample = RedactionSamples["samples"][number];
export type Part = "train" | "held-out";

const FOLDER = new URL("samples/", import.meta.url);

/**
 * Reads all files of a part.
 * @param area only files that begin with it, such as "secrets"
 * @throws Error with the file's name when a file does not match the format
 */
export async function loadSamples(part: Part, area = ""): Promise<RedactionSamples> {
  const names = (await readdir(FOLDER))
    .filter((name) => name.startsWith(area) && name.endsWith(`.${part}.json`))
    .sort();
  const files = await Promise.all(names.map(readSamples));
  return { samples: files.flatMap(({ samples }) => samples), ordinary: files.flatMap(({ ordinary }) => ordinary) };
}

async function readSamples(name: string): Promise<RedactionSamples> {
  const result = fileSchema.safeParse(JSON.parse(await readFile(new URL(name, FOLDER), "utf8")));
  if (!result.success) throw new Error(`${name}: ${z.prettifyError(result.error)}`);
  return result.data;
}
