// `dejavu eval` as a process, against a served application.

import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { loadCases } from "../../../evals/case-files/load-cases.ts";
import { casesOf, readRatings, writeCases } from "../../../evals/cases-from-feedback.ts";
import { createDejavu } from "../../../evals/runner/dejavu-client.ts";
import { createApp } from "../../../functions/app.ts";
import { retryOutbox } from "../../../functions/jobs/retry-outbox.ts";
import { createRunner, everythingCounted, loadStores, testClock } from "../../integration/support/evaluation.ts";
import { createExecutionContext } from "../../integration/support/execution-context.ts";
import { createHarness } from "../../integration/support/harness.ts";

const COMMAND = join(REPO_DIR, "evals/eval.ts");

const harness = createHarness({ MODEL: "none" });
const { services } = harness;
const run = createRunner(harness);
const runs = await mkdtemp(join(tmpdir(), "dejavu-runs-"));
afterAll(() => rm(runs, { recursive: true }));

let before: Record<string, number>;

beforeAll(async () => {
  before = await loadStores(harness);
});

describe("dejavu eval", () => {
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

  const oneCaseTwice = ["--runs", runs, "--repeats", "2", "--case", "podman-linger"];

  it("prints only the run file with --json, and exits with 0 whatever the results", async () => {
    const { code, out } = await command(["--url", url, ...oneCaseTwice, "--json"]).ended;
    expect(JSON.parse(out)).toMatchObject({
      version: 1,
      repeats: 2,
      subject: { models: null },
      cases: [{ domain: "podman" }],
    });
    expect(code).toBe(0);
  });

  it("deletes its records when it is stopped with Ctrl-C", async () => {
    const { child, ended } = command(["--url", url, "--runs", runs, "--category", "memory"]);
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
