// A storm asks the same again and again: the embedding service hears each text once.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createCachedEmbedder } from "../../../functions/adapters/cached-embedder.ts";
import type { Embedder } from "../../../functions/adapters/embedder.ts";
import { createOpenAiEmbedder } from "../../../functions/adapters/openai-embedder.ts";
import { DependencyError } from "../../../functions/dependencies.ts";
import { deliver, incidentRows, investigate, webhook } from "../alerts/support.ts";
import { createHarness, emptyStores } from "../support/harness.ts";
import { type Behaviour, lyingServer } from "../support/servers/lying-server.ts";

const bodySchema = z.object({ input: z.array(z.string()) });

/** An embedding server that writes down what it is asked; its vectors tell texts apart by their first letter and length. */
async function embeddingServer(
  dimensions: number,
  fail?: (call: number) => ReturnType<NonNullable<Behaviour["answer"]>> | undefined,
) {
  const asked: string[] = [];
  const server = await lyingServer({
    answer: (body, call) => {
      const { input } = bodySchema.parse(JSON.parse(body));
      asked.push(...input);
      return (
        fail?.(call) ?? {
          body: JSON.stringify({
            data: input.map((text, index) => ({ index, embedding: vectorOf(text, dimensions) })),
          }),
        }
      );
    },
  });
  return { server, asked };
}

function vectorOf(text: string, dimensions: number): number[] {
  const vector = Array<number>(dimensions).fill(0);
  vector[0] = text.charCodeAt(0);
  vector[1] = text.length;
  return vector;
}

function cachedEmbedder(url: string, { dimensions = 2, timeoutMs = 5_000 } = {}) {
  const options = { model: "m", dimensions, batchSize: 8, timeoutMs };
  return createCachedEmbedder(createOpenAiEmbedder({ ...options, baseUrl: url }), timeoutMs);
}

describe("in a storm, the embedding service", () => {
  let embeddings: Awaited<ReturnType<typeof embeddingServer>>;
  beforeAll(async () => {
    embeddings = await embeddingServer(512);
  });
  afterAll(() => embeddings.server[Symbol.asyncDispose]());
  const storm = () => createHarness({ EMBEDDINGS_URL: embeddings.server.url });
  beforeEach(async () => {
    await emptyStores(createHarness().services);
    embeddings.asked.length = 0;
  });
  const timesAsked = (text: string) => embeddings.asked.filter((each) => each === text).length;

  it("hears the same report once, however often it comes one after another", async () => {
    const { triage } = storm();
    for (let i = 0; i < 5; i++) await triage({ title: "checkout exited with code 137" });
    expect(timesAsked("oom killed checkout exited with code 137")).toBe(1);
    await triage({ title: "checkout exited with code 1" });
    expect(embeddings.asked.filter((text) => text.endsWith("checkout exited with code 1"))).toHaveLength(1);
  });

  it("hears the same report once when fifty come at the same moment", async () => {
    const { triage } = storm();
    await Promise.all(Array.from({ length: 50 }, () => triage({ title: "checkout exited with code 137" })));
    expect(timesAsked("oom killed checkout exited with code 137")).toBe(1);
  });

  it("hears an alert once that Alertmanager sends for thirty incidents", async () => {
    // Without a window, each webhook opens an incident of its own; the pods are labels and not part of the question.
    const alone = createHarness({ EMBEDDINGS_URL: embeddings.server.url, ALERT_GROUP_WINDOW_SECONDS: "0" });
    for (let i = 0; i < 30; i++) {
      await deliver(alone, "alertmanager", webhook([{ pod: `checkout-${i}` }]));
      alone.clock.advance(1_000);
    }
    const incidents = (await incidentRows()).map(({ id }) => String(id));
    expect(incidents).toHaveLength(30);
    await investigate(alone.services, incidents);
    const questions = embeddings.asked.filter((text) => !text.includes("\n"));
    expect(questions.length).toBeGreaterThan(0);
    expect(new Set(questions).size).toBe(questions.length);
  });
});

describe("an embedder that remembers", () => {
  it("does not confuse texts, nor what was done to a vector with the vector", async () => {
    const { server, asked } = await embeddingServer(2);
    await using _ = server;
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
    expect(asked.toSorted()).toEqual(["a", "a ", "b"]);
    expect(await embed([])).toEqual([]);
  });

  it("gives a failure to all who wait for it, and asks again for the next", async () => {
    const { server, asked } = await embeddingServer(2, (call) => (call === 1 ? { status: 401, body: "" } : undefined));
    await using _ = server;
    const { embed } = cachedEmbedder(server.url);
    const outcomes = await Promise.allSettled([embed(["a"]), embed(["a"]), embed(["a"])]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(asked).toEqual(["a"]);
    expect(await embed(["a"])).toEqual([[97, 1]]);
    expect(asked).toEqual(["a", "a"]);
  });

  it("forgets first what was used longest ago, and never holds more than 512,000 numbers", async () => {
    // Two vectors of this size are all that it may hold.
    const { server, asked } = await embeddingServer(256_000);
    await using _ = server;
    const { embed } = cachedEmbedder(server.url, { dimensions: 256_000 });
    for (const text of ["a", "b", "a", "c"]) await embed([text]);
    expect(asked).toEqual(["a", "b", "c"]);
    await embed(["a"]);
    expect(asked).toEqual(["a", "b", "c"]);
    await embed(["b"]);
    expect(asked).toEqual(["a", "b", "c", "b"]);
  });
});

describe("an embedder that remembers, after a dropped call,", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());
  const outcomeOf = (asking: Promise<number[][]>) => asking.catch((error: unknown) => failureOf(error));

  it("asks anew after a third of the time, once for all who wait", async () => {
    const { embedder, asked } = droppingEmbedder(1);
    const { embed } = createCachedEmbedder(embedder, 300);
    const hungUp = outcomeOf(embed(["a"]));
    const waiting = Promise.all(Array.from({ length: 50 }, () => embed(["a"])));
    await vi.advanceTimersByTimeAsync(100);
    expect(await waiting).toEqual(Array(50).fill([[97, 1]]));
    expect(asked).toEqual(["a", "a"]);
    expect(await embed(["a"])).toEqual([[97, 1]]);
    expect(asked).toEqual(["a", "a"]);
    // In a Worker nobody is there any more to hear it.
    await vi.advanceTimersByTimeAsync(200);
    expect(await hungUp).toBe("timeout");
  });

  it("asks once more when the second call was dropped too, and gives up when its time is over", async () => {
    const { embedder, asked } = droppingEmbedder(3);
    const { embed } = createCachedEmbedder(embedder, 300);
    const waiting = Promise.all(Array.from({ length: 10 }, () => outcomeOf(embed(["a"]))));
    await vi.advanceTimersByTimeAsync(300);
    expect(await waiting).toEqual(Array(10).fill("timeout"));
    expect(asked).toEqual(["a", "a", "a"]);
    const next = embed(["a"]);
    await vi.advanceTimersByTimeAsync(100);
    expect(await next).toEqual([[97, 1]]);
  });

  it("takes the late answer of a call that was only slow", async () => {
    const { embedder, asked, answer } = droppingEmbedder(2);
    const { embed } = createCachedEmbedder(embedder, 300);
    const waiting = Promise.all([embed(["a"]), embed(["a"]), embed(["a"])]);
    await vi.advanceTimersByTimeAsync(199);
    answer(0);
    expect(await waiting).toEqual(Array(3).fill([[97, 1]]));
    expect(asked).toEqual(["a", "a"]);
  });

  it("says at once that its own call failed, though the dropped one might still answer", async () => {
    let calls = 0;
    const refused = new DependencyError("embedder", "refused", "401");
    const embedder = {
      model: "m",
      dimensions: 2,
      embed: () => (++calls === 1 ? new Promise<number[][]>(() => {}) : Promise.reject(refused)),
    };
    const { embed } = createCachedEmbedder(embedder, 300);
    const outcomes = [outcomeOf(embed(["a"])), outcomeOf(embed(["a"]))];
    await vi.advanceTimersByTimeAsync(100);
    expect(await outcomes[1]).toBe("refused");
    await vi.advanceTimersByTimeAsync(200);
    expect(await outcomes[0]).toBe("timeout");
  });

  it("keeps no more than a thousand such calls", async () => {
    const { embedder, asked, answer } = droppingEmbedder(1_001);
    const { embed } = createCachedEmbedder(embedder, 300);
    const hungUp = Array.from({ length: 1_001 }, (_, index) => embed([`${index}`]));
    // The time stands still: who waited for the dropped call would wait for ever.
    expect(await embed(["0"])).toEqual([[48, 1]]);
    expect(asked).toHaveLength(1_002);
    for (const call of hungUp.keys()) answer(call);
    await Promise.all(hungUp);
  });
});

/** Its first calls stay without an answer until `answer`, as a Worker leaves calls whose request was cancelled. */
function droppingEmbedder(dropped: number) {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const embedder: Embedder = {
    model: "m",
    dimensions: 2,
    embed: (texts) => {
      const vectors = texts.map((text) => vectorOf(text, 2));
      asked.push(...texts);
      if (asked.length > dropped) return Promise.resolve(vectors);
      return new Promise((resolve) => answers.push(() => resolve(vectors)));
    },
  };
  return { embedder, asked, answer: (call: number) => answers[call]?.() };
}

function failureOf(error: unknown): string {
  return error instanceof DependencyError ? error.failure : String(error);
}
