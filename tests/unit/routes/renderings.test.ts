// What every rendering of a triage shows: the command line, Slack, and the text for a model.

import { describe, expect, it } from "vitest";
import { renderTriage as renderForTerminal } from "../../../cli/render-triage.ts";
import { answerText } from "../../../functions/routes/mcp/answer-text.ts";
import { renderTriage as renderForSlack } from "../../../functions/routes/slack/render-triage.ts";
import type { Answer } from "../../../functions/schemas/answer.ts";
import { EMPTY_ANSWER } from "../../../functions/schemas/answer.ts";
import { OUTCOMES } from "../../../functions/schemas/outcome.ts";
import type { TriageResult } from "../../../functions/schemas/triage-result.ts";
import { samplePastFix, sampleShownFix } from "../investigation/samples.ts";
import { pastOf, result, stepOf } from "./slack/samples.ts";
import { textsOf } from "./slack/slack-limits.ts";

const EVIDENCE: Answer["evidence"][number] = {
  text: "Line 41 of the report's logs, 3 times.",
  quote: "FATAL: the disk is full",
  citations: [],
  supported: true,
  place: { line: 41, count: 3, time: null },
};
const CANDIDATE: Answer["possible_causes"][number] = {
  text: "The disk has no space.",
  title: "Disk full",
  probability: 0.456,
  citations: [],
  confirm: [stepOf({ text: "Look at it.", command: "df -h", effect: "read_only" })],
};

/** The short rendering of the command line leaves parts out: tests/unit/cli/ has its tests. */
const RENDERINGS: readonly [string, (triage: TriageResult) => string][] = [
  ["the command line", (triage) => renderForTerminal(triage, { width: 200, color: false, full: true })],
  ["Slack", (triage) => textsOf(renderForSlack(triage, "C1")).join("\n")],
  ["a model", answerText],
];
const recalled = { ...result().recalled, incidents: [pastOf({ resolution: "A larger disk." })] };
const triageOf = (outcome: TriageResult["outcome"], answer: Partial<Answer>) =>
  result({
    outcome,
    confidence: 0.46,
    recalled,
    answer: { ...EMPTY_ANSWER, summary: { text: "A summary.", citations: [] }, ...answer },
  });

describe.each(RENDERINGS)("a triage for %s", (_name, render) => {
  it.each(OUTCOMES)("with outcome %s quotes the lines of the report and says where they stand", (outcome) => {
    const text = render(triageOf(outcome, { evidence: [EVIDENCE] }));
    expect(text).toMatch(/"FATAL: the disk is full":? Line 41 of the report's logs, 3 times\./);
    expect(text).not.toContain("no source says this");
  });

  it("names candidates with their probability and checks, marked as not confirmed, and no fix", () => {
    const text = render(triageOf("possible", { possible_causes: [CANDIDATE] }));
    expect(text).toMatch(/Possible/i);
    expect(text).toMatch(/Disk full, 46 %:\*? The disk has no space\./);
    expect(text).toMatch(/Check:\*? Look at it\./);
    expect(text).toContain("df -h");
    expect(text).not.toMatch(/A larger disk|Mitigate|Likely causes/);
  });

  it("warns before a candidate's check that is not verified as read-only", () => {
    const confirm = CANDIDATE.confirm.map((check) => ({ ...check, effect: "unverified" as const }));
    const text = render(triageOf("possible", { possible_causes: [{ ...CANDIDATE, confirm }] }));
    expect(text).toMatch(/Check:\*? \*?not verified as read-only:\*? Look at it\./i);
  });

  it("marks every step whose command is not from a source", () => {
    const invented = stepOf({ text: "Wipe it.", command: "rm /data/x", supported: false, from_source: false });
    const note = "the command is not from a source";
    for (const list of ["confirm", "mitigate", "look_next"] as const)
      expect([list, render(triageOf("cause", { [list]: [invented] })).includes(note)]).toEqual([list, true]);
    const confirm = [{ ...invented, effect: "read_only" as const }];
    expect(render(triageOf("possible", { possible_causes: [{ ...CANDIDATE, confirm }] }))).toContain(note);
    expect(render(triageOf("cause", { mitigate: [stepOf({ command: "rm /data/x" })] }))).not.toContain(note);
  });

  it.each([true, false])("puts the fix before the summary, also if it may be another failure: %s", (same_failure) => {
    const past = samplePastFix({ same_failure, fix: sampleShownFix({ text: "A larger disk." }) });
    const text = render(triageOf("cause", { summary: { text: "It is full.", citations: [] }, worked_before: [past] }));
    const place = text.indexOf("Fixed before");
    expect(place).toBeGreaterThan(-1);
    expect(place).toBeLessThan(text.indexOf("It is full."));
  });
});

describe.each(RENDERINGS)("a command for %s", (_name, render) => {
  const placeholders = { "<pod>": "checkout-7d9", "<unsafe>": "x; rm -rf /" };
  const fillable = stepOf({ text: "Do it.", command: "ctl log <pod> <unsafe> <role>", undo: "`ctl undo <pod>`" });
  const candidate = { ...CANDIDATE, confirm: [fillable] };

  it.each<[TriageResult["outcome"], Partial<Answer>]>([
    ["cause", { confirm: [fillable] }],
    ["cause", { mitigate: [fillable] }],
    ["possible", { possible_causes: [candidate] }],
    ["unknown", { look_next: [fillable] }],
  ])("with outcome %s has the names of the report, and the open ones are listed once", (outcome, answer) => {
    const text = unescaped(render({ ...triageOf(outcome, answer), placeholders }));
    expect(text).toContain("ctl log checkout-7d9 <unsafe> <role>");
    expect(text).toContain("From the report: <pod> is checkout-7d9.");
    expect(text.match(/Replace <unsafe>, <role>\./g)).toHaveLength(1);
    expect(text).not.toContain("rm -rf");
  });

  it("without placeholders has no notes", () => {
    const text = render(triageOf("cause", { confirm: [stepOf({ command: "ctl log" })] }));
    expect(text).not.toMatch(/Replace|From the report/);
  });
});

/** Slack's escapes. */
function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">");
}

describe.each(RENDERINGS)("a past incident for %s", (name, render) => {
  const worked_before = [
    samplePastFix({
      text: "Words. Did not help: waiting (twice). Replaced: A restart (a newer fix). 80 % likely the same failure.",
      alike: ["exit 137"],
      differs: ["service checkout, then ledger"],
      retired: [{ text: "A restart", reason: "a newer fix", at: "2026-02-02T00:00:00Z" }],
    }),
  ];
  const text = render(triageOf("unknown", { worked_before }));

  it("has its line, what is alike, and what differs", () => {
    expect(text).toMatch(/Words\. Did not help: waiting \(twice\)\..* 80 % likely the same failure\./);
    expect(text).toMatch(/Alike: exit 137\.\n *Differs: service checkout, then ledger\./);
  });

  it("strikes a replaced fix through", () => {
    const mark = name === "Slack" ? "~" : "~~";
    expect(text).toContain(`Replaced: ${mark}A restart${mark} (a newer fix)`);
  });

  it("is struck through by the terminal if it has colour", () => {
    const colored = renderForTerminal(triageOf("unknown", { worked_before }), { width: 200, color: true, full: true });
    expect(colored).toContain("Replaced: \u001b[9mA restart\u001b[29m (a newer fix)");
  });
});

describe("the confidence of a model on the command line", () => {
  const critique = { initial_confidence: 0.9, feedback: "Sound.", reflected: false, changes: null };
  const confidenceText = (confidence: number) =>
    renderForTerminal(
      { ...triageOf("cause", {}), mode: "model", confidence, critique },
      { width: 200, color: false, full: true },
    );

  it("names the critic's score where the sources limit it", () => {
    expect(confidenceText(0.65)).toMatch(/scored the answer 0.90\. What its sources\s+support limits it to 0.65/);
    expect(confidenceText(0.9)).toMatch(/scored the\s+answer 0.90\. It is a score/);
  });
});

describe("the headline on the command line", () => {
  const headlineOf = (triage: TriageResult, full: boolean) =>
    renderForTerminal(triage, { width: 200, color: false, full });

  it.each([
    ["possible", "POSSIBLE, 46 %"],
    ["unknown", "UNKNOWN:"],
    ["benign", "NO INCIDENT:"],
    ["cause", "KNOWN FAILURE, 46 %"],
  ] as const)("of outcome %s is %j", (outcome, headline) => {
    for (const full of [false, true]) expect(headlineOf(triageOf(outcome, {}), full)).toContain(headline);
  });
});
