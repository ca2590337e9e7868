import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCollectorApp } from "../../../dev/collector/app.ts";
import type { ReceivedSpan } from "../../../dev/collector/trace-record.ts";
import { createTraceStore, readTraces } from "../../../dev/collector/trace-store.ts";

function span(trace: number, id = 1): ReceivedSpan {
  return {
    traceId: trace.toString(16).padStart(32, "0"),
    spanId: `${trace}-${id}`,
    parentSpanId: null,
    name: "triage",
    start: 1,
    end: 2,
    status: "ok",
    statusMessage: "",
    attributes: { tags: ["a"], count: 1 },
    droppedAttributes: 0,
    events: [],
    resource: {},
  };
}

const annotation = (span_id: string, label: string, identifier = "ann") =>
  ({ span_id, name: "feedback", annotator_kind: "HUMAN", result: { label, score: 1 }, identifier }) as const;

describe("the trace store", () => {
  let scratch: string;
  let folder: string;
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), "dejavu-traces-"));
    folder = join(scratch, "traces");
  });
  afterEach(() => rm(scratch, { recursive: true }));

  it("keeps the newest 200, also on disk, and reads them after a restart", async () => {
    let time = 0;
    const store = createTraceStore(folder, () => time++);
    for (let i = 0; i < 203; i++) store.add([span(i)]);
    expect(store.list()).toHaveLength(200);
    expect(await readdir(folder)).toHaveLength(200);
    const restarted = createTraceStore(folder, () => time++);
    expect(restarted.list()).toEqual(store.list());
    expect(restarted.list()[0]?.spans).toEqual([span(202)]);
    restarted.add([span(500)]);
    expect(restarted.list().map(({ traceId }) => traceId)).not.toContain(span(3).traceId);
    expect(await readdir(folder)).toHaveLength(200);
  });

  it("joins the parts of a trace and ignores a repeated part", () => {
    const store = createTraceStore(folder);
    store.add([span(1, 1)]);
    store.add([span(1, 2)]);
    store.add([span(1, 2)]);
    expect(store.list()).toMatchObject([{ spans: [{ spanId: "1-1" }, { spanId: "1-2" }] }]);
  });

  it("keeps the last annotation of each person on a span", () => {
    const store = createTraceStore(null);
    store.add([span(1)]);
    expect(store.annotate(annotation("1-1", "up"))).toBe(true);
    expect(store.annotate(annotation("1-1", "down"))).toBe(true);
    expect(store.annotate(annotation("1-1", "up", "ben"))).toBe(true);
    expect(store.annotate(annotation("9-9", "up"))).toBe(false);
    expect(store.list()[0]?.annotations.map(({ result }) => result?.label)).toEqual(["down", "up"]);
  });

  it("reads no traces from a missing folder and skips invalid files", async () => {
    expect(readTraces(folder)).toEqual([]);
    createTraceStore(folder).add([span(1)]);
    await writeFile(join(folder, `${"f".repeat(32)}.json`), "{");
    await writeFile(join(folder, "notes.txt"), "mine");
    expect(readTraces(folder)).toHaveLength(1);
  });
});

describe("the collector", () => {
  const store = createTraceStore(null);
  store.add([span(1)]);
  const app = createCollectorApp(store);
  const post = (path: string, body: string, type: string) =>
    app.request(path, { method: "POST", body, headers: { "content-type": type } });

  it.each([
    ["spans as JSON", "/v1/traces", "{}", "application/json", 415],
    ["an invalid message", "/v1/traces", "\u00ff\u00ff", "application/x-protobuf", 400],
    [
      "spans with ids of another length",
      "/v1/traces",
      "\n\u0006\u0012\u0004\u0012\u0002*\u0000",
      "application/x-protobuf",
      400,
    ],
    ["an annotation that is not JSON", "/v1/span_annotations", "{", "application/json", 422],
    ["an annotation without a span", "/v1/span_annotations", '{"data":[{"name":"feedback"}]}', "application/json", 422],
    ["an empty list of annotations", "/v1/span_annotations", '{"data":[]}', "application/json", 422],
  ])("rejects %s", async (_name, path, body, type, status) => {
    const response = await post(path, body, type);
    expect(response.status).toBe(status);
    expect(store.list()).toHaveLength(1);
  });

  it("rejects a body that is larger than any trace", async () => {
    const body = "x".repeat(17 * 1_048_576);
    expect((await post("/v1/traces", body, "application/x-protobuf")).status).toBe(413);
  });

  it("rejects annotations of unknown spans only with sync=true, as Phoenix does", async () => {
    const valid = JSON.stringify({ data: [annotation("1-1", "up")] });
    const unknown = JSON.stringify({ data: [annotation("nobody", "up")] });
    const type = "application/json";
    expect((await post("/v1/span_annotations?sync=true", valid, type)).status).toBe(200);
    expect((await post("/v1/span_annotations?sync=true", unknown, type)).status).toBe(404);
    expect((await post("/v1/span_annotations?sync=false", unknown, type)).status).toBe(200);
    expect(store.list()[0]?.annotations).toHaveLength(1);
  });

  it("reports its health", async () => {
    expect(await (await app.request("/health")).json()).toEqual({ status: "ok", traces: 1 });
  });
});
