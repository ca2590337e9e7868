import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { verifyDraft } from "../../../../functions/investigation/answer/verify-draft.ts";
import type { Draft } from "../../../../functions/investigation/prompts/synthesise.ts";

import { INSTRUCTION, R1, R2, verifier } from "./verify-draft-samples.ts";

describe("any draft", () => {
  const citations = fc.array(fc.constantFrom("R1", "R2", "I1", "I2", "R7", "x"), { maxLength: 3 });
  const text = fc.constantFrom("Words.", "More words.", INSTRUCTION, "See https://evil.com/a.");
  const command = fc.constantFrom(
    null,
    "docker ps",
    "docker restart api",
    "docker inspect api-gateway",
    "some-tool",
    "",
  );
  const check = fc.record({ citations, text, command });
  const draft: fc.Arbitrary<Draft> = fc.record({
    evidence: fc.array(fc.record({ quote: fc.constantFrom("code 137", "code 139"), citations, text }), {
      maxLength: 7,
    }),
    outcome: fc.constantFrom("cause", "possible", "unknown"),
    hypotheses: fc.array(
      fc.record({ citations, verdict: fc.constantFrom("kept", "rejected"), cause: text, reason: text }),
      { maxLength: 4 },
    ),
    summary: fc.record({ citations, text }),
    confirm: fc.array(check, { maxLength: 6 }),
    mitigate: fc.array(
      fc.record({ citations, text, command, effect: fc.constantFrom("read_only", "changes_state"), rollback: command }),
      { maxLength: 6 },
    ),
    worked_before: citations,
    prevention: fc.array(fc.record({ citations, text }), { maxLength: 4 }),
    look_next: fc.array(check, { maxLength: 6 }),
  });

  it("states a cause only with a citation and a quote, and marks unsupported statements", () => {
    const recalledIds = new Set([R1, R2, "past-1", "past-2"]);
    fc.assert(
      fc.property(draft, (sample) => {
        const { outcome, answer, precedents } = verifyDraft(sample, verifier);
        const {
          evidence,
          likely_causes,
          possible_causes,
          hypotheses,
          confirm,
          mitigate,
          prevention,
          look_next,
          summary,
        } = answer;
        const isQuoted = evidence.some(({ quote }) => quote !== null);
        expect(outcome === "cause").toBe(likely_causes.length > 0);
        if (outcome === "cause") expect([isQuoted, sample.outcome]).toEqual([true, "cause"]);
        expect(outcome === "possible").toBe(possible_causes.length > 0);
        if (outcome === "possible") expect(["cause", "possible"]).toContain(sample.outcome);
        if (outcome !== "cause") expect([...mitigate, ...prevention]).toEqual([]);
        if (outcome !== "unknown") expect(look_next).toEqual([]);
        for (const { citations: ids } of [...likely_causes, ...possible_causes])
          expect(ids.some(verifier.supportsCause)).toBe(true);
        for (const item of [...likely_causes, ...prevention]) expect(item.supported).toBe(item.citations.length > 0);
        const checks = possible_causes.flatMap((candidate) => candidate.confirm);
        for (const item of [...confirm, ...checks, ...mitigate, ...look_next]) {
          expect(item.supported).toBe(item.citations.length > 0 && item.from_source);
          if (/restart|some-tool/.test(item.command ?? "")) expect(item.from_source).toBe(false);
        }
        for (const item of evidence) expect(item.supported).toBe(item.quote !== null && item.citations.length > 0);
        for (const { citations: ids } of [summary, ...evidence, ...hypotheses, ...confirm, ...mitigate, ...prevention])
          for (const id of ids) expect(recalledIds).toContain(id);
        for (const id of precedents) expect(id).toMatch(/^past-/);
        expect(JSON.stringify(answer)).not.toMatch(/evil\.com|previous instructions/);
        expect(summary.text).not.toBe("");
      }),
    );
  });

  it("gives the same answer each time and is not modified", () => {
    fc.assert(
      fc.property(draft, (sample) => {
        const before = structuredClone(sample);
        expect(verifyDraft(sample, verifier)).toEqual(verifyDraft(before, verifier));
        expect(sample).toEqual(before);
      }),
    );
  });
});
