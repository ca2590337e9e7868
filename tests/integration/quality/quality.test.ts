// The quality of answers over HTTP: confidence against judgements, outcomes by day, failures without a runbook with their
// drafts; and the reports about incidents.

import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { runbookFindings } from "../../../cli/check-runbooks.ts";
import { answerGapsSchema } from "../../../functions/quality/answer-gaps.ts";
import { confidenceReliabilitySchema } from "../../../functions/quality/confidence-reliability.ts";
import { outcomesSchema } from "../../../functions/quality/outcomes-by-day.ts";
import { handoverSchema, incidentStatsSchema } from "../../../functions/schemas/reports.ts";
import { deliver, investigate, webhook } from "../alerts/support.ts";
import { sendText } from "../support/api.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { plantIncident } from "../support/sample-memory.ts";
import { bearer, makeToken, problemOf } from "../support/tokens.ts";

const DAY_MS = 86_400_000;
const harness = createHarness({ MODEL: "none" });
const { services, clock, request, post } = harness;
beforeEach(() => emptyStores(services));

const rate = (triageId: string, rating: "up" | "down") => post(`/v1/triages/${triageId}/feedback`, { rating });
const body = async (path: string, headers = {}): Promise<unknown> => {
  const response = await request(path, { headers });
  expect(response.status, await response.clone().text()).toBe(200);
  return response.json();
};

const storeRunbook = async (path: string, text: string) =>
  expect((await sendText(harness, `/v1/runbooks/${path}`, text)).ok).toBe(true);

/** A stored answer with these columns. */
async function plantAnswer({ outcome = "cause", confidence = 0.9, result = {} } = {}) {
  const planted = await plantIncident(services);
  await sql`update public.triages set outcome = ${outcome}, confidence = ${confidence}, result = ${sql.json(result)}
    where id = ${planted.triageId}`;
  return planted;
}

describe("the calibration of confidence", () => {
  const calibration = async (query = "") =>
    confidenceReliabilitySchema.parse(await body(`/v1/quality/calibration${query}`));

  it("says that nothing is judged", async () => {
    await plantAnswer();
    expect(await calibration()).toMatchObject({ judged: 0, enough: false, bins: [], brier_score: null });
  });

  it("compares the confidence with ratings and resolutions", async () => {
    const [first, second, third] = [
      await plantAnswer({ confidence: 0.9 }),
      await plantAnswer({ confidence: 0.95 }),
      await plantAnswer({ outcome: "possible", confidence: 0.5 }),
    ];
    await rate(first.triageId, "up");
    await rate(third.triageId, "down");
    const fix = { resolution: "Raised the memory limit.", worked: true };
    expect((await post(`/v1/incidents/${second.incidentId}/resolve`, fix)).status).toBe(200);
    const { judged, right, enough, bins, brier_score } = await calibration();
    expect({ judged, right, enough }).toEqual({ judged: 3, right: 2, enough: false });
    expect(bins).toMatchObject([
      { from: 0.4, to: 0.6, answers: 1, mean_confidence: 0.5, share_right: 0, low: 0 },
      { from: 0.8, to: 1, answers: 2, share_right: 1, high: 1 },
    ]);
    expect(brier_score).toBeCloseTo((0.1 ** 2 + 0.05 ** 2 + 0.5 ** 2) / 3);
  });

  it("counts an answer once, with its newest judgement", async () => {
    const { triageId, incidentId } = await plantAnswer();
    await rate(triageId, "up");
    clock.advance(1_000);
    await post(`/v1/incidents/${incidentId}/resolve`, { resolution: "Something else.", worked: false });
    expect(await calibration()).toMatchObject({ judged: 1, right: 0 });
  });

  it("leaves out evaluations, unknown and benign answers, and judgements before the period", async () => {
    for (const answer of [{ result: { traffic: "evaluation" } }, { outcome: "unknown" }, { outcome: "benign" }])
      await rate((await plantAnswer(answer)).triageId, "up");
    const { triageId } = await plantAnswer();
    await rate(triageId, "up");
    expect(await calibration()).toMatchObject({ judged: 1 });
    clock.advance(2 * DAY_MS);
    expect(await calibration("?days=2")).toMatchObject({ judged: 0 });
    expect(await calibration("?days=3")).toMatchObject({ judged: 1 });
  });

  it("refuses a period of more than a year", async () => {
    await problemOf(await request("/v1/quality/calibration?days=366"), 422, "invalid-request");
  });
});

describe("outcomes by day", () => {
  const outcomes = async (days: number) => outcomesSchema.parse(await body(`/v1/quality/outcomes?days=${days}`));

  it("counts answers, judgements and times on their days", async () => {
    const first = await plantAnswer({ result: { elapsed_ms: 100 } });
    await plantAnswer({ outcome: "unknown", result: { elapsed_ms: 300 } });
    await plantAnswer({ result: { elapsed_ms: 9_000, traffic: "evaluation" } });
    const date = clock.now().toISOString().slice(0, 10);
    clock.advance(DAY_MS);
    await plantAnswer({ outcome: "possible" });
    await rate(first.triageId, "up");
    await post(`/v1/incidents/${first.incidentId}/resolve`, { resolution: "Raised the limit.", worked: true });
    const { total, days } = await outcomes(3);
    expect(days).toHaveLength(3);
    expect(days[0]).toMatchObject({ answers: { cause: 0, possible: 0, unknown: 0, benign: 0 }, elapsed: null });
    expect(days[1]).toEqual({
      date,
      answers: { cause: 1, possible: 0, unknown: 1, benign: 0 },
      judgements: { up: 0, down: 0, worked: 0, did_not_work: 0 },
      elapsed: { median_ms: 200, p95_ms: 290 },
    });
    expect(days[2]).toMatchObject({
      answers: { cause: 0, possible: 1 },
      judgements: { up: 1, down: 0, worked: 1, did_not_work: 0 },
    });
    expect(total).toEqual({
      answers: { cause: 1, possible: 1, unknown: 1, benign: 0 },
      judgements: { up: 1, down: 0, worked: 1, did_not_work: 0 },
      elapsed: { median_ms: 200, p95_ms: 290 },
    });
  });

  it("lists every day of a period without answers", async () => {
    const { total, days } = await outcomes(365);
    expect(days).toHaveLength(365);
    expect(total.elapsed).toBeNull();
  });
});

const listSchema = z.object({
  incidents: z.array(z.object({ id: z.string(), failure_id: z.string(), failure: z.string() })),
});

const ALERT = {
  title: "Replication of the ledger stalled",
  target: "ledger",
  labels: { alertname: "LedgerReplicationStalled", namespace: "shop", domain: "shop" },
  logs: "2026-03-01T02:55:12Z ERROR replication stalled: segment 4711 cannot be fetched, code E477",
};

describe("failures without a runbook", () => {
  const gaps = async (headers = {}) => answerGapsSchema.parse(await body("/v1/quality/gaps", headers));
  beforeEach(async () => {
    await storeRunbook("shop/basket.md", "# Basket is empty\n\n## Mitigate\n\nFill the basket.\n");
  });

  it("groups the incidents of an alert, and drafts a runbook from what fixed them", async () => {
    const { incident_id } = await harness.triage(ALERT);
    const fix = "Grew the volume with `lvextend -L +10G /dev/ledger`";
    await post(`/v1/incidents/${incident_id}/resolve`, { resolution: fix, did_not_help: ["Restarted the primary."] });
    clock.advance(DAY_MS);
    await harness.triage({
      ...ALERT,
      title: "Ledger: replication stalled again",
      logs: ALERT.logs.replace("4711", "5000"),
    });
    const { total, gaps: listed } = await gaps();
    expect(total).toBe(1);
    expect(listed[0]).toMatchObject({
      domain: "shop",
      alertname: "LedgerReplicationStalled",
      incidents: 2,
      unanswered: 2,
      targets: ["ledger"],
      has_fix: true,
      runbook: null,
    });
    const draft = await body(`/v1/quality/gaps/${listed[0]?.id}/draft`);
    expect(draft).toMatchObject({ domain: "shop", source: "ledger-replication-stalled.md", has_fix: true });
    const { markdown } = draft as { markdown: string };
    expect(markdown).toContain("# LedgerReplicationStalled\n");
    expect(markdown).toContain("- The log holds `ERROR replication stalled: segment");
    expect(markdown.match(/The log holds/g)).toHaveLength(1);
    expect(markdown).toContain("`namespace=shop`");
    expect(markdown).toContain(`1. ${fix}. Helped in 1 of 1 incidents, last on 2026-03-`);
    expect(markdown).toContain("## Tried without success\n\n- Restarted the primary. Helped in 0 of 1 incidents.");
    expect(markdown).toContain(incident_id);
    expect(runbookFindings(new TextEncoder().encode(markdown))).toEqual([]);
  });

  it("are answered by the stored draft, and no longer listed after the next alert", async () => {
    await harness.triage(ALERT);
    const [gap] = (await gaps()).gaps;
    const draft = (await body(`/v1/quality/gaps/${gap?.id}/draft`)) as { markdown: string; source: string };
    await storeRunbook(`shop/${draft.source}`, draft.markdown);
    expect((await gaps()).gaps).toMatchObject([{ id: gap?.id, runbook: "shop/ledger-replication-stalled.md" }]);
    clock.advance(DAY_MS);
    const { outcome, sources } = await harness.triage({ ...ALERT, target: "ledger-2" });
    expect({ outcome, source: sources[0]?.source }).toEqual({
      outcome: "cause",
      source: "shop/ledger-replication-stalled.md",
    });
    expect(await gaps()).toEqual({ total: 0, gaps: [] });
  });

  it("are one entry a failure where one alert means several, and are named by their lines", async () => {
    const labels = { alertname: "HighErrorRate", domain: "shop" };
    const report = (target: string, logs: string) => harness.triage({ title: "HighErrorRate", target, labels, logs });
    const frozen = "ERROR printer 17 refuses every page because the tray is frozen";
    for (const target of ["hall", "lobby"]) await report(target, frozen);
    await report("kiosk", "ERROR turnstile jammed: the spring of the left arm is broken");
    expect((await gaps()).gaps.map(({ name, incidents }) => `${name}: ${incidents}`)).toEqual([
      expect.stringMatching(/^printer .*frozen: 2$/),
      expect.stringMatching(/^turnstile jammed.*broken: 1$/),
    ]);
  });

  it("are one entry a failure without an alert name, whatever its service", async () => {
    const labels = { domain: "shop" };
    for (const target of ["cart", "ledger"])
      await harness.triage({ title: `${target}: printer on fire`, target, labels });
    expect((await gaps()).gaps).toMatchObject([
      { alertname: null, incidents: 2, targets: ["cart", "ledger"], services: 2 },
    ]);
  });

  it("are one entry a failure whose line names each service", async () => {
    for (const service of ["cart", "ledger", "wallet"]) {
      const line = `0/6 nodes are available for ${service}: 6 Insufficient cpu`;
      const labels = { alertname: "PodUnschedulable", service, domain: "shop" };
      await harness.triage({ title: line, target: service, labels, logs: "link: http://metrics.example/graph" });
    }
    expect((await gaps()).gaps.map(({ name, incidents, services }) => ({ name, incidents, services }))).toEqual([
      { name: "PodUnschedulable", incidents: 3, services: 3 },
    ]);
  });

  it("leave out what a runbook possibly answers, until somebody says that it did not", async () => {
    const { incident_id } = await harness.triage(ALERT);
    const possible = { sources: [{ id: "c", kind: "runbook", title: "Basket is empty", source: "shop/basket.md" }] };
    await sql`update public.triages set outcome = 'possible', result = result || ${sql.json(possible)} where incident_id = ${incident_id}`;
    expect(await gaps()).toEqual({ total: 0, gaps: [] });
    await post(`/v1/incidents/${incident_id}/resolve`, { resolution: "Grew the volume.", worked: false });
    expect((await gaps()).total).toBe(1);
  });

  it("leave out benign reports, evaluations and questions about the session", async () => {
    await harness.triage({ title: "Watchdog", labels: { alertname: "Watchdog", domain: "shop" } });
    await harness.triage(ALERT, { "x-dejavu-traffic": "evaluation" });
    await harness.triage({ question: "What did we find?", session_id: "s" });
    expect(await gaps()).toEqual({ total: 0, gaps: [] });
  });

  it("are shown to a token of their domain only", async () => {
    await harness.triage(ALERT);
    await storeRunbook("payments/refunds.md", "# Refunds\n\n## Mitigate\n\nWait.\n");
    const own = await makeToken(harness, ["read"], { domains: ["shop"] });
    const other = await makeToken(harness, ["read"], { domains: ["payments"] });
    const { gaps: listed } = await gaps(bearer(own.token));
    expect(listed).toHaveLength(1);
    expect(await gaps(bearer(other.token))).toEqual({ total: 0, gaps: [] });
    const path = `/v1/quality/gaps/${listed[0]?.id}/draft`;
    expect(await body(path, bearer(own.token))).toMatchObject({ domain: "shop" });
    await problemOf(await request(path, { headers: bearer(other.token) }), 404, "not-found");
    expect(outcomesSchema.parse(await body("/v1/quality/outcomes", bearer(other.token))).total.answers.unknown).toBe(0);
    expect(outcomesSchema.parse(await body("/v1/quality/outcomes", bearer(own.token))).total.answers.unknown).toBe(1);
  });

  it("are gone with their incidents", async () => {
    const { incident_id } = await harness.triage(ALERT);
    expect((await gaps()).total).toBe(1);
    await request(`/v1/incidents/${incident_id}`, { method: "DELETE" });
    expect((await gaps()).total).toBe(0);
  });
});

describe("the reports about incidents", () => {
  const HOUR_MS = 3_600_000;
  const handover = async (hours: number, headers = {}) =>
    handoverSchema.parse(await body(`/v1/handover?hours=${hours}`, headers));
  const stats = async (headers = {}) => incidentStatsSchema.parse(await body("/v1/stats", headers));
  const alert = async (startsAt: Date, endsAt?: Date) => {
    const times = { startsAt: startsAt.toISOString(), ...(endsAt ? { endsAt: endsAt.toISOString() } : {}) };
    const made = { name: "LedgerStalled", labels: { domain: "shop", service: "ledger" }, ...times };
    const { incidents } = await deliver(harness, "alertmanager", webhook([made]));
    await investigate(services, incidents);
    return incidents[0] ?? "";
  };

  it("say how long a failure took, what fixed it, and that it came back", async () => {
    await storeRunbook("shop/basket.md", "# Basket is empty\n\n## Mitigate\n\nFill the basket.\n");
    const start = clock.now();
    clock.advance(HOUR_MS / 2);
    const first = await alert(start);
    await post(`/v1/incidents/${first}/tries`, { action: "Restarted the primary", helped: false, by: "kim" });
    expect(await handover(12)).toMatchObject({
      firing: { total: 1, incidents: [{ id: first, started_at: expect.any(String), ended_at: null }] },
      resolved: { total: 0 },
    });
    clock.advance(HOUR_MS / 2);
    await alert(start, clock.now());
    // The fix is written down the next day: the failure did not last until then.
    clock.advance(DAY_MS);
    await post(`/v1/incidents/${first}/resolve`, { resolution: "Grew the volume", resolved_by: "dana" });
    clock.advance(HOUR_MS);
    const second = await alert(clock.now());
    clock.advance(HOUR_MS);

    const shift = await handover(6);
    expect(shift).toMatchObject({
      firing: { total: 1, incidents: [{ id: second }] },
      open: { total: 0, older: 0 },
      resolved: {
        total: 1,
        with_fix: 1,
        incidents: [{ id: first, resolution: "Grew the volume", resolved_by: "dana" }],
      },
      came_back: { total: 1, failures: [{ fix: "Grew the volume", fixed_by: "dana" }] },
      without_runbook: { total: 1, gaps: [{ alertname: "LedgerStalled" }] },
    });
    expect((await handover(1)).resolved.total).toBe(0);
    expect(await stats()).toMatchObject({
      incidents: 2,
      resolved: 1,
      with_fix: 1,
      time_to_fix: { mean_minutes: 60, median_minutes: 60 },
      failures: 1,
      repeated: 1,
      minutes_lost: 120,
      top: [{ incident_id: second, incidents: 2, minutes_lost: 120, fix: "Grew the volume" }],
    });
    const { markdown } = (await body(`/v1/incidents/${first}/postmortem`)) as { markdown: string };
    expect(markdown).toContain("It ended 60 min after its start. The fix of dana: Grew the volume.");
    expect(markdown).toContain('kim tried an action that did not help: "Restarted the primary"');
    expect(markdown).toContain("It did not hold here: the failure came back on");
    expect(markdown).toContain(`Still open. (\`${second}\`)`);

    await storeRunbook("payments/refunds.md", "# Refunds\n\n## Mitigate\n\nWait.\n");
    const other = bearer((await makeToken(harness, ["read"], { domains: ["payments"] })).token);
    expect(await handover(744, other)).toMatchObject({
      firing: { total: 0, incidents: [] },
      resolved: { total: 0, incidents: [] },
      came_back: { total: 0, failures: [] },
      without_runbook: { total: 0, gaps: [] },
    });
    expect(await stats(other)).toMatchObject({ incidents: 0, top: [], time_to_resolve: null });
    await problemOf(await request(`/v1/incidents/${first}/postmortem`, { headers: other }), 404, "not-found");
  });

  it("have one failure_id for what the answers or the memory say is one failure, whatever the name of the alert", async () => {
    const report = (target: string, logs: string) =>
      harness.triage({ title: "HighErrorRate", target, labels: { alertname: "HighErrorRate", domain: "shop" }, logs });
    const deadlock = "ERROR: deadlock detected: process 17 waits for ShareLock on transaction 4711";
    const readonly = "ERROR READONLY You can't write against a read only replica, command SET";
    const reports = [
      await report("ledger", deadlock),
      await report("cart", readonly),
      await report("cart-2", readonly),
      await report("disk", "ERROR 507 no space left on device: /var/lib/ledger"),
      await report("basket", "ERROR basket E12 is empty"),
    ];
    clock.advance(1_000);
    reports.push(
      // Memory keeps it in another record: a restricted token reads those of its domains.
      await harness.triage({
        title: "SlowPayments",
        labels: { alertname: "SlowPayments", domain: "payments" },
        logs: deadlock,
      }),
      await harness.triage({ title: "The volume is 97 % full", labels: { alertname: "VolumeFull", domain: "shop" } }),
    );
    // Memory takes another failure of the service for the same: without error lines, it says little.
    const alike = { recalled: { incidents: [{ id: reports[1]?.incident_id, probability: 0.9 }] } };
    const past = { sources: [{ id: reports[0]?.incident_id, kind: "incident", title: "HighErrorRate" }] };
    const runbook = { sources: [{ id: "c", kind: "runbook", title: "Basket is empty", source: "shop/basket.md" }] };
    for (const [index, result] of [
      [3, past],
      [4, runbook],
    ] as const)
      await sql`update public.triages set outcome = 'cause', result = result || ${sql.json(result)} where incident_id = ${reports[index]?.incident_id ?? ""}`;
    await sql`update public.triages set result = result || ${sql.json(alike)} where incident_id = ${reports[6]?.incident_id ?? ""}`;
    const listed = listSchema.parse(await body("/v1/incidents")).incidents;
    const ids = reports.map(({ incident_id }) => listed.find(({ id }) => id === incident_id)?.failure_id);
    expect(ids).toEqual([
      reports[0]?.incident_id,
      reports[1]?.incident_id,
      reports[1]?.incident_id,
      reports[0]?.incident_id,
      "shop/basket.md: Basket is empty",
      reports[0]?.incident_id,
      "title: the-volume-is-97-full",
    ]);
    // The handover has a line for each failure, and an outcome of it.
    const { open } = await handover(12);
    expect(open.total).toBe(7);
    expect(open.incidents.map(({ same }) => same.incidents).toSorted()).toEqual([1, 1, 1, 2, 2]);
    const failures = reports.map(({ incident_id }) => listed.find(({ id }) => id === incident_id)?.failure);
    expect(failures[0]).toMatch(/^deadlock detected/);
    expect(failures[4]).toBe("Basket is empty");
    // A person corrects the answer: it groups no longer, until they take that back.
    const { incident_id: wrong = "", triage_id: answer = "" } = reports[4] ?? {};
    const failureOf = async () => {
      const { open: later } = await handover(12);
      return later.incidents.find(({ id }) => id === wrong)?.failure_id;
    };
    await post(`/v1/triages/${answer}/feedback`, { rating: "down", corrections: [{ part: "runbook" }] });
    expect(await failureOf()).toBe(wrong);
    await post(`/v1/triages/${answer}/feedback`, { rating: "up" });
    expect(await failureOf()).toBe("shop/basket.md: Basket is empty");
  });

  it("leave out questions, evaluations and what is no incident", async () => {
    await harness.triage({ title: "Watchdog", labels: { alertname: "Watchdog", domain: "shop" } });
    await harness.triage(ALERT, { "x-dejavu-traffic": "evaluation" });
    await harness.triage({ question: "Why is replication slow?" });
    expect(await handover(12)).toMatchObject({ firing: { total: 0 }, open: { total: 0 }, resolved: { total: 0 } });
    expect(await stats()).toMatchObject({ incidents: 0, failures: 0 });
  });
});
