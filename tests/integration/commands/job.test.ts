// `npm run job`, as a person calls it.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { serve } from "@hono/node-server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../../functions/app.ts";
import { JOB_NAMES } from "../../../functions/jobs/schedule.ts";
import { createExecutionContext } from "../support/execution-context.ts";
import { cleanSlate, createHarness } from "../support/harness.ts";

const COMMAND = fileURLToPath(new URL("../../../dev/job.ts", import.meta.url));
const { services } = createHarness();
const app = createApp(services);
let server: ReturnType<typeof serve>;
let url: string;

beforeAll(async () => {
  url = await new Promise((resolve) => {
    const fetch = (request: Request) => app.fetch(request, {}, createExecutionContext());
    server = serve({ fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => resolve(`http://127.0.0.1:${port}`));
  });
});
beforeEach(() => cleanSlate(services));
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Runs the command to its end. */
function job(...words: readonly string[]): Promise<{ code: number; out: string; problems: string }> {
  const env = { ...process.env, DEJAVU_TOKEN: services.config.DEJAVU_TOKEN };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [COMMAND, ...words], { env }, (_, out, problems) =>
      resolve({ code: child.exitCode ?? -1, out, problems }),
    );
  });
}

describe("npm run job", () => {
  it("runs the job and says in a line what it did", async () => {
    const { code, out } = await job("sweep", "--url", url);
    expect(out).toBe(
      "sweep: 2026-03-01 03:00:00 UTC, manual, 0.0 s: closed 0, failed 0, retried 0, retries failed 0\n",
    );
    expect(code).toBe(0);
  });

  it("lists the jobs with their last runs where none is named", async () => {
    await job("retention", "--url", url);
    const { code, out } = await job("--url", url);
    for (const name of JOB_NAMES) expect(out).toContain(name);
    expect(out).toMatch(/retention .*\n +2026-03-01 03:00:00 UTC, manual, 0\.0 s: .*idempotency keys 0/);
    expect(out.match(/never ran/g)).toHaveLength(JOB_NAMES.length - 1);
    expect(code).toBe(0);
  });

  it("names the jobs where there is none of that name", async () => {
    const { code, problems } = await job("make-coffee", "--url", url);
    for (const name of JOB_NAMES) expect(problems).toContain(name);
    expect(code).toBe(1);
  });
});
