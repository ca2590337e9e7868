import { describe, expect, it } from "vitest";
import { DependencyError } from "../../../functions/dependencies.ts";
import { MAX_CHARACTERS } from "../../../functions/telemetry/exportable-attributes.ts";
import { withContext } from "../../../functions/telemetry/request-context.ts";
import { inSpan, inTrace } from "../../../functions/telemetry/span.ts";
import { MAX_SPANS, MAX_TEXT } from "../../../functions/telemetry/trace-recorder.ts";
import { keepingTracer } from "./support.ts";

type Kept = ReturnType<typeof keepingTracer>;

function trace<T>({ services, runInBackground }: Kept, work: () => T): T {
  return inTrace(services, { name: "root", runInBackground }, work);
}

describe("a recorder", () => {
  it("sends what has ended with the first span, and the rest once nothing is open any more", async () => {
    const kept = keepingTracer();
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const late = trace(kept, () => {
      inSpan("CHAIN", "early", () => {});
      return [
        inSpan("CHAIN", "late 1", () => gates[0].promise),
        inSpan("CHAIN", "late 2", () => gates[1].promise),
      ] as const;
    });
    await kept.settled();
    expect(kept.batches.map(({ spans }) => spans.map(({ name }) => name))).toEqual([["root", "early"]]);
    gates[0].resolve();
    await late[0];
    await kept.settled();
    expect(kept.batches).toHaveLength(1);
    gates[1].resolve();
    await late[1];
    await kept.settled();
    expect(kept.batches[1]?.spans.map(({ name }) => name)).toEqual(["late 1", "late 2"]);
  });

  it("gives evaluations a project of their own", async () => {
    const kept = keepingTracer();
    trace(kept, () => {});
    withContext({ traffic: "evaluation" }, () => trace(kept, () => {}));
    await kept.settled();
    expect(kept.batches.map(({ project }) => project)).toEqual(["unit", "unit-evaluation"]);
  });

  it("gives each trace an id of its own", async () => {
    const kept = keepingTracer();
    for (let i = 0; i < 3; i++) trace(kept, () => inSpan("CHAIN", "step", () => {}));
    const spans = await kept.settled();
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(3);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(6);
  });

  it(`keeps ${MAX_SPANS} spans of a trace, runs the work of the others, and counts them`, async () => {
    const kept = keepingTracer();
    let ran = 0;
    trace(kept, () => {
      for (let i = 0; i < MAX_SPANS + 9; i++)
        inSpan("CHAIN", "step", () => {
          ran += 1;
        });
    });
    expect(await kept.settled()).toHaveLength(MAX_SPANS);
    expect(ran).toBe(MAX_SPANS + 9);
    expect(kept.dropped).toEqual([{ spans: 10, reason: expect.stringContaining("more than 200") }]);
  });

  it("leaves out texts that there is no room for, the latest first, and says how many", async () => {
    const kept = keepingTracer();
    const text = "word ".repeat(MAX_CHARACTERS);
    trace(kept, () => {
      for (let i = 0; i < 150; i++)
        inSpan("LLM", "ask", (span) => span.set(() => ({ "input.value": text, attempt: i })));
    });
    const spans = await kept.settled();
    const length = spans.reduce((sum, { attributes }) => sum + String(attributes["input.value"] ?? "").length, 0);
    expect(length).toBeLessThanOrEqual(MAX_TEXT);
    expect(length).toBeGreaterThan(MAX_TEXT - 2 * MAX_CHARACTERS);
    expect(spans[1]?.attributes).toHaveProperty("input.value");
    expect(spans.at(-1)).toMatchObject({ droppedAttributes: 1, attributes: { attempt: 149 } });
  });

  it("drops the spans that an unavailable collector does not take", async () => {
    const kept = keepingTracer({
      onSend: () => {
        throw new DependencyError("trace_collector", "unreachable", "the connection failed");
      },
    });
    for (let i = 0; i < 2; i++) trace(kept, () => inSpan("CHAIN", "step", () => {}));
    await kept.settled();
    expect(kept.dropped).toEqual(
      Array.from({ length: 2 }, () => ({ spans: 2, reason: "trace_collector: the connection failed" })),
    );
    expect(kept.batches.map(({ spans }) => spans.length)).toEqual([2, 2]);
  });

  it("counts what a collector refuses", async () => {
    const kept = keepingTracer({ onSend: () => 1 });
    trace(kept, () => {});
    await kept.settled();
    expect(kept.dropped).toEqual([{ spans: 1, reason: "trace_collector: it refused them" }]);
  });

  it("sends the name alone of a mistake in saying what a step did, and all the rest", async () => {
    const kept = keepingTracer();
    trace(kept, () =>
      inSpan("CHAIN", "step", (span) => {
        span.set(() => {
          throw new TypeError("ann is no list");
        });
        span.set(() => ({ count: 1 }));
      }),
    );
    const [root, step] = await kept.settled();
    expect(root?.attributes).toEqual({ "openinference.span.kind": "CHAIN" });
    expect(step?.attributes).toEqual({
      "openinference.span.kind": "CHAIN",
      "dejavu.attributes_failed": "TypeError",
      count: 1,
    });
    expect(step?.failure).toBeUndefined();
  });
});
