// The contract of all language models over HTTP. The test of a provider calls this with its wire and adds what only it has.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { LanguageModel, ModelRequest, TokenUsage } from "../../../functions/adapters/language-model.ts";
import type { StartTimer } from "../../../functions/timers.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { type ModelReply, startModelServer, type Wire } from "../support/servers/model-server.ts";

export interface LanguageModelCase {
  /** As in MODEL: `<provider>:<model>`. */
  readonly name: string;
  /** The format of its API. */
  readonly wire: Wire;
  create(options: {
    /** Of the API, the version included. */
    readonly baseUrl: string;
    readonly startTimer: StartTimer;
  }): LanguageModel;
}

const VALUE = { feedback: "The evidence carries the cause.", score: 0.8 };
const SECRET = "a sentence that occurs only in the report";
const schema = z.object({ feedback: z.string(), score: z.number() });

export function describeLanguageModel({ name, wire, create }: LanguageModelCase): void {
  async function ask(reply: ModelReply | readonly ModelReply[], changes: Partial<ModelRequest<typeof VALUE>> = {}) {
    const replies = [reply].flat();
    await using server = await startModelServer((_, index) => replies[Math.min(index, replies.length - 1)] ?? GOOD);
    const used: TokenUsage[] = [];
    const { startTimer, expireHung } = createTestTimers();
    expireHung(server, "language_model");
    const result: unknown = await create({ baseUrl: `${server.url}/v1`, startTimer })
      .ask({
        instructions: "Judge the answer.",
        turns: [{ role: "user", text: SECRET }],
        schema,
        maxOutputTokens: 300,
        timeoutMs: 10_000,
        onUsage: (usage) => used.push(usage),
        ...changes,
      })
      .catch((error: unknown) => error);
    return { result, used, calls: server.calls };
  }
  const GOOD: ModelReply = { kind: "json", value: VALUE };

  describe(`the language model ${name}`, () => {
    it("has the name of the setting", () => {
      const { startTimer } = createTestTimers();
      expect(create({ baseUrl: "http://127.0.0.1:1/v1", startTimer }).name).toBe(name);
    });

    it("sends instructions, turns and schema, and reads the answer and its tokens", async () => {
      const usage = { input: 100, cachedInput: 40, output: 7 };
      const { result, used, calls } = await ask({ kind: "json", value: VALUE, usage });
      expect(result).toEqual({ ok: true, value: VALUE });
      expect(used).toEqual([usage]);
      expect(calls).toMatchObject([
        {
          wire,
          model: name.slice(name.indexOf(":") + 1),
          system: expect.stringContaining("Judge the answer."),
          messages: [{ role: "user", text: SECRET }],
        },
      ]);
      expect(JSON.stringify(calls[0]?.schema ?? calls[0]?.system)).toContain("feedback");
    });

    it("shows an answer while it grows, if the provider streams", async () => {
      const partial: unknown[] = [];
      const feedback = "word ".repeat(60);
      const { result, calls } = await ask(
        { kind: "json", value: { ...VALUE, feedback } },
        { onPartial: (value) => partial.push(value) },
      );
      expect(result).toMatchObject({ ok: true, value: { feedback } });
      const texts = partial.map((value) => z.object({ feedback: z.string() }).parse(value).feedback);
      expect(texts.every((text) => feedback.startsWith(text))).toBe(true);
      expect(texts.length > 1).toBe(calls[0]?.streams);
    });

    it("returns an answer of another shape with its mistake", async () => {
      const { result } = await ask({ kind: "json", value: { feedback: 1 } });
      expect(result).toMatchObject({ ok: false, error: expect.stringContaining("score") });
    });

    it("says that an answer reached the limit on its length", async () => {
      const { result } = await ask({ kind: "text", text: '{"feedback": "The evi', stop: "length" });
      expect(result).toMatchObject({ ok: false, error: expect.stringContaining("limit on its length") });
    });

    it("reports a filtered answer as refused", async () => {
      const { result } = await ask({ kind: "text", text: "I cannot", stop: "filtered" });
      expect(result).toMatchObject({ dependency: "language_model", failure: "refused" });
    });

    it("retries once after a failure, and reports the tokens of each request", async () => {
      for (const failure of [{ kind: "status", status: 500 }, { kind: "drop" }] as const) {
        const { result, used } = await ask([failure, GOOD]);
        expect(result).toEqual({ ok: true, value: VALUE });
        expect(used).toHaveLength(2);
      }
      const { result, calls } = await ask({ kind: "status", status: 500 });
      expect(result).toMatchObject({ dependency: "language_model", failure: "unreachable" });
      expect(calls).toHaveLength(2);
    });

    it.each([400, 401, 403, 404])("reports status %i as refused, once and without its text", async (status) => {
      const { result, calls } = await ask({ kind: "status", status, message: SECRET });
      expect(result).toMatchObject({ name: "DependencyError", failure: "refused" });
      expect(String(result)).not.toContain(SECRET);
      expect(calls).toHaveLength(1);
    });

    it("refuses the page of a proxy", async () => {
      expect((await ask({ kind: "garbage" })).result).toMatchObject({ failure: "invalid_response" });
    });

    it("ends at its timeout, also in the middle of an answer", async () => {
      const half: ModelReply = { kind: "stall", text: JSON.stringify(VALUE), afterPieces: 2 };
      for (const reply of [{ kind: "hang" } as const, half]) {
        const { result } = await ask(reply, { onPartial: () => {} });
        expect(result).toMatchObject({ dependency: "language_model", failure: "timeout" });
      }
    });

    it("ends when the caller disconnects", async () => {
      const caller = new AbortController();
      await using server = await startModelServer(() => {
        caller.abort();
        return { kind: "hang" };
      });
      const { startTimer } = createTestTimers();
      const answer = create({ baseUrl: `${server.url}/v1`, startTimer }).ask({
        instructions: "Judge the answer.",
        turns: [{ role: "user", text: "The answer." }],
        schema,
        maxOutputTokens: 300,
        timeoutMs: 60_000,
        cancelled: caller.signal,
        onUsage: () => {},
      });
      await expect(answer).rejects.toMatchObject({ failure: "cancelled" });
      expect(server.calls).toHaveLength(1);
    });
  });
}
