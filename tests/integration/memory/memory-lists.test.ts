import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { plantIncident, plantMemory, plantObservation, plantProcedure } from "../support/sample-memory.ts";

const harness = createHarness();
const { services, clock } = harness;
const DAY_MS = 86_400_000;
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

async function read(path: string): Promise<unknown> {
  const response = await harness.request(path);
  expect(response.status).toBe(200);
  return response.json();
}

const pageSchema = z.object({ next_cursor: z.string().nullable() }).catchall(z.unknown());

/** Every row of a list, three at a time. */
async function readAll(list: string, key: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const after: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = pageSchema.parse(await read(`/v1/memory/${list}?limit=3${after}`));
    const entries = z.array(z.record(z.string(), z.unknown())).max(3).parse(page[key]);
    rows.push(...entries);
    cursor = page.next_cursor;
  }
  return rows;
}

async function problemFields(path: string): Promise<string[]> {
  const response = await harness.request(path);
  expect(response.status).toBe(422);
  const problem = z.object({ errors: z.array(z.object({ field: z.string() })) }).parse(await response.json());
  return problem.errors.map(({ field }) => field);
}

describe("a list", () => {
  const incidents: string[] = [];

  beforeAll(async () => {
    await emptyStores(services);
    for (let i = 0; i < 7; i++) {
      // Some rows share a moment: a cursor must distinguish them.
      if (i % 3 === 0) clock.advance(1_000);
      const planted = await plantIncident(services, { sessionId: `session-${i}` });
      await plantObservation(services, planted, { text: `observation ${i}` });
      await plantMemory(services, planted, { text: `memory ${i}`, domain: i === 0 ? "postgres" : "docker" });
      await plantProcedure(services, planted, { text: `procedure ${i}` });
      await sql`insert into public.outbox (collection, document_id, created_at, next_attempt_at)
        values ('incidents', ${planted.incidentId}, ${planted.at}, ${planted.at})`;
      await sql`insert into public.audit_events (at, action, kind, subject_id)
        values (${planted.at}, 'deleted', 'past_answer', ${planted.triageId})`;
      incidents.push(planted.incidentId);
    }
  });

  it.each([
    ["observations", "observations", "title", "observation"],
    ["past-answers", "past_answers", "question", "memory"],
    ["sessions", "sessions", "session_id", "session"],
    ["procedures", "procedures", "query", "procedure"],
  ])("of %s shows every row once, newest first", async (list, key, column, name) => {
    const texts = (await readAll(list, key)).map((row) => String(row[column]));
    const numbers = texts.map((text) => Number(text.replace(name, "").replace("-", "")));
    expect([...numbers].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(numbers[0]).toBe(6);
    expect(numbers.slice(1, 4).sort()).toEqual([3, 4, 5]);
  });

  it("of pending writes shows every row once, oldest first, and the total", async () => {
    const rows = await readAll("outbox", "pending");
    expect(rows.map(({ document_id }) => document_id)).toEqual(incidents);
    expect(await read("/v1/memory/outbox?limit=1")).toMatchObject({ total: 7 });
  });

  it("of deletions shows every event once, newest first", async () => {
    const rows = await readAll("audit", "events");
    expect(rows.map(({ id }) => Number(id))).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });

  it("contains no internal column", async () => {
    for (const list of ["observations", "past-answers", "procedures", "sessions", "outbox", "audit"]) {
      const page = z.record(z.string(), z.unknown()).parse(await read(`/v1/memory/${list}`));
      const rows = z.array(z.record(z.string(), z.unknown())).parse(Object.values(page).find(Array.isArray));
      for (const row of rows)
        expect(Object.keys(row).join(" ")).not.toMatch(
          /\b(fingerprint|version|metadata|content_hash|query_hash|decayed_until|claimed_until)\b/,
        );
    }
  });

  it("can be filtered by domain and session", async () => {
    expect(await read("/v1/memory/past-answers?domain=postgres")).toMatchObject({
      past_answers: [{ question: "memory 0" }],
    });
    expect(await read("/v1/memory/past-answers?session_id=session-4")).toMatchObject({
      past_answers: [{ question: "memory 4" }],
    });
    expect(await read("/v1/memory/past-answers?session_id=session-4&domain=postgres")).toMatchObject({
      past_answers: [],
    });
    expect(await read("/v1/memory/observations?domain=podman")).toEqual({ observations: [], next_cursor: null });
    expect(await read("/v1/memory/procedures?domain=podman")).toEqual({ procedures: [], next_cursor: null });
  });

  it.each([
    ["observations", "observations", "title", "observation 3"],
    ["past-answers", "past_answers", "question", "memory 3"],
    ["procedures", "procedures", "query", "procedure 3"],
  ])("of %s can be filtered by words in any case", async (list, key, column, words) => {
    const text = encodeURIComponent(words.toUpperCase());
    expect(await read(`/v1/memory/${list}?text=${text}`)).toMatchObject({ [key]: [{ [column]: words }] });
    expect(await read(`/v1/memory/${list}?text=100%25`)).toEqual({ [key]: [], next_cursor: null });
  });

  it("of past answers and procedures names the incident of each", async () => {
    for (const [list, key] of [
      ["past-answers", "past_answers"],
      ["procedures", "procedures"],
    ] as const)
      expect((await readAll(list, key)).map(({ incident_id }) => incident_id).sort()).toEqual([...incidents].sort());
  });

  it.each([
    ["observations?limit=0", "limit"],
    ["observations?limit=101", "limit"],
    ["past-answers?limit=many", "limit"],
    ["past-answers?cursor=nonsense", "cursor"],
    ["sessions?cursor=%F0%9F%98%80", "cursor"],
    ["outbox?cursor=W10%3D", "cursor"],
    ["procedures?domain=Not%20a%20domain", "domain"],
    ["observations?session_id=s1", "session_id"],
    ["observations?text=%20", "text"],
    ["outbox?domain=docker", "domain"],
    ["audit?kind=memory", "kind"],
  ])("refuses %s and names the parameter", async (query, field) => {
    expect(await problemFields(`/v1/memory/${query}`)).toEqual([field]);
  });

  it("refuses the cursor of another list", async () => {
    const { next_cursor } = pageSchema.parse(await read("/v1/memory/sessions?limit=1"));
    expect(await problemFields(`/v1/memory/past-answers?cursor=${encodeURIComponent(next_cursor ?? "")}`)).toEqual([
      "cursor",
    ]);
  });

  it("has no next page when it ends with the page", async () => {
    expect(await read("/v1/memory/observations?limit=7")).toMatchObject({ next_cursor: null });
  });
});

describe("the list of sessions", () => {
  beforeEach(() => emptyStores(services));

  it("pages through names in any script", async () => {
    for (const sessionId of ["öffnung", "日本語", "😀", "plain"]) {
      await plantMemory(services, await plantIncident(services, { sessionId }));
    }
    const names = (await readAll("sessions", "sessions")).map(({ session_id }) => session_id);
    expect(names.sort()).toEqual(["plain", "öffnung", "日本語", "😀"].sort());
  });

  it("shows one row for a session, with its domains and past answers", async () => {
    for (const domain of ["docker", "docker", "postgres"] as const) {
      await plantMemory(services, await plantIncident(services), { domain });
    }
    const rows = await readAll("sessions", "sessions");
    expect(rows).toMatchObject([{ domains: ["docker", "postgres"], raw_count: 3, summary_count: 0 }]);
  });
});

describe("an observation", () => {
  beforeEach(() => emptyStores(services));

  it("is read by its id, with its number of occurrences", async () => {
    const first = await plantIncident(services);
    await plantObservation(services, first, { text: "killed for memory", fingerprint: "k" });
    clock.advance(DAY_MS);
    await plantObservation(services, await plantIncident(services), { fingerprint: "k" });
    expect(await read(`/v1/memory/observations/${first.incidentId}`)).toMatchObject({
      id: first.incidentId,
      title: "killed for memory",
      occurrences: 2,
      final_score: 8,
      review_score: null,
      resolution: null,
      fixes: [],
      targets: [],
      why: ["Little is known: only a title. It merges with exact repeats only.", "2 reports are the same."],
    });
  });

  it("responds with 404 to an unknown id and with 422 to a malformed one", async () => {
    expect((await harness.request(`/v1/memory/observations/${UNKNOWN_ID}`)).status).toBe(404);
    expect(await problemFields("/v1/memory/observations/1")).toEqual(["id"]);
  });
});

describe("a search of memory", () => {
  beforeEach(() => emptyStores(services));

  it("shows the recalled records with the parts of each score and stores nothing", async () => {
    const planted = await plantIncident(services, { sessionId: "s1" });
    await plantObservation(services, planted, { text: "api-gateway was killed for memory" });
    await plantMemory(services, planted, { text: "why was api-gateway killed for memory?" });
    await plantProcedure(services, planted, { text: "api-gateway killed for memory" });
    const query = encodeURIComponent("api-gateway killed for memory");
    expect(await read(`/v1/memory/search?query=${query}&domain=docker&session_id=s1`)).toMatchObject({
      domain: { name: "docker" },
      incidents: [{ id: planted.incidentId, ranking: { quality: 0.8, adjust: 1 } }],
      past_answers: [{ id: planted.triageId, ranking: { session: 0.2, rating: 0 } }],
      procedure: { query: "api-gateway killed for memory" },
      warnings: [],
    });
    expect(await read(`/v1/memory/search?query=${query}&domain=postgres`)).toMatchObject({
      domain: { name: "postgres" },
      // Nothing in that domain is relevant, so the others are shown.
      incidents: [{ id: planted.incidentId }],
      past_answers: [],
      procedure: null,
    });
    expect(await sql`select 1 from public.incidents`).toHaveLength(1);
    expect(await sql`select 1 from public.procedures where use_count > 1`).toHaveLength(0);
  });

  it("requires a query and rejects unknown parameters", async () => {
    expect(await problemFields("/v1/memory/search")).toEqual(["query"]);
    expect(await problemFields("/v1/memory/search?query=%20")).toEqual(["query"]);
    expect(await problemFields("/v1/memory/search?query=x&limit=3")).toEqual(["limit"]);
    expect(await problemFields("/v1/memory/search?query=x&domain=Not%20a%20domain")).toEqual(["domain"]);
  });
});
