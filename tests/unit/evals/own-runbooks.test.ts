import { expect, it } from "vitest";
import { caseSchema } from "../../../evals/case-files/case-schema.ts";
import { SAMPLES } from "../../../evals/case-files/samples.ts";
import { createDejavu, type Dejavu } from "../../../evals/runner/dejavu-client.ts";
import { runCases } from "../../../evals/runner/run-cases.ts";
import { sampleResult } from "../investigation/samples.ts";

const SOURCE = "eval-team/exit.md";
const CLOCK = { now: () => 0, pause: async () => {}, timeout: () => new AbortController().signal };

function caseOf(id: string, fields = {}) {
  return caseSchema.parse({
    ...{ id, category: "retrieval", description: "A case.", domain: "docker", ...fields },
    ...{ ask: { title: "It stopped" }, expect: { outcome: "cause" } },
  });
}

/** Runs a case with an own runbook and one without. @returns the run, and the calls that it made, in order */
async function runWith(changes: Partial<Dejavu> = {}, fields = {}) {
  const calls: string[] = [];
  const dejavu: Dejavu = {
    mark: () => {},
    triage: async () => {
      calls.push("triage");
      return sampleResult();
    },
    resolve: async () => {},
    rate: async () => {},
    incident: async () => "{}",
    waitForIndex: async () => {},
    storeRunbook: async (source, text) => void calls.push(`store ${source}: ${text}`),
    deleteRunbook: async (source) => void calls.push(`delete ${source}`),
    storeDocument: async ({ source }) => void calls.push(`store ${source}`),
    storeSource: async (name) => void calls.push(`define ${name}`),
    deleteSource: async (name) => void calls.push(`delete ${name}`),
    deleteDomain: async (name) => void calls.push(`delete all of ${name}`),
    deleteSession: async () => {},
    hasIncidents: async () => false,
    isReachable: async () => true,
    get: async () => ({}),
    ...changes,
  };
  const outcome = await runCases(
    [caseOf("own", { own_runbooks: { [SOURCE]: "# Exit" }, ...fields }), caseOf("other")],
    dejavu,
    {
      ...{ runId: "test", repeats: 1, clock: CLOCK, judge: null, onTrial: () => {} },
      cancelled: new AbortController().signal,
    },
  );
  return { ...outcome, calls, errors: outcome.results.flatMap(({ trials }) => trials.map(({ error }) => error)) };
}

it("a case's runbooks are stored before its request and deleted before the next case", async () => {
  const { calls, undeletedRunbooks } = await runWith();
  expect(calls).toEqual([`store ${SOURCE}: # Exit`, "triage", `delete ${SOURCE}`, "triage"]);
  expect(undeletedRunbooks).toEqual([]);
});

it("a runbook that cannot be deleted stops the run, and is named", async () => {
  const { errors, undeletedRunbooks } = await runWith({
    deleteRunbook: () => Promise.reject(new Error("The service is unavailable.")),
  });
  expect(errors).toEqual([null, "The records of an earlier case could not be deleted."]);
  expect(undeletedRunbooks).toEqual([SOURCE]);
});

it("a runbook is deleted when its request to store it failed, since it may have been stored all the same", async () => {
  const { calls, errors, undeletedRunbooks } = await runWith({
    storeRunbook: () => Promise.reject(new Error("Too late.")),
  });
  expect(errors).toEqual(["Too late.", null]);
  expect(calls).toEqual([`delete ${SOURCE}`, "triage"]);
  expect(undeletedRunbooks).toEqual([]);
});

it("the domain of a deleted runbook is deleted unless it holds other texts", async () => {
  const calls: string[] = [];
  const respond = (domainStatus: number) =>
    createDejavu(
      async (path, { method }) => {
        calls.push(`${method} ${path}`);
        return new Response(null, { status: path.startsWith("/v1/domains/") ? domainStatus : 200 });
      },
      { clock: CLOCK, timeoutMs: 1_000 },
    );
  await respond(200).deleteRunbook(SOURCE);
  expect(calls).toEqual(["DELETE /v1/runbooks/eval-team/exit.md", "DELETE /v1/domains/eval-team"]);
  await respond(409).deleteRunbook(SOURCE);
  await expect(respond(503).deleteRunbook(SOURCE)).rejects.toThrow();
});

it("a case with samples stores them before its request and deletes them before the next case", async () => {
  const { calls } = await runWith({}, { samples: true });
  const sources = SAMPLES.map(({ source }) => source);
  expect(sources).toContain("eval-samples/postmortems/2026-03-17-carts-evicted.md");
  expect(calls).toEqual([
    ...[`store ${SOURCE}: # Exit`, ...sources.map((source) => `store ${source}`), "triage"],
    ...[`delete ${SOURCE}`, "delete all of eval-samples", "triage"],
  ]);
});
