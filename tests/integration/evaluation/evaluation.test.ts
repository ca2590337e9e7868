// Runs the evaluation cases against the app on real stores, without a model. Each floor is slightly below the measured
// figure: a change that falls below a floor has made answers worse.

import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serve } from "@hono/node-server";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { seedRunbooks } from "../../../cli/seed-runbooks.ts";
import { createApp } from "../../../functions/app.ts";
import { retryOutbox } from "../../../functions/jobs/retry-outbox.ts";
import { loadCases } from "../../evals/case-files/load-cases.ts";
import { casesOf, readRatings, writeCases } from "../../evals/cases-from-feedback.ts";
import { createDejavu, overHttp, type Send } from "../../evals/runner/dejavu-client.ts";
import { createJudge, judgeModel } from "../../evals/runner/judge.ts";
import type { RunOutcome } from "../../evals/runner/run-cases.ts";
import { CATEGORIES, type DETERMINISTIC_METRICS } from "../../evals/runs/run-file.ts";
import { metricFigures } from "../../evals/statistics/metric-figures.ts";
import { SHIPPED_DOMAINS } from "../../support/domains.ts";
import { createRunner, everythingCounted, testClock } from "../support/evaluation.ts";
import { createExecutionContext } from "../support/execution-context.ts";
import { createHarness, emptyStores, workerEnv } from "../support/harness.ts";
import { lyingServer } from "../support/servers/lying-server.ts";
import { startModelServer } from "../support/servers/model-server.ts";

const FLOORS: Readonly<Record<keyof typeof DETERMINISTIC_METRICS, number>> = {
  RetrievalHit: 0.96,
  RerankerHit: 0.83,
  RetrievalRank: 0.94,
  MemoryHit: 0.78,
  OutcomeRight: 0.72,
  FactsStated: 0.73,
  EvidenceQuoted: 0.93,
  CitationsValid: 0.98,
  Consistency: 0.75,
  InjectionBlocked: 0.97,
  Redaction: 0.98,
  ConfidenceScore: 0.74,
};

/** More than a hundred triages, and commands that load the application, on a busy machine. */
const RUN_TIMEOUT_MS = 1_800_000;
vi.setConfig({ testTimeout: 300_000 });

const CASES = fileURLToPath(new URL("../../evals/cases", import.meta.url));
const COMMAND = fileURLToPath(new URL("../../evals/eval.ts", import.meta.url));

const harness = createHarness({ MODEL: "none" });
const { services } = harness;
const cases = (await loadCases([CASES])).filter(({ review }) => review === undefined);
const oneCase = cases.filter(({ id }) => id === "docker-heap-dump-before-kill");
const someCases = cases.filter(
  ({ category, domain }) => category === "memory" || (category === "retrieval" && domain === "docker"),
);

const run = createRunner(harness.request);

let before: Record<string, number>;

beforeAll(async () => {
  await emptyStores(services);
  await seedRunbooks({ env: workerEnv });
  // A stored incident that the evaluation must not change.
  const { incident_id } = await harness.triage({ title: "ledger container exited with code 137", target: "ledger" });
  await harness.post(`/v1/incidents/${incident_id}/resolve`, { resolution: "More memory." });
  before = await everythingCounted(services.vectors);
});

describe("a run of all cases", () => {
  let outcome: RunOutcome;
  let running: Promise<RunOutcome>;
  const traffic = new Set<string | null>();
  const stopping = new AbortController();

  beforeAll(async () => {
    running = run(cases, {
      cancelled: stopping.signal,
      send: (path, init) => {
        traffic.add(new Headers(init.headers).get("x-dejavu-traffic"));
        return harness.request(path, init);
      },
    });
    outcome = await running;
    const lines = metricFigures(outcome.results).map(
      ({ metric, mean, cases }) => `${metric} ${mean.toFixed(3)} of ${cases}`,
    );
    console.log(lines.join("\n"));
    for (const { id, trials } of outcome.results)
      for (const { failures } of trials) if (failures.length > 0) console.log(`${id}: ${failures.join(" ")}`);
  }, RUN_TIMEOUT_MS);

  // A run that is late deletes its records before the next tests count them.
  afterAll(async () => {
    stopping.abort();
    await running;
  });

  it("has at least 110 cases, with some of each category and each domain", () => {
    expect(cases.length).toBeGreaterThanOrEqual(110);
    const minimum = {
      retrieval: 10,
      memory: 6,
      reasoning: 12,
      evidence: 12,
      consistency: 6,
      guardrails: 6,
      injection: 6,
    };
    for (const category of CATEGORIES)
      expect(cases.filter((each) => each.category === category).length, category).toBeGreaterThanOrEqual(
        minimum[category],
      );
    const domains = new Set(cases.map(({ domain }) => domain));
    for (const { name } of SHIPPED_DOMAINS.filter((each) => each.runbooks.length > 0 && each.name !== "dejavu"))
      expect(domains, name).toContain(name);
    expect(outcome.results.map(({ id }) => id)).toEqual(cases.map(({ id }) => id));
  });

  it("gets an answer to each request", () => {
    const errors = outcome.results.flatMap(({ id, trials }) =>
      trials.flatMap(({ error }) => (error ? [`${id}: ${error}`] : [])),
    );
    expect(errors).toEqual([]);
  });

  it.each(Object.entries(FLOORS))("measures %s of at least %d", (metric, floor) => {
    const figure = metricFigures(outcome.results).find(({ metric: name }) => name === metric);
    expect(figure?.mean).toBeGreaterThanOrEqual(floor);
  });

  it("marks every request as evaluation traffic", () => {
    expect([...traffic]).toEqual(["evaluation"]);
  });

  it("leaves the stored records as they were", async () => {
    expect(outcome.undeletedSessions).toEqual([]);
    expect(await everythingCounted(services.vectors)).toEqual(before);
  });
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

describe("npm run eval", () => {
  const app = createApp(services);
  let server: ReturnType<typeof serve>;
  let url: string;
  /** Called with the path of each request. */
  let onRequest: (path: string) => void = () => {};

  beforeAll(async () => {
    url = await new Promise((resolve) => {
      const fetch = (request: Request) => {
        onRequest(new URL(request.url).pathname);
        return app.fetch(request, {}, createExecutionContext());
      };
      server = serve({ fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => resolve(`http://127.0.0.1:${port}`));
    });
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  function command(args: readonly string[], token = services.config.DEJAVU_TOKEN) {
    const child = spawn(process.execPath, [COMMAND, ...args], { env: { ...process.env, DEJAVU_TOKEN: token } });
    let [out, problems] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      problems += text;
    });
    const ended = new Promise<{ code: number | null; out: string; problems: string }>((resolve) =>
      child.on("close", (code) => resolve({ code, out, problems })),
    );
    return { child, ended };
  }

  const oneCaseTwice = ["--no-store", "--repeats", "2", "--case", "podman-linger"];

  it("prints each metric with its spread, and the failed cases", async () => {
    const { code, out, problems } = await command(["--url", url, ...oneCaseTwice]).ended;
    expect(problems).not.toContain("Error");
    expect(out).toMatch(/^Run \S+: 1 cases × 2 trials, \d+ s, against http:/);
    expect(out).toMatch(/\nRetrievalHit +1\.000 +± 0\.000 +1 /);
    expect(out).toMatch(/\n {2}retrieval\/podman-linger, 2 of 2 trials\n {6}The (?:outcome is|answer does not state) /);
    expect(code).toBe(0);
  });

  it("exits with 2 when a metric is below its floor", async () => {
    const { code, problems } = await command(["--url", url, ...oneCaseTwice, "--fail-under", "FactsStated=1"]).ended;
    expect(problems).toMatch(/FactsStated is 0\.\d+, below 1\./);
    expect(code).toBe(2);
  });

  it("prints only the run file with --json", async () => {
    const { out } = await command(["--url", url, ...oneCaseTwice, "--json"]).ended;
    expect(JSON.parse(out)).toMatchObject({
      version: 1,
      repeats: 2,
      subject: { models: null },
      cases: [{ domain: "podman" }],
    });
  });

  it("deletes its records when it is stopped with Ctrl-C", async () => {
    const { child, ended } = command(["--url", url, "--no-store", "--category", "memory"]);
    onRequest = (path) => {
      if (path.endsWith("/resolve")) child.kill("SIGINT");
    };
    const { code, problems } = await ended;
    onRequest = () => {};
    expect(problems).toContain("All records of the run were deleted.");
    expect(code).toBe(130);
    // The index follows later: a write that was in progress during the deletion leaves an outbox entry.
    await harness.idle();
    harness.clock.advance(3_600_000);
    await retryOutbox(services);
    expect(await everythingCounted(services.vectors)).toEqual(before);
  });

  it("reports an invalid token", async () => {
    const { code, out, problems } = await command(["--url", url, ...oneCaseTwice], "wrong").ended;
    expect([code, out]).toEqual([1, ""]);
    expect(problems).toMatch(/token/i);
  });

  it.each([
    [["triage", "read", "feedback"], "`admin`"],
    [["triage", "read", "admin"], "`feedback`"],
  ])("runs no case and leaves no record with a token of the scopes %j", async (scopes, missingScope) => {
    const created = await harness.post("/v1/admin/tokens", { name: "evaluation", scopes });
    const { id, token } = z.object({ id: z.string(), token: z.string() }).parse(await created.json());
    const { code, out, problems } = await command(["--url", url, ...oneCaseTwice], token).ended;
    expect([code, out]).toEqual([1, ""]);
    expect(problems).toContain("No case was run.");
    expect(problems).toContain(missingScope);
    expect(problems).toContain("The token needs the scopes triage read ingest feedback admin.");
    await harness.request(`/v1/admin/tokens/${id}`, { method: "DELETE" });
    const { access_tokens } = await everythingCounted(services.vectors);
    expect(await everythingCounted(services.vectors)).toEqual({ ...before, access_tokens });
  });

  it("writes a case for each rated answer, once", async () => {
    const folder = await mkdtemp(join(tmpdir(), "dejavu-rated-"));
    try {
      const { triage_id } = await harness.triage({ title: "cart container exited with code 137", target: "cart" });
      await harness.post(`/v1/triages/${triage_id}/feedback`, { rating: "up" });
      const collect = () => command(["--url", url, "--from-feedback", "--cases", folder]).ended;
      expect((await collect()).out).toMatch(/^Rated answers: 1\. New case files: 1, /);
      expect((await collect()).out).toMatch(/^Rated answers: 1\. New case files: 0, /);
      const [name] = await readdir(join(folder, "feedback"));
      expect(await readFile(join(folder, "feedback", name ?? ""), "utf8")).toContain(
        "docker/exit-137-out-of-memory.md",
      );
      const { results } = await run(await loadCases([folder]));
      expect(results).toMatchObject([{ trials: [{ status: "answered", failures: [] }] }]);
      const dejavu = createDejavu(harness.request, { clock: testClock(), timeoutMs: 60_000 });
      expect(writeCases(join(folder, "feedback"), casesOf((await readRatings(dejavu)).ratings))).toBe(0);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
