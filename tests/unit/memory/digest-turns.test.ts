import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DigestedTurn, digestTurns, summaryBlocks, turnBlocks } from "../../../functions/memory/digest-turns.ts";
import { SUMMARY_LENGTH } from "../../../functions/memory/past-answers.ts";
import { storedTurnSchema } from "../../../functions/memory/session-summary.ts";
import { fitBlocks } from "../../../lib/text/fit-blocks.ts";

const turn = (question: string, answer: string, { at = 0, rating = 0 } = {}): DigestedTurn => ({
  createdAt: new Date(at),
  question,
  answer,
  rating,
  findings: null,
});

const CAUSE = { outcome: "cause", confidence: 0.84, errorLines: [], ruledOut: [], fix: null };

describe("digestTurns", () => {
  it("writes the turns in the order of time, separated by an empty line", () => {
    const turns = [turn("second?", "two\nlines", { at: 2 }), turn("first?", "  one ", { at: 1 })];
    expect(digestTurns(turns, 1_000)).toBe("Q: first?\nA: one\n\nQ: second?\nA: two lines");
  });

  it("writes error lines, outcome, cause, what was ruled out and the fix of a turn", () => {
    const findings = {
      ...CAUSE,
      errorLines: ["FATAL: too many clients (line 7, 40 times)", "pool exhausted (line 9)"],
      ruledOut: ["a slow disk (its latency is normal)"],
      fix: "More connections. (dana)",
    };
    const answer = "Fixed by: More connections. (dana)\nThe pool was too small.";
    expect(digestTurns([{ ...turn("Why is it down?", answer, { rating: 2 }), findings }], 1_000)).toBe(
      [
        "Q: Why is it down?",
        "Error: FATAL: too many clients (line 7, 40 times)",
        "Error: pool exhausted (line 9)",
        "Outcome: Known failure, 84 %, rated +2",
        "A: The pool was too small.",
        "Ruled out: a slow disk (its latency is normal)",
        "Fixed by: More connections. (dana)",
      ].join("\n"),
    );
  });

  it.each([
    ["possible", "Possible, 45 %"],
    ["unknown", "Unknown"],
  ])("names no cause of a turn with outcome %s, whatever its stored answer says", (outcome, text) => {
    const findings = { ...CAUSE, outcome, confidence: 0.45 };
    const stored = { ...turn("Why?", 'Explained by the runbook "Killed" (killed.md).'), findings };
    expect(digestTurns([stored], 1_000)).toBe(`Q: Why?\nOutcome: ${text}`);
  });

  it("writes what a benign report shows, which rules out an incident", () => {
    const findings = { ...CAUSE, outcome: "benign", confidence: 1, errorLines: ["3/3 replicas ready (line 2)"] };
    const stored = { ...turn("Is it down?", "No incident: all replicas are ready."), findings };
    expect(digestTurns([stored], 1_000)).toBe(
      "Q: Is it down?\nEvidence: 3/3 replicas ready (line 2)\nOutcome: No incident\nA: No incident: all replicas are ready.",
    );
  });

  it("names no cause that was not trusted or did not work", () => {
    const untrusted = { ...turn("Why?", "No cause was confirmed."), findings: { ...CAUSE, confidence: 0.4 } };
    expect(digestTurns([untrusted], 1_000)).toBe("Q: Why?\nOutcome: Known failure, 40 %");
    const failed = { ...turn("Why?", "Fixed by: A restart."), findings: { ...CAUSE, fix: "A restart." } };
    expect(digestTurns([failed], 1_000)).toBe("Q: Why?\nOutcome: Known failure, 84 %\nFixed by: A restart.");
  });

  it("writes a repeated turn once, with its count", () => {
    const turns = [turn("Why  is it down?", "no idea", { at: 1 }), turn("why is it down?", "no idea", { at: 2 })];
    expect(digestTurns(turns, 1_000)).toBe("Q: why is it down? (asked 2 times)\nA: no idea");
  });

  it("keeps both answers of a repeated question", () => {
    const turns = [turn("why?", "the disk", { at: 1 }), turn("why?", "the pool", { at: 2 })];
    expect(digestTurns(turns, 1_000)).toBe("Q: why?\nA: the disk\n\nQ: why?\nA: the pool");
  });

  it("keeps the best rated and then the newest turns when not even a beginning of each fits", () => {
    const turns = [1, 2, 3, 4].map((at) => turn(`question ${at}?`, "answer", { at, rating: at === 1 ? 1 : 0 }));
    expect(digestTurns(turns, 50)).toBe("Q: question 1?\nA: answer\n\nQ: question 4?\nA: answer");
  });

  it("represents each of 100 turns, with an error line of each, also beside a very long one", () => {
    const turns = Array.from({ length: 100 }, (_, i) => ({
      ...turn(`why did worker ${i} stop?`, "It ran out of memory. ".repeat(i === 50 ? 500 : 3), { at: i }),
      findings: { ...CAUSE, errorLines: [`worker ${i} was killed (line ${i + 1})`] },
    }));
    const text = digestTurns(turns, SUMMARY_LENGTH);
    expect(text.length).toBeLessThanOrEqual(SUMMARY_LENGTH);
    for (let i = 0; i < 100; i++) {
      expect(text).toContain(`Q: why did worker ${i} stop?`);
      expect(text).toContain(`Error: worker ${i} was killed (line ${i + 1})`);
    }
  });

  it("never grows beyond the length, splits no character and begins each block with its question", () => {
    const anyText = (maxLength: number) => fc.string({ unit: "binary", maxLength });
    const anyTurn = fc.record({
      question: anyText(400),
      answer: anyText(600),
      createdAt: fc.nat({ max: 9 }).map((ms) => new Date(ms)),
      rating: fc.integer({ min: -2, max: 2 }),
      findings: fc.option(
        fc.record({
          outcome: fc.constantFrom("cause", "possible", "unknown", "benign"),
          confidence: fc.double({ min: 0, max: 1, noNaN: true }),
          errorLines: fc.array(fc.string({ unit: "grapheme-composite", maxLength: 200 }).map(withoutBreaks), {
            maxLength: 5,
          }),
          ruledOut: fc.array(anyText(90), { maxLength: 3 }),
          fix: fc.option(anyText(90)),
        }),
      ),
    });
    fc.assert(
      fc.property(fc.array(anyTurn, { maxLength: 30 }), fc.nat({ max: 3_000 }), (turns, length) => {
        const text = digestTurns(turns, length);
        expect(text.length).toBeLessThanOrEqual(length);
        expect(text.isWellFormed()).toBe(true);
        if (text !== "") for (const block of text.split("\n\n")) expect(block.slice(0, 2)).toBe("Q:");
      }),
    );
  });
});

describe("the blocks of a session", () => {
  it("are those of the turns, newest first, and those of its summary", () => {
    const turns = [turn("first?", "one", { at: 1 }), turn("second?", "two", { at: 2 })];
    const blocks = [...turnBlocks(turns), ...summaryBlocks("All failed.\n\nQ: why?\nA: the disk.\n\n")];
    expect(fitBlocks(blocks, 1_000)).toBe(
      "Q: second?\nA: two\n\nQ: first?\nA: one\n\nAll failed.\n\nQ: why?\nA: the disk.",
    );
  });
});

describe("a stored turn", () => {
  const row = {
    id: "a",
    domain: "general",
    created_at: "2026-03-01T03:00:00Z",
    question: "why?",
    answer: "the disk",
    net_rating: 1,
    content_hash: "hash",
  };
  const triage = { outcome: "cause", confidence: 0.8, evidence: [], rejected: [], resolution: null, resolved_by: null };

  it("has no findings without a triage", () => {
    expect(storedTurnSchema.parse(row)).toEqual({
      id: "a",
      domain: "general",
      createdAt: new Date(row.created_at),
      question: "why?",
      answer: "the disk",
      rating: 1,
      contentHash: "hash",
      findings: null,
    });
  });

  it("quotes error lines with place and count", () => {
    const evidence = [
      { quote: "disk full", place: { line: 3, count: 2, time: null } },
      { quote: "disk full", place: { line: 3, count: 2, time: null } },
      { quote: "no space left\n on device", place: null },
    ];
    expect(storedTurnSchema.parse({ ...row, ...triage, evidence }).findings?.errorLines).toEqual([
      "disk full (line 3, 2 times)",
      "no space left on device",
    ]);
  });

  it("has what was ruled out and the fix", () => {
    const rejected = [{ cause: "a slow disk", reason: "its latency is normal" }];
    const parsed = storedTurnSchema.parse({
      ...row,
      ...triage,
      rejected,
      resolution: "A restart.",
      resolved_by: "dana",
    });
    expect(parsed.findings).toMatchObject({
      ruledOut: ["a slow disk (its latency is normal)"],
      fix: "A restart. (dana)",
    });
  });
});

function withoutBreaks(text: string): string {
  return text.replace(/\s+/g, " ");
}
