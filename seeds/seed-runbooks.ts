// Owns seeding: every runbook file below a directory into both stores, domain by domain.

import { fileURLToPath } from "node:url";
import type { Environment } from "../functions/config.ts";
import { DOMAIN_NAMES } from "../functions/domains/domain.ts";
import { type SyncReport, syncRunbooks } from "../functions/memory/runbook-ingest.ts";
import { createServices } from "../functions/services.ts";
import { readRunbooks } from "./runbook-files.ts";
import { SLOW_WORK } from "./slow-work.ts";

export interface SeedOptions {
  /** The Worker's environment: where Postgres, Chroma and the embedder are. */
  readonly env: Environment;
  /** Holds one folder a domain; the project's own runbooks by default. */
  readonly directory?: string;
  /** `total` counts the chunks that have to be written in the domain that `label` names. */
  readonly onProgress?: (done: number, total: number, label: string) => void;
}

export interface SeedReport extends SyncReport {
  /** Runbook files. */
  readonly sources: number;
}

/** Can be repeated at any time: what is stored already is left alone. @throws OutsideError, Error on a bad file */
export async function seedRunbooks({ env, directory, onProgress }: SeedOptions): Promise<SeedReport> {
  const services = createServices({
    ...env,
    ...SLOW_WORK,
  });
  const { config } = services;
  const byDomain = await readRunbooks(directory ?? fileURLToPath(new URL(".", import.meta.url)));
  const total = { sources: 0, embedded: 0, moved: 0, unchanged: 0, removed: 0 };
  const skipped: string[] = [];
  for (const domain of DOMAIN_NAMES) {
    const report = await syncRunbooks(services.background, domain, byDomain[domain], {
      chunking: { size: config.CHUNK_SIZE, overlap: config.CHUNK_OVERLAP },
      now: services.now(),
      onProgress: (done, count) => onProgress?.(done, count, domain),
    });
    total.sources += byDomain[domain].length;
    total.embedded += report.embedded;
    total.moved += report.moved;
    total.unchanged += report.unchanged;
    total.removed += report.removed;
    skipped.push(...(report.skipped ?? []));
  }
  return skipped.length > 0 ? { ...total, skipped } : total;
}

/** One line for a person: what a run did, and what it left alone. */
export function describeSeed(report: SeedReport): string {
  const { sources, embedded, moved, unchanged, removed, skipped = [] } = report;
  const left =
    skipped.length === 0
      ? ""
      : `; left out ${skipped.join(", ")}, since the API holds a text of that name (delete it there to have the file back)`;
  if (embedded + moved + removed === 0)
    return `${sources} runbooks, ${unchanged} chunks: all up to date, nothing embedded${left}`;
  return `${sources} runbooks: ${embedded} chunks embedded, ${moved} moved or relabelled, ${unchanged} unchanged, ${removed} removed${left}`;
}
