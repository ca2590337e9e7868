import { describe, expect, it } from "vitest";
import { OutsideError, type OutsideFailure, type OutsideSystem } from "../../../functions/stores/outside.ts";
import { warningSchema } from "../../../functions/triage/result.ts";
import { beginWarning, persistWarning, recallWarning } from "../../../functions/triage/warnings.ts";

const SYSTEMS: readonly OutsideSystem[] = ["postgres", "chroma", "embeddings"];
const FAILURES: readonly OutsideFailure[] = ["timeout", "unreachable", "refused", "invalid_reply", "model_mismatch"];
const each = SYSTEMS.flatMap((system) => FAILURES.map((failure) => [system, failure] as const));

describe("warnings", () => {
  it.each(each)("tell in words that %s ended in %s, without the log's detail", (system, failure) => {
    const error = new OutsideError(system, failure, "DETAIL-FOR-THE-LOG");
    for (const warning of [recallWarning(error), persistWarning(error), beginWarning(error)]) {
      expect(warningSchema.parse(warning)).toEqual(warning);
      expect(warning.system).toBe(system);
      expect(warning.message).toMatch(/^[A-Z].*\.$/);
      expect(warning.message).not.toMatch(/undefined|DETAIL/);
    }
  });

  it("say which search is missing from the answer", () => {
    expect(recallWarning(new OutsideError("postgres", "timeout", "x"))).toEqual({
      code: "dependency_timeout",
      system: "postgres",
      message:
        "Postgres did not answer in time: the keyword search is missing from this answer, which rests on similarity alone.",
    });
    expect(recallWarning(new OutsideError("chroma", "unreachable", "x")).message).toContain("rests on keywords alone");
  });

  it("name the commands that help against vectors of another model, in their order", () => {
    const warning = recallWarning(new OutsideError("chroma", "model_mismatch", "x"));
    expect(warning.code).toBe("model_mismatch");
    expect(warning.message).toContain("(run `npm run reindex`, then `npm run seed`)");
  });

  it.each(FAILURES.filter((failure) => failure !== "model_mismatch"))("name no command against %s", (failure) => {
    for (const system of SYSTEMS) {
      expect(recallWarning(new OutsideError(system, failure, "x")).message).not.toContain("npm run");
    }
  });

  it.each(["timeout", "unreachable", "invalid_reply"] as const)(
    "claim nothing of a triage whose storing ended in %s",
    (failure) => {
      const { message } = persistWarning(new OutsideError("postgres", failure, "x"));
      expect(message).toContain("could not be confirmed as stored");
      expect(message).not.toContain("is not stored");
    },
  );

  it.each(["refused"] as const)("say that a triage is not stored after %s", (failure) => {
    const { message } = persistWarning(new OutsideError("postgres", failure, "x"));
    expect(message).toContain("is not stored");
    expect(message).not.toContain("could not be confirmed");
  });
});
