// An alert storm: many alerts at once, in one webhook or in as many. All are stored once, and alerts with the same
// name are grouped into one incident.

import { beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { createHarness, deleteIncidents, emptyStores } from "../support/harness.ts";
import {
  alertRows,
  deliver,
  expectProblem,
  incidentRows,
  investigate,
  type MadeAlert,
  type Receipt,
  send,
  webhook,
} from "./support.ts";

const harness = createHarness();
const { services } = harness;

const NAMES = ["KubePodCrashLooping", "KubePodNotReady", "TargetDown", "KubeContainerWaiting", "CPUThrottlingHigh"];
/** As many as fit in a body; `npm test` sends fewer. */
const SIZE = inject("extent") === "all" ? 500 : 100;
const storm = Array.from(
  { length: SIZE },
  (_, i): MadeAlert => ({
    name: NAMES[i % NAMES.length] ?? "",
    pod: `checkout-${i}`,
    labels: {
      container: "checkout",
      instance: `10.42.${i % 250}.17:8080`,
      job: "kube-state-metrics",
      prometheus: "monitoring/k8s",
      uid: `0f2b7c1e-5b2e-4b66-9a51-${String(i).padStart(12, "0")}`,
    },
    annotations: {
      description: `Pod shop/checkout-${i} (checkout) is in waiting state (reason: "CrashLoopBackOff") on cluster .`,
      runbook_url: "https://runbooks.example/kubernetes/crash-loop-back-off",
    },
  }),
);

beforeAll(() => emptyStores(services));
beforeEach(() => deleteIncidents(services));

async function expectAllStored(receipts: readonly Receipt[]): Promise<void> {
  const decisions = receipts.flatMap(({ alerts }) => alerts.map(({ decision }) => decision));
  expect(decisions.filter((decision) => decision === "created")).toHaveLength(NAMES.length);
  expect(decisions.filter((decision) => decision === "grouped")).toHaveLength(SIZE - NAMES.length);
  const rows = await alertRows();
  expect(new Set(rows.map(({ fingerprint }) => fingerprint)).size).toBe(SIZE);
  expect(rows).toHaveLength(SIZE);
  expect(rows.every(({ times }) => times === 1)).toBe(true);
  const incidents = await incidentRows();
  expect(incidents.map(({ labels }) => labels.alertname).sort()).toEqual([...NAMES].sort());
  expect(receipts.flatMap((receipt) => receipt.incidents).sort()).toEqual(incidents.map(({ id }) => id).sort());
  for (const name of NAMES) {
    const ids = new Set(rows.filter(({ alertname }) => alertname === name).map(({ incident_id }) => incident_id));
    expect(ids.size).toBe(1);
  }
}

it(`stores ${SIZE} alerts of one webhook, which fit in a body`, async () => {
  const body = webhook(storm);
  expect(Buffer.byteLength(body)).toBeLessThan(services.config.MAX_BODY_BYTES);
  await expectAllStored([await deliver(harness, "alertmanager", body)]);
});

it(`stores the alerts of ${SIZE} concurrent webhooks with one alert each`, async () => {
  await expectAllStored(await Promise.all(storm.map((alert) => deliver(harness, "alertmanager", webhook([alert])))));
});

it("stores alerts once when two Alertmanagers send them in different orders", async () => {
  const halves = [storm, storm.toReversed()].map((alerts) => deliver(harness, "alertmanager", webhook(alerts)));
  const receipts = await Promise.all(halves);
  expect(receipts.map(({ stored }) => stored).sort()).toEqual([0, SIZE]);
  expect(await incidentRows()).toHaveLength(NAMES.length);
  expect((await alertRows()).map(({ times }) => times)).toEqual(Array(SIZE).fill(2));
});

describe("alerts that would create more incidents than may wait", () => {
  const limited = createHarness({ MAX_WAITING_INCIDENTS: "3" });
  const alertsOf = (...names: string[]) => webhook(names.map((name) => ({ name })));
  const names = async () => (await incidentRows()).map(({ labels }) => labels.alertname).toSorted();

  it("are not stored, the others are, and the sender is asked to repeat the webhook", async () => {
    const response = await send(limited, "alertmanager", alertsOf("A", "B", "C", "D", "E"));
    expect(response.headers.get("retry-after")).toBe("60");
    const problem = await expectProblem(response, 503, "too-many-waiting");
    expect(problem.detail).toContain("2 of 5 alerts are not stored, the others are.");
    expect(await names()).toEqual(["A", "B", "C"]);
    expect(limited.log).toContainEqual(expect.objectContaining({ event: "alerts.postponed" }));
  });

  it("are stored by a repetition when some have been investigated, and nothing is stored twice", async () => {
    const body = alertsOf("A", "B", "C", "D", "E");
    await send(limited, "alertmanager", body);
    const waiting = (await incidentRows()).map(({ id }) => String(id));
    await investigate(limited.services, waiting.slice(0, 2));
    const receipt = await deliver(limited, "alertmanager", body);
    expect(receipt.alerts.map(({ decision }) => decision)).toEqual([
      "deduplicated",
      "deduplicated",
      "deduplicated",
      "created",
      "created",
    ]);
    expect(await alertRows()).toHaveLength(5);
  });

  it("do not keep those that join an open incident or end from being stored", async () => {
    await deliver(limited, "alertmanager", alertsOf("A", "B", "C"));
    await deliver(limited, "alertmanager", webhook([{ name: "A", pod: "other" }]));
    const ended = await deliver(limited, "alertmanager", webhook([{ name: "B", endsAt: "2026-03-01T02:59:00Z" }]));
    expect(ended.alerts).toMatchObject([{ decision: "resolved" }]);
    expect(await alertRows()).toHaveLength(4);
  });

  it("of one sender do not keep those of another out", async () => {
    await send(limited, "alertmanager", alertsOf("A", "B", "C", "D"));
    const made = await limited.post("/v1/admin/tokens", { name: "other", scopes: ["triage"] });
    const { token } = z.object({ token: z.string() }).parse(await made.json());
    const receipt = await deliver(limited, "alertmanager", alertsOf("F"), { authorization: `Bearer ${token}` });
    expect(receipt).toMatchObject({ stored: 1, alerts: [{ decision: "created" }] });
  });

  it("stay within the limit when webhooks arrive at the same time", async () => {
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, n) => send(limited, "alertmanager", alertsOf(`X${n}`, `Y${n}`))),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202, 503]));
    expect(await incidentRows()).toHaveLength(3);
  });
});
