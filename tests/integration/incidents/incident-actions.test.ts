// What people do in one incident through the HTTP API: steps, reopening, who has it, edits, comments, the correction of its domain,
// comparison, cited texts.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { citedTextSchema } from "../../../functions/incidents/detail/cited-text.ts";
import { comparisonSchema } from "../../../functions/incidents/detail/compare-incidents.ts";
import { incidentStepSchema } from "../../../functions/incidents/detail/steps.ts";
import { observationDetailSchema } from "../../../functions/incidents/observation-detail.ts";
import { triageResultSchema } from "../../../functions/schemas/triage-result.ts";
import { investigate } from "../alerts/support.ts";
import { createHarness, deleteIncidents, type Harness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { draftOf, json, scriptedModel } from "../support/servers/scripted-model.ts";
import { bearer, makeToken, problemOf } from "../support/tokens.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
const OOM_LINE = "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory";
const OOM = {
  title: "api-gateway container exited with code 137",
  target: "checkout",
  labels: { domain: "docker", region: "eu-1", team: "shop" },
  logs: `03:00:01 ${OOM_LINE}\n03:00:02 container exited with code 137`,
};

let harness: Harness;
beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(async () => {
  harness = createHarness();
  await deleteIncidents(harness.services);
});

async function report(body: object = OOM): Promise<string> {
  harness.clock.advance(DAY_MS);
  return (await harness.triage(body)).incident_id;
}

async function send(path: string, method: string, body: object): Promise<Response> {
  harness.clock.advance(HOUR_MS);
  const headers = { "content-type": "application/json" };
  return harness.request(path, { method, headers, body: JSON.stringify(body) });
}

async function resolve(id: string, body: object): Promise<void> {
  const response = await send(`/v1/incidents/${id}/resolve`, "POST", body);
  expect(response.status, await response.clone().text()).toBe(200);
}

const incidentSchema = z.object({
  status: z.string(),
  resolution: z.string().nullable(),
  title: z.string(),
  reported_title: z.string().nullable(),
  severity: z.string(),
  owner: z.string().nullable(),
  acknowledged_at: z.string().nullable(),
  acknowledged_by: z.string().nullable(),
  domain: z.object({ name: z.string(), rule: z.string() }),
  steps: z.array(incidentStepSchema),
  run: z.object({ started_at: z.string(), attempt: z.number() }).nullable(),
  queued_at: z.string().nullable(),
  events: z.array(z.object({ kind: z.string(), detail: z.record(z.string(), z.unknown()) })),
  triage: triageResultSchema.nullable(),
});

async function read(id: string) {
  const response = await harness.request(`/v1/incidents/${id}`);
  expect(response.status).toBe(200);
  return incidentSchema.parse(await response.json());
}

async function observationOf(id: string) {
  const [row] = await sql<{ observation_id: string }[]>`select observation_id from public.incidents where id = ${id}`;
  const response = await harness.request(`/v1/memory/observations/${row?.observation_id}`);
  expect(response.status).toBe(200);
  return observationDetailSchema.parse(await response.json());
}

async function firstStep(id: string) {
  const [step] = (await read(id)).steps;
  if (!step) throw new Error("The answer has no step.");
  return step;
}

describe("the steps of an incident", () => {
  it("are those of its answer, and none is done at first", async () => {
    const incident = await read(await report());
    const answer = incident.triage?.answer;
    expect(incident.steps.map(({ text, command }) => [text, command])).toEqual(
      [...(answer?.confirm ?? []), ...(answer?.mitigate ?? [])].map(({ text, command }) => [text, command]),
    );
    expect(incident.steps.some(({ done, at }) => done || at !== null)).toBe(false);
    expect(new Set(incident.steps.map(({ kind }) => kind))).toEqual(new Set(["confirm", "mitigate"]));
  });

  it("keep who ticked them, and when, for everybody", async () => {
    const id = await report();
    const { key } = await firstStep(id);
    const response = await send(`/v1/incidents/${id}/steps/${key}`, "PUT", { done: true, by: "dana" });
    expect(response.status).toBe(200);
    expect(incidentStepSchema.parse(await response.json())).toMatchObject({ key, done: true, by: "dana" });
    await send(`/v1/incidents/${id}/steps/${key}`, "PUT", { done: true, by: "eli" });
    expect(await firstStep(id)).toMatchObject({ done: true, by: "dana" });
    await send(`/v1/incidents/${id}/steps/${key}`, "PUT", { done: false, by: "eli" });
    expect(await firstStep(id)).toMatchObject({ done: false, by: "eli" });
  });

  it("are refused without the scope feedback, for an unknown incident and for a step that the answer does not have", async () => {
    const id = await report();
    const { key } = await firstStep(id);
    const { token } = await makeToken(harness, ["read"], { name: "reader" });
    const init = { method: "PUT", body: '{"done":true}' };
    const headers = { ...bearer(token), "content-type": "application/json" };
    await problemOf(
      await harness.request(`/v1/incidents/${id}/steps/${key}`, { ...init, headers }),
      403,
      "insufficient-scope",
    );
    await problemOf(await send(`/v1/incidents/${UNKNOWN_ID}/steps/${key}`, "PUT", { done: true }), 404, "not-found");
    await problemOf(await send(`/v1/incidents/${id}/steps/${"0".repeat(16)}`, "PUT", { done: true }), 404, "not-found");
    await problemOf(await send(`/v1/incidents/${id}/steps/none`, "PUT", { done: true }), 422, "invalid-request");
  });

  it("are deleted with their incident", async () => {
    const id = await report();
    const { key } = await firstStep(id);
    await send(`/v1/incidents/${id}/steps/${key}`, "PUT", { done: true });
    expect((await harness.request(`/v1/incidents/${id}`, { method: "DELETE" })).status).toBe(204);
    expect(await sql`select 1 from public.incident_steps where incident_id = ${id}`).toHaveLength(0);
  });
});

describe("an incident that waits or runs", () => {
  it("says since when", async () => {
    const response = await harness.post("/v1/incidents", OOM);
    const { incident_id } = z.object({ incident_id: z.string() }).parse(await response.json());
    expect(await read(incident_id)).toMatchObject({ status: "queued", run: null, queued_at: expect.any(String) });
    await sql`insert into public.runs (run_id, session_id, started_at, query, incident_id)
      values (${harness.services.newId()}, 's', '2026-03-01T03:00:00Z', 'q', ${incident_id})`;
    expect((await read(incident_id)).run).toMatchObject({ attempt: 1 });
  });
});

describe("reopening", () => {
  it("opens the incident, and its fix came back", async () => {
    const id = await report();
    await resolve(id, { resolution: "Raised the memory limit.", resolved_by: "dana", worked: true });
    const response = await send(`/v1/incidents/${id}/reopen`, "POST", { reason: "Killed again.", by: "eli" });
    expect(response.status, await response.clone().text()).toBe(200);
    const incident = await read(id);
    expect(incident).toMatchObject({ status: "triaged", resolution: null });
    expect(incident.events.at(-1)).toMatchObject({
      kind: "reopened",
      detail: { reason: "Killed again.", by: "eli", resolution: "Raised the memory limit.", resolved_by: "dana" },
    });
    const { fixes, effective_review_score } = await observationOf(id);
    expect(fixes).toMatchObject([
      { text: "Raised the memory limit.", tried: 1, worked: 1, came_back_at: expect.any(String) },
    ]);
    expect(effective_review_score).toBeNull();
  });

  it("lets another fix resolve it: both stay on record, and the first one as one that came back", async () => {
    const id = await report();
    await resolve(id, { resolution: "Raised the memory limit." });
    await send(`/v1/incidents/${id}/reopen`, "POST", {});
    await resolve(id, { resolution: "Fixed the leak in the cache." });
    expect((await read(id)).status).toBe("resolved");
    const { resolution, fixes } = await observationOf(id);
    expect(resolution).toBe("Fixed the leak in the cache.");
    expect(fixes.map(({ text, tried, worked, came_back_at }) => [text, tried, worked, came_back_at !== null])).toEqual([
      ["Fixed the leak in the cache.", 1, 1, false],
      ["Raised the memory limit.", 1, 1, true],
    ]);
  });

  it("keeps what came back when the record is derived anew, and forgets it when the same fix lasts", async () => {
    const id = await report();
    const other = await report({ ...OOM, target: "cart" });
    await resolve(id, { resolution: "Raised the memory limit." });
    await send(`/v1/incidents/${id}/reopen`, "POST", {});
    const { id: record } = await observationOf(id);
    expect((await send(`/v1/memory/observations/${record}/split`, "POST", { incident_ids: [other] })).status).toBe(200);
    expect((await observationOf(id)).fixes[0]?.came_back_at).not.toBeNull();
    await resolve(id, { resolution: "Raised the memory limit." });
    expect((await observationOf(id)).fixes).toMatchObject([{ tried: 1, worked: 1, came_back_at: null }]);
  });

  it("judges a fix anew that is recorded again", async () => {
    const id = await report();
    await resolve(id, { resolution: "Raised the memory limit." });
    await send(`/v1/incidents/${id}/reopen`, "POST", {});
    await resolve(id, { resolution: "Raised the memory limit." });
    await report();
    expect((await observationOf(id)).fixes).toMatchObject([{ worked: 1, came_back_at: expect.any(String) }]);
  });

  it("takes the fix from the past answer", async () => {
    const id = await report();
    const answers = () => sql<
      { answer: string }[]
    >`select a.answer from public.past_answers a join public.triages t on t.id = a.triage_id
      where t.incident_id = ${id}`;
    await resolve(id, { resolution: "Raised the memory limit." });
    expect((await answers())[0]?.answer).toContain("Fixed by: Raised the memory limit.");
    await send(`/v1/incidents/${id}/reopen`, "POST", {});
    expect((await answers())[0]?.answer).not.toContain("Raised the memory limit.");
  });

  it("is refused for an open incident", async () => {
    const id = await report();
    await problemOf(await send(`/v1/incidents/${id}/reopen`, "POST", {}), 409, "not-resolved");
    await problemOf(await send(`/v1/incidents/${UNKNOWN_ID}/reopen`, "POST", {}), 404, "not-found");
  });
});

describe("who has an incident", () => {
  const edit = (id: string, body: object) => send(`/v1/incidents/${id}`, "PATCH", body);
  const eventsOf = async (id: string) => (await read(id)).events.slice(2).map(({ kind, detail }) => ({ kind, detail }));

  it("is who acknowledged it last, once for each person, until it is withdrawn or opened again", async () => {
    const id = await report();
    for (const by of ["dana", "dana", "eli"]) expect((await edit(id, { acknowledged: true, by })).status).toBe(200);
    expect(await read(id)).toMatchObject({ owner: "eli", acknowledged_by: "eli", acknowledged_at: expect.any(String) });
    await edit(id, { acknowledged: false, by: "eli" });
    expect(await read(id)).toMatchObject({ owner: null, acknowledged_by: null, acknowledged_at: null });
    expect(await eventsOf(id)).toEqual([
      { kind: "acknowledged", detail: { by: "dana" } },
      { kind: "acknowledged", detail: { by: "eli", was: "dana" } },
      { kind: "acknowledgement_withdrawn", detail: { by: "eli" } },
    ]);
    await edit(id, { acknowledged: true, owner: "kim", by: "dana" });
    await resolve(id, { resolution: "Raised the memory limit." });
    await problemOf(await edit(id, { acknowledged: true }), 409, "already-resolved");
    await send(`/v1/incidents/${id}/reopen`, "POST", {});
    expect(await read(id)).toMatchObject({ owner: "kim", acknowledged_by: null });
  });

  it("is the name of the token where no person is named, never that of a variable", async () => {
    const id = await report();
    await edit(id, { acknowledged: true });
    await resolve(id, { resolution: "Raised the memory limit." });
    const { token } = await makeToken(harness, ["feedback"], { name: "on-call" });
    const headers = { ...bearer(token), "content-type": "application/json" };
    await harness.request(`/v1/incidents/${id}/comments`, {
      method: "POST",
      headers,
      body: '{"text":"It was the cache."}',
    });
    expect((await eventsOf(id)).map(({ kind, detail }) => [kind, detail.by ?? detail.resolved_by])).toEqual([
      ["acknowledged", "operator"],
      ["resolved", "operator"],
      ["commented", "on-call"],
    ]);
  });

  it("edits title and severity, and the report stays what is investigated and searched", async () => {
    const id = await report();
    await edit(id, { title: "Gateway loses its memory", severity: "critical", owner: "kim", by: "dana" });
    expect(await read(id)).toMatchObject({
      ...{ title: "Gateway loses its memory", reported_title: OOM.title, severity: "critical", owner: "kim" },
      acknowledged_by: null,
    });
    expect(await eventsOf(id)).toEqual([
      {
        kind: "edited",
        detail: {
          ...{ by: "dana", title: "Gateway loses its memory", title_was: OOM.title },
          ...{ severity: "critical", severity_was: "medium" },
        },
      },
      { kind: "owner_changed", detail: { by: "dana", owner: "kim" } },
    ]);
    const list = async (text: string) =>
      z
        .object({ incidents: z.array(z.object({ title: z.string(), owner: z.string() })) })
        .parse(await (await harness.request(`/v1/incidents?text=${text}`)).json()).incidents;
    expect(await list("loses")).toEqual([{ title: "Gateway loses its memory", owner: "kim" }]);
    expect(await list("exited")).toHaveLength(1);
    await resolve(id, { resolution: "Raised the memory limit." });
    expect((await observationOf(id)).title).toContain("exited with code 137");
  });

  it("writes comments without secrets into the timeline", async () => {
    const id = await report();
    const text = "Asked the provider, password=hunter2-planted";
    expect((await send(`/v1/incidents/${id}/comments`, "POST", { text, by: "dana" })).status).toBe(200);
    const [comment] = await eventsOf(id);
    expect(comment).toMatchObject({ kind: "commented", detail: { by: "dana" } });
    expect(JSON.stringify(comment)).not.toContain("hunter2-planted");
  });

  it.each([
    ["nothing to change", { by: "dana" }],
    ["a domain beside others", { domain: "docker", owner: "dana" }],
    ["an empty title", { title: " " }],
    ["an unknown severity", { severity: "bad" }],
  ])("is refused with %s", async (_name, body) => {
    const id = await report();
    await problemOf(await edit(id, body), 422, "invalid-request");
    expect(await eventsOf(id)).toEqual([]);
    await problemOf(await edit(UNKNOWN_ID, { acknowledged: true }), 404, "not-found");
    await problemOf(await send(`/v1/incidents/${UNKNOWN_ID}/comments`, "POST", { text: "x" }), 404, "not-found");
  });
});

describe("the correction of a domain", () => {
  const correct = (id: string, domain: string) => send(`/v1/incidents/${id}`, "PATCH", { domain, by: "dana" });

  it("moves the incident with its memory, and says who corrected it", async () => {
    const id = await report();
    await resolve(id, { resolution: "Raised the memory limit." });
    const before = await observationOf(id);
    expect(before.domain).toBe("docker");
    expect((await correct(id, "kubernetes")).status).toBe(200);
    const incident = await read(id);
    expect(incident.domain).toEqual({ name: "kubernetes", rule: "corrected by dana" });
    expect(incident.events.at(-1)).toMatchObject({
      kind: "domain_corrected",
      detail: { domain: "kubernetes", was: "docker", by: "dana" },
    });
    expect(await observationOf(id)).toMatchObject({
      id: before.id,
      domain: "kubernetes",
      resolution: "Raised the memory limit.",
    });
    const documents = await sql`select d.domain from public.documents d where d.id = ${before.id}`;
    expect(documents.map(({ domain }) => domain)).toEqual(["kubernetes"]);
    const answers =
      await sql`select a.domain from public.past_answers a join public.triages t on t.id = a.triage_id where t.incident_id = ${id}`;
    expect(answers.map(({ domain }) => domain)).toEqual(["kubernetes"]);
  });

  it("stays, with the memory of the answer, when a run was going on", async () => {
    const id = await report();
    await using model = await scriptedModel({
      synthesise: async () => {
        await correct(id, "kubernetes");
        return json(draftOf());
      },
    });
    await sql`update public.incidents set status = 'queued', queued_at = now() where id = ${id}`;
    const { services } = createHarness(model.env());
    await investigate(services, [id]);
    expect((await read(id)).domain).toEqual({ name: "kubernetes", rule: "corrected by dana" });
    expect(await observationOf(id)).toMatchObject({ domain: "kubernetes" });
    const answers =
      await sql`select distinct a.domain from public.past_answers a join public.triages t on t.id = a.triage_id where t.incident_id = ${id}`;
    expect(answers.map(({ domain }) => domain)).toEqual(["kubernetes"]);
  });

  it("gives a repeat a record of its own when the run was going on", async () => {
    const first = await report();
    await resolve(first, { resolution: "Raised the memory limit." });
    const queued = await send("/v1/incidents", "POST", { ...OOM, target: "cart" });
    const { incident_id: id } = z.object({ incident_id: z.string() }).parse(await queued.json());
    await using model = await scriptedModel({
      synthesise: async () => {
        await correct(id, "kubernetes");
        return json(draftOf());
      },
    });
    const { services } = createHarness(model.env());
    await investigate(services, [id]);
    expect(await observationOf(id)).toMatchObject({ id, domain: "kubernetes", occurrences: 1, resolution: null });
    const [document] = await sql`select d.domain, d.body, d.metadata from public.documents d where d.id = ${id}`;
    expect(document).toMatchObject({ domain: "kubernetes", metadata: { incident_id: id, resolved: false } });
    expect(document?.body).not.toContain("Raised");
    expect(await observationOf(first)).toMatchObject({ domain: "docker", occurrences: 1 });
  });

  it("leaves the other reports of the failure where they are", async () => {
    const first = await report();
    const second = await report({ ...OOM, target: "cart" });
    await resolve(second, { resolution: "Raised the memory limit." });
    expect((await observationOf(first)).id).toBe((await observationOf(second)).id);
    expect((await correct(second, "kubernetes")).status).toBe(200);
    expect(await observationOf(first)).toMatchObject({ domain: "docker", occurrences: 1, resolution: null });
    expect(await observationOf(second)).toMatchObject({
      domain: "kubernetes",
      occurrences: 1,
      resolution: "Raised the memory limit.",
    });
    // The first report has the id of the record.
    expect((await correct(first, "kubernetes")).status).toBe(200);
    expect((await observationOf(first)).id).toBe((await observationOf(second)).id);
    expect(await observationOf(first)).toMatchObject({ domain: "kubernetes", occurrences: 2 });
  });

  it("gives a report a new record if it is the one that the record is named after", async () => {
    const first = await report();
    const second = await report({ ...OOM, target: "cart" });
    expect((await correct(first, "kubernetes")).status).toBe(200);
    expect(await observationOf(first)).toMatchObject({ domain: "kubernetes", occurrences: 1 });
    expect(await observationOf(second)).toMatchObject({ id: first, domain: "docker", occurrences: 1 });
  });

  it("is refused for a domain that does not exist", async () => {
    const id = await report();
    const { detail } = await problemOf(await correct(id, "nowhere"), 422, "invalid-request");
    expect(detail).toContain("GET /v1/domains");
    await problemOf(await correct(UNKNOWN_ID, "docker"), 404, "not-found");
  });
});

describe("a comparison", () => {
  const compare = (id: string, other: string) => harness.request(`/v1/incidents/${id}/comparison/${other}`);

  it("shows what is alike and what differs", async () => {
    const past = await report({
      ...OOM,
      target: "cart",
      labels: { domain: "docker", region: "us-1" },
      logs: `02:11:09 ${OOM_LINE}`,
    });
    await resolve(past, { resolution: "Raised the memory limit." });
    const id = await report();
    const recalled = (await read(id)).triage?.recalled.incidents[0];
    const response = await compare(id, recalled?.id ?? "");
    expect(response.status, await response.clone().text()).toBe(200);
    const comparison = comparisonSchema
      .extend({ other: z.object({ id: z.string(), resolution: z.string() }) })
      .parse(await response.json());
    expect(comparison.other).toEqual({ id: past, resolution: "Raised the memory limit." });
    expect(comparison.facts).toContainEqual({ name: "service", here: "checkout", there: "cart", alike: false });
    expect(comparison.facts).toContainEqual({ name: "domain", here: "docker", there: "docker", alike: true });
    expect(comparison.labels).toEqual([
      { name: "region", here: "eu-1", there: "us-1", alike: false },
      { name: "team", here: "shop", there: null, alike: false },
      { name: "domain", here: "docker", there: "docker", alike: true },
    ]);
    expect(comparison.error_lines[0]).toEqual({ here: `03:00:01 ${OOM_LINE}`, there: `02:11:09 ${OOM_LINE}` });
    expect(comparison.error_lines.slice(1).every(({ there }) => there === null)).toBe(true);
    expect(comparison.match).toMatchObject({ record_id: recalled?.id, probability: recalled?.probability });
    const { bias = 0, ...others } = comparison.match?.contributions ?? {};
    expect(Object.values(others).reduce((sum, value) => sum + value, bias)).toBeCloseTo(
      comparison.match?.log_odds ?? 0,
    );
  });

  it("needs another incident", async () => {
    const id = await report();
    await problemOf(await compare(id, id), 404, "not-found");
    await problemOf(await compare(id, UNKNOWN_ID), 404, "not-found");
    await problemOf(await compare(UNKNOWN_ID, id), 404, "not-found");
  });
});

describe("a cited text", () => {
  it("is what the answer cites, for each of its sources", async () => {
    await resolve(await report(), { resolution: "Raised the memory limit." });
    const id = await report({ ...OOM, target: "cart" });
    const { triage } = await read(id);
    const sources = triage?.sources ?? [];
    expect(new Set(sources.map(({ kind }) => kind))).toEqual(new Set(["runbook", "incident"]));
    for (const source of sources) {
      const response = await harness.request(`/v1/incidents/${id}/sources/${encodeURIComponent(source.id)}`);
      expect(response.status, await response.clone().text()).toBe(200);
      const text = citedTextSchema.parse(await response.json());
      expect(text).toMatchObject(source);
      expect(text.text?.length).toBeGreaterThan(0);
      if (source.kind === "incident") expect(text.past_incident?.resolution).toBe("Raised the memory limit.");
    }
    await problemOf(await harness.request(`/v1/incidents/${id}/sources/other`), 404, "not-found");
  });
});
