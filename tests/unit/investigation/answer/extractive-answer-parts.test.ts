import { describe, expect, it } from "vitest";
import { commandEffect } from "../../../../functions/command-safety/command-effect.ts";
import {
  createBenignAnswer,
  createBlockedAnswer,
  createExtractiveAnswer,
  firstLooks,
  workedBefore,
} from "../../../../functions/investigation/answer/extractive-answer.ts";
import { DOMAINS } from "../../../../functions/knowledge/domains/index.ts";
import type { Observation } from "../../../../functions/memory/observation.ts";
import { DOMAIN_NAMES } from "../../../../functions/schemas/domain.ts";
import { EMPTY_ANSWER } from "../../../../functions/schemas/triage-result.ts";
import { recallOf, sampleIncident, samplePastIncident, sampleRunbook } from "../samples.ts";

const THRESHOLD = 0.5;
const UNTOUCHED = { mode: "extractive", removed: { citations: 0, links: 0, statements: 0 }, critique: null };

describe("look_next", () => {
  it.each(DOMAIN_NAMES)("lists the unsupported first looks of %s for an unknown outcome", (name) => {
    const incident = sampleIncident({ domain: { name, rule: "label", isDecided: true } });
    const { outcome, answer } = createExtractiveAnswer(incident, recallOf({}), { threshold: THRESHOLD });
    expect(outcome).toBe("unknown");
    expect(answer.look_next).toEqual(
      DOMAINS[name].firstLooks.map(({ text, command }) => ({
        text,
        command,
        effect: "read_only",
        undo: null,
        citations: [],
        supported: false,
      })),
    );
    expect(firstLooks(incident)).toEqual(answer.look_next);
  });

  it.each(
    DOMAIN_NAMES.flatMap((name) => DOMAINS[name].firstLooks.map(({ command, text }) => [name, command, text] as const)),
  )("holds only read-only commands for %s: %s", (_name, command, text) => {
    expect(commandEffect(command)).toBe("read_only");
    expect(text).toMatch(/^[A-Z].*\.$/);
  });

  it.each(DOMAIN_NAMES)("has three to five items for %s", (name) => {
    expect(DOMAINS[name].firstLooks.length).toBeGreaterThanOrEqual(3);
    expect(DOMAINS[name].firstLooks.length).toBeLessThanOrEqual(5);
  });

  it("is present when a similar incident has no fix", () => {
    const { answer } = createExtractiveAnswer(
      sampleIncident(),
      recallOf({ incidents: [samplePastIncident("seen")] }),
      THRESHOLD,
    );
    expect(answer.look_next).toEqual(firstLooks(sampleIncident()));
  });

  it.each([
    ["a runbook covers it", recallOf({ runbooks: [sampleRunbook("# T\n\nWords.")] })],
    ["it was fixed before", recallOf({ incidents: [samplePastIncident("fixed", { resolution: "More memory." })] })],
  ])("is empty where %s", (_case, recall) => {
    expect(createExtractiveAnswer(sampleIncident(), recall, { threshold: THRESHOLD }).answer.look_next).toEqual([]);
  });
});

describe("an answer to a benign alert", () => {
  it("has confidence 1, a reason and no steps", () => {
    expect(createBenignAnswer("the alert Watchdog always fires; it is trouble only when it stops")).toEqual({
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
  const unfixed = samplePastIncident("seen", { grounding: 0.9 });
  const fixed = samplePastIncident("fixed", { grounding: 0.7, resolution: "More memory.", resolved_by: "dana" });
  const far = samplePastIncident("far", { grounding: 0.2, target: "worker", resolution: "A restart." });
  const recall = recallOf({ incidents: [unfixed, fixed, far] });
  const ids = (precedents: readonly string[], of = recall) =>
    workedBefore(of, THRESHOLD, precedents).flatMap(({ citations }) => citations);

  it("comes from the record", () => {
    expect(workedBefore(recall, THRESHOLD, ["far"])[0]).toEqual({
      text: '2026-01-15 "api-gateway was OOMKilled" on worker. Fixed by: A restart. (2026-01-15) [score 0.02]',
      citations: ["far"],
      supported: true,
    });
  });

  it("lists relevant incidents, fixed ones first, without precedents", () => {
    expect(ids([])).toEqual(["fixed", "seen"]);
  });

  it("begins with the precedents in order, each once, even below the threshold", () => {
    expect(ids(["far"])).toEqual(["far", "fixed", "seen"]);
    expect(ids(["seen", "far"])).toEqual(["seen", "far", "fixed"]);
    expect(ids(["seen", "seen"])).toEqual(["seen", "fixed"]);
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
    expect(workedBefore(recallOf({}), THRESHOLD, ["fixed"])).toEqual([]);
  });
});

describe("the sentence on a past incident", () => {
  const day = (date: string) => new Date(`${date}T23:59:59Z`);
  const fixedBy = (text: string, by: string | null, date: string) => ({ text, by, at: day(date) });
  const sentence = (row: Partial<Observation>, target?: string) => {
    const incident = samplePastIncident("past", { row, ...(target === undefined ? {} : { target }) });
    return workedBefore(recallOf({ incidents: [incident] }), THRESHOLD, [])[0]?.text;
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
    const superseded = [
      { ...fixedBy("A restart.", "eli", "2026-01-03"), supersededAt: day("2026-01-16") },
      { ...fixedBy("A reboot.", null, "2026-01-02"), supersededAt: day("2026-01-03") },
    ];
    expect(sentence({ resolution: fixedBy("More memory.", "dana", "2026-01-16"), superseded })).toBe(
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
