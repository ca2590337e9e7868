// The sample notes, logs and postmortems of `seeds/samples`, under names that the evaluation may write and delete.

import { fileURLToPath } from "node:url";
import { readDomainFolders } from "../../cli/runbook-files.ts";
import type { DocumentType } from "../../functions/schemas/text-kind.ts";

/** The body of `POST /v1/documents`. */
export interface SampleDocument {
  readonly source: string;
  readonly doc_type: DocumentType;
  readonly domain: string;
  readonly tags: readonly string[];
  readonly text: string;
}

/** Holds the samples only, and is deleted with them. */
export const SAMPLES_DOMAIN = "eval-samples";
const [folder] = await readDomainFolders(fileURLToPath(new URL("../../seeds/samples/sample-shop", import.meta.url)));

/** Without their dates: with age, the figures would change from month to month. */
export const SAMPLES: readonly SampleDocument[] = (folder?.documents ?? []).map(
  ({ source, kind = "note", metadata, markdown }) => ({
    source: `${SAMPLES_DOMAIN}${source.slice(source.indexOf("/"))}`,
    doc_type: kind,
    domain: SAMPLES_DOMAIN,
    tags: typeof metadata.tags === "string" ? metadata.tags.split(",") : [],
    text: markdown,
  }),
);

export function isSample(source: string): boolean {
  return SAMPLES.some((sample) => sample.source === source);
}
