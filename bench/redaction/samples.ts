// Samples for the redaction benchmark: one file for each area and part in samples/.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { corpusFiles, readJsonLines } from "../support/json-lines.ts";

/** Removed from every text, so that secret scanners do not report the files. */
const BREAK = /¦/g;

const text = z.string().transform((value) => value.replace(BREAK, ""));

const sampleSchema = z
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
  });

/** An operational line that must stay as it is. */
const ordinarySchema = z.strictObject({ technology: z.string().min(1), text });

export type RedactionSample = z.infer<typeof sampleSchema>;
export interface RedactionSamples {
  readonly samples: readonly RedactionSample[];
  readonly ordinary: readonly z.infer<typeof ordinarySchema>[];
}
export type Part = "train" | "held-out";

const FOLDER = fileURLToPath(new URL("samples/", import.meta.url));

/**
 * Reads all files of a part.
 * @param area only files that begin with it, such as "secrets"
 */
export function loadSamples(part: Part, area = ""): RedactionSamples {
  const records = corpusFiles(FOLDER)
    .filter((name) => name.startsWith(area) && name.endsWith(`.${part}.jsonl`))
    .flatMap((name) => readJsonLines(join(FOLDER, name), z.union([sampleSchema, ordinarySchema])));
  return {
    samples: records.filter((record) => "category" in record),
    ordinary: records.filter((record) => "technology" in record),
  };
}
