import { RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePattern, describePatternProblem } from "../../../../functions/knowledge/domains/hint-pattern.ts";
import { SHIPPED_DEFINITIONS } from "../../../support/domains.ts";

describe("a pattern", () => {
  it.each([
    String.raw`\bMISCONF\b[^\n]{0,40}\bRDB\b`,
    String.raw`\b(exit(ed)?|code|status)\b[^\n]{0,20}\b137\b`,
    String.raw`\bnodes?\b(?!\.js)`,
    String.raw`\bpg_[a-z_]+\b`,
    "(?:a|b|c)?redis",
    String.raw`\p{Lu}{3,10}Exception`,
    "(?:vault){1}",
    String.raw`\boom[- _]?kill`,
    String.raw`(?::|\bport )(?:6379|26379)\b`,
    String.raw`\b(?:pvc|hpa)s?\b`,
    String.raw`\bER_[A-Z]{2,20}\b|\[MY-0[0-9]{5}\]`,
  ])("may be %s", (pattern) => {
    expect(describePatternProblem(pattern)).toBeNull();
  });

  it.each([
    ["(a+)+b", "repeats the group (a+)+"],
    ["(?:a|aa)*b", "repeats the group (?:a|aa)*"],
    ["(ab){2}", "repeats the group (ab){2}"],
    ["x(?:[^)]*?){0,40}y", "repeats the group"],
    [String.raw`(a)\1`, String.raw`holds the back reference \1`],
    [String.raw`(?<word>a)b\k<word>`, String.raw`holds the back reference \k<word>`],
    [".*a.*b", "can match in too many ways"],
    [String.raw`\w+\s+\w+:`, "can match in too many ways"],
    ["a{0,300}b{0,300}c", "can match in too many ways"],
    ["(?=.*a)(?=.*b).*c", "can match in too many ways"],
    ["", "matches the empty text"],
    ["a*", "matches the empty text"],
    ["redis|", "matches the empty text"],
    ["(a", "is no regular expression"],
    ["a{2,1}", "is no regular expression"],
    ["[z-a]", "is no regular expression"],
    [String.raw`\-`, "is no regular expression"],
  ])("%j is refused: %s", (pattern, problem) => {
    expect(describePatternProblem(pattern)).toContain(problem);
  });

  it.each([
    "[a-z]",
    ".",
    String.raw`\w+`,
    String.raw`\b\w`,
    String.raw`\b|x`,
    String.raw`\p{Lu}{3,10}`,
    String.raw`\d{3}`,
    "(?:a|e|i)",
    "tion",
    String.raw`ing\b`,
    String.raw`\bcon\w*`,
    String.raw`\bcon(?:\w+)?\b`,
    "[est][est][est][est][est]",
    "(?:redis)?e",
    "redis|e",
    "(?:redis|e)",
    "[^r]edi",
  ])("%j is refused, since it matches ordinary words", (pattern) => {
    expect(describePatternProblem(pattern)).toContain("matches ordinary words");
  });

  it("ignores case, and keeps no state between texts", () => {
    const pattern = compilePattern("misconf");
    expect([pattern.test("MISCONF"), pattern.test("MISCONF")]).toEqual([true, true]);
    expect([pattern.global, pattern.sticky, pattern.multiline]).toEqual([false, false, false]);
  });

  it("is a sentence with what to do when it is refused", () => {
    for (const pattern of ["(a+)+", String.raw`(a)\1`, ".*a.*b", "a*", "."])
      expect(describePatternProblem(pattern)).toMatch(/: (?:repeat|write|bound|require) /);
  });
});

describe("any accepted pattern", () => {
  const atom = fc.constantFrom(
    "redis",
    "kafka",
    "b",
    ".",
    String.raw`\w`,
    String.raw`[^\n]`,
    "(ab)",
    "(?:a|b)",
    "(?:a+)",
    "(?=a)",
  );
  const repeat = fc.constantFrom("", "", "+", "*", "?", "{0,5}", "{0,40}", "{3}", "{2,}", "*?");
  const part = fc.tuple(atom, repeat).map((pair) => pair.join(""));
  const patterns = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));

  /** The repeated groups, and the repetitions without a bound that can follow each other. */
  function formOf(pattern: string) {
    let groups = 0;
    let open = 0;
    visitRegExpAST(new RegExpParser().parsePattern(pattern, 0, pattern.length, { unicode: true }), {
      onQuantifierEnter({ element, max }) {
        const isGroup = element.type === "Group" || element.type === "CapturingGroup";
        if (isGroup && max > 1) groups++;
        if (max === Number.POSITIVE_INFINITY) open++;
      },
    });
    return { groups, open };
  }

  it("repeats no group, and has at most one open repetition", () => {
    fc.assert(
      fc.property(patterns, (pattern) => {
        fc.pre(describePatternProblem(pattern) === null);
        const { groups, open } = formOf(pattern);
        expect(groups).toBe(0);
        expect(open).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("stays refused when more text that repeats is added", () => {
    fc.assert(
      fc.property(patterns, part, (pattern, more) => {
        fc.pre(describePatternProblem(pattern)?.startsWith("can match in too many ways") ?? false);
        expect(describePatternProblem(pattern + more)).not.toBeNull();
      }),
    );
  });

  it("compiles, and never matches the empty text", () => {
    fc.assert(
      fc.property(fc.oneof(patterns, fc.string()), (pattern) => {
        fc.pre(describePatternProblem(pattern) === null);
        expect(compilePattern(pattern).test("")).toBe(false);
      }),
    );
  });
});

const shippedPatterns = SHIPPED_DEFINITIONS.flatMap(({ name, definition }) =>
  [...definition.hints, ...definition.incident_types.flatMap(({ hints }) => hints)].flatMap(({ pattern }) =>
    pattern === undefined ? [] : [[name, pattern] as const],
  ),
);

describe("the patterns that ship", () => {
  it.each(shippedPatterns)("of %s pass the check: %s", (_name, pattern) => {
    expect(describePatternProblem(pattern)).toBeNull();
  });
});
