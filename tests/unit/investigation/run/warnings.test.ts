import { describe, expect, it } from "vitest";
import { type Dependency, DependencyError, type DependencyFailure } from "../../../../functions/dependencies.ts";
import {
  answerWarning,
  beginWarning,
  persistWarning,
  recallWarning,
  reflectionWarning,
  tokenBudgetWarning,
} from "../../../../functions/investigation/run/warnings.ts";
import { warningSchema } from "../../../../functions/schemas/triage-result.ts";

const SYSTEMS: readonly Dependency[] = ["postgres", "chroma", "embeddings", "reranker", "model"];
const FAILURES: readonly DependencyFailure[] = [
  "timeout",
  "unreachable",
  "busy",
  "refused",
  "invalid_response",
  "model_mismatch",
  "cancelled",
];
const each = SYSTEMS.flatMap((system) => FAILURES.map((failure) => [system, failure] as const));

describe("warnings", () => {
  it.each(each)("tell in words that %s ended in %s, without the log's detail", (system, failure) => {
    const error = new DependencyError(system, failure, "DETAIL-FOR-THE-LOG");
    const told = [recallWarning, persistWarning, beginWarning, answerWarning, reflectionWarning];
    for (const warning of told.map((tell) => tell(error))) {
      expect(warningSchema.parse(warning)).toEqual(warning);
      expect(warning.system).toBe(system);
      expect(warning.message).toMatch(/^[A-Z].*\.$/);
      expect(warning.message).not.toMatch(/undefined|DETAIL/);
    }
  });

  it("say what is missing where a model is", () => {
    expect(answerWarning(new DependencyError("model", "busy", "x"))).toEqual({
      code: "dependency_busy",
      system: "model",
      message:
        "The language model is overloaded or limits its use: this answer quotes runbooks and past incidents, and draws no conclusions of its own.",
    });
    expect(reflectionWarning(new DependencyError("model", "timeout", "x")).message).toContain("it was not improved");
    expect(recallWarning(new DependencyError("model", "cancelled", "x"))).toMatchObject({
      code: "cancelled",
      message: expect.stringContaining("the question was searched for as it stands"),
    });
  });

  it.each([
    [true, "The daily limit of 5000 tokens is used up: "],
    [false, "How much of the daily limit of 5000 tokens is used cannot be read: "],
  ])("say that the day's tokens hold a model back, known or not: %s", (isKnown, beginning) => {
    const warning = tokenBudgetWarning(5_000, isKnown);
    expect(warningSchema.parse(warning)).toEqual(warning);
    expect([warning.code, warning.system]).toEqual(["token_budget_spent", "model"]);
    expect(warning.message.startsWith(beginning)).toBe(true);
  });

  it("say which search is missing from the answer", () => {
    expect(recallWarning(new DependencyError("postgres", "timeout", "x"))).toEqual({
      code: "dependency_timeout",
      system: "postgres",
      message:
        "Postgres did not answer in time: the keyword search is missing from this answer, which rests on similarity alone.",
    });
    expect(recallWarning(new DependencyError("chroma", "unreachable", "x")).message).toContain(
      "rests on keywords alone",
    );
  });

  it("say whose order stands where a reranker is missing", () => {
    expect(recallWarning(new DependencyError("reranker", "timeout", "x"))).toEqual({
      code: "dependency_timeout",
      system: "reranker",
      message: "The reranker did not answer in time: the runbooks stand in the order in which the searches found them.",
    });
  });

  it("name the commands that help against vectors of another model, in their order", () => {
    const warning = recallWarning(new DependencyError("chroma", "model_mismatch", "x"));
    expect(warning.code).toBe("model_mismatch");
    expect(warning.message).toContain("(run `npm run reindex`, then `npm run seed`)");
  });

  it.each(FAILURES.filter((failure) => failure !== "model_mismatch"))("name no command against %s", (failure) => {
    for (const system of SYSTEMS) {
      expect(recallWarning(new DependencyError(system, failure, "x")).message).not.toContain("npm run");
    }
  });

  it.each(["timeout", "unreachable", "busy", "invalid_response", "cancelled"] as const)(
    "claim nothing of a triage whose storing ended in %s",
    (failure) => {
      const { message } = persistWarning(new DependencyError("postgres", failure, "x"));
      expect(message).toContain("could not be confirmed as stored");
      expect(message).not.toContain("is not stored");
    },
  );

  it.each(["refused"] as const)("say that a triage is not stored after %s", (failure) => {
    const { message } = persistWarning(new DependencyError("postgres", failure, "x"));
    expect(message).toContain("is not stored");
    expect(message).not.toContain("could not be confirmed");
  });

  it("are none for a failure of what takes no part in an answer", () => {
    for (const system of ["slack", "phoenix"] as const)
      expect(() => recallWarning(new DependencyError(system, "timeout", "x"))).toThrow(RangeError);
  });
});
