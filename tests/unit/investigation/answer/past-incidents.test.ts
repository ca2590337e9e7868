import { describe, expect, it } from "vitest";
import { createExtractiveAnswer } from "../../../../functions/investigation/answer/extractive-answer.ts";
import { workedBefore } from "../../../../functions/investigation/answer/past-incidents.ts";
import type { RecalledIncident } from "../../../../functions/investigation/recall/recall-result.ts";
import type { Observation } from "../../../../functions/memory/observation.ts";
import { fingerprintOfReport } from "../../../../functions/memory/observed-report.ts";
import type { Incident } from "../../../../functions/schemas/incident.ts";
import { sampleFix } from "../../memory/samples.ts";
import { recallOf, sampleIncident, samplePastIncident, sampleRunbook, sampleShownFix, THRESHOLDS } from "../samples.ts";

const day = (date: string) => new Date(`${date}T12:00:00Z`);
const shownFor = (incidents: readonly RecalledIncident[], report: Partial<Incident> = {}) =>
  workedBefore(sampleIncident(report), recallOf({ incidents }), { thresholds: THRESHOLDS });
const citedOf = (incidents: readonly RecalledIncident[]) => shownFor(incidents).map(({ citations }) => citations);
const fixed = (id: string, probability: number, resolution = `Fix ${id}.`) =>
  samplePastIncident(id, { probability, resolution });

describe("worked_before", () => {
  const unfixed = samplePastIncident("seen", { probability: 0.9 });
  const possible = samplePastIncident("fixed", { probability: 0.6, resolution: "More memory.", resolved_by: "dana" });
  const far = samplePastIncident("far", { probability: 0.2, target: "worker", resolution: "A restart." });
  const recall = recallOf({ incidents: [unfixed, possible, far] });
  const ids = (precedents: readonly string[], of = recall) =>
    workedBefore(sampleIncident(), of, { thresholds: THRESHOLDS, precedents }).flatMap(({ citations }) => citations);

  it("comes from the record", () => {
    const likeness = { alike: ["exit 137"], differs: ["no error line in common"] };
    expect(shownFor([{ ...possible, likeness }])).toEqual([
      {
        text: '2026-01-15 "api-gateway was OOMKilled". Fixed by: More memory. (dana, 2026-01-15). 60 % likely the same failure.',
        citations: ["fixed"],
        supported: true,
        same_failure: false,
        probability: 0.6,
        ...likeness,
        recurrence: {
          count: 1,
          first_at: "2026-01-15T08:30:00.000Z",
          last_at: "2026-01-15T08:30:00.000Z",
          targets: [],
          more_targets: 0,
        },
        fix: sampleShownFix({ at: "2026-01-15T08:30:00.000Z", last_worked_at: "2026-01-15T08:30:00.000Z" }),
        retired: [],
        also_helped: [],
        did_not_help: [],
        did_not_hold: 0,
      },
    ]);
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

  it("shows an incident without a fix only as the same failure, and says so", () => {
    const [none, some] = [0.69, 0.7].map((probability) => shownFor([samplePastIncident("open", { probability })]));
    expect([none, some?.map(({ fix, same_failure }) => [fix, same_failure])]).toEqual([[], [[null, false]]]);
    expect(some?.[0]?.text).toContain("No fix recorded.");
  });

  it("begins with the fix of the same failure, and a repeat of it comes first", () => {
    const [same, repeat] = [fixed("same", 0.9), fixed("repeat", 0.8)];
    const of = recallOf({ incidents: [unfixed, possible, same, repeat], repeatOf: repeat.hit.observation });
    expect(ids(["fixed"], of)).toEqual(["repeat", "same", "fixed", "seen"]);
    const shown = workedBefore(sampleIncident(), of, { thresholds: THRESHOLDS });
    expect(shown.map(({ same_failure }) => same_failure)).toEqual([true, true, false, false]);
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

describe("a fix that is far ahead", () => {
  it.each([
    [0.95, 0.71, ["best"]],
    [0.95, 0.73, ["best", "next"]],
    [0.8, 0.35, ["best"]],
    [0.69, 0.3, ["best", "next"]],
    [1, 0.98, ["best"]],
    [1, 1, ["best", "next"]],
  ])("of the probability %d before one of %d: %j is shown", (best, next, shown) => {
    expect(
      citedOf([fixed("next", next), fixed("best", best)])
        .flat()
        .sort(),
    ).toEqual(shown);
  });

  it("hides no fix if it has none itself", () => {
    expect(citedOf([samplePastIncident("open", { probability: 0.99 }), fixed("fixed", 0.7)])).toEqual([
      ["fixed"],
      ["open"],
    ]);
  });

  it("does not hide the fix of an exact repeat", () => {
    const repeat = fixed("repeat", 0.8);
    const of = recallOf({ incidents: [fixed("best", 0.99), repeat], repeatOf: repeat.hit.observation });
    const shown = workedBefore(sampleIncident(), of, { thresholds: THRESHOLDS });
    expect(shown.map(({ citations }) => citations)).toEqual([["repeat"], ["best"]]);
  });
});

describe("records with the same fix", () => {
  const record = (id: string, probability: number, row: Partial<Observation> = {}) =>
    samplePastIncident(id, { probability, resolution: id === "a" ? "More memory." : "more memory", row });
  const proven = (targets: readonly string[], fix: Parameters<typeof sampleFix>[0]) => ({
    targets,
    target: null,
    occurrences: 3,
    resolution: { text: "More memory.", by: "dana", at: day("2026-01-16") },
    fixes: [sampleFix({ text: "More memory.", ...fix })],
  });

  it("are one line if each is the same failure, with counts, services and proofs summed", () => {
    const a = record("a", 0.8, {
      ...proven(["checkout", "ledger"], { tried: 2, worked: 1 }),
      firstSeenAt: day("2026-01-10"),
      lastSeenAt: day("2026-01-20"),
    });
    const b = record("b", 0.9, {
      ...proven(["ledger", "cart", "mail"], {
        tried: 3,
        worked: 3,
        lastWorkedBy: "eli",
        lastWorkedAt: day("2026-02-03"),
      }),
      firstSeenAt: day("2026-01-02"),
      lastSeenAt: day("2026-02-02"),
    });
    const shown = shownFor([a, b]);
    expect(shown).toMatchObject([
      {
        citations: ["a", "b"],
        probability: 0.9,
        recurrence: {
          count: 6,
          first_at: "2026-01-02T12:00:00.000Z",
          last_at: "2026-02-02T12:00:00.000Z",
          targets: ["checkout", "ledger", "cart", "mail"],
        },
        fix: { by: "eli", tried: 5, worked: 4 },
      },
    ]);
    expect(shown[0]?.text).toContain(
      '2026-02-02 "api-gateway was OOMKilled", 6 times since 2026-01-02 on checkout, ledger and 2 more. ' +
        "Fixed by: More memory. (eli, 2026-02-03; worked 4 of 5 times). ",
    );
  });

  it("are two lines otherwise, and the second does not repeat the fix", () => {
    const [first, second, ...others] = shownFor([record("a", 0.6), record("b", 0.5)]);
    expect([first?.citations, second?.citations, others]).toEqual([["a"], ["b"], []]);
    expect(second?.text).toContain("Fixed the same way (2026-01-15).");
  });
});

describe("fixes that did not hold", () => {
  const first = sampleFix({
    id: "first",
    text: "A restart.",
    cameBackAt: day("2026-01-20"),
    lastWorkedAt: day("2026-01-18"),
  });
  const newest = sampleFix({ id: "newest", text: "More memory.", lastWorkedAt: day("2026-01-22") });
  const row = {
    ...{ target: "checkout", targets: ["checkout"], fixes: [newest, first] },
    resolution: { text: "More memory.", by: "dana", at: day("2026-01-22") },
  };
  const notHeld = (target: string, createdAt: Date, probability = 0.9) =>
    shownFor([samplePastIncident("past", { probability, row })], { target, createdAt })[0];

  it("are those that this report ends, too", () => {
    const past = notHeld("checkout", day("2026-02-01"));
    expect(past?.did_not_hold).toBe(2);
    expect(past?.text).toMatch(/^The last 2 fixes did not hold: look elsewhere\./);
  });

  it.each([
    ["of another service", notHeld("ledger", day("2026-02-01"))],
    ["within an hour", notHeld("checkout", new Date("2026-01-22T12:40:00Z"))],
    ["of a failure that is only possibly the same", notHeld("checkout", day("2026-02-01"), 0.5)],
  ])("are not ended by a report %s", (_, past) => {
    expect(past?.did_not_hold).toBe(0);
  });
});

describe("the fix of a past incident", () => {
  const own = sampleFix({ id: "own", text: "OWN.", fingerprint: fingerprintOfReport(sampleIncident()) });
  const newest = sampleFix({ id: "newest", text: "NEWEST." });
  const fixOf = (fixes: Observation["fixes"]) => {
    const resolution = { text: "NEWEST.", by: "dana", at: day("2026-01-16") };
    return shownFor([samplePastIncident("past", { row: { fixes, resolution } })])[0]?.fix?.text;
  };

  it("is the active one with the report's own fingerprint, else the newest active one", () => {
    expect(fixOf([newest, own])).toBe("OWN.");
    expect(fixOf([sampleFix({ text: "OTHER." }), newest])).toBe("NEWEST.");
    expect(fixOf([newest, { ...own, retired: { at: day("2026-01-17"), reason: "a newer fix" } }])).toBe("NEWEST.");
    expect(fixOf([newest, { ...own, worked: 0 }])).toBe("NEWEST.");
    expect(fixOf([])).toBe("NEWEST.");
  });
});

describe("a record whose tries all failed", () => {
  const failed = samplePastIncident("failed", {
    probability: 0.9,
    row: { fixes: [sampleFix({ text: "Restarting.", tried: 2, worked: 0 })] },
  });

  it("shows them, and is no fix", () => {
    expect(shownFor([failed])).toMatchObject([
      { fix: null, same_failure: false, did_not_help: [{ text: "Restarting", times: 2 }] },
    ]);
    expect(shownFor([failed])[0]?.text).toContain("No fix recorded. Did not help: Restarting (twice).");
  });

  it("is no candidate for a cause", () => {
    const answer = createExtractiveAnswer(sampleIncident(), recallOf({ incidents: [failed] }), {
      thresholds: THRESHOLDS,
    });
    expect([answer.outcome, answer.confidence, answer.answer.possible_causes]).toEqual(["unknown", 0, []]);
  });
});

describe("the confidence of an extractive answer", () => {
  const confidenceWith = (parts: Parameters<typeof recallOf>[0]) =>
    createExtractiveAnswer(sampleIncident(), recallOf(parts), { thresholds: THRESHOLDS }).confidence;

  it("does not grow with the number of past fixes", () => {
    expect(confidenceWith({ incidents: [fixed("a", 0.8), fixed("b", 0.8), fixed("c", 0.75, "Fix a.")] })).toBe(0.8);
  });

  it("is the runbook's own if a runbook leads", () => {
    const runbooks = [sampleRunbook("# Killed\n\nWords.", { probability: 0.75 })];
    expect(confidenceWith({ runbooks, incidents: [fixed("a", 0.84), fixed("b", 0.84)] })).toBe(0.75);
  });
});
