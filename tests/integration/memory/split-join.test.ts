// Corrections of records through the whole application: a wrong merge is split, a missed one is joined, and both are learned.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { observationDetailSchema } from "../../../functions/incidents/observation-detail.ts";
import { readRecallState } from "../../../functions/memory/recall-state.ts";
import { investigate, webhook } from "../alerts/support.ts";
import { createHarness, deleteIncidents, type Harness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { problemOf } from "../support/tokens.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
const VAGUE = "Service availability disruption";
const OOM_LINE = "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory";
const CERTIFICATE_LINE =
  "ERROR tls handshake with upstream failed: x509: certificate has expired or is not yet valid: current time is after notAfter";

const OOM = { title: VAGUE, target: "checkout", labels: { domain: "docker" }, logs: `03:00:01 ${OOM_LINE}` };
const OOM_ELSEWHERE = { ...OOM, target: "cart", logs: `04:12:59 ${OOM_LINE}` };
const CERTIFICATE = { ...OOM, logs: `03:00:01 ${CERTIFICATE_LINE}` };

let harness: Harness;
beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(async () => {
  harness = createHarness();
  await deleteIncidents(harness.services);
});

/** Reports the failure, a day after the last report. */
async function report(body: object): Promise<string> {
  harness.clock.advance(DAY_MS);
  return (await harness.triage(body)).incident_id;
}

async function resolve(incidentId: string, resolution: string, body: object = {}): Promise<void> {
  harness.clock.advance(MINUTE_MS);
  expect((await harness.post(`/v1/incidents/${incidentId}/resolve`, { resolution, ...body })).status).toBe(200);
}

async function observation(id: string) {
  const response = await harness.request(`/v1/memory/observations/${id}`);
  expect(response.status).toBe(200);
  return observationDetailSchema.parse(await response.json());
}

const post = (id: string, action: "split" | "join", body: object) =>
  harness.post(`/v1/memory/observations/${id}/${action}`, body);

const bothSchema = z.object({ observation: observationDetailSchema, new_observation: observationDetailSchema });

async function split(id: string, incident_ids: readonly string[], reason?: string) {
  const response = await post(id, "split", { incident_ids, ...(reason === undefined ? {} : { reason }) });
  expect(response.status, await response.clone().text()).toBe(200);
  return bothSchema.parse(await response.json());
}

async function join(id: string, observation_id: string) {
  const response = await post(id, "join", { observation_id });
  expect(response.status, await response.clone().text()).toBe(200);
  return observationDetailSchema.parse(await response.json());
}

/** The documents of both stores agree with the records. @returns the resolutions by id */
async function indexedResolutions() {
  const rows = await sql`select id, resolution from public.observations order by id`;
  const entries = await harness.services.vectors.find("incidents", { limit: 99 });
  const documents =
    await sql`select d.id, d.metadata from public.documents d join public.collections c on c.id = d.collection_id
    where c.name = 'incidents' and d.indexed_hash = d.content_hash`;
  const expected = Object.fromEntries(rows.map(({ id, resolution }) => [id, resolution]));
  for (const stored of [entries, documents])
    expect(Object.fromEntries(stored.map(({ id, metadata }) => [id, metadata?.resolution ?? null]))).toEqual(expected);
  return expected;
}

/** Each record has the count, dates and services of its incidents without duplicates, and every incident has a record. */
async function expectConsistent(): Promise<void> {
  const wrong = await sql`select o.id from public.observations o join lateral (
      select count(*) as total, min(i.created_at) as first_at, max(i.created_at) as last_at
      from public.incidents i where i.observation_id = o.id and not i.duplicate) s on true
    where (o.occurrences, o.first_seen_at, o.last_seen_at) is distinct from (s.total, s.first_at, s.last_at)`;
  expect(wrong).toEqual([]);
  expect(await sql`select 1 from public.incidents where observation_id is null`).toHaveLength(0);
  expect(
    await sql`select 1 from public.fix_tries t join public.fixes f on f.id = t.fix_id
    join public.incidents i on i.id = t.incident_id where i.observation_id <> f.observation_id`,
  ).toHaveLength(0);
}

describe("an observation", () => {
  it("is read with its incidents, newest first", async () => {
    const first = await report(OOM);
    const second = await report(OOM_ELSEWHERE);
    const { incidents, why } = await observation(first);
    expect(incidents).toMatchObject({
      total: 2,
      latest: [
        { id: second, target: "cart", status: "triaged", title: VAGUE },
        { id: first, target: "checkout" },
      ],
    });
    expect(new Set(incidents.latest.map(({ fingerprint }) => fingerprint)).size).toBe(1);
    expect(why).toContain("2 reports on 2 services share its error lines.");
  });
});

const incidentSchema = z.looseObject({ id: z.string(), observation_id: z.string().nullish() });

async function act(id: string, action: "merge" | "split" | "reopen", body: object) {
  harness.clock.advance(MINUTE_MS);
  const response = await harness.post(`/v1/incidents/${id}/${action}`, body);
  expect(response.status, await response.clone().text()).toBe(200);
  return incidentSchema.parse(await response.json());
}

describe("a merge of incidents", () => {
  it("joins the records of their failures, and either shows the fix; reopening separates them", async () => {
    const first = await report(OOM);
    const second = await report(CERTIFICATE);
    await act(second, "merge", { into: first });
    expect(await observation(first)).toMatchObject({ occurrences: 1, incidents: { total: 2 }, joined_ids: [second] });
    await resolve(first, "Restored the certificate, then raised the limit.");
    harness.clock.advance(DAY_MS);
    const again = await harness.triage({ ...CERTIFICATE, target: "cart" });
    expect(again.answer.worked_before).toMatchObject([{ same_failure: true, fix: { tried: 1, worked: 1 } }]);

    await act(second, "reopen", {});
    expect(await observation(first)).toMatchObject({ occurrences: 1, incidents: { total: 1 } });
    const separated = await observation(second);
    expect(separated).toMatchObject({ occurrences: 2, resolution: null, separated_from: [first] });
    await expectConsistent();
    await indexedResolutions();
  });

  it("is undone by splitting off the alerts that it brought", async () => {
    const send = async (name: string, line: string) => {
      harness.clock.advance(MINUTE_MS);
      const labels = { domain: "docker", pod: name };
      const body = webhook([{ name, fingerprint: name, labels, annotations: { summary: name, description: line } }]);
      const headers = { "content-type": "application/json" };
      const response = await harness.request("/v1/alerts/alertmanager", { method: "POST", body, headers });
      const [id = ""] = z.object({ incidents: z.array(z.string()) }).parse(await response.json()).incidents;
      await investigate(harness.services, [id]);
      return id;
    };
    const first = await send("HeapFull", OOM_LINE);
    const second = await send("HandshakeFails", CERTIFICATE_LINE);
    await act(second, "merge", { into: first });
    const { id } = await act(first, "split", { fingerprints: ["HandshakeFails"] });
    await investigate(harness.services, [id]);
    // The new incident is the occurrence that the merged one had been.
    expect(await observation(second)).toMatchObject({
      occurrences: 1,
      incidents: { total: 2 },
      separated_from: [first],
    });
    expect(await observation(first)).toMatchObject({ occurrences: 1, incidents: { total: 1 } });
    await expectConsistent();
  });
});

describe("a split", () => {
  it("gives incidents a record of their own, with their dates, services and fixes", async () => {
    const first = await report(OOM);
    await resolve(first, "Raised the limit.");
    const second = await report(OOM_ELSEWHERE);
    await resolve(second, "Bounded the cache.");
    const third = await report(OOM_ELSEWHERE);
    expect(await observation(first)).toMatchObject({
      resolution: "Bounded the cache.",
      fixes: [{ text: "Bounded the cache." }, { text: "Raised the limit.", retired: { reason: "a newer fix" } }],
    });

    const { observation: kept, new_observation } = await split(first, [third, second]);
    expect(kept).toMatchObject({
      id: first,
      occurrences: 1,
      targets: ["checkout"],
      resolution: "Raised the limit.",
      fixes: [{ text: "Raised the limit.", retired: null, came_back_at: null }],
      separated_from: [second],
      incidents: { total: 1 },
    });
    expect(new_observation).toMatchObject({
      id: second,
      incident_id: second,
      occurrences: 2,
      targets: ["cart"],
      resolution: "Bounded the cache.",
      fixes: [{ text: "Bounded the cache.", retired: null, came_back_at: expect.any(String) }],
      separated_from: [first],
      why: expect.arrayContaining(["A person separated it from 1 other record."]),
    });
    expect(new_observation.facts).toContain("Target: cart");
    expect(await indexedResolutions()).toEqual({ [first]: "Raised the limit.", [second]: "Bounded the cache." });
    await expectConsistent();
  });

  it("keeps a fix that was tried on both sides in both records, each with its own tries", async () => {
    const first = await report(OOM);
    await resolve(first, "Raised the limit.", { did_not_help: ["Restarted it."] });
    const second = await report(OOM_ELSEWHERE);
    await resolve(second, "Raised the limit.", { did_not_help: ["Restarted it."] });
    const { observation: kept, new_observation } = await split(first, [second]);
    for (const { fixes } of [kept, new_observation])
      expect(fixes).toMatchObject([
        { text: "Raised the limit.", tried: 1, worked: 1, retired: null },
        { text: "Restarted it.", tried: 1, worked: 0 },
      ]);
    await expectConsistent();
  });

  it("moves the other incidents if the one with the record's id is to go", async () => {
    const first = await report(OOM);
    const second = await report(OOM_ELSEWHERE);
    const third = await report(OOM);
    const { observation: kept, new_observation } = await split(first, [first, third]);
    expect(kept.incidents.latest.map(({ id }) => id)).toEqual([third, first]);
    expect(new_observation).toMatchObject({ id: second, incidents: { total: 1 } });
    await expectConsistent();
  });

  it("moves the text with the incident that it describes, and describes the other record anew", async () => {
    const first = await report(OOM);
    const second = await report(OOM_ELSEWHERE);
    await sql`update public.observations set incident_id = ${second}, title = 'The cart had no bound', written_by = 'a model',
      review_score = 2`;
    const { observation: kept, new_observation } = await split(first, [second]);
    expect(new_observation).toMatchObject({ title: "The cart had no bound", written_by: "a model", review_score: 2 });
    expect(kept).toMatchObject({ incident_id: first, title: VAGUE, written_by: "extractive", review_score: null });
    expect(kept.facts).toContain("Target: checkout");
  });

  it("withdraws an answer that did not help from the described record", async () => {
    const first = await report(OOM);
    const second = await report(OOM_ELSEWHERE);
    await resolve(second, "Bounded the cache.", { worked: false });
    await sql`update public.observations set incident_id = ${first}`;
    const { new_observation } = await split(first, [second]);
    expect(new_observation).toMatchObject({ narrative: "The answer that was given then did not help.", worked: false });
  });

  it("changes nothing the second time", async () => {
    const first = await report(OOM);
    const second = await report(OOM_ELSEWHERE);
    const once = await split(first, [second]);
    expect(await split(first, [second])).toEqual(once);
    expect(await sql`select kind from public.memory_judgements`).toHaveLength(1);
  });

  it("is refused for an incident of another record, for all incidents, and for an unknown record", async () => {
    const first = await report(OOM);
    const other = await report(CERTIFICATE);
    await problemOf(await post(first, "split", { incident_ids: [first] }), 422, "invalid-request");
    const response = await post(first, "split", { incident_ids: [other, UNKNOWN_ID] });
    const text = await response.clone().text();
    await problemOf(response, 422, "invalid-request");
    expect(text).toContain(other);
    expect(text).toContain(UNKNOWN_ID);
    await problemOf(await post(UNKNOWN_ID, "split", { incident_ids: [first] }), 404, "not-found");
  });

  it("is learned: a new report of the fingerprint of both gets a record of its own, and recall names the pair", async () => {
    const first = await report(OOM);
    const second = await report(OOM_ELSEWHERE);
    await split(first, [second]);
    const third = await report({ ...OOM, target: "ledger" });
    expect(await observation(third)).toMatchObject({ occurrences: 1 });
    const ids = { incidents: [third, second, first], excludedDomains: [], pastAnswers: [], procedures: [] };
    const state = await readRecallState(harness.services.database, { ...ids, domain: "docker", fingerprint: null });
    expect(state.separated).toEqual([[first, second].toSorted()]);
  });

  it("is audited and judged, with the log-odds that the model gave, without secrets in the reason", async () => {
    const first = await report(OOM);
    const second = await report(OOM_ELSEWHERE);
    await split(first, [second], "Another cause, token=ghp_0123456789abcdefghijklmnopqrstuvwxyz");
    const [judgement] = await sql`select * from public.memory_judgements`;
    expect(judgement).toMatchObject({ kind: "split", domain: "docker", observation_id: first });
    expect(judgement?.log_odds).toEqual(expect.any(Number));
    expect(judgement?.reason).toMatch(/^Another cause/);
    expect(judgement?.reason).not.toContain("ghp_0123");
    const [label] = await sql`select public.calibration_labels(${judgement?.model}, null, 10) as labels`;
    expect(label?.labels).toEqual([{ log_odds: judgement?.log_odds, is_right: false }]);
    expect(await sql`select public.has_new_judgements(${harness.clock.now()}) as has_new`).toEqual([{ has_new: true }]);
    const route = "/v1/memory/observations/:id/split";
    expect(await sql`select subject_id from public.audit_events where detail ->> 'route' = ${route}`).toEqual([
      { subject_id: first },
    ]);
  });
});

describe("a join", () => {
  it("makes one record of two, with all reports and fixes", async () => {
    const first = await report(OOM);
    await resolve(first, "Raised the limit.", { resolved_by: "dana" });
    const second = await report(CERTIFICATE);
    await resolve(second, "Renewed the certificate.");
    const joined = await join(first, second);
    expect(joined).toMatchObject({
      id: first,
      occurrences: 2,
      joined_ids: [second],
      resolution: "Renewed the certificate.",
      fixes: [
        { text: "Renewed the certificate.", retired: null },
        { text: "Raised the limit.", retired: null },
      ],
      why: expect.arrayContaining(["Holds the reports of 1 joined record."]),
    });
    expect((await harness.request(`/v1/memory/observations/${second}`)).status).toBe(404);
    expect(await indexedResolutions()).toEqual({ [first]: "Renewed the certificate." });
    // Both fingerprints lead to the record now.
    await report(CERTIFICATE);
    expect(await observation(first)).toMatchObject({ occurrences: 3 });
    await expectConsistent();
  });

  it("undoes a split: one fix of the same action, and the newest fix of the fingerprint is active", async () => {
    const first = await report(OOM);
    await resolve(first, "Raised the limit.", { did_not_help: ["Restarted it."] });
    const second = await report(OOM_ELSEWHERE);
    await resolve(second, "Bounded the cache.", { did_not_help: ["Restarted it."] });
    const before = await observation(first);
    await split(first, [second]);
    const { fixes, ...after } = await join(first, second);
    expect(after).toMatchObject({ occurrences: 2, separated_from: [], resolution: "Bounded the cache." });
    expect(
      fixes.map(({ text, tried, worked, retired }) => ({ text, tried, worked, retired: retired?.reason })),
    ).toEqual(
      before.fixes.map(({ text, tried, worked, retired }) => ({ text, tried, worked, retired: retired?.reason })),
    );
    await report(OOM);
    expect(await observation(first)).toMatchObject({ occurrences: 3 });
  });

  it("leaves the results that show the record, until an incident of the record is deleted", async () => {
    const first = await report(OOM);
    await resolve(first, "Raised the limit.");
    const second = await report(CERTIFICATE);
    await resolve(second, "Renewed the certificate.");
    const shown = await report({ ...CERTIFICATE, target: "cart" });
    const hits = async () => {
      const body = await (await harness.request(`/v1/incidents/${shown}`)).json();
      const schema = z.object({
        triage: z.object({ recalled: z.object({ incidents: z.array(z.object({ id: z.string() })) }) }),
      });
      return schema.parse(body).triage.recalled.incidents.map(({ id }) => id);
    };
    expect(await hits()).toContain(second);
    await join(first, second);
    expect(await hits()).toContain(second);
    expect((await harness.request(`/v1/incidents/${second}`, { method: "DELETE" })).status).toBe(204);
    expect(await hits()).not.toContain(second);
    expect(await observation(first)).toMatchObject({ occurrences: 2, resolution: "Raised the limit." });
  });

  it("adds up the answers that showed the records", async () => {
    const first = await report(OOM);
    const second = await report(CERTIFICATE);
    const shown = await report({ title: VAGUE, target: "cart", labels: { domain: "docker" } });
    await sql`delete from public.shown_memories`;
    await sql`insert into public.shown_memories (observation_id, incident_id, helped) values
      (${first}, ${shown}, false), (${second}, ${shown}, true), (${second}, ${first}, false)`;
    expect(await join(first, second)).toMatchObject({ shown_count: 2, helped_count: 1 });
  });

  it("changes nothing the second time", async () => {
    const first = await report(OOM);
    const second = await report(CERTIFICATE);
    const once = await join(first, second);
    expect(await join(first, second)).toEqual(once);
    expect(await sql`select kind from public.memory_judgements`).toEqual([{ kind: "join" }]);
  });

  it("is refused for records of different domains, the record itself, and unknown records", async () => {
    const first = await report(OOM);
    const other = await report({ ...CERTIFICATE, labels: { domain: "postgres" } });
    const response = await post(first, "join", { observation_id: other });
    expect(await response.clone().text()).toContain("docker and postgres");
    await problemOf(response, 422, "invalid-request");
    await problemOf(await post(first, "join", { observation_id: first }), 422, "invalid-request");
    await problemOf(await post(first, "join", { observation_id: UNKNOWN_ID }), 422, "invalid-request");
    await problemOf(await post(UNKNOWN_ID, "join", { observation_id: first }), 404, "not-found");
  });
});

describe("corrections at the same time as reports and resolutions", () => {
  it("lose nothing", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) ids.push(await report(i % 2 === 0 ? OOM : OOM_ELSEWHERE));
    const [first = "", second = "", third = "", fourth = ""] = ids;
    const other = await report(CERTIFICATE);
    const answers = await Promise.all([
      post(first, "split", { incident_ids: [second, fourth] }),
      post(first, "split", { incident_ids: [third] }),
      post(first, "join", { observation_id: other }),
      harness.post(`/v1/incidents/${second}/resolve`, { resolution: "Bounded the cache." }),
      harness.post("/v1/triage", OOM),
      harness.post("/v1/triage", CERTIFICATE),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    await expectConsistent();
    await harness.request("/v1/admin/jobs/retry-outbox", { method: "POST" });
    await indexedResolutions();
    const { resolution } = await observation(second);
    expect(resolution).toBe("Bounded the cache.");
  });
});
