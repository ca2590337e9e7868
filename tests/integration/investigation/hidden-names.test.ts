// Triages with PSEUDONYMISE: no name leaves for a model, a reranker or an embedder, and the answers have all of them.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { readEvents } from "../../../cli/service/event-stream.ts";
import { compressSessions } from "../../../functions/jobs/compress-sessions.ts";
import { at, HOUR_MS, shift } from "../jobs/support.ts";
import { createHarness, deleteIncidents, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { embedderAt, embeddingServer } from "../support/servers/embedding-server.ts";
import type { ModelCall } from "../support/servers/model-server.ts";
import { rerankServer } from "../support/servers/rerank-server.ts";
import { draftOf, json, type Script, scriptedModel } from "../support/servers/scripted-model.ts";

const NAMES = ["ledger", "fintech", "worker-berlin-2", "alice", "10.4.7.9", "acme.com", "tills-api"];
const SESSION = "on-call-names";
const REPORT = {
  title: "ledger container exited with code 137 after tills-api was released by user alice",
  target: "ledger",
  session_id: SESSION,
  labels: {
    container_runtime: "docker",
    pod: "ledger-7c9f8d6b5-x2x4z",
    namespace: "fintech",
    node: "worker-berlin-2",
    instance: "10.4.7.9:9100",
  },
  logs: [
    "2026-03-01T02:59:57Z INFO ledger connected to vault.corp.acme.com as user alice",
    "2026-03-01T02:59:58Z ERROR ledger-7c9f8d6b5-x2x4z exited with code 137 on worker-berlin-2",
    "2026-03-01T02:59:59Z ERROR fintech/ledger: memory cgroup out of memory: Killed process 4242 (java)",
  ].join("\n"),
};

/** The placeholder of the first name of a kind in a request, as the model read it. */
const placeholderIn = (call: ModelCall, pattern: RegExp) =>
  pattern.exec(call.messages.map(({ text }) => text).join("\n"))?.[1] ?? "(none)";

/** A model that quotes and names what it reads. */
function draftFrom(call: ModelCall) {
  const pod = placeholderIn(call, /pod=([\w-]+)/);
  const node = placeholderIn(call, /node=([\w-]+)/);
  const service = placeholderIn(call, /Target: ([\w-]+)/);
  return json(
    draftOf({
      evidence: [
        { quote: `${pod} exited with code 137 on ${node}`, citations: ["R1"], text: `${pod}'s process got SIGKILL.` },
      ],
      summary: { citations: ["R1"], text: `${service} on ${node} went over its memory limit; pod-77 did not.` },
      confirm: [
        {
          citations: ["R1"],
          text: `Ask whether the kernel killed ${service}.`,
          command: `docker inspect --format '{{.State.OOMKilled}} {{.State.ExitCode}} {{.State.FinishedAt}}' ${service}`,
        },
      ],
    }),
  );
}

const SCRIPT: Script = {
  synthesise: draftFrom,
  compress: (call) =>
    json({
      title: `${placeholderIn(call, /Target: ([\w-]+)/)} killed at its memory limit`,
      narrative: "The limit was looked at. It was too low.",
      facts: ["Exit code 137", "SIGKILL", "The limit was too low", "No other cause fits", "One node is affected"],
    }),
  summarise: (call) => json({ summary: `Looked at ${placeholderIn(call, /Q: (service-\d+)/)} again and again.` }),
};

async function outside(script: Script = SCRIPT) {
  const [model, reranker, embedder] = await Promise.all([
    scriptedModel(script),
    rerankServer(() => 0.5),
    embeddingServer(),
  ]);
  const env = { ...model.env(), ...reranker.env, ...embedder.env, PSEUDONYMISE: "true" };
  return {
    model,
    reranker,
    embedder,
    env,
    /** Every byte that left, by role. */
    sent: () => ({
      model: JSON.stringify(model.calls.map(({ body }) => body)),
      reranker: JSON.stringify(reranker.inputs),
      embedder: embedder.inputs.join("\n"),
    }),
    async [Symbol.asyncDispose]() {
      await Promise.all([model, reranker, embedder].map((server) => server[Symbol.asyncDispose]()));
    },
  };
}

type Outside = Awaited<ReturnType<typeof outside>>;

function expectNoNames({ sent }: Outside): void {
  for (const [role, bytes] of Object.entries(sent()))
    for (const name of NAMES)
      expect({ role, leaks: bytes.includes(name) ? name : null }).toEqual({ role, leaks: null });
}

/** Vectors of texts with and without names do not match: the index is written with the setting that searches it. */
async function writeIndex(PSEUDONYMISE: "true" | "false"): Promise<void> {
  await using embedder = await embeddingServer();
  const env = { ...embedder.env, PSEUDONYMISE };
  await loadFreshRunbooks(createHarness(env).services, { ...workerEnv, ...env });
}

beforeAll(() => writeIndex("true"));
beforeEach(() =>
  deleteIncidents(createHarness({ ...embedderAt("http://127.0.0.1:9"), PSEUDONYMISE: "true" }).services),
);

describe("with PSEUDONYMISE", () => {
  it("a triage sends no name, and its answer has the real ones", async () => {
    await using servers = await outside();
    const harness = createHarness(servers.env);
    const { answer, warnings, mode, outcome, recalled } = await harness.triage(REPORT);
    expect(warnings).toEqual([]);
    expect([mode, outcome]).toEqual(["model", "cause"]);
    // The quote is verified against the report, the command against the runbook.
    expect(answer.evidence[0]).toMatchObject({
      quote: expect.stringContaining("ledger-7c9f8d6b5-x2x4z exited with code 137 on worker-berlin-2"),
      text: expect.stringMatching(/^ledger-7c9f8d6b5-x2x4z's process got SIGKILL\./),
    });
    expect(answer.confirm[0]).toMatchObject({
      command: "docker inspect --format '{{.State.OOMKilled}} {{.State.ExitCode}} {{.State.FinishedAt}}' ledger",
      from_source: true,
    });
    expect(answer.summary.text).toBe("ledger on worker-berlin-2 went over its memory limit; <pod> did not.");
    expect(recalled.runbooks.length).toBeGreaterThan(1);
    expect(servers.model.steps).toContain("critique");
    expect(servers.reranker.inputs).toHaveLength(1);
    expectNoNames(servers);
    // The observation that a model wrote is about the real service.
    const [observation] = await sql`select title from public.observations`;
    expect(observation?.title).toBe("ledger killed at its memory limit");
  });

  it("neither does a follow-up question, though its turns name things without a label", async () => {
    await using servers = await outside();
    const harness = createHarness(servers.env);
    await harness.triage(REPORT);
    const question = "why did ledger exit with code 137 again in fintech?";
    await harness.triage({ question, session_id: SESSION });
    expect(servers.model.prompts("classify").join("\n")).toContain("<session>");
    expectNoNames(servers);
  });

  it("neither does the summary of a session", async () => {
    await using servers = await outside();
    const harness = createHarness({ ...servers.env, SESSION_COMPRESS_THRESHOLD: "1" });
    await harness.triage(REPORT);
    await harness.triage({ ...REPORT, title: "ledger exited with code 137 a second time" });
    const idle = at(harness.services, shift(harness.clock.now(), 48 * HOUR_MS));
    expect(await compressSessions(idle, () => {})).toMatchObject({ sessions: 1, failed: 0 });
    expect(servers.model.callsOf("summarise")).toHaveLength(1);
    const [summary] = await sql`select answer from public.past_answers where is_summary`;
    expect(summary?.answer).toContain("Looked at ledger again and again.");
    expectNoNames(servers);
  });

  it.each(["anthropic", "openai"] as const)(
    "a stream over the %s wire shows names, never their beginnings",
    async (wire) => {
      await using servers = await outside();
      const harness = createHarness({ ...servers.env, ...servers.model.env(wire) });
      const stream = await harness.post("/v1/triage", REPORT, { accept: "text/event-stream" });
      const texts: Record<string, string> = {};
      let summary = "";
      for await (const { event, data } of readEvents(stream.body ?? new ReadableStream())) {
        if (event === "token") texts[data.path] = (texts[data.path] ?? "") + data.text;
        if (event === "done") summary = data.answer.summary.text;
      }
      expect(texts["summary.text"]).toBe(summary);
      expect(texts["confirm.0.command"]).toMatch(/ ledger$/);
      expect(JSON.stringify(texts)).not.toMatch(/(?:pod|node|service)-\d/);
      expectNoNames(servers);
    },
  );

  it("a placeholder in the report itself is not taken for a name", async () => {
    await using servers = await outside();
    const harness = createHarness(servers.env);
    const logs = `${REPORT.logs}\nERROR pod-1 and node-1 are literal, print pod-1`;
    const { answer } = await harness.triage({ ...REPORT, logs });
    expect(answer.evidence[0]?.quote).toContain("ledger-7c9f8d6b5-x2x4z exited with code 137 on worker-berlin-2");
  });

  it("an invalid answer is sent back without names", async () => {
    const attempts: Script = { ...SCRIPT, synthesise: [{ kind: "text", text: "pod-1 is down." }, draftFrom] };
    await using servers = await outside(attempts);
    const harness = createHarness(servers.env);
    expect((await harness.triage(REPORT)).mode).toBe("model");
    expect(servers.model.callsOf("synthesise")).toHaveLength(2);
    expectNoNames(servers);
  });

  it("the log of the service holds no placeholder and no map", async () => {
    await using servers = await outside();
    const harness = createHarness(servers.env);
    await harness.triage(REPORT);
    expect(JSON.stringify(harness.log)).not.toMatch(/(?:pod|node|service|host)-\d/);
  });
});

describe("a change of PSEUDONYMISE", () => {
  it("refuses the vectors of the other setting, and names the command", async () => {
    await using embedder = await embeddingServer();
    const { warnings } = await createHarness({ ...embedder.env, PSEUDONYMISE: "false" }).triage(REPORT);
    expect(
      z
        .array(z.object({ message: z.string() }))
        .parse(warnings)
        .map(({ message }) => message)
        .join("\n"),
    ).toContain("dejavu reindex");
  });
});

describe("without PSEUDONYMISE", () => {
  it("models read the report as it is", async () => {
    await writeIndex("false");
    await using servers = await outside({});
    const harness = createHarness({ ...servers.env, PSEUDONYMISE: "false" });
    await harness.triage(REPORT);
    expect(servers.sent().model).toContain("worker-berlin-2");
  });
});
