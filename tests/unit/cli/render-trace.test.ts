import { describe, expect, it } from "vitest";
import { renderTrace, renderTraceList } from "../../../cli/render-trace.ts";
import type { ReceivedSpan, TraceRecord } from "../../../dev/collector/trace-record.ts";

const PLAIN = { width: 100, color: false };
const START = Date.parse("2026-03-01T03:00:00Z");

function span(
  name: string,
  parent: string | null,
  changes: Partial<ReceivedSpan> & { readonly kind?: string } = {},
): ReceivedSpan {
  const { kind = "CHAIN", ...rest } = changes;
  return {
    traceId: "a".repeat(32),
    spanId: name,
    parentSpanId: parent,
    name,
    start: START,
    end: START + 100,
    status: "ok",
    statusMessage: "",
    droppedAttributes: 0,
    events: [],
    resource: { "openinference.project.name": "dejavu" },
    ...rest,
    attributes: { "openinference.span.kind": kind, ...rest.attributes },
  };
}

function record(spans: readonly ReceivedSpan[], annotations: TraceRecord["annotations"] = []): TraceRecord {
  return { traceId: "a".repeat(32), receivedAt: START, spans: [...spans], annotations };
}

const ROOT = span("triage", null, {
  end: START + 400,
  attributes: {
    "input.value": "container exited with code 137\nTarget: api",
    "dejavu.incident_id": "12345678-0000",
    "dejavu.domain": "docker",
    "dejavu.domain_rule": "text cue",
    "dejavu.mode": "model",
    "dejavu.outcome": "cause",
    "dejavu.confidence.initial": 0.3,
    "dejavu.confidence.final": 0.9,
    "dejavu.reflected": true,
    "dejavu.warnings": ["reranker:dependency_timeout"],
  },
});

describe("a trace", () => {
  it("is shown as a tree with times, bars and the results of each step", () => {
    const trace = record(
      [
        ROOT,
        span("recall runbooks", "triage", {
          kind: "RETRIEVER",
          start: START + 100,
          end: START + 200,
          attributes: {
            "dejavu.hits": 1,
            "dejavu.missing": ["vector_store:timeout"],
            "retrieval.documents.0.document.id": "d1",
            "retrieval.documents.0.document.score": 5.25,
            "retrieval.documents.0.document.metadata":
              '{"kind":"runbook","source":"docker/oom.md","heading":"Confirm"}',
          },
        }),
        span("guard input", "triage", {
          kind: "GUARDRAIL",
          end: START + 10,
          attributes: { "dejavu.redacted.email": 2, "dejavu.lines_removed": 1 },
        }),
        span("critique", "triage", {
          kind: "LLM",
          start: START + 200,
          end: START + 300,
          status: "error",
          statusMessage: "UnusableAnswer: no JSON",
          attributes: {
            "llm.model_name": "a-model",
            "llm.token_count.prompt": 900,
            "llm.token_count.prompt_details.cache_read": 100,
            "llm.token_count.completion": 40,
            "llm.cost.total": 0.0011,
            "dejavu.attempt": 2,
          },
        }),
        span("update memory", "triage", { start: START + 300, end: START + 400 }),
        span("flush outbox", "update memory", {
          start: START + 300,
          end: START + 400,
          attributes: { "dejavu.collections": "incidents-docker", "dejavu.indexed": false },
        }),
      ],
      [{ span_id: "triage", name: "feedback", annotator_kind: "HUMAN", result: { label: "up", score: 1 } }],
    );
    expect(renderTrace(trace, PLAIN).split("\n")).toEqual([
      "container exited with code 137",
      `trace ${"a".repeat(32)} · incident 12345678-0000`,
      "2026-03-01 03:00:00 · dejavu · 6 spans",
      "",
      `triage                         CHAIN        400 ms  ${"▆".repeat(48)}`,
      "│   domain docker · domain_rule text cue · mode model · outcome cause · confidence.initial 0.3 ·",
      "│   confidence.final 0.9 · reflected true · warnings reranker:dependency_timeout",
      "│   human feedback: up, 1",
      "├─ guard input                 GUARDRAIL     10 ms  ▆",
      "│      redacted.email 2 · lines_removed 1",
      `├─ recall runbooks             RETRIEVER    100 ms  ${" ".repeat(12)}${"▆".repeat(12)}`,
      "│      hits 1 · missing vector_store:timeout",
      "│      1. 5.250 docker/oom.md › Confirm",
      `├─ critique                    LLM          100 ms  ${" ".repeat(24)}${"▆".repeat(12)}`,
      "│      UnusableAnswer: no JSON",
      "│      model_name a-model · token_count.prompt 900 · token_count.prompt_details.cache_read 100 ·",
      "│      token_count.completion 40 · cost.total 0.0011 · attempt 2",
      `└─ update memory               CHAIN        100 ms  ${" ".repeat(36)}${"▆".repeat(12)}`,
      `   └─ flush outbox             CHAIN        100 ms  ${" ".repeat(36)}${"▆".repeat(12)}`,
      "          collections incidents-docker · indexed false",
    ]);
  });

  it("is coloured when the terminal supports it, without control characters of a span", () => {
    const evil = span("triage", null, { attributes: { "input.value": "\u001b[2J\u0007title" } });
    for (const character of ["\u001b", "\u0007"]) expect(renderTrace(record([evil]), PLAIN)).not.toContain(character);
    expect(renderTrace(record([ROOT]), { ...PLAIN, color: true })).toContain("\u001b[1mcontainer exited");
  });

  it("includes spans without their parent, and ends for spans that are each other's parents", () => {
    const rendered = renderTrace(
      record([ROOT, span("late", "not received"), span("one", "two"), span("two", "one")]),
      PLAIN,
    );
    expect(rendered).toMatch(/^\? late /m);
    expect(rendered.split("\n").length).toBeLessThan(20);
  });
});

describe("the list of traces", () => {
  it("has a line for each trace with its outcome", () => {
    const failed = record([{ ...ROOT, status: "error" }]);
    const rated = record(
      [ROOT],
      [{ span_id: "triage", name: "feedback", annotator_kind: "HUMAN", result: { label: "up" } }],
    );
    const [header, first, second] = renderTraceList([failed, rated], PLAIN).split("\n");
    expect(header).toMatch(/^when +what +took +outcome/);
    expect(first).toMatch(/^03-01 03:00:00 +triage +400 ms +failed +0\.9 +1 +12345678 +container/);
    expect(second).toMatch(/cause +0\.9 +1 +up +12345678/);
  });
});
