// Opsgenie's webhook with recorded request bodies.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, deleteIncidents, emptyStores, workerEnv } from "../support/harness.ts";
import { seedDomains } from "../support/inventory.ts";
import {
  alertRows,
  deliver,
  expectNothingStored,
  expectProblem,
  fixture,
  incidentRows,
  investigate,
  send,
  timeline,
} from "./support.ts";

const harness = createHarness();
const { services } = harness;

beforeAll(async () => {
  await emptyStores(services);
  await seedDomains(workerEnv);
});
beforeEach(() => deleteIncidents(services));

const deliverAction = (name: string) => deliver(harness, "opsgenie", fixture(`opsgenie-${name}`));

describe("Opsgenie's webhook", () => {
  it("creates an incident", async () => {
    const receipt = await deliverAction("create");
    expect(receipt.alerts).toMatchObject([
      { fingerprint: "orders-db/too-many-connections", status: "firing", decision: "created" },
    ]);
    expect(await incidentRows()).toMatchObject([
      {
        title: "orders-db: FATAL: sorry, too many clients already",
        target: "orders-db",
        severity: "critical",
        domain: "postgres",
        incident_type: "connection_exhaustion",
        runbook: "https://wiki.example/runbooks/too-many-connections",
        labels: { priority: "P1", tags: "production,orders", namespace: "shop" },
      },
    ]);
    expect(await alertRows()).toMatchObject([{ source: "opsgenie", starts_at: new Date("2026-03-01T02:58:00.169Z") }]);
  });

  it("creates an incident that is investigated", async () => {
    const { incidents } = await deliverAction("create");
    await investigate(services, incidents);
    expect(await incidentRows()).toMatchObject([{ status: "triaged" }]);
  });

  it("resolves the incident when the alert is closed and links the next one", async () => {
    const first = await deliverAction("create");
    expect(await deliverAction("close")).toMatchObject({ alerts: [{ decision: "resolved" }] });
    expect(await incidentRows()).toMatchObject([{ status: "resolved", resolved_by: "opsgenie" }]);
    expect((await deliverAction("create-again")).alerts).toMatchObject([
      { decision: "created", rule: "same fingerprint, new start", related_to: first.incidents[0] },
    ]);
  });

  it("is stored once when it is sent again", async () => {
    const [id = ""] = (await deliverAction("create")).incidents;
    const before = await timeline(id);
    expect(await deliverAction("create")).toMatchObject({
      stored: 0,
      incidents: [],
      alerts: [{ decision: "deduplicated" }],
    });
    await deliverAction("close");
    harness.clock.advance(86_400_000);
    expect(await deliverAction("create")).toMatchObject({ stored: 0, incidents: [] });
    expect(await incidentRows()).toHaveLength(1);
    expect((await timeline(id)).filter((kind) => kind === "queued")).toEqual(
      before.filter((kind) => kind === "queued"),
    );
  });

  it.each([
    ["acknowledge", "the action Acknowledge neither opens nor ends an alert"],
    ["add-note", "the action AddNote neither opens nor ends an alert"],
  ])("with the action %s is accepted, and nothing is stored", async (name, rule) => {
    expect(await deliverAction(name)).toMatchObject({
      received: 1,
      stored: 0,
      alerts: [{ status: null, decision: "ignored", rule }],
    });
    await expectNothingStored();
  });

  it("is refused without a valid token", async () => {
    for (const authorization of ["", "Bearer wrong"]) {
      const response = await send(harness, "opsgenie", fixture("opsgenie-create"), { authorization });
      await expectProblem(response, 401, "unauthorized");
    }
    await expectNothingStored();
  });

  it("with invalid fields is refused, and the fields are named", async () => {
    const { alert } = JSON.parse(fixture("opsgenie-create"));
    const body = JSON.stringify({ action: "Create", alert: { ...alert, message: 7, createdAt: "yesterday" } });
    const problem = await expectProblem(await send(harness, "opsgenie", body), 422, "invalid-request");
    expect(problem.errors?.map(({ field }) => field)).toEqual(["alert.message", "alert.createdAt"]);
    await expectNothingStored();
  });
});
