// The calibration of the relevance model: judgements refit it, runs use it, metrics show it, an administrator resets it.

import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  calibrationRecordSchema,
  claimCalibration,
  storeCalibration,
} from "../../../functions/investigation/relevance/calibration-records.ts";
import { fitCalibration } from "../../../functions/investigation/relevance/fit-calibration.ts";
import { probabilityOf } from "../../../functions/investigation/relevance/relevance.ts";
import { RELEVANCE_MODEL_FINGERPRINT } from "../../../functions/investigation/relevance/relevance-model.ts";
import { jobRunSchema } from "../../../functions/jobs/job-records.ts";
import { refitRelevance } from "../../../functions/jobs/refit-relevance.ts";
import { incidentHitSchema } from "../../../functions/schemas/triage-result.ts";
import { samplesOf } from "../metrics/support.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { type Planted, plantIncident, plantObservation } from "../support/sample-memory.ts";
import { putRunbook } from "../support/sources.ts";
import { bearer, makeToken, problemOf } from "../support/tokens.ts";
import { HOUR_MS, MINUTE_MS } from "./support.ts";

const harness = createHarness({ MODEL: "none" });
const { services, clock, log } = harness;
const { database } = services.background;
const model = RELEVANCE_MODEL_FINGERPRINT;
const PATH = "/v1/admin/relevance-calibration";
const DEFAULT = { model, slope: 1, intercept: 0, labels: 0, positives: 0, brier_before: null, brier_after: null };
const INGRESS_REPORT = { title: "Ingress answers 502, the controller finds no endpoint" };

beforeEach(() => {
  log.length = 0;
  return emptyStores(services);
});

interface SampleAnswer {
  readonly outcome?: "cause" | "possible" | "unknown";
  /** Replaces fields of the result. */
  readonly result?: Readonly<Record<string, unknown>>;
  readonly logOdds?: number | null;
  readonly attached?: number;
}

/** Stores an answer that cites a runbook of these log-odds, beside a runbook of higher log-odds that it does not cite. */
async function plantAnswer({ outcome = "cause", result = {}, logOdds = 1, attached }: SampleAnswer = {}) {
  const answer = await plantIncident(services);
  const contributions = { bias: logOdds, ...(attached === undefined ? {} : { attached }) };
  const cited = {
    id: "c1",
    source: "exit-137.md",
    relevance: logOdds === null ? null : { log_odds: logOdds, contributions },
  };
  const other = { id: "c2", source: "other.md", relevance: { log_odds: 9, contributions: { bias: 9 } } };
  const stored = {
    relevance_model: model,
    sources: [{ id: "c1", source: "exit-137.md" }],
    recalled: { runbooks: [other, cited], incidents: [] },
    ...result,
  };
  await sql`update public.triages set outcome = ${outcome}, result = ${sql.json(JSON.parse(JSON.stringify(stored)))}
    where id = ${answer.triageId}`;
  return answer;
}

async function rate(
  { triageId }: Pick<Planted, "triageId">,
  rating: "up" | "down" | "none",
  by = "dana",
): Promise<void> {
  expect((await harness.post(`/v1/triages/${triageId}/feedback`, { rating, by })).status).toBe(200);
}

async function resolve({ incidentId }: Pick<Planted, "incidentId">, worked: boolean): Promise<void> {
  const fix = { resolution: "Raised the memory limit.", worked };
  expect((await harness.post(`/v1/incidents/${incidentId}/resolve`, fix)).status).toBe(200);
}

/** Answers of log-odds 1, so that the model expects 73 % of them to be right. */
async function plantRatedAnswers({ right, wrong }: { readonly right: number; readonly wrong: number }): Promise<void> {
  for (const [rating, count] of [
    ["up", right],
    ["down", wrong],
  ] as const) {
    const answer = await plantAnswer();
    await rate(answer, rating);
    await copyAnswer(answer, count - 1);
  }
}

/** Stores copies of an answer and of its ratings. */
async function copyAnswer({ triageId }: Pick<Planted, "triageId">, copies: number): Promise<void> {
  await sql`with copies as (
      insert into public.triages (id, incident_id, created_at, mode, outcome, confidence, result)
      select gen_random_uuid(), incident_id, created_at, mode, outcome, confidence, result
      from public.triages, generate_series(1, ${copies}) where id = ${triageId} returning id
    )
    insert into public.feedback (triage_id, person, at, rating)
    select copies.id, person, at, rating from copies, public.feedback where triage_id = ${triageId}`;
}

async function runJob() {
  const response = await harness.request("/v1/admin/jobs/refit-relevance", { method: "POST" });
  return jobRunSchema.parse(await response.json());
}

async function calibration() {
  const response = await harness.request(PATH);
  expect(response.status).toBe(200);
  return calibrationRecordSchema.strict().parse(await response.json());
}

async function storedLabels() {
  const [row] = await sql`select public.calibration_labels(${model}, null, 2000) as labels`;
  return row?.labels;
}

describe("the job refit-relevance", () => {
  it("changes nothing with 49 judged answers, and the numbers with 50", async () => {
    await plantRatedAnswers({ right: 10, wrong: 39 });
    expect(await runJob()).toMatchObject({ error: null, counts: { labels: 49, positives: 10, changed: 0 } });
    const fitted_at = clock.now().toISOString();
    const before = await calibration();
    expect(before).toMatchObject({ model, slope: 1, intercept: 0, labels: 49, fitted_at, ignore_before: null });
    expect(log.some(({ event }) => event === "relevance.refitted")).toBe(false);

    await rate(await plantAnswer(), "down");
    expect(await runJob()).toMatchObject({ error: null, counts: { labels: 50, positives: 10, changed: 1 } });
    const after = await calibration();
    expect(after).toMatchObject({ labels: 50, positives: 10, fitted_at });
    expect(probabilityOf(after.slope + after.intercept)).toBeLessThan(0.55);
    expect(after.brier_after).toBeLessThan(after.brier_before ?? 0);
    const { slope, intercept } = after;
    expect(log.filter(({ event }) => event === "relevance.refitted")).toMatchObject([
      { level: "info", fields: { model, labels: 50, positives: 10, slope, intercept } },
    ]);
  });

  it("reads no labels when nothing was judged since the last fit", async () => {
    await plantRatedAnswers({ right: 2, wrong: 1 });
    // A judgement of the same moment as the fit counts as newer, so that none is lost.
    clock.advance(1_000);
    expect((await runJob()).counts).toMatchObject({ labels: 3 });
    clock.advance(HOUR_MS);
    expect((await runJob()).counts).toEqual({ labels: 0, positives: 0, changed: 0 });
    expect(await calibration()).toMatchObject({ labels: 3 });
    await resolve(await plantAnswer(), true);
    expect((await runJob()).counts).toMatchObject({ labels: 4, positives: 3 });
  });

  it("changes the numbers once when runs overlap", async () => {
    await plantRatedAnswers({ right: 20, wrong: 40 });
    const runs = await Promise.all([1, 2, 3].map(() => refitRelevance(services)));
    expect(runs.reduce((sum, { changed }) => sum + changed, 0)).toBe(1);
  });

  it("takes over the claim of a run that died", async () => {
    await rate(await plantAnswer(), "up");
    const claim = { model, now: clock.now(), leaseSeconds: 60, limit: 10 };
    expect(await claimCalibration(database, claim)).toMatchObject({ state: "claimed" });
    expect(await refitRelevance(services)).toMatchObject({ labels: 0 });
    clock.advance(MINUTE_MS);
    expect(await refitRelevance(services)).toMatchObject({ labels: 1 });
  });
});

describe("a label", () => {
  it("comes from the rating of a real answer, with the log-odds of the runbook that it cites", async () => {
    await putRunbook(harness);
    const result = await harness.triage(INGRESS_REPORT);
    expect(["cause", "possible"]).toContain(result.outcome);
    await rate({ triageId: result.triage_id }, "up");
    const log_odds = result.recalled.runbooks[0]?.relevance?.log_odds;
    expect(await storedLabels()).toEqual([{ log_odds, is_right: true }]);
  });

  it("comes from a resolution that says whether the answer worked", async () => {
    await resolve(await plantAnswer({ logOdds: 0.5 }), false);
    clock.advance(1_000);
    await resolve(await plantAnswer({ outcome: "possible", logOdds: -0.5 }), true);
    expect(await storedLabels()).toEqual([
      { log_odds: -0.5, is_right: true },
      { log_odds: 0.5, is_right: false },
    ]);
  });

  it("is the newest judgement of an answer", async () => {
    const answer = await plantAnswer();
    await resolve(answer, true);
    for (const [rating, person] of [
      ["up", "dana"],
      ["down", "li"],
    ] as const) {
      clock.advance(1_000);
      await rate(answer, rating, person);
    }
    expect(await storedLabels()).toEqual([{ log_odds: 1, is_right: false }]);
  });

  it.each<[string, SampleAnswer]>([
    ["that an evaluation requested", { result: { traffic: "evaluation" } }],
    ["without a candidate", { outcome: "unknown" }],
    ["of another model", { result: { relevance_model: "another" } }],
    ["from before log-odds were stored", { logOdds: null }],
    ["that cites nothing", { result: { sources: [] } }],
    ["that rests on an attached runbook", { attached: 1.4 }],
  ])("never comes from an answer %s", async (_what, sample) => {
    const answer = await plantAnswer(sample);
    await rate(answer, "up");
    await resolve(answer, true);
    expect(await storedLabels()).toEqual([]);
    expect((await runJob()).counts).toMatchObject({ labels: 0 });
  });

  it("never comes from a rating that was withdrawn, or a resolution without a verdict", async () => {
    const answer = await plantAnswer();
    await rate(answer, "up");
    await rate(answer, "none");
    await harness.post(`/v1/incidents/${answer.incidentId}/resolve`, { resolution: "Restarted it." });
    expect(await storedLabels()).toEqual([]);
  });

  it("never comes from a rating about a cause or a step alone", async () => {
    const answer = await plantAnswer();
    const correct = (...parts: string[]) =>
      harness.post(`/v1/triages/${answer.triageId}/feedback`, {
        rating: "down",
        corrections: parts.map((part) => ({ part })),
      });
    await correct("cause", "step");
    expect(await storedLabels()).toEqual([]);
    await correct("step", "runbook");
    expect(await storedLabels()).toEqual([{ log_odds: 1, is_right: false }]);
  });
});

describe("a run", () => {
  const hitOf = async (harnessOfRun = harness) => {
    const [hit] = (await harnessOfRun.triage(INGRESS_REPORT)).recalled.runbooks;
    if (!hit?.relevance) throw new Error("The sample runbook was not recalled.");
    return { probability: hit.probability, ...hit.relevance };
  };

  it("shows the calibrated probability, and the log-odds and contributions of the model", async () => {
    await putRunbook(harness);
    const before = await hitOf();
    await sql`insert into public.relevance_calibration (model, slope, intercept) values (${model}, 0.5, -1.5)`;
    const { probability, ...parts } = await hitOf();
    expect(parts).toEqual({ log_odds: before.log_odds, contributions: before.contributions });
    expect(probability).toBeCloseTo(probabilityOf(0.5 * before.log_odds - 1.5), 2);
    expect(probability).toBeLessThan(before.probability);
  });

  it("shows it in a search of memory before the first run of an isolate", async () => {
    const planted = await plantIncident(services);
    await plantObservation(services, planted, { text: "api-gateway was killed for memory" });
    await sql`insert into public.relevance_calibration (model, slope, intercept) values (${model}, 0.5, -1.5)`;
    const response = await createHarness().request("/v1/memory/search?query=api-gateway+killed+for+memory");
    const result = z.object({ incidents: z.tuple([incidentHitSchema]) }).parse(await response.json());
    const [{ probability, relevance }] = result.incidents;
    expect(probability).toBeCloseTo(probabilityOf(0.5 * relevance.log_odds - 1.5), 2);
  });

  it("uses the default when only another model is calibrated", async () => {
    await putRunbook(harness);
    const before = await hitOf();
    await sql`insert into public.relevance_calibration (model, slope, intercept) values ('another', 0.5, -1.5)`;
    expect(await hitOf()).toEqual(before);
  });
});

describe("the endpoints of the calibration", () => {
  const reset = () => harness.request(PATH, { method: "DELETE" });

  it("show the default before the first fit", async () => {
    expect(await calibration()).toEqual({ ...DEFAULT, fitted_at: null, ignore_before: null });
  });

  it("reset it: the next fits use newer judgements only", async () => {
    await plantRatedAnswers({ right: 10, wrong: 50 });
    await runJob();
    expect((await calibration()).intercept).toBeLessThan(0);
    const response = await reset();
    expect(response.status).toBe(204);
    const ignore_before = clock.now().toISOString();
    expect(await calibration()).toEqual({ ...DEFAULT, fitted_at: null, ignore_before });
    expect((await runJob()).counts).toEqual({ labels: 0, positives: 0, changed: 0 });
    expect(await calibration()).toMatchObject({ slope: 1, intercept: 0, labels: 0 });
    clock.advance(1_000);
    await rate(await plantAnswer(), "up");
    expect((await runJob()).counts).toMatchObject({ labels: 1 });
    expect(log).toContainEqual(expect.objectContaining({ level: "info", event: "relevance.calibration_reset" }));
    const [event] = await sql`select detail from public.audit_events where detail ->> 'method' = 'DELETE'`;
    expect(event?.detail).toMatchObject({ route: PATH, status: 204 });
  });

  it("reset earlier models too", async () => {
    await sql`insert into public.relevance_calibration (model, slope, intercept) values ('earlier', 0.5, -1.5)`;
    await reset();
    expect(await sql`select slope, intercept from public.relevance_calibration where model = 'earlier'`).toEqual([
      { slope: 1, intercept: 0 },
    ]);
  });

  it("reset it during a fit, which is then not stored", async () => {
    await plantRatedAnswers({ right: 10, wrong: 50 });
    const claim = await claimCalibration(database, { model, now: clock.now(), leaseSeconds: 60, limit: 100 });
    if (claim.state !== "claimed") throw new Error("The calibration was not claimed.");
    await reset();
    const fit = fitCalibration(claim.labels);
    expect(fit.intercept).toBeLessThan(0);
    const stored = { model, claimedUntil: claim.claimed_until, now: clock.now() };
    expect(await storeCalibration(database, fit, stored)).toBe(false);
    expect(await calibration()).toMatchObject({ slope: 1, intercept: 0 });
  });

  it.each(["GET", "DELETE"])("%s needs the scope admin and takes no parameters", async (method) => {
    const { token } = await makeToken(harness, ["read", "feedback"]);
    await problemOf(await harness.request(PATH, { method, headers: bearer(token) }), 403, "insufficient-scope");
    expect((await harness.request(`${PATH}?model=x`, { method })).status).toBe(422);
  });
});

describe("the metrics", () => {
  const gauges = async () => {
    const samples = samplesOf(await (await harness.request("/metrics")).text());
    const prefix = "dejavu_relevance_calibration_";
    const own = Object.entries(samples).filter(([series]) => series.startsWith(prefix));
    return Object.fromEntries(own.map(([series, value]) => [series.slice(prefix.length), value]));
  };

  it("show the default before the first fit, and the numbers, labels and age after it", async () => {
    expect(await gauges()).toEqual({ slope: 1, intercept: 0, labels: 0, age_seconds: 0 });
    await plantRatedAnswers({ right: 10, wrong: 50 });
    await runJob();
    await sql`update public.relevance_calibration set fitted_at = now() - interval '2 hours'`;
    const { slope, intercept } = await calibration();
    const after = await gauges();
    expect(after).toMatchObject({ slope, intercept, labels: 60 });
    expect(after.age_seconds).toBeGreaterThanOrEqual(7_200);
    expect(after.age_seconds).toBeLessThan(7_300);
  });
});
