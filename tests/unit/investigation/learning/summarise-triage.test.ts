import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recalledHits } from "../../../../functions/investigation/evidence/recalled-hits.ts";
import {
  isTrustedCause,
  ownAnswer,
  recalledTexts,
  summariseTriage,
} from "../../../../functions/investigation/learning/summarise-triage.ts";
import type { Recall } from "../../../../functions/investigation/recall/recall-result.ts";
import { EMPTY_ANSWER } from "../../../../functions/schemas/answer.ts";
import type { TriageResult } from "../../../../functions/schemas/triage-result.ts";
import type { ErrorLine } from "../../../../lib/logs/evidence.ts";
import { readEvidence } from "../../../../lib/logs/read-evidence.ts";
import {
  recallOf,
  sampleConfig,
  sampleIncident,
  sampleMemory,
  samplePastIncident,
  sampleProcedure,
  sampleResult,
  sampleRunbook,
} from "../samples.ts";

const CONFIG = sampleConfig();
const SENTENCES = [
  "The kernel kills a container that goes over its memory limit.",
  "Raise the limit of the container with docker update.",
];
const REPEATED = "These are the words that somebody else has said before.";
const RUNBOOK = sampleRunbook(`# Killed\n\n${SENTENCES.join(" ")}\n`);
const NO_CAUSE = "No cause was confirmed.";

const recalled = (recall: Partial<Recall>) =>
  recalledHits(recallOf(recall), { POSSIBLE_THRESHOLD: 0.5, RUNBOOK_RECALL_LIMIT: 5 });
const saying = (summary: string, causes: readonly string[] = []): TriageResult["answer"] => ({
  ...EMPTY_ANSWER,
  summary: { text: summary, citations: [] },
  likely_causes: causes.map((text) => ({ text, citations: [], supported: true })),
});
const source = (kind: "runbook" | "incident", id: string, changes: Partial<TriageResult["sources"][number]> = {}) => ({
  id,
  kind,
  title: `Title of ${id}`,
  source: kind === "runbook" ? `${id}.md` : null,
  heading: "",
  ...changes,
});
const ownPart = (changes: Partial<TriageResult>) => ownAnswer(sampleResult(changes), CONFIG);

describe("a trusted cause", () => {
  it.each([
    ["cause", 0.5, true],
    ["cause", 0.49, false],
    ["cause", 1, true],
    ["unknown", 0.9, false],
    ["benign", 1, false],
  ] as const)("of the outcome %s and the confidence %d is believed: %s", (outcome, confidence, believed) => {
    expect(isTrustedCause({ outcome, confidence }, CONFIG)).toBe(believed);
    expect(ownPart({ outcome, confidence }) !== NO_CAUSE).toBe(believed);
  });

  it("uses the configured threshold", () => {
    const strict = sampleConfig({ CONFIDENCE_THRESHOLD: "0.95" });
    expect(isTrustedCause({ outcome: "cause", confidence: 0.9 }, strict)).toBe(false);
  });
});

describe("the own part of an answer", () => {
  it("is a model's own words", () => {
    const answer = saying("The new cache took 600 MiB.", ["Its limit was never set."]);
    expect(ownPart({ answer })).toBe("The new cache took 600 MiB.\nLikely causes:\n- Its limit was never set.");
  });

  it("excludes quotations of a runbook by a model", () => {
    const answer = saying(`The new cache took 600 MiB. ${SENTENCES[0]}`);
    expect(ownPart({ answer, recalled: recalled({ runbooks: [RUNBOOK] }) })).toBe("The new cache took 600 MiB.");
  });

  it.each<[string, Partial<Recall>]>([
    ["a past incident's narrative", { incidents: [samplePastIncident("p", { row: { narrative: REPEATED } })] }],
    ["a past incident's facts", { incidents: [samplePastIncident("p", { row: { facts: ["a", REPEATED] } })] }],
    ["a past incident's fix", { incidents: [samplePastIncident("p", { resolution: REPEATED })] }],
    ["a past answer", { pastAnswers: [sampleMemory("m", { answer: REPEATED })] }],
    ["the procedure", { procedure: sampleProcedure({ answer: REPEATED }) }],
  ])("excludes quotations of %s by a model", (_what, recall) => {
    const answer = saying(`${REPEATED} Its own words.`);
    expect(ownPart({ answer, recalled: recalled(recall) })).toBe("Its own words.");
  });

  it("names the sources if a model only repeats them", () => {
    const changes = { answer: saying(SENTENCES.join(" ")), recalled: recalled({ runbooks: [RUNBOOK] }) };
    expect(ownPart({ ...changes, sources: [source("runbook", "killed")] })).toBe(
      'Explained by the runbook "Title of killed" (killed.md).',
    );
    expect(ownPart(changes)).toBe("A cause was named.");
  });

  it("names at most two runbooks and mentions a precedent in extractive mode", () => {
    const sources = [
      source("runbook", "a"),
      source("runbook", "a-2", { source: "a.md", title: "Title of a" }),
      source("incident", "p"),
      source("runbook", "b"),
      source("runbook", "c"),
      source("incident", "q"),
    ];
    expect(ownPart({ mode: "extractive", answer: saying("Quoted."), sources })).toBe(
      'Explained by the runbook "Title of a" (a.md) and the runbook "Title of b" (b.md) and ' + "a past incident.",
    );
  });

  it("names no past incident, so that a deleted one leaves no trace", () => {
    const sources = [source("incident", "p"), source("incident", "q")];
    expect(ownPart({ mode: "extractive", sources })).toBe("Explained by a past incident.");
  });

  it("is `No cause was confirmed.` for an untrusted cause", () => {
    const answer = saying("It is surely the cache.");
    expect(ownPart({ answer, confidence: 0.49 })).toBe(NO_CAUSE);
    expect(ownPart({ answer, outcome: "unknown", confidence: 0.9 })).toBe(NO_CAUSE);
    expect(ownPart({ mode: "extractive", answer, outcome: "unknown" })).toBe(NO_CAUSE);
  });

  it("is compared with every recalled text", () => {
    const recall = {
      runbooks: [RUNBOOK],
      incidents: [samplePastIncident("p", { row: { narrative: "", facts: ["A fact."] }, resolution: "A fix." })],
      pastAnswers: [sampleMemory("m")],
      procedure: sampleProcedure(),
    };
    expect(recalledTexts({ recalled: recalled(recall) })).toEqual([
      SENTENCES.join(" "),
      "A fact.",
      "A fix.",
      "Its probe is too strict.",
      "The limit was too low.",
    ]);
    expect(recalledTexts({ recalled: recalled({}) })).toEqual([]);
  });

  it("may repeat the rewritten observation, but no runbook and no other record", () => {
    const again = samplePastIncident("again", {
      row: { narrative: "The cache of the new release had grown far too large." },
    });
    const other = samplePastIncident("other", { row: { narrative: REPEATED } });
    const recall = { runbooks: [RUNBOOK], incidents: [again, other], pastAnswers: [sampleMemory("m")] };
    expect(recalledTexts({ recalled: recalled(recall) }, "again")).toEqual([SENTENCES.join(" "), REPEATED]);
    const answer = saying(`The cache of the new release had grown far too large. ${REPEATED} ${SENTENCES[0]}`);
    const result = sampleResult({ answer, recalled: recalled(recall) });
    expect(summariseTriage(sampleIncident(), result, CONFIG, "again").narrative).toMatch(
      /domain\. The cache of the new release had grown far too large\.$/,
    );
    expect(summariseTriage(sampleIncident(), result, CONFIG).narrative).toMatch(/domain\. A cause was named\.$/);
  });
});

function errorLine(text: string, line: number): ErrorLine {
  return { text, line, time: null, count: 1, weight: 1 };
}

describe("an extractive observation", () => {
  const observed = (changes: Parameters<typeof sampleIncident>[0], result: Partial<TriageResult> = {}) => {
    const incident = sampleIncident(changes);
    const { title: headline, logs, target, labels } = incident;
    const evidence = readEvidence({ headline, logs, target, labels });
    return summariseTriage({ ...incident, evidence }, sampleResult(result), CONFIG);
  };

  it("holds what was covered and concluded, with facts about the report", () => {
    const logs = "2026-03-01T12:00:00Z starting\n2026-03-01T12:00:01Z error: cannot allocate memory\n";
    const sources = [source("runbook", "a"), source("incident", "p")];
    expect(observed({ logs, labels: { team: "edge", tier: "front" } }, { sources })).toEqual({
      title: "api-gateway container exited with code 137",
      narrative: "Covered oom killed on api-gateway in the docker domain. It was killed at its memory limit.",
      facts: [
        'Type: oom_killed (words "exited with code 137")',
        'Domain: docker (words "docker")',
        "Target: api-gateway",
        "Severity: high",
        "Log: error: cannot allocate memory",
        "Labels: team=edge, tier=front",
        "Outcome: Known failure, 90 %",
        "Runbook: Title of a (a.md)",
      ],
      writtenBy: "extractive",
    });
  });

  it("names unknown values", () => {
    const { narrative, facts } = observed(
      { target: null, type: { name: "unknown", rule: "no cue" } },
      { outcome: "unknown" },
    );
    expect(narrative).toBe("Covered an unrecognised failure in the docker domain. No cause was confirmed.");
    expect(facts).toContain("Target: not named");
    expect(facts).toContain("Outcome: Unknown");
  });

  it("has a title of one line and 200 characters at most", () => {
    expect(observed({ title: " api\n\n is \tdown " }).title).toBe("api is down");
    expect(observed({ title: "x".repeat(300) }).title).toBe(`${"x".repeat(199)}…`);
  });

  it("has three error lines at most, and of too many runbooks the first two", () => {
    const lines = ["one", "two", "three", "four"].map((word, i) => errorLine(`error: ${word}`, i + 1));
    const sources = ["a", "b", "c"].map((id) => source("runbook", id));
    const incident = sampleIncident({ evidence: { lines, state: null } });
    const { facts } = summariseTriage(incident, sampleResult({ sources }), CONFIG);
    expect(facts.slice(4)).toEqual([
      "Log: error: one",
      "Log: error: two",
      "Log: error: three",
      "Outcome: Known failure, 90 %",
      "Runbook: Title of a (a.md)",
      "Runbook: Title of b (b.md)",
    ]);
  });

  it("has a long error line as a whole, without its time", () => {
    const words = Array.from({ length: 60 }, (_, i) => `part${i}`).join(" ");
    const lines = [errorLine(`2026-03-01T12:00:01Z ERROR ${words}`, 1)];
    const incident = sampleIncident({ evidence: { lines, state: null } });
    expect(summariseTriage(incident, sampleResult(), CONFIG).facts).toContain(`Log: ERROR ${words}`);
  });

  it.each([
    { outcome: "possible" as const, confidence: 0.9 },
    { outcome: "unknown" as const, confidence: 0.9 },
    { outcome: "cause" as const, confidence: 0.4 },
  ])("names no runbook that was not believed: %j", (changes) => {
    const sources = [source("runbook", "a"), source("incident", "p")];
    const { narrative, facts } = observed({}, { ...changes, sources });
    expect(narrative).toMatch(/ No cause was confirmed\.$/);
    expect([narrative, ...facts].join("\n")).not.toMatch(/Explained by|a\.md|Title of a/);
  });

  it("has the first rejected hypothesis, and neither a kept one nor recalled text", () => {
    const hypothesis = (cause: string, verdict: "kept" | "rejected", reason = "Its latency is normal.") => ({
      ...{ cause, verdict, reason },
      citations: [],
    });
    const hypotheses = [
      hypothesis("A leak", "kept"),
      hypothesis("A slow disk", "rejected"),
      hypothesis("A typo", "rejected"),
    ];
    const answer = { ...EMPTY_ANSWER, summary: { text: "It leaks.", citations: [] }, hypotheses };
    const ruledOut = (facts: readonly string[]) => facts.filter((fact) => fact.startsWith("Ruled out: "));
    expect(ruledOut(observed({}, { answer }).facts)).toEqual(["Ruled out: A slow disk (Its latency is normal.)"]);
    const quoting = { ...answer, hypotheses: [hypothesis(SENTENCES[0] ?? "", "rejected", SENTENCES[1])] };
    const { facts } = observed({}, { answer: quoting, recalled: recalled({ runbooks: [RUNBOOK] }) });
    expect(ruledOut(facts)).toEqual([]);
  });

  it.each(["model", "extractive"] as const)(
    "repeats no sentence of a recalled runbook where the mode is %s",
    (mode) => {
      const answer = saying(SENTENCES.join(" "), SENTENCES);
      const sources = [source("runbook", "exit-137.md#0", { source: "exit-137.md", title: "Killed" })];
      const { narrative, facts } = observed({}, { mode, answer, sources, recalled: recalled({ runbooks: [RUNBOOK] }) });
      const text = [narrative, ...facts].join("\n");
      for (const sentence of SENTENCES) expect(text).not.toContain(sentence);
      expect(text).toContain("exit-137.md");
    },
  );

  it("has 5 to 10 facts, each a line of 240 characters at most or an error line, for any report and answer", () => {
    const words = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.constantFrom("error: x", "error: x\nFATAL: y\r\npanic: z\nkilled\n", "a\n\nb", "\u2028", "Labels: "),
    );
    const name = fc.string({ minLength: 1, maxLength: 20 });
    const sources = fc.array(
      fc.record({
        id: name,
        kind: fc.constantFrom("runbook" as const, "incident" as const),
        title: words,
        source: words,
        heading: words,
      }),
      { maxLength: 6 },
    );
    const incident = fc.record({
      title: words,
      target: fc.option(words),
      logs: fc.option(fc.array(words, { maxLength: 5 }).map((lines) => lines.join("\n"))),
      labels: fc.dictionary(name, words, { maxKeys: 5 }),
      type: fc.record({ name: fc.constantFrom("unknown", "oom_killed"), rule: words }),
    });
    const result = fc.record({
      mode: fc.constantFrom("model" as const, "extractive" as const),
      outcome: fc.constantFrom("cause" as const, "unknown" as const, "benign" as const),
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
      answer: words.map((text) => saying(text)),
      sources,
    });
    fc.assert(
      fc.property(incident, result, (reported, answered) => {
        const { title, narrative, facts } = observed(reported, answered);
        expect(facts.length).toBeGreaterThanOrEqual(5);
        expect(facts.length).toBeLessThanOrEqual(10);
        for (const line of [title, ...facts]) expect(line).not.toMatch(/[\r\n\u2028]/);
        for (const fact of facts) expect(fact.length).toBeLessThanOrEqual(fact.startsWith("Log: ") ? 600 : 240);
        expect(title.length).toBeLessThanOrEqual(200);
        expect(facts).not.toContain("");
        expect(narrative).toMatch(/^Covered /);
      }),
    );
  });
});
