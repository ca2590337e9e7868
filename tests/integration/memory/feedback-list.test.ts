// The list of what people said of answers: the votes as they were given, with what was asked and answered.

import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createHarness, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";

const harness = createHarness({ MODEL: "none" });
const { clock, services } = harness;

const pageSchema = z.object({
  feedback: z.array(z.looseObject({ at: z.string(), rating: z.string(), triage_id: z.string() })),
  next_cursor: z.string().nullable(),
});

async function list(query = "") {
  const response = await harness.request(`/v1/feedback${query}`);
  expect(response.status, await response.clone().text()).toBe(200);
  return pageSchema.parse(await response.json());
}

async function vote(triageId: string, body: object): Promise<void> {
  clock.advance(1_000);
  expect((await harness.post(`/v1/triages/${triageId}/feedback`, body)).status).toBe(200);
}

const REPORT = {
  title: "api-gateway container exited with code 137",
  target: "api-gateway",
  severity: "high",
  labels: { container_runtime: "docker" },
  logs: `PastAnswer cgroup out of memory: Killed process 4711\n${"x".repeat(30_000)}`,
};

let triageId: string;
let incidentId: string;

beforeAll(async () => {
  await loadFreshRunbooks(services, workerEnv);
  const result = await harness.triage(REPORT);
  triageId = result.triage_id;
  incidentId = result.incident_id;
});

describe("GET /v1/feedback", () => {
  it("is empty before anybody has said anything", async () => {
    expect(await list()).toEqual({ feedback: [], next_cursor: null });
  });

  it("holds the vote, what was asked and what the answer rests on, scrubbed, and nobody's name", async () => {
    await vote(triageId, { rating: "up", comment: "right, mail me at ops@example.com", by: "dana" });
    const { feedback } = await list();
    expect(feedback).toEqual([
      {
        at: expect.stringMatching(/^2026-03-01T03:00:01/),
        rating: "up",
        comment: "right, mail me at [REDACTED_EMAIL]",
        triage_id: triageId,
        incident_id: incidentId,
        ...REPORT,
        question: null,
        logs: REPORT.logs.slice(0, 20_000),
        domain: "docker",
        outcome: "cause",
        confidence: expect.any(Number),
        sources: expect.arrayContaining([
          expect.objectContaining({ kind: "runbook", source: "docker/exit-137-out-of-memory.md" }),
        ]),
      },
    ]);
    expect(JSON.stringify(feedback)).not.toContain("dana");
  });

  it("shows a changed vote once, where it was last said", async () => {
    const other = await harness.triage({ ...REPORT, target: "checkout", logs: undefined });
    await vote(other.triage_id, { rating: "down", by: "li" });
    await vote(triageId, { rating: "down", by: "dana" });
    const { feedback } = await list();
    expect(feedback.map(({ triage_id, rating }) => [triage_id, rating])).toEqual([
      [triageId, "down"],
      [other.triage_id, "down"],
    ]);
  });

  it("can be asked for one rating", async () => {
    await vote(triageId, { rating: "up", by: "kim" });
    await vote(triageId, { comment: "only words", by: "ada" });
    expect((await list("?rating=up")).feedback).toMatchObject([{ rating: "up" }]);
    expect((await list("?rating=none")).feedback).toMatchObject([{ rating: "none", comment: "only words" }]);
    expect((await list("?rating=down")).feedback).toHaveLength(2);
  });

  it("leads from page to page without losing or repeating one of the same moment", async () => {
    const people = Array.from({ length: 7 }, (_, i) => `person ${i}`);
    await Promise.all(
      people.map((by) => harness.post(`/v1/triages/${triageId}/feedback`, { rating: "up", comment: by, by })),
    );
    const seen: unknown[] = [];
    let query = "?limit=2";
    for (;;) {
      const { feedback, next_cursor } = await list(query);
      seen.push(...feedback.map(({ comment }) => comment));
      if (next_cursor === null) break;
      query = `?limit=2&cursor=${encodeURIComponent(next_cursor)}`;
    }
    expect(seen.filter((comment) => people.includes(String(comment))).sort()).toEqual(people);
    expect(seen).toHaveLength((await list("?limit=100")).feedback.length);
  });

  it.each([
    ["a cursor of another list", "?cursor=abc", "cursor"],
    ["a rating that there is not", "?rating=great", "rating"],
    ["a limit out of range", "?limit=101", "limit"],
    ["an unknown parameter", "?stars=5", "stars"],
  ])("refuses %s", async (_, query, field) => {
    const response = await harness.request(`/v1/feedback${query}`);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ field }] });
  });

  it("forgets with the incident", async () => {
    expect((await harness.request(`/v1/incidents/${incidentId}`, { method: "DELETE" })).status).toBe(204);
    expect((await list("?limit=100")).feedback.filter(({ triage_id }) => triage_id === triageId)).toEqual([]);
  });
});
