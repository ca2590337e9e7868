// What callers are answered while the database is unavailable, and what is stored when it is back.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { QUEUES } from "../../../functions/jobs/queues.ts";
import { triageResultSchema } from "../../../functions/schemas/triage-result.ts";
import { MAX_WRITE_BYTES } from "../../../functions/write-buffer.ts";
import { createPerson } from "../cli/support/person.ts";
import { createHarness, deleteIncidents, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { connectAgent } from "../support/mcp-agent.ts";
import { listen } from "../support/servers/listen.ts";
import { alertmanager, createOutage, deliver, json, OOM, type Outage, takeAll } from "./support.ts";

const direct = createHarness();
const KEY = { "idempotency-key": "pager-42" };

let outage: Outage;

beforeAll(() => loadFreshRunbooks(direct.services, workerEnv));
beforeEach(async () => {
  await deleteIncidents(direct.services);
  outage = await createOutage();
  return () => outage[Symbol.asyncDispose]();
});

const rows = async (table: string): Promise<number> =>
  Number((await sql`select count(*)::int as n from ${sql(`public.${table}`)}`)[0]?.n);

async function pendingTriage(headers: Record<string, string> = {}, harness = outage.harness) {
  const result = triageResultSchema.parse(await json(await harness.post("/v1/triage", OOM, headers), 200));
  expect(result.persisted).toBe("pending");
  return result;
}

function pendingAlerts(alerts: Parameters<typeof alertmanager>[0]) {
  return outage.harness.post("/v1/alerts/alertmanager", alertmanager(alerts));
}

describe("while the database is unavailable", () => {
  it("everything that is answered or reported is stored once when it is back, under the ids that the callers have", async () => {
    outage.cutDatabase();
    const triage = await pendingTriage();
    const report = await json(
      await outage.harness.post("/v1/incidents", { ...OOM, title: "redis is out of memory" }),
      202,
    );
    expect(report).toMatchObject({ status: "queued", persisted: "pending" });
    const alerts = await json(await pendingAlerts([{ status: "firing" }]), 202);
    expect(alerts).toMatchObject({
      received: 1,
      stored: 0,
      incidents: [],
      persisted: "pending",
      alerts: [{ decision: "pending", incident_id: null }],
    });
    outage.harness.clock.advance(60_000);
    const feedback = { rating: "up", by: "dana" };
    expect(await json(await outage.harness.post(`/v1/triages/${triage.triage_id}/feedback`, feedback), 202)).toEqual({
      triage_id: triage.triage_id,
      persisted: "pending",
    });
    const fix = { resolution: "Raised the memory limit.", resolved_by: "dana", worked: true };
    expect(await json(await outage.harness.post(`/v1/incidents/${triage.incident_id}/resolve`, fix), 202)).toEqual({
      incident_id: triage.incident_id,
      persisted: "pending",
    });
    outage.restoreDatabase();

    const writes = takeAll(outage);
    expect(writes.map(({ kind }) => kind)).toEqual(["triage", "report", "alerts", "feedback", "resolution"]);
    // The platform keeps no order, and may deliver a message again.
    for (let i = 0; i < 2; i++)
      expect(await deliver(outage.harness, writes.toReversed())).toEqual(writes.map(() => "acknowledged"));

    const stored = await json(await direct.request(`/v1/incidents/${triage.incident_id}`), 200);
    expect(stored).toMatchObject({
      status: "resolved",
      created_at: expect.stringContaining("2026-03-01T03:00:00"),
      resolution: "Raised the memory limit.",
      resolved_by: "dana",
      resolved_at: expect.stringContaining("2026-03-01T03:01:00"),
      triage: { triage_id: triage.triage_id, persisted: true },
    });
    expect(stored.events).toMatchObject([{ kind: "reported" }, { kind: "triaged" }, { kind: "resolved" }]);
    expect(await sql`select triage_id, rating from public.feedback`).toMatchObject([
      { triage_id: triage.triage_id, rating: 1 },
    ]);
    expect(await json(await direct.request(`/v1/incidents/${report.incident_id}`), 200)).toMatchObject({
      status: "queued",
    });
    expect([await rows("incidents"), await rows("triages"), await rows("alerts"), await rows("fix_tries")]).toEqual([
      3, 1, 1, 1,
    ]);
    const [created] = await sql`select incident_id from public.alerts`;
    expect(outage.investigations).toEqual(
      expect.arrayContaining([{ incident_id: report.incident_id }, { incident_id: created?.incident_id }]),
    );
    // Memory has it too, and the next triage recalls the fix.
    expect((await direct.triage(OOM)).recalled.incidents[0]).toMatchObject({
      id: triage.incident_id,
      resolution: "Raised the memory limit.",
    });
    const { text } = { text: await (await direct.request("/metrics")).text() };
    expect(text).toMatch(/^dejavu_buffered_writes_total\{result="stored"\} \d/m);
  });

  it("the answer says in words that it is stored later", async () => {
    outage.cutDatabase();
    const { warnings } = await pendingTriage();
    expect(warnings.map(({ message }) => message).join()).toContain("is stored under its id when the database is back");
  });

  it("reports, alerts and answers hold no secret in the queue", async () => {
    outage.cutDatabase();
    const secret = "AKIAQ3EGTZVPLSDM7WXK";
    await outage.harness.post("/v1/triage", { ...OOM, logs: `aws_access_key_id=${secret}` });
    await outage.harness.post("/v1/incidents", { ...OOM, logs: `aws_access_key_id=${secret}` });
    await pendingAlerts([{ status: "firing", text: `key ${secret}` }]);
    const unknown = "00000000-0000-4000-8000-000000000000";
    await outage.harness.post(`/v1/incidents/${unknown}/resolve`, { resolution: `Rotated ${secret}.` });
    await outage.harness.post(`/v1/triages/${unknown}/feedback`, { comment: `It was ${secret}.` });
    expect(outage.waiting).toHaveLength(5);
    expect(JSON.stringify(outage.waiting)).not.toContain(secret);
  });

  it("a repeated request with the same key gets the same answer and the same id, and another body is refused", async () => {
    outage.cutDatabase();
    const first = await pendingTriage(KEY);
    const again = await outage.harness.post("/v1/triage", OOM, KEY);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await json(again, 200)).toMatchObject({ incident_id: first.incident_id, persisted: "pending" });
    await json(await outage.harness.post("/v1/triage", { title: "something else" }, KEY), 422);
    const reportKey = { "idempotency-key": "report-1" };
    const report = await json(await outage.harness.post("/v1/incidents", OOM, reportKey), 202);
    const repeated = await outage.harness.post("/v1/incidents", OOM, reportKey);
    expect(repeated.headers.get("idempotent-replayed")).toBe("true");
    expect(await json(repeated, 202)).toMatchObject({ incident_id: report.incident_id, persisted: "pending" });
    expect(outage.waiting).toHaveLength(2);

    outage.restoreDatabase();
    await deliver(outage.harness, takeAll(outage));
    const later = await outage.harness.post("/v1/triage", OOM, KEY);
    expect(later.headers.get("idempotent-replayed")).toBe("true");
    expect(await json(later, 200)).toMatchObject({ incident_id: first.incident_id, persisted: true });
  });

  it("of two answers to one key by different isolates, one is stored", async () => {
    outage.cutDatabase();
    const first = await pendingTriage(KEY);
    await pendingTriage(KEY, outage.isolate());
    const reports = ["a", "b"].map(() => outage.isolate().post("/v1/incidents", OOM, { "idempotency-key": "report" }));
    await Promise.all(reports);
    outage.restoreDatabase();
    const writes = takeAll(outage);
    expect(await deliver(outage.harness, writes)).toEqual(writes.map(() => "acknowledged"));
    expect([await rows("triages"), await rows("incidents")]).toEqual([1, 2]);
    expect(await json(await direct.post("/v1/triage", OOM, KEY), 200)).toMatchObject({
      incident_id: first.incident_id,
    });
  });

  it("an answer whose key a living run holds waits, and is stored once that run is dead", async () => {
    outage.cutDatabase();
    await pendingTriage(KEY);
    outage.restoreDatabase();
    const writes = takeAll(outage);
    // As a request to another isolate, which has not answered yet.
    await sql`insert into public.idempotency_keys (key, request_hash, started_at, incident_id)
      select ${String((writes[0]?.args.idempotency as { key?: string } | undefined)?.key)},
        ${String((writes[0]?.args.idempotency as { request_hash?: string } | undefined)?.request_hash)},
        ${outage.harness.clock.now()}, gen_random_uuid()`;
    expect(await deliver(outage.harness, writes)).toEqual([{ againInSeconds: 5 }]);
    expect(await rows("triages")).toBe(0);
    // That run died: its lease is not renewed, and the answer that waits is stored.
    outage.harness.clock.advance(11_000);
    expect(await deliver(outage.harness, writes)).toEqual(["acknowledged"]);
    expect(await rows("triages")).toBe(1);
  });
});

describe("people and agents are shown in words that it is stored later:", () => {
  it("dejavu triage and dejavu resolve", async () => {
    await using server = await listen(outage.harness.services);
    await using dana = await createPerson({
      DEJAVU_URL: server.url,
      DEJAVU_TOKEN: outage.harness.services.config.DEJAVU_TOKEN,
    });
    outage.cutDatabase();
    const triaged = await dana.dejavu(["triage", OOM.title]);
    expect(triaged).toMatchObject({ code: 0, out: expect.stringContaining("waits in a queue") });
    const resolved = await dana.dejavu(["resolve", "last", "Raised the limit"]);
    expect(resolved).toMatchObject({ code: 0, out: expect.stringContaining("is recorded when it is back") });
    outage.restoreDatabase();
    await deliver(outage.harness, takeAll(outage));
    expect(await sql`select status, resolution from public.incidents`).toMatchObject([
      { status: "resolved", resolution: "Raised the limit" },
    ]);
  });

  it("submit_feedback", async () => {
    const { triage_id } = await outage.harness.triage(OOM);
    await using agent = await connectAgent(outage.harness.open);
    outage.cutDatabase();
    const rated = await agent.call("submit_feedback", { rating: "up", triage_id });
    expect(rated.data).toMatchObject({ triage_id, rating: "up", net_rating: null, persisted: "pending" });
    expect(rated.text).toContain("recorded when it is back");
    outage.restoreDatabase();
    await deliver(outage.harness, takeAll(outage));
    expect(await sql`select rating from public.feedback`).toMatchObject([{ rating: 1 }]);
  });
});

describe("the consumer", () => {
  const unknownId = "00000000-0000-4000-8000-000000000000";

  it("delivers a batch again as long as the database is unavailable, later and later, and in order", async () => {
    outage.cutDatabase();
    await pendingTriage();
    await outage.harness.post("/v1/incidents", OOM);
    const writes = takeAll(outage);
    for (const [attempts, seconds] of [
      [1, 5],
      [2, 10],
      [3, 20],
      [9, 30],
    ] as const)
      expect(await deliver(outage.harness, writes, { attempts })).toEqual(
        writes.map(() => ({ againInSeconds: seconds })),
      );
    expect(outage.harness.log.filter(({ event }) => event === "write_buffer.waiting")).toHaveLength(4);
  });

  it("sends messages anew before the platform gives them up", async () => {
    outage.cutDatabase();
    await pendingTriage();
    const writes = takeAll(outage);
    expect(await deliver(outage.harness, writes, { attempts: 60 })).toEqual(["acknowledged"]);
    expect(takeAll(outage)).toEqual(writes);
    outage.failQueue();
    expect(await deliver(outage.harness, writes, { attempts: 60 })).toEqual([{ againInSeconds: 30 }]);
  });

  it("retries what comes before the thing that it belongs to", async () => {
    outage.cutDatabase();
    const { triage_id, incident_id } = await pendingTriage();
    await outage.harness.post(`/v1/triages/${triage_id}/feedback`, { rating: "down" });
    await outage.harness.post(`/v1/incidents/${incident_id}/resolve`, { resolution: "Raised the limit." });
    outage.restoreDatabase();
    const [triage, ...others] = takeAll(outage);
    expect(await deliver(outage.harness, others)).toEqual(others.map(() => ({ againInSeconds: 5 })));
    await deliver(outage.harness, [triage]);
    expect(await deliver(outage.harness, others, { attempts: 2 })).toEqual(["acknowledged", "acknowledged"]);
    expect([await rows("feedback"), await rows("fix_tries")]).toEqual([1, 1]);
  });

  it("keeps newer feedback and a newer fix, which were stored directly", async () => {
    const { triage_id, incident_id } = await outage.harness.triage(OOM);
    const feedback = `/v1/triages/${triage_id}/feedback`;
    const resolve = `/v1/incidents/${incident_id}/resolve`;
    outage.cutDatabase();
    await outage.harness.post(feedback, { rating: "down", by: "dana" });
    await outage.harness.post(resolve, { resolution: "The older fix." });
    outage.restoreDatabase();
    outage.harness.clock.advance(1_000);
    await outage.harness.post(feedback, { rating: "up", by: "dana" });
    await outage.harness.post(resolve, { resolution: "The newer fix." });
    expect(await deliver(outage.harness, takeAll(outage))).toEqual(["acknowledged", "acknowledged"]);
    expect(await sql`select rating from public.feedback`).toMatchObject([{ rating: 1 }]);
    expect(await sql`select resolution from public.incidents`).toMatchObject([{ resolution: "The newer fix." }]);
  });

  it("resolves what was merged, when the database failed after the fix of the incident", async () => {
    const { incident_id: id } = await outage.harness.triage(OOM);
    const { incident_id: merged } = await outage.harness.triage({ title: "ledger: certificate has expired" });
    outage.cutDatabase();
    await outage.harness.post(`/v1/incidents/${id}/resolve`, { resolution: "Raised the limit." });
    outage.restoreDatabase();
    const writes = takeAll(outage);
    await deliver(outage.harness, writes);
    await sql`update public.incidents set merged_into = ${id} where id = ${merged}`;
    for (let i = 0; i < 2; i++) expect(await deliver(outage.harness, writes)).toEqual(["acknowledged"]);
    const [row] = await sql`select status, resolution from public.incidents where id = ${merged}`;
    expect(row).toEqual({ status: "resolved", resolution: "Raised the limit." });
    expect(await rows("fix_tries")).toBe(2);
  });

  it("opens the incident of an alert whose end was stored first, and closes it", async () => {
    outage.cutDatabase();
    await pendingAlerts([{ status: "firing" }]);
    outage.restoreDatabase();
    outage.harness.clock.advance(60_000);
    expect(await json(await pendingAlerts([{ status: "resolved" }]), 202)).toMatchObject({ persisted: true });
    const writes = takeAll(outage);
    for (let i = 0; i < 2; i++) expect(await deliver(outage.harness, writes)).toEqual(["acknowledged"]);
    expect(
      await sql`select a.status, i.status as incident from public.alerts a join public.incidents i on i.id = a.incident_id`,
    ).toMatchObject([{ status: "resolved", incident: "resolved" }]);
    expect(await rows("incidents")).toBe(1);
  });

  it("ends an alert that a later start of the same alert replaced", async () => {
    outage.cutDatabase();
    await pendingAlerts([{ status: "firing" }]);
    outage.restoreDatabase();
    outage.harness.clock.advance(900_000);
    const later = JSON.stringify(alertmanager([{ status: "firing" }])).replaceAll("02:50:00", "03:14:00");
    await json(await outage.harness.post("/v1/alerts/alertmanager", JSON.parse(later)), 202);
    expect(await deliver(outage.harness, takeAll(outage))).toEqual(["acknowledged"]);
    expect(await sql`select status from public.alerts order by starts_at`).toMatchObject([
      { status: "resolved" },
      { status: "firing" },
    ]);
  });

  it("does not let a write that cannot be stored block the others, and ends it in the dead letter queue", async () => {
    outage.cutDatabase();
    await pendingTriage();
    outage.restoreDatabase();
    const [triage] = takeAll(outage);
    const at = "2026-03-01T02:00:00Z";
    const poison = { kind: "report", at, subject: unknownId, args: { now: "no time" }, domains: null };
    expect(await deliver(outage.harness, [poison, "no write", triage])).toEqual([
      { againInSeconds: 5 },
      "acknowledged",
      "acknowledged",
    ]);
    expect(await rows("triages")).toBe(1);
    // It may be the key or the schema of the database, so it is kept for days, and tried every 5 minutes.
    outage.harness.clock.advance(3 * 86_400_000);
    expect(await deliver(outage.harness, [poison], { attempts: 49 })).toEqual([{ againInSeconds: 300 }]);
    expect(await deliver(outage.harness, [poison], { attempts: 50 })).toEqual(["acknowledged"]);
    expect(outage.waiting.splice(0)).toEqual([poison]);
    outage.harness.clock.advance(2 * 86_400_000);
    expect(await deliver(outage.harness, [poison], { attempts: 50 })).toEqual([{ againInSeconds: 300 }]);
    expect(await deliver(outage.harness, [poison], { queue: QUEUES.deadWrites })).toEqual(["acknowledged"]);
    const events = outage.harness.log.map(({ level, event }) => `${level} ${event}`);
    expect(events).toEqual(expect.arrayContaining(["error write_buffer.refused", "error write_buffer.lost"]));
    expect(await (await direct.request("/metrics")).text()).toMatch(
      /^dejavu_buffered_writes_total\{result="lost"\} [1-9]/m,
    );
  });
});

describe("what the queue cannot take", () => {
  const large = { ...OOM, logs: "2026-03-01T02:59:00Z ERROR connection refused by upstream\n".repeat(3_000) };

  it("a report that is larger than a message gets 503, and an answer says that it is not stored", async () => {
    outage.cutDatabase();
    expect((await outage.harness.post("/v1/incidents", large)).status).toBe(503);
    expect(await json(await outage.harness.post("/v1/triage", large), 200)).toMatchObject({ persisted: false });
    expect(outage.waiting).toEqual([]);
  });

  it("the alerts of a large webhook are divided among messages", async () => {
    outage.cutDatabase();
    const alerts = Array.from({ length: 60 }, (_, i) => ({
      status: "firing" as const,
      name: `Alert${i}`,
      text: `probe ${i} failed: é\n`.repeat(300),
    }));
    expect(await json(await pendingAlerts(alerts), 202)).toMatchObject({ persisted: "pending", received: 60 });
    outage.restoreDatabase();
    const writes = takeAll(outage);
    expect(writes.length).toBeGreaterThan(1);
    for (const write of writes)
      expect(new TextEncoder().encode(JSON.stringify(write)).length).toBeLessThanOrEqual(MAX_WRITE_BYTES);
    await deliver(outage.harness, writes);
    expect(await rows("alerts")).toBe(60);
  });

  it("without a working queue, callers are answered as before: 503, and persisted false", async () => {
    outage.cutDatabase();
    outage.failQueue();
    const id = "00000000-0000-4000-8000-000000000000";
    expect((await outage.harness.post("/v1/incidents", OOM)).status).toBe(503);
    expect((await pendingAlerts([{ status: "firing" }])).status).toBe(503);
    expect((await outage.harness.post(`/v1/triages/${id}/feedback`, { rating: "up" })).status).toBe(503);
    expect((await outage.harness.post(`/v1/incidents/${id}/resolve`, { resolution: "x" })).status).toBe(503);
    expect(await json(await outage.harness.post("/v1/triage", OOM), 200)).toMatchObject({ persisted: false });
  });
});
