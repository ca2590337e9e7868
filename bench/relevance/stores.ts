// A throw-away stack with the shipped runbooks and one corpus, whose runbooks can be taken away one at a time.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seedRunbooks } from "../../cli/seed-runbooks.ts";
import { startStack } from "../../dev/stack/start-stack.ts";
import { ingestRunbook, removeText } from "../../functions/knowledge/ingest.ts";
import { textId } from "../../functions/knowledge/text-documents.ts";
import { createServices, type Services } from "../../functions/services.ts";
import type { Corpus } from "./corpora.ts";

/** Long, so that a busy machine does not change an answer. */
export const LONG_TIMEOUTS = { DEPENDENCY_TIMEOUT_MS: "60000", TRIAGE_BUDGET_MS: "59000", MODEL: "none" };

/** The embedder that the models are trained for: that of the environment, or the built-in one. */
export const EMBEDDER_VARIABLES = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    name.startsWith("EMBEDDING") && value !== undefined ? [[name, value]] : [],
  ),
);

export interface LoadedCorpus extends AsyncDisposable {
  readonly services: Services;
  /** Runs the work while the runbook is not stored. */
  without(source: string, work: () => Promise<void>): Promise<void>;
}

export async function loadCorpus(
  corpus: Corpus,
  onProgress: (done: number, total: number) => void,
): Promise<LoadedCorpus> {
  const stack = await startStack({
    dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")),
    ephemeral: true,
    services: ["gateway", "chroma"],
    extraWorkerVars: EMBEDDER_VARIABLES,
  });
  try {
    await seedRunbooks({ env: stack.workerEnv });
    const services = createServices({ ...stack.workerEnv, ...LONG_TIMEOUTS }, { log: () => {} });
    const texts = new Map(corpus.runbooks.map(({ path, text }) => [`${corpus.domain}/${path}`, text]));
    const store = async (source: string, text: string) => {
      const slash = source.indexOf("/");
      const runbook = { domain: source.slice(0, slash), path: source.slice(slash + 1), text, isMarkdown: true };
      const { state } = await ingestRunbook(services, runbook);
      if (state !== "stored" && state !== "empty") throw new Error(`${source} was not stored: ${state}.`);
    };
    let done = 0;
    for (const [source, text] of texts) {
      await store(source, text);
      onProgress(++done, texts.size);
    }
    return {
      services,
      async without(source, work) {
        const text = texts.get(source);
        const removed = await removeText(services, { id: textId(source), kinds: ["runbook"] });
        if (!removed) throw new Error(`${source} is not stored.`);
        try {
          await work();
        } finally {
          if (text === undefined) await seedRunbooks({ env: stack.workerEnv });
          else await store(source, text);
        }
      },
      async [Symbol.asyncDispose]() {
        await stack.stop();
      },
    };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}
