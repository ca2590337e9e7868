import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, deleteIncidents, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";

const PAGE = `# Lantern store troubleshooting

Back up the keyring of the lantern store first.

## Lantern prepare job fails: request slots of the wickd kernel module exhausted

The wickd kernel module has no free request slots, so the lantern prepare job cannot open a disk.

### Fix

1. Raise the number of wickd request slots.

## Lantern disk reports read errors

### Causes

- The lantern disk is worn out.

### Fix

1. Remove the disk from the lantern store.

## Lantern clocks of two nodes drift apart by nineteen seconds

The wickchrony daemon of a lantern node is not running.
`;

let harness = createHarness();

beforeAll(async () => {
  await loadFreshRunbooks(harness.services, workerEnv);
  const response = await harness.request("/v1/runbooks/lantern/troubleshooting.md", {
    method: "PUT",
    headers: { "content-type": "text/markdown" },
    body: PAGE,
  });
  expect(response.ok).toBe(true);
});
beforeEach(async () => {
  harness = createHarness();
  await deleteIncidents(harness.services);
});

describe("no incident", () => {
  it.each([
    { title: "After the connection is restored, the tasks are not taken from the queue" },
    {
      title: "The failover completed and replication recovered",
      logs: "cannot execute INSERT in a read-only transaction",
    },
    { title: "Redis nach dem Failover", logs: "status=UP\nVerbindung wiederhergestellt, Aufträge bleiben liegen" },
  ])("is never the answer where a part has recovered and the work has stopped: %j", async (report) => {
    const { outcome, answer } = await harness.triage(report);
    expect(outcome).not.toBe("benign");
    expect(answer.summary.text).not.toContain("No incident");
  });

  it("is the answer to a listing in which all is ready", async () => {
    const logs = "NAME      READY   STATUS    RESTARTS   AGE\nshop-0    1/1     Running   0          9d";
    const result = await harness.triage({ title: "KubePodNotReady", labels: { alertname: "KubePodNotReady" }, logs });
    expect(result).toMatchObject({ outcome: "benign", confidence: 0.9 });
  });

  it("closes its incident, which a person can open again", async () => {
    const { incident_id } = await harness.triage({ title: "Watchdog", labels: { alertname: "Watchdog" } });
    const path = `/v1/incidents/${incident_id}`;
    const closed = await (await harness.request(path)).json();
    expect(closed).toMatchObject({ status: "resolved", resolution: null, resolved_by: null });
    expect(closed).toHaveProperty("events.2", expect.objectContaining({ detail: { rule: "no incident" } }));
    expect(await (await harness.post(`${path}/reopen`, {})).json()).toMatchObject({ status: "triaged" });
  });
});

describe("a page about several failures", () => {
  it("gives causes and steps of the failure that was found alone", async () => {
    const title = "lantern prepare job fails: request slots of the wickd kernel module exhausted";
    const { answer, recalled } = await harness.triage({ title });
    expect(recalled.runbooks[0]?.source).toBe("lantern/troubleshooting.md");
    expect(answer.mitigate.map(({ text }) => text)).toEqual(["Raise the number of wickd request slots."]);
    expect(JSON.stringify(answer)).not.toMatch(/worn out|Remove the disk|Back up/);
  });

  it("takes no step of another failure for one without steps of its own", async () => {
    const { answer } = await harness.triage({
      title: "lantern clocks of two nodes drift apart by nineteen seconds",
    });
    expect([answer.confirm, answer.mitigate]).toEqual([[], []]);
    expect(JSON.stringify(answer)).not.toMatch(/worn out|Remove the disk|Back up/);
  });
});
