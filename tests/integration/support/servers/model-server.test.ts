// The fake model server, read by the real SDK: the result of each answer and of each fault.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateText, NoObjectGeneratedError, Output, streamText } from "ai";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type ModelReply, type ModelServer, startModelServer, type Wire } from "./model-server.ts";

const WIRES: readonly Wire[] = ["anthropic", "openai"];
const schema = z.object({ title: z.string(), steps: z.array(z.string()) });
const output = Output.object({ schema });
const value = { title: "Disk is full", steps: ["clean", "grow"] };
const text = JSON.stringify(value);
const usage = { input: 100, cachedInput: 40, output: 7 };

function modelOf(wire: Wire, { url }: ModelServer) {
  const baseURL = `${url}/v1`;
  if (wire === "anthropic") return createAnthropic({ baseURL, apiKey: "key" })("claude-haiku-4-5");
  const options = { name: "paid", baseURL, apiKey: "key", includeUsage: true, supportsStructuredOutputs: true };
  return createOpenAICompatible(options)("gpt");
}

function asking(wire: Wire, server: ModelServer) {
  return { model: modelOf(wire, server), instructions: "Be brief.", prompt: "What now?", maxRetries: 0 };
}

/** The text, the errors and the finish reason of the stream, and the exception that interrupted it. */
async function readStream(wire: Wire, reply: ModelReply) {
  await using server = await startModelServer(() => reply);
  const result = streamText({ ...asking(wire, server), onError() {} });
  // This promise also rejects when the stream fails.
  Promise.resolve(result.finishReason).catch(() => {});
  const read = { text: "", finishReason: "none", errors: [] as unknown[], thrown: undefined as unknown };
  try {
    for await (const part of result.stream) {
      if (part.type === "text-delta") read.text += part.text;
      else if (part.type === "error") read.errors.push(part.error);
      else if (part.type === "finish") read.finishReason = part.finishReason;
    }
  } catch (cause) {
    read.thrown = cause;
  }
  return read;
}

describe.each(WIRES)("an answer on the wire of %s", (wire) => {
  it("arrives in one body with its usage", async () => {
    await using server = await startModelServer(() => ({ kind: "json", value, usage }));
    const result = await generateText({ ...asking(wire, server), output });
    expect(result.output).toEqual(value);
    expect(result.finishReason).toBe("stop");
    expect(result.usage).toMatchObject({ inputTokens: 100, outputTokens: 7, totalTokens: 107 });
    expect(result.usage.inputTokenDetails).toMatchObject({ cacheReadTokens: 40, noCacheTokens: 60 });
  });

  it("arrives as a stream with its usage", async () => {
    await using server = await startModelServer(() => ({ kind: "json", value, usage, pieces: 5 }));
    const result = streamText({ ...asking(wire, server), output });
    const partial = await Array.fromAsync(result.partialOutputStream);
    expect(partial.length).toBeGreaterThan(2);
    expect(partial.at(-1)).toEqual(value);
    expect(await result.output).toEqual(value);
    expect(await result.usage).toMatchObject({ inputTokens: 100, outputTokens: 7 });
    expect((await result.usage).inputTokenDetails.cacheReadTokens).toBe(40);
  });

  it("is computed from the request as the client sent it", async () => {
    await using server = await startModelServer(() => ({ kind: "json", value }));
    const { model } = asking(wire, server);
    const turn = (role: "user" | "assistant", content: string) => ({ role, content });
    const messages = [turn("user", "It broke."), turn("assistant", "What did?"), turn("user", "The disk.")];
    await generateText({ model, instructions: "Be brief.", messages, output });
    const [call] = server.calls;
    expect(call).toMatchObject({ wire, streams: false, model: model.modelId, system: "Be brief.", aborted: false });
    expect(call?.messages).toEqual(messages.map(({ role, content }) => ({ role, text: content })));
    expect(call?.schema).toMatchObject({ type: "object", required: ["title", "steps"] });
    expect(JSON.stringify(call?.headers)).toContain("key");
    expect(call?.body).toHaveProperty("model");
  });

  it("depends on the call and on its index", async () => {
    await using server = await startModelServer(({ messages }, index) => ({
      kind: "text",
      text: `${index}: ${messages[0]?.text}`,
    }));
    const ask = async (prompt: string) => (await generateText({ ...asking(wire, server), prompt })).text;
    expect([await ask("one"), await ask("two")]).toEqual(["0: one", "1: two"]);
  });

  it.each([
    ["length", "length"],
    ["filtered", "content-filter"],
    ["refusal", "content-filter"],
  ] as const)("with the stop %s finishes as %s, in one body and streamed", async (stop, finishReason) => {
    await using server = await startModelServer(() => ({ kind: "text", text: "I cannot", stop }));
    const whole = await generateText(asking(wire, server));
    expect(whole.finishReason).toBe(finishReason);
    expect(whole.text).toBe(stop === "refusal" && wire === "anthropic" ? "" : "I cannot");
    const streamed = await readStream(wire, { kind: "text", text: "I cannot", stop });
    expect(streamed).toMatchObject({ finishReason, text: whole.text, errors: [] });
  });

  it("waits at its gate until the test opens it", async () => {
    const gate = Promise.withResolvers<void>();
    await using server = await startModelServer(() => ({
      kind: "text",
      text: "abcdef",
      pieces: 2,
      gate: { beforePiece: 1, until: gate.promise },
    }));
    const read: string[] = [];
    for await (const piece of streamText(asking(wire, server)).textStream) {
      read.push(piece);
      if (read.length === 1) {
        expect(server.spans[0]?.end).toBe(Number.POSITIVE_INFINITY);
        gate.resolve();
      }
    }
    expect(read).toEqual(["ab", "cd", "ef"]);
    await server.calls[0]?.ended;
    const [span] = server.spans;
    expect(span?.end).toBeGreaterThan(span?.begin ?? Number.NaN);
    expect(server.calls[0]?.aborted).toBe(false);
  });

  it("arrives unchanged for any text and any piece length", async () => {
    const texts = fc.string({ unit: "grapheme", minLength: 1 });
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 20 }), async (any, pieces) => {
        const read = await readStream(wire, { kind: "text", text: any, pieces });
        expect(read).toEqual({ text: any, finishReason: "stop", errors: [], thrown: undefined });
      }),
      { numRuns: 25 },
    );
  });
});

describe.each(WIRES)("a fault on the wire of %s", (wire) => {
  it.each([429, 400, 500, 529])("arrives as status %i with the wire's error body", async (status) => {
    await using server = await startModelServer(() => ({ kind: "status", status, headers: { "retry-after": "7" } }));
    const error = await generateText(asking(wire, server)).catch((cause: unknown) => cause);
    if (!APICallError.isInstance(error)) throw error;
    expect(error.statusCode).toBe(status);
    expect(error.isRetryable).toBe(status !== 400);
    expect(error.responseHeaders).toMatchObject({ "retry-after": "7" });
    expect(error.data).toMatchObject({ error: { type: expect.any(String), message: error.message } });
    const streamed = await readStream(wire, { kind: "status", status });
    expect(streamed.errors).toEqual([expect.objectContaining({ name: "AI_APICallError", statusCode: status })]);
  });

  it.each(["drop", "cut", "truncated", "overloaded", "garbage"] as const)("makes the call fail: %s", async (kind) => {
    const reply: ModelReply =
      kind === "drop" || kind === "garbage" ? { kind } : { kind, text, afterPieces: 2, pieces: 5 };
    await using server = await startModelServer(() => reply);
    await expect(generateText(asking(wire, server))).rejects.toSatisfy(APICallError.isInstance);
    await server.calls[0]?.ended;
    expect(server.calls[0]?.aborted).toBe(false);
  });

  it("delivers the pieces before a cut and then breaks the stream", async () => {
    const read = await readStream(wire, { kind: "cut", text, afterPieces: 2, pieces: 5 });
    expect(read).toMatchObject({ text: text.slice(0, 10), finishReason: "none" });
    expect(read.thrown).toSatisfy(APICallError.isInstance);
  });

  it("ends a stream early without its last events", async () => {
    const read = await readStream(wire, { kind: "truncated", text, afterPieces: 2, pieces: 5 });
    expect(read).toMatchObject({ text: text.slice(0, 10), thrown: undefined });
    expect(read.finishReason).toBe(wire === "anthropic" ? "interrupted" : "error");
  });

  it("ends a stream with an error event", async () => {
    const read = await readStream(wire, { kind: "overloaded", text, afterPieces: 2, pieces: 5 });
    expect(read).toMatchObject({ text: text.slice(0, 10), finishReason: "error", thrown: undefined });
    expect(read.errors).toHaveLength(1);
  });

  it("makes a stream fail when the body is not a stream", async () => {
    const read = await readStream(wire, { kind: "garbage" });
    expect(read).toMatchObject({ text: "", errors: [expect.any(Error)] });
  });

  it("can be an answer that does not match the schema", async () => {
    await using server = await startModelServer(() => ({ kind: "json", value: { title: 3 } }));
    const result = generateText({ ...asking(wire, server), output });
    await expect(result).rejects.toSatisfy(NoObjectGeneratedError.isInstance);
  });

  it.each(["hang", "stall"] as const)("records that the client aborted: %s", async (kind) => {
    const arrived = Promise.withResolvers<void>();
    await using server = await startModelServer(() => {
      arrived.resolve();
      return kind === "hang" ? { kind } : { kind, text, afterPieces: 1 };
    });
    const controller = new AbortController();
    const result = generateText({ ...asking(wire, server), abortSignal: controller.signal });
    const failure = result.catch((cause: unknown) => cause);
    await arrived.promise;
    controller.abort();
    expect(await failure).toMatchObject({ name: "AbortError" });
    await server.calls[0]?.ended;
    expect(server.calls[0]?.aborted).toBe(true);
  });

  it("records that the client aborted in the middle of a stream", async () => {
    await using server = await startModelServer(() => ({ kind: "stall", text, afterPieces: 2 }));
    const controller = new AbortController();
    const result = streamText({ ...asking(wire, server), abortSignal: controller.signal });
    const rejected = expect(result.text).rejects.toMatchObject({ name: "AbortError" });
    for await (const part of result.stream) if (part.type === "text-delta") controller.abort();
    await rejected;
    await server.calls[0]?.ended;
    expect(server.calls[0]?.aborted).toBe(true);
  });
});

describe("a schema in an Anthropic request", () => {
  const providerOptions = { anthropic: { structuredOutputMode: "jsonTool" } };

  it("is sent as the output format by default", async () => {
    await using server = await startModelServer(() => ({ kind: "json", value }));
    await generateText({ ...asking("anthropic", server), output });
    expect(server.calls[0]?.body).toMatchObject({ output_config: { format: { type: "json_schema" } } });
    expect(server.calls[0]?.body).not.toHaveProperty("tools");
  });

  it("is sent as a tool when the caller asks for one, and the model answers through the tool", async () => {
    await using server = await startModelServer(() => ({ kind: "json", value, pieces: 5 }));
    const ask = { ...asking("anthropic", server), output, providerOptions };
    const whole = await generateText(ask);
    expect(whole).toMatchObject({ output: value, finishReason: "stop", rawFinishReason: "tool_use" });
    const streamed = streamText(ask);
    expect((await Array.fromAsync(streamed.partialOutputStream)).length).toBeGreaterThan(2);
    expect(await streamed.output).toEqual(value);
    expect(server.calls.map((call) => call.schema)).toEqual(Array(2).fill(expect.objectContaining({ type: "object" })));
  });

  it("is ignored by a model that answers in prose", async () => {
    await using server = await startModelServer(() => ({ kind: "text", text: "The disk is full." }));
    const error = await generateText({ ...asking("anthropic", server), output, providerOptions }).catch(
      (cause: unknown) => cause,
    );
    expect(error).toMatchObject({ name: "AI_NoObjectGeneratedError", text: "The disk is full." });
  });
});

describe("the server", () => {
  const post = (server: ModelServer, body: string) =>
    fetch(`${server.url}/v1/messages`, { method: "POST", body }).then((answer) => answer.status);

  it("responds with 400 to an invalid request and records no call", async () => {
    await using server = await startModelServer(() => ({ kind: "text", text }));
    expect([await post(server, "{"), await post(server, "null"), await post(server, "{}")]).toEqual([400, 400, 400]);
    expect((await fetch(`${server.url}/v1/other`)).status).toBe(404);
    expect(server.calls).toEqual([]);
  });

  it("responds with 400 when the test's reply function throws", async () => {
    await using server = await startModelServer(() => {
      throw new Error("no such fixture");
    });
    await expect(generateText(asking("openai", server))).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining("no such fixture"),
    });
  });

  it("closes at once while a response hangs and does not record that the client aborted", async () => {
    const arrived = Promise.withResolvers<void>();
    const server = await startModelServer(() => {
      arrived.resolve();
      return { kind: "hang" };
    });
    const failure = generateText(asking("openai", server)).catch((cause: unknown) => cause);
    await arrived.promise;
    await server[Symbol.asyncDispose]();
    expect(await failure).toSatisfy(APICallError.isInstance);
    await server.calls[0]?.ended;
    expect(server.calls[0]?.aborted).toBe(false);
  });
});
