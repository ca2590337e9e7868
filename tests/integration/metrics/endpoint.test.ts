// GET /metrics: access, samples, the response without a database, and a scrape by a real Prometheus.

import { beforeAll, describe, expect, it } from "vitest";
import { SCOPES } from "../../../functions/access/caller.ts";
import { JOB_NAMES } from "../../../functions/jobs/schedule.ts";
import { METRIC_FAMILIES } from "../../../functions/telemetry/metric-families.ts";
import { PROMETHEUS_TEXT } from "../../../functions/telemetry/prometheus-text.ts";
import { findProgram } from "../../support/debian.ts";
import { createHarness, type Harness, info, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { listen } from "../support/servers/listen.ts";
import { lyingServer } from "../support/servers/lying-server.ts";
import { bearer, makeToken, problemOf } from "../support/tokens.ts";
import { promtool, startPrometheus } from "./real-prometheus.ts";
import { labelsWithDomains, samplesOf } from "./support.ts";

const harness = createHarness({ MODEL: "none" });
const { services, clock } = harness;
const promtoolPath = await findProgram("promtool");
const prometheusPath = await findProgram("prometheus");
const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway" };
const POLL = { timeout: 120_000, interval: 100 };

beforeAll(() => loadFreshRunbooks(services, workerEnv));

async function scrape(from: Harness = harness): Promise<string> {
  const response = await from.request("/metrics");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe(PROMETHEUS_TEXT);
  return response.text();
}

/** A time in the past by the database's clock, which differs from the harness's. */
async function databaseTime(secondsAgo: number): Promise<Date> {
  const [row] = await sql`select now() - ${secondsAgo} * interval '1 second' as at`;
  return new Date(row?.at);
}

describe("access", () => {
  it.each(["read", "admin"] as const)("is granted to a token with the scope %s", async (scope) => {
    const { token } = await makeToken(harness, [scope]);
    const response = await harness.request("/metrics", { headers: bearer(token) });
    expect(response.status).toBe(200);
  });

  it("is refused to a token with all other scopes and to callers without a token", async () => {
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
  it("has every metric with its help and type, and no other", async () => {
    const text = await scrape();
    for (const { name, type } of METRIC_FAMILIES) {
      expect(text, name).toContain(`# TYPE ${name} ${type}\n`);
    }
    const sampleCount = Object.keys(samplesOf(text)).length;
    const [counted] =
      await sql`select count(*)::int as count from public.metric_samples(${await labelsWithDomains()}::text::jsonb)`;
    expect(sampleCount).toBe((counted?.count ?? 0) + 2 + JOB_NAMES.length);
  });

  it("gives each metric the labels of its family", async () => {
    const samples = [...(await scrape()).matchAll(/^(\w+?)(?:_bucket|_sum|_count)?(?:\{(.*)\})? \S+$/gm)];
    const wrong = samples.filter(([, name, labels = ""]) => {
      const family = METRIC_FAMILIES.find((each) => each.name === name);
      const names = [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label).filter((label) => label !== "le");
      return names.toSorted().join() !== family?.labels.toSorted().join();
    });
    expect(samples.length).toBeGreaterThan(100);
    expect(wrong.map(([line]) => line)).toEqual([]);
  });

  it("shows counters, the version and the interval of each job", async () => {
    await harness.triage(OOM);
    expect(samplesOf(await scrape())).toMatchObject({
      [`dejavu_build_info{version="${services.version}"}`]: 1,
      dejavu_database_up: 1,
      'dejavu_triages_total{mode="extractive",domain="docker",outcome="cause"}': 1,
      'dejavu_job_interval_seconds{name="retry-outbox"}': 120,
    });
  });

  it("shows the depth and age of the outbox and the queue", async () => {
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
        values ('incidents', 'a', ${at}, ${at})`;
      await sql`insert into public.incidents (id, created_at, title, severity, session_id, domain, domain_rule, incident_type,
          incident_type_rule, status, submitted_via, queued_at)
        values (${services.newId()}, ${at}, 't', 'low', 's', 'docker', 'r', 'unknown', 'r', 'queued', 'queue', ${at})`;
    }
    const waiting = samplesOf(await scrape());
    expect(waiting).toMatchObject({ dejavu_outbox_depth: 2, dejavu_queue_depth: 2 });
    expect(waiting.dejavu_outbox_oldest_seconds).toBeGreaterThanOrEqual(7_200);
    expect(waiting.dejavu_queue_oldest_seconds).toBeGreaterThanOrEqual(7_200);
  });

  it("shows the pending annotations for Phoenix and those that were given up", async () => {
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

  it("shows age 0 for an incident that is queued for a later time", async () => {
    await sql`update public.incidents set queued_at = ${await databaseTime(-600)} where status = 'queued'`;
    expect(samplesOf(await scrape())).toMatchObject({ dejavu_queue_depth: 2, dejavu_queue_oldest_seconds: 0 });
  });

  it("shows for each job its last start, its last success and whether the last run failed", async () => {
    const job = async (name: string) =>
      Object.fromEntries(
        Object.entries(samplesOf(await scrape())).flatMap(([series, value]) => {
          const match = /^dejavu_job_(last_\w+)\{name="(.*)"\}$/.exec(series);
          return match?.[2] === name ? [[match[1], value]] : [];
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
    ["is unavailable", { answer: () => "cut" as const }],
    ["hangs", { hang: true }],
    ["sends an invalid response", { answer: () => ({ body: '[{"metric":1}]' }) }],
    ["lacks the migrations", { answer: () => ({ status: 404, body: '{"code":"PGRST202","message":"no function"}' }) }],
  ])("because it %s, a scrape has the build info and dejavu_database_up 0 only", async (_what, behaviour) => {
    await using broken = await lyingServer(behaviour);
    const disconnected = createHarness({ SUPABASE_URL: broken.url });
    disconnected.expireHung(broken, "database");
    const text = await scrape(disconnected);
    expect(samplesOf(text)).toEqual(onlyThese);
    expect(text.match(/# TYPE/g)).toHaveLength(2);
    expect(disconnected.log).toContainEqual(
      expect.objectContaining({ level: "warn", event: "metrics.database_unavailable" }),
    );
  });
});

describe.skipIf(promtoolPath === null || prometheusPath === null)(
  "Prometheus (skipped when it is not available)",
  () => {
    it("reports no problem with the metrics, and reports an invalid name", async () => {
      expect(await promtool(promtoolPath ?? "", ["check", "metrics"], await scrape())).toEqual({ code: 0, output: "" });
      expect(await promtool(promtoolPath ?? "", ["check", "metrics"], "dejavuThing 1\n")).not.toMatchObject({
        code: 0,
      });
    });

    it("scrapes the metrics and answers queries", async () => {
      const { token } = await makeToken(harness, ["read"]);
      await using server = await listen(services);
      const dejavu = {
        job_name: "dejavu",
        authorization: { credentials: token },
        static_configs: [{ targets: [server.host] }],
      };
      await using prometheus = await startPrometheus(prometheusPath ?? "", { scrape: [dejavu], rules: [] });
      await expect.poll(async () => (await prometheus.query('up{job="dejavu"}'))[0]?.value, POLL).toBe(1);
      expect(await prometheus.query("sum by (outcome) (dejavu_triages_total) > 0")).toEqual([
        { labels: { outcome: "cause" }, value: 1 },
      ]);
      expect(await prometheus.query('dejavu_triage_confidence_bucket{mode="extractive",le="+Inf"}')).toMatchObject([
        { value: 1 },
      ]);
      const scheduled = await prometheus.query("dejavu_job_last_run_timestamp_seconds");
      expect(scheduled.map(({ labels }) => labels.name).sort()).toEqual([...JOB_NAMES].sort());
    });
  },
);
