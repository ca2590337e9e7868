import { describe, expect, it } from "vitest";
import {
  decidedChecks,
  refutationOf,
  ruledOutBy,
  runbookVerdict,
} from "../../../../functions/investigation/evidence/check-verdicts.ts";
import type { RunCheck } from "../../../../functions/investigation/recall/recall-result.ts";
import type { CheckVerdict } from "../../../../lib/checks/check.ts";
import { recallOf, sampleRunbook } from "../samples.ts";

const IDLE = "Idle in transaction. A session holds its lock.";
const QUERY = "Long query. A report reads a large table.";
const runbook = sampleRunbook(`# Queries wait\n\nThey wait.\n\n## Likely causes\n\n- ${IDLE}\n- ${QUERY}\n`);

/** @param cause the whole text; null for the whole runbook */
function check(name: string, cause: string | null, verdict: CheckVerdict): RunCheck {
  const rule = { condition: "any > 0", meaning: "sessions wait for a lock" };
  return {
    definition: {
      name,
      language: "sql",
      query: `select '${name}'`,
      match: null,
      cause: cause === null ? null : (cause.split(".")[0] ?? ""),
      confirms: rule,
      refutes: rule,
      otherwise: null,
    },
    result: {
      id: `check:${runbook.source}#${name}`,
      name,
      language: "sql",
      verdict,
      statement: `${name} says so`,
      rule: "any > 0",
      value: "1",
      query: `select '${name}'`,
      cause,
      runbook: runbook.source,
      citations: runbook.sections.map(({ id }) => id).slice(0, 1),
      source: "db",
      checked_at: null,
      server: null,
      as_of: null,
      link: null,
    },
  };
}

const withChecks = (...checks: RunCheck[]) => ({ ...recallOf({ runbooks: [runbook] }), checks });
const verdictOf = (...checks: RunCheck[]) => runbookVerdict(withChecks(...checks), runbook);

describe("the verdict on a runbook", () => {
  it.each<[string, RunCheck[], string]>([
    ["no check", [], "open"],
    ["an inconclusive one", [check("a", null, "inconclusive")], "open"],
    ["a confirmed one", [check("a", null, "confirmed")], "confirmed"],
    ["a refuted one", [check("a", null, "refuted")], "refuted"],
    ["a confirmed cause", [check("a", IDLE, "confirmed")], "confirmed"],
    ["a refuted cause among others", [check("a", IDLE, "refuted")], "open"],
    ["each cause refuted", [check("a", IDLE, "refuted"), check("b", QUERY, "refuted")], "refuted"],
    [
      "its own refuted beside a confirmed cause",
      [check("a", null, "refuted"), check("b", IDLE, "confirmed")],
      "conflicting",
    ],
    ["two that contradict each other", [check("a", null, "refuted"), check("b", null, "confirmed")], "conflicting"],
    [
      "two of one cause that contradict each other",
      [check("a", IDLE, "refuted"), check("b", IDLE, "confirmed")],
      "open",
    ],
  ])("with %s", (_, checks, verdict) => {
    expect(verdictOf(...checks)).toBe(verdict);
  });
});

describe("checks of one cause that contradict each other", () => {
  const checks = [check("a", IDLE, "refuted"), check("b", IDLE, "confirmed"), check("c", QUERY, "refuted")];

  it("decide nothing", () => {
    expect(decidedChecks(checks).map(({ result }) => result.name)).toEqual(["c"]);
    expect(ruledOutBy(withChecks(...checks)).map(({ text }) => text)).toEqual([QUERY]);
    expect(refutationOf(checks, "A session is idle in a transaction")).toBeUndefined();
  });
});

describe("a stated cause", () => {
  const checks = [check("a", IDLE, "refuted"), check("b", QUERY, "confirmed")];

  it("is refuted in other words", () => {
    expect(refutationOf(checks, "Some session sits idle in its transaction")?.name).toBe("a");
  });

  it("is not refuted if it names a confirmed one as well", () => {
    expect(refutationOf(checks, "A long query blocks; sessions idle in transaction do not")).toBeUndefined();
  });

  it("is not refuted by words that it does not share", () => {
    expect(refutationOf(checks, "The disk is full")).toBeUndefined();
  });
});
