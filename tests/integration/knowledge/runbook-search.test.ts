// GET /v1/runbooks/search: the runbooks that a triage of the same text recalls, with explained scores and without writes.

import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { runbookSearchSchema } from "../../../functions/routes/v1/search.ts";
import { expectProblem } from "../support/api.ts";
import { createHarness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";

const harness = createHarness();
const UNREACHABLE_URL = "http://127.0.0.1:9";
const OOM = "api-gateway docker container exited with code 137";

beforeAll(() => loadFreshRunbooks(harness.services, workerEnv));

function path(search: Readonly<Record<string, string>>): string {
  return `/v1/runbooks/search?${new URLSearchParams(search)}`;
}

async function searchRunbooks(search: Readonly<Record<string, string>>, from = harness) {
  const response = await from.request(path(search));
  expect(response.status).toBe(200);
  return runbookSearchSchema.parse(await response.json());
}

describe("a search of runbooks", () => {
  it("returns the runbooks that a triage of the same text recalls, in its order, and stores nothing", async () => {
    const { domain, hits, warnings } = await searchRunbooks({ query: OOM });
    expect(domain.name).toBe("docker");
    expect(warnings).toEqual([]);
    expect(hits[0]?.source).toBe("docker/exit-137-out-of-memory.md");
    expect(await sql`select 1 from public.incidents`).toHaveLength(0);
    const { recalled } = await harness.triage({ title: OOM });
    expect(hits[0]).toMatchObject({ id: recalled.runbooks[0]?.id, score: recalled.runbooks[0]?.score });
  });

  it("explains each hit: the parts add up to the score, the terms to the BM25 score", async () => {
    const { hits } = await searchRunbooks({ query: OOM });
    expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a));
    for (const { score, features } of hits) {
      const parts = Object.values(features).map((part) => part?.value ?? 0);
      expect(parts.reduce((sum, value) => sum + value, 0)).toBeCloseTo(score, 10);
    }
    const { dense, bm25 } = hits[0]?.features ?? {};
    expect(dense?.distance).toBeGreaterThan(0);
    expect(Object.keys(bm25?.terms ?? {})).toContain("137");
    const terms = Object.values(bm25?.terms ?? {});
    expect(terms.reduce((sum, value) => sum + value, 0)).toBeCloseTo(bm25?.score ?? 0, 2);
  });

  it("uses the caller's domain and limit", async () => {
    const { domain, hits } = await searchRunbooks({ query: "everything is stuck", domain: "postgres", limit: "2" });
    expect(domain).toEqual({ name: "postgres", rule: "given by the caller" });
    expect(hits).toHaveLength(2);
    expect(hits.every(({ source }) => source.startsWith("postgres/"))).toBe(true);
  });

  it("scrubs the query before it is embedded", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const { hits } = await searchRunbooks({ query: `${OOM} ${secret}` });
    expect(hits.length).toBeGreaterThan(0);
    expect(JSON.stringify([hits, harness.log])).not.toContain(secret);
  });

  it("uses only keywords without Chroma and only vectors without Postgres, with a warning", async () => {
    const withoutVectors = await searchRunbooks({ query: OOM }, createHarness({ CHROMA_URL: UNREACHABLE_URL }));
    expect(withoutVectors.warnings).toMatchObject([{ dependency: "vector_store" }]);
    expect(withoutVectors.hits[0]?.source).toBe("docker/exit-137-out-of-memory.md");
    expect(withoutVectors.hits.every(({ features }) => features.dense === undefined)).toBe(true);
    const withoutKeywords = await searchRunbooks({ query: OOM }, createHarness({ SUPABASE_URL: UNREACHABLE_URL }));
    expect(withoutKeywords.warnings).toMatchObject([{ dependency: "database" }]);
    expect(withoutKeywords.hits.length).toBeGreaterThan(0);
    expect(withoutKeywords.hits.every(({ features }) => features.bm25 === undefined)).toBe(true);
  });

  it("responds with 503 and both names when neither is available", async () => {
    const { request } = createHarness({ CHROMA_URL: UNREACHABLE_URL, SUPABASE_URL: UNREACHABLE_URL });
    const response = await request(path({ query: OOM }));
    expect(response.headers.get("retry-after")).not.toBeNull();
    const problem = await expectProblem(response, 503, "dependency-unavailable");
    expect(problem.dependencies?.toSorted()).toEqual(["database", "vector_store"]);
  });

  it.each([
    ["no query", {}, "query"],
    ["a blank query", { query: " " }, "query"],
    ["a domain that cannot be a name", { query: "x", domain: "Windows 11" }, "domain"],
    ["a limit of 0", { query: "x", limit: "0" }, "limit"],
    ["a limit above 50", { query: "x", limit: "51" }, "limit"],
    ["an unknown field", { query: "x", mode: "fast" }, "mode"],
  ])("refuses %s", async (_, search, field) => {
    const response = await harness.request(path(search));
    expect(response.status).toBe(422);
    const { errors } = z.object({ errors: z.array(z.object({ field: z.string() })) }).parse(await response.json());
    expect(errors.map((error) => error.field)).toEqual([field]);
  });

  it("does not hide a runbook with the name search", async () => {
    expect((await harness.request("/v1/runbooks/docker/search")).status).toBe(404);
  });
});
