// Alerts belong to the token that reported them.

import { beforeEach, describe, expect, it } from "vitest";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { bearer, type Created, createdSchema, makeToken, problemOf } from "../support/tokens.ts";
import {
  alertRows,
  deliver,
  fixture,
  hmac,
  incidentRows,
  type MadeAlert,
  SECRET,
  timeline,
  webhook,
} from "./support.ts";

const harness = createHarness({ PAGERDUTY_WEBHOOK_SECRET: SECRET });
const { services, clock } = harness;
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
const HOUR_MS = 3_600_000;
const START = "2026-03-01T02:55:12.345Z";

beforeEach(() => emptyStores(services));

/** Delivers one alert with a token. */
async function deliverAs({ token }: Created, alert: MadeAlert = {}) {
  const receipt = await deliver(harness, "alertmanager", webhook([alert]), bearer(token));
  const [decided] = receipt.alerts;
  if (decided === undefined) throw new Error("The receipt has no alert.");
  return decided;
}

async function twoTokens() {
  return [await makeToken(harness, ["report"]), await makeToken(harness, ["report"])] as const;
}

describe("an alert of another token", () => {
  it("does not repeat it, and does not join its incident", async () => {
    const [ours, theirs] = await twoTokens();
    const own = await deliverAs(ours);
    const same = await deliverAs(theirs);
    expect(same).toMatchObject({ decision: "created", rule: "first of its kind", related_to: null });
    const namesake = await deliverAs(theirs, { pod: "checkout-2" });
    expect(namesake).toMatchObject({ decision: "grouped", incident_id: same.incident_id });
    expect((await incidentRows()).map(({ reported_by }) => reported_by).sort()).toEqual([ours.id, theirs.id].sort());
    expect(await timeline(own.incident_id ?? "")).toEqual(["reported"]);
  });

  it("does not end it, neither by its own end nor by a later start", async () => {
    const [ours, theirs] = await twoTokens();
    const { incident_id } = await deliverAs(ours);
    await deliverAs(theirs, { endsAt: "2026-03-01T03:00:00Z" });
    await deliverAs(theirs, { startsAt: "2026-03-01T02:59:00Z" });
    const [own] = (await alertRows()).filter(({ owner }) => owner === ours.id);
    expect(own).toMatchObject({ status: "firing", ends_at: null, incident_id });
    expect(await sql`select status from public.incidents where id = ${incident_id}`).toEqual([{ status: "queued" }]);
    expect(await deliverAs(ours, { endsAt: "2026-03-01T03:00:00Z" })).toMatchObject({
      decision: "resolved",
      incident_id,
    });
    expect(await sql`select status from public.incidents where id = ${incident_id}`).toEqual([{ status: "resolved" }]);
  });

  it("learns of no incident of others: a first alert is related to nothing", async () => {
    const [ours, theirs] = await twoTokens();
    await deliverAs(ours);
    await deliverAs(ours, { endsAt: "2026-03-01T03:00:00Z" });
    clock.advance(HOUR_MS);
    expect(await deliverAs(theirs, { startsAt: clock.now().toISOString() })).toMatchObject({ related_to: null });
    expect(await deliverAs(theirs, { pod: "unheard-of", endsAt: clock.now().toISOString() })).toMatchObject({
      incident_id: null,
      related_to: null,
    });
  });

  it("is separate from a webhook with a signature too, also with its names and fingerprints", async () => {
    const body = fixture("pagerduty-triggered");
    const headers = { "x-pagerduty-signature": `v1=${hmac(body)}`, "content-type": "application/json" };
    const response = await harness.request("/v1/alerts/pagerduty", { method: "POST", body, headers });
    expect(response.status, await response.clone().text()).toBe(202);
    expect(await alertRows()).toMatchObject([{ owner: "pagerduty", source: "pagerduty" }]);
  });
});

describe("a start in the future", () => {
  it("starts now, so that a later real alert is not taken for an old one", async () => {
    const [ours] = await twoTokens();
    const far = await deliverAs(ours, { startsAt: "2099-12-31T23:59:59Z" });
    expect(await alertRows()).toMatchObject([{ starts_at: clock.now() }]);
    clock.advance(HOUR_MS);
    const real = await deliverAs(ours, { startsAt: clock.now().toISOString() });
    expect(real).toMatchObject({
      decision: "created",
      rule: "same fingerprint, new start",
      related_to: far.incident_id,
    });
    expect((await alertRows()).map(({ status }) => status)).toEqual(["resolved", "firing"]);
  });

  it("is a repetition while the alert fires, however often it is sent, and ends with it", async () => {
    const [ours] = await twoTokens();
    const first = await deliverAs(ours, { startsAt: START });
    const startsAt = "2099-12-31T23:59:59Z";
    for (let i = 0; i < 3; i++) {
      clock.advance(HOUR_MS);
      expect(await deliverAs(ours, { startsAt })).toMatchObject({
        decision: "deduplicated",
        incident_id: first.incident_id,
      });
    }
    const ended = await deliverAs(ours, { startsAt, endsAt: "2099-12-31T23:59:59Z" });
    expect(ended).toMatchObject({ decision: "resolved", incident_id: first.incident_id });
    expect(await alertRows()).toMatchObject([{ status: "resolved", ends_at: clock.now() }]);
  });

  it("is kept when the sender's clock is less than 5 minutes ahead", async () => {
    const [ours] = await twoTokens();
    const startsAt = new Date(clock.now().getTime() + 290_000);
    await deliverAs(ours, { startsAt: startsAt.toISOString() });
    expect(await alertRows()).toMatchObject([{ starts_at: startsAt }]);
  });
});

describe("a token that replaces another", () => {
  const replace = (replaces: string) =>
    harness.post("/v1/admin/tokens", { name: "successor", scopes: ["report"], replaces });

  it("continues its alerts, through all successors", async () => {
    const [first] = await twoTokens();
    const { incident_id } = await deliverAs(first);
    const second = createdSchema.parse(await (await replace(first.id)).json());
    const third = createdSchema.parse(await (await replace(second.id)).json());
    expect([second.owner_id, third.owner_id]).toEqual([first.id, first.id]);
    await harness.request(`/v1/admin/tokens/${first.id}`, { method: "DELETE" });
    expect(await deliverAs(third)).toMatchObject({ decision: "deduplicated", incident_id });
    const ended = { decision: "resolved", incident_id };
    expect(await deliverAs(third, { endsAt: "2026-03-01T03:00:00Z" })).toMatchObject(ended);
    const events = await sql`select detail from public.audit_events where subject_id = ${third.id}`;
    expect(events).toEqual([{ detail: { scopes: ["report"], replaces: second.id } }]);
  });

  it("is refused if the other does not exist", async () => {
    const problem = await problemOf(await replace(UNKNOWN_ID), 422, "invalid-request");
    expect(problem.errors).toEqual([{ field: "replaces", message: "must be the id of a token" }]);
  });
});
