import { describe, expect, it, vi } from "vitest";
import { createConsoleLog } from "../../../functions/telemetry/log.ts";
import { withContext } from "../../../functions/telemetry/request-context.ts";
import { inSpan, inTrace, rootSpanIds } from "../../../functions/telemetry/span.ts";
import { createTracer } from "../../../functions/telemetry/trace-recorder.ts";
import type { PlatformSpan, PlatformTracing } from "../../../functions/telemetry/trace-types.ts";
import { redact } from "../../../lib/redaction/redact.ts";
import { keepingTracer } from "./support.ts";

const OFF = { tracer: createTracer({ hidesTexts: false, redact }, null) };
const never = () => {
  throw new Error("Attributes are read although nothing is recorded.");
};
const failing = () => {
  throw new TypeError("ann@example.com is no list");
};
const inBackground = { name: "root", runInBackground: never };

describe("without a recorder", () => {
  it("work is run as it is, and its attributes are never asked for", async () => {
    const work = () =>
      inSpan("LLM", "ask", (span) => {
        span.set(never);
        span.fail("Odd", "odd");
        return 7;
      });
    expect(inTrace(OFF, inBackground, work)).toBe(7);
    expect(work()).toBe(7);
    expect(await inTrace(OFF, inBackground, async () => work())).toBe(7);
    expect(inTrace(OFF, inBackground, rootSpanIds)).toBeNull();
  });

  it("an error comes through as it is", async () => {
    const error = new Error("broken");
    const fail = () => {
      throw error;
    };
    expect(() => inTrace(OFF, inBackground, () => inSpan("CHAIN", "step", fail))).toThrow(error);
    await expect(inTrace(OFF, inBackground, async () => inSpan("CHAIN", "step", fail))).rejects.toBe(error);
  });

  it("a platform that does not record this request costs no attributes either", () => {
    const entered: string[] = [];
    const platform = fakePlatform({ isTraced: false, onEnter: (name) => entered.push(name) });
    withContext({ platform }, () =>
      inTrace(OFF, inBackground, (span) => {
        span.set(never);
        inSpan("CHAIN", "step", (below) => below.set(never));
        expect(rootSpanIds()).toBeNull();
      }),
    );
    expect(entered).toEqual(["root"]);
  });
});

describe("a trace", () => {
  it("holds synchronous and asynchronous steps below those that opened them", async () => {
    const kept = keepingTracer();
    const { services, runInBackground } = kept;
    const result = await inTrace(services, { name: "root", runInBackground }, async () => {
      const first = inSpan("GUARDRAIL", "first", () => inSpan("CHAIN", "within first", () => 1));
      const [second, third] = await Promise.all([
        inSpan("LLM", "second", async () => {
          await Promise.resolve();
          return inSpan("CHAIN", "within second", async () => 2);
        }),
        inSpan("LLM", "third", async () => 3),
      ]);
      return [first, second, third];
    });
    expect(result).toEqual([1, 2, 3]);
    const spans = await kept.settled();
    const nameOf = (id: string | undefined) => spans.find(({ spanId }) => spanId === id)?.name;
    expect(spans.map(({ name, parentSpanId }) => [name, nameOf(parentSpanId)])).toEqual([
      ["root", undefined],
      ["first", "root"],
      ["within first", "first"],
      ["second", "root"],
      ["third", "root"],
      ["within second", "second"],
    ]);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    for (const { startedAt, endedAt } of spans) expect(endedAt.getTime()).toBeGreaterThan(startedAt.getTime());
  });

  it("knows its own ids within every step, and so does the log", async () => {
    const kept = keepingTracer();
    const lines: string[] = [];
    const line = vi.spyOn(console, "info").mockImplementation((text: string) => void lines.push(text));
    const log = createConsoleLog(() => new Date(0), "info");
    try {
      inTrace(kept.services, { name: "root", runInBackground: kept.runInBackground }, () =>
        inSpan("CHAIN", "step", () => {
          expect(rootSpanIds()).toEqual({ trace_id: "0".repeat(31).concat("1"), span_id: "0".repeat(15).concat("2") });
          log("info", "within");
        }),
      );
      log("info", "outside");
    } finally {
      line.mockRestore();
    }
    const [within, outside] = lines.map((text) => JSON.parse(text));
    const [root] = await kept.settled();
    expect(within.trace_id).toBe(root?.traceId);
    expect(outside).not.toHaveProperty("trace_id");
  });

  it("asks for attributes after the step, so that they include its end, and not before the response is sent", async () => {
    const kept = keepingTracer();
    let count = 0;
    const attributes = vi.fn(() => ({ count }));
    inTrace(kept.services, { name: "root", runInBackground: kept.runInBackground }, (span) => {
      span.set(attributes);
      span.set(() => ({ missing: null, unknown: undefined }));
      count = 3;
    });
    expect(attributes).not.toHaveBeenCalled();
    const [root] = await kept.settled();
    expect(root?.attributes).toEqual({ "openinference.span.kind": "CHAIN", count: 3 });
  });

  it("holds what was said last of a thing, and nothing where that was null", async () => {
    const kept = keepingTracer();
    inTrace(kept.services, { name: "root", runInBackground: kept.runInBackground }, (span) => {
      span.set(() => ({ incident: "new", run: "new" }));
      span.set(() => ({ incident: "on record", run: null }));
    });
    const [root] = await kept.settled();
    expect(root?.attributes).toEqual({ "openinference.span.kind": "CHAIN", incident: "on record" });
  });

  it.each([
    [
      "thrown",
      (error: unknown) => () => {
        throw error;
      },
    ],
    ["rejected with", (error: unknown) => () => Promise.reject(error)],
  ])("marks the step that an error left when it was %s, scrubbed, and lets it go on", async (_how, failing) => {
    const kept = keepingTracer();
    const error = new TypeError("no user ann@example.com");
    const work = async () =>
      inTrace(kept.services, { name: "root", runInBackground: kept.runInBackground }, () =>
        inSpan("CHAIN", "step", failing(error)),
      );
    await expect(work()).rejects.toBe(error);
    const spans = await kept.settled();
    expect(spans.map(({ name, failure }) => [name, failure])).toEqual([
      ["root", { type: "TypeError", message: "no user [REDACTED_EMAIL]" }],
      ["step", { type: "TypeError", message: "no user [REDACTED_EMAIL]" }],
    ]);
  });

  it("marks a step that failed and went on", async () => {
    const kept = keepingTracer();
    inTrace(kept.services, { name: "root", runInBackground: kept.runInBackground }, () =>
      inSpan("LLM", "ask", (span) => span.fail("UnusableAnswer", "no JSON")),
    );
    const [root, step] = await kept.settled();
    expect(root?.failure).toBeUndefined();
    expect(step?.failure).toEqual({ type: "UnusableAnswer", message: "no JSON" });
  });
});

describe("the platform", () => {
  it("gets spans in its own nesting, with lists as text, and failures", async () => {
    const reports: string[] = [];
    const platform = fakePlatform({ isTraced: true, onReport: (line) => reports.push(line) });
    await withContext({ platform }, () =>
      inTrace(OFF, inBackground, async (span) => {
        span.set(() => ({ tags: ["a", "b"], count: 1, secret: "ann@example.com" }));
        await inSpan("LLM", "ask", async (below) => below.fail("UnusableAnswer", "no JSON of ann@example.com"));
        expect(rootSpanIds()).toEqual({ trace_id: "t", span_id: "root" });
      }),
    );
    expect(reports).toEqual([
      'root > ask {"openinference.span.kind":"LLM"}',
      "root > ask exception UnusableAnswer: no JSON of [REDACTED_EMAIL]",
      "root > ask error UnusableAnswer: no JSON of [REDACTED_EMAIL]",
      'root {"openinference.span.kind":"CHAIN","tags":"[\\"a\\",\\"b\\"]","count":1,"secret":"[REDACTED_EMAIL]"}',
      "root ok",
    ]);
  });

  it("gets only the name of an error in an attribute function, and the step goes on", async () => {
    const reports: string[] = [];
    const platform = fakePlatform({ isTraced: true, onReport: (line) => reports.push(line) });
    const step = () =>
      inSpan("GUARDRAIL", "step", (span) => {
        span.set(() => ({ count: 1 }));
        span.set(failing);
        return 7;
      });
    const work = () => inTrace(OFF, inBackground, step);
    expect(withContext({ platform }, work)).toBe(7);
    expect(reports).toEqual([
      `root > step {"openinference.span.kind":"GUARDRAIL","count":1,"dejavu.attributes_failed":"TypeError"}`,
      "root > step ok",
      'root {"openinference.span.kind":"CHAIN"}',
      "root ok",
    ]);
  });

  it("stands back behind the collector, whose ids name the trace", async () => {
    const kept = keepingTracer();
    const platform = fakePlatform({ isTraced: true });
    const ids = withContext({ platform }, () =>
      inTrace(kept.services, { name: "root", runInBackground: kept.runInBackground }, rootSpanIds),
    );
    const [root] = await kept.settled();
    expect(ids).toEqual({ trace_id: root?.traceId, span_id: root?.spanId });
  });
});

/** The platform's interface as workerd has it; its spans are named by the path to them. */
function fakePlatform({
  isTraced,
  onEnter = () => {},
  onReport = () => {},
}: {
  readonly isTraced: boolean;
  readonly onEnter?: (name: string) => void;
  readonly onReport?: (line: string) => void;
}): PlatformTracing {
  const path: string[] = [];
  return {
    enterSpan(name, work) {
      onEnter(name);
      path.push(name);
      const place = path.join(" > ");
      const span: PlatformSpan = {
        isTraced,
        spanContext: () => ({ traceId: "t", spanId: name }),
        setAttributes: (attributes) => onReport(`${place} ${JSON.stringify(attributes)}`),
        recordException: (exception) => onReport(`${place} exception ${exception.name}: ${exception.message}`),
        setStatus: ({ code, message }) => onReport([place, code, message].filter(Boolean).join(" ")),
      };
      return work(span);
    },
  };
}
