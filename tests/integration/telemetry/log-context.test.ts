import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { consume, QUEUES, type QueueMessage } from "../../../functions/jobs/queues.ts";
import { runJob } from "../../../functions/jobs/run-job.ts";
import { fixture } from "../alerts/support.ts";
import { createExecutionContext } from "../support/execution-context.ts";
import { createHarness, deleteIncidents, type Harness, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { commandBody, type FakeSlack, fakeSlack, signed } from "../support/servers/slack-server.ts";

const UNREACHABLE = "http://127.0.0.1:9";
const OOM = { title: "api-gateway docker container exited with code 137" };
const reportedSchema = z.object({ incident_id: z.string() });
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Without a vector store, each triage logs a line after its response. */
let harness: Harness;
beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(async () => {
  await deleteIncidents(createHarness().services);
  harness = createHarness({ CHROMA_URL: UNREACHABLE });
});

const fieldsOf = (event: string) => harness.log.filter((line) => line.event === event).map(({ fields }) => fields);
const idsOf = (event: string) => fieldsOf(event).map(({ request_id, incident_id }) => ({ request_id, incident_id }));

describe("a log line has the ids of its work", () => {
  it("after the response to a triage, and two at once do not share theirs", async () => {
    const responses = await Promise.all([harness.post("/v1/triage", OOM), harness.post("/v1/triage", OOM)]);
    const answered = await Promise.all(
      responses.map(async (response) => {
        const { incident_id } = reportedSchema.parse(await response.json());
        return { request_id: response.headers.get("x-request-id"), incident_id };
      }),
    );
    expect(idsOf("outbox.deferred")).toHaveLength(2);
    expect(idsOf("outbox.deferred")).toEqual(expect.arrayContaining(answered));
  });

  it("at the end of a triage request, also for a repeated key and for a failed recall", async () => {
    const first = await harness.triage(OOM, { "idempotency-key": "build-1" });
    const again = await harness.triage(OOM, { "idempotency-key": "build-1" });
    expect(again.incident_id).toBe(first.incident_id);
    const ends = fieldsOf("request.answered").map(({ incident_id }) => incident_id);
    expect(ends).toEqual([first.incident_id, first.incident_id]);

    const disconnected = createHarness({ CHROMA_URL: UNREACHABLE, SUPABASE_URL: UNREACHABLE });
    expect((await disconnected.post("/v1/triage", OOM)).status).toBe(503);
    const [failed] = disconnected.log.filter(({ event }) => event === "request.recall_unavailable");
    expect(failed?.fields.incident_id).toMatch(UUID);
  });

  it("with the id of the trace, also on the line about dropped spans", async () => {
    const traced = createHarness({ OTLP_ENDPOINT: UNREACHABLE });
    const { trace } = await traced.triage(OOM);
    const lines = traced.log.filter(({ event }) => event === "request.answered" || event === "traces.dropped");
    expect(lines.map(({ event }) => event)).toContain("traces.dropped");
    for (const { fields } of lines) expect(fields.trace_id).toBe(trace?.trace_id);
  });

  it("after a resolution and a deletion, and on requests with an incident in the path", async () => {
    const { incident_id } = await harness.triage(OOM);
    const path = `/v1/incidents/${incident_id}`;
    const resolved = await harness.post(`${path}/resolve`, { resolution: "more memory" });
    const removed = await harness.request(path.toUpperCase().replace("/V1/INCIDENTS", "/v1/incidents"), {
      method: "DELETE",
    });
    const [resolution, removal] = [resolved, removed].map((response) => ({
      request_id: response.headers.get("x-request-id"),
      incident_id,
    }));
    expect(idsOf("outbox.deferred").slice(1)).toEqual([resolution, removal]);
    expect(fieldsOf("request.answered").slice(1)).toMatchObject([
      { ...resolution, method: "POST", route: "/v1/incidents/:id/resolve", status: 200 },
      { ...removal, method: "DELETE", route: "/v1/incidents/:id", status: 204 },
    ]);
  });

  it("for a queue message, each with its own id", async () => {
    const receipt = await harness.post("/v1/incidents", OOM);
    const { incident_id } = reportedSchema.parse(await receipt.json());
    const message = (body: unknown): QueueMessage => ({ body, attempts: 1, ack: () => {}, retry: () => {} });
    const context = createExecutionContext();
    const messages = [message({ incident_id }), message("nothing")];
    await consume(harness.services, { queue: QUEUES.triages, messages }, (work) => context.waitUntil(work));
    await context.settled();
    const [ours] = idsOf("outbox.deferred");
    const [malformed] = idsOf("queue.malformed_message");
    expect(ours).toEqual({ request_id: expect.stringMatching(UUID), incident_id });
    expect(malformed).toEqual({ request_id: expect.stringMatching(UUID), incident_id: undefined });
    expect(ours?.request_id).not.toBe(malformed?.request_id);
  });

  it("for a job: the id of its run, or of the request that started it", async () => {
    await harness.triage(OOM);
    harness.clock.advance(60_000);
    const byCron = { trigger: "cron", runInBackground: () => {} } as const;
    const { run } = await runJob(harness.services, "retry-outbox", byCron);
    expect(fieldsOf("outbox.retried")).toMatchObject([{ request_id: run.id, failed: 2 }]);
    expect(fieldsOf("job.finished")).toMatchObject([{ request_id: run.id, run_id: run.id }]);
    const response = await harness.request("/v1/admin/jobs/retry-outbox", { method: "POST" });
    const [, manual] = fieldsOf("job.finished");
    expect(manual?.request_id).toBe(response.headers.get("x-request-id"));
    expect(manual?.run_id).not.toBe(manual?.request_id);
  });

  it("for an alert that creates an incident", async () => {
    const response = await harness.post("/v1/alerts/grafana", JSON.parse(fixture("grafana-firing")));
    const { incidents } = z.object({ incidents: z.array(z.string()) }).parse(await response.json());
    const request_id = response.headers.get("x-request-id");
    expect(idsOf("alerts.received")).toEqual([{ request_id, incident_id: incidents[0] }]);
  });

  it("for a Slack command, also after its acknowledgement", async () => {
    await using slack: FakeSlack = await fakeSlack();
    harness = createHarness({ ...slack.environment, CHROMA_URL: UNREACHABLE });
    const body = commandBody(OOM.title, `${slack.server.url}/commands/1`);
    const response = await harness.request("/slack", signed(body, harness.clock.now()));
    const request_id = response.headers.get("x-request-id");
    expect(idsOf("outbox.deferred")).toEqual([{ request_id, incident_id: expect.stringMatching(UUID) }]);
  });
});

describe("the line of a request", () => {
  it("has the pattern of the route and nothing of an unknown path", async () => {
    await harness.request("/v1/runbooks/docker/a-secret-name?also=secret");
    await harness.request("/a-secret-path");
    expect(fieldsOf("request.answered").map(({ route, status }) => [route, status])).toEqual([
      ["/v1/runbooks/:domain/:source", 404],
      ["/*", 404],
    ]);
    expect(JSON.stringify(harness.log)).not.toContain("secret");
  });

  it("has the level error from status 500, but not for a client error", async () => {
    await harness.request("/v1/incidents?limit=none");
    harness = createHarness({ SUPABASE_URL: UNREACHABLE });
    await harness.request("/v1/incidents");
    const lines = harness.log.filter(({ event }) => event === "request.answered");
    expect(lines).toMatchObject([{ level: "error", fields: { status: 503 } }]);
  });
});
