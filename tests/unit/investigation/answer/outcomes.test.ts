import { describe, expect, it } from "vitest";
import { createExtractiveAnswer, lookStep } from "../../../../functions/investigation/answer/extractive-answer.ts";
import type { Recall } from "../../../../functions/investigation/recall/recall-result.ts";
import { EMPTY_ANSWER } from "../../../../functions/schemas/answer.ts";
import {
  recallOf,
  sampleIncident,
  samplePastFix,
  samplePastIncident,
  sampleRunbook,
  sampleShownFix,
  THRESHOLDS,
} from "../samples.ts";

const RUNBOOK =
  "# Killed\n\nRUNBOOK-TEXT.\n\n## Confirm\n\n1. RUNBOOK-CHECK.\n\n   ```sh\n   docker ps\n   ```\n\n" +
  "2. (changes state) RUNBOOK-RISK.\n\n## Mitigate\n\n1. RUNBOOK-STEP.\n\n## Root causes\n\n- RUNBOOK-CAUSE.\n";
const LOOKS = [{ text: "See what changed.", command: null }];

function compose(recall: Partial<Recall>, incident = sampleIncident()) {
  return createExtractiveAnswer(incident, recallOf(recall), { thresholds: THRESHOLDS, looks: LOOKS });
}
const runbookOf = (probability: number, source = "exit-137.md", markdown = RUNBOOK) =>
  sampleRunbook(markdown, { source, probability });

describe("a runbook", () => {
  it.each([
    [1, "cause"],
    [0.55, "cause"],
    [0.54, "possible"],
    [0.3, "possible"],
    [0.29, "unknown"],
    [0, "unknown"],
  ])("with probability %d gives outcome %s and this confidence", (probability, outcome) => {
    const finalAnswer = compose({ runbooks: [runbookOf(probability)] });
    expect([finalAnswer.outcome, finalAnswer.confidence]).toEqual([outcome, probability]);
  });

  it("reaches a threshold by its probability as shown", () => {
    expect(compose({ runbooks: [runbookOf(0.546)] }).outcome).toBe("cause");
    expect(compose({ runbooks: [runbookOf(0.544)] }).outcome).toBe("possible");
  });

  it("below POSSIBLE_THRESHOLD is not quoted", () => {
    const { answer } = compose({ runbooks: [runbookOf(0.29)] });
    expect(JSON.stringify(answer)).not.toContain("RUNBOOK-");
    expect(answer.summary).toEqual({ text: expect.stringContaining("no recalled runbook covers this"), citations: [] });
    expect(answer.look_next).toEqual(LOOKS.map(lookStep));
  });

  it("that is more probable is the answer although another one is ranked higher", () => {
    const other = runbookOf(0.75, "other.md", "# Other\n\nOTHER-TEXT.");
    const { confidence, answer } = compose({ runbooks: [other, runbookOf(0.9)] });
    expect([confidence, answer.summary.text]).toEqual([0.9, "Killed. RUNBOOK-TEXT."]);
  });

  it("that the report names is the answer although another one is more probable", () => {
    const named = runbookOf(0.8);
    const attached = { rank: 1, value: 10 };
    const hits = named.hits.map((hit) => ({ ...hit, contributions: { ...hit.contributions, attached } }));
    const { confidence, answer } = compose({
      runbooks: [runbookOf(0.95, "other.md", "# Other\n\nA."), { ...named, hits }],
    });
    expect([confidence, answer.summary.text]).toEqual([0.8, "Killed. RUNBOOK-TEXT."]);
  });
});

describe("a possible answer", () => {
  const fixed = samplePastIncident("past", { probability: 0.5, resolution: "PAST-FIX" });
  const recall = {
    runbooks: [
      runbookOf(0.4),
      runbookOf(0.5, "b.md", "# Bravo\n\nBRAVO-TEXT.\n\n## Confirm\n\n1. BRAVO-CHECK.\n"),
      runbookOf(0.31, "c.md", "# Charlie\n\nCHARLIE-TEXT.\n"),
      runbookOf(0.2, "d.md", "# Delta\n\nDELTA-TEXT.\n"),
    ],
    incidents: [fixed],
  };
  const { outcome, confidence, answer } = compose(recall);

  it("names the three most probable candidates, and the fix of an incident among them as what may have worked before", () => {
    expect([outcome, confidence]).toEqual(["possible", 0.5]);
    expect(answer.possible_causes.map(({ title, probability }) => [title, probability])).toEqual([
      ["Bravo", 0.5],
      ["Killed", 0.4],
    ]);
    expect(answer.worked_before).toMatchObject([
      { same_failure: false, probability: 0.5, fix: { text: "PAST-FIX" }, citations: ["past"] },
    ]);
  });

  it("has the candidates' checks, without those that change the system", () => {
    const [bravo, killed] = answer.possible_causes;
    expect(bravo).toMatchObject({ text: "BRAVO-TEXT.", citations: ["b.md#0"], confirm: [{ text: "BRAVO-CHECK." }] });
    expect(killed?.confirm.map(({ text, command }) => [text, command])).toEqual([["RUNBOOK-CHECK.", "docker ps"]]);
  });

  it("claims no cause and no mitigation", () => {
    expect(answer).toMatchObject({ likely_causes: [], mitigate: [], confirm: [], prevention: [] });
    expect(JSON.stringify(answer)).not.toMatch(/RUNBOOK-STEP|RUNBOOK-CAUSE|RUNBOOK-RISK|DELTA|CHARLIE/);
  });

  it("says in its summary that nothing is confirmed", () => {
    expect(answer.summary).toEqual({
      text: 'Possible: the runbook "Bravo" (50 %), the past incident "api-gateway was OOMKilled" (50 %) or the runbook "Killed" (40 %).',
      citations: ["b.md#0", "past", "exit-137.md#0"],
    });
  });

  it("lists the first looks only if no candidate has a check", () => {
    expect(answer.look_next).toEqual([]);
    expect(compose({ incidents: [fixed] }).answer.look_next).toEqual(LOOKS.map(lookStep));
  });
});

describe("an unknown answer", () => {
  it("with an empty recall says what to add", () => {
    expect(compose({})).toEqual({
      mode: "extractive",
      outcome: "unknown",
      confidence: 0,
      removed: { citations: 0, links: 0, statements: 0 },
      critique: null,
      answer: {
        ...EMPTY_ANSWER,
        summary: {
          text:
            "Unknown: no runbook was recalled, and no past incident resembles it. " +
            "Add logs or the exact error message to ask again.",
          citations: [],
        },
        look_next: LOOKS.map(lookStep),
      },
    });
  });

  it.each([
    ["Add logs or the exact error message", {}],
    ["Add logs that show the failure or", { logs: "GET /health 200\n".repeat(40) }],
    ["Add more of the logs or", { logs: "ERROR disk quota exceeded" }],
    ["Name the affected service, host or object.", { target: null }],
  ])("says %j if the report needs it", (advice, report) => {
    expect(compose({}, sampleIncident(report)).answer.summary.text).toContain(advice);
  });

  it("says that runbooks are being loaded, and asks for nothing", () => {
    const { text } = compose({ runbooksLoading: true }).answer.summary;
    expect(text).toMatch(
      /, and no past incident resembles it\. Runbooks may be missing or still loading: report it again in a minute\.$/,
    );
  });

  it("asks for no name if the report has labels", () => {
    const { answer } = compose({}, sampleIncident({ target: null, labels: { job: "api" } }));
    expect(answer.summary.text).not.toContain("Name the affected");
  });

  it.each([
    [false, "no runbook was recalled in the docker domain, and"],
    [true, "no runbook was recalled in the docker domain or in any other, and"],
  ])("names the domains of a limited search that looked further: %s", (lookedFurther, text) => {
    const domain = { ...sampleIncident().domain, limitsSearch: true };
    expect(compose({ lookedFurther }, sampleIncident({ domain })).answer.summary.text).toContain(text);
  });
});

describe("a past incident", () => {
  const fixed = samplePastIncident("fixed", {
    probability: 0.8,
    target: "api-gateway",
    resolution: "Raised the memory limit.",
    resolved_by: "dana",
  });
  const unfixed = samplePastIncident("unfixed", { probability: 0.9 });
  const AT = "2026-01-15T08:30:00.000Z";

  it("alone is an answer if it has a fix", () => {
    const finalAnswer = compose({ incidents: [fixed] });
    expect([finalAnswer.outcome, finalAnswer.confidence]).toEqual(["cause", 0.8]);
    expect(finalAnswer.answer).toEqual({
      ...EMPTY_ANSWER,
      summary: {
        text: "No runbook covers this, but the same kind of incident was fixed before.",
        citations: ["fixed"],
      },
      worked_before: [
        samplePastFix({
          text:
            '2026-01-15 "api-gateway was OOMKilled" on api-gateway. Fixed by: Raised the memory limit. (dana, 2026-01-15). ' +
            "It held for 45 days, until this report. 80 % likely the same failure.",
          citations: ["fixed"],
          same_failure: true,
          probability: 0.8,
          recurrence: { count: 1, first_at: AT, last_at: AT, targets: ["api-gateway"], more_targets: 0 },
          fix: sampleShownFix({ text: "Raised the memory limit.", at: AT, last_worked_at: AT }),
        }),
      ],
    });
  });

  it("without a fix is cited but is no answer", () => {
    const finalAnswer = compose({ runbooks: [runbookOf(0.2)], incidents: [unfixed] });
    expect([finalAnswer.outcome, finalAnswer.confidence]).toEqual(["unknown", 0.2]);
    expect(finalAnswer.answer.summary).toEqual({
      text: expect.stringContaining("a similar incident is on record, but without a fix"),
      citations: ["unfixed"],
    });
    expect(finalAnswer.answer.worked_before).toMatchObject([{ citations: ["unfixed"], same_failure: false }]);
  });

  it("without a fix sets no confidence and is not in the summary of a runbook's answer", () => {
    const { confidence, answer } = compose({ runbooks: [runbookOf(0.8)], incidents: [unfixed] });
    expect([confidence, answer.summary.citations]).toEqual([0.8, ["exit-137.md#0"]]);
    expect(answer.worked_before.map(({ citations }) => citations)).toEqual([["unfixed"]]);
  });

  it("below POSSIBLE_THRESHOLD is not shown", () => {
    const far = samplePastIncident("far", { probability: 0.29, resolution: "FAR-FIX" });
    for (const runbooks of [[], [runbookOf(0.9)], [runbookOf(0.5)]])
      expect(JSON.stringify(compose({ runbooks, incidents: [far] }).answer)).not.toContain("FAR-FIX");
  });

  it("that is less probable than the runbook leaves the runbook's confidence", () => {
    const { confidence, answer } = compose({ runbooks: [runbookOf(0.75)], incidents: [fixed] });
    expect(confidence).toBe(0.75);
    expect(answer.worked_before).toMatchObject([{ citations: ["fixed"], same_failure: true }]);
  });

  it("that is clearly more probable sets the confidence and leads the summary", () => {
    const same = samplePastIncident("same", { probability: 0.95, resolution: "More memory." });
    const { confidence, answer } = compose({ runbooks: [runbookOf(0.75)], incidents: [same] });
    expect(confidence).toBe(0.95);
    expect(answer.summary).toEqual({
      text: 'The past incident "api-gateway was OOMKilled" (2026-01-15) was fixed and is the nearest. Killed. RUNBOOK-TEXT.',
      citations: ["same", "exit-137.md#0"],
    });
    expect(answer.likely_causes.map(({ text }) => text)).toEqual(["RUNBOOK-CAUSE."]);
  });

  it("that is an answer leaves a runbook that is only possible a candidate", () => {
    const { answer } = compose({ runbooks: [runbookOf(0.5)], incidents: [fixed] });
    expect(answer.likely_causes).toEqual([]);
    expect(answer.possible_causes).toMatchObject([{ text: "RUNBOOK-TEXT.", probability: 0.5 }]);
  });

  it("is one of five at most, and only those are cited", () => {
    const ids = ["a", "b", "c", "d", "e", "f"];
    const { answer } = compose({ incidents: ids.map((id) => samplePastIncident(id, { resolution: `Fix ${id}.` })) });
    expect(answer.worked_before.flatMap(({ citations }) => citations)).toEqual(ids.slice(0, 5));
    expect(answer.summary.citations).toEqual(ids.slice(0, 5));
  });

  it("is shown before five others if it has the fix", () => {
    const open = ["a", "b", "c", "d", "e"].map((id) => samplePastIncident(id));
    const finalAnswer = compose({ incidents: [...open, fixed] });
    expect(finalAnswer.outcome).toBe("cause");
    expect(finalAnswer.answer.worked_before[0]?.citations).toEqual(["fixed"]);
  });
});

describe("the state of the evidence", () => {
  const stateOf = (name: "healthy" | "recovered" | "nothing_found", line: number | null = 3) => ({
    lines: [],
    state: { name, quote: "STATE: 3 of 3 ready", line },
  });
  const attached = { rank: 1, value: 10 };
  const [hit] = runbookOf(1).hits;
  const certain = {
    runbooks: [{ ...runbookOf(1), hits: hit ? [{ ...hit, contributions: { ...hit.contributions, attached } }] : [] }],
    incidents: [samplePastIncident("fixed", { probability: 1, resolution: "PAST-FIX" })],
  };

  it.each([
    ["healthy", "No incident: the report shows a working system:"],
    ["recovered", "No incident: the report shows that the failure is over:"],
  ] as const)("%s is benign even with a certain runbook that the report names", (name, text) => {
    const { outcome, answer } = compose(certain, sampleIncident({ evidence: stateOf(name) }));
    expect(outcome).toBe("benign");
    expect(answer).toEqual({
      ...EMPTY_ANSWER,
      summary: { text: `${text} "STATE: 3 of 3 ready".`, citations: [] },
      evidence: [
        {
          text: "Line 3 of the report's logs.",
          quote: "STATE: 3 of 3 ready",
          citations: [],
          supported: true,
          place: { line: 3, count: 1, time: null },
        },
      ],
    });
  });

  it("has no place in the logs if the headline says it", () => {
    const { answer } = compose({}, sampleIncident({ evidence: stateOf("healthy", null) }));
    expect(answer.evidence).toMatchObject([{ text: "The report says so itself.", place: null }]);
  });

  it.each([
    ["api-gateway", false],
    [null, true],
  ])("nothing_found is unknown, and asks for the object of target %s: %s", (target, asks) => {
    const evidence = stateOf("nothing_found");
    const { outcome, confidence, answer } = compose(certain, sampleIncident({ target, evidence }));
    expect([outcome, confidence, answer.likely_causes, answer.mitigate]).toEqual(["unknown", 0, [], []]);
    expect(answer.summary.text).toContain('the evidence holds nothing: "STATE: 3 of 3 ready"');
    expect(answer.summary.text.includes("Which object is affected?")).toBe(asks);
    expect(answer.evidence).toMatchObject([{ quote: "STATE: 3 of 3 ready" }]);
  });
});
