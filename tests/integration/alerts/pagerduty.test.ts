// PagerDuty's webhook with recorded request bodies: a signature replaces the token, and the path needs a secret.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, deleteIncidents, emptyStores, workerEnv } from "../support/harness.ts";
import { seedDomains } from "../support/inventory.ts";
import {
  alertRows,
  deliver,
  expectNothingStored,
  expectProblem,
  fixture,
  hmac,
  incidentRows,
  SECRET,
  send,
  timeline,
} from "./support.ts";

const harness = createHarness({ PAGERDUTY_WEBHOOK_SECRET: SECRET });
const { services } = harness;

beforeAll(async () => {
  await emptyStores(services);
  await seedDomains(workerEnv);
});
beforeEach(() => deleteIncidents(services));

describe("PagerDuty's webhook", () => {
  // All recorded events are in the past.
  beforeAll(() => harness.clock.advance(3_600_000));
  // PagerDuty sends no token.
  const sign = (body: string, secret = SECRET) => ({
    authorization: "",
    "x-pagerduty-signature": `v1=${hmac(body, secret)}`,
  });
  const deliverEvent = (name: string) => {
    const body = fixture(`pagerduty-${name}`);
    return deliver(harness, "pagerduty", body, sign(body));
  };

  it("creates an incident whose severity comes from the priority, not the urgency", async () => {
    const receipt = await deliverEvent("triggered");
    expect(receipt.alerts).toMatchObject([{ fingerprint: "Q1XK2P7RZ0ABCD", status: "firing", decision: "created" }]);
    expect(await incidentRows()).toMatchObject([
      {
        title: "orders-db: FATAL: sorry, too many clients already",
        target: "Orders",
        severity: "critical",
        domain: "postgres",
        incident_type: "connection_exhaustion",
        labels: { service: "Orders", urgency: "low", priority: "P1", pagerduty_number: "4711" },
      },
    ]);
  });

  it("reports the end, a reopening and its end", async () => {
    const first = await deliverEvent("triggered");
    expect(await deliverEvent("resolved")).toMatchObject({ alerts: [{ decision: "resolved" }] });
    const second = await deliverEvent("reopened");
    expect(second.alerts).toMatchObject([
      { decision: "created", rule: "same fingerprint, new start", related_to: first.incidents[0] },
    ]);
    // A late repetition of the first end does not resolve the reopened incident.
    expect((await deliverEvent("resolved")).alerts).toMatchObject([{ rule: "it had ended before" }]);
    expect((await deliverEvent("resolved-again")).alerts).toMatchObject([
      { decision: "resolved", incident_id: second.incidents[0] },
    ]);
    expect((await incidentRows()).map(({ status, resolved_by }) => [status, resolved_by])).toEqual([
      ["resolved", "pagerduty"],
      ["resolved", "pagerduty"],
    ]);
  });

  it("has no effect when it is replayed and is ignored when it is 7 days old", async () => {
    const later = createHarness({ PAGERDUTY_WEBHOOK_SECRET: SECRET });
    const replay = (name: string) => {
      const body = fixture(`pagerduty-${name}`);
      return deliver(later, "pagerduty", body, sign(body));
    };
    const [id = ""] = (await deliverEvent("triggered")).incidents;
    await deliverEvent("resolved");
    const before = await timeline(id);
    later.clock.advance(6 * 86_400_000);
    expect(await replay("triggered")).toMatchObject({
      stored: 0,
      incidents: [],
      alerts: [{ decision: "deduplicated" }],
    });
    expect(await replay("resolved")).toMatchObject({ stored: 0, alerts: [{ decision: "resolved" }] });
    expect((await timeline(id)).filter((kind) => kind !== "alert_repeated")).toEqual(before);
    later.clock.advance(86_400_000);
    const rule = "it occurred more than 7 days ago";
    const tooOld = { fingerprint: "Q1XK2P7RZ0ABCD", decision: "ignored", rule, incident_id: null };
    expect((await replay("triggered")).alerts).toMatchObject([{ ...tooOld, status: "firing" }]);
    later.clock.advance(3_600_000);
    expect((await replay("resolved")).alerts).toMatchObject([{ ...tooOld, status: "resolved" }]);
    expect(await incidentRows()).toHaveLength(1);
  });

  it("from the future is ignored, and nothing is stored", async () => {
    const ahead = createHarness({ PAGERDUTY_WEBHOOK_SECRET: SECRET });
    const body = fixture("pagerduty-reopened");
    const receipt = await deliver(ahead, "pagerduty", body, sign(body));
    const rule = "it is to occur in more than 5 minutes";
    expect(receipt).toMatchObject({
      received: 1,
      stored: 0,
      alerts: [{ status: "firing", decision: "ignored", rule }],
    });
    await expectNothingStored();
  });

  it("is stored once when its incident is renamed while it arrives", async () => {
    const renamed = Array.from({ length: 8 }, (_, i) =>
      fixture("pagerduty-triggered").replace("orders-db:", `orders-db ${i}:`),
    );
    const receipts = await Promise.all(renamed.map((body) => deliver(harness, "pagerduty", body, sign(body))));
    expect(receipts.reduce((sum, { stored }) => sum + stored, 0)).toBe(1);
    expect(await incidentRows()).toHaveLength(1);
    expect(await alertRows()).toMatchObject([{ times: 8 }]);
  });

  it.each([
    ["acknowledged", "the event incident.acknowledged neither opens nor ends an incident"],
    ["ping", "the event pagey.ping neither opens nor ends an incident"],
  ])("with the event %s is accepted, and nothing is stored", async (name, rule) => {
    const receipt = await deliverEvent(name);
    expect(receipt).toMatchObject({ received: 1, stored: 0, alerts: [{ status: null, decision: "ignored", rule }] });
    await expectNothingStored();
  });

  it("is accepted with one valid signature among several", async () => {
    const body = fixture("pagerduty-triggered");
    const header = `v1=${hmac(body, "the-secret-before-this-one")},v1=${hmac(body)}`;
    const response = await send(harness, "pagerduty", body, { authorization: "", "x-pagerduty-signature": header });
    expect(response.status).toBe(202);
  });

  const body = fixture("pagerduty-triggered");
  it.each([
    ["no signature", {}],
    ["an empty signature", { "x-pagerduty-signature": "" }],
    ["a signature with another secret", { "x-pagerduty-signature": `v1=${hmac(body, "another-secret-entirely")}` }],
    ["a signature of another version", { "x-pagerduty-signature": `v0=${hmac(body)}` }],
    ["a signature of another body", { "x-pagerduty-signature": `v1=${hmac(`${body} `)}` }],
    ["two invalid signatures", { "x-pagerduty-signature": "v1=,v1=00" }],
  ])("is refused with %s", async (_what, headers) => {
    const response = await send(harness, "pagerduty", body, { authorization: "", ...headers });
    await expectProblem(response, 401, "invalid-signature");
    await expectNothingStored();
  });

  it("is refused with the service token instead of a signature", async () => {
    await expectProblem(await send(harness, "pagerduty", body), 401, "invalid-signature");
  });

  it("with a valid signature and invalid fields is refused, and the fields are named", async () => {
    const odd = JSON.stringify({ event: { ...JSON.parse(body).event, data: { id: "Q1", title: 7 } } });
    const problem = await expectProblem(await send(harness, "pagerduty", odd, sign(odd)), 422, "invalid-request");
    expect(problem.errors?.map(({ field }) => field)).toEqual(["event.data.title"]);
  });

  it("is refused without the secret, whose name the answer has", async () => {
    const without = createHarness();
    const problem = await expectProblem(await send(without, "pagerduty", body, sign(body)), 503, "misconfigured");
    expect(problem.detail).toContain("wrangler secret put PAGERDUTY_WEBHOOK_SECRET");
    await expectNothingStored();
  });
});
