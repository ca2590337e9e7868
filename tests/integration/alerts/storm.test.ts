// An alert storm: hundreds of alerts at once, in one webhook or in hundreds. All are stored once, and alerts with the same
// name are grouped into one incident.

import { beforeAll, beforeEach, expect, it } from "vitest";
import { createHarness, deleteIncidents, emptyStores } from "../support/harness.ts";
import { alertRows, deliver, incidentRows, type MadeAlert, type Receipt, webhook } from "./support.ts";

const harness = createHarness();
const { services } = harness;

const NAMES = ["KubePodCrashLooping", "KubePodNotReady", "TargetDown", "KubeContainerWaiting", "CPUThrottlingHigh"];
const storm = Array.from(
  { length: 500 },
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
  expect(decisions.filter((decision) => decision === "grouped")).toHaveLength(500 - NAMES.length);
  const rows = await alertRows();
  expect(new Set(rows.map(({ fingerprint }) => fingerprint)).size).toBe(500);
  expect(rows).toHaveLength(500);
  expect(rows.every(({ times }) => times === 1)).toBe(true);
  const incidents = await incidentRows();
  expect(incidents.map(({ labels }) => labels.alertname).sort()).toEqual([...NAMES].sort());
  expect(receipts.flatMap((receipt) => receipt.incidents).sort()).toEqual(incidents.map(({ id }) => id).sort());
  for (const name of NAMES) {
    const ids = new Set(rows.filter(({ alertname }) => alertname === name).map(({ incident_id }) => incident_id));
    expect(ids.size).toBe(1);
  }
}

it("stores 500 alerts of one webhook, which fit in a body", async () => {
  const body = webhook(storm);
  expect(Buffer.byteLength(body)).toBeLessThan(services.config.MAX_BODY_BYTES);
  await expectAllStored([await deliver(harness, "alertmanager", body)]);
});

it("stores the alerts of 500 concurrent webhooks with one alert each", async () => {
  await expectAllStored(await Promise.all(storm.map((alert) => deliver(harness, "alertmanager", webhook([alert])))));
});

it("stores alerts once when two Alertmanagers send them in different orders", async () => {
  const halves = [storm, storm.toReversed()].map((alerts) => deliver(harness, "alertmanager", webhook(alerts)));
  const receipts = await Promise.all(halves);
  expect(receipts.map(({ stored }) => stored).sort()).toEqual([0, 500]);
  expect(await incidentRows()).toHaveLength(NAMES.length);
  expect((await alertRows()).map(({ times }) => times)).toEqual(Array(500).fill(2));
});
