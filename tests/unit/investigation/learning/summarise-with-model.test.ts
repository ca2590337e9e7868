import { describe, expect, it } from "vitest";
import { errorFacts } from "../../../../functions/investigation/learning/summarise-triage.ts";
import { keepOwn } from "../../../../functions/investigation/learning/summarise-with-model.ts";
import { sampleIncident } from "../samples.ts";

describe("a model's summary with more facts than there is room for", () => {
  it("keeps every error line, also one that the model lists last", () => {
    const logs = "FATAL out of memory\nERROR container exceeded its memory limit";
    const incident = sampleIncident({ logs });
    const lines = errorFacts(incident);
    expect(lines).toHaveLength(2);
    const facts = [..."abcdefghi"].map((letter) => `Fact ${letter}`);
    const summary = { title: "Killed", narrative: "It was killed.", facts: [...facts, lines[1] ?? ""] };
    expect(keepOwn(summary, [], incident)?.facts).toEqual([...facts.slice(0, 8), ...lines]);
  });
});
