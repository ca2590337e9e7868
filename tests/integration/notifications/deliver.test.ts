// One message a failure, with what comes later, in each kind of target.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { checkFixes } from "../../../functions/jobs/check-fixes.ts";
import { deliver, hmac, investigate, SECRET, webhook } from "../alerts/support.ts";
import { sendJson } from "../support/api.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import {
  BOT_TOKEN,
  expectedSignature,
  notificationServer,
  OPSGENIE_KEY,
  PAGERDUTY_KEY,
  WEBHOOK_SECRET,
} from "../support/servers/notification-server.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const systems = await notificationServer();
afterAll(() => systems[Symbol.asyncDispose]());
const settings = {
  PUBLIC_URL: "https://dejavu.example.com",
  SLACK_API_URL: `${systems.server.url}/api`,
  SLACK_BOT_TOKEN: BOT_TOKEN,
  SLACK_SIGNING_SECRET: SECRET,
  PAGERDUTY_WEBHOOK_SECRET: SECRET,
  NOTIFY_TEAMS: `${systems.server.url}/workflow?sig=planted-4711`,
  NOTIFY_HOOK: WEBHOOK_SECRET,
  NOTIFY_PD: PAGERDUTY_KEY,
  NOTIFY_OG: OPSGENIE_KEY,
};
const harness = createHarness(settings);
/** Another isolate. */
const other = createHarness(settings);
harness.expireHung(systems.server, "chat", "notification_target");
const { services, clock } = harness;

const SLACK = { kind: "slack", options: { channel: "C024BE91L" } };
const FIX = { resolution: "Raised the memory limit to 1 GiB.", resolved_by: "dana" };
const LOG = "Last State: Terminated, Reason: OOMKilled, Exit Code: 137";

beforeAll(() => emptyStores(services));
beforeEach(async () => {
  await emptyStores(services);
  await sql`truncate public.notification_targets cascade`;
  systems.reset();
  harness.log.length = 0;
});

async function define(name: string, body: object, expected = 201) {
  const { status, body: answer } = await sendJson(harness, "PUT", `/v1/notifications/${name}`, body);
  expect(status, JSON.stringify(answer)).toBe(expected);
}
const redefine = (name: string, body: object) => define(name, body, 200);

const alert = (more: Parameters<typeof webhook>[0][number] = {}) =>
  webhook([{ annotations: { description: LOG }, ...more }]);
const send = (...made: Parameters<typeof alert>) => deliver(harness, "alertmanager", alert(...made));

/** An alert and its investigation. */
async function fire(...made: Parameters<typeof alert>): Promise<string> {
  const [id = ""] = (await send(...made)).incidents;
  await investigate(services, [id]);
  return id;
}

const resolve = (id: string) => harness.post(`/v1/incidents/${id}/resolve`, FIX);
const run = async (minutes: number) => {
  clock.advance(minutes * MINUTE_MS);
  return services.deliverNotifications();
};
const threads = () => systems.slack.filter(({ thread }) => thread === undefined);
const replies = () => systems.slack.filter(({ thread }) => thread !== undefined).map(({ text }) => text);

describe("a message in Slack", () => {
  beforeEach(() => define("oncall", SLACK));

  it("shows title, severity and outcome, the error line, and the buttons of an answer", async () => {
    const id = await fire();
    expect(threads()).toHaveLength(1);
    const [message] = systems.slack;
    const [first = ""] = message?.text.split("\n") ?? [];
    expect(first).toMatch(/^\*Pod is crash looping on checkout-1\* · medium · Unknown/);
    expect(message?.text).toContain("OOMKilled");
    expect(JSON.stringify(message?.blocks)).toContain(`https://dejavu.example.com/console/incidents/${id}`);
    expect(JSON.stringify(message?.blocks)).toContain("This resolved it");
  });

  it("is edited, with a reply, when the alert repeats, resolves and comes back after its fix", async () => {
    const id = await fire();
    clock.advance(40 * MINUTE_MS);
    await send();
    expect(replies()).toEqual([expect.stringMatching(/^Still firing, for 4\d min\.$/)]);
    clock.advance(20 * MINUTE_MS);
    await resolve(id);
    expect(replies()).toHaveLength(2);
    expect(replies()[1]).toBe("Resolved by dana after 60 min: Raised the memory limit to 1 GiB.");
    expect(threads()[0]?.text).toMatch(/^Resolved · \*/);
    clock.advance(2 * HOUR_MS);
    await fire({ startsAt: "2026-03-01T06:00:00Z" });
    expect(replies()).toHaveLength(3);
    expect(replies()[2]).toMatch(
      /^\*Pod is crash looping on checkout-1\*\nThe fix did not hold, it came back after \d+ (min|h): Raised the memory limit/,
    );
    expect(systems.slack.map(({ isBroadcast }) => isBroadcast)).toEqual([false, false, false, true]);
    const [message, ...more] = threads();
    expect(more).toEqual([]);
    expect(message?.edits).toBe(3);
    // What worked before is the second line.
    expect(message?.text.split("\n")[1]).toMatch(
      /^\*Fixed before(, \d+ % the same failure)?:\* Raised the memory limit/,
    );
  });

  it("says what fixed it, also long after the end of its alerts", async () => {
    const id = await fire();
    clock.advance(20 * MINUTE_MS);
    await send({ endsAt: clock.now().toISOString() });
    await run(300);
    await resolve(id);
    expect(replies()).toEqual([
      "Resolved after 20 min: all its alerts have ended.",
      "Resolved by dana after 20 min: Raised the memory limit to 1 GiB.",
    ]);
    expect(threads()[0]?.text).toContain(replies()[1]);
  });

  it("says who has it, and is quiet about repeats until its end", async () => {
    const id = await fire();
    clock.advance(2 * MINUTE_MS);
    await sendJson(harness, "PATCH", `/v1/incidents/${id}`, { acknowledged: true, by: "dana" });
    expect(threads()[0]?.text).toContain("Acknowledged by dana");
    expect(JSON.stringify(threads()[0]?.blocks)).not.toContain('"Acknowledge"');
    clock.advance(40 * MINUTE_MS);
    await send();
    clock.advance(2 * MINUTE_MS);
    await sendJson(harness, "PATCH", `/v1/incidents/${id}`, { title: "The cache leaks", by: "dana" });
    expect(threads()[0]?.text).toMatch(/^\*The cache leaks\* · medium/);
    expect(replies()).toEqual([]);
    clock.advance(2 * MINUTE_MS);
    await resolve(id);
    clock.advance(2 * HOUR_MS);
    await fire({ startsAt: "2026-03-01T06:00:00Z" });
    expect(replies().map((text) => text.split("\n").at(-1)?.split(":")[0])).toEqual([
      "Resolved by dana after 46 min",
      "The fix did not hold, it came back after 2 h",
    ]);
  });

  it("says a day after its fix that the alert fires on, and nothing if the failure is gone", async () => {
    const id = await fire();
    clock.advance(10 * MINUTE_MS);
    await resolve(id);
    clock.advance(23 * HOUR_MS);
    await send();
    expect(await checkFixes(services)).toEqual({ checked: 0, came_back: 0 });
    clock.advance(HOUR_MS);
    expect(await checkFixes(services)).toEqual({ checked: 1, came_back: 1 });
    expect(await checkFixes(services)).toEqual({ checked: 0, came_back: 0 });
    expect(replies().slice(1)).toEqual([
      expect.stringMatching(/\nThe fix did not hold, it came back after 60 min: Raised the memory limit to 1 GiB\.$/),
    ]);
    const [gone = ""] = (await send({ name: "DiskFull", startsAt: "2026-03-03T00:00:00Z" })).incidents;
    await investigate(services, [gone]);
    clock.advance(10 * MINUTE_MS);
    await resolve(gone);
    const before = replies().length;
    clock.advance(25 * HOUR_MS);
    expect(await checkFixes(services)).toEqual({ checked: 1, came_back: 0 });
    await run(5);
    expect(replies()).toHaveLength(before);
    const checked = await sql`select detail from public.incident_events where kind = 'fix_checked' order by id`;
    expect(checked.map(({ detail }) => detail.held)).toEqual([false, true]);
  });

  it("says at once where it fires and that it ended, and other repeats once a minute", async () => {
    const startsAt = clock.now().toISOString();
    const id = await fire({ startsAt });
    for (const pod of ["checkout-2", "checkout-3"]) {
      clock.advance(5_000);
      await send({ pod, startsAt });
    }
    expect(replies()).toEqual(["Still firing, on 2 pods of checkout."]);
    await run(1);
    expect(replies().slice(1)).toEqual(["Still firing, on 3 pods of checkout."]);
    clock.advance(5_000);
    await resolve(id);
    expect(replies().slice(2)).toEqual([expect.stringMatching(/^Resolved by dana/)]);
  });

  it("is a new one after the window of the target, and the former one is closed and names it", async () => {
    await fire();
    clock.advance(25 * HOUR_MS);
    const startsAt = clock.now().toISOString();
    const later = await fire({ startsAt, pod: "checkout-2" });
    const [former, latest] = threads();
    expect(former?.text).toMatch(
      /^Closed · \*Pod is crash looping.*\nIt is back since <!date\^\d+\^[^|]+\|\d{4}-\d\d-\d\d \d\d:\d\d UTC>: see the later message\./s,
    );
    expect(JSON.stringify(former?.blocks)).toContain(`/console/incidents/${later}`);
    expect(JSON.stringify(former?.blocks)).not.toContain("Acknowledge");
    expect(latest?.text).toMatch(/^\*Pod is crash looping/);
    await resolve(later);
    expect(threads().map(({ edits }) => edits)).toEqual([1, 1]);
  });

  it("counts times that it fired, not repeats, and is heard in the channel when it returns", async () => {
    const startsAt = clock.now().toISOString();
    await fire({ startsAt });
    for (const hours of [1, 2]) {
      clock.advance(hours * HOUR_MS);
      await send({ startsAt });
    }
    expect(threads()[0]?.text).not.toContain("time in");
    await send({ startsAt, endsAt: clock.now().toISOString() });
    clock.advance(3 * HOUR_MS);
    await fire({ startsAt: clock.now().toISOString() });
    expect(systems.slack.filter(({ isBroadcast }) => isBroadcast).map(({ text }) => text)).toEqual([
      expect.stringMatching(/^\*Pod is crash looping on checkout-1\*\nFiring again, 2nd time in/),
    ]);
  });

  it("keeps its title when other services join, and is muted with the last of them", async () => {
    const startsAt = clock.now().toISOString();
    const at = (service: string) => ({ pod: `${service}-1`, startsAt });
    await fire(at("checkout"));
    clock.advance(40 * MINUTE_MS);
    await fire(at("ledger"));
    await fire(at("orders"));
    await run(1);
    expect(threads()).toHaveLength(1);
    expect(threads()[0]?.text).toMatch(/^\*Pod is crash looping on 3 services\*/);
    const mute = (pod: string) =>
      sendJson(harness, "POST", "/v1/mutes", {
        ...{ matchers: [`pod="${pod}"`], owner: "dana", reason: "planned" },
        ends_at: new Date(clock.now().getTime() + HOUR_MS).toISOString(),
      });
    await mute("checkout-1");
    await send(at("checkout"));
    await run(1);
    expect(threads()[0]?.text).toMatch(/on 2 services\nMuted until .* by dana: planned \(1 of 2 incidents\)/);
  });

  it("is sent once by two isolates at once", async () => {
    systems.misbehave = () => ({ status: 503, body: "" });
    await fire();
    expect(systems.slack).toEqual([]);
    systems.misbehave = null;
    clock.advance(MINUTE_MS);
    other.clock.advance(clock.now().getTime() - other.clock.now().getTime());
    const counts = await Promise.all([
      services.deliverNotifications(),
      other.services.deliverNotifications(),
      services.deliverNotifications(),
    ]);
    expect(systems.slack).toHaveLength(1);
    expect(counts.map(({ notifications_delivered }) => notifications_delivered).sort()).toEqual([0, 0, 1]);
  });

  it("is not posted again after an answer that was lost", async () => {
    systems.misbehave = () => "cut";
    systems.isLate = true;
    await fire();
    expect(systems.slack).toHaveLength(1);
    systems.misbehave = null;
    await run(1);
    expect(systems.slack).toHaveLength(1);
    expect(await sql`select reference, due_at from public.notification_messages`).toEqual([
      { reference: systems.slack[0]?.ts, due_at: null },
    ]);
  });

  it("is continued by another isolate after a crash", async () => {
    const { database } = services.background;
    // The claim of an isolate that died.
    systems.misbehave = () => ({ status: 500, body: "" });
    await fire();
    systems.misbehave = null;
    clock.advance(MINUTE_MS);
    await database.call("claim_notifications", {
      ...{ p_now: clock.now().toISOString(), p_limit: 5, p_lease_seconds: 120, p_ticket_kinds: [] },
    });
    await run(1);
    expect(systems.slack).toEqual([]);
    await run(2);
    expect(systems.slack).toHaveLength(1);
  });

  it.each([
    ["ok: false", { body: '{"ok":false,"error":"channel_not_found"}' }, "refused: channel_not_found"],
    ["no timestamp", { body: '{"ok":true}' }, "invalid_response: the response names no message"],
    ["a wrong timestamp", { body: '{"ok":true,"ts":"../x"}' }, "invalid_response: the response names no message"],
    ["another format", { body: "<html>" }, "invalid_response: the response is not in the API's format"],
  ])("is retried after an answer with %s", async (_name, answer, error) => {
    systems.misbehave = () => answer;
    await fire();
    expect(systems.slack).toEqual([]);
    expect(await sql`select last_error, attempts from public.notification_messages`).toEqual([
      { last_error: error, attempts: 1 },
    ]);
    systems.misbehave = null;
    await run(1);
    expect(systems.slack).toHaveLength(1);
  });

  it("is sent to the right channel once that is corrected, and is forgotten with the channel that has it", async () => {
    systems.misbehave = () => ({ body: '{"ok":false,"error":"channel_not_found"}' });
    await fire();
    systems.misbehave = null;
    await redefine("oncall", { ...SLACK, options: { channel: "C0RIGHT00" } });
    await services.deliverNotifications();
    expect(systems.slack).toHaveLength(1);
    await redefine("oncall", SLACK);
    expect(await sql`select 1 from public.notification_messages`).toEqual([]);
  });

  it.each([
    ["is limited", { status: 429, headers: { "retry-after": "600" } }],
    ["is in maintenance", { status: 503, headers: { "retry-after": "600" } }],
    [
      "names a time",
      {
        status: 503,
        headers: { date: "Sun, 01 Mar 2026 01:00:00 GMT", "retry-after": "Sun, 01 Mar 2026 01:10:00 GMT" },
      },
    ],
  ])("waits as long as the target asks that %s", async (_name, answer) => {
    systems.misbehave = () => ({ body: "", ...answer });
    await fire();
    systems.misbehave = null;
    await run(9);
    expect(systems.slack).toEqual([]);
    await run(2);
    expect(systems.slack).toHaveLength(1);
  });

  it("is given up after a day, with a mark on the incident, a line in the log and a metric", async () => {
    systems.misbehave = () => ({ status: 500, body: "" });
    const id = await fire();
    for (let hours = 0; hours < 25; hours++) await run(60);
    const incident = await harness.request(`/v1/incidents/${id}`);
    expect(await incident.json()).toMatchObject({
      events: expect.arrayContaining([
        expect.objectContaining({
          kind: "notification_failed",
          detail: { target: "oncall", reason: expect.stringMatching(/^unreachable/) },
        }),
      ]),
    });
    expect(harness.log.filter(({ event }) => event === "notification.given_up")).toHaveLength(1);
    const metrics = await (await harness.request("/metrics")).text();
    expect(metrics).toContain('dejavu_notifications_total{delivery="given_up"} 1');
    systems.misbehave = null;
    await run(60);
    expect(systems.slack).toEqual([]);
  });

  it("of a trial has no button that would act on it", async () => {
    await sendJson(harness, "POST", "/v1/notifications/oncall/try", {});
    expect(systems.slack[0]?.text).toContain("nothing has failed");
    expect(JSON.stringify(systems.slack[0]?.blocks)).not.toContain('"button"');
  });

  it("that somebody deleted comes anew with what is new, and not for what nobody hears of", async () => {
    const id = await fire();
    systems.slack.length = 0;
    clock.advance(2 * MINUTE_MS);
    await sendJson(harness, "PATCH", `/v1/incidents/${id}`, { title: "The cache leaks", by: "dana" });
    await run(2);
    expect(systems.slack).toEqual([]);
    await resolve(id);
    await run(2);
    expect(systems.slack.map(({ text }) => text)).toEqual([expect.stringMatching(/^Resolved · \*The cache leaks/)]);
    expect(await sql`select last_error, due_at from public.notification_messages`).toEqual([
      { last_error: null, due_at: null },
    ]);
  });

  it("gets its replies also where the workspace forbids edits", async () => {
    const id = await fire();
    systems.misbehave = (path) =>
      path.endsWith("update") ? { body: '{"ok":false,"error":"edit_window_closed"}' } : null;
    clock.advance(2 * MINUTE_MS);
    await resolve(id);
    expect(replies()).toEqual([expect.stringMatching(/^Resolved by dana/)]);
  });

  it("delays no answer when Slack hangs", async () => {
    systems.misbehave = () => "hang";
    const [id = ""] = (await send()).incidents;
    await investigate(services, [id]);
    expect(await sql`select status from public.incidents`).toEqual([{ status: "triaged" }]);
    systems.misbehave = null;
    await run(5);
    expect(systems.slack).toHaveLength(1);
  });

  it("is sent for no question, no evaluation and no incident that has ended before its answer", async () => {
    await harness.triage({ question: "why does the pod restart?" });
    await harness.triage({ title: "Pod is crash looping", logs: LOG }, { "x-dejavu-traffic": "evaluation" });
    const [id = ""] = (await send()).incidents;
    await send({ endsAt: "2026-03-01T02:59:00Z" });
    await investigate(services, [id]).catch(() => {});
    await run(1);
    expect(systems.slack).toEqual([]);
  });
});

describe("a target of another kind", () => {
  it("of Teams gets an Adaptive Card, and a short one for what comes later", async () => {
    await define("team", { kind: "teams", credential: "NOTIFY_TEAMS" });
    const id = await fire();
    await resolve(id);
    await run(2);
    expect(systems.cards).toHaveLength(2);
    expect(JSON.stringify(systems.cards[1])).toContain("Resolved by dana");
  });

  it("of a webhook gets signed CloudEvents", async () => {
    await define("hook", {
      kind: "webhook",
      options: { url: `${systems.server.url}/hook` },
      credential: "NOTIFY_HOOK",
    });
    const id = await fire();
    await resolve(id);
    await run(2);
    const events = systems.webhooks.map(({ body }): unknown => JSON.parse(body));
    expect(events).toMatchObject([
      { specversion: "1.0", type: "dejavu.failure.answered", subject: id, data: { failure: { outcome: "unknown" } } },
      { type: "dejavu.failure.resolved", subject: id, data: { text: expect.stringMatching(/^Resolved by dana/) } },
    ]);
    for (const request of systems.webhooks)
      expect(request.headers["webhook-signature"]).toBe(expectedSignature(request));
    const [first] = z.array(z.looseObject({ id: z.string() })).parse(events);
    expect(systems.webhooks[0]?.headers["webhook-id"]).toBe(first?.id);
  });

  it("of PagerDuty writes a note on the incident that reported it, once also after a lost answer", async () => {
    await define("pd", {
      kind: "pagerduty",
      credential: "NOTIFY_PD",
      options: { from: "dejavu@example.com", url: systems.server.url },
    });
    await fire();
    expect(systems.notes.size).toBe(0);
    const occurred_at = clock.now().toISOString();
    const body = JSON.stringify({
      event: {
        ...{ id: "01FQ1", event_type: "incident.triggered", occurred_at },
        data: {
          id: "Q1XK2P7RZ0ABCD",
          title: "orders-db: FATAL: sorry, too many clients already",
          created_at: occurred_at,
        },
      },
    });
    const headers = { "x-pagerduty-signature": `v1=${hmac(body)}`, authorization: "" };
    const [id = ""] = (await deliver(harness, "pagerduty", body, headers)).incidents;
    systems.misbehave = (path) => (systems.notes.size === 0 && path.startsWith("/incidents/") ? "cut" : null);
    systems.isLate = true;
    await investigate(services, [id]);
    await run(1);
    expect([...systems.notes.keys()]).toEqual(["Q1XK2P7RZ0ABCD"]);
    expect(systems.notes.get("Q1XK2P7RZ0ABCD")).toHaveLength(1);
    expect(systems.notes.get("Q1XK2P7RZ0ABCD")?.[0]).toContain("too many clients already");
  });

  it("of Opsgenie writes a note on the alert", async () => {
    await define("og", { kind: "opsgenie", credential: "NOTIFY_OG", options: { url: systems.server.url } });
    const body = JSON.stringify({
      action: "Create",
      alert: {
        alertId: "9c1f",
        tinyId: "1482",
        alias: "checkout/errors",
        message: "checkout: 5xx rate above 5 %",
        createdAt: clock.now().getTime(),
      },
    });
    const [id = ""] = (await deliver(harness, "opsgenie", body)).incidents;
    await investigate(services, [id]);
    expect([...systems.notes.keys()]).toEqual(["1482"]);
    await resolve(id);
    await run(2);
    expect(systems.notes.get("1482")).toHaveLength(2);
  });

  it("of Opsgenie writes on each ticket of a failure about its own alert", async () => {
    await define("og", { kind: "opsgenie", credential: "NOTIFY_OG", options: { url: systems.server.url } });
    const report = async (tinyId: string, alias: string) => {
      const alert = { alertId: tinyId, tinyId, alias, message: "dial tcp: lookup db: no such host" };
      const body = JSON.stringify({ action: "Create", alert: { ...alert, createdAt: clock.now().getTime() } });
      const [id = ""] = (await deliver(harness, "opsgenie", body)).incidents;
      await investigate(services, [id]);
      clock.advance(MINUTE_MS);
      return id;
    };
    const id = await report("1501", "checkout/dns");
    clock.advance(10 * MINUTE_MS);
    await report("1502", "billing/dns");
    await resolve(id);
    await run(2);
    expect(systems.notes.get("1501")?.at(-1)).toContain("Resolved by dana");
    expect(systems.notes.get("1502")).toHaveLength(1);
  });
});

it("a message is about the incidents that its target serves", async () => {
  await define("oncall", SLACK);
  for (const [name, channel] of [
    ["orders", "C0RDERS01"],
    ["billing", "CBILLING1"],
  ] as const)
    await define(name, { ...SLACK, options: { channel }, matchers: [`team="${name}"`] });
  const of = (team: string) => fire({ pod: `${team}-1`, labels: { team, namespace: team } });
  const id = await of("orders");
  await of("billing");
  await resolve(id);
  await run(2);
  const heads = threads().map(({ text }) => /(.*)\* /.exec(text)?.[1]);
  expect(heads.toSorted()).toEqual([
    "*Pod is crash looping on 2 services",
    "*Pod is crash looping on billing-1",
    "Resolved · *Pod is crash looping on orders-1",
  ]);
});

it("a message that cannot be made fails alone", async () => {
  for (const name of ["first", "oncall"]) await define(name, SLACK);
  await sql`insert into public.notification_messages (target, subject, opened_at, severity, pending_since, due_at, summary)
    select 'first', gen_random_uuid(), t.at, 'critical', t.at, t.at, '{"of": "another version"}'
    from (select ${clock.now()}::timestamptz as at) t`;
  const counts = await services.deliverNotifications();
  expect(counts).toMatchObject({ notifications_failed: 1 });
  expect(await sql`select last_error from public.notification_messages`).toEqual([
    { last_error: "refused: the message cannot be made: ZodError" },
  ]);
  await fire();
  expect(threads()).toHaveLength(2);
});

it("a row of another version is put aside with its reason, and the others are sent", async () => {
  for (const name of ["first", "oncall"]) await define(name, SLACK);
  systems.misbehave = () => ({ status: 503, body: "" });
  await fire();
  systems.misbehave = null;
  await sql`update public.notification_targets set options = '[]' where name = 'first'`;
  await run(1);
  expect(threads()).toHaveLength(1);
  expect(await sql`select target, last_error from public.notification_messages order by target`).toEqual([
    { target: "first", last_error: "refused: the message cannot be made: ZodError" },
    { target: "oncall", last_error: null },
  ]);
});

it("choices and a shown state of another version are left out", async () => {
  await define("oncall", SLACK);
  await sql`update public.notification_targets set events = events || '{escalated}', outcomes = outcomes || '{partial}'`;
  const id = await fire();
  await sql`update public.notification_messages set shown_state = shown_state - 'digest' || '{"pages": 2}'`;
  clock.advance(MINUTE_MS);
  await resolve(id);
  expect(threads()[0]?.text).toMatch(/^Resolved · /);
  expect(replies()).toHaveLength(1);
  await sql`update public.notification_messages set shown_state = '{"outcome": 7}'`;
  clock.advance(HOUR_MS);
  await sendJson(harness, "PATCH", `/v1/incidents/${id}`, { title: "The cache leaks", by: "dana" });
  await run(2);
  expect(threads()).toHaveLength(1);
  expect(threads()[0]?.text).toContain("The cache leaks");
  expect(await (await harness.request("/v1/notifications")).json()).toMatchObject({
    targets: [{ last_error: null, pending: 0 }],
  });
});

describe("a mute", () => {
  beforeEach(() => define("oncall", SLACK));
  const inHours = (hours: number) => new Date(clock.now().getTime() + hours * HOUR_MS).toISOString();
  const mute = (fields: object, hours = 1) =>
    sendJson(harness, "POST", "/v1/mutes", { reason: "planned migration", ends_at: inHours(hours), ...fields });
  const ALERT = { matchers: ['alertname="KubePodCrashLooping"'], owner: "dana" };

  it("keeps incidents from being announced, counts them, and announces those that are open at its end", async () => {
    const { status, body: made } = await mute(ALERT);
    expect(status, JSON.stringify(made)).toBe(201);
    expect(made).toMatchObject({ muted: 0 });
    await fire();
    expect(systems.slack).toEqual([]);
    const listed = await harness.request("/v1/mutes");
    expect(await listed.json()).toMatchObject({ mutes: [{ reason: "planned migration", owner: "dana", muted: 1 }] });
    await run(30);
    expect(systems.slack).toEqual([]);
    await run(31);
    expect(threads()).toHaveLength(1);
    await run(5);
    expect(systems.slack).toHaveLength(1);
  });

  it("announces nothing that was resolved meanwhile, and no repeats of what was announced", async () => {
    const id = await fire();
    const { status } = await mute({ incident_id: id });
    expect(status).toBe(201);
    clock.advance(40 * MINUTE_MS);
    await send();
    expect(replies()).toEqual([]);
    const later = await fire({ startsAt: "2026-03-01T03:50:00Z", pod: "other-1" });
    await resolve(later);
    await resolve(id);
    await run(61);
    expect(threads()).toHaveLength(1);
  });

  it("is counted in the next message of a target that would have shown what it kept", async () => {
    await define("others", { ...SLACK, options: { channel: "C0THERS00" }, matchers: ['alertname="DiskFull"'] });
    await mute(ALERT);
    await fire();
    await send({ pod: "checkout-2" });
    const full = { name: "DiskFull", annotations: { description: "no space left on device" } };
    await fire(full);
    const counted = () => systems.slack.filter(({ blocks }) => JSON.stringify(blocks).includes("muted: planned"));
    expect([threads().length, counted().length]).toEqual([2, 1]);
    expect(JSON.stringify(counted()[0]?.blocks)).toMatch(
      /1 incident muted: planned migration, until <!date\^\d+\^[^|]+\|[-0-9]{10} [:0-9]{5} UTC>, by dana/,
    );
    // What was counted once is not counted in a later message; the message keeps its line when it is edited.
    clock.advance(2 * MINUTE_MS);
    await send({ ...full, pod: "ledger-2" });
    await fire({ name: "TargetDown", annotations: { description: "connection refused" } });
    expect([threads().length, counted().length, counted()[0]?.edits]).toEqual([3, 1, 1]);
  });

  it("of an incident shows in its message, which is edited without a reply, and says when it has ended", async () => {
    const id = await fire();
    clock.advance(2 * MINUTE_MS);
    const { status, body: made } = await mute({ incident_id: id, owner: "dana" });
    expect(status, JSON.stringify(made)).toBe(201);
    expect(threads()[0]?.text).toMatch(
      /Muted until <!date\^\d+\^[^|]+\|[-0-9]{10} [:0-9]{5} UTC> by dana: planned migration/,
    );
    expect(JSON.stringify(threads()[0]?.blocks)).not.toContain("This is expected");
    clock.advance(20 * MINUTE_MS);
    await send();
    expect(replies()).toEqual([]);
    await run(40);
    await run(2);
    expect(replies()).toEqual([expect.stringMatching(/\nThe mute has ended, and it is still open, for /)]);
    expect(JSON.stringify(threads()[0]?.blocks)).toContain("This is expected");
  });

  it("of incidents of several failures that are muted at once is one, and counts them also without a target", async () => {
    await harness.request("/v1/notifications/oncall", { method: "DELETE" });
    const ids: string[] = [];
    for (const title of ["ERROR: deadlock detected", "No space left on device"])
      ids.push((await harness.triage({ title, labels: { domain: "postgres" } })).incident_id);
    const fields = { owner: "dana", ends_at: inHours(1) };
    for (const incident_id of ids) expect((await mute({ incident_id, ...fields })).status).toBe(201);
    const listed = await harness.request("/v1/mutes");
    const { mutes } = z.object({ mutes: z.array(z.looseObject({ id: z.string() })) }).parse(await listed.json());
    const named = { failures: ["ERROR: deadlock detected", "No space left on device"], more_failures: 0 };
    expect(mutes).toMatchObject([{ incident_id: ids[0], muted: 2, ...named }]);
    const incidents = await harness.request("/v1/incidents?counts=true");
    expect(await incidents.json()).toMatchObject({
      incidents: [{ mute: { owner: "dana" } }, { mute: { owner: "dana" } }],
      counts: { total: 2, muted: 2 },
    });
    // It goes on for the others when an incident is deleted.
    expect((await harness.request(`/v1/incidents/${ids[0]}`, { method: "DELETE" })).status).toBe(204);
    const left = await harness.request("/v1/mutes");
    expect(await left.json()).toMatchObject({ mutes: [{ id: mutes[0]?.id, incident_id: ids[1], muted: 1 }] });
    await harness.request(`/v1/mutes/${mutes[0]?.id}`, { method: "DELETE" });
    const ended = await sql`select incident_id from public.incident_events where kind = 'mute_ended'`;
    expect(ended.map(({ incident_id }) => incident_id)).toEqual([ids[1]]);
    // Only targets compare labels.
    expect((await mute(ALERT)).body).toMatchObject({ muted: null });
  });

  it("can be ended early, once", async () => {
    const { body } = await mute(ALERT);
    const { id } = z.object({ id: z.string() }).parse(body);
    await fire();
    const end = () => harness.request(`/v1/mutes/${id}`, { method: "DELETE" });
    expect((await end()).status).toBe(204);
    await run(1);
    expect(threads()).toHaveLength(1);
    expect((await end()).status).toBe(404);
  });

  it.each<readonly [string, object, number]>([
    ["no end", { ends_at: undefined }, 1],
    ["an end in the past", {}, -1],
    ["an end after 30 days", {}, 721],
    ["nothing that it mutes", { matchers: [] }, 1],
    ["an incident and a domain", { incident_id: "3f2a91bc-0d4e-4f5a-8b6c-7d8e9f001122", domain: "docker" }, 1],
  ])("is refused with %s", async (_name, fields, hours) => {
    expect((await mute({ ...ALERT, ...fields }, hours)).status).toBe(422);
  });

  it("is deleted with its incident, and stores no secret", async () => {
    const id = await fire();
    const { body } = await mute({ incident_id: id, reason: "password=hunter2-4711 is rotated" });
    expect(JSON.stringify(body)).not.toContain("hunter2-4711");
    await harness.request(`/v1/incidents/${id}`, { method: "DELETE" });
    expect(await sql`select * from public.mutes`).toEqual([]);
    expect(await sql`select * from public.muted_incidents`).toEqual([]);
  });
});

describe("a handover", () => {
  it("comes once at its time, in its present state, and has only the domains of its target", async () => {
    const [{ domain = "" } = {}] = await sql`select domain from public.incidents where id = ${await fire()}`;
    const at = new Date(clock.now().getTime() + HOUR_MS / 2).toISOString().slice(11, 16);
    const inHalfAnHour = { min_severity: "critical", handover: `daily ${at}` };
    const hook = { kind: "webhook", options: { url: `${systems.server.url}/hook` }, credential: "NOTIFY_HOOK" };
    await define("shift", { ...SLACK, ...inHalfAnHour });
    await define("mine", { ...hook, ...inHalfAnHour, domains: [domain] });
    await define("others", { ...hook, ...inHalfAnHour, domains: ["payments"] });
    await run(28);
    expect([...systems.slack, ...systems.webhooks]).toEqual([]);
    await run(2);
    await services.deliverNotifications();
    expect(threads()).toHaveLength(1);
    expect(threads()[0]?.text).toMatch(
      /^\*Handover, \d{4}-\d\d-\d\d \d\d:\d\d to .* UTC, without repeats, questions and samples\*/,
    );
    expect(JSON.stringify(threads()[0]?.blocks)).toContain("Firing: 1");
    const bodies = systems.webhooks.map(({ body }) => body);
    expect(bodies.map((body) => body.includes("Pod is crash looping")).toSorted()).toEqual([false, true]);
    expect(JSON.parse(bodies[0] ?? "")).toMatchObject({
      type: "dejavu.handover",
      data: { failure: null, summary: null },
    });
    // After an outage of days there is one, and the next is on time.
    await run(3 * 24 * 60 - 10);
    expect(threads()).toHaveLength(2);
    await run(8);
    expect(threads()).toHaveLength(2);
    await run(2);
    expect(threads()).toHaveLength(3);
  });

  it("of a weekday comes once a week, and is about the week", async () => {
    const due = new Date(Math.ceil(clock.now().getTime() / MINUTE_MS + 1) * MINUTE_MS);
    const day = due.toLocaleDateString("en", { weekday: "long", timeZone: "UTC" }).toLowerCase();
    await define("shift", { ...SLACK, handover: `${day} ${due.toISOString().slice(11, 16)}` });
    await run(2);
    const [, since, until] = /Handover, (\S+ \S+) to (\S+ \S+) UTC/.exec(threads()[0]?.text ?? "") ?? [];
    expect(Date.parse(`${until}Z`) - Date.parse(`${since}Z`)).toBe(7 * 24 * HOUR_MS);
    await run(7 * 24 * 60 - 5);
    expect(threads()).toHaveLength(1);
    await run(5);
    expect(threads()).toHaveLength(2);
  });

  it("comes also if its target is changed when it is due", async () => {
    const handover = `daily ${new Date(clock.now().getTime() + MINUTE_MS).toISOString().slice(11, 16)}`;
    await define("shift", { ...SLACK, handover });
    clock.advance(2 * MINUTE_MS);
    await redefine("shift", { ...SLACK, handover, per_minute: 1 });
    await services.deliverNotifications();
    expect(threads()).toHaveLength(1);
  });
});

describe("a storm", () => {
  /** Incidents with these numbers, of one alert at a service each. */
  const insertAlerts = (source: string, first: number, last: number) => sql`with alerting as (
      insert into public.incidents (id, created_at, title, target, severity, session_id, domain, domain_rule, incident_type,
        incident_type_rule, status, submitted_via)
      select gen_random_uuid(), ${clock.now()}, 'HighErrorRate', 'service-' || n, 'high', 's', 'general', 'none', 'unknown', 'none', 'failed', 'queue'
      from generate_series(${first}::int, ${last}::int) as n returning *
    ), alerts as (
      insert into public.alerts (source, fingerprint, starts_at, status, alertname, domain, severity, title, target, received_at, last_received_at,
        incident_id, decision, rule, owner)
      select ${source}, target, created_at, 'firing', 'HighErrorRate', domain, severity, title, target, created_at, created_at, id, 'created', 'r', 'o'
      from alerting
    ) insert into public.incident_events (incident_id, at, kind) select id, created_at, 'failed' from alerting`;

  it("is one summary a minute, with the worst first", async () => {
    await define("oncall", { ...SLACK, per_minute: 5 });
    await sql`insert into public.incidents (id, created_at, title, severity, session_id, domain, domain_rule, incident_type,
        incident_type_rule, status, submitted_via)
      select gen_random_uuid(), ${clock.now()}, 'Failure ' || n, case when n > 190 then 'critical' when n > 150 then 'high' else 'low' end, 's',
        'general', 'none', 'unknown', 'none', 'failed', 'queue' from generate_series(1, 200) as n`;
    await sql`insert into public.incident_events (incident_id, at, kind) select id, created_at, 'failed' from public.incidents`;
    await services.deliverNotifications();
    expect(systems.slack).toHaveLength(6);
    expect(systems.slack.slice(0, 5).every(({ text }) => text.includes("critical"))).toBe(true);
    expect(systems.slack[5]?.text).toContain("*195 more incidents: 5 critical, 40 high, 150 low*");
    expect(JSON.stringify(systems.slack[5]?.blocks)).toContain("/console/incidents|All incidents");
    await services.deliverNotifications();
    await run(1);
    expect(systems.slack).toHaveLength(6);
    // Ended in part, then all.
    for (const [last, text] of [
      [100, "150 low; 95 are open*"],
      [200, "150 low; all have ended*"],
    ] as const) {
      await sql`with ended as (
          update public.incidents set status = 'resolved', resolved_at = ${clock.now()}
          where status <> 'resolved' and split_part(title, ' ', 2)::int <= ${last} returning id
        ) insert into public.incident_events (incident_id, at, kind) select id, ${clock.now()}, 'resolved' from ended`;
      // The messages that have ended are first.
      for (let minutes = 0; minutes < 2; minutes++) await run(1);
      expect(systems.slack[5]?.text).toContain(text);
    }
    expect(threads()).toHaveLength(6);
  });

  it("has one line a failure in its summary", async () => {
    await define("oncall", { ...SLACK, per_minute: 1, min_severity: "medium" });
    await insertAlerts("grafana", 1, 12);
    await services.deliverNotifications();
    expect(systems.slack[1]?.text.split("\n")).toEqual([
      "*11 more incidents of 1 failure: 11 high*",
      expect.stringMatching(/^• high · HighErrorRate on 11 services · 11 incidents · </),
    ]);
  });

  it("has no summary where each incident has its ticket: each gets its note", async () => {
    const options = { from: "dejavu@example.com", url: systems.server.url };
    await define("pd", { kind: "pagerduty", credential: "NOTIFY_PD", options, per_minute: 1 });
    await insertAlerts("pagerduty", 1, 3);
    for (let minutes = 0; minutes < 3; minutes++) await run(1);
    expect([...systems.notes.keys()].toSorted()).toEqual(["service-1", "service-2", "service-3"]);
    expect(await sql`select 1 from public.notification_messages where summary is not null`).toEqual([]);
  });

  it("says once that all have ended where nothing can be edited, and again after one was open again", async () => {
    const options = { url: `${systems.server.url}/hook` };
    await define("hook", { kind: "webhook", options, credential: "NOTIFY_HOOK", per_minute: 1 });
    await insertAlerts("grafana", 1, 3);
    const summaries: number[] = [];
    for (const status of ["failed", "resolved", "resolved", "failed", "resolved"]) {
      await sql`with changed as (
          update public.incidents set status = ${status}, resolved_at = case when ${status} = 'resolved' then ${clock.now()}::timestamptz end
          returning id
        ) insert into public.incident_events (incident_id, at, kind) select id, ${clock.now()}, ${status} from changed`;
      for (let minutes = 0; minutes < 2; minutes++) await run(1);
      summaries.push(systems.webhooks.filter(({ body }) => body.includes("dejavu.failures.summary")).length);
    }
    expect(summaries).toEqual([1, 2, 2, 2, 3]);
  });

  it("counts what a mute kept in the worst of the messages that are sent together", async () => {
    await define("oncall", SLACK);
    await sendJson(harness, "POST", "/v1/mutes", {
      ...{ matchers: ['target="service-0"'], owner: "dana", reason: "planned" },
      ends_at: new Date(clock.now().getTime() + HOUR_MS).toISOString(),
    });
    await insertAlerts("prometheus", 0, 4);
    await sql`update public.incidents set severity = 'critical' where target = 'service-3'`;
    await services.deliverNotifications();
    const counted = threads().filter(({ blocks }) => JSON.stringify(blocks).includes("1 incident muted: planned"));
    expect([threads().length, counted.length]).toEqual([4, 1]);
    expect(counted[0]?.text).toContain("service-3");
  });

  it("goes on when the limit is lowered below what was sent in the minute, also at other targets", async () => {
    await define("oncall", SLACK);
    await insertAlerts("grafana", 1, 2);
    await services.deliverNotifications();
    expect(threads()).toHaveLength(2);
    await redefine("oncall", { ...SLACK, per_minute: 1 });
    await define("others", { ...SLACK, options: { channel: "C0THERS00" } });
    await insertAlerts("grafana", 3, 3);
    await services.deliverNotifications();
    expect(threads()).toHaveLength(3);
    await run(1);
    expect(threads()).toHaveLength(4);
  });

  const refuse = () => {
    systems.misbehave = () => ({ body: '{"ok":false,"error":"token_revoked"}' });
  };

  it("is few messages once a target that refused all of it takes them again", async () => {
    await define("oncall", { ...SLACK, per_minute: 2 });
    await sendJson(harness, "POST", "/v1/mutes", {
      ...{ matchers: ['target="service-0"'], owner: "dana", reason: "planned" },
      ends_at: new Date(clock.now().getTime() + 3 * HOUR_MS).toISOString(),
    });
    refuse();
    for (let minute = 0; minute < 20; minute++) {
      await insertAlerts("prometheus", 3 * minute, 3 * minute + 2);
      await run(1);
      // The next ones are worse than those that count the mute.
      if (minute === 0) await sql`update public.notification_messages set severity = 'low'`;
    }
    systems.misbehave = null;
    for (let minute = 0; minute < 45; minute++) await run(1);
    expect(threads()).toHaveLength(3);
    expect(threads().filter(({ text }) => text.startsWith("*57 more incidents"))).toHaveLength(1);
    expect(threads().filter(({ blocks }) => JSON.stringify(blocks).includes("1 incident muted: planned"))).toHaveLength(
      1,
    );
    expect(await sql`select 1 from public.notification_messages where due_at is not null`).toEqual([]);
  });

  it("marks all incidents of a summary that is given up", async () => {
    await define("oncall", { ...SLACK, per_minute: 1 });
    refuse();
    await insertAlerts("prometheus", 1, 3);
    for (let hour = 0; hour < 26; hour++) await run(60);
    const marked = await sql`select count(distinct incident_id)::int as incidents, count(*)::int as marks
      from public.incident_events where kind = 'notification_failed'`;
    expect(marked).toEqual([{ incidents: 3, marks: 3 }]);
  });

  it("is given up after a day also where it waited behind another message", async () => {
    await define("oncall", SLACK);
    systems.misbehave = () => ({ status: 503, body: "" });
    await insertAlerts("prometheus", 1, 3);
    for (let hour = 0; hour < 25; hour++) await run(60);
    expect(await sql`select 1 from public.incident_events where kind = 'notification_failed'`).toHaveLength(3);
    expect(await sql`select 1 from public.notification_messages where due_at is not null`).toEqual([]);
  });

  it("is not held by a run that a slow target outlasts", async () => {
    await define("oncall", SLACK);
    systems.misbehave = () => {
      clock.advance(7_000);
      return null;
    };
    await insertAlerts("prometheus", 1, 5);
    await services.deliverNotifications();
    expect(threads()).toHaveLength(3);
    expect(
      await sql`select attempts, claimed_until from public.notification_messages where due_at is not null`,
    ).toEqual([
      { attempts: 0, claimed_until: null },
      { attempts: 0, claimed_until: null },
    ]);
    await run(1);
    expect(threads()).toHaveLength(5);
  });

  it("waits for the next minute when the limit is reached", async () => {
    await define("oncall", { ...SLACK, per_minute: 1 });
    await fire();
    await fire({
      name: "TargetDown",
      annotations: { summary: "The target is down.", description: "connection refused" },
    });
    expect(systems.slack).toHaveLength(1);
    await run(1);
    expect(systems.slack).toHaveLength(2);
  });
});

describe("a merge", () => {
  beforeEach(() => define("oncall", SLACK));
  const merge = (id: string, into: string) =>
    sendJson(harness, "POST", `/v1/incidents/${id}/merge`, { into, by: "dana" });
  const FULL = {
    name: "DiskFull",
    annotations: { summary: "The disk is full", description: "no space left on device" },
  };
  const stateOf = async (id: string) => {
    const [row] =
      await sql`select i.status, i.merged_into, i.resolution, (select count(*)::int from public.alerts a where a.incident_id = i.id) as alerts
      from public.incidents i where i.id = ${id}`;
    return row;
  };

  it("moves the alerts and their repeats, names the other incident in the message, and is done once", async () => {
    const into = await fire(FULL);
    const id = await fire();
    clock.advance(2 * MINUTE_MS);
    const [first, second] = await Promise.all([merge(id, into), merge(id, into)]);
    expect([first.status, second.status], JSON.stringify(first.body)).toEqual([200, 200]);
    expect([await stateOf(id), await stateOf(into)]).toMatchObject([
      { status: "resolved", merged_into: into, alerts: 0 },
      { status: "triaged", merged_into: null, alerts: 2 },
    ]);
    await run(2);
    const [target, merged] = threads();
    expect(merged?.text).toMatch(/^Merged · \*Pod is crash looping.*\nMerged into another incident: The disk is full/s);
    expect(JSON.stringify(merged?.blocks)).toContain(`/console/incidents/${into}`);
    expect(JSON.stringify(merged?.blocks)).not.toContain("Acknowledge");
    expect(target?.text).toContain("The disk is full");
    // A repeat belongs to the other incident, and to its message.
    clock.advance(5 * MINUTE_MS);
    expect((await send()).incidents).toEqual([]);
    await run(2);
    expect([threads().length, threads()[1]?.edits]).toEqual([2, 1]);
    expect(threads()[0]?.edits).toBe(1);
    const kinds =
      await sql`select kind, count(*)::int from public.incident_events where kind like 'merged%' group by 1 order by 1`;
    expect(kinds).toEqual([
      { kind: "merged", count: 1 },
      { kind: "merged_into", count: 1 },
    ]);
    expect((await merge(into, id)).status).toBe(409);
  });

  it("makes one record of both failures with the fix of the other incident, and counts one incident", async () => {
    const into = await fire(FULL);
    const id = await fire();
    await merge(id, into);
    await resolve(into);
    const proofs = await sql`select o.occurrences, f.text, count(t.*)::int as tries from public.observations o
      join public.fixes f on f.observation_id = o.id join public.fix_tries t on t.fix_id = f.id group by o.id, f.id`;
    expect(proofs).toEqual([{ occurrences: 1, text: FIX.resolution, tries: 1 }]);
    const stats = await harness.request("/v1/stats");
    expect(await stats.json()).toMatchObject({ incidents: 1 });
  });

  it("of two incidents of one failure leaves one message and one occurrence", async () => {
    const into = await fire({ pod: "checkout-1" });
    clock.advance(10 * MINUTE_MS);
    const id = await fire({ pod: "ledger-1", startsAt: "2026-03-01T03:50:00Z" });
    expect(threads()).toHaveLength(1);
    await merge(id, into);
    await run(2);
    expect(threads()).toHaveLength(1);
    expect(threads()[0]?.text).not.toContain("Merged");
    expect(JSON.stringify(threads()[0]?.blocks)).toContain(`/console/incidents/${into}`);
    expect(await sql`select occurrences from public.observations`).toEqual([{ occurrences: 1 }]);
  });

  it("gives the alerts back when it is undone by reopening, with their repeats", async () => {
    const into = await fire(FULL);
    const id = await fire();
    await merge(id, into);
    await sendJson(harness, "POST", `/v1/incidents/${id}/reopen`, {});
    expect(await stateOf(id)).toMatchObject({ merged_into: null, alerts: 1 });
    expect(await stateOf(into)).toMatchObject({ status: "triaged", alerts: 1 });
    await send();
    expect(await stateOf(id)).toMatchObject({ alerts: 1 });
  });

  it("is refused into a resolved incident, an unknown one and itself", async () => {
    const into = await fire(FULL);
    const id = await fire();
    await resolve(into);
    const statuses = [merge(id, into), merge(id, id), merge(id, "3f2a91bc-0d4e-4f5a-8b6c-7d8e9f001122")];
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([409, 404, 404]);
    expect(await stateOf(id)).toMatchObject({ status: "triaged", alerts: 1 });
  });
});

describe("a split", () => {
  beforeEach(() => define("oncall", SLACK));
  const split = (id: string, body: object) =>
    sendJson(harness, "POST", `/v1/incidents/${id}/split`, { by: "dana", ...body });
  const PODS = ["checkout-1", "ledger-1", "orders-1"];

  it("gives alerts an incident and a message of their own, with their repeats, once", async () => {
    const id = await fire({ pod: "checkout-1" });
    for (const pod of PODS.slice(1)) await send({ pod });
    const made = await Promise.all([split(id, { targets: ["ledger-1"] }), split(id, { targets: ["ledger-1"] })]);
    expect(
      made.map(({ status }) => status),
      JSON.stringify(made[0]?.body),
    ).toEqual([200, 200]);
    const [{ id: own } = { id: "" }, again] = made.map(({ body }) => z.object({ id: z.string() }).parse(body));
    expect(again?.id).toBe(own);
    await investigate(services, [own]);
    await run(2);
    expect(threads()).toHaveLength(2);
    expect(threads()[1]?.text).toContain("Pod is crash looping");
    expect(threads()[0]?.text).toContain("2 services");
    // Its alert ends and fires again: the incident of its own has it, and that of the others theirs.
    const incidentsOf = async (pod: string) => {
      await send({ pod, endsAt: clock.now().toISOString() });
      clock.advance(MINUTE_MS);
      await send({ pod, startsAt: clock.now().toISOString() });
      const rows =
        await sql`select incident_id from public.alerts where target = ${pod} order by starts_at desc limit 1`;
      return rows[0]?.incident_id;
    };
    await send({ pod: "orders-1" });
    expect(await incidentsOf("orders-1")).toBe(id);
    expect((await sql`select incident_id from public.alerts where target = 'ledger-1'`)[0]?.incident_id).toBe(own);
  });

  it("is refused for alerts that it does not have, and for all of them", async () => {
    const id = await fire({ pod: "checkout-1" });
    await send({ pod: "ledger-1" });
    const refused = [split(id, { targets: ["nothing"] }), split(id, {}), split(id, { targets: PODS })];
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([422, 422, 422]);
  });
});
