import { describe, expect, it } from "vitest";
import { USUAL_SCALE } from "../../../functions/adapters/embedder.ts";
import { createOpenAiEmbedder } from "../../../functions/adapters/openai-embedder.ts";
import { createWorkersAiEmbedder } from "../../../functions/adapters/workers-ai-models.ts";
import { searchCollection } from "../../../functions/search-index/collection-search.ts";
import { embedDocuments } from "../../../functions/search-index/embed-documents.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { createHarness } from "../support/harness.ts";
import { lyingServer } from "../support/servers/lying-server.ts";

const { startTimer, expireHung } = createTestTimers();
const options = { model: "m", dimensions: 2, batchSize: 2, timeoutMs: 2_000, startTimer };
const item = (index: number, embedding: unknown = [index, 1]) => ({ object: "embedding", index, embedding });
const json = (data: unknown) => ({ body: JSON.stringify({ data }) });

async function embedWith(answer: Parameters<typeof lyingServer>[0]["answer"], texts = ["a", "b"]) {
  await using server = await lyingServer(answer ? { answer } : {});
  expireHung(server, "embedder");
  const embedder = createOpenAiEmbedder({ ...options, baseUrl: `${server.url}/v1/` });
  try {
    return { vectors: await embedder.embed(texts), requests: [...server.requests] };
  } catch (error) {
    return { error, requests: [...server.requests] };
  }
}

describe("the OpenAI-compatible embedder", () => {
  it("sends no request without texts", async () => {
    expect(await embedWith(() => json([]), [])).toEqual({ vectors: [], requests: [] });
  });

  it("splits into batches and keeps the order", async () => {
    const batchSizes: number[] = [];
    const result = await embedWith(
      (body) => {
        const { input } = JSON.parse(body);
        batchSizes.push(input.length);
        return json(input.map((text: string, i: number) => item(i, [Number(text), 1])));
      },
      ["10", "11", "12", "13", "14"],
    );
    expect(batchSizes).toEqual([2, 2, 1]);
    expect(result.vectors?.map(([first]) => first)).toEqual([10, 11, 12, 13, 14]);
  });

  it("orders vectors by their index", async () => {
    expect((await embedWith(() => json([item(1), item(0)]))).vectors).toEqual([
      [0, 1],
      [1, 1],
    ]);
  });

  it.each([
    ["too few vectors", [item(0)]],
    ["too many vectors", [item(0), item(1), item(2)]],
    ["one index twice", [item(0), item(0)]],
    ["an index out of range", [item(0), item(7)]],
    ["a vector of another size", [item(0), item(1, [1, 2, 3])]],
    ["a value that is not a number", [item(0), item(1, [1, null])]],
    ["no vectors at all", "nothing"],
  ])("refuses %s", async (_, data) => {
    const { error, requests } = await embedWith(() => json(data));
    expect(error).toMatchObject({ dependency: "embedder", failure: "invalid_response" });
    expect(requests).toHaveLength(1);
  });

  it("refuses a response that is not JSON", async () => {
    expect((await embedWith(() => ({ body: "<html>busy</html>" }))).error).toMatchObject({
      failure: "invalid_response",
    });
  });

  it("retries once after a 503 or a cut connection", async () => {
    const flaky = await embedWith((_, call) => (call === 1 ? { status: 503, body: "" } : json([item(0), item(1)])));
    expect(flaky).toMatchObject({
      vectors: [
        [0, 1],
        [1, 1],
      ],
    });
    expect(flaky.requests).toHaveLength(2);
    const cut = await embedWith((_, call) => (call === 1 ? "cut" : json([item(0), item(1)])));
    expect(cut.vectors).toBeDefined();
  });

  it("fails after the second failure, and at once when the request is refused", async () => {
    const down = await embedWith(() => ({ status: 500, body: "" }));
    expect(down.error).toMatchObject({ failure: "unreachable" });
    expect(down.requests).toHaveLength(2);
    const refused = await embedWith(() => ({ status: 401, body: "" }));
    expect(refused.error).toMatchObject({ failure: "refused" });
    expect(refused.requests).toHaveLength(1);
  });

  it("fails at its timeout", async () => {
    expect((await embedWith(() => "hang", ["a"])).error).toMatchObject({ failure: "timeout" });
  });
});

const base64Of = (numbers: readonly number[]): string => {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((value, i) => {
    bytes.writeFloatLE(value, 4 * i);
  });
  return bytes.toString("base64");
};

describe("a server that accepts only base64 and requires an input type", () => {
  /** Answers as Voyage does: other requests get 400. */
  const strictServer = (bodies: unknown[]) =>
    lyingServer({
      answer: (text) => {
        const body = JSON.parse(text);
        bodies.push(body);
        const isAccepted = body.encoding_format === "base64" && ["query", "document"].includes(body.input_type);
        if (!isAccepted) return { status: 400, body: JSON.stringify({ detail: "not accepted" }) };
        return json(body.input.map((_: string, i: number) => item(i, base64Of([i + 0.5, -2]))));
      },
    });
  const settings = (url: string) => ({
    EMBEDDING_MODEL: "openai-compatible:voyage-3.5",
    EMBEDDING_DIMENSIONS: "2",
    EMBEDDINGS_URL: `${url}/v1`,
  });
  const strict = { EMBEDDINGS_INPUT_TYPE: "query/document" };

  it("embeds queries and documents with its input types", async () => {
    const bodies: { input: string[]; input_type: string }[] = [];
    await using server = await strictServer(bodies);
    const { services } = createHarness({ ...settings(server.url), ...strict });
    expect(await services.embedder.embed(["why", "how"], "query")).toEqual([
      [0.5, -2],
      [1.5, -2],
    ]);
    expect(await services.background.embedder.embed(["a runbook"], "document")).toEqual([[0.5, -2]]);
    expect(bodies.map(({ input, input_type }) => [input, input_type])).toEqual([
      [["why", "how"], "query"],
      [["a runbook"], "document"],
    ]);
  });

  it("gets the purpose of each text from search and outbox", async () => {
    const bodies: { input: string[]; input_type: string }[] = [];
    await using server = await strictServer(bodies);
    const { services } = createHarness({ ...settings(server.url), ...strict });
    const search = { collection: "runbooks", query: "oom", limit: 1 } as const;
    await searchCollection(services, search).catch(() => {});
    await embedDocuments({ embedder: services.background.embedder, database: services.database }, [
      {
        id: "a",
        source: null,
        chunkIndex: null,
        title: "T",
        headingPath: [],
        body: "b",
        metadata: {},
        writtenAt: new Date(0),
      },
    ]);
    expect(bodies.map(({ input_type }) => input_type)).toEqual(["query", "document"]);
  });

  it("refuses requests without input types", async () => {
    await using server = await strictServer([]);
    const { services } = createHarness(settings(server.url));
    await expect(services.embedder.embed(["why"], "query")).rejects.toMatchObject({ failure: "refused" });
  });

  it("has an index of its own: input types change the vectors", () => {
    const fingerprintOf = (extra: Record<string, string>) =>
      createHarness({ ...settings("http://127.0.0.1:9"), ...extra }).services.vectors.fingerprint;
    expect(fingerprintOf({ EMBEDDINGS_INPUT_TYPE: "query/document" })).not.toBe(fingerprintOf({}));
  });

  it.each([
    ["half a number", Buffer.alloc(6).toString("base64")],
    ["another length", base64Of([1, 2, 3])],
    ["text that is not base64", "not base64!"],
    ["infinity", base64Of([1, Number.POSITIVE_INFINITY])],
  ])("may not answer with %s", async (_case, embedding) => {
    const { error } = await embedWith(() => json([item(0, embedding)]), ["a"]);
    expect(error).toMatchObject({ dependency: "embedder", failure: "invalid_response" });
  });

  it("shares no cached vector between a query and a document", async () => {
    const bodies: unknown[] = [];
    await using server = await strictServer(bodies);
    const { services } = createHarness({ ...settings(server.url), ...strict });
    for (const purpose of ["query", "document", "query"] as const) await services.embedder.embed(["same"], purpose);
    expect(bodies).toHaveLength(2);
  });
});

describe("the Workers AI embedder", () => {
  it("has a scale of its own for bge models, whose vectors lie close together", () => {
    const ai = { run: () => Promise.reject(new Error("It is not called.")) };
    const scaleOf = (model: string) => createWorkersAiEmbedder({ ...options, model }, ai).scale;
    expect(scaleOf("@cf/baai/bge-base-en-v1.5").unrelated).toBeGreaterThan(USUAL_SCALE.unrelated);
    expect(scaleOf("@cf/google/embeddinggemma-300m")).toEqual(USUAL_SCALE);
  });

  it("calls the binding in batches and validates the response", async () => {
    const calls: unknown[] = [];
    const ai = {
      run: async (model: string, input: { text: string[] }) => {
        calls.push([model, input.text]);
        return { shape: [input.text.length, 2], data: input.text.map(() => [1, 2]) };
      },
    };
    expect(await createWorkersAiEmbedder(options, ai).embed(["a", "b", "c"])).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    expect(calls).toEqual([
      ["m", ["a", "b"]],
      ["m", ["c"]],
    ]);
    const invalid = { run: async () => ({ data: [[1, 2, 3]] }) };
    await expect(createWorkersAiEmbedder(options, invalid).embed(["a"])).rejects.toMatchObject({
      failure: "invalid_response",
    });
  });
});
