import { describe, expect, it } from "vitest";
import type { TriageEvent } from "../../../../functions/investigation/run/events.ts";
import type { Models } from "../../../../functions/investigation/run/investigation-services.ts";
import { createRun } from "../../../../functions/investigation/run/run.ts";
import { modelsOf, NOW, sampleServices, scriptedModel } from "../samples.ts";

const BUDGET = { TRIAGE_BUDGET_MS: "25000", DEPENDENCY_TIMEOUT_MS: "2000" };

/** A run with a manual clock. */
function runAt(environment: Record<string, string> = BUDGET) {
  let passed = 0;
  const now = () => new Date(NOW.getTime() + passed);
  const run = createRun(sampleServices({ environment, now }), {});
  return {
    run,
    wait: (ms: number) => {
      passed += ms;
    },
  };
}

describe("the remaining budget", () => {
  it("is the budget less the time for storing", () => {
    expect(runAt().run.remainingBudget(0)).toBe(23_000);
  });

  it("is reduced by the share of the following steps", () => {
    const { run } = runAt();
    expect([run.remainingBudget(0.1), run.remainingBudget(0.2)]).toEqual([20_500, 18_000]);
  });

  it("is reduced by the elapsed time", () => {
    const { run, wait } = runAt();
    wait(10_000);
    expect([run.remainingBudget(0), run.remainingBudget(0.2)]).toEqual([13_000, 8_000]);
  });

  it("is never negative", () => {
    const { run, wait } = runAt();
    expect(run.remainingBudget(1)).toBe(0);
    wait(23_000);
    expect(run.remainingBudget(0)).toBe(0);
    wait(1_000_000);
    expect(run.remainingBudget(0)).toBe(0);
  });

  it("reserves at most a fifth of the budget for storing", () => {
    expect(runAt({ TRIAGE_BUDGET_MS: "1000", DEPENDENCY_TIMEOUT_MS: "2000" }).run.remainingBudget(0)).toBe(800);
  });

  it("is a whole number of milliseconds", () => {
    expect(runAt({ TRIAGE_BUDGET_MS: "3333", DEPENDENCY_TIMEOUT_MS: "100" }).run.remainingBudget(0.1)).toBe(2_900);
  });
});

describe("the usage of a run", () => {
  const model = scriptedModel([]);
  const usage = { input: 1_000, cachedInput: 400, output: 100 };
  const priced: Models = {
    answer: { model, price: { input: 10, cachedInput: 1, output: 50 } },
    small: { model, price: { input: 1, cachedInput: 0.1, output: 5 } },
  };
  const runOf = (models: Models) => createRun(sampleServices({ models }), {});

  it("is zero with an unknown cost at first", () => {
    expect(runOf(priced).usage()).toEqual({
      calls: 0,
      inputTokens: 0,
      cachedInputTokens: 0,
      outputTokens: 0,
      costUsd: null,
    });
  });

  it("is the sum of its requests, each at the price of its model", () => {
    const run = runOf(priced);
    run.spend("small", usage);
    expect(run.usage()).toEqual({
      calls: 1,
      inputTokens: 1_000,
      cachedInputTokens: 400,
      outputTokens: 100,
      costUsd: expect.closeTo(0.00114, 12),
    });
    run.spend("answer", usage);
    run.spend("answer", { input: 1, cachedInput: 0, output: 0 });
    expect(run.usage()).toEqual({
      calls: 3,
      inputTokens: 2_001,
      cachedInputTokens: 800,
      outputTokens: 200,
      costUsd: expect.closeTo(0.00114 + 0.0114 + 0.00001, 12),
    });
  });

  it.each([
    ["first", ["small", "answer"]],
    ["last", ["answer", "small"]],
    ["in between", ["answer", "small", "answer"]],
  ] as const)("costs nobody knows what as soon as one request has no price, be it the %s", (_place, roles) => {
    const run = runOf({ answer: priced.answer, small: { model, price: null } });
    for (const role of roles) run.spend(role, usage);
    expect(run.usage()).toMatchObject({ calls: roles.length, inputTokens: 1_000 * roles.length, costUsd: null });
  });

  it("costs 0, not an unknown sum, at price 0", () => {
    const free = { model, price: { input: 0, cachedInput: 0, output: 0 } };
    const run = runOf({ answer: free, small: free });
    run.spend("answer", usage);
    expect(run.usage().costUsd).toBe(0);
  });

  it("does not modify earlier values", () => {
    const run = runOf(modelsOf(model));
    const before = run.usage();
    run.spend("answer", usage);
    expect(before.calls).toBe(0);
  });
});

describe("a run", () => {
  it("has a new id and passes on events and the abort signal", () => {
    const events: TriageEvent[] = [];
    const cancelled = new AbortController().signal;
    const run = createRun(sampleServices(), { emit: (event) => events.push(event), cancelled });
    const event: TriageEvent = { event: "token", data: { draft: 1, path: "summary.text", text: "It " } };
    run.emit(event);
    expect([run.id, run.cancelled, events]).toEqual(["run-1", cancelled, [event]]);
  });

  it("works without a listener", () => {
    const run = createRun(sampleServices(), {});
    expect(() => run.emit({ event: "reflection", data: { draft: 2, changes: "x" } })).not.toThrow();
    expect(run.cancelled).toBeUndefined();
  });
});
