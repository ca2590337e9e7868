import { describe, expect, it } from "vitest";
import { REMOVED_LINE } from "../../../../functions/guardrails/injection.ts";
import { citableTexts } from "../../../../functions/triage/citable.ts";
import { guardRequest } from "../../../../functions/triage/guard.ts";
import { reportBlocks, sourceBlocks } from "../../../../functions/triage/prompts/material.ts";
import type { Recall } from "../../../../functions/triage/recall.ts";
import { HOSTILE } from "../../guardrails/injection-samples.ts";
import { recallOf, sampleIncident, samplePastIncident, sampleRunbook } from "../samples.ts";

const sources = (recall: Partial<Recall>) => sourceBlocks(citableTexts(recallOf(recall), { RUNBOOK_RECALL_LIMIT: 5 }));
const report = (
  changes: Parameters<typeof sampleIncident>[0] = {},
  turns: { question: string; answer: string }[] = [],
) => reportBlocks(sampleIncident(changes), { turns, logLength: 1_000 });

describe("the sources", () => {
  it("are each under the name by which it may be cited, with where it comes from", () => {
    const runbooks = [sampleRunbook("# Killed\n\nThe kernel did it.\n\n## Confirm\n\n### Linux\n\n1. Look.\n")];
    const incidents = [
      samplePastIncident("past-1", { resolution: "More memory." }),
      samplePastIncident("past-2", { title: "It hung" }),
    ];
    expect(sources({ runbooks, incidents })).toBe(
      [
        '<runbook id="R1" source="exit-137.md" heading="Killed">\nThe kernel did it.\n</runbook>',
        '<runbook id="R2" source="exit-137.md" heading="Killed › Confirm › Linux">\n1. Look.\n</runbook>',
        '<past_incident id="I1" reported="2026-01-15">\nTitle: api-gateway was OOMKilled\nType: oom_killed\nFixed by: More memory.\n</past_incident>',
        '<past_incident id="I2" reported="2026-01-15">\nTitle: It hung\nType: oom_killed\nWhat fixed it was not recorded.\n</past_incident>',
      ].join("\n"),
    );
  });

  it("are said to be none where there are none", () => {
    expect(sources({})).toBe("(No runbook and no past incident was recalled.)");
  });

  it("never show a model the ids under which they are stored", () => {
    expect(sources({ incidents: [samplePastIncident("past-1")] })).not.toContain("past-1");
  });
});

describe("the report", () => {
  it("is all that was given, and how it was routed", () => {
    expect(
      report({
        question: "Is it the memory?",
        labels: { team: "edge", tier: "front" },
        logs: "Killed process 4242\n",
      }),
    ).toBe(
      "<report>\nTitle: api-gateway container exited with code 137\nQuestion: Is it the memory?\nTarget: api-gateway\n" +
        "Severity: high\nLabels: team=edge, tier=front\n" +
        'Domain: docker (text cue "container")\nType: oom_killed (text cue "exited with code 137")\n</report>\n' +
        "<logs>\nKilled process 4242\n</logs>",
    );
  });

  it("says a question that is the title once, and leaves out what was not given", () => {
    const text = report({ title: "Why?", question: "Why?", target: null, logs: " \n" });
    expect(text.match(/Why\?/g)).toHaveLength(1);
    expect(text).not.toMatch(/Target|Labels|<logs>|<session>/);
  });

  it("comes behind the session, which changes less", () => {
    const text = report({ logs: "x" }, [
      { question: "What now?", answer: "Wait." },
      { question: "And now?", answer: "Act." },
    ]);
    expect(text).toMatch(/^<session>\nQ: What now\?\nA: Wait\.\nQ: And now\?\nA: Act\.\n<\/session>\n<report>\n/);
    expect(text.indexOf("<report>")).toBeLessThan(text.indexOf("<logs>"));
  });

  it("holds of a long log no more than it may, the end included", () => {
    const logs = `${"all is well, nothing to see here\n".repeat(5_000)}FATAL: the last words`;
    const text = report({ logs });
    const block = text.slice(text.indexOf("<logs>"));
    expect(block.length).toBeLessThanOrEqual(1_000 + "<logs>\n\n</logs>".length);
    expect(block).toContain("FATAL: the last words");
  });

  it("holds of labels and earlier answers no more than is of use", () => {
    const labels = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`label_${i}`, "x".repeat(50)]));
    expect(report({ labels }).length).toBeLessThan(4_500);
    expect(report({}, [{ question: "Q", answer: "word ".repeat(2_000) }]).length).toBeLessThan(2_000);
  });
});

describe("hostile lines", () => {
  const lines = Object.values(HOSTILE).flat();
  const runbook = citableTexts(recallOf({ runbooks: [sampleRunbook("Words.")] }), { RUNBOOK_RECALL_LIMIT: 5 });

  it.each(lines)("are gone from every part of the material: %j", (line) => {
    const parts = [
      report({ title: line }),
      report({ target: line }),
      report({ question: line }),
      report({ labels: guardRequest({ labels: { team: line } }).request.labels ?? {} }),
      report({ logs: `error: x\n${line}\nerror: y` }),
      report({}, [{ question: line, answer: "Words." }]),
      report({}, [{ question: "Q", answer: line }]),
      sourceBlocks(runbook.map((text) => ({ ...text, document: { ...text.document, body: `Words.\n${line}` } }))),
      sourceBlocks(runbook.map((text) => ({ ...text, document: { ...text.document, headingPath: [line] } }))),
      sources({ incidents: [samplePastIncident("p", { title: line })] }),
      sources({ incidents: [samplePastIncident("p", { resolution: line })] }),
    ];
    for (const part of parts) {
      expect(part).not.toContain(line);
      expect(part).toContain(REMOVED_LINE);
    }
  });

  it("take no other line of the log with them", () => {
    expect(report({ logs: `error: x\n${lines[0]}\nerror: y` })).toContain(`error: x\n${REMOVED_LINE}\nerror: y`);
  });
});
