// The recap of a session, and how the endpoints show it.

import { describe, expect, it } from "vitest";
import { renderTriage } from "../../../cli/render-triage.ts";
import { createRecapAnswer } from "../../../functions/investigation/recap-session.ts";
import type { SessionRecord } from "../../../functions/memory/session-record.ts";
import { answerText } from "../../../functions/routes/mcp/answer-text.ts";
import { renderTriage as renderForSlack } from "../../../functions/routes/slack/render-triage.ts";
import { NOW, sampleResult } from "./samples.ts";

const turn = (id: string, question: string): SessionRecord["turns"][number] => ({
  ...{ id, question, domain: "general", answer: "The disk was full.", rating: 0, createdAt: NOW, contentHash: "" },
  findings: {
    ...{ outcome: "cause", confidence: 0.84, ruledOut: ["a leak"], fix: "A larger disk. (dana)" },
    errorLines: ["no space left on device (line 3)"],
  },
});
const summary = (answer: string): SessionRecord["summaries"][number] => ({
  ...{ id: "summary-1", question: "[SESSION SUMMARY s-1]", answer, createdAt: NOW, sessionId: "s-1", rating: 0 },
  isSummary: true,
});

describe("the recap of a session", () => {
  it("claims nothing and cites each record that it quotes", () => {
    const recap = createRecapAnswer({ turns: [turn("turn-1", "why?")], summaries: [summary("Q: when?\nA: at noon.")] });
    expect(recap).toMatchObject({ mode: "extractive", outcome: "unknown", confidence: 0, critique: null });
    expect(recap.answer).toMatchObject({ likely_causes: [], mitigate: [], worked_before: [], evidence: [] });
    expect(recap.answer.summary).toEqual({
      text: [
        "Recap of 1 past answer and 1 summary of this session, newest first:",
        "",
        "Q: why?",
        "Error: no space left on device (line 3)",
        "Outcome: Known failure, 84 %",
        "A: The disk was full.",
        "Ruled out: a leak",
        "Fixed by: A larger disk. (dana)",
        "",
        "Q: when?",
        "A: at noon.",
      ].join("\n"),
      citations: ["turn-1", "summary-1"],
    });
  });

  it("says that there is nothing to recap, and cites nothing", () => {
    const { answer } = createRecapAnswer({ turns: [], summaries: [] });
    expect(answer.summary).toEqual({ text: expect.stringMatching(/^There is nothing to recap: /), citations: [] });
  });

  it("has at most some 6,000 characters, also of many long turns", () => {
    const turns = Array.from({ length: 40 }, (_, i) => turn(`turn-${i}`, `why ${i}? ${"It is down. ".repeat(70)}`));
    const { text } = createRecapAnswer({ turns, summaries: [summary("A sentence. ".repeat(1_000))] }).answer.summary;
    expect(text.length).toBeLessThan(6_200);
    for (let i = 0; i < 40; i++) expect(text).toContain(`Q: why ${i}?`);
  });
});

describe("a recap is shown as such", () => {
  const { answer } = createRecapAnswer({ turns: [turn("turn-1", "why?")], summaries: [] });
  const sources = [{ id: "turn-1", kind: "past_answer" as const, title: "why?", source: null, heading: "" }];
  const result = sampleResult({
    outcome: "unknown",
    confidence: 0,
    mode: "extractive",
    answer,
    sources,
    critique: null,
  });

  it("in a terminal", () => {
    const short = renderTriage(result, { width: 100, color: false });
    const full = renderTriage(result, { width: 100, color: false, full: true });
    for (const text of [short, full]) expect(text).toContain("  Error: no space left on device (line 3)\n");
    for (const text of [short, full]) expect(text).toContain("RECAP OF THIS SESSION: quotes past answers");
    expect(full).toContain('[1] past answer "why?" turn-1');
  });

  it("in Slack", () => {
    const { text, blocks } = renderForSlack(result, "C1");
    expect(text).toMatch(/^Recap of this session\. /);
    expect(JSON.stringify(blocks)).toContain('past answer \\"why?\\"');
    expect(JSON.stringify(blocks)).toContain("no space left on device (line 3)");
  });

  it("to a model over MCP", () => {
    expect(answerText(result)).toContain('[1] past answer "why?" (id turn-1)');
  });
});
