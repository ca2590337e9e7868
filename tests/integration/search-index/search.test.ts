import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { renderHits, searchCollection } from "../../../functions/search-index/collection-search.ts";
import { expectProblem, sendJson } from "../support/api.ts";
import { createHarness, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { embedderAt, embeddingServer } from "../support/servers/embedding-server.ts";
import { lyingServer } from "../support/servers/lying-server.ts";

const harness = createHarness();
const UNREACHABLE_URL = "http://127.0.0.1:9";

const responseSchema = z.object({
  collection: z.string(),
  hits: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      text: z.string(),
      metadata: z.record(z.string(), z.unknown()),
      distance: z.number().nullable(),
      label: z.string().nullable(),
      highlights: z.array(z.string()),
      scores: z.record(z.string(), z.number()),
    }),
  ),
});

function instance(namespace: string, kind: string, name: string, text: string) {
  const [apiVersion, apiGroup] = kind === "Pod" ? ["v1", ""] : ["apps/v1", "apps"];
  const group = apiGroup === "" ? "v1" : "apps/v1";
  return {
    id: `${namespace}/${group}/${kind}/${name}`,
    text,
    metadata: { namespace, name, kind, apiVersion, apiGroup },
  };
}

const WEB = instance("prod", "Deployment", "web", "Runs the web shop behind nginx with 3 replicas.");
const STAGING_WEB = instance("staging", "Deployment", "web", "Runs the web shop behind nginx with 1 replica.");
const DATABASE = instance("prod", "StatefulSet", "orders-db", "PostgreSQL database that stores orders on a volume.");
const CACHE = instance("prod", "Deployment", "cache", "Redis cache for sessions. The password is in a secret.");
const POD = instance("staging", "Pod", "debug", "A shell with curl and nginx tools to look around.");
const ALL = [WEB, STAGING_WEB, DATABASE, CACHE, POD];

const QUERY = "web shop deployment";
const KEYWORD = "nginx";
const PROD = { op: "equals", field: "namespace", value: "prod" } as const;

async function search(body: Readonly<Record<string, unknown>>, on = harness) {
  const response = await on.post("/v1/search", { collection: "instances", ...body });
  expect(response.status).toBe(200);
  return responseSchema.parse(await response.json()).hits;
}

const idsOf = (hits: readonly { readonly id: string }[]) => hits.map(({ id }) => id);
const sorted = (documents: readonly { readonly id: string }[]) => idsOf(documents).sort();

beforeAll(async () => {
  await loadFreshRunbooks(harness.services, workerEnv);
  const { body } = await sendJson(harness, "PUT", "/v1/inventory/instances/documents", { documents: ALL });
  expect(body).toMatchObject({ upserted: 5, indexed: true });
});

describe("the seven combinations of query, keyword and filters", () => {
  it("a query alone finds by vector, nearest first, each hit with a label for its distance", async () => {
    const hits = await search({ query: QUERY });
    expect(idsOf(hits)).toHaveLength(5);
    expect(idsOf(hits.slice(0, 2)).sort()).toEqual(sorted([WEB, STAGING_WEB]));
    const distances = hits.map(({ distance }) => distance ?? Number.NaN);
    expect(distances).toEqual([...distances].sort((a, b) => a - b));
    expect(hits[0]?.label).toMatch(/similar|related/);
    for (const { scores, distance } of hits) expect(scores.similarity).toBeCloseTo(1 - (distance ?? 0) / 2, 9);
  });

  it("a keyword alone finds the exact substring, ordered by id, without distances", async () => {
    const hits = await search({ keyword: KEYWORD });
    expect(idsOf(hits)).toEqual(sorted([WEB, STAGING_WEB, POD]));
    expect(hits[0]).toMatchObject({ distance: null, label: null, scores: { keyword: 1 } });
    expect(await search({ keyword: "NGINX" })).toEqual([]);
  });

  it("filters alone find by metadata", async () => {
    expect(idsOf(await search({ filters: PROD }))).toEqual(sorted([WEB, DATABASE, CACHE]));
  });

  it("a query and a keyword find the nearest documents with the keyword", async () => {
    const hits = await search({ query: QUERY, keyword: KEYWORD });
    expect(idsOf(hits).sort()).toEqual(sorted([WEB, STAGING_WEB, POD]));
    expect(hits.at(-1)?.id).toBe(POD.id);
  });

  it("a query and filters find the nearest documents that match", async () => {
    const hits = await search({ query: QUERY, filters: PROD });
    expect(hits[0]?.id).toBe(WEB.id);
    expect(idsOf(hits).sort()).toEqual(sorted([WEB, DATABASE, CACHE]));
  });

  it("a keyword and filters find documents that match both", async () => {
    expect(idsOf(await search({ keyword: KEYWORD, filters: PROD }))).toEqual([WEB.id]);
  });

  it("all three find documents that match all of them", async () => {
    const filters = {
      op: "and",
      filters: [
        { op: "in", field: "namespace", values: ["staging", "edge"] },
        { op: "and", filters: [{ op: "equals", field: "kind", value: "Deployment" }] },
      ],
    };
    expect(idsOf(await search({ query: QUERY, keyword: KEYWORD, filters }))).toEqual([STAGING_WEB.id]);
  });
});

describe("a search", () => {
  it("embeds one text with a query and none without", async () => {
    await using embedder = await embeddingServer();
    const counted = createHarness(embedder.env);
    await search({ keyword: KEYWORD }, counted);
    await search({ filters: PROD }, counted);
    await search({ keyword: KEYWORD, filters: PROD }, counted);
    expect(embedder.requests).toEqual([]);
    await search({ query: QUERY, keyword: KEYWORD, filters: PROD }, counted);
    expect(embedder.requests).toHaveLength(1);
  });

  it("returns highlights and the parts of the score", async () => {
    const [hit] = await search({ query: "redis sessions", keyword: "Redis" });
    expect(hit).toMatchObject({ id: CACHE.id, scores: { terms: 1, keyword: 1 } });
    expect(hit?.highlights.join(" ")).toContain("Redis cache for sessions.");
  });

  it("returns at most as many hits as the limit", async () => {
    expect(await search({ query: QUERY, limit: 2 })).toHaveLength(2);
    expect(await search({ keyword: KEYWORD, limit: 2 })).toHaveLength(2);
  });

  it("finds runbooks by text and kind", async () => {
    const filters = { op: "equals", field: "kind", value: "runbook" };
    const hits = await search({ collection: "runbooks", query: "container was killed, exit code 137", filters });
    expect(hits[0]?.metadata).toMatchObject({ kind: "runbook", source: expect.stringContaining("docker/exit-137") });
    expect(hits[0]?.metadata).not.toHaveProperty("heading_path");
  });

  it("finds past incidents", async () => {
    await harness.triage({ title: "api-gateway docker container exited with code 137", target: "api-gateway" });
    const [hit] = await search({ collection: "incidents", query: "api-gateway was killed" });
    expect(hit?.title).toContain("api-gateway");
  });

  it("finds nothing in an empty collection", async () => {
    for (const criteria of [{ query: QUERY }, { keyword: KEYWORD }, { filters: PROD }])
      expect(await search({ collection: "capabilities", ...criteria })).toEqual([]);
  });

  it("scrubs the search text, so that a secret matches its placeholder", async () => {
    const secret = "dana@example.com";
    const document = instance("prod", "Deployment", "mailer", `Sends mail as ${secret}.`);
    await sendJson(harness, "PUT", "/v1/inventory/instances/documents", { documents: [document] });
    expect(idsOf(await search({ keyword: secret }))).toEqual([document.id]);
    // The scrubbed query is empty.
    expect(await search({ query: secret })).toEqual([]);
    expect(idsOf(await search({ query: secret, keyword: "mail as" }))).toEqual([document.id]);
    await sendJson(harness, "DELETE", "/v1/inventory/instances/documents", { ids: [document.id] });
  });

  it("is rendered for a language model as numbered blocks", async () => {
    const hits = await searchCollection(harness.services, { collection: "instances", query: QUERY, limit: 2 });
    const rendered = renderHits(hits);
    expect(rendered).toMatch(/^1\. \S+ \(distance 0\.\d{3}, .+\)\nid: .*namespace: /);
    expect(rendered).toContain("\n\n2. ");
    expect(renderHits([])).toBe("Nothing was found.");
  });
});

describe("an invalid search is refused with the name of the field", () => {
  const equals = { op: "equals", field: "kind", value: "Pod" };
  it.each([
    ["no criteria", {}, "query"],
    ["a blank query", { query: " " }, "query"],
    ["an empty keyword", { keyword: "" }, "keyword"],
    ["a NUL in the keyword", { keyword: "a\0" }, "keyword"],
    ["a query that is too long", { query: "x".repeat(4_001) }, "query"],
    ["another collection", { query: "x", collection: "past_answers" }, "collection"],
    ["no collection", { query: "x", collection: undefined }, "collection"],
    ["an unknown field", { query: "x", filter: equals }, "filter"],
    ["a limit of 0", { query: "x", limit: 0 }, "limit"],
    ["a limit above the maximum", { query: "x", limit: 51 }, "limit"],
    ["an unknown operator", { filters: { op: "or", filters: [equals] } }, "filters.op"],
    ["an operator of the store", { filters: { op: "equals", field: "$and", value: "x" } }, "filters.field"],
    ["a filter with an unknown field", { filters: { ...equals, not: true } }, "filters.not"],
    ["a value that is a list", { filters: { op: "equals", field: "kind", value: ["Pod"] } }, "filters.value"],
    ["an empty list of values", { filters: { op: "in", field: "kind", values: [] } }, "filters.values"],
    ["values of two kinds", { filters: { op: "in", field: "kind", values: ["1", 1] } }, "filters.values"],
    ["too many values", { filters: { op: "in", field: "kind", values: Array(101).fill("x") } }, "filters.values"],
    ["an empty and", { filters: { op: "and", filters: [] } }, "filters.filters"],
    ["too many conditions", { filters: { op: "and", filters: Array(9).fill(equals) } }, "filters.filters"],
    [
      "too many conditions in total",
      { filters: { op: "and", filters: Array(3).fill({ op: "and", filters: Array(3).fill(equals) }) } },
      "filters",
    ],
    [
      "filters that are nested too deeply",
      { filters: { op: "and", filters: [{ op: "and", filters: [{ op: "and", filters: [equals] }] }] } },
      "filters.filters.0.filters.0.op",
    ],
  ])("%s", async (_, body, field) => {
    const problem = await expectProblem(
      await harness.post("/v1/search", { collection: "instances", ...body }),
      422,
      "invalid-request",
    );
    expect(problem.errors?.map((error) => error.field)).toContain(field);
  });
});

describe("a search that the vector store rejects", () => {
  it("responds with 422 and advice, not as an outage", async () => {
    const message = "Quota exceeded: Number of predicates exceeded quota limit: secret detail";
    await using strict = await lyingServer({ answer: () => ({ status: 422, body: JSON.stringify({ message }) }) });
    const refused = createHarness({ CHROMA_URL: strict.url });
    const response = await refused.post("/v1/search", { collection: "instances", filters: PROD });
    const problem = await expectProblem(response, 422, "invalid-request");
    expect(problem).toMatchObject({
      detail: expect.stringContaining("Change the filters"),
      errors: [{ field: "filters" }],
    });
    expect(JSON.stringify(problem)).not.toContain("secret detail");
  });

  it("does not occur for whole and fractional numbers in one list", async () => {
    const sized = { ...WEB, id: "prod/apps/v1/Deployment/sized", metadata: { ...WEB.metadata, cores: 0.5 } };
    const document = { documents: [sized] };
    await sendJson(harness, "PUT", "/v1/inventory/instances/documents", document);
    const hits = await search({ filters: { op: "in", field: "cores", values: [1, 0.5] } });
    await sendJson(harness, "DELETE", "/v1/inventory/instances/documents", { ids: [sized.id] });
    expect(idsOf(hits)).toEqual([sized.id]);
  });
});

describe("an unavailable dependency", () => {
  it("leads to 503 with advice when it is the vector store", async () => {
    const broken = createHarness({ CHROMA_URL: UNREACHABLE_URL });
    for (const criteria of [{ query: QUERY }, { keyword: KEYWORD }]) {
      const response = await broken.post("/v1/search", { collection: "instances", ...criteria });
      expect(response.headers.get("retry-after")).toBe("5");
      const problem = await expectProblem(response, 503, "dependency-unavailable");
      expect(problem).toMatchObject({
        dependencies: ["vector_store"],
        detail: expect.stringMatching(/Chroma.*Try again/),
      });
    }
    expect(broken.log).toContainEqual(expect.objectContaining({ event: "search.failed", level: "error" }));
  });

  it("leads to 503 within the timeout when the vector store hangs", async () => {
    await using hanging = await lyingServer({ hang: true });
    const slow = createHarness({ CHROMA_URL: hanging.url });
    slow.expireHung(hanging, "vector_store");
    const response = await slow.post("/v1/search", { collection: "instances", keyword: KEYWORD });
    expect((await expectProblem(response, 503, "dependency-unavailable")).detail).toContain("in time");
  });

  it("leaves keyword and filters usable when it is the embedder", async () => {
    const broken = createHarness(embedderAt(UNREACHABLE_URL));
    const response = await broken.post("/v1/search", { collection: "instances", query: QUERY });
    const problem = await expectProblem(response, 503, "dependency-unavailable");
    expect(problem).toMatchObject({ dependencies: ["embedder"], detail: expect.stringContaining("without a query") });
    expect(await search({ keyword: KEYWORD }, broken)).toHaveLength(3);
  });

  it("has no effect when it is the database", async () => {
    expect(await search({ query: QUERY }, createHarness({ SUPABASE_URL: UNREACHABLE_URL }))).toHaveLength(5);
  });

  it("leads to 503 with the reindex command when the vectors are of another model", async () => {
    const changed = createHarness({ CHUNK_SIZE: "300" });
    const response = await changed.post("/v1/search", { collection: "instances", query: QUERY });
    expect((await expectProblem(response, 503, "dependency-unavailable")).detail).toContain("dejavu reindex");
  });

  it("is used again after its collection was dropped and recreated", async () => {
    await harness.services.vectors.drop("capabilities");
    expect(await search({ collection: "capabilities", keyword: "x" })).toEqual([]);
  });
});
