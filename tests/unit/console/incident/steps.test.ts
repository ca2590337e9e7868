// The steps of an answer: their commands, warnings and state.

import { describe, expect, it } from "vitest";
import { type StepState, shownSteps, stepGroups } from "../../../../console/src/views/incident/answer/model/steps.ts";
import type { Step } from "../../../../functions/schemas/answer.ts";
import { ANSWERS } from "../../cli/render/answers.ts";
import { stepOf } from "../../routes/slack/samples.ts";

const PLACEHOLDERS = { "<pod>": "checkout-7d9" };
const stateOf = (step: Pick<Step, "text" | "command">, changes: Partial<StepState> = {}): StepState => ({
  key: "5f0c2b7a9d1e4c3f",
  text: step.text,
  command: step.command,
  done: false,
  by: null,
  at: null,
  ...changes,
});
const shown = (step: Step, states: readonly StepState[] = []) =>
  shownSteps([step], { placeholders: PLACEHOLDERS }, { states })[0];

describe("a step", () => {
  it("has the names of the report in its command, and says which ones are left", () => {
    const step = stepOf({
      text: "Look.",
      command: "kubectl logs <pod> -n <namespace>",
      undo: "`undo <pod> <revision>`",
    });
    expect(shown(step)).toMatchObject({
      command: "kubectl logs checkout-7d9 -n <namespace>",
      undo: "`undo checkout-7d9 <revision>`",
      open: ["<namespace>", "<revision>"],
    });
  });

  it("has its state by text and command, whatever their spacing", () => {
    const step = stepOf({ text: "Restart  it.", command: "docker restart <container>" });
    const own = stateOf({ text: "Restart it.", command: " docker restart  <container>" }, { done: true, by: "dana" });
    const other = stateOf({ text: "Restart it.", command: null });
    expect(shown(step, [other, own])?.state).toEqual(own);
    expect(shown(step, [other])?.state).toBeNull();
  });
});

describe("the groups", () => {
  const titles = (name: string) => {
    const answer = ANSWERS[name];
    return answer === undefined ? [] : stepGroups(answer, []).groups.map(({ title }) => title);
  };

  it("are checks before fixes, the checks of each candidate, or first looks", () => {
    expect(titles("cause")).toEqual(["Check first", "Then fix it"]);
    expect(titles("possible")).toEqual(["Check: Memory limit", "Check: Memory leak"]);
    expect(titles("unknown")).toEqual(["Look here first"]);
    expect(titles("benign")).toEqual([]);
  });

  it("do not say of first looks that no source has them", () => {
    const unknown = ANSWERS.unknown;
    const looks = unknown === undefined ? [] : stepGroups(unknown, []).groups[0]?.steps;
    expect(looks?.map(({ note }) => note)).toEqual([null, null]);
  });
});
