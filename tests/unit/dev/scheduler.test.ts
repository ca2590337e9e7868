import { describe, expect, it } from "vitest";
import type { EmbeddedBatch } from "../../../dev/embeddings/encoder.ts";
import { createScheduler } from "../../../dev/embeddings/scheduler.ts";

/** An encoder whose batches end when the test says so. */
function createEncoder() {
  const batches: { readonly texts: readonly string[]; end(): void }[] = [];
  return {
    /** The first text of each batch, in the order of their starts. */
    started: () => batches.map(({ texts }) => texts[0]),
    /** Ends the batches one after another until nothing is left to do. */
    async endAll() {
      for (let i = 0; i < batches.length; i++) {
        batches[i]?.end();
        await new Promise(setImmediate);
      }
    },
    async end(i: number) {
      batches[i]?.end();
      await new Promise(setImmediate);
    },
    encode(texts: readonly string[]): Promise<EmbeddedBatch> {
      const { promise, resolve } = Promise.withResolvers<EmbeddedBatch>();
      batches.push({ texts, end: () => resolve({ vectors: texts.map(() => [1]), tokens: texts.map(() => 1) }) });
      return promise;
    },
  };
}

describe("the scheduler", () => {
  it("starts queries before indexing that came earlier, however small it is", async () => {
    const encoder = createEncoder();
    const { query: embed, indexing } = createScheduler(encoder.encode, 1);
    const work = [embed(["first"]), indexing(["document"]), embed(["query"])];
    await encoder.endAll();
    await Promise.all(work);
    expect(encoder.started()).toEqual(["first", "query", "document"]);
  });

  it("takes the two long texts of a triage for a query, and more texts for indexing", async () => {
    const encoder = createEncoder();
    const { query: embed, indexing } = createScheduler(encoder.encode, 1);
    const long = (name: string, count: number) => Array<string>(count).fill(`${name} ${"long text ".repeat(60)}`);
    const work = [embed(["first"]), indexing(["document"]), embed(long("many", 9)), embed(long("triage", 8))];
    await encoder.endAll();
    await Promise.all(work);
    const names = encoder.started().map((text) => text?.split(" ")[0]);
    expect(names).toEqual(["first", "triage", "triage", "document", "many", "many", "many"]);
  });

  it("keeps one of two encoders for queries while they come", async () => {
    const encoder = createEncoder();
    const { query: embed, indexing } = createScheduler(encoder.encode, 2);
    const work = [embed(["query 1"]), ...["a", "b", "c"].map((text) => indexing([text]))];
    expect(encoder.started()).toEqual(["query 1", "a"]);
    await encoder.end(0);
    expect(encoder.started()).toEqual(["query 1", "a"]);
    work.push(embed(["query 2"]));
    expect(encoder.started()).toEqual(["query 1", "a", "query 2"]);
    await encoder.endAll();
    await Promise.all(work);
  });

  it("gives indexing all encoders some time after the last query", async () => {
    const encoder = createEncoder();
    const { query: embed, indexing } = createScheduler(encoder.encode, 2);
    const query = embed(["query"]);
    await encoder.end(0);
    const work = Array.from({ length: 12 }, (_, n) => indexing([`document ${n}`]));
    for (let i = 1; i <= 8; i++) await encoder.end(i);
    expect(encoder.started()).toHaveLength(11);
    await encoder.endAll();
    await Promise.all([query, ...work]);
  });

  it("gives indexing a batch after 8 queries, so that it does not starve", async () => {
    const encoder = createEncoder();
    const { query: embed, indexing } = createScheduler(encoder.encode, 1);
    const work = [indexing(["document"])];
    await encoder.end(0);
    work.push(indexing(["document 2"]), indexing(["document 3"]));
    for (let n = 0; n < 10; n++) work.push(embed([`query ${n}`]));
    await encoder.endAll();
    await Promise.all(work);
    expect(encoder.started().indexOf("document 3")).toBe(10);
  });

  it("does not encode texts whose caller has gone", async () => {
    const encoder = createEncoder();
    const { query: embed } = createScheduler(encoder.encode, 1);
    const abort = new AbortController();
    const work = embed(["first"]);
    const abandoned = embed(["abandoned"], abort.signal);
    abort.abort(new Error("The caller disconnected."));
    const outcome = expect(abandoned).rejects.toThrow("The caller disconnected.");
    await encoder.endAll();
    await work;
    await outcome;
    expect(encoder.started()).toEqual(["first"]);
  });
});
