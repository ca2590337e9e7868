// Runs of the evaluation in which requests fail, hang or are refused, and a run with a judge.

import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createDejavu, overHttp, type Send } from "../../../evals/runner/dejavu-client.ts";
import { createJudge, judgeModel } from "../../../evals/runner/judge.ts";
import {
  createRunner,
  everythingCounted,
  loadStores,
  readyCases,
  testClock,
} from "../../integration/support/evaluation.ts";
import { createHarness } from "../../integration/support/harness.ts";
import { lyingServer } from "../../integration/support/servers/lying-server.ts";
import { startModelServer } from "../../integration/support/servers/model-server.ts";

const harness = createHarness({ MODEL: "none" });
const { services } = harness;
const cases = await readyCases();
const oneCase = cases.filter(({ id }) => id === "docker-heap-dump-before-kill");
const someCases = cases.filter(
  ({ category, domain }) => category === "memory" || (category === "retrieval" && domain === "docker"),
);

const run = createRunner(harness);

let before: Record<string, number>;

beforeAll(async () => {
  before = await loadStores(harness);
});

describe("a run with errors", () => {
  it("scores a timed out request as no answer and continues", async () => {
    await using server = await lyingServer({ hang: true });
    const clock = testClock();
    const send: Send = (path, init) =>
      path === "/v1/triage" ? overHttp(server.url, "t")(path, init) : harness.request(path, init);
    server.hung.onChange(() => {
      if (server.hung.count > 0) clock.advance(40);
    });
    const { results } = await run(someCases.slice(0, 3), { send, clock, timeoutMs: 40 });
    for (const { trials } of results) {
      expect(trials).toMatchObject([
        { status: "timed_out", error: "The request timed out.", confidence: null, elapsedMs: 40 },
      ]);
      expect(Object.values(trials[0]?.metrics ?? {})).not.toHaveLength(0);
      expect(Object.values(trials[0]?.metrics ?? {}).every((value) => value === 0)).toBe(true);
    }
  });

  it("fails the remaining trials when Dejavu becomes unreachable, and reports the undeleted sessions", async () => {
    let calls = 0;
    const send: Send = async (path, init) => {
      if (++calls > 40) throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
      return harness.request(path, init);
    };
    const { results, undeletedSessions } = await run(someCases, { send });
    const trials = results.flatMap((result) => result.trials);
    expect(trials).toHaveLength(someCases.length);
    expect(trials.some(({ status }) => status === "answered")).toBe(true);
    expect(
      trials.filter(({ error }) => error === "Dejavu stopped responding before this trial.").length,
    ).toBeGreaterThan(0);
    expect(trials.some(({ error }) => error?.includes("ECONNREFUSED"))).toBe(true);
    expect(undeletedSessions.length).toBeGreaterThan(0);
    const dejavu = createDejavu(harness.request, { clock: testClock(), timeoutMs: 60_000 });
    for (const session of undeletedSessions) await dejavu.deleteSession(session);
    expect(await everythingCounted(services.vectors)).toEqual(before);
  });

  it("stops at records that cannot be deleted, since the next trials would recall them", async () => {
    const protectedPaths = new Set<string>();
    const send: Send = async (path, init) => {
      if (init.method === "DELETE" && protectedPaths.has(path)) return new Response(null, { status: 503 });
      const response = await harness.request(path, init);
      if (path === "/v1/triage" && protectedPaths.size === 0) {
        const { incident_id } = z.object({ incident_id: z.string() }).parse(await response.clone().json());
        protectedPaths.add(`/v1/incidents/${incident_id}`);
      }
      return response;
    };
    const { results, undeletedSessions } = await run(someCases, { send });
    const [first, ...rest] = results.flatMap(({ trials }) => trials.map(({ error }) => error));
    expect(first).toBeNull();
    expect(rest).not.toEqual([]);
    expect(new Set(rest)).toEqual(new Set(["The records of an earlier case could not be deleted."]));
    expect(undeletedSessions).toHaveLength(1);
    const dejavu = createDejavu(harness.request, { clock: testClock(), timeoutMs: 60_000 });
    for (const session of undeletedSessions) await dejavu.deleteSession(session);
    expect(await everythingCounted(services.vectors)).toEqual(before);
  });

  it("deletes its records when it is stopped", async () => {
    const stopping = new AbortController();
    const { results, undeletedSessions } = await run(someCases, {
      cancelled: stopping.signal,
      onTrial: () => stopping.abort(new Error("The run was stopped.")),
    });
    expect(results.flatMap(({ trials }) => trials)).toHaveLength(someCases.length);
    expect(undeletedSessions).toEqual([]);
    expect(await everythingCounted(services.vectors)).toEqual(before);
  });

  it("waits for the rate limit, for at most 30 s each time and six times", async () => {
    const clock = testClock();
    const retryAfter = ["7", "3600", "soon"];
    const send: Send = async (path, init) => {
      if (path === "/v1/triage") clock.advance(5);
      const wait = path === "/v1/triage" ? retryAfter.shift() : undefined;
      return wait === undefined
        ? harness.request(path, init)
        : new Response(null, { status: 429, headers: { "retry-after": wait } });
    };
    const { results } = await run(oneCase, { send, clock });
    // The time of the last request alone: without the waits and the requests before it.
    expect(results[0]?.trials).toMatchObject([{ status: "answered", elapsedMs: 5 }]);
    expect(clock.pauses.slice(0, 3)).toEqual([7_000, 30_000, 1_000]);

    const limited: Send = async (path, init) =>
      path === "/v1/triage"
        ? Response.json({ type: "x", title: "Too many requests", status: 429, detail: "Wait." }, { status: 429 })
        : harness.request(path, init);
    expect((await run(oneCase, { send: limited })).results[0]?.trials).toMatchObject([{ status: "failed" }]);
  });
});

describe("a run with a judge", () => {
  it("adds the judge's scores, and scores 0 when there is no answer to grade", async () => {
    await using model = await startModelServer(({ messages: [message] }) => {
      const { facts = [] } = z
        .object({ facts: z.array(z.unknown()).optional() })
        .parse(JSON.parse(message?.text ?? "{}"));
      const value =
        facts.length > 0 ? { facts: facts.map((_, i) => ({ number: i + 1, stated: i === 0 })) } : { answer: "Memory." };
      return { kind: "json", value };
    });
    const judge = createJudge(judgeModel({ ANTHROPIC_API_KEY: "a-key", ANTHROPIC_BASE_URL: `${model.url}/v1` }), 2);
    const judged = await run(oneCase, { judge });
    expect(judged.results[0]?.trials).toMatchObject([
      {
        metrics: { KeywordScore: 0.5, BaselineScore: 0.5 },
        judged: { KeywordScore: [0.5, 0.5], BaselineScore: [0.5, 0.5] },
      },
    ]);
    const send: Send = async (path, init) =>
      path === "/v1/triage" ? new Response(null, { status: 500 }) : harness.request(path, init);
    const [failed] = (await run(oneCase, { judge, send })).results[0]?.trials ?? [];
    expect(failed?.metrics).toMatchObject({ KeywordScore: 0, FactsStated: 0 });
    expect(failed?.metrics).not.toHaveProperty("BaselineScore");
  });
});
