// Plants secrets in the messages of unexpected errors. The log must have the stack but not the message.

import { describe, expect, it } from "vitest";
import type { Database } from "../../../functions/adapters/database.ts";
import { createApp } from "../../../functions/app.ts";
import worker from "../../../functions/index.ts";
import { QUEUES } from "../../../functions/jobs/queues.ts";
import { runJob } from "../../../functions/jobs/run-job.ts";
import { JOB_NAMES } from "../../../functions/jobs/schedule.ts";
import type { Services } from "../../../functions/services.ts";
import { fixture } from "../alerts/support.ts";
import { createExecutionContext } from "../support/execution-context.ts";
import { workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { commandBody, signed } from "../support/servers/slack-server.ts";
import { investigated, planter, slack, TITLE, withConsole, written } from "./support.ts";

const { plant, word } = planter;
const harness = withConsole();
await loadFreshRunbooks(harness.services, workerEnv);
const kept = await investigated(harness);

describe("a bug", () => {
  /** Services whose database calls throw errors with secrets in their messages. */
  const broken = (isInBackground: boolean): Services => {
    const on = withConsole().services;
    const call: Database["call"] = async (name, args) => {
      if (name === "claim_webhook_delivery") return on.database.call(name, args);
      throw new TypeError(`${plant("a bug's words")}\n    at ${word("a bug's second line")} (x.ts:1:1)`, {
        cause: new Error(plant("its cause")),
      });
    };
    const background = { ...on.background, database: { call } };
    return isInBackground ? { ...on, background } : { ...on, background, database: { call } };
  };

  it.each([
    ["before", false],
    ["behind", true],
  ] as const)("%s the response is logged with its stack", async (_, isInBackground) => {
    const services = broken(isInBackground);
    const app = createApp(services);
    const ask = async (path: string, init: RequestInit = {}) => {
      const context = createExecutionContext();
      const headers = {
        authorization: `Bearer ${services.config.DEJAVU_TOKEN}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      };
      const response = await app.fetch(new Request(`http://dejavu.test${path}`, { headers, ...init }), {}, context);
      expect(planter.foundIn(await response.text()).filter((where) => /\bbug|cause$/.test(where))).toEqual([]);
      await context.settled();
    };
    const post = (path: string, body: unknown) => ask(path, { method: "POST", body: JSON.stringify(body) });
    await post("/v1/triage", { title: TITLE });
    await post(`/v1/incidents/${kept.incident_id}/resolve`, { resolution: "restarted" });
    await ask("/v1/incidents");
    await post("/v1/alerts/alertmanager", JSON.parse(fixture("alertmanager-firing")));
    await post("/mcp", {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "lookup_previous_fixes", arguments: { query: TITLE } },
    });
    await ask("/slack", signed(commandBody(`status ${kept.incident_id}`, `${slack.server.url}/x`), services.now()));
    const lines = written();
    const bugs = lines.filter(({ error }) => error === "TypeError");
    const expectedEvents = isInBackground ? ["background.failed"] : ["slack.failed", "request.failed"];
    expect(bugs.map(({ event }) => event)).toEqual(expect.arrayContaining(expectedEvents));
    for (const { stack } of bugs) expect(stack).toMatch(/^at .+:\d+:\d+/);
  });

  it("in a job or a queue message is logged with its stack", async () => {
    const services = broken(false);
    for (const job of JOB_NAMES) {
      await expect(runJob(services, job, { trigger: "cron", runInBackground: () => {} })).rejects.toThrow(TypeError);
    }
    const batch = {
      queue: QUEUES.triages,
      get messages(): never {
        throw new TypeError(plant("a bug in a batch"));
      },
    };
    const failed = worker.queue(batch, workerEnv, createExecutionContext());
    await expect(failed).rejects.toThrow(/^It failed\./);
    expect(written().map(({ event }) => event)).toContain("worker.failed");
  });

  it("before the services exist is logged with its stack, and answered", async () => {
    const environment = new Proxy<Record<string, unknown>>(
      {},
      {
        ownKeys() {
          throw new RangeError(plant("a bug in the settings"));
        },
      },
    );
    const request = new Request("http://dejavu.test/health");
    const response = await worker.fetch(request, environment, createExecutionContext());
    expect(response.status).toBe(500);
    expect(planter.foundIn(await response.text())).toEqual([]);
    expect(written()).toMatchObject([
      { event: "worker.failed", error: "RangeError", stack: expect.stringMatching(/^at /) },
    ]);
  });
});
