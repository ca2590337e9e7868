import { describe, expect, it } from "vitest";
import { answer } from "../../../../functions/investigation/answer/answer.ts";
import { createRun } from "../../../../functions/investigation/run/run.ts";
import { DEFAULT_CALIBRATION } from "../../../../functions/schemas/calibration.ts";
import type { Incident } from "../../../../functions/schemas/incident.ts";
import { NOTHING_OBSERVED } from "../../../../functions/schemas/live-evidence.ts";
import { emptySurroundings } from "../../../../functions/surroundings/surroundings.ts";
import { SHIPPED_CATALOG } from "../../../support/domains.ts";
import {
  modelsOf,
  recallOf,
  sampleDraft,
  sampleIncident,
  sampleRunbook,
  sampleServices,
  scriptedModel,
} from "../samples.ts";
import { critic, RECALLED } from "./generate-answer-samples.ts";

/** The answer of a model whose draft names a cause. */
async function answerOf(incident: Incident, { draft = sampleDraft(), recalled = RECALLED } = {}) {
  const model = scriptedModel([draft], "test:answer");
  const models = modelsOf(model, scriptedModel([critic(0.9)], "test:small"));
  const services = sampleServices({ models });
  const { finalAnswer } = await answer(services, createRun(services, {}), {
    incident,
    recalled,
    observing: Promise.resolve(NOTHING_OBSERVED),
    startedRun: {
      state: "started",
      catalog: SHIPPED_CATALOG,
      sources: [],
      surroundings: emptySurroundings(incident.createdAt),
      calibration: DEFAULT_CALIBRATION,
      attached: [],
      turns: [],
      sessionNames: [],
      sessionPastAnswers: [],
      runbooksLoading: false,
      models,
      warnings: [],
    },
  });
  return { ...finalAnswer, requests: model.requests.length };
}

describe("the answer of a model", () => {
  it("without a cause is no surer than the nearest text, however sure the critic is", async () => {
    const runbooks = [sampleRunbook("# Killed\n\nThe kernel killed it.\n", { probability: 0.1 })];
    const { outcome, mode, confidence, critique } = await answerOf(sampleIncident(), {
      draft: sampleDraft({ outcome: "unknown" }),
      recalled: recallOf({ runbooks }),
    });
    expect([outcome, mode, confidence, critique?.initial_confidence]).toEqual(["unknown", "model", 0.1, 0.9]);
  });

  it("gets the error lines that the model does not quote", async () => {
    const logs = "started\nFATAL memory limit reached\napi-gateway exited with code 137";
    const { mode, answer: written } = await answerOf(sampleIncident({ logs }));
    expect(mode).toBe("model");
    expect(written.evidence.map(({ quote }) => quote)).toEqual(
      expect.arrayContaining(["exited with code 137", "FATAL memory limit reached"]),
    );
  });

  it.each([
    ["cause", "model", "cause"],
    ["possible", "model", "possible"],
    ["unknown", "extractive", "cause"],
  ] as const)("with the outcome %s begins with the cause that a person named", async (drafted, mode, outcome) => {
    const text = "The quota of the namespace is used up";
    const namedCause = { text, by: "dana", record: "r1", title: "Quota", probability: 0.9 };
    const recalled = { ...RECALLED, runbooks: RECALLED.runbooks.slice(0, 1), namedCause };
    const finalAnswer = await answerOf(sampleIncident(), { draft: sampleDraft({ outcome: drafted }), recalled });
    const { likely_causes, possible_causes } = finalAnswer.answer;
    expect([finalAnswer.mode, finalAnswer.outcome]).toEqual([mode, outcome]);
    expect([...likely_causes, ...possible_causes][0]?.text).toBe(`${text}, as dana corrected it`);
  });

  it.each([
    ["healthy", "benign"],
    ["recovered", "benign"],
    ["nothing_found", "unknown"],
  ] as const)("is not requested if the evidence is %s: the outcome is %s", async (name, outcome) => {
    const evidence = { lines: [], state: { name, quote: "3 of 3 ready", line: 1 } };
    const finalAnswer = await answerOf(sampleIncident({ evidence }));
    expect([finalAnswer.mode, finalAnswer.outcome, finalAnswer.requests]).toEqual(["extractive", outcome, 0]);
    expect(finalAnswer.answer.likely_causes).toEqual([]);
  });
});
