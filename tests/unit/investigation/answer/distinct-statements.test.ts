import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  statementKey,
  withDistinctStatements,
} from "../../../../functions/investigation/answer/distinct-statements.ts";
import { createExtractiveAnswer } from "../../../../functions/investigation/answer/extractive-answer.ts";
import { type Answer, EMPTY_ANSWER, type Step } from "../../../../functions/schemas/answer.ts";
import { recallOf, sampleIncident, samplePastFix, samplePastIncident, sampleRunbook, THRESHOLDS } from "../samples.ts";

const stepOf = (text: string, command: string | null = null): Step => ({
  text,
  command,
  effect: null,
  undo: null,
  citations: [],
  supported: true,
  from_source: true,
});
const statementOf = (text: string) => ({ text, citations: [], supported: true });
const answerOf = (parts: Partial<Answer>): Answer => ({
  ...EMPTY_ANSWER,
  summary: { text: "S.", citations: [] },
  ...parts,
});

/** The texts of an answer without its evidence, whose quotations differ by their place. */
function textsOf({ summary, possible_causes, ...answer }: Answer): string[] {
  const { likely_causes, confirm, mitigate, worked_before, prevention, look_next } = answer;
  const listed = [...likely_causes, ...possible_causes, ...possible_causes.flatMap((item) => item.confirm)];
  return [summary, ...listed, ...confirm, ...mitigate, ...worked_before, ...prevention, ...look_next].map(
    ({ text }) => text,
  );
}

describe("an answer", () => {
  it("says nothing twice, whatever the runbooks and incidents say", () => {
    const sentence = fc.constantFrom(
      "The disk is full.",
      "the **disk** is full",
      "Restart it.",
      "Look.",
      "Killed",
      "It grew.",
    );
    const section = fc.tuple(
      fc.constantFrom("", "## Meaning", "## Confirm", "## Diagnosis", "## Mitigate", "## Root causes", "## Prevent"),
      fc.array(sentence, { minLength: 1, maxLength: 4 }),
    );
    const runbook = fc.tuple(fc.constantFrom("Killed", "Disk"), fc.array(section, { minLength: 1, maxLength: 5 }));
    const probability = fc.constantFrom(0.2, 0.5, 0.8, 0.95);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(runbook, probability), { maxLength: 3 }),
        fc.array(fc.tuple(sentence, probability), { maxLength: 4 }),
        (runbooks, incidents) => {
          const recall = recallOf({
            runbooks: runbooks.map(([[title, sections], likelihood], i) => {
              const body = sections.map(
                ([heading, items]) => `${heading}\n\n${items.map((item) => `- ${item}`).join("\n")}`,
              );
              return sampleRunbook(`# ${title}\n\n${body.join("\n\n")}\n`, {
                source: `${i}.md`,
                probability: likelihood,
              });
            }),
            incidents: incidents.map(([resolution, likelihood], i) =>
              samplePastIncident(`past-${i}`, { title: `incident ${i}`, resolution, probability: likelihood }),
            ),
          });
          const looks = [{ text: "Look.", command: null }];
          const { answer } = createExtractiveAnswer(sampleIncident(), recall, {
            thresholds: THRESHOLDS,
            looks,
          });
          const keys = textsOf(answer).map(statementKey);
          expect(keys).toEqual([...new Set(keys)]);
        },
      ),
    );
  });

  it("keeps the first place of a statement in the order of the renderings", () => {
    const answer = withDistinctStatements(
      answerOf({
        likely_causes: [statementOf("The disk is full.")],
        confirm: [stepOf("the disk is **full**"), stepOf("Look.")],
        mitigate: [stepOf("Look"), stepOf("Act.")],
        prevention: [statementOf("Act!")],
      }),
    );
    expect(textsOf(answer)).toEqual(["S.", "The disk is full.", "Look.", "Act."]);
  });

  it("keeps a command whose sentence stands before another one", () => {
    const confirm = [stepOf("Run this:", "uptime"), stepOf("Run this:", "free -m"), stepOf("Run this:", "free -m")];
    const steps = withDistinctStatements(answerOf({ confirm })).confirm;
    expect(steps.map(({ text, command }) => [text, command])).toEqual([
      ["Run this:", "uptime"],
      ["free -m", "free -m"],
    ]);
  });

  it("keeps the fix of the same failure before a mitigation that says it too", () => {
    const fix = samplePastFix({ ...statementOf("More memory."), same_failure: true });
    const answer = withDistinctStatements(answerOf({ mitigate: [stepOf("More memory")], worked_before: [fix] }));
    expect([answer.mitigate, answer.worked_before]).toEqual([[], [fix]]);
  });
});
