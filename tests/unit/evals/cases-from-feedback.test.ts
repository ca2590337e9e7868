import { describe, expect, it } from "vitest";
import { readCases } from "../../evals/case-files/load-cases.ts";
import { casesOf, readVotes, type Voted } from "../../evals/cases-from-feedback.ts";

const VOTED: Voted = {
  at: "2026-03-01T03:20:00+00:00",
  rating: "up",
  comment: null,
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

function read(votes: readonly Voted[]) {
  return casesOf(votes).map(({ name, yaml, isForReview }) => {
    const { cases, faults } = readCases(`/cases/feedback/${name}`, yaml);
    expect(faults).toEqual([]);
    return { ...cases[0], isForReview };
  });
}

describe("an answer that was voted up", () => {
  it("is a case that expects it again, asked under another target", () => {
    expect(read([VOTED])).toMatchObject([
      {
        id: "voted-5b0f7c0e",
        category: "reasoning",
        ask: [
          { title: VOTED.title, target: "cart-replayed", severity: "high", labels: VOTED.labels, logs: VOTED.logs },
        ],
        expect: { outcome: "cause", domain: "docker", runbooks: ["docker/exit-137-out-of-memory.md"] },
        isForReview: false,
      },
    ]);
  });

  it("of a bare question asks the question alone", () => {
    const question = "why is cart gone?";
    const [made] = read([{ ...VOTED, title: question, question, target: null, logs: null, labels: {} }]);
    expect(made?.ask).toEqual([{ question, severity: "high" }]);
  });

  it("that rested on a past incident waits until somebody writes that out, since no other database holds it", () => {
    const id = "8d3c2a64-0f1b-4a55-8c22-b9b1f3a0c7d2";
    expect(
      read([{ ...VOTED, sources: [{ id, kind: "incident", title: "Cart is down", source: null }] }]),
    ).toMatchObject([
      {
        category: "memory",
        expect: { outcome: "cause", incident: id },
        review: expect.stringContaining("`before`"),
        isForReview: true,
      },
    ]);
  });
});

describe("an answer that was voted down, by anybody", () => {
  it("is a case that waits for what is right, with what was said", () => {
    const votes: Voted[] = [VOTED, { ...VOTED, rating: "down", comment: "it was: the disk" }];
    expect(read(votes)).toMatchObject([
      {
        review: expect.stringContaining("1 of 2 voted this answer down. They said: “it was: the disk”."),
        isForReview: true,
      },
    ]);
  });
});

describe("votes", () => {
  it("that were taken back make no case", () => {
    expect(casesOf([{ ...VOTED, rating: "none" }])).toEqual([]);
  });

  it("are read page by page", async () => {
    const paths: string[] = [];
    const { votes, isCut } = await readVotes({
      get: async (path) => {
        paths.push(path);
        return { feedback: [VOTED], next_cursor: paths.length < 3 ? `c=${paths.length}` : null };
      },
    });
    expect(votes).toHaveLength(3);
    expect(isCut).toBe(false);
    expect(paths.slice(1)).toEqual(["/v1/feedback?limit=100&cursor=c%3D1", "/v1/feedback?limit=100&cursor=c%3D2"]);
  });

  it("are cut where there is no end of them, and it is told", async () => {
    const { votes, isCut } = await readVotes({ get: async () => ({ feedback: [VOTED], next_cursor: "more" }) });
    expect([votes.length, isCut]).toEqual([20, true]);
  });
});
