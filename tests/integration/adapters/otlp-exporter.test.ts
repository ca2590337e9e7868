// The exporter against the collector over HTTP: spans arrive unchanged.

import { describe, expect, it } from "vitest";
import { createOtlpExporter } from "../../../functions/adapters/otlp-exporter.ts";
import type { FinishedSpan } from "../../../functions/adapters/span-exporter.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { startCollector } from "../support/servers/collector.ts";

const SPAN: FinishedSpan = {
  traceId: "0123456789abcdef0123456789abcdef",
  spanId: "00f067aa0ba902b7",
  parentSpanId: undefined,
  name: "triage",
  startedAt: new Date("2026-03-01T03:00:00.123Z"),
  endedAt: new Date("2026-03-01T03:00:01.456Z"),
  attributes: {},
  droppedAttributes: 0,
  failure: undefined,
};

const time = { timeoutMs: 5_000, startTimer: createTestTimers().startTimer };

describe("a sent span", () => {
  it("arrives with its names, ids, times, attributes of every type, and failures", async () => {
    await using collector = await startCollector();
    const options = { endpoint: collector.url, headers: { "x-key": "k" }, serviceVersion: "1.2.3", ...time };
    const attributes = {
      text: "Grüße, 日本 😀",
      empty: "",
      count: 3,
      big: 2 ** 40,
      share: 0.25,
      less: -1,
      on: true,
      off: false,
      tags: ["a", "b"],
      none: [],
    };
    const below = {
      ...SPAN,
      spanId: "00f067aa0ba902b8",
      parentSpanId: SPAN.spanId,
      name: "ask",
      droppedAttributes: 2,
      failure: { type: "DependencyError", message: "model: late" },
    };
    const refused = await createOtlpExporter(options).send([{ ...SPAN, attributes }, below], "a project");
    expect(refused).toBe(0);
    expect(collector.requests[0]?.get("x-key")).toBe("k");
    const resource = {
      "service.name": "dejavu",
      "service.version": "1.2.3",
      "openinference.project.name": "a project",
    };
    const times = { start: SPAN.startedAt.getTime(), end: SPAN.endedAt.getTime() };
    expect(collector.only().spans).toEqual([
      {
        ...times,
        traceId: SPAN.traceId,
        spanId: SPAN.spanId,
        parentSpanId: null,
        name: "triage",
        status: "ok",
        statusMessage: "",
        attributes,
        droppedAttributes: 0,
        events: [],
        resource,
      },
      {
        ...times,
        traceId: SPAN.traceId,
        spanId: below.spanId,
        parentSpanId: SPAN.spanId,
        name: "ask",
        status: "error",
        statusMessage: "DependencyError: model: late",
        attributes: {},
        droppedAttributes: 2,
        events: [
          {
            name: "exception",
            attributes: { "exception.type": "DependencyError", "exception.message": "model: late" },
          },
        ],
        resource,
      },
    ]);
  });

  it("reports spans that the collector has no room for", async () => {
    await using collector = await startCollector();
    const exporter = createOtlpExporter({
      endpoint: collector.url,
      headers: {},
      serviceVersion: "1",
      ...time,
    });
    const many = Array.from({ length: 1_300 }, (_, i) => ({ ...SPAN, spanId: i.toString(16).padStart(16, "0") }));
    expect(await exporter.send(many, "unit")).toBe(300);
    expect(collector.only().spans).toHaveLength(1_000);
  });
});
