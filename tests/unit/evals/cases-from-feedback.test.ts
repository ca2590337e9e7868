import { describe, expect, it } from "vitest";
import { readCases } from "../../../evals/case-files/load-cases.ts";
import { casesOf, type RatedAnswer, readRatings } from "../../../evals/cases-from-feedback.ts";

const RATED: RatedAnswer = {
  at: "2026-03-01T03:20:00+00:00",
  rating: "up",
  comment: null,
  corrections: [],
  triage_id: "5b0f7c0e-94a1-4c5e-9a57-0a2f6c1d7e11",
  incident_id: "8d3c2a64-0f1b-4a55-8c22-b9b1f3a0c7d2",
  title: "cart container exited with code 137",
  question: null,
  target: "cart",
  severity: "high",
  labels: { container_runtime: "docker" },
  logs: "Memory cgroup out of memory: Killed process 4711\nand: more",
  domain: "docker",
  outcome: "cause",
  confidence: 0.87,
  sources: [{ id: "4f2b", kind: "runbook", title: "Out of memory", source: "docker/exit-137-out-of-memory.md" }],
};

function read(ratings: readonly RatedAnswer[]) {
  return casesOf(ratings).map(({ name, yaml, needsReview }) => {
    const { cases, errors } = readCases(`/cases/feedback/${name}`, yaml);
    expect(errors).toEqual([]);
    return { ...cases[0], needsReview };
  });
}

describe("an answer that was rated up", () => {
  it("becomes a case that expects the same answer for another target", () => {
    expect(read([RATED])).toMatchObject([
      {
        id: "rated-5b0f7c0e",
        category: "reasoning",
        ask: [
          { title: RATED.title, target: "cart-replayed", severity: "high", labels: RATED.labels, logs: RATED.logs },
        ],
        expect: { outcome: ["cause"], domain: "docker", runbooks: ["docker/exit-137-out-of-memory.md"] },
        needsReview: false,
      },
    ]);
  });

  it("becomes a case with the question alone when the report was a bare question", () => {
    const question = "why is cart gone?";
    const [created] = read([{ ...RATED, title: question, question, target: null, logs: null, labels: {} }]);
    expect(created?.ask).toEqual([{ question, severity: "high" }]);
  });

  it("needs a review when it cites a past incident, which exists in one database only", () => {
    const id = "8d3c2a64-0f1b-4a55-8c22-b9b1f3a0c7d2";
    expect(
      read([{ ...RATED, sources: [{ id, kind: "incident", title: "Cart is down", source: null }] }]),
    ).toMatchObject([
      {
        category: "memory",
        expect: { outcome: ["cause"], incident: id },
        review: expect.stringContaining("`before`"),
        needsReview: true,
      },
    ]);
  });
});

describe("an answer with at least one down rating", () => {
  it("becomes a case that needs a review and quotes the comments", () => {
    const ratings: RatedAnswer[] = [RATED, { ...RATED, rating: "down", comment: "it was: the disk" }];
    expect(read(ratings)).toMatchObject([
      {
        review: expect.stringContaining("1 of 2 people rated this answer down. Comments: “it was: the disk”."),
        needsReview: true,
      },
    ]);
  });
});

describe("a correction", () => {
  it("of the runbook is the right answer, so that the case needs no review", () => {
    const right = "docker/host-disk-full.md";
    const wrong: RatedAnswer = { ...RATED, rating: "down", corrections: [{ part: "runbook", right }] };
    expect(read([RATED, wrong])).toMatchObject([
      { expect: { outcome: ["cause"], runbooks: [right] }, needsReview: false },
    ]);
  });

  it("that names no right runbook needs a review that says what is wrong", () => {
    const corrections = [{ part: "runbook" as const }, { part: "step" as const, was: "Restart it", right: "Drain it" }];
    expect(read([{ ...RATED, rating: "down", corrections }])).toMatchObject([
      { review: expect.stringContaining("Wrong: runbook; step “Restart it”, right: “Drain it”."), needsReview: true },
    ]);
  });
});

describe("ratings", () => {
  it("that were withdrawn create no case", () => {
    expect(casesOf([{ ...RATED, rating: "none" }])).toEqual([]);
  });

  it("are read page by page", async () => {
    const paths: string[] = [];
    const { ratings, isTruncated } = await readRatings({
      get: async (path) => {
        paths.push(path);
        return { feedback: [RATED], next_cursor: paths.length < 3 ? `c=${paths.length}` : null };
      },
    });
    expect(ratings).toHaveLength(3);
    expect(isTruncated).toBe(false);
    expect(paths.slice(1)).toEqual(["/v1/feedback?limit=100&cursor=c%3D1", "/v1/feedback?limit=100&cursor=c%3D2"]);
  });

  it("are truncated after 20 pages, and the result says so", async () => {
    const { ratings, isTruncated } = await readRatings({
      get: async () => ({ feedback: [RATED], next_cursor: "more" }),
    });
    expect([ratings.length, isTruncated]).toEqual([20, true]);
  });
});
