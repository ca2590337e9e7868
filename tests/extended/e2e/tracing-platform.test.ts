// The spans that the Worker reports to the platform, as workerd records them: below its own, and with its fetches below ours.

import { beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { startBareWorker } from "../../../bench/latency/bare-worker.ts";
import { postTriage } from "../../../cli/service/triage-client.ts";
import { createHarness, info, workerEnv } from "../../integration/support/harness.ts";
import { loadFreshRunbooks } from "../../integration/support/inventory.ts";
import { type Collector, spanOf, startCollector, treeOf } from "../../integration/support/servers/collector.ts";
import { lyingServer } from "../../integration/support/servers/lying-server.ts";

const SECRET = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";
const OOM = {
  title: "api-gateway docker container exited with code 137",
  target: "api-gateway",
  logs: `token ${SECRET}`,
};

/** The events that workerd records for an invocation, limited to the fields of this test. */
const eventsSchema = z.array(
  z.object({
    spanContext: z.object({ traceId: z.string(), spanId: z.string().optional() }),
    event: z.discriminatedUnion("type", [
      z.object({ type: z.literal("spanOpen"), name: z.string(), spanId: z.string() }),
      z.object({ type: z.literal("attributes"), info: z.array(z.object({ name: z.string(), value: z.unknown() })) }),
      z.object({
        type: z.literal("spanUpdate"),
        info: z.object({ status: z.object({ code: z.string(), message: z.string().optional() }) }),
      }),
      z.object({ type: z.literal("exception"), name: z.string(), message: z.string() }),
      z.object({ type: z.enum(["onset", "spanClose", "log", "return", "outcome"]) }),
    ]),
  }),
);
type Events = z.infer<typeof eventsSchema>;

interface RecordedSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parent: string;
  readonly attributes: Record<string, unknown>;
  status: string;
}

/** The spans of an invocation by their ids. */
function spansOf(events: Events): ReadonlyMap<string, RecordedSpan> {
  const spans = new Map<string, RecordedSpan>();
  for (const { event, spanContext } of events) {
    const id = spanContext.spanId ?? "";
    const open = spans.get(id);
    if (event.type === "spanOpen") {
      const parent = open?.name ?? "";
      spans.set(event.spanId, { name: event.name, spanId: event.spanId, parent, attributes: {}, status: "unset" });
    } else if (event.type === "attributes" && open) {
      for (const { name, value } of event.info) open.attributes[name] = value;
    } else if (event.type === "spanUpdate" && open) open.status = event.info.status.code;
  }
  return spans;
}

beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));

/** Runs one triage in a Worker whose platform records it. */
async function summariseTriage(settings: Record<string, string>, isOver: (text: string) => boolean = () => true) {
  const observed = Promise.withResolvers<string>();
  await using observer = await lyingServer({
    answer: (body) => {
      if (body.includes('"guard input"') && isOver(body)) observed.resolve(body);
      return { body: "" };
    },
  });
  await using worker = await startBareWorker({ ...workerEnv, ...settings }, { observer: observer.url });
  const answered = await postTriage(worker.url, info.token, OOM).catch((error: unknown) => error);
  const text = await observed.promise;
  return { answered, text, spans: spansOf(eventsSchema.parse(JSON.parse(text))) };
}

it("are the tree of a triage, with attributes and without secrets, and the platform's fetches below its steps", async () => {
  const { answered, text, spans } = await summariseTriage({});
  const recorded = [...spans.values()];
  const ours = recorded.filter(({ attributes }) => "openinference.span.kind" in attributes);
  expect(ours.map(({ name, parent, attributes }) => [name, parent, attributes["openinference.span.kind"]])).toEqual([
    ["triage", "", "CHAIN"],
    ["guard input", "triage", "GUARDRAIL"],
    ["embed query", "triage", "EMBEDDING"],
    ["start run", "triage", "CHAIN"],
    ["recall runbooks", "triage", "RETRIEVER"],
    ["recall memory", "triage", "RETRIEVER"],
    ["guard output", "triage", "GUARDRAIL"],
    ["persist", "triage", "CHAIN"],
    ["update memory", "triage", "CHAIN"],
    ["flush outbox", "update memory", "CHAIN"],
  ]);
  expect(ours.every(({ status }) => status === "ok")).toBe(true);
  const [root] = ours;
  expect(root?.attributes).toMatchObject({
    "dejavu.outcome": "cause",
    "dejavu.pii_scrubbed": true,
    "tag.tags": '["docker","extractive","cause","production"]',
  });
  expect(answered).toMatchObject({ trace: { span_id: root?.spanId } });
  expect(text).not.toContain(SECRET);
  const fetching = new Set(recorded.filter(({ name }) => name === "fetch").map(({ parent }) => parent));
  expect([...fetching]).toEqual(expect.arrayContaining(["start run", "triage", "persist", "flush outbox"]));
});

it("are also recorded when a collector is configured; the result has the ids of the collector's trace", async () => {
  await using collector: Collector = await startCollector();
  const { answered, spans } = await summariseTriage(collector.env);
  const trace = await collector.until(({ spans: sent }) => sent.some(({ name }) => name === "flush outbox"));
  expect(treeOf(trace)).toHaveLength(10);
  const root = spanOf(trace, "triage");
  expect(answered).toMatchObject({ trace: { trace_id: root.traceId, span_id: root.spanId } });
  expect([...spans.values()].filter(({ name }) => name === "triage")).toHaveLength(1);
});

it("show failed steps", async () => {
  await using unavailable = await lyingServer({ answer: () => "cut" });
  const { spans } = await summariseTriage({ CHROMA_URL: unavailable.url, SUPABASE_URL: unavailable.url });
  const failed = [...spans.values()].filter(({ status }) => status === "error").map(({ name }) => name);
  expect(failed).toEqual(expect.arrayContaining(["triage", "start run", "recall runbooks", "recall memory"]));
});
