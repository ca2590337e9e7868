// The embedding cache: during an alert storm with equal texts, the embedding service receives each text once.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createCachedEmbedder } from "../../../functions/adapters/cached-embedder.ts";
import { type Embedder, USUAL_SCALE } from "../../../functions/adapters/embedder.ts";
import { createOpenAiEmbedder } from "../../../functions/adapters/openai-embedder.ts";
import { DependencyError } from "../../../functions/dependencies.ts";
import { startRealTimer } from "../../../functions/timers.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { deliver, incidentRows, investigate, webhook } from "../alerts/support.ts";
import { createHarness, emptyStores } from "../support/harness.ts";
import { type EmbeddingServer, embeddingServer } from "../support/servers/embedding-server.ts";

/** Differs by the first letter and the length of the text. */
function vectorOf(text: string, dimensions: number): number[] {
  const vector = Array<number>(dimensions).fill(0);
  vector[0] = text.charCodeAt(0);
  vector[1] = text.length;
  return vector;
}

function cachedEmbedder(url: string, { dimensions = 2, timeoutMs = 5_000 } = {}) {
  const { startTimer } = createTestTimers();
  const options = { model: "m", dimensions, batchSize: 8, timeoutMs, startTimer };
  return createCachedEmbedder(createOpenAiEmbedder({ ...options, baseUrl: url }), timeoutMs, startTimer);
}

describe("during an alert storm, the embedding service", () => {
  let embeddings: EmbeddingServer;
  beforeAll(async () => {
    embeddings = await embeddingServer();
  });
  afterAll(() => embeddings[Symbol.asyncDispose]());
  const storm = () => createHarness(embeddings.env);
  beforeEach(async () => {
    await emptyStores(createHarness().services);
    embeddings.inputs.length = 0;
  });
  const timesEmbedded = (text: string) => embeddings.inputs.filter((each) => each === text).length;

  it("receives the text of sequential equal reports once", async () => {
    const { triage } = storm();
    for (let i = 0; i < 5; i++) await triage({ title: "checkout exited with code 137" });
    expect(timesEmbedded("checkout exited with code 137")).toBe(1);
    await triage({ title: "checkout exited with code 1" });
    expect(embeddings.inputs.filter((text) => text === "checkout exited with code 1")).toHaveLength(1);
  });

  it("receives the text of ten concurrent equal reports once", async () => {
    const { triage } = storm();
    await Promise.all(Array.from({ length: 10 }, () => triage({ title: "checkout exited with code 137" })));
    expect(timesEmbedded("checkout exited with code 137")).toBe(1);
  });

  it("receives the text of an alert in six incidents once", async () => {
    // Without a window, each webhook creates its own incident; the pods are labels and not part of the question.
    const ungrouped = createHarness({ ...embeddings.env, ALERT_GROUP_WINDOW_SECONDS: "0" });
    for (let i = 0; i < 6; i++) {
      await deliver(ungrouped, "alertmanager", webhook([{ pod: `checkout-${i}` }]));
      ungrouped.clock.advance(1_000);
    }
    const incidents = (await incidentRows()).map(({ id }) => String(id));
    expect(incidents).toHaveLength(6);
    await investigate(ungrouped.services, incidents);
    const questions = embeddings.inputs.filter((text) => !text.includes("\n"));
    expect(questions.length).toBeGreaterThan(0);
    expect(new Set(questions).size).toBe(questions.length);
  });
});

describe("a cached embedder", () => {
  it("distinguishes texts and returns copies of its vectors", async () => {
    await using server = await embeddingServer({ vectorOf: (text) => vectorOf(text, 2) });
    const { inputs } = server;
    const { embed } = cachedEmbedder(server.url);
    expect(await embed(["a", "b", "a", "a "])).toEqual([
      [97, 1],
      [98, 1],
      [97, 1],
      [97, 2],
    ]);
    const [vector = []] = await embed(["a"]);
    vector[0] = 0;
    expect(await embed(["a"])).toEqual([[97, 1]]);
    expect(inputs.toSorted()).toEqual(["a", "a ", "b"]);
    expect(await embed([])).toEqual([]);
  });

  it("rejects all waiting calls after a failure and tries again for the next call", async () => {
    await using server = await embeddingServer({
      vectorOf: (text) => vectorOf(text, 2),
      misbehave: (_, call) => (call === 1 ? { status: 401, body: "" } : undefined),
    });
    const { inputs } = server;
    const { embed } = cachedEmbedder(server.url);
    const outcomes = await Promise.allSettled([embed(["a"]), embed(["a"]), embed(["a"])]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(inputs).toEqual(["a"]);
    expect(await embed(["a"])).toEqual([[97, 1]]);
    expect(inputs).toEqual(["a", "a"]);
  });

  it("evicts the least recently used vectors and stores at most 512,000 numbers", async () => {
    // The cache has space for two vectors of this size.
    await using server = await embeddingServer({ vectorOf: (text) => vectorOf(text, 256_000) });
    const { inputs } = server;
    const { embed } = cachedEmbedder(server.url, { dimensions: 256_000 });
    for (const text of ["a", "b", "a", "c"]) await embed([text]);
    expect(inputs).toEqual(["a", "b", "c"]);
    await embed(["a"]);
    expect(inputs).toEqual(["a", "b", "c"]);
    await embed(["b"]);
    expect(inputs).toEqual(["a", "b", "c", "b"]);
  });
});

describe("a cached embedder, after a dropped call,", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());
  const outcomeOf = (call: Promise<number[][]>) => call.catch((error: unknown) => failureOf(error));

  it("calls again after a third of the timeout, once for all waiting callers", async () => {
    const { embedder, inputs } = droppingEmbedder(1);
    const { embed } = createCachedEmbedder(embedder, 300, startRealTimer);
    const hungUp = outcomeOf(embed(["a"]));
    const waiting = Promise.all(Array.from({ length: 50 }, () => embed(["a"])));
    await vi.advanceTimersByTimeAsync(100);
    expect(await waiting).toEqual(Array(50).fill([[97, 1]]));
    expect(inputs).toEqual(["a", "a"]);
    expect(await embed(["a"])).toEqual([[97, 1]]);
    expect(inputs).toEqual(["a", "a"]);
    // In a Worker the request of this caller no longer exists.
    await vi.advanceTimersByTimeAsync(200);
    expect(await hungUp).toBe("timeout");
  });

  it("requests the texts of one call once, however slow the answer is", async () => {
    const { embedder, inputs, answer } = droppingEmbedder(2);
    const { embed } = createCachedEmbedder(embedder, 300, startRealTimer);
    const both = embed(["a", "b"]);
    await vi.advanceTimersByTimeAsync(299);
    answer(0);
    expect(await both).toEqual([
      [97, 1],
      [98, 1],
    ]);
    expect(inputs).toEqual(["a", "b"]);
  });

  it("calls a third time when the second call is dropped too, and then times out", async () => {
    const { embedder, inputs } = droppingEmbedder(3);
    const { embed } = createCachedEmbedder(embedder, 300, startRealTimer);
    const waiting = Promise.all(Array.from({ length: 10 }, () => outcomeOf(embed(["a"]))));
    await vi.advanceTimersByTimeAsync(300);
    expect(await waiting).toEqual(Array(10).fill("timeout"));
    expect(inputs).toEqual(["a", "a", "a"]);
    const next = embed(["a"]);
    await vi.advanceTimersByTimeAsync(100);
    expect(await next).toEqual([[97, 1]]);
  });

  it("uses the late answer of a slow call", async () => {
    const { embedder, inputs, answer } = droppingEmbedder(2);
    const { embed } = createCachedEmbedder(embedder, 300, startRealTimer);
    const waiting = Promise.all([embed(["a"]), embed(["a"]), embed(["a"])]);
    await vi.advanceTimersByTimeAsync(199);
    answer(0);
    expect(await waiting).toEqual(Array(3).fill([[97, 1]]));
    expect(inputs).toEqual(["a", "a"]);
  });

  it("fails at once when its own call fails, although the dropped call might still answer", async () => {
    let calls = 0;
    const refused = new DependencyError("embedder", "refused", "401");
    const embedder = {
      model: "m",
      dimensions: 2,
      scale: USUAL_SCALE,
      embed: () => (++calls === 1 ? new Promise<number[][]>(() => {}) : Promise.reject(refused)),
    };
    const { embed } = createCachedEmbedder(embedder, 300, startRealTimer);
    const outcomes = [outcomeOf(embed(["a"])), outcomeOf(embed(["a"]))];
    await vi.advanceTimersByTimeAsync(100);
    expect(await outcomes[1]).toBe("refused");
    await vi.advanceTimersByTimeAsync(200);
    expect(await outcomes[0]).toBe("timeout");
  });

  it("tracks at most a thousand such calls", async () => {
    const { embedder, inputs, answer } = droppingEmbedder(1_001);
    const { embed } = createCachedEmbedder(embedder, 300, startRealTimer);
    const hungUp = Array.from({ length: 1_001 }, (_, index) => embed([`${index}`]));
    // The clock is stopped: a caller that waits for the dropped call would wait forever.
    expect(await embed(["0"])).toEqual([[48, 1]]);
    expect(inputs).toHaveLength(1_002);
    for (const call of hungUp.keys()) answer(call);
    await Promise.all(hungUp);
  });
});

/** Its first calls get no answer until `answer`, like the calls of a cancelled request in a Worker. */
function droppingEmbedder(dropped: number) {
  const inputs: string[] = [];
  const answers: (() => void)[] = [];
  const embedder: Embedder = {
    model: "m",
    dimensions: 2,
    scale: USUAL_SCALE,
    embed: (texts) => {
      const vectors = texts.map((text) => vectorOf(text, 2));
      inputs.push(...texts);
      if (inputs.length > dropped) return Promise.resolve(vectors);
      return new Promise((resolve) => answers.push(() => resolve(vectors)));
    },
  };
  return { embedder, inputs, answer: (call: number) => answers[call]?.() };
}

function failureOf(error: unknown): string {
  return error instanceof DependencyError ? error.failure : String(error);
}
