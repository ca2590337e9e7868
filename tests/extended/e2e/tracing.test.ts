// Traces of the real Worker in workerd, from its collector to the terminal.

import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { followTriage, postTriage } from "../../../cli/service/triage-client.ts";
import { attribute, rootOf, type TraceRecord } from "../../../dev/collector/trace-record.ts";
import { readTraces } from "../../../dev/collector/trace-store.ts";
import { REPO_DIR, stackPaths } from "../../../dev/stack/paths.ts";
import { type RunningStack, startWorker } from "../../e2e/support/stacks.ts";
import { seedSomeRunbooks } from "../../integration/support/inventory.ts";
import { treeOf } from "../../integration/support/servers/collector.ts";

const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway" };
const TREE = [
  "CHAIN triage",
  "  GUARDRAIL guard input",
  "  EMBEDDING embed query",
  "  CHAIN start run",
  "  RETRIEVER recall runbooks",
  "  RETRIEVER recall memory",
  "  GUARDRAIL guard output",
  "  CHAIN persist",
  "  CHAIN update memory",
  "    CHAIN flush outbox",
];

let folder: string;
let stack: RunningStack;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dejavu-traces-"));
  stack = await startWorker({ dir: join(folder, "data"), withCollector: true });
  await seedSomeRunbooks(stack.workerEnv);
});
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function traceOf(triageId: string): Promise<TraceRecord> {
  const folderOfTraces = stackPaths(join(folder, "data")).traces;
  const isWanted = (trace: TraceRecord) => {
    const root = rootOf(trace);
    return root !== undefined && attribute(root, "dejavu.triage_id") === triageId && trace.spans.length === TREE.length;
  };
  await expect.poll(() => readTraces(folderOfTraces).some(isWanted), { timeout: 120_000 }).toBe(true);
  const trace = readTraces(folderOfTraces).find(isWanted);
  if (trace) return trace;
  throw new Error("The trace disappeared.");
}

async function run(...args: readonly string[]): Promise<string> {
  const command = [join(REPO_DIR, "cli/dejavu.ts"), "trace", "--dir", join(folder, "data"), ...args];
  return (await promisify(execFile)(process.execPath, command)).stdout;
}

it("arrive with the tree of a triage, with and without streaming, and its ids are in the result", async () => {
  const { worker } = stack.info.urls;
  const whole = await postTriage(worker, stack.info.token, OOM);
  const streamed = await followTriage(worker, stack.info.token, OOM, () => {});
  for (const result of [whole, streamed]) {
    const trace = await traceOf(result.triage_id);
    expect(treeOf(trace)).toEqual(TREE);
    const root = rootOf(trace);
    expect(result.trace).toEqual({ trace_id: root?.traceId, span_id: root?.spanId });
    expect(root?.end).toBeGreaterThan(root?.start ?? Number.POSITIVE_INFINITY);
  }
  expect(whole.trace?.trace_id).not.toBe(streamed.trace?.trace_id);
});

it("are shown in the terminal: the newest one, one by its id or prefix, and a list", async () => {
  const { worker } = stack.info.urls;
  const first = await postTriage(worker, stack.info.token, OOM);
  await traceOf(first.triage_id);
  const second = await postTriage(worker, stack.info.token, { title: "deadlock detected in postgres" });
  await traceOf(second.triage_id);
  expect(await run()).toContain("deadlock detected in postgres");
  for (const id of [first.triage_id, first.incident_id.slice(0, 8), first.trace?.trace_id ?? ""]) {
    const output = await run(id);
    expect(output).toContain(`incident ${first.incident_id}`);
    expect(output).toMatch(/recall runbooks +RETRIEVER +\d+ ms +▆/);
    expect(output).toMatch(/1\. \d\.\d{3} docker\/exit-137-out-of-memory\.md › /);
  }
  expect(await run("--list")).toMatch(
    new RegExp(`${second.incident_id.slice(0, 8)}[^]*${first.incident_id.slice(0, 8)}`),
  );
  await expect(run("ffffffff-ffff")).rejects.toThrow(/No trace of ffffffff-ffff is stored/);
});

it("show the feedback on the answer", async () => {
  const { worker, collector } = stack.info.urls;
  const result = await postTriage(worker, stack.info.token, OOM);
  await traceOf(result.triage_id);
  const annotation = {
    span_id: result.trace?.span_id,
    name: "feedback",
    annotator_kind: "HUMAN",
    result: { score: 1, label: "up" },
    identifier: "ann",
  };
  const response = await fetch(`${collector}/v1/span_annotations?sync=true`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ data: [annotation] }),
  });
  expect(response.status).toBe(200);
  expect(await run(result.triage_id)).toContain("human feedback: up, 1");
});

it("have no effect on answers while the collector hangs or is unavailable", async () => {
  const ask = async () => {
    const response = await fetch(`${stack.info.urls.worker}/v1/triage`, {
      method: "POST",
      headers: { authorization: `Bearer ${stack.info.token}`, "content-type": "application/json" },
      body: JSON.stringify(OOM),
    });
    return response.json();
  };
  const answer = { outcome: "cause", persisted: true, warnings: [] };
  stack.service("collector").pause();
  expect(await ask()).toMatchObject(answer);
  await stack.service("collector").kill();
  expect(await ask()).toMatchObject(answer);
});
