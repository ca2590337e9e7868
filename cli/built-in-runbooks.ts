// Loads the built-in runbooks through the Worker, which has the stores and the embedder.

import { z } from "zod";
import type { DomainFolder } from "../functions/knowledge/load-folder.ts";
import type { FolderText } from "../functions/knowledge/sync-runbooks.ts";
import { readRunbookFolder } from "./seed-runbooks.ts";
import { callWithRetries } from "./service/client.ts";
import type { Service } from "./service/find-service.ts";
import { removeTexts, storedTexts } from "./stored-texts.ts";

/** Texts of one request: it has to end within the time and the CPU time that the platform gives. */
const BATCH_CHARS = 40_000;
const PARALLEL = 3;

const loadedSchema = z.object({
  embedded: z.number(),
  moved: z.number(),
  unchanged: z.number(),
  removed: z.number(),
  kept: z.array(z.string()),
});

export interface LoadOptions {
  readonly sleep: (ms: number) => Promise<void>;
  readonly onProgress: (done: number, total: number) => void;
}

/** Numbers of runbooks, and of their chunks. */
export interface LoadedRunbooks {
  readonly runbooks: number;
  readonly chunks_changed: number;
  readonly chunks_unchanged: number;
  /** Names of texts of yours that stay in place of built-in ones. */
  readonly kept: string[];
  /** Names of runbooks that no longer ship, which were removed. */
  readonly removed: string[];
}

/** Repeating it changes nothing. @throws CommandError; what was loaded stays, and the next run continues */
export async function loadBuiltInRunbooks(service: Service, options: LoadOptions): Promise<LoadedRunbooks> {
  const { domains } = await readRunbookFolder();
  const requests = domains.flatMap(requestsOf);
  const total = { runbooks: 0, chunks_changed: 0, chunks_unchanged: 0 };
  const kept: string[] = [];
  let done = 0;
  // A request that defines a domain comes before the others: rules of labels are checked one after the other.
  const work = requests.values();
  const worker = async () => {
    for (const body of work) {
      const loaded = await send(body, service, options);
      total.runbooks += body.runbooks.length;
      total.chunks_changed += loaded.embedded + loaded.moved + loaded.removed;
      total.chunks_unchanged += loaded.unchanged;
      kept.push(...loaded.kept);
      options.onProgress(++done, requests.length);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  const shipped = new Set(domains.flatMap(({ runbooks }) => runbooks.map(({ source }) => source)));
  const gone = (await storedTexts(service)).filter(
    ({ origin, source }) => origin === "built_in" && !shipped.has(source),
  );
  await removeTexts(service, gone);
  return { ...total, kept, removed: gone.map(({ source }) => source) };
}

/** A sentence. */
export function describeLoaded({ runbooks, chunks_changed, chunks_unchanged, kept, removed }: LoadedRunbooks): string {
  const rest = [
    ...(kept.length === 0 ? [] : [`; ${kept.length} stay as you have them`]),
    ...(removed.length === 0 ? [] : [`; removed ${removed.length} that no longer ship`]),
  ].join("");
  return chunks_changed === 0
    ? `The ${runbooks} built-in runbooks are loaded already: ${chunks_unchanged} chunks${rest}.`
    : `Loaded ${runbooks} built-in runbooks: ${chunks_changed} chunks written, ${chunks_unchanged} unchanged${rest}.`;
}

/** Requests of a domain in their order: the definition goes with the first. Exported for its test. */
export function requestsOf({ name, definition, runbooks }: DomainFolder) {
  const batches: FolderText[][] = [[]];
  let chars = 0;
  for (const runbook of runbooks) {
    if (chars > 0 && chars + runbook.markdown.length > BATCH_CHARS) {
      batches.push([]);
      chars = 0;
    }
    batches.at(-1)?.push(runbook);
    chars += runbook.markdown.length;
  }
  return batches.map((batch, i) => ({
    domain: name,
    ...(i === 0 && definition !== null ? { definition } : {}),
    runbooks: batch.map(({ source, markdown, metadata }) => ({
      path: source.slice(name.length + 1),
      markdown,
      ...(metadata.incident_type === undefined ? {} : { incident_type: metadata.incident_type }),
      tags: metadata.tags === undefined ? [] : String(metadata.tags).split(","),
    })),
  }));
}

async function send(body: ReturnType<typeof requestsOf>[number], service: Service, { sleep }: LoadOptions) {
  const request = { method: "POST", path: "/v1/admin/built-in-runbooks", body } as const;
  return callWithRetries(service, request, loadedSchema, sleep);
}
