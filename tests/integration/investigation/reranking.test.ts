// Triages with a reranker: the order, its explanation, and failures.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { readEvents } from "../../../cli/service/event-stream.ts";
import { ConfigError } from "../../../functions/config.ts";
import { triageResultSchema } from "../../../functions/schemas/triage-result.ts";
import { createHarness, deleteIncidents, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import type { Answer } from "../support/servers/lying-server.ts";
import { rerankServer } from "../support/servers/rerank-server.ts";
import { scriptedModel } from "../support/servers/scripted-model.ts";

const OOM = {
  title: "api-gateway docker container exited with code 137 and restarts in a loop",
  target: "api-gateway",
  labels: { container_runtime: "docker" },
};
const LOOP = "docker/container-restart-loop.md";
const KILLED = "docker/exit-137-out-of-memory.md";
const DISK = "docker/host-disk-full.md";

beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(() => deleteIncidents(createHarness().services));

/** Scores texts about restarts highest, about the disk second. */
const preferRestarts = (document: string) =>
  /restart loop/i.test(document) ? 0.97 : /disk/i.test(document) ? 0.4 : 0.02;

describe("a reranker", () => {
  it("decides which runbook comes first, and the answer shows both orders", async () => {
    await using server = await rerankServer(preferRestarts);
    const before = await createHarness().triage(OOM);
    expect(before.recalled.reranking).toBeNull();
    expect(before.recalled.runbooks[0]?.source).toBe(KILLED);

    const settings = { ANSWER_THRESHOLD: "0.1", POSSIBLE_THRESHOLD: "0.1" };
    const after = await createHarness({ ...server.env, ...settings }).triage(OOM);
    expect(after.warnings).toEqual([]);
    expect(after.recalled.reranking).toMatchObject({
      model: "test-reranker",
      documents: [
        {
          source: LOOP,
          title: expect.any(String),
          before: { score: expect.any(Number) },
          after: { place: 1, score: 0.97 },
        },
        { source: DISK, after: { place: 2, score: 0.4 } },
        {
          source: KILLED,
          before: { place: 1, score: before.recalled.runbooks[0]?.score },
          after: { place: 3, score: 0.02 },
        },
      ],
    });
    expect(after.recalled.runbooks.slice(0, 3).map(({ source }) => source)).toEqual([LOOP, DISK, KILLED]);
    expect(after.outcome).toBe("cause");
    // The answer rests on the most probable runbook.
    const [best] = after.recalled.runbooks.toSorted((a, b) => b.probability - a.probability);
    expect(after.confidence).toBe(best?.probability);
    expect(new Set(after.sources.filter(({ kind }) => kind === "runbook").map(({ source }) => source))).toEqual(
      new Set([best?.source]),
    );
  });

  it("is asked once, with its key, and sees only scrubbed text", async () => {
    await using server = await rerankServer(preferRestarts);
    const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";
    await createHarness(server.env).triage({
      ...OOM,
      title: `${OOM.title} ${secret}`,
      logs: `FATAL: ${secret} denied`,
    });
    expect(server.requests).toEqual(["POST /v1/rerank"]);
    const [request] = server.inputs;
    expect(request).toMatchObject({ model: "test-reranker", authorization: "Bearer rerank-key" });
    expect(request?.query).toContain("container exited with code 137");
    expect(JSON.stringify(request)).not.toContain(secret);
  });

  it("is shown with the incident, for a repeated request, and in the stream", async () => {
    await using server = await rerankServer(preferRestarts);
    const harness = createHarness(server.env);
    const key = { "idempotency-key": "rerank-1" };
    const { incident_id, recalled } = await harness.triage(OOM, key);
    const schema = z.object({ triage: triageResultSchema });
    const kept = schema.parse(await (await harness.request(`/v1/incidents/${incident_id}`)).json());
    expect(kept.triage.recalled.reranking).toEqual(recalled.reranking);
    expect((await harness.triage(OOM, key)).recalled.reranking).toEqual(recalled.reranking);
    expect(server.inputs).toHaveLength(1);

    const stream = await harness.post("/v1/triage", OOM, { accept: "text/event-stream" });
    const events = [];
    for await (const event of readEvents(stream.body ?? new ReadableStream())) events.push(event);
    expect(events[0]).toMatchObject({
      event: "recall",
      data: { recalled: { reranking: { model: "test-reranker", documents: recalled.reranking?.documents } } },
    });
  });

  it("leaves an attached runbook in first place", async () => {
    await using server = await rerankServer(preferRestarts);
    const { recalled } = await createHarness(server.env).triage({ ...OOM, runbook_url: "exit-137-out-of-memory" });
    expect(recalled.runbooks[0]).toMatchObject({ source: KILLED, features: { attached: { rank: 1 } } });
    expect(recalled.reranking?.documents.map(({ source }) => source)).toEqual([LOOP, DISK]);
  });

  it("decides the order in the prompt", async () => {
    await using server = await rerankServer(preferRestarts);
    await using model = await scriptedModel();
    await createHarness({ ...server.env, ...model.env() }).triage(OOM);
    expect(model.prompts("synthesise")[0]).toContain(`<runbook id="R1" source="${LOOP}"`);
  });

  it("is not asked with fewer than two candidates", async () => {
    await using server = await rerankServer(preferRestarts);
    const harness = createHarness(server.env);
    const alone = { title: "pod in CrashLoopBackOff", labels: { container_runtime: "kubernetes" } };
    expect((await harness.triage(alone)).recalled.reranking).toBeNull();
    await harness.triage({ title: "Watchdog", labels: { alertname: "Watchdog" } });
    expect(server.requests).toEqual([]);
  });

  it("may be one of Workers AI", async () => {
    const run = async (_: string, { contexts }: { contexts: { text: string }[] }) => ({
      response: contexts.map(({ text }, id) => ({ id, score: preferRestarts(text) })),
    });
    const harness = createHarness({ RERANKER: "workers-ai:@cf/baai/bge-reranker-base", AI: { run } });
    const { recalled } = await harness.triage(OOM);
    expect(recalled.reranking).toMatchObject({
      model: "@cf/baai/bge-reranker-base",
      documents: [{ source: LOOP }, {}, {}],
    });
    expect(() => createHarness({ RERANKER: "workers-ai:@cf/baai/bge-reranker-base" })).toThrow(ConfigError);
  });
});

describe("a failing reranker", () => {
  const oneOnly: Answer = { body: JSON.stringify({ results: [{ index: 0, relevance_score: 0.9 }] }) };
  const tomorrow: Answer = { status: 429, body: "{}", headers: { "retry-after": "86400" } };

  it.each<[string, Answer, string, string]>([
    ["hangs", "hang", "dependency_timeout", "did not answer in time"],
    ["breaks the connection", "cut", "dependency_unreachable", "cannot be reached"],
    ["has had enough", tomorrow, "dependency_busy", "is overloaded or limits its use"],
    ["leaves documents out", oneOnly, "dependency_invalid_response", "sent an invalid response"],
  ])("that %s costs only its order", async (_, answer, code, reason) => {
    await using server = await rerankServer(preferRestarts, { misbehave: () => answer });
    const plain = await createHarness().triage(OOM);
    await deleteIncidents(createHarness().services);
    const harness = createHarness(server.env);
    harness.expireHung(server, "reranker");
    const result = await harness.triage(OOM);
    expect(result.warnings).toEqual([
      {
        code,
        dependency: "reranker",
        message: `The reranker ${reason}: the runbooks keep the order of the searches.`,
      },
    ]);
    expect(result).toMatchObject({ persisted: true, outcome: plain.outcome, answer: plain.answer });
    expect(result.recalled).toEqual(plain.recalled);
    expect(result.recalled.reranking).toBeNull();
  });

  it("that is unreachable is logged by its failure alone", async () => {
    const env = { RERANKER: "http:test-reranker", RERANK_URL: "http://127.0.0.1:1" };
    const harness = createHarness(env);
    expect((await harness.triage(OOM)).warnings).toMatchObject([
      { code: "dependency_unreachable", dependency: "reranker" },
    ]);
    const line = harness.log.find(({ event }) => event === "triage.rerank_failed");
    expect(line?.fields).toMatchObject({ error: "reranker: the connection failed" });
  });
});

describe("readiness", () => {
  it("names the reranker without a request to it", async () => {
    await using server = await rerankServer(preferRestarts);
    expect(await (await createHarness(server.env).request("/health/ready")).json()).toMatchObject({
      status: "ready",
      reranker: "test-reranker",
    });
    expect(server.requests).toEqual([]);
    expect(await (await createHarness().request("/health/ready")).json()).toMatchObject({ reranker: null });
  });
});

it("a bare question is answered from the best three sections, a report from five", async () => {
  const harness = createHarness();
  const answered = await harness.triage({ question: "why was my container killed with exit code 137?" });
  expect(answered.recalled.runbooks).toHaveLength(3);
  expect((await harness.triage(OOM)).recalled.runbooks).toHaveLength(5);
});
