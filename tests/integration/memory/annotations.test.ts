import { createHash } from "node:crypto";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { runJob } from "../../../functions/jobs/run-job.ts";
import { giveFeedback } from "../../../functions/memory/give-feedback.ts";
import { createHarness, deleteIncidents, type Harness, sql } from "../support/harness.ts";
import { connectAgent } from "../support/mcp-agent.ts";
import { plantIncident } from "../support/sample-memory.ts";
import { type FakePhoenix, fakePhoenix } from "../support/servers/phoenix-server.ts";
import { CHANNEL, type FakeSlack, fakeSlack, pressBody, signed } from "../support/servers/slack-server.ts";

const SPAN = "67f6740bbe1ddc3f";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const EMAIL = "planted.person@example.com";
const MINUTE_MS = 60_000;

let phoenix: FakePhoenix;
let harness: Harness;

beforeAll(() => deleteIncidents(createHarness().services));
beforeEach(async () => {
  phoenix = await fakePhoenix();
  phoenix.knownSpans.add(SPAN);
  harness = createHarness(phoenix.environment);
});
afterEach(async () => {
  await phoenix[Symbol.asyncDispose]();
  await deleteIncidents(harness.services);
});

const digest = (person: string) => createHash("sha256").update(person).digest("hex");

/** Stores a triage with the id of its span. */
async function traced(spanId: string | null = SPAN): Promise<{ triageId: string; incidentId: string }> {
  const { triageId, incidentId } = await plantIncident(harness.services);
  const result = { trace: spanId === null ? null : { trace_id: TRACE, span_id: spanId } };
  await sql`update public.triages set result = ${sql.json(result)} where id = ${triageId}`;
  return { triageId, incidentId };
}

async function sendFeedback({ triageId }: { readonly triageId: string }, body: object, on = harness): Promise<void> {
  const response = await on.post(`/v1/triages/${triageId}/feedback`, { by: "dana", ...body });
  expect(response.status, await response.clone().text()).toBe(200);
}

const results = () => phoenix.annotations().map(({ result }) => result);

async function pending() {
  const rows =
    await sql`select attempts, last_error, given_up_at is not null as given_up, claimed_until is not null as claimed,
      (extract(epoch from next_attempt_at) * 1000)::float8 as next from public.annotation_outbox order by id`;
  return rows.map(({ attempts, last_error, given_up, claimed, next }) => ({
    attempts,
    last_error,
    given_up,
    claimed,
    inSeconds: (next - harness.clock.now().getTime()) / 1_000,
  }));
}

/** Runs the job as the cron trigger does. @returns its counts */
async function retry(on = harness): Promise<Record<string, number>> {
  const { run } = await runJob(on.services, "retry-outbox", { trigger: "cron", runInBackground: () => {} });
  expect(run.error).toBeNull();
  return run.counts;
}

const NONE = { annotations_posted: 0, annotations_deferred: 0, annotations_given_up: 0 };

describe("a rating of a triage that has a trace", () => {
  it("is posted to Phoenix as an annotation of the span by a person", async () => {
    const { triageId, incidentId } = await traced();
    await sendFeedback({ triageId }, { rating: "up", comment: "the second step was it" });
    expect(phoenix.requests).toEqual(["POST /v1/span_annotations?sync=true"]);
    expect(phoenix.annotations()).toEqual([
      {
        span_id: SPAN,
        name: "user_feedback",
        annotator_kind: "HUMAN",
        result: { label: "thumbs-up", score: 1, explanation: "the second step was it" },
        metadata: { triage_id: triageId, incident_id: incidentId },
        identifier: `dejavu:${digest("http:service:dana")}`,
      },
    ]);
    expect(await pending()).toEqual([]);
  });

  it("replaces the earlier rating of the same person and keeps the ratings of others", async () => {
    const triage = await traced();
    await sendFeedback(triage, { rating: "up" });
    await sendFeedback(triage, { rating: "up", by: "li" });
    await sendFeedback(triage, { rating: "down", comment: "it came back" });
    expect(results()).toEqual([
      { label: "thumbs-down", score: 0, explanation: "it came back" },
      { label: "thumbs-up", score: 1, explanation: null },
    ]);
  });

  it("has no score when the person takes it back", async () => {
    const triage = await traced();
    await sendFeedback(triage, { rating: "down", comment: "too vague" });
    await sendFeedback(triage, { rating: "none" });
    expect(results()).toEqual([{ label: "none", score: null, explanation: "too vague" }]);
  });

  it("has another identifier without a name than with one", async () => {
    const triage = await traced();
    await harness.post(`/v1/triages/${triage.triageId}/feedback`, { rating: "down" });
    await sendFeedback(triage, { rating: "up" });
    expect(phoenix.annotations().map(({ identifier }) => identifier)).toEqual([
      `dejavu:${digest("http:service:")}`,
      `dejavu:${digest("http:service:dana")}`,
    ]);
  });

  it("is posted scrubbed and without the person's name, and neither is logged", async () => {
    await sendFeedback(await traced(), { rating: "up", by: EMAIL, comment: `ask ${EMAIL}` });
    expect(results()).toEqual([{ label: "thumbs-up", score: 1, explanation: "ask [REDACTED_EMAIL]" }]);
    expect(JSON.stringify([phoenix.annotations(), harness.log])).not.toContain("planted");
  });

  it("is also posted when an agent sends it", async () => {
    const { triageId } = await traced();
    await using agent = await connectAgent(harness.open);
    await agent.call("submit_feedback", { triage_id: triageId, rating: "down", comment: "made it worse" });
    await agent.settled();
    expect(results()).toEqual([{ label: "thumbs-down", score: 0, explanation: "made it worse" }]);
  });

  it("is also posted when a button in Slack sends it", async () => {
    await using slack: FakeSlack = await fakeSlack();
    const withSlack = createHarness({ ...phoenix.environment, ...slack.environment });
    const { triageId, incidentId } = await traced();
    const body = pressBody("helpful", `${triageId} ${incidentId} ${CHANNEL}`, {
      responseUrl: `${slack.server.url}/commands/1`,
    });
    expect((await withSlack.request("/slack", signed(body, withSlack.services.now()))).status).toBe(200);
    expect(results()).toEqual([{ label: "thumbs-up", score: 1, explanation: null }]);
  });
});

describe("no annotation is pending", () => {
  it("for a triage without a trace", async () => {
    await sendFeedback(await traced(null), { rating: "up" });
    await sendFeedback(await plantIncident(harness.services), { rating: "up" });
    expect([await pending(), phoenix.requests]).toEqual([[], []]);
  });

  it("without Phoenix, also not after the job", async () => {
    const without = createHarness();
    await sendFeedback(await traced(), { rating: "up" }, without);
    expect(await retry(without)).toMatchObject({ written: 0, failed: 0 });
    expect([await pending(), phoenix.requests]).toEqual([[], []]);
  });

  it("for a triage that does not exist", async () => {
    const unknownId = "00000000-0000-4000-8000-000000000000";
    expect((await harness.post(`/v1/triages/${unknownId}/feedback`, { rating: "up" })).status).toBe(404);
    expect(phoenix.requests).toEqual([]);
  });

  it("after the incident is deleted", async () => {
    phoenix.misbehave = () => "cut";
    const { triageId, incidentId } = await traced();
    await sendFeedback({ triageId }, { rating: "up" });
    expect(await pending()).toHaveLength(1);
    expect((await harness.request(`/v1/incidents/${incidentId}`, { method: "DELETE" })).status).toBe(204);
    expect(await pending()).toEqual([]);
  });
});

describe("when Phoenix does not accept a rating", () => {
  it("the response does not wait, and the job posts the rating when Phoenix is back", async () => {
    phoenix.misbehave = () => "hang";
    harness.expireHung(phoenix, "trace_server");
    const { triageId } = await traced();
    const { response, context } = await harness.open(`/v1/triages/${triageId}/feedback`, {
      method: "POST",
      body: JSON.stringify({ rating: "up" }),
      headers: { "content-type": "application/json" },
    });
    expect(response.status).toBe(200);
    await context.settled();
    const deferred = {
      attempts: 1,
      last_error: "trace_server timeout",
      given_up: false,
      claimed: false,
      inSeconds: 30,
    };
    expect(await pending()).toEqual([deferred]);
    expect(harness.log.filter(({ event }) => event === "annotation.deferred")).toMatchObject([{ level: "warn" }]);

    phoenix.misbehave = () => undefined;
    harness.clock.advance(29_000);
    expect(await retry()).toMatchObject(NONE);
    harness.clock.advance(2_000);
    expect(await retry()).toMatchObject({ ...NONE, annotations_posted: 1 });
    expect(results()).toEqual([{ label: "thumbs-up", score: 1, explanation: null }]);
    expect(await pending()).toEqual([]);
  });

  it.each([
    ["is unavailable", "cut", "trace_server unreachable"],
    ["is starting", { status: 503, body: "" }, "trace_server unreachable"],
    ["has a full disk", { status: 507, body: "" }, "trace_server unreachable"],
    ["is busy", { status: 429, body: "", headers: { "retry-after": "60" } }, "trace_server busy"],
    ["times out while it reads the request", { status: 408, body: "" }, "trace_server unreachable"],
    ["is behind a proxy that returns an HTML page", { body: "<html>200 OK</html>" }, "trace_server invalid_response"],
    ["reports that it stored nothing", { body: '{"data":[]}' }, "trace_server invalid_response"],
    [
      "sends a response that is too long",
      { body: `{"data":[{"id":"${"x".repeat(500_000)}"}]}` },
      "trace_server invalid_response",
    ],
    ["does not accept the key", { status: 401, body: "" }, "phoenix not_allowed"],
    ["accepts the key only for reads", { status: 403, body: "" }, "phoenix not_allowed"],
  ] as const)("because it %s, the rating is posted again later", async (_, answer, last_error) => {
    phoenix.misbehave = () => answer;
    await sendFeedback(await traced(), { rating: "up" });
    expect(await pending()).toEqual([{ attempts: 1, last_error, given_up: false, claimed: false, inSeconds: 30 }]);
  });

  it.each([
    ["rejects the annotation", { status: 422, body: `{"detail":"${EMAIL}"}` }],
    ["is read-only", { status: 405, body: "" }],
    ["has moved", { status: 307, body: "", headers: { location: "http://127.0.0.1:9/v1/span_annotations" } }],
  ] as const)("because it %s, the rating is given up and an error is logged", async (_, answer) => {
    phoenix.misbehave = () => answer;
    await sendFeedback(await traced(), { rating: "up" });
    expect(await pending()).toMatchObject([
      { attempts: 1, last_error: "trace_server refused", given_up: true, claimed: false },
    ]);
    const [line] = harness.log.filter(({ level }) => level === "error");
    expect(line).toMatchObject({
      event: "annotation.given_up",
      fields: { error: "trace_server refused", attempts: 1 },
    });
    harness.clock.advance(1_000 * MINUTE_MS);
    expect(await retry()).toMatchObject(NONE);
    expect(phoenix.requests).toHaveLength(1);
    expect(JSON.stringify(harness.log)).not.toContain("planted");
  });

  it("because the span has not arrived yet, the rating is posted once it has", async () => {
    phoenix.knownSpans.clear();
    const triage = await traced();
    await sendFeedback(triage, { rating: "up" });
    expect(await pending()).toMatchObject([{ attempts: 1, last_error: "phoenix no_such_span", given_up: false }]);
    harness.clock.advance(MINUTE_MS);
    expect(await retry()).toMatchObject({ ...NONE, annotations_deferred: 1 });
    expect(await pending()).toMatchObject([{ attempts: 2, inSeconds: 60 }]);
    phoenix.knownSpans.add(SPAN);
    harness.clock.advance(MINUTE_MS);
    expect(await retry()).toMatchObject({ ...NONE, annotations_posted: 1 });
    expect(await pending()).toEqual([]);
  });

  it("because the span never arrives, the rating is given up after the last attempt, until it changes", async () => {
    phoenix.knownSpans.clear();
    const triage = await traced();
    await sendFeedback(triage, { rating: "up" });
    await sql`update public.annotation_outbox set attempts = 99`;
    harness.clock.advance(MINUTE_MS);
    expect(await retry()).toMatchObject({ ...NONE, annotations_given_up: 1 });
    expect(await pending()).toMatchObject([{ attempts: 100, last_error: "phoenix no_such_span", given_up: true }]);
    const page = z.object({ total: z.number(), annotations: z.unknown() });
    const readOutbox = async () => page.parse(await (await harness.request("/v1/memory/outbox")).json());
    expect(await readOutbox()).toEqual({ total: 0, annotations: { pending: 0, given_up: 1 } });

    await sendFeedback(triage, { rating: "down" });
    expect(await pending()).toMatchObject([{ attempts: 1, given_up: false, inSeconds: 30 }]);
    expect(await readOutbox()).toEqual({ total: 0, annotations: { pending: 1, given_up: 0 } });
  });

  it("all of many ratings get their turn, and one that never succeeds does not delay the others", async () => {
    phoenix.misbehave = () => "cut";
    const triages = await Promise.all(Array.from({ length: 12 }, (_, i) => traced(i === 0 ? "0".repeat(16) : SPAN)));
    for (const triage of triages) await sendFeedback(triage, { rating: "up", by: triage.triageId });
    harness.clock.advance(MINUTE_MS);
    expect(await retry()).toMatchObject({ ...NONE, annotations_deferred: 5 });
    phoenix.misbehave = () => undefined;
    harness.clock.advance(2 * MINUTE_MS);
    expect(await retry()).toMatchObject({ annotations_posted: 11, annotations_deferred: 1 });
    expect(await pending()).toMatchObject([{ last_error: "phoenix no_such_span" }]);
  });
});

it("spans that never arrive do not delay the rating of a span that has arrived", async () => {
  phoenix.misbehave = () => "cut";
  for (let i = 0; i < 12; i++)
    await sendFeedback(await traced(i < 11 ? String(i).padStart(16, "0") : SPAN), { rating: "up" });
  phoenix.misbehave = () => undefined;
  harness.clock.advance(MINUTE_MS);
  expect(await retry()).toMatchObject({ annotations_posted: 1, annotations_deferred: 11 });
});

describe("a rating is posted by one worker at a time", () => {
  it("and only once by three concurrent jobs", async () => {
    phoenix.misbehave = () => "cut";
    await sendFeedback(await traced(), { rating: "up" });
    phoenix.misbehave = () => undefined;
    phoenix.requests.length = 0;
    harness.clock.advance(MINUTE_MS);
    const runs = await Promise.all([retry(), retry(), retry()]);
    expect(runs.reduce((sum, counts) => sum + (counts.annotations_posted ?? 0), 0)).toBe(1);
    expect(phoenix.requests).toHaveLength(1);
  });

  it("and by another worker when the first one dies", async () => {
    const { triageId } = await traced();
    // Its process ends before the background task starts.
    const dying = createHarness({ ...phoenix.environment, PHOENIX_URL: "http://127.0.0.1:9" });
    const at = dying.services.now();
    await dying.services.database.call("record_feedback", {
      p: {
        now: at.toISOString(),
        triage_id: triageId,
        person: digest("http:service:dana"),
        rating: 1,
        comment: null,
        annotate: true,
        claim_until: new Date(at.getTime() + MINUTE_MS).toISOString(),
      },
    });
    harness.clock.advance(MINUTE_MS - 1_000);
    expect(await retry()).toMatchObject(NONE);
    harness.clock.advance(1_000);
    expect(await retry()).toMatchObject({ annotations_posted: 1 });
    expect(results()).toEqual([{ label: "thumbs-up", score: 1, explanation: null }]);
  });

  it("and stays pending when it changes meanwhile", async () => {
    const triage = await traced();
    // The second rating arrives while the first is being posted.
    phoenix.misbehave = async (call) => {
      if (call === 1) await sendFeedback(triage, { rating: "down" });
      return undefined;
    };
    await sendFeedback(triage, { rating: "up" });
    expect(phoenix.requests).toHaveLength(1);
    expect(results()).toMatchObject([{ label: "thumbs-up" }]);
    expect(await pending()).toEqual([{ attempts: 0, last_error: null, given_up: false, claimed: false, inSeconds: 0 }]);
    expect(await retry()).toMatchObject({ annotations_posted: 1 });
    expect(results()).toMatchObject([{ label: "thumbs-down" }]);
    expect(await pending()).toEqual([]);
  });

  it("and a worker whose claim has expired does not disturb the current worker", async () => {
    phoenix.misbehave = () => "cut";
    const triage = await traced();
    await sendFeedback(triage, { rating: "up" });
    harness.clock.advance(MINUTE_MS);
    const claim = async () => {
      const args = { p_now: harness.clock.now().toISOString(), p_limit: 5, p_lease_seconds: 60 };
      const result = await harness.services.database.call("claim_annotations", args);
      const [row] = z.array(z.object({ id: z.number(), version: z.number(), claimed_until: z.string() })).parse(result);
      return row;
    };
    const first = await claim();
    harness.clock.advance(MINUTE_MS);
    expect(await claim()).toBeDefined();
    const late = { ...first, error: "trace_server timeout", next_attempt_at: harness.clock.now().toISOString() };
    const args = { p_now: harness.clock.now().toISOString(), p_results: [late] };
    await harness.services.database.call("record_annotation_results", args);
    expect(await pending()).toMatchObject([{ claimed: true, inSeconds: 60 }]);
  });

  it("and is posted again when the database did not record the success", async () => {
    const { services } = harness;
    const withoutRecords = {
      ...services,
      background: {
        ...services.background,
        database: createHarness({ SUPABASE_URL: "http://127.0.0.1:9" }).services.background.database,
      },
    };
    const { triageId } = await traced();
    const work: Promise<unknown>[] = [];
    const feedback = { triageId, person: "dana", rating: 1, comment: null } as const;
    await giveFeedback(withoutRecords, feedback, (each) => void work.push(each));
    await Promise.all(work);
    expect(harness.log.at(-1)).toMatchObject({ level: "warn", event: "annotation.unrecorded" });
    expect(await pending()).toMatchObject([{ claimed: true, inSeconds: 60 }]);
    harness.clock.advance(MINUTE_MS);
    expect(await retry()).toMatchObject({ annotations_posted: 1 });
    expect(phoenix.annotations()).toHaveLength(1);
  });
});
