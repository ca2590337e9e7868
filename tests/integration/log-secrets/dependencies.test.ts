// Plants secrets in settings and in responses of dependencies: databases, models, Slack, Phoenix, the platform.

import { beforeAll, describe, expect, it } from "vitest";
import { settingsSchema } from "../../../functions/config/settings.ts";
import worker from "../../../functions/index.ts";
import { consume, QUEUES } from "../../../functions/jobs/queues.ts";
import { runJob } from "../../../functions/jobs/run-job.ts";
import { JOB_NAMES } from "../../../functions/jobs/schedule.ts";
import { fixture } from "../alerts/support.ts";
import { createExecutionContext } from "../support/execution-context.ts";
import { type Harness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { embedderAt } from "../support/servers/embedding-server.ts";
import { type Answer, lyingServer } from "../support/servers/lying-server.ts";
import { type ModelReply, startModelServer } from "../support/servers/model-server.ts";
import { commandBody, signed } from "../support/servers/slack-server.ts";
import { investigated, planter, TITLE, withConsole, written } from "./support.ts";

const { plant, word } = planter;
const harness = withConsole();
await loadFreshRunbooks(harness.services, workerEnv);
const kept = await investigated(harness);

describe("settings", () => {
  const names = Object.keys(settingsSchema.shape);

  it.each(names)("%s with a bad value is named, and the value is not logged", async (name) => {
    for (const value of [
      plant(name),
      { secret: plant(`${name} as object`) },
      `ftp://x:${word(`${name} as URL`)}@y/z`,
    ]) {
      const request = new Request("http://dejavu.test/health");
      const response = await worker.fetch(request, { ...workerEnv, [name]: value }, createExecutionContext());
      const { level, event } = written().at(-1) ?? {};
      // Some settings take any text.
      if (response.status !== 503) continue;
      expect({ level, event }).toEqual({ level: "error", event: "config.invalid" });
      const batch = { queue: QUEUES.outbox, messages: [] };
      const failed = worker.queue(batch, { ...workerEnv, [name]: value }, createExecutionContext());
      await expect(failed).rejects.toThrow(/^It failed\. The log has the reason under request [0-9a-f-]{36}\.$/);
    }
    written();
  });

  it("are complete", () => {
    expect(names.length).toBeGreaterThan(50);
  });
});

/** Calls everything that uses a dependency once. */
async function useEverything(on: Harness): Promise<void> {
  const sendFeedback = (body: object) => on.post(`/v1/triages/${kept.triage_id}/feedback`, body);
  await on.post("/v1/triage", {
    title: TITLE,
    question: "Why was it killed, and how do I get it back?",
    logs: "exit 137",
  });
  await on.post("/v1/triage", { title: TITLE }, { accept: "text/event-stream" });
  await on.post("/v1/incidents", { title: TITLE });
  await on.post(`/v1/incidents/${kept.incident_id}/resolve`, { resolution: "more memory" });
  await on.post("/v1/search", { collection: "runbooks", query: TITLE });
  await on.post("/v1/alerts/alertmanager", JSON.parse(fixture("alertmanager-firing")));
  await sendFeedback({ rating: "up", comment: "good" });
  await on.request("/v1/incidents");
  await on.request("/v1/memory/search?query=killed");
  await on.request("/health/ready");
  const call = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    // Not the report above, whose answer is stored.
    params: { name: "search_debugging_knowledge", arguments: { query: `${TITLE} after an upgrade` } },
  };
  await on.post("/mcp", call, { accept: "application/json, text/event-stream" });
  on.clock.advance(1_000);
  const url = `${new URL(on.services.config.SLACK_API_URL).origin}/commands/1`;
  await on.request("/slack", signed(commandBody(TITLE, url), on.clock.now()));
  on.clock.advance(3_600_000);
  for (const job of JOB_NAMES) await runJob(on.services, job, { trigger: "cron", runInBackground: () => {} });
  const message = { body: { incident_id: kept.incident_id }, attempts: 1, ack: () => {}, retry: () => {} };
  for (const queue of Object.values(QUEUES)) await consume(on.services, { queue, messages: [message] }, () => {});
}

it("errors of platform bindings are logged without their secrets", async () => {
  const fail = async () => {
    throw new Error(plant("binding"));
  };
  const binding = { limit: fail, send: fail, sendBatch: fail };
  const names = ["RATE_LIMIT", "TRIAGE_RATE_LIMIT", "FAILED_AUTH_RATE_LIMIT", "OUTBOX_QUEUE", "TRIAGE_QUEUE"];
  const on = withConsole({
    ...Object.fromEntries(names.map((name) => [name, binding])),
    CHROMA_URL: "http://127.0.0.1:9",
  });
  await on.post("/v1/incidents", { title: TITLE });
  await on.post("/v1/triage", { title: TITLE });
  await worker.scheduled({ cron: "1 2 3 4 5" }, workerEnv, createExecutionContext());
  const events = written().map(({ event }) => event);
  for (const event of ["rate_limit.failed", "outbox.schedule_failed", "triage_queue.send_failed", "cron.unknown"])
    expect(events).toContain(event);
});

describe("a dependency that responds with secrets", () => {
  const faultyAnswers: ((text: () => string) => Answer)[] = [
    (text) => ({ status: 400, body: text() }),
    (text) => ({ status: 401, body: text(), headers: { "www-authenticate": word("challenge") } }),
    (text) => ({ status: 404, body: text() }),
    (text) => ({ status: 409, body: text() }),
    (text) => ({ status: 429, body: text(), headers: { "retry-after": word("retry-after") } }),
    (text) => ({ status: 500, body: text() }),
    (text) => ({ status: 200, body: text() }),
    (text) => ({ status: 200, body: `<html>${text()}</html>`, headers: { "content-type": "text/html" } }),
  ];
  const named = (system: string) => () =>
    JSON.stringify({
      ...{ code: word(`${system}, code`), message: plant(`${system}, message`), details: plant(`${system}, details`) },
      ...{ hint: plant(`${system}, hint`), detail: plant(`${system}, detail`), ok: false },
      ...{
        error: { message: plant(`${system}, error`), type: word(`${system}, type`), code: word(`${system}, its code`) },
      },
      ...{
        data: [{ id: plant(`${system}, id`), embedding: [plant(`${system}, embedding`)] }],
        results: [plant(system)],
      },
    });
  const systems: Record<string, (url: string) => Readonly<Record<string, string>>> = {
    postgres: (url) => ({ SUPABASE_URL: url }),
    chroma: (url) => ({ CHROMA_URL: url }),
    embeddings: embedderAt,
    reranker: (url) => ({ RERANKER: "http:x", RERANK_URL: url }),
    slack: (url) => ({ SLACK_API_URL: `${url}/api` }),
    collector: (url) => ({ OTLP_ENDPOINT: url, LOG_LEVEL: "debug" }),
    phoenix: (url) => ({ PHOENIX_URL: url }),
  };
  /** Systems that fail side by side. In the last group, the failure of one prevents no call of another. */
  const groups = [
    ["postgres"],
    ["chroma"],
    ["postgres", "chroma"],
    ["embeddings", "reranker", "slack", "collector", "phoenix"],
  ];
  beforeAll(async () => {
    const trace = { trace_id: "4bf92f3577b34da6a3ce929d0e0e4736", span_id: "67f6740bbe1ddc3f" };
    await sql`update public.triages set result = result || ${sql.json({ trace })} where id = ${kept.triage_id}`;
  });

  it("is any of them", () => {
    expect(new Set(groups.flat())).toEqual(new Set(Object.keys(systems)));
  });

  it.each(groups.map((group) => [group.join(", "), group] as const))("is logged without them: %s", async (_, group) => {
    for (const offset of [0, 3, 6]) {
      await using servers = new AsyncDisposableStack();
      const started = await Promise.all(
        group.map(async (system) => {
          const text = named(system);
          const server = servers.use(
            await lyingServer({
              answer: (_body, call) => faultyAnswers[(call + offset) % faultyAnswers.length]?.(text) ?? "cut",
            }),
          );
          return { server, environment: systems[system]?.(server.url) };
        }),
      );
      await useEverything(withConsole(Object.assign({}, ...started.map(({ environment }) => environment))));
      for (const { server } of started) expect(server.requests.length).toBeGreaterThan(0);
    }
    expect(written().some(({ level }) => level === "warn" || level === "error")).toBe(true);
  });

  const replies: [string, () => ModelReply][] = [
    ["plain text", () => ({ kind: "text", text: plant("model, text") })],
    [
      "JSON that does not match the schema",
      () => ({ kind: "json", value: { [word("model, name")]: plant("model, value") } }),
    ],
    ["a refusal", () => ({ kind: "text", text: plant("model, refusal"), stop: "refusal" })],
    ["a page", () => ({ kind: "garbage", body: `<html>${plant("model, page")}</html>` })],
    ["half an answer", () => ({ kind: "cut", text: plant("model, half"), afterPieces: 1 })],
    ...[400, 401, 404, 429, 500, 529].map((status): [string, () => ModelReply] => [
      `status ${status}`,
      () => ({
        kind: "status",
        status,
        message: plant(`model, ${status}`),
        headers: { "request-id": word("model, header") },
      }),
    ]),
  ];
  it.each(replies.flatMap(([how, reply]) => (["anthropic", "openai"] as const).map((wire) => ({ how, wire, reply }))))(
    "a model ($wire) with $how is logged without them",
    async ({ wire, reply }) => {
      await using model = await startModelServer(reply);
      const url = `${model.url}/v1`;
      const env =
        wire === "anthropic"
          ? { MODEL: "anthropic:m", ANTHROPIC_API_KEY: word("key"), ANTHROPIC_BASE_URL: url }
          : { MODEL: "openai-compatible:m", MODEL_BASE_URL: url, MODEL_API_KEY: word("key") };
      const on = withConsole(env);
      await on.post("/v1/triage", { title: TITLE, question: "Why was it killed, and how do I get it back?" });
      await on.post("/v1/triage", { question: "something is odd" }, { accept: "text/event-stream" });
      expect(model.calls.length).toBeGreaterThan(0);
    },
  );
});
