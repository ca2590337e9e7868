// GET /v1/feedback: the ratings and comments, with the report and the answer that they are about.

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

async function sendFeedback(triageId: string, body: object): Promise<void> {
  clock.advance(1_000);
  expect((await harness.post(`/v1/triages/${triageId}/feedback`, body)).status).toBe(200);
}

const REPORT = {
  title: "api-gateway docker container exited with code 137",
  target: "api-gateway",
  severity: "high",
  labels: { container_runtime: "docker" },
  logs: `Memory cgroup out of memory: Killed process 4711\n${"x".repeat(30_000)}`,
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
  it("is empty before any feedback", async () => {
    expect(await list()).toEqual({ feedback: [], next_cursor: null });
  });

  it("contains the rating, the report and the sources of the answer, scrubbed and without names", async () => {
    await sendFeedback(triageId, { rating: "up", comment: "right, mail me at ops@example.com", by: "dana" });
    const { feedback } = await list();
    expect(feedback).toEqual([
      {
        at: expect.stringMatching(/^2026-03-01T03:00:01/),
        rating: "up",
        corrections: [],
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

  it("shows a changed rating once, at the time of its last change", async () => {
    const other = await harness.triage({ ...REPORT, target: "checkout", logs: undefined });
    await sendFeedback(other.triage_id, { rating: "down", by: "li" });
    await sendFeedback(triageId, { rating: "down", by: "dana" });
    const { feedback } = await list();
    expect(feedback.map(({ triage_id, rating }) => [triage_id, rating])).toEqual([
      [triageId, "down"],
      [other.triage_id, "down"],
    ]);
  });

  it("can be filtered by rating", async () => {
    await sendFeedback(triageId, { rating: "up", by: "kim" });
    await sendFeedback(triageId, { comment: "only a comment", by: "ada" });
    expect((await list("?rating=up")).feedback).toMatchObject([{ rating: "up" }]);
    expect((await list("?rating=none")).feedback).toMatchObject([{ rating: "none", comment: "only a comment" }]);
    expect((await list("?rating=down")).feedback).toHaveLength(2);
  });

  it("holds the corrections of each part, also where they came one by one, until all are taken back", async () => {
    const correct = (corrections: readonly object[]) => sendFeedback(triageId, { corrections, by: "mo" });
    const cause = { part: "cause", right: "The disk was full." };
    await correct([{ part: "domain", was: "docker", right: "kubernetes" }]);
    await correct([cause, { part: "severity", right: "low" }]);
    await correct([{ part: "domain", right: "postgres" }]);
    const [newest] = (await list()).feedback;
    expect(newest).toMatchObject({ rating: "none" });
    expect(newest?.corrections).toHaveLength(3);
    expect(newest?.corrections).toEqual(
      expect.arrayContaining([cause, { part: "severity", right: "low" }, { part: "domain", right: "postgres" }]),
    );
    await correct([]);
    expect((await list()).feedback[0]?.corrections).toEqual([]);
  });

  it("pages through entries of the same moment without losing or repeating one", async () => {
    const people = Array.from({ length: 7 }, (_, i) => `person ${i}`);
    await Promise.all(
      people.map((by) => harness.post(`/v1/triages/${triageId}/feedback`, { rating: "up", comment: by, by })),
    );
    const comments: unknown[] = [];
    let query = "?limit=2";
    for (;;) {
      const { feedback, next_cursor } = await list(query);
      comments.push(...feedback.map(({ comment }) => comment));
      if (next_cursor === null) break;
      query = `?limit=2&cursor=${encodeURIComponent(next_cursor)}`;
    }
    expect(comments.filter((comment) => people.includes(String(comment))).sort()).toEqual(people);
    expect(comments).toHaveLength((await list("?limit=100")).feedback.length);
  });

  it.each([
    ["a cursor of another list", "?cursor=abc", "cursor"],
    ["an unknown rating", "?rating=great", "rating"],
    ["a limit out of range", "?limit=101", "limit"],
    ["an unknown parameter", "?stars=5", "stars"],
  ])("refuses %s", async (_, query, field) => {
    const response = await harness.request(`/v1/feedback${query}`);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ field }] });
  });

  it("contains no feedback on a deleted incident", async () => {
    expect((await harness.request(`/v1/incidents/${incidentId}`, { method: "DELETE" })).status).toBe(204);
    expect((await list("?limit=100")).feedback.filter(({ triage_id }) => triage_id === triageId)).toEqual([]);
  });
});
