// The commands about jobs.

import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { JOB_NAMES } from "../../../functions/jobs/schedule.ts";
import { createHarness, emptyStores } from "../support/harness.ts";
import { listen } from "../support/servers/listen.ts";
import { runDejavu } from "./support/run-dejavu.ts";

const { services } = createHarness();
const server = await listen(services);

beforeEach(() => emptyStores(services));
afterAll(() => server[Symbol.asyncDispose]());

const jobs = (...words: readonly string[]) =>
  runDejavu(["jobs", ...words], { DEJAVU_URL: server.url, DEJAVU_TOKEN: services.config.DEJAVU_TOKEN });

describe("dejavu jobs", () => {
  it("runs the job and prints its result in one line", async () => {
    const { code, out } = await jobs("run", "recover-stuck-runs");
    expect(out).toBe(
      "recover-stuck-runs: 2026-03-01 03:00:00 UTC, manual, 0.0 s: closed 0, failed 0, sent 0, retried 0, retries failed 0\n",
    );
    expect(code).toBe(0);
  });

  it("lists the jobs with their last runs", async () => {
    await jobs("run", "delete-expired");
    const { code, out } = await jobs("list");
    for (const name of JOB_NAMES) expect(out).toContain(name);
    expect(out).toMatch(/delete-expired .*\n.*\n +2026-03-01 03:00:00 UTC, manual, 0\.0 s: [^(]*idempotency keys 0/);
    expect(out.match(/never ran/g)).toHaveLength(JOB_NAMES.length - 1);
    expect(code).toBe(0);
  });

  it("lists the job names for an unknown name", async () => {
    const { code, problems } = await jobs("run", "make-coffee");
    for (const name of JOB_NAMES) expect(problems).toContain(name);
    expect(code).toBe(3);
  });
});
