// Loads the built-in runbooks through the deployed Worker, which has the stores and the embedder.

import { z } from "zod";
import { readRunbookFolder } from "../../../cli/seed-runbooks.ts";
import type { DomainFolder } from "../../../functions/knowledge/load-folder.ts";
import type { FolderText } from "../../../functions/knowledge/sync-runbooks.ts";
import { ask } from "../ask.ts";
import { DeployError } from "./person.ts";

/** Texts of one request: it has to end within the time and the CPU time that the platform gives. */
const BATCH_CHARS = 40_000;
const PARALLEL = 3;
const ATTEMPTS = 3;

const loadedSchema = z.object({
  embedded: z.number(),
  moved: z.number(),
  unchanged: z.number(),
  removed: z.number(),
  kept: z.array(z.string()),
  definition_kept: z.boolean(),
});
const problemSchema = z.object({ detail: z.string() });

export interface LoadOptions {
  readonly url: string;
  readonly token: string;
  readonly timeoutMs: number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly onProgress: (done: number, total: number) => void;
}

/** @returns what changed, as a sentence. @throws DeployError; what was loaded stays, and the next run continues */
export async function loadBuiltInRunbooks(options: LoadOptions): Promise<string> {
  const { domains } = await readRunbookFolder();
  const requests = domains.flatMap(requestsOf);
  const total = { runbooks: 0, changed: 0, unchanged: 0, kept: 0 };
  let done = 0;
  // A request that defines a domain comes before the others: rules of labels are checked one after the other.
  const work = requests.values();
  const worker = async () => {
    for (const body of work) {
      const { embedded, moved, removed, unchanged, kept } = await send(body, options);
      total.runbooks += body.runbooks.length;
      total.changed += embedded + moved + removed;
      total.unchanged += unchanged;
      total.kept += kept.length;
      options.onProgress(++done, requests.length);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  const { runbooks, changed, unchanged, kept } = total;
  const own = kept === 0 ? "" : `; ${kept} stay as you have them`;
  return changed === 0
    ? `The ${runbooks} built-in runbooks are loaded already: ${unchanged} chunks${own}.`
    : `Loaded ${runbooks} built-in runbooks: ${changed} chunks written, ${unchanged} unchanged${own}.`;
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

async function send(body: ReturnType<typeof requestsOf>[number], { url, token, timeoutMs, sleep }: LoadOptions) {
  const init = {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  for (let attempt = 1; ; attempt++) {
    const reply = await ask(`${url}/v1/admin/built-in-runbooks`, init, timeoutMs);
    const loaded = reply.ok && reply.status === 200 ? loadedSchema.safeParse(reply.body) : undefined;
    if (loaded?.success) return loaded.data;
    const isPassing = !reply.ok || reply.status === 429 || reply.status >= 500;
    if (isPassing && attempt < ATTEMPTS) {
      await sleep(attempt * 2_000);
      continue;
    }
    const detail = reply.ok ? problemSchema.safeParse(reply.body).data?.detail : reply.reason;
    const reason = detail ?? (reply.ok ? `status ${reply.status}` : "");
    throw new DeployError(`The Worker did not load the runbooks of ${body.domain}: ${reason}`);
  }
}
