import { describe, expect, it } from "vitest";
import { DependencyError, type DependencyFailure } from "../../../../functions/dependencies.ts";
import {
  answerWarning,
  persistWarning,
  recallWarning,
  reflectionWarning,
  runStartWarning,
  tokenBudgetWarning,
} from "../../../../functions/investigation/run/warnings.ts";
import { ANSWER_DEPENDENCIES } from "../../../../functions/schemas/dependency.ts";
import { warningSchema } from "../../../../functions/schemas/triage-result.ts";

const FAILURES: readonly DependencyFailure[] = [
  "timeout",
  "unreachable",
  "busy",
  "refused",
  "invalid_response",
  "model_mismatch",
  "cancelled",
];
const each = ANSWER_DEPENDENCIES.flatMap((dependency) => FAILURES.map((failure) => [dependency, failure] as const));

describe("warnings", () => {
  it.each(each)("describe failure of %s with %s, without the log's detail", (dependency, failure) => {
    const error = new DependencyError(dependency, failure, "DETAIL-FOR-THE-LOG");
    const warningFunctions = [recallWarning, persistWarning, runStartWarning, answerWarning, reflectionWarning];
    for (const warning of warningFunctions.map((warningOf) => warningOf(error))) {
      expect(warningSchema.parse(warning)).toEqual(warning);
      expect(warning.dependency).toBe(dependency);
      expect(warning.message).toMatch(/^[A-Z].*\.$/);
      expect(warning.message).not.toMatch(/undefined|DETAIL/);
    }
  });

  it("describe an answer without a model", () => {
    expect(answerWarning(new DependencyError("language_model", "busy", "x"))).toEqual({
      code: "dependency_busy",
      dependency: "language_model",
      message:
        "The language model is overloaded or limits its use: this answer quotes runbooks and past incidents, and draws no conclusions of its own.",
    });
    expect(reflectionWarning(new DependencyError("language_model", "timeout", "x")).message).toContain(
      "it was not improved",
    );
    expect(recallWarning(new DependencyError("language_model", "cancelled", "x"))).toMatchObject({
      code: "cancelled",
      message: expect.stringContaining("the question was searched for as it was asked"),
    });
  });

  it.each([
    [true, "The daily limit of 5000 tokens is used up: "],
    [false, "Today's usage cannot be read, so the daily limit of 5000 tokens counts as reached: "],
  ])("describe a reached token limit, readable or not: %s", (isReadable, beginning) => {
    const warning = tokenBudgetWarning(5_000, isReadable);
    expect(warningSchema.parse(warning)).toEqual(warning);
    expect([warning.code, warning.dependency]).toEqual(["token_budget_spent", "language_model"]);
    expect(warning.message.startsWith(beginning)).toBe(true);
  });

  it("name the missing search", () => {
    expect(recallWarning(new DependencyError("database", "timeout", "x"))).toEqual({
      code: "dependency_timeout",
      dependency: "database",
      message: "The database did not answer in time: this answer lacks the keyword search.",
    });
    expect(recallWarning(new DependencyError("vector_store", "unreachable", "x")).message).toContain(
      "lacks the similarity search",
    );
  });

  it("name the order without a reranker", () => {
    expect(recallWarning(new DependencyError("reranker", "timeout", "x"))).toEqual({
      code: "dependency_timeout",
      dependency: "reranker",
      message: "The reranker did not answer in time: the runbooks keep the order of the searches.",
    });
  });

  it("name the commands for a model mismatch in order", () => {
    const warning = recallWarning(new DependencyError("vector_store", "model_mismatch", "x"));
    expect(warning.code).toBe("model_mismatch");
    expect(warning.message).toContain("(run `dejavu reindex`, then `dejavu seed`)");
  });

  it.each(FAILURES.filter((failure) => failure !== "model_mismatch"))("name no command against %s", (failure) => {
    for (const dependency of ANSWER_DEPENDENCIES) {
      expect(recallWarning(new DependencyError(dependency, failure, "x")).message).not.toContain("npm run");
    }
  });

  it.each(["timeout", "unreachable", "busy", "invalid_response", "cancelled"] as const)(
    "leave open whether a triage is stored after %s",
    (failure) => {
      const { message } = persistWarning(new DependencyError("database", failure, "x"));
      expect(message).toContain("could not be confirmed as stored");
      expect(message).not.toContain("is not stored");
    },
  );

  it.each(["refused"] as const)("say that a triage is not stored after %s", (failure) => {
    const { message } = persistWarning(new DependencyError("database", failure, "x"));
    expect(message).toContain("is not stored");
    expect(message).not.toContain("could not be confirmed");
  });

  it("do not exist for a dependency that answers do not use", () => {
    for (const dependency of ["chat", "trace_collector", "trace_server"] as const)
      expect(() => recallWarning(new DependencyError(dependency, "timeout", "x"))).toThrow(RangeError);
  });
});
