// GET /metrics: who may read it, what it says when the database is away, and that Prometheus itself reads it.

import { beforeAll, describe, expect, it } from "vitest";
import { SCOPES } from "../../../functions/access/caller.ts";
import { JOB_NAMES } from "../../../functions/jobs/schedule.ts";
import { METRIC_LABELS } from "../../../functions/routes/metric-labels.ts";
import { METRIC_FAMILIES } from "../../../functions/telemetry/metric-families.ts";
import { PROMETHEUS_TEXT } from "../../../functions/telemetry/prometheus-text.ts";
import { findProgram } from "../../support/debian.ts";
import { createHarness, type Harness, info, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { listen } from "../support/servers/listen.ts";
import { lyingServer } from "../support/servers/lying-server.ts";
import { bearer, makeToken, problemOf } from "../support/tokens.ts";
import { promtool, startPrometheus } from "./real-prometheus.ts";
import { samplesOf } from "./support.ts";

const harness = createHarness({ MODEL: "none" });
const { services, clock } = harness;
const promtoolPath = await findProgram("promtool");
const prometheusPath = await findProgram("prometheus");
const OOM = { title: "api-gateway container exited with code 137", target: "api-gateway" };
const PATIENCE = { timeout: 20_000, interval: 100 };

beforeAll(() => loadFreshRunbooks(services, workerEnv));

async function scrape(from: Harness = harness): Promise<string> {
  const response = await from.request("/metrics");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe(PROMETHEUS_TEXT);
  return response.text();
}

/** When it is now for the database, which has a clock of its own. */
async function databaseTime(secondsAgo: number): Promise<Date> {
  const [row] = await sql`select now() - ${secondsAgo} * interval '1 second' as at`;
  return new Date(row?.at);
}

describe("who may read", () => {
  it.each(["read", "admin"] as const)("is a token with the scope %s", async (scope) => {
    const { token } = await makeToken(harness, [scope]);
    const response = await harness.request("/metrics", { headers: bearer(token) });
    expect(response.status).toBe(200);
  });

  it("is no token with all other scopes, and nobody without a token", async () => {
    const others = SCOPES.filter((scope) => scope !== "read" && scope !== "admin");
    const { token } = await makeToken(harness, others);
    const refused = await harness.request("/metrics", { headers: bearer(token) });
    expect(refused.headers.get("www-authenticate")).toContain('scope="read admin"');
    const { detail } = await problemOf(refused, 403, "insufficient-scope");
    expect(detail).toContain("`read` or `admin`");
    await problemOf(await harness.request("/metrics", { headers: { authorization: "" } }), 401, "unauthorized");
  });
});

describe("a scrape", () => {
  it("has every metric with its help and type, and nothing that has none", async () => {
    const text = await scrape();
    for (const { name, type } of METRIC_FAMILIES) {
      expect(text, name).toContain(`# TYPE ${name} ${type}\n`);
    }
    const shown = Object.keys(samplesOf(text)).length;
    const [known] =
      await sql`select count(*)::int as count from public.metric_samples(${JSON.stringify(METRIC_LABELS)}::text::jsonb)`;
    expect(shown).toBe((known?.count ?? 0) + 2 + JOB_NAMES.length);
  });

  it("says what was counted, which version answers, and how often jobs are due", async () => {
    await harness.triage(OOM);
    expect(samplesOf(await scrape())).toMatchObject({
      [`dejavu_build_info{version="${services.version}"}`]: 1,
      dejavu_database_up: 1,
      'dejavu_triages_total{mode="extractive",domain="docker",outcome="cause"}': 1,
      'dejavu_job_interval_seconds{name="retry-outbox"}': 120,
    });
  });

  it("says how much waits, and since when", async () => {
    await sql`update public.outbox set done_at = created_at`;
    await sql`update public.incidents set status = 'triaged'`;
    const nothing = {
      dejavu_outbox_depth: 0,
      dejavu_outbox_oldest_seconds: 0,
      dejavu_queue_depth: 0,
      dejavu_queue_oldest_seconds: 0,
    };
    expect(samplesOf(await scrape())).toMatchObject(nothing);
    for (const age of [7_200, 3_600]) {
      const at = await databaseTime(age);
      await sql`insert into public.outbox (collection, document_id, created_at, next_attempt_at)
        values ('incidents-docker', 'a', ${at}, ${at})`;
      await sql`insert into public.incidents (id, created_at, title, severity, session_id, domain, domain_rule, incident_type,
          incident_type_rule, status, submitted_via, queued_at)
        values (${services.newId()}, ${at}, 't', 'low', 's', 'docker', 'r', 'unknown', 'r', 'queued', 'queue', ${at})`;
    }
    const waiting = samplesOf(await scrape());
    expect(waiting).toMatchObject({ dejavu_outbox_depth: 2, dejavu_queue_depth: 2 });
    expect(waiting.dejavu_outbox_oldest_seconds).toBeGreaterThanOrEqual(7_200);
    expect(waiting.dejavu_queue_oldest_seconds).toBeGreaterThanOrEqual(7_200);
  });

  it("says which votes Phoenix is owed, and which it did not take", async () => {
    const [triage] = await sql`select id from public.triages`;
    for (const [person, givenUp] of [
      ["a", false],
      ["b", true],
    ] as const) {
      const at = await databaseTime(7_200);
      await sql`insert into public.feedback (triage_id, person, at, rating) values (${triage?.id}, ${person}, ${at}, 1)`;
      await sql`insert into public.annotation_outbox (triage_id, person, created_at, next_attempt_at, given_up_at)
        values (${triage?.id}, ${person}, ${at}, ${at}, ${givenUp ? at : null})`;
    }
    const figures = samplesOf(await scrape());
    expect(figures).toMatchObject({ dejavu_annotations_pending: 1, dejavu_annotations_given_up: 1 });
    expect(figures.dejavu_annotations_oldest_seconds).toBeGreaterThanOrEqual(7_200);
  });

  it("does not call old what waits for a later time", async () => {
    await sql`update public.incidents set queued_at = ${await databaseTime(-600)} where status = 'queued'`;
    expect(samplesOf(await scrape())).toMatchObject({ dejavu_queue_depth: 2, dejavu_queue_oldest_seconds: 0 });
  });

  it("says of each job when it began last, when it last ended well, and whether it failed", async () => {
    const job = async (name: string) =>
      Object.fromEntries(
        Object.entries(samplesOf(await scrape())).flatMap(([series, value]) => {
          const found = /^dejavu_job_(last_\w+)\{name="(.*)"\}$/.exec(series);
          return found?.[2] === name ? [[found[1], value]] : [];
        }),
      );
    const never = { last_run_timestamp_seconds: 0, last_success_timestamp_seconds: 0, last_run_failed: 0 };
    for (const name of JOB_NAMES) expect(await job(name)).toEqual(never);

    const seconds = () => clock.now().getTime() / 1_000;
    const well = seconds();
    await harness.request("/v1/admin/jobs/recover-stuck-runs", { method: "POST" });
    expect(await job("recover-stuck-runs")).toEqual({
      ...never,
      last_run_timestamp_seconds: well,
      last_success_timestamp_seconds: well,
    });

    clock.advance(300_000);
    const run = (started: number, finished: number | null, error: string | null) => sql`
      insert into public.job_runs (id, job, trigger, started_at, finished_at, error) values (${services.newId()}, 'recover-stuck-runs', 'cron',
        to_timestamp(${started}), to_timestamp(${finished}), ${error})`;
    await run(well + 300, well + 301, "database timeout");
    const failed = { last_run_timestamp_seconds: well + 300, last_success_timestamp_seconds: well, last_run_failed: 1 };
    expect(await job("recover-stuck-runs")).toEqual(failed);

    await run(well + 600, null, null);
    expect(await job("recover-stuck-runs")).toEqual({ ...failed, last_run_timestamp_seconds: well + 600 });
  });

  it("costs one round trip", async () => {
    await using gateway = await lyingServer({ forwardTo: info.urls.supabase });
    await scrape(createHarness({ SUPABASE_URL: gateway.url }));
    expect(gateway.requests).toEqual(["POST /rest/v1/rpc/scrape_metrics"]);
  });
});

describe("without a database", () => {
  const onlyThese = { [`dejavu_build_info{version="${services.version}"}`]: 1, dejavu_database_up: 0 };

  it.each([
    ["is away", { answer: () => "cut" as const }],
    ["hangs", { hang: true }],
    ["answers nonsense", { answer: () => ({ body: '[{"metric":1}]' }) }],
    [
      "has not had its migrations",
      { answer: () => ({ status: 404, body: '{"code":"PGRST202","message":"no function"}' }) },
    ],
  ])("that %s, a scrape says so and nothing else", async (_what, behaviour) => {
    await using broken = await lyingServer(behaviour);
    const blind = createHarness({ SUPABASE_URL: broken.url, DEPENDENCY_TIMEOUT_MS: "200" });
    const text = await scrape(blind);
    expect(samplesOf(text)).toEqual(onlyThese);
    expect(text.match(/# TYPE/g)).toHaveLength(2);
    expect(blind.log).toContainEqual(expect.objectContaining({ level: "warn", event: "metrics.database_unavailable" }));
  });
});

describe.skipIf(promtoolPath === null || prometheusPath === null)("Prometheus (skipped where it cannot be had)", () => {
  it("finds nothing to blame in the metrics, and would", async () => {
    expect(await promtool(promtoolPath ?? "", ["check", "metrics"], await scrape())).toEqual({ code: 0, output: "" });
    expect(await promtool(promtoolPath ?? "", ["check", "metrics"], "dejavuThing 1\n")).not.toMatchObject({ code: 0 });
  });

  it("scrapes them, and answers what was asked of them", async () => {
    const { token } = await makeToken(harness, ["read"]);
    await using door = await listen(services);
    const dejavu = {
      job_name: "dejavu",
      authorization: { credentials: token },
      static_configs: [{ targets: [door.host] }],
    };
    await using prometheus = await startPrometheus(prometheusPath ?? "", { scrape: [dejavu], rules: [] });
    await expect.poll(async () => (await prometheus.query('up{job="dejavu"}'))[0]?.value, PATIENCE).toBe(1);
    expect(await prometheus.query("sum by (outcome) (dejavu_triages_total) > 0")).toEqual([
      { labels: { outcome: "cause" }, value: 1 },
    ]);
    expect(await prometheus.query('dejavu_triage_confidence_bucket{mode="extractive",le="+Inf"}')).toMatchObject([
      { value: 1 },
    ]);
    const scheduled = await prometheus.query("dejavu_job_last_run_timestamp_seconds");
    expect(scheduled.map(({ labels }) => labels.name).sort()).toEqual([...JOB_NAMES].sort());
  });
});
