import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createEncoder } from "../../../dev/embeddings/encoder.ts";
import { splitIntoBatches } from "../../../dev/embeddings/scheduler.ts";
import type { Stack } from "../../../dev/stack/stack.ts";
import { startStack } from "../../../dev/stack/start-stack.ts";
import { removeDir, scratchDir } from "../../integration/stack/support/scratch.ts";

const MODEL = "universal-sentence-encoder-lite-windows";

const responseSchema = z.strictObject({
  object: z.literal("list"),
  model: z.literal(MODEL),
  data: z.array(
    z.strictObject({ object: z.literal("embedding"), index: z.int(), embedding: z.array(z.number()).length(512) }),
  ),
  usage: z.strictObject({ prompt_tokens: z.int(), total_tokens: z.int() }),
});

describe("the embedding sidecar", { timeout: 300_000 }, () => {
  let scratch: string;
  let stack: Stack;

  beforeAll(async () => {
    scratch = scratchDir({ keep: true });
    stack = await startStack({ dir: join(scratch, "data"), ephemeral: true, services: ["embeddings"] });
  });

  afterAll(async () => {
    await stack?.stop();
    removeDir(scratch);
  });

  const post = (body: unknown): Promise<Response> =>
    fetch(`${stack.info.urls.embeddings}/embeddings`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

  const embed = async (input: string | string[]): Promise<number[][]> => {
    const response = await post({ model: MODEL, input, encoding_format: "float" });
    const { data } = responseSchema.parse(await response.json());
    expect(data.map(({ index }) => index)).toEqual([...data.keys()]);
    return data.map(({ embedding }) => embedding);
  };

  test("answers in the format of OpenAI, with unit vectors and token counts", async () => {
    const response = await post({ model: MODEL, input: "container exited with code 137" });
    const body = responseSchema.parse(await response.json());
    expect(Math.hypot(...(body.data[0]?.embedding ?? []))).toBeCloseTo(1, 5);
    expect(body.usage.prompt_tokens).toBeGreaterThan(4);
    expect(body.usage.total_tokens).toBe(body.usage.prompt_tokens);
  });

  test("writes the same vectors in base64", async () => {
    const [vector = []] = await embed("disk full");
    const response = await post({ model: MODEL, input: "disk full", encoding_format: "base64" });
    const { data } = (await response.json()) as { data: { embedding: string }[] };
    const bytes = Buffer.from(data[0]?.embedding ?? "", "base64");
    expect(bytes.length).toBe(4 * vector.length);
    expect(vector.map((value, i) => Math.abs(value - bytes.readFloatLE(4 * i)) < 1e-6)).not.toContain(false);
  });

  test("gives a text the same vector in every batch", async () => {
    const texts = Array.from(
      { length: 30 },
      (_, index) => `${"pod evicted ".repeat((index * 7) % 23)}node pressure ${index}`,
    );
    const together = await embed(texts);
    for (const i of [0, 13, 29]) {
      const [alone] = await embed(texts[i] ?? "");
      expect(dot(together[i], alone)).toBeCloseTo(1, 4);
    }
  });

  test("places similar texts closer than different ones", async () => {
    const [oom, memory, dns] = await embed([
      "the container was killed because it ran out of memory",
      "the process used too much memory and the kernel killed it",
      "the name of the service cannot be resolved",
    ]);
    expect(dot(oom, memory)).toBeGreaterThan(dot(oom, dns));
  });

  test("reads long texts to their end and leaves short ones to the model", async () => {
    const padding = "The service writes its state to the volume. ".repeat(60);
    const [disk, dns, plain] = await embed([
      `Runbook\n\n${padding}No space is left on the disk.`,
      `Runbook\n\n${padding}The name cannot be resolved.`,
      `Runbook\n\n${padding}`,
    ]);
    expect(Math.hypot(...(disk ?? []))).toBeCloseTo(1, 5);
    const [question] = await embed("the disk has no space left");
    expect(dot(disk, question)).toBeGreaterThan(dot(plain, question));
    expect(dot(disk, question)).toBeGreaterThan(dot(dns, question));

    const text = "Disk full\n\ndocker system prune\nfrees what nothing uses.";
    const encode = await createEncoder();
    const { vectors } = await encode([text]);
    expect(await embed(text)).toEqual(vectors);
  });

  test("lists its model and its health", async () => {
    const models = await fetch(`${stack.info.urls.embeddings}/models`);
    expect(await models.json()).toMatchObject({ object: "list", data: [{ id: MODEL, object: "model" }] });
    const health = await fetch(new URL("/health", stack.info.urls.embeddings));
    expect(await health.json()).toEqual({ status: "ok", model: MODEL, dimensions: 512 });
  });

  test.each([
    ["invalid JSON", "{", null],
    ["a missing input", { model: MODEL }, "input"],
    ["an empty string", { model: MODEL, input: "" }, "input.0"],
    ["an empty list", { model: MODEL, input: [] }, "input"],
    ["an empty string in a list", { model: MODEL, input: ["a", ""] }, "input.1"],
    ["a number", { model: MODEL, input: 5 }, "input"],
    ["more than 256 texts", { model: MODEL, input: Array(257).fill("a") }, "input"],
    ["another encoding", { model: MODEL, input: "a", encoding_format: "hex" }, "encoding_format"],
    ["other dimensions", { model: MODEL, input: "a", dimensions: 256 }, "dimensions"],
  ])("rejects %s as OpenAI does", async (_name, body, param) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: { message: expect.any(String), type: "invalid_request_error", param, code: null },
    });
  });

  test("rejects an unknown model", async () => {
    const response = await post({ model: "text-embedding-3-small", input: "a" });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: "model_not_found", param: "model" } });
  });

  test("answers queries while it processes a large request", async () => {
    let isBatchDone = false;
    const batch = embed(Array(96).fill("the container was killed by the kernel ".repeat(12))).then(() => {
      isBatchDone = true;
    });
    for (let query = 0; query < 3; query += 1) await embed("out of memory");
    expect(isBatchDone).toBe(false);
    await batch;
  });
});

describe("batches", () => {
  test("contain every position once, grouped by similar length, within the limits", () => {
    const lengths = [300, 3_000, 20, 280, 30, 290, 10, 5_000, 45, 400, 700];
    const batches = splitIntoBatches(lengths);
    expect(batches.flat().sort((a, b) => a - b)).toEqual([...lengths.keys()]);
    expect(batches.map((batch) => batch.map((position) => lengths[position]))).toEqual([
      [10, 20, 30, 45],
      [280, 290, 300, 400],
      // These cost the same: the model reads only their beginning.
      [3_000, 5_000, 700],
    ]);
  });

  test("are empty without texts", () => {
    expect(splitIntoBatches([])).toEqual([]);
  });
});

function dot(a: number[] = [], b: number[] = []): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}
