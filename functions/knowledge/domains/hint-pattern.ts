// Checks regular expressions of domain definitions: a pattern must take linear time on any report, and be narrow.

import { type AST, RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";

export const MAX_PATTERN_LENGTH = 500;

/** Characters of a line that a pattern reads. Longer lines are data dumps. */
export const MAX_PATTERN_LINE = 1_000;

/** Ways to match that the engine may have to try at one place. */
const MAX_WAYS = 20_000;

/** Words of reports about anything. A pattern that matches one of them would claim reports of other teams. */
const ORDINARY_WORDS =
  "error failed failing failure exception warning critical alert problem incident request response connection timeout refused denied unavailable service server client host port user system process running stopped started restarted waiting pending missing invalid unknown unexpected message reason status code value number count limit usage high low medium slow full empty open closed left right time minutes seconds hours today morning tests checks jobs deploy release version update change after before during since while because could cannot would should not found list name type level info debug trace line file path data read write send receive 1 42 200 500 5432 2026-03-01 10:15:42 30s 95%".split(
    " ",
  );

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
  const ordinary = ORDINARY_WORDS.find((word) => compilePattern(pattern).test(word));
  return ordinary === undefined
    ? null
    : `matches ordinary words, such as "${ordinary}": require a word that only your reports have, as a whole (\\bwal\\b)`;
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
