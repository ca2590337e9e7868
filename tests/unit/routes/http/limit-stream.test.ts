import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import type { AppEnv } from "../../../../functions/routes/http/app-env.ts";
import { limitStream } from "../../../../functions/routes/http/limit-stream.ts";
import { streamTriage } from "../../../../functions/routes/v1/triage-stream.ts";
import { createTestTimers } from "../../../support/test-timers.ts";

const MS = 1_000;

/** A source with these chunks that then hangs; `cancelled` counts how often it was stopped. */
function hangingSource(...chunks: readonly string[]) {
  const state = { cancelled: 0 };
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
    },
    cancel: () => {
      state.cancelled += 1;
    },
  });
  return { state, response: new Response(stream, { status: 201, headers: { "x-kept": "yes" } }) };
}

describe("limitStream", () => {
  const { startTimer, expire, running } = createTestTimers();

  it("passes a response on that ends in time", async () => {
    const limited = limitStream(
      new Response("all of it", { status: 201, headers: { "x-kept": "yes" } }),
      MS,
      startTimer,
    );
    expect([limited.status, limited.headers.get("x-kept"), await limited.text()]).toEqual([201, "yes", "all of it"]);
    expect(running()).toEqual([]);
  });

  it("breaks off a stream that a client reads and that does not end", async () => {
    const { state, response } = hangingSource("first");
    const reader = limitStream(response, MS, startTimer).body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("first");
    const next = expect(reader?.read()).rejects.toThrow("took too long");
    await expire("response_stream");
    await next;
    expect(state.cancelled).toBe(1);
  });

  it("gives up a stream that nobody reads", async () => {
    const { state, response } = hangingSource("first", "second");
    const limited = limitStream(response, MS, startTimer);
    await expire("response_stream");
    expect(state.cancelled).toBe(1);
    await expect(limited.text()).rejects.toThrow("took too long");
  });

  it("stops the source and its own timer when the client disconnects", async () => {
    const { state, response } = hangingSource("first");
    await limitStream(response, MS, startTimer).body?.cancel();
    expect([state.cancelled, running()]).toEqual([1, []]);
  });
});

const CONFIG = { TRIAGE_BUDGET_MS: 25_000, DEPENDENCY_TIMEOUT_MS: 2_000, STREAM_HEARTBEAT_MS: 10_000 };
const STEP = { event: "critique", data: { draft: 1, score: 1, feedback: "Good." } } as const;

/** A streamed triage that never ends; `cancelled` becomes true when its work is cancelled. */
function openHangingTriage(emitted: readonly (typeof STEP)[]) {
  const state = { cancelled: false };
  const { startTimer, expire } = createTestTimers();
  const app = new Hono<AppEnv>()
    .use(async (c, next) => {
      c.set("services", { config: CONFIG, startTimer, log: () => undefined } as never);
      c.set("requestId", "a-request");
      await next();
    })
    .get("/", (c) =>
      streamTriage(
        c,
        ({ emit, cancelled }) => {
          cancelled.addEventListener("abort", () => {
            state.cancelled = true;
          });
          for (const event of emitted) emit(event);
          return new Promise(() => undefined);
        },
        () => {
          throw new Error("there is no result");
        },
      ),
    )
    .onError((error, c) => c.text(error.message, 504));
  return { state, expire, response: Promise.resolve(app.request("/")) };
}

describe("a streamed triage whose work hangs", () => {
  it("ends with an error event at its budget, and its work is cancelled", async () => {
    const { state, expire, response } = openHangingTriage([STEP]);
    const text = (await response).text();
    await expire("triage_stream");
    expect(await text).toContain("event: critique");
    expect(await text).toContain('"type":"urn:dejavu:problem:too-slow"');
    expect(state.cancelled).toBe(true);
  });

  it("is an ordinary error without a first event", async () => {
    const { state, expire, response } = openHangingTriage([]);
    await expire("triage_stream");
    expect((await response).status).toBe(504);
    expect(state.cancelled).toBe(true);
  });
});
