// Minimum recall of the project's own runbooks for a sixth of the questions of each grade, and reports that none of them
// covers. tests/extended/evaluation/everything.test.ts asks all questions. The tests are part of
// evaluation.test.ts: loading all runbooks takes longer than to ask for them.

import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { DependencyError } from "../../../functions/dependencies.ts";
import type { TriageRequest } from "../../../functions/incidents/create-incident.ts";
import type { RecalledRunbook } from "../../../functions/investigation/recall/recall-result.ts";
import { deleteIncidents, type Harness } from "../support/harness.ts";
import { GRADES, SEED_QUERIES, type SeedQuery, UNANSWERABLE } from "../support/seed-queries.ts";
import { foundWithin, recallSeedQueries } from "../support/seed-recall.ts";
import { expectRecall, expectUnknown, type RecallFloors } from "./recall-floors.ts";

const FLOORS: RecallFloors = {
  easy: { first: 10, firstThree: 10 },
  medium: { first: 11, firstThree: 12 },
  hard: { first: 6, firstThree: 8 },
  misspelt: { first: 7, firstThree: 7 },
  codes: { first: 11, firstThree: 11 },
  "in passing": { first: 7, firstThree: 8 },
  trap: { first: 7, firstThree: 7 },
};
const UNKNOWN_FLOORS = { unknown: 3, maxCauses: 1 };

/** A share of the questions, by the hashes of their titles: a new question replaces at most one of them. */
function sampleOf<T>(share: number, questions: readonly T[], titleOf: (question: T) => string): T[] {
  const hashOf = (question: T) => createHash("sha256").update(titleOf(question)).digest("hex");
  return questions.toSorted((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1)).slice(0, Math.ceil(share * questions.length));
}
const titleOf = ({ question }: SeedQuery) => question.title;

const UNAVAILABLE = new DependencyError("embedder", "unreachable", "the connection failed");

/** @param harness its stores have all runbooks */
export function describeRecall(harness: Harness): void {
  beforeAll(() => deleteIncidents(harness.services));

  describe("the recall of the project's own runbooks", () => {
    it.each(GRADES)("finds the expected one for most questions of the grade %s", async (grade) => {
      const queries = sampleOf(1 / 6, SEED_QUERIES[grade], titleOf);
      await expectRecall(harness.services, { grade, queries, floors: FLOORS });
    });

    it.each([
      {
        kind: "returns random vectors",
        embed: async (texts: readonly string[]) =>
          texts.map((text) => randomVector(text, harness.services.embedder.dimensions)),
      },
      { kind: "is unavailable", embed: () => Promise.reject(UNAVAILABLE) },
    ])("is no worse than keywords alone with an embedder that $kind", async ({ kind, embed }) => {
      const services = { ...harness.services, embedder: { ...harness.services.embedder, embed } };
      const queries = GRADES.flatMap((grade) => sampleOf(1 / 20, SEED_QUERIES[grade], titleOf));
      const recalls = await recallSeedQueries(services, queries);
      const first = foundWithin(recalls, 1);
      const byKeywords = recalls.filter(({ query, runbooks }) => bestByBm25(runbooks) === query.runbook).length;
      console.log(`an embedder that ${kind}: R@1 ${first} of ${recalls.length}, by BM25 alone ${byKeywords}`);
      expect(first).toBeGreaterThanOrEqual(byKeywords);
    });

    it("leads to the outcome unknown, and rarely to a cause, when no runbook applies", async () => {
      const questions = sampleOf(1 / 6, UNANSWERABLE, ({ title }) => title);
      await expectUnknown(harness, { questions, floors: UNKNOWN_FLOORS });
    });
  });

  /** Each incident is deleted: the next report must not recall it. */
  async function triage(request: TriageRequest) {
    const result = await harness.triage(request);
    await deleteIncidents(harness.services);
    return result;
  }

  describe("a report that no runbook covers", () => {
    it.each<TriageRequest>([
      { title: "What is the capital of France?" },
      { title: "How do I bake sourdough bread?" },
      { title: "Who won the match yesterday?" },
      { title: "Our office Wi-Fi is unreachable" },
      { title: "The dishwasher leaks and the kitchen is full of water" },
      { title: "The pod of whales left the bay" },
      { title: "Book a table for two at eight" },
      { title: "My laptop keeps restarting" },
      { title: "Windows update restarts my machine" },
      { title: "The printer is out of memory" },
      { title: "The browser tab keeps crashing" },
      { title: "The health check at the doctor's is due" },
      { title: "Who ate my lunch?", incident_type: "oom_killed" },
      { title: "Windows laptop restarts", incident_type: "restart_loop" },
    ])("gets no cause: %j", async (request) => {
      const { outcome, answer } = await triage(request);
      expect(["possible", "unknown"]).toContain(outcome);
      expect([answer.likely_causes, answer.mitigate]).toEqual([[], []]);
    });
  });

  describe("a report that a runbook covers", () => {
    it.each([
      ["docker: api-gateway container exited with code 137", "docker/exit-137-out-of-memory.md"],
      ["container keeps restarting", "docker/container-restart-loop.md"],
      ["docker: no space left on device", "docker/host-disk-full.md"],
      ["pod in CrashLoopBackOff", "kubernetes/crash-loop-back-off.md"],
      ["podman container exited with status 137", "podman/exit-137-out-of-memory.md"],
      ["deadlock detected while updating orders", "postgres/deadlock-detected-40p01.md"],
    ])("is answered from it: %j", async (title, source) => {
      const { outcome, sources } = await triage({ title });
      expect(outcome).toBe("cause");
      expect(new Set(sources.map((each) => each.source))).toEqual(new Set([source]));
    });
  });
}

/** The source of the runbook whose chunk has the best keyword score. */
function bestByBm25(runbooks: readonly RecalledRunbook[]): string | undefined {
  const scoreOf = ({ hits }: RecalledRunbook) => Math.max(0, ...hits.map(({ bm25 }) => bm25?.score ?? 0));
  return runbooks.toSorted((a, b) => scoreOf(b) - scoreOf(a))[0]?.source;
}

/** A unit vector in a random direction that depends only on a hash of the text. */
function randomVector(text: string, dimensions: number): number[] {
  const bytes = createHash("shake256", { outputLength: dimensions * 4 })
    .update(text)
    .digest();
  const numbers = Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readInt32LE(index * 4));
  const length = Math.hypot(...numbers);
  return numbers.map((number) => number / length);
}
