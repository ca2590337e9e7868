// End to end with a real Alertmanager: the test pushes alerts as Prometheus does, Alertmanager posts its webhook, and
// Dejavu triages the incident.

import { beforeAll, describe, expect, it } from "vitest";
import { findProgram } from "../../support/debian.ts";
import { createHarness, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { listen } from "../support/servers/listen.ts";
import { type PushedAlert, startAlertmanager } from "./real-alertmanager.ts";
import { alertRows, incidentRows, investigate } from "./support.ts";

const alertmanagerPath = await findProgram("alertmanager");
const { services } = createHarness();
const POLLING = { timeout: 120_000, interval: 50 };

beforeAll(() => loadFreshRunbooks(services, workerEnv));

describe.skipIf(alertmanagerPath === null)("an Alertmanager (skipped where none is installed)", () => {
  it("sends alerts that lead to one triage, and the incident is resolved when its alerts end", async () => {
    await using server = await listen(services);
    const token = services.config.DEJAVU_TOKEN ?? "";
    const webhook = { url: `${server.url}/v1/alerts/alertmanager`, token };
    await using alertmanager = await startAlertmanager(alertmanagerPath ?? "", webhook);
    const alertOf = (pod: string, ends: Pick<PushedAlert, "endsAt"> = {}): PushedAlert => ({
      labels: { alertname: "KubePodCrashLooping", severity: "critical", namespace: "shop", pod, container: "checkout" },
      annotations: {
        summary: "Pod is in CrashLoopBackOff",
        description: "Back-off restarting failed container checkout",
        runbook_url: "https://runbooks.example/kubernetes/crash-loop-back-off",
      },
      startsAt: "2026-03-01T02:55:12.345Z",
      ...ends,
    });
    const pods = ["checkout-1", "checkout-2", "checkout-3"];
    await alertmanager.push(pods.map((pod) => alertOf(pod)));
    await expect.poll(async () => (await alertRows()).length, POLLING).toBe(3);

    const [row] = await incidentRows();
    expect(row).toMatchObject({
      status: "queued",
      severity: "critical",
      domain: "kubernetes",
      domain_rule: expect.stringMatching(/^words /),
    });
    await investigate(services, [String(row?.id)]);
    const [triaged, ...others] = await incidentRows();
    expect(triaged).toMatchObject({ status: "triaged" });
    expect(others).toEqual([]);

    await alertmanager.push(pods.map((pod) => alertOf(pod, { endsAt: "2026-03-01T03:10:00Z" })));
    await expect.poll(async () => (await incidentRows())[0]?.status, POLLING).toBe("resolved");
    expect(await incidentRows()).toMatchObject([{ resolved_by: "alertmanager", resolution: null }]);
  });
});
