import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { renderTriage } from "../../../../cli/render-triage.ts";
import type { TriageResult } from "../../../../functions/schemas/triage-result.ts";
import { ANSWERS } from "./answers.ts";

const WIDTHS = [60, 80, 110];
const names = Object.keys(ANSWERS);
const answer = (name: string): TriageResult => {
  const result = ANSWERS[name];
  if (result === undefined) throw new Error(`There is no answer ${name}.`);
  return result;
};
const short = (result: TriageResult, width = 100) => renderTriage(result, { width, color: false });
const full = (result: TriageResult, width = 100) => renderTriage(result, { width, color: false, full: true });

describe.each(names)("the answer %s", (name) => {
  it("is short, and looks as it did at each width", async () => {
    const text = WIDTHS.map((width) => `--- ${width} columns\n${short(answer(name), width)}\n`).join("\n");
    await expect(text).toMatchFileSnapshot(`golden/${name}.txt`);
  });

  it("looks in full as it did", async () => {
    await expect(`${full(answer(name), 80)}\n`).toMatchFileSnapshot(`golden/full/${name}.txt`);
  });

  it("fits a screen of 100 columns in the short form", () => {
    expect(short(answer(name)).split("\n").length).toBeLessThanOrEqual(36);
  });
});

describe("a rendered answer", () => {
  it("has no line above the width but commands, for any texts", () => {
    const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 90 });
    const texts = fc.array(word, { minLength: 1, maxLength: 40 }).map((words) => words.join(" "));
    const widths = fc.integer({ min: 52, max: 130 });
    fc.assert(
      fc.property(fc.constantFrom(...names), texts, widths, fc.boolean(), (name, text, width, isFull) => {
        const result = withTexts(answer(name), text);
        const lines = (isFull ? full : short)(result, width).split("\n");
        const tooLong = lines.filter((line) => stringWidth(line) > width);
        expect(tooLong.filter((line) => !isCommand(line))).toEqual([]);
      }),
    );
  });

  it("has nothing that a terminal obeys", () => {
    const text = "\u001b[31mred\u001b]0;title\u0007 \u202egnp.exe \u2066x\u2069 \u009b2J\r\nnext";
    for (const name of names)
      for (const render of [short, full]) {
        const shown = render(withTexts(answer(name), text));
        expect(shown).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
      }
  });

  it("names the incident in its commands as the caller says", () => {
    const text = renderTriage(answer("cause"), { width: 100, color: false, incident: "3f2a91bc" });
    expect(text).toContain('resolve 3f2a91bc "what fixed it"');
    expect(text).toContain("show 3f2a91bc --full");
    expect(text).not.toContain(" last ");
  });

  it("below its incident, whose head has the place of all alerts, begins with the outcome", () => {
    const below = (isFull: boolean) =>
      renderTriage(answer("cause"), { width: 100, color: false, full: isFull, isBelowIncident: true });
    expect(below(false)).toMatch(/^KNOWN FAILURE, \d+ %: /);
    expect(below(true)).toMatch(/^severity .*domain/);
    expect(full(answer("cause"))).toMatch(/target /);
    expect(below(true)).not.toMatch(/target /);
  });

  it("in full does not offer to show it in full", () => {
    expect(full(answer("cause"))).not.toContain("--full");
  });

  it("has colours only where they are wanted", () => {
    expect(renderTriage(answer("cause"), { width: 100, color: true })).toContain("\u001b[1m");
    expect(short(answer("cause"))).not.toContain("\u001b");
  });
});

/** Commands and next steps are never wrapped. */
function isCommand(line: string): boolean {
  return /ctl (?:stats|update|restart)|heap watch|rm -r|dejavu(?: --)? (?:similar|triage)/.test(line);
}

/** The result with another text in all its prose. */
function withTexts(result: TriageResult, text: string): TriageResult {
  const statement = <T extends { text: string }>(item: T): T => ({ ...item, text });
  const { answer: parts } = result;
  return {
    ...result,
    title: text,
    target: text,
    domain: { ...result.domain, rule: text },
    answer: {
      ...parts,
      summary: statement(parts.summary),
      evidence: parts.evidence.map((item) => ({ ...statement(item), quote: text })),
      likely_causes: parts.likely_causes.map(statement),
      possible_causes: parts.possible_causes.map((item) => ({
        ...statement(item),
        title: text,
        confirm: item.confirm.map(statement),
      })),
      confirm: parts.confirm.map(statement),
      mitigate: parts.mitigate.map((step) => ({ ...statement(step), undo: text })),
      worked_before: parts.worked_before.map((item) => ({
        ...statement(item),
        fix: item.fix && { ...item.fix, text, by: text },
        alike: [text],
      })),
      look_next: parts.look_next.map(statement),
    },
    sources: result.sources.map((source) => ({ ...source, heading: text, title: text })),
    warnings: result.warnings.map((warning) => ({ ...warning, message: text })),
  };
}
