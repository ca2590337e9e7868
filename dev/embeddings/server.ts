// Process entry: the embedding sidecar on 127.0.0.1.

import { availableParallelism } from "node:os";
import { serve } from "@hono/node-server";
import { z } from "zod";
import { createEmbeddingsApp } from "./app.ts";
import { createTokenCounter, type Embed } from "./encoder.ts";
import { createEncoderPool } from "./encoder-pool.ts";
import { createScheduler } from "./scheduler.ts";
import { embedFromCache } from "./vector-cache.ts";
import { embedFromFile, RUNBOOK_VECTORS, readVectorFile } from "./vector-file.ts";
import { createWindowSplitter, embedInWindows } from "./windows.ts";

/** Each takes about 200 MB after its first batch. */
const MAX_ENCODERS = 4;

const { PORT, VECTOR_CACHE } = z
  .object({ PORT: z.coerce.number(), VECTOR_CACHE: z.string().min(1).optional() })
  .parse(process.env);

const pool = await createEncoderPool(Math.min(MAX_ENCODERS, availableParallelism()));
const split = createWindowSplitter(await createTokenCounter());
// Schedules windows instead of texts: a query waits for some windows of a long chunk, not for all.
const scheduler = createScheduler(pool.embed, pool.size);
const shipped = readVectorFile(RUNBOOK_VECTORS);
if (shipped.state === "unusable") console.warn(shipped.reason);
const withStoredVectors = (embedWindows: Embed): Embed => {
  const compute = embedInWindows(split, embedWindows);
  const embed = VECTOR_CACHE === undefined ? compute : embedFromCache(VECTOR_CACHE, compute);
  return shipped.state === "valid" ? embedFromFile(shipped.vectors, embed) : embed;
};
const app = createEmbeddingsApp({
  query: withStoredVectors(scheduler.query),
  indexing: withStoredVectors(scheduler.indexing),
});
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: PORT });
process.on("SIGTERM", () => process.exit(0));
