import { describe, expect, it } from "vitest";
import { createExtractiveAnswer, lookStep } from "../../../../functions/investigation/answer/extractive-answer.ts";
import { createBenignAnswer, createBlockedAnswer } from "../../../../functions/investigation/answer/fixed-answers.ts";
import { workedBefore } from "../../../../functions/investigation/answer/past-incidents.ts";
import type { Observation } from "../../../../functions/memory/observation.ts";
import { EMPTY_ANSWER } from "../../../../functions/schemas/answer.ts";
import { sampleFix } from "../../memory/samples.ts";
import { recallOf, sampleIncident, samplePastIncident, sampleRunbook, THRESHOLDS } from "../samples.ts";

const UNTOUCHED = { mode: "extractive", removed: { citations: 0, links: 0, statements: 0 }, critique: null };

const LOOKS = [
  { text: "See what changed.", command: null },
  { text: "See the load.", command: "uptime" },
];

describe("look_next", () => {
  it("lists the first looks as unsupported steps for an unknown outcome", () => {
    const { outcome, answer } = createExtractiveAnswer(sampleIncident(), recallOf({}), {
      thresholds: THRESHOLDS,
      looks: LOOKS,
    });
    expect(outcome).toBe("unknown");
    expect(answer.look_next).toEqual(
      [
        { text: "See what changed.", command: null, effect: null },
        { text: "See the load.", command: "uptime", effect: "read_only" },
      ].map((step) => ({ ...step, undo: null, citations: [], supported: false, from_source: true })),
    );
  });

  it("is empty without first looks", () => {
    expect(createExtractiveAnswer(sampleIncident(), recallOf({}), { thresholds: THRESHOLDS }).answer.look_next).toEqual(
      [],
    );
  });

  it("is present when a similar incident has no fix", () => {
    const { answer } = createExtractiveAnswer(sampleIncident(), recallOf({ incidents: [samplePastIncident("seen")] }), {
      thresholds: THRESHOLDS,
      looks: LOOKS,
    });
    expect(answer.look_next).toEqual(LOOKS.map(lookStep));
  });

  it.each([
    ["a runbook is likely", recallOf({ runbooks: [sampleRunbook("# T\n\nWords.")] })],
    ["it was fixed before", recallOf({ incidents: [samplePastIncident("fixed", { resolution: "More memory." })] })],
  ])("is empty where %s", (_case, recall) => {
    const options = { thresholds: THRESHOLDS, looks: LOOKS };
    expect(createExtractiveAnswer(sampleIncident(), recall, options).answer.look_next).toEqual([]);
  });
});

describe("an answer to a benign alert", () => {
  it("has confidence 1, a reason and no steps", () => {
    const reason = "the alert Watchdog always fires; it is trouble only when it stops";
    expect(createBenignAnswer(reason, sampleIncident())).toEqual({
      ...UNTOUCHED,
      outcome: "benign",
      confidence: 1,
      answer: {
        ...EMPTY_ANSWER,
        summary: {
          text: "No incident: the alert Watchdog always fires; it is trouble only when it stops.",
          citations: [],
        },
      },
    });
  });
});

describe("an answer to a question that tries to instruct a model", () => {
  it("refuses with confidence 0 and names the category", () => {
    expect(createBlockedAnswer("jailbreak")).toEqual({
      ...UNTOUCHED,
      outcome: "unknown",
      confidence: 0,
      answer: {
        ...EMPTY_ANSWER,
        summary: {
          text: "This question was not answered: it looks like an instruction to a model (jailbreak). Ask what is wrong in other words.",
          citations: [],
        },
      },
    });
  });
});

describe("worked_before", () => {
  const unfixed = samplePastIncident("seen", { probability: 0.9 });
  const fixed = samplePastIncident("fixed", { probability: 0.6, resolution: "More memory.", resolved_by: "dana" });
  const far = samplePastIncident("far", { probability: 0.2, target: "worker", resolution: "A restart." });
  const recall = recallOf({ incidents: [unfixed, fixed, far] });
  const ids = (precedents: readonly string[], of = recall) =>
    workedBefore(sampleIncident(), of, { thresholds: THRESHOLDS, precedents }).flatMap(({ citations }) => citations);

  it("comes from the record", () => {
    expect(workedBefore(sampleIncident(), recall, { thresholds: THRESHOLDS })[0]).toEqual({
      text: '2026-01-15 "api-gateway was OOMKilled". Fixed by: More memory. (dana, 2026-01-15) [score 0.02]',
      citations: ["fixed"],
      supported: true,
      same_failure: false,
    });
  });

  it("lists relevant incidents, fixed ones first, without precedents", () => {
    expect(ids([])).toEqual(["fixed", "seen"]);
  });

  it("begins with the precedents, each once", () => {
    expect(ids(["seen"])).toEqual(["seen", "fixed"]);
    expect(ids(["seen", "seen"])).toEqual(["seen", "fixed"]);
  });

  it("never shows an incident below POSSIBLE_THRESHOLD, whatever a model says", () => {
    expect(ids(["far"])).toEqual(["fixed", "seen"]);
  });

  it("begins with the fix of the same failure, and a repeat of it comes first", () => {
    const same = samplePastIncident("same", { probability: 0.9, resolution: "A smaller heap." });
    const repeat = samplePastIncident("repeat", { probability: 0.8, resolution: "A larger limit." });
    const of = recallOf({ incidents: [unfixed, fixed, same, repeat], repeatOf: repeat.hit.observation });
    expect(ids(["fixed"], of)).toEqual(["repeat", "same", "fixed", "seen"]);
    const shown = workedBefore(sampleIncident(), of, { thresholds: THRESHOLDS });
    expect(shown.map(({ same_failure }) => same_failure)).toEqual([true, true, false, false]);
  });

  it("shows a fix once, and that it fixed other incidents too", () => {
    const again = samplePastIncident("again", { probability: 0.5, resolution: "more memory", resolved_by: "eli" });
    const [, second] = workedBefore(sampleIncident(), recallOf({ incidents: [fixed, again] }), {
      thresholds: THRESHOLDS,
    });
    expect(second?.text).toContain("Fixed the same way (eli, 2026-01-15).");
  });

  it("ignores a precedent that was not recalled", () => {
    expect(ids(["made-up"])).toEqual(["fixed", "seen"]);
  });

  it("has at most five items", () => {
    const many = recallOf({ incidents: ["a", "b", "c", "d", "e", "f"].map((id) => samplePastIncident(id)) });
    expect(ids([], many)).toEqual(["a", "b", "c", "d", "e"]);
    expect(ids(["f"], many)).toEqual(["f", "a", "b", "c", "d"]);
  });

  it("is empty when nothing was recalled", () => {
    expect(ids(["fixed"], recallOf({}))).toEqual([]);
  });
});

describe("the sentence on a past incident", () => {
  const day = (date: string) => new Date(`${date}T23:59:59Z`);
  const fixedBy = (text: string, by: string | null, date: string) => ({ text, by, at: day(date) });
  const sentence = (row: Partial<Observation>, target?: string) => {
    const incident = samplePastIncident("past", { row, ...(target === undefined ? {} : { target }) });
    return workedBefore(sampleIncident(), recallOf({ incidents: [incident] }), { thresholds: THRESHOLDS })[0]?.text;
  };

  it("shows the last date, the occurrences, the fix with author and date, and the score", () => {
    const row = {
      firstSeenAt: day("2025-12-24"),
      lastSeenAt: day("2026-01-15"),
      occurrences: 4,
      resolution: fixedBy("More memory.", "dana", "2026-01-16"),
    };
    expect(sentence(row, "worker")).toBe(
      '2026-01-15 "api-gateway was OOMKilled" on worker, 4 times since 2025-12-24. ' +
        "Fixed by: More memory. (dana, 2026-01-16) [score 0.02]",
    );
  });

  it("omits a count of one and an unknown author", () => {
    for (const by of [null, ""]) {
      expect(sentence({ resolution: fixedBy("More memory.", by, "2026-01-16") })).toBe(
        '2026-01-15 "api-gateway was OOMKilled". Fixed by: More memory. (2026-01-16) [score 0.02]',
      );
    }
  });

  it("lists superseded fixes, newest first", () => {
    const retired = { at: day("2026-01-16"), reason: "a newer fix" };
    const fixes = [
      sampleFix({ text: "More memory." }),
      sampleFix({ text: "A restart.", lastWorkedBy: "eli", lastWorkedAt: day("2026-01-03"), retired }),
      sampleFix({ text: "A reboot.", lastWorkedBy: null, lastWorkedAt: day("2026-01-02"), retired }),
      sampleFix({ text: "A wish.", worked: 0 }),
    ];
    expect(sentence({ resolution: fixedBy("More memory.", "dana", "2026-01-16"), fixes })).toBe(
      '2026-01-15 "api-gateway was OOMKilled". Fixed by: More memory. (dana, 2026-01-16) ' +
        "Superseded: A restart. (eli, 2026-01-03) Superseded: A reboot. (2026-01-02) [score 0.02]",
    );
  });

  it("says that no fix was recorded", () => {
    expect(sentence({ occurrences: 2, firstSeenAt: day("2025-12-24") })).toBe(
      '2026-01-15 "api-gateway was OOMKilled", 2 times since 2025-12-24. No fix was recorded. [score 0.02]',
    );
  });
});
