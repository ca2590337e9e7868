// `npm run generate -- vectors`: dev/embeddings/runbook-vectors.bin, the vectors of the runbooks that ship. Vectors of
// unchanged chunks are kept. Each text is embedded alone: its vector then does not depend on the other texts, and the
// same runbooks give the same file.

import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { readRunbookFolder } from "../cli/seed-runbooks.ts";
import { INTERNALS } from "../functions/config/internals.ts";
import { runbookDocuments } from "../functions/knowledge/sync-runbooks.ts";
import { documentText } from "../functions/search-index/search-document.ts";
import { createTokenCounter } from "./embeddings/encoder.ts";
import { createEncoderPool } from "./embeddings/encoder-pool.ts";
import { createScheduler } from "./embeddings/scheduler.ts";
import {
  encodeVectorFile,
  RUNBOOK_VECTORS,
  readVectorFile,
  type TextVector,
  type TextVectors,
  textKey,
} from "./embeddings/vector-file.ts";
import { createWindowSplitter, embedInWindows } from "./embeddings/windows.ts";

const NO_VECTORS: TextVectors = new Map();

/** The texts of all chunks of the shipped runbooks. */
export async function shippedTexts(): Promise<string[]> {
  const { domains } = await readRunbookFolder();
  const chunking = { size: INTERNALS.CHUNK_SIZE, overlap: INTERNALS.CHUNK_OVERLAP };
  // The date is not part of the text.
  const options = { chunking, now: new Date(0) };
  const documents = domains.flatMap(({ name, runbooks }) =>
    runbooks.flatMap((runbook) => runbookDocuments(name, runbook, options)),
  );
  return [...new Set(documents.map(documentText))];
}

/** Computes the vectors of these texts that `present` does not have, and leaves out those of other texts. */
export async function computeVectors(
  texts: readonly string[],
  present: TextVectors = NO_VECTORS,
): Promise<{ readonly vectors: TextVectors; readonly computed: number }> {
  const vectors = new Map<string, TextVector>();
  const missing: string[] = [];
  for (const text of texts) {
    const entry = present.get(textKey(text));
    if (entry) vectors.set(textKey(text), entry);
    else missing.push(text);
  }
  if (missing.length === 0) return { vectors, computed: 0 };
  const pool = await createEncoderPool(availableParallelism());
  const embed = embedInWindows(
    createWindowSplitter(await createTokenCounter()),
    createScheduler(pool.embed, pool.size).indexing,
  );
  await Promise.all(
    missing.map(async (text) => {
      const batch = await embed([text]);
      vectors.set(textKey(text), { vector: batch.vectors[0] ?? [], tokens: batch.tokens[0] ?? 0 });
    }),
  );
  return { vectors, computed: missing.length };
}

if (import.meta.main) {
  const file = readVectorFile(RUNBOOK_VECTORS);
  const texts = await shippedTexts();
  console.log(`The shipped runbooks have ${texts.length} chunks. Computing all takes about two minutes …`);
  const { vectors, computed } = await computeVectors(texts, file.state === "valid" ? file.vectors : NO_VECTORS);
  writeFileSync(RUNBOOK_VECTORS, encodeVectorFile(vectors));
  console.log(`Wrote dev/embeddings/runbook-vectors.bin: ${vectors.size} vectors, ${computed} of them computed now.`);
  // The encoder threads would keep the process alive.
  process.exit(0);
}
