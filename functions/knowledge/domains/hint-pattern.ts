// Checks regular expressions of domain definitions: a pattern must take linear time on any report, and be narrow.

import { type AST, RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";
import { isNarrow, TOO_WIDE } from "./hint-width.ts";

export const MAX_PATTERN_LENGTH = 500;

/** Characters of a line that a pattern reads. Longer lines are data dumps. */
export const MAX_PATTERN_LINE = 1_000;

/** Ways to match that the engine may have to try at one place. */
const MAX_WAYS = 20_000;

/** The flags of every pattern: case does not count. */
const FLAGS = "iu";

/** The compiled pattern. @throws SyntaxError on a pattern that `describePatternProblem` refuses */
export function compilePattern(pattern: string): RegExp {
  return new RegExp(pattern, FLAGS);
}

/**
 * Says what is wrong with a pattern and what to do; null for a good one. A backtracking engine takes exponential time for
 * a repetition inside a repeated group, and polynomial time for several open repetitions in a row. Both are refused by
 * the form of the pattern, so a refused pattern is not always slow, but an accepted one never is.
 */
export function describePatternProblem(pattern: string): string | null {
  let parsed: AST.Pattern;
  try {
    parsed = new RegExpParser({ ecmaVersion: 2024 }).parsePattern(pattern, 0, pattern.length, { unicode: true });
    if (compilePattern(pattern).test(""))
      return "matches the empty text, and so every report: require at least one word";
  } catch (error) {
    return `is no regular expression: ${error instanceof Error ? error.message : String(error)}`;
  }
  const form = describeForbiddenForm(parsed);
  if (form !== null) return form;
  if (waysOf(parsed.alternatives) > MAX_WAYS)
    return "can match in too many ways and would take too long on a long line: bound its repetitions, for example {0,40}, and use fewer of them";
  return isNarrow(parsed.alternatives) ? null : TOO_WIDE;
}

function describeForbiddenForm(pattern: AST.Pattern): string | null {
  let problem: string | null = null;
  visitRegExpAST(pattern, {
    onQuantifierEnter({ element, max, raw }) {
      const isGroup = element.type === "Group" || element.type === "CapturingGroup";
      if (isGroup && max > 1)
        problem ??= `repeats the group ${raw}, which can take exponential time: repeat single characters or classes, and let a group be optional (?) at most`;
    },
    onBackreferenceEnter({ raw }) {
      problem ??= `holds the back reference ${raw}, which can take exponential time: write the text out`;
    },
  });
  return problem;
}

/** Upper bound of the ways in which the engine can match at one place. */
function waysOf(alternatives: readonly AST.Alternative[]): number {
  return alternatives.reduce(
    (sum, { elements }) => sum + elements.reduce((ways, each) => ways * waysOfElement(each), 1),
    0,
  );
}

function waysOfElement(element: AST.Element): number {
  switch (element.type) {
    case "Group":
    case "CapturingGroup":
      return waysOf(element.alternatives);
    case "Assertion":
      return element.kind === "lookahead" || element.kind === "lookbehind" ? waysOf(element.alternatives) : 1;
    case "Quantifier": {
      const repeats = Math.min(element.max, MAX_PATTERN_LINE) - element.min + 1;
      return Math.max(1, repeats - 1) * Math.max(1, waysOfElement(element.element)) + (element.min === 0 ? 1 : 0);
    }
    default:
      return 1;
  }
}
