// Query plans on full tables: every query uses an index, so its cost does not grow with the size of memory.

import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { fillMemory } from "../../../bench/support/memory-fill.ts";
import { claimIncident } from "../../../functions/incidents/incident-queue.ts";
import { findIncident } from "../../../functions/incidents/incident-records.ts";
import { claimRebuilds } from "../../../functions/incidents/rebuild-records.ts";
import { releaseStuckRuns } from "../../../functions/incidents/stuck-runs.ts";
import { claimWebhookDelivery } from "../../../functions/incidents/webhook-deduplication.ts";
import { rebuildRecord } from "../../../functions/investigation/learning/rebuild-record.ts";
import { refitRelevance } from "../../../functions/jobs/refit-relevance.ts";
import { retryOutbox } from "../../../functions/jobs/retry-outbox.ts";
import { decayProcedures, deleteExpiredRows } from "../../../functions/memory/maintenance.ts";
import { claimSessions, retireOriginals, storeSummary } from "../../../functions/memory/session-summary.ts";
import { METRIC_LABELS } from "../../../functions/routes/metric-labels.ts";
import { readMetrics } from "../../../functions/telemetry/read-metrics.ts";
import { createHarness, info, sql, workerEnv } from "../../integration/support/harness.ts";
import { loadFreshRunbooks } from "../../integration/support/inventory.ts";
import { scriptedModel } from "../../integration/support/servers/scripted-model.ts";

const OOM = {
  title: "api-gateway docker container exited with code 137",
  target: "api-gateway",
  session_id: "session-1",
};
const SIZES = { procedures: 8_000, pastAnswers: 12_000, sessions: 15_000, incidents: 8_000, words: 1 };
const DAY_MS = 86_400_000;

const harness = createHarness();
const { clock, services } = harness;
/** The time of the rows from `fillIncidentTables`, before all others. */
const longAgo = new Date(clock.now().getTime() - 400 * DAY_MS);
const { database } = services.background;

beforeAll(async () => {
  await loadFreshRunbooks(services, workerEnv);
  await fillMemory(info.urls.postgres, SIZES, clock.now());
  await fillIncidentTables();
});

describe("with full tables, there is no sequential scan", () => {
  it("by a triage that writes to every memory layer", async () => {
    await using model = await scriptedModel();
    const written = createHarness(model.env());
    let triageId = "";
    const scanned = await tablesScannedBy(async () => {
      const { triage_id } = await written.triage(OOM, { "idempotency-key": "a-new-key" });
      triageId = triage_id;
    });
    expect(scanned).toEqual([]);
    expect(await sql`select 1 from public.past_answers where id = ${triageId}`).toHaveLength(1);
    expect(await sql`select 1 from public.procedures where origin_id = ${triageId}`).toHaveLength(1);
  });

  it("by a question about the session", async () => {
    await harness.triage(OOM);
    const scanned = await tablesScannedBy(async () => {
      const { recalled } = await harness.triage({ question: "What did we find?", session_id: OOM.session_id });
      expect(recalled.past_answers.length).toBeGreaterThan(0);
    });
    expect(scanned).toEqual([]);
  });

  it("by a resolution, a try and feedback", async () => {
    const { incident_id, triage_id } = await harness.triage({ ...OOM, target: "checkout" });
    const repeat = await harness.triage({ ...OOM, target: "checkout" });
    const fix = { resolution: "Raised the memory limit.", did_not_help: ["Restarted it."], worked: true };
    const scanned = await tablesScannedBy(async () => {
      expect((await harness.post(`/v1/incidents/${incident_id}/resolve`, fix)).status).toBe(200);
      const attempt = { action: "Bounded the cache.", helped: true };
      expect((await harness.post(`/v1/incidents/${repeat.incident_id}/tries`, attempt)).status).toBe(200);
      expect((await harness.post(`/v1/triages/${triage_id}/feedback`, { rating: "up" })).status).toBe(200);
    });
    expect(scanned).toEqual([]);
  });

  it("by the deletion of an incident, except of the idempotency keys, which expire, and of the removals under way", async () => {
    const { incident_id } = await harness.triage({ ...OOM, target: "checkout" });
    const repeat = await harness.triage({ ...OOM, target: "checkout" });
    for (const id of [incident_id, repeat.incident_id])
      await harness.post(`/v1/incidents/${id}/resolve`, { resolution: `Raised the limit for ${id}.` });
    const scanned = await tablesScannedBy(async () => {
      const response = await harness.request(`/v1/incidents/${repeat.incident_id}`, { method: "DELETE" });
      expect(response.status).toBe(204);
    });
    expect(scanned.filter((table) => !/^(?:idempotency_keys|text_removals): /.test(table))).toEqual([]);
  });

  it("by the split and the join of records, and by reading them", async () => {
    const ids: string[] = [];
    for (const target of ["ledger", "ledger", "basket"])
      ids.push((await harness.triage({ ...OOM, target })).incident_id);
    const [first = "", second = "", other = ""] = ids;
    await sql`update public.observations set domain = (select domain from public.observations where id = ${first}) where id = ${other}`;
    const path = `/v1/memory/observations/${first}`;
    const scanned = await tablesScannedBy(async () => {
      expect((await harness.post(`${path}/split`, { incident_ids: [second] })).status).toBe(200);
      expect((await harness.post(`${path}/split`, { incident_ids: [second] })).status).toBe(200);
      expect((await harness.post(`${path}/join`, { observation_id: other })).status).toBe(200);
      expect((await harness.request(path)).status).toBe(200);
    });
    expect(scanned).toEqual([]);
  });

  it("by the rebuild of records of an earlier version", async () => {
    const scanned = await tablesScannedBy(async () => {
      const [record] = await claimRebuilds(database, { now: clock.now(), limit: 1, leaseSeconds: 60 });
      if (!record) throw new Error("There is no record to rebuild.");
      expect(await rebuildRecord(services, record, () => false)).toMatchObject({ split: 0, joined: 0 });
    });
    expect(scanned).toEqual([]);
  });

  it("by the feedback list, with and without a rating filter", async () => {
    const scanned = await tablesScannedBy(async () => {
      for (const rating of ["", "&rating=up", "&rating=down"])
        expect((await harness.request(`/v1/feedback?limit=20${rating}`)).status).toBe(200);
    });
    expect(scanned).toEqual([]);
  });

  it("by the lists of memory, with and without a filter", async () => {
    const scanned = await tablesScannedBy(async () => {
      for (const list of ["observations", "past-answers", "procedures"])
        for (const filter of ["", "&text=never%20stored", "&domain=docker&text=memory"])
          expect((await harness.request(`/v1/memory/${list}?limit=20${filter}`)).status).toBe(200);
    });
    expect(scanned).toEqual([]);
  });

  it("by the uses of a runbook", async () => {
    const stored = await harness.request("/v1/runbooks/docker/runbook-1.md", {
      method: "PUT",
      body: "# A\n\nText.",
      headers: { "content-type": "text/markdown" },
    });
    expect(stored.status).toBe(201);
    await sql`update public.sources set created_at = ${longAgo} where source = 'docker/runbook-1.md'`;
    const scanned = await tablesScannedBy(async () => {
      const response = await harness.request("/v1/runbooks/docker/runbook-1.md/uses");
      expect(await response.json()).toMatchObject({ totals: { answered: SIZES.incidents / 80 } });
    });
    expect(scanned).toEqual([]);
  });

  it("by the figures about the quality of answers", async () => {
    const { incident_id } = await harness.triage({ ...OOM, target: "checkout", labels: { alertname: "NobodyWrote" } });
    const scanned = await tablesScannedBy(async () => {
      for (const path of ["calibration", "outcomes", "gaps"])
        expect((await harness.request(`/v1/quality/${path}`)).status).toBe(200);
    });
    expect(scanned).toEqual([]);
    expect((await harness.request(`/v1/incidents/${incident_id}`, { method: "DELETE" })).status).toBe(204);
  });

  it("by the list of incidents, with each filter", async () => {
    const filters = [
      "",
      "text=service-77",
      "text=container%20137",
      "status=open",
      "status=resolved",
      "severity=low",
      "domain=docker",
    ];
    const scanned = await tablesScannedBy(async () => {
      for (const filter of filters)
        expect((await harness.request(`/v1/incidents?limit=50&${filter}`)).status, filter).toBe(200);
    });
    expect(scanned).toEqual([]);
  });

  it("by the job that retries the outbox", async () => {
    const scanned = await tablesScannedBy(async () => {
      const { written } = await retryOutbox(services);
      expect(written).toBe(SIZES.incidents / 1_000);
    });
    expect(scanned).toEqual([]);
  });

  it("by the job that compresses sessions", async () => {
    const now = clock.now();
    const idleSince = new Date(now.getTime() - DAY_MS);
    const claim = { now, idleSince, threshold: 20, limit: 10, leaseSeconds: 60, pastAnswersEach: 200 };
    const scanned = await tablesScannedBy(async () => {
      const [first, ...others] = await claimSessions(database, claim);
      expect(others).toHaveLength(9);
      if (first) await storeSummary(database, first, { text: "A summary.", now, claimUntil: now.toISOString() });
      expect(await retireOriginals(database, now, 200)).toBe(200);
    });
    expect(scanned).toEqual([]);
  });

  it("by the decay of procedures", async () => {
    const scanned = await tablesScannedBy(async () => {
      const decayed = await decayProcedures(database, { now: clock.now(), periodDays: 90, limit: 100 });
      expect(decayed).toEqual({ decayed: 100, archived: 100 });
    });
    expect(scanned).toEqual([]);
  });

  it("by the fit of the calibration", async () => {
    const scanned = await tablesScannedBy(async () => {
      expect(await refitRelevance(services)).toMatchObject({ changed: 0 });
    });
    expect(scanned).toEqual([]);
  });

  it("by a report, its claim, alerts (new, repeated, resolved, firing again) and access tokens", async () => {
    const alert = (fingerprint: string, status: "firing" | "resolved", start = clock.now()) => ({
      status,
      labels: { alertname: "Alert7", container_runtime: "docker" },
      annotations: {},
      startsAt: start.toISOString(),
      endsAt: status === "firing" ? "0001-01-01T00:00:00Z" : clock.now().toISOString(),
      fingerprint,
    });
    const webhook = (...alerts: ReturnType<typeof alert>[]) => ({
      version: "4",
      groupKey: "{}",
      status: "firing",
      alerts,
    });
    await sql`update public.incidents set status = 'failed'
      where id = (select incident_id from public.alerts where fingerprint = 'fingerprint-59')`;
    const scanned = await tablesScannedBy(async () => {
      const receipt = await harness.post("/v1/incidents", OOM, { "idempotency-key": "a-report" });
      const { incident_id } = z.object({ incident_id: z.string() }).parse(await receipt.json());
      const runId = services.newId();
      const claim = { incidentId: incident_id, runId, now: clock.now(), maxAttempts: 3 };
      expect(await claimIncident(database, claim)).toMatchObject({ runId });
      for (const status of ["firing", "resolved"] as const) {
        const body = webhook(
          alert("new-fingerprint", status),
          alert("fingerprint-57", status),
          alert("fingerprint-58", status, longAgo),
          alert("fingerprint-59", status, longAgo),
        );
        expect((await harness.post("/v1/alerts/alertmanager", body)).status).toBe(202);
      }
      const unknown = { authorization: `Bearer djv_${"x".repeat(43)}` };
      expect((await harness.request("/v1/incidents", { headers: unknown })).status).toBe(401);
      expect(await claimWebhookDelivery(database, "a delivery", clock.now())).toBe(true);
      expect(await findIncident(database, incident_id.slice(0, 8))).toMatchObject({ state: "found" });
    });
    expect(scanned).toEqual([]);
  });

  it("by a scrape of the metrics", async () => {
    const scanned = await tablesScannedBy(async () => {
      const samples = await readMetrics(database, METRIC_LABELS);
      expect(samples).toContainEqual({ metric: "dejavu_outbox_depth", labels: {}, value: expect.any(Number) });
    });
    expect(scanned).toEqual([]);
  });

  it("by the recovery of stuck runs and the deletion of expired rows", async () => {
    const before = new Date(clock.now().getTime() - 90 * DAY_MS);
    const scanned = await tablesScannedBy(async () => {
      const options = { now: clock.now(), startedBefore: before, limit: 1, maxAttempts: 3 };
      expect(await releaseStuckRuns(database, options)).toMatchObject({ closed: 1 });
      const { mutes, ...counts } = await deleteExpiredRows(database, before, 500);
      expect([mutes, ...Object.values(counts)]).toEqual([0, ...Array(10).fill(500)]);
    });
    expect(scanned).toEqual([]);
  });
});

/** Fills the tables of alerts, webhook deliveries, access tokens and sessions. */
async function fillIncidentTables(): Promise<void> {
  await sql`insert into public.alerts (owner, source, fingerprint, starts_at, ends_at, status, alertname, domain, severity, title,
      received_at, last_received_at, incident_id, decision, rule)
    select 'service', 'alertmanager', 'fingerprint-' || n, ${longAgo}, case n % 2 when 0 then ${longAgo}::timestamptz end,
      case n % 2 when 0 then 'resolved' else 'firing' end, 'Alert' || n % 50, 'docker', 'low', 't',
      ${longAgo}, ${longAgo}, (select id from public.incidents offset n % 100 limit 1), case when n % 10 = 0 then 'created' else 'grouped' end, 'r'
    from generate_series(1, ${SIZES.incidents}) n`;
  await sql`insert into public.incident_steps (incident_id, key, done, at)
    select id, lpad(to_hex(n), 16, '0'), true, ${longAgo} from public.incidents, generate_series(1, 3) n`;
  await sql`insert into public.webhook_deliveries (digest, at)
    select 'digest-' || n, ${longAgo} from generate_series(1, ${SIZES.incidents}) n`;
  await sql`insert into public.access_tokens (id, name, scopes, token_hash, created_at, created_by)
    select gen_random_uuid(), 'token ' || n, '{read}', encode(sha256(n::text::bytea), 'hex'), ${longAgo}, 'service'
    from generate_series(1, ${SIZES.incidents}) n`;
  await sql`insert into public.sign_in_codes (id, code_hash, credential, token_id, created_at, expires_at)
    select gen_random_uuid(), t.token_hash, 'token', t.id, ${longAgo}, ${longAgo}::timestamptz + interval '10 minutes' from public.access_tokens t`;
  await sql`insert into public.console_sessions (id, session_hash, credential, token_id, created_at, last_used_at, ends_at)
    select gen_random_uuid(), t.token_hash, 'token', t.id, ${longAgo}, ${longAgo}, ${longAgo}::timestamptz + interval '30 days' from public.access_tokens t`;
  await sql`with c as (
      insert into public.changes (id, owner, source, delivery, subject, at, received_at, kind, service, title, labels, scope, domain)
      select gen_random_uuid(), 'service', 'plain', 'delivery-' || n, 'subject-' || n, ${longAgo}, ${longAgo}, 'deployment', 'service-' || n, 't',
        '{}', '{}', 'docker'
      from generate_series(1, ${SIZES.incidents}) n returning id, service, at
    ) insert into public.change_names (name, at, change_id) select service, at, id from c`;
  await sql`insert into public.runbook_uses (source, incident_id, triage_id, at)
    select 'docker/runbook-' || n || '.md', t.incident_id, t.id, ${longAgo}
    from generate_series(1, 80) n, (select * from public.triages limit ${SIZES.incidents / 80}) t`;
  await sql`with target as (
      insert into public.notification_targets (name, kind, min_severity, outcomes, events, window_minutes, per_minute, created_at, updated_at)
      values ('full', 'webhook', 'critical', '{cause}', '{answered}', 60, 5, ${longAgo}, ${longAgo}) returning name
    ), message as (
      insert into public.notification_messages (target, subject, incident_id, opened_at, severity, delivered_at)
      select target.name, i.id, i.id, ${longAgo}, 'low', ${longAgo} from public.incidents i, target returning id, target, incident_id
    ) insert into public.message_incidents (target, incident_id, message_id) select target, incident_id, id from message`;
  await sql`with mute as (
      insert into public.mutes (domain, reason, owner, starts_at, ends_at)
      values ('docker', 'r', 'dana', '2100-01-01', '2100-01-02') returning id
    ) insert into public.muted_incidents (incident_id, target, mute_id, is_counted, at, released_at, shown_in)
    select i.id, 'full', mute.id, true, ${longAgo}, ${longAgo}, i.id from public.incidents i, mute`;
  await sql`analyze`;
}

/**
 * Tables that stay small. Collections, domains, sources, notification targets, mutes, calibrations, reporters and counters have few rows, increments are folded when they are read, and a posted
 * annotation or an announced incident is deleted from its outbox.
 */
const FEW = [
  "collections",
  "domains",
  "evidence_sources",
  "metric_counters",
  "metric_increments",
  "annotation_outbox",
  "notification_targets",
  "mutes",
  "notification_outbox",
  "relevance_calibration",
  "sources",
  "reporter_turns",
];

/** The tables with sequential scans during the work, with the number of rows read. */
async function tablesScannedBy(work: () => Promise<unknown>): Promise<string[]> {
  const before = await scans();
  await work();
  const after = await scans();
  const indexScans = (counts: typeof before) => counts.reduce((sum, { index_scans }) => sum + index_scans, 0);
  expect(indexScans(after)).toBeGreaterThan(indexScans(before));
  return after.flatMap(({ name, rows, sequential_scans }, i) =>
    sequential_scans > (before[i]?.sequential_scans ?? 0) ? [`${name}: ${rows - (before[i]?.rows ?? 0)} rows`] : [],
  );
}

interface ScanCounts {
  readonly name: string;
  readonly sequential_scans: number;
  readonly rows: number;
  readonly index_scans: number;
}

/**
 * A connection reports its scans late, at the latest when it closes. PostgREST closes its pool when it reloads the schema,
 * except for the connection that listens for the reload.
 */
async function scans(): Promise<ScanCounts[]> {
  const pooled =
    await sql`select pid from pg_stat_activity where datname = current_database() and usename = 'authenticator' and query not ilike 'listen%'`;
  const pids = pooled.map(({ pid }) => Number(pid));
  await sql`notify pgrst`;
  await expect.poll(() => sql`select pid from pg_stat_activity where pid = any (${pids})`).toHaveLength(0);
  return sql<ScanCounts[]>`select relname as name, seq_scan::int as sequential_scans, seq_tup_read::int as rows,
      coalesce(idx_scan, 0)::int as index_scans
    from pg_stat_user_tables where schemaname = 'public' and relname <> all (${FEW}) order by relname`;
}
