// Loads a folder of domains and runbooks into both stores, and removes built-in runbooks that no longer ship.

import { fileURLToPath } from "node:url";
import type { Environment } from "../functions/config.ts";
import { removeText } from "../functions/knowledge/ingest.ts";
import { type Folder, type LoadReport, loadFolder } from "../functions/knowledge/load-folder.ts";
import { textId } from "../functions/knowledge/text-documents.ts";
import { listTexts, type TextEntry } from "../functions/knowledge/text-records.ts";
import { TEXT_KINDS } from "../functions/schemas/text-kind.ts";
import { createServices, type Services } from "../functions/services.ts";
import { readDomainFolders } from "./runbook-files.ts";
import { SLOW_WORK } from "./slow-work.ts";

const BUILT_IN = fileURLToPath(new URL("../seeds/runbooks", import.meta.url));

/** Rows of `sources` asked for at a time. */
const PAGE = 500;

export interface SeedOptions {
  /** The Worker's environment: where Postgres, Chroma and the embedder are. */
  readonly env: Environment;
  /** A folder of runbooks; those that ship with Dejavu by default. */
  readonly directory?: string;
  /** `total` counts the chunks that have to be written in the domain that `label` names. */
  readonly onProgress?: (done: number, total: number, label: string) => void;
}

export type SeedReport = LoadReport;

/** @param directory the runbooks that ship with Dejavu by default. @throws Error on a bad folder or file */
export async function readRunbookFolder(directory?: string): Promise<Folder> {
  const domains = await readDomainFolders(directory ?? BUILT_IN);
  return { origin: directory === undefined ? "built_in" : "folder", domains };
}

/**
 * Adds the folder's domains and runbooks and updates those that changed. Touches no other. Idempotent: unchanged chunks are
 * neither embedded nor written.
 * @throws DependencyError, Error on a bad folder or file
 */
export async function seedRunbooks({ directory, ...options }: SeedOptions): Promise<SeedReport> {
  return loadRunbooks(await readRunbookFolder(directory), options);
}

/**
 * As `seedRunbooks`, for a folder that has been read.
 * @throws DependencyError, Error when two domains claim one label; nothing is stored then
 */
export async function loadRunbooks(
  folder: Folder,
  { env, onProgress }: Omit<SeedOptions, "directory">,
): Promise<SeedReport> {
  const result = await loadFolder(createSlowServices(env), folder, onProgress);
  if (result.state === "loaded") return result.report;
  const lines = result.conflicts.map(({ domain, path, message }) => `  ${domain}: ${path.join(".")} ${message}`);
  throw new Error(`Two domains claim one label; nothing was stored.\n${lines.join("\n")}`);
}

/** Built-in texts on record that the folder does not hold. @throws DependencyError */
export async function findMissing({ domains }: Folder, env: Environment): Promise<TextEntry[]> {
  const { database } = createSlowServices(env).background;
  const present = new Set(domains.flatMap(({ runbooks }) => runbooks.map(({ source }) => source)));
  const missing: TextEntry[] = [];
  for (let after: string | undefined; ; ) {
    const page = await listTexts(database, { limit: PAGE, kinds: TEXT_KINDS, after });
    missing.push(...page.filter(({ origin, source }) => origin === "built_in" && !present.has(source)));
    after = page.at(-1)?.source;
    if (after === undefined || page.length < PAGE) return missing;
  }
}

/** Removes these texts. Skips one whose origin has changed since it was listed. @throws DependencyError */
export async function removeRunbooks(entries: readonly TextEntry[], env: Environment): Promise<void> {
  const services = createSlowServices(env);
  for (const { id, origin, kind } of entries) await removeText(services, { id, origin, kinds: [kind] });
}

/** One line for a person: what a run did, and what it left alone. */
export function describeSeed(report: SeedReport): string {
  const { sources, documents = 0, embedded, moved, unchanged, removed, skipped = [], keptDomains = [] } = report;
  const files = [
    ...(sources > 0 || documents === 0 ? [`${sources} ${sources === 1 ? "runbook" : "runbooks"}`] : []),
    ...(documents > 0 ? [`${documents} ${documents === 1 ? "document" : "documents"}`] : []),
  ].join(", ");
  const keptDefinitions = keptDomains.map(
    (name) => `; left the definition of ${name} as the API or a folder of yours has it`,
  );
  const left = skipped.map(
    ({ source, origin, kind }) =>
      `; left out ${source}: ${origin === "api" ? "the API holds a text of that name" : "a folder of yours has a text of that name"} (delete that one with DELETE /v1/${kind === undefined ? `runbooks/${source}` : `documents/${textId(source)}`} to have this one)`,
  );
  if (embedded + moved + removed === 0)
    return `${files}, ${unchanged} chunks: all up to date, nothing embedded${[...left, ...keptDefinitions].join("")}`;
  const counts = [
    [embedded, "new or changed"],
    [moved, "moved or relabelled"],
    [unchanged, "unchanged"],
    [removed, "removed"],
  ] as const;
  const parts = counts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  return `${files}, chunks: ${parts.join(", ")}${[...left, ...keptDefinitions].join("")}`;
}

/** Services with time for slow work, which log warnings and errors only. */
export function createSlowServices(env: Environment): Services {
  return createServices({ ...env, LOG_LEVEL: "warn" }, { internals: SLOW_WORK });
}
