import { describe, expect, it } from "vitest";
import { createExtractiveAnswer } from "../../../../functions/investigation/answer/extractive-answer.ts";
import type { Incident } from "../../../../functions/schemas/incident.ts";
import type { ErrorLine } from "../../../../lib/logs/evidence.ts";
import { recallOf, sampleIncident, sampleRunbook, THRESHOLDS } from "../samples.ts";

const RUNBOOK = `# Volume is not attached

## Root causes

- **Zone.** The node is in another zone than the volume.
- **Node.** The node does not answer, and the node keeps the volume.
- **Quota.** The storage quota of the namespace is used up.

## Confirm

1. Look at the events of the node and of the volume.

## Mitigate

1. Restart the node.
`;

const lineOf = (text: string, changes: Partial<ErrorLine> = {}): ErrorLine => ({
  text,
  line: 1,
  time: null,
  count: 1,
  weight: 0.9,
  ...changes,
});
const reportOf = (lines: readonly ErrorLine[], changes: Partial<Incident> = {}) =>
  sampleIncident({ title: "it hangs", evidence: { lines, state: null }, ...changes });

function answerTo(incident: Incident, markdown = RUNBOOK) {
  const recall = recallOf({ runbooks: [sampleRunbook(markdown, { probability: 0.9 })] });
  return createExtractiveAnswer(incident, recall, { thresholds: THRESHOLDS }).answer;
}
const causesFor = (incident: Incident) => answerTo(incident).likely_causes.map(({ text }) => text.split(".")[0]);

describe("the order of causes", () => {
  it("is the author's if no line says anything", () => {
    expect(causesFor(reportOf([]))).toEqual(["Zone", "Node", "Quota"]);
  });

  it("puts the cause first that shares the rare word, not the one that shares common words", () => {
    expect(causesFor(reportOf([lineOf("the node of the node: exceeded quota")]))[0]).toBe("Quota");
  });

  it("follows the heavier line", () => {
    const lines = [lineOf("wrong zone", { weight: 0.9 }), lineOf("quota", { line: 2, weight: 0.3 })];
    expect(causesFor(reportOf(lines))[0]).toBe("Zone");
    const swapped = [lineOf("wrong zone", { weight: 0.3 }), lineOf("quota", { line: 2, weight: 0.9 })];
    expect(causesFor(reportOf(swapped))[0]).toBe("Quota");
  });

  it("follows an error line more than the title", () => {
    expect(causesFor(reportOf([lineOf("exceeded quota")], { title: "wrong zone" }))).toEqual(["Quota", "Zone", "Node"]);
  });

  it("names the line that speaks for a cause", () => {
    const lines = [lineOf("exceeded quota", { line: 41, count: 3, time: "10:02:11" }), lineOf("exit 1", { line: 50 })];
    expect(answerTo(reportOf(lines)).evidence).toMatchObject([
      {
        text: "Line 41 of the report's logs, 3 times, first at 10:02:11. It speaks for cause 1.",
        quote: "exceeded quota",
        citations: ["exit-137.md#0"],
        place: { line: 41, count: 3, time: "10:02:11" },
      },
      { text: "Line 50 of the report's logs.", citations: [] },
    ]);
  });
});

describe("the cause of a runbook without a list of causes", () => {
  const causeOf = (markdown: string) => {
    const { likely_causes, summary } = answerTo(reportOf([]), markdown);
    return [likely_causes.map(({ text }) => text), summary.text];
  };

  it("is its opening", () => {
    expect(causeOf("# T\n\nThe disk is full.\n\n## Confirm\n\n1. Look.\n")).toEqual([
      ["The disk is full."],
      'This matches the runbook "T".',
    ]);
  });

  it("is a section without a role", () => {
    expect(causeOf("## Background\n\nThe disk is full.\n\n## Confirm\n\n1. Look.\n")[0]).toEqual(["The disk is full."]);
  });

  it.each(["Symptoms", "Confirm", "Mitigate", "Prevent"])("is never quoted from the section %s", (heading) => {
    const [causes] = causeOf(`# T\n\n## ${heading}\n\nOTHER-ROLE.\n`);
    expect(causes).toEqual([]);
  });

  it("is none where it explains nothing, and the summary says what it means", () => {
    expect(causeOf("# T\n\n## Meaning\n\nThe disk is full.\n")).toEqual([[], "T. The disk is full."]);
    expect(causeOf("# T\n\n## Confirm\n\n1. Look.\n")).toEqual([[], 'This matches the runbook "T".']);
  });
});

describe("the order of mitigations", () => {
  it("begins with those below the cause that the report decides for", () => {
    const markdown = [
      "# No responders",
      "## Cause 1: The stream is gone",
      "### Solution 1",
      "Add the subject.",
      "## Cause 2: JetStream is disabled for the account",
      "### Solution 2",
      "1. Edit its block.",
      "2. Reload it.",
    ].join("\n\n");
    const { likely_causes, mitigate } = answerTo(reportOf([lineOf("JetStream not enabled for account")]), markdown);
    expect(likely_causes[0]?.text).toBe("JetStream is disabled for the account.");
    expect(mitigate.map(({ text }) => text)).toEqual(["Edit its block.", "Reload it.", "Add the subject."]);
  });
});

describe("a mitigation with a command of an unknown program", () => {
  it("is not verified, unless the command only reads or nothing is run", () => {
    const steps = ["Park it: `payctl events park 7`", "Freeze payouts.", "Look at `kubectl get pods`"];
    const markdown = `# Lag\n\n## Causes\n\n- Slow.\n\n## Fix\n\n${steps.map((step) => `- ${step}`).join("\n")}`;
    const { mitigate } = answerTo(reportOf([]), markdown);
    expect(mitigate.map(({ effect }) => effect)).toEqual(["unverified", null, null]);
  });
});
