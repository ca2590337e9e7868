import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { beginsWithWords, parseChecks, parseSectionChecks } from "../../../../lib/checks/parse-checks.ts";
import { chunkMarkdown } from "../../../../lib/markdown/chunk-markdown.ts";

const QUERY = "sum by (instance) (pg_stat_activity_count)";

/** A runbook whose section Confirm holds these lines, from line 7 on. */
function runbook(...lines: string[]): string {
  return [
    "# Connections used up",
    "",
    "The server refuses connections.",
    "",
    "## Confirm",
    "",
    ...lines,
    "",
    "## Root causes",
    "",
    "- **Connection leak**: an application keeps sessions.",
    "- Connection storm: a deployment opens many at once.",
    "",
  ].join("\n");
}

function fence(info: string, ...rules: string[]): string[] {
  return [`\`\`\`${info}`, QUERY, "```", ...rules];
}

const CONFIRMS = "- confirms: any > 0.9: the slots are nearly used up";

/** Problems as "line: message". */
function problemsOf(...lines: string[]): string[] {
  return parseChecks(runbook(...lines)).problems.map(({ line, message }) => `${line}: ${message}`);
}

function namesOf(...lines: string[]): string[] {
  return parseChecks(runbook(...lines)).checks.map(({ name }) => name);
}

describe("a check", () => {
  it("is a fence with its attributes, and the rules below it", () => {
    const text = runbook(
      ...fence('promql {cause="Connection leak" check=slots-used match="instance, job?"}'),
      CONFIRMS,
      "- refutes: all < 0.7: look for a network cause",
      "- else: inconclusive",
    );
    expect(parseChecks(text)).toEqual({
      checks: [
        {
          name: "slots-used",
          language: "promql",
          query: QUERY,
          match: ["instance", "job?"],
          cause: "Connection leak",
          confirms: { condition: "any > 0.9", meaning: "the slots are nearly used up" },
          refutes: { condition: "all < 0.7", meaning: "look for a network cause" },
          otherwise: null,
          line: 7,
          headingPath: ["Confirm"],
        },
      ],
      problems: [],
    });
  });

  it.each([
    ["tildes", ["~~~promql {check=a}", QUERY, "~~~", CONFIRMS]],
    ["longer fences", ["````promql {check=a}", QUERY, "````", CONFIRMS]],
    [
      "capitals and no blank",
      ["```PromQL{check=a}", QUERY, "```", "- CONFIRMS: any > 0.9: the slots are nearly used up"],
    ],
    ["a blank line above the rules", [...fence("promql {check=a}"), "", CONFIRMS]],
    [
      "stars, numbers and emphasis",
      [...fence("promql { check = 'a' }"), "1. **confirms:** `any > 0.9`: the slots are nearly used up"],
    ],
    ["a wrapped meaning", [...fence("promql {check=a}"), "* confirms: any > 0.9: the slots", "  are nearly used up"]],
    [
      "a list item above",
      ["1. Look:", "", ...["```promql {check=a}", QUERY, "```", "", CONFIRMS].map((line) => `   ${line}`)],
    ],
    ["rules without indentation", ["1. Look:", "", ...fence("promql {check=a}").map((line) => `   ${line}`), CONFIRMS]],
  ])("may be written with %s", (_name, lines) => {
    const { checks, problems } = parseChecks(runbook(...lines));
    expect(problems).toEqual([]);
    expect(checks).toMatchObject([
      { name: "a", query: QUERY, confirms: { condition: "any > 0.9", meaning: "the slots are nearly used up" } },
    ]);
  });

  it("keeps the words of `else` beside inconclusive", () => {
    const otherwise = (line: string) =>
      parseChecks(runbook(...fence("promql {check=a}", CONFIRMS, line))).checks[0]?.otherwise;
    expect(otherwise("- else: Inconclusive.")).toBeNull();
    expect(otherwise("- else: inconclusive, look at the pool")).toBe("look at the pool");
    expect(otherwise("- else: look at the pool")).toBe("look at the pool");
  });

  it("keeps a query's own indentation and lines", () => {
    const lines = [
      "1. Look:",
      "   ```sql {check=a}",
      "",
      "   select count(*)",
      "     from pg_stat_activity",
      "   ```",
      `   ${CONFIRMS}`,
    ];
    expect(parseChecks(runbook(...lines)).checks[0]?.query).toBe("select count(*)\n  from pg_stat_activity");
  });

  it("has no labels to match with `match=none`", () => {
    const [check] = parseChecks(runbook(...fence("promql {check=a match=none}", CONFIRMS))).checks;
    expect(check?.match).toEqual([]);
  });
});

describe("a problem of a check", () => {
  it.each([
    ["an unknown attribute", fence("promql {check=a nme=1}", CONFIRMS), /^7: the attribute "nme" does not exist/],
    [
      "a value with a blank",
      fence("promql {check=a cause=Connection leak}", CONFIRMS),
      /^7: the attribute "leak" does not exist/,
    ],
    ["no closing brace", fence("promql {check=a", CONFIRMS), /^7: the attributes cannot be read/],
    ["text after the brace", fence("promql {check=a} x", CONFIRMS), /^7: remove "x"/],
    ["a name in capitals", fence("promql {check=Slots}", CONFIRMS), /^7: the name "Slots"/],
    ["an empty name", fence("promql {check=}", CONFIRMS), /^7: /],
    ["a wrong label", fence("promql {check=a match=0b}", CONFIRMS), /^7: match has "0b"/],
    ["an attribute twice", fence("promql {check=a check=b}", CONFIRMS), /^7: the attribute "check" is there twice/],
    ["an unknown language", fence("prometheus {check=a}", CONFIRMS), /^7: the language "prometheus" is none of promql/],
    ["no rule", fence("promql {check=a}"), /^7: the check has no rule/],
    ["only else", fence("promql {check=a}", "- else: x"), /^7: the check has no rule/],
    [
      "a misspelt rule",
      fence("promql {check=a}", "- confirm: any > 1: x"),
      /^10: write "confirms:" in place of "confirm:"/,
    ],
    [
      "a rule of another name",
      fence("promql {check=a}", "- confrims: any > 1: x"),
      /^10: "confrims" is no rule: write "confirms:", "refutes:" or "else:"/,
    ],
    ["a rule without a colon", fence("promql {check=a}", "- confirms any > 1"), /^10: put a colon after "confirms"/],
    ["a rule twice", fence("promql {check=a}", CONFIRMS, CONFIRMS), /^11: the check has "confirms" twice/],
    [
      "an unreadable condition",
      fence("promql {check=a}", CONFIRMS, "- refutes: all below 3: x"),
      /^11: the condition needs one of/,
    ],
    [
      "no meaning",
      fence("promql {check=a}", "- confirms: any > 1"),
      /^10: say after "any > 1" and a colon what it means/,
    ],
    [
      "a condition that does not fit",
      fence("promql {check=a}", "- confirms: any .a > 1: x"),
      /^10: the condition has a path/,
    ],
    ["no query", ["```promql {check=a}", "", "```", CONFIRMS], /^7: the check has no query/],
    ["a wrong query", ["```promql {check=a}", "", "sum(", "```", CONFIRMS], /^9: /],
    ["a query that changes something", ["```sql {check=a}", "delete from pg_class", "```", CONFIRMS], /^8: /],
    [
      "a long query",
      ["```promql {check=a}", `x{a="${"y".repeat(9_000)}"}`, "```", CONFIRMS],
      /^7: the check has 9,\d{3} bytes/,
    ],
    ["no fence end", ["```promql {check=a}", QUERY], /^7: the code fence of the check is not closed/],
    ["no braces", fence("promql check=a", CONFIRMS), /^7: this block is no check without its name in braces/],
    ["no attribute", fence("promql", CONFIRMS), /^7: this block is no check without its name in braces/],
  ])("has the line and what to do, and no other check is lost: %s", (_name, lines, problem) => {
    const good = fence("promql {check=good}", CONFIRMS);
    expect(problemsOf(...lines)).toEqual([expect.stringMatching(problem)]);
    expect(namesOf(...lines)).toEqual([]);
    expect(namesOf(...good, "", ...lines)).toEqual(["good"]);
  });

  it("is a name that another check has", () => {
    const check = fence("promql {check=a}", CONFIRMS);
    expect(problemsOf(...check, "", ...check)).toEqual([
      '12: the check "a" is in line 7 already: give it another name.',
    ]);
    expect(namesOf(...check, "", ...check)).toEqual(["a"]);
  });

  it("is the first of too many checks", () => {
    const checks = Array.from({ length: 102 }, (_, i) => fence(`promql {check=c${i}}`, CONFIRMS)).flat();
    const { checks: loaded, problems } = parseChecks(runbook(...checks));
    expect(loaded).toHaveLength(100);
    expect(problems).toEqual([{ line: 407, message: expect.stringMatching(/more than 100 checks/) }]);
  });

  it("may leave the check loaded: a wrong cause, section or count", () => {
    const check = (cause: string) => fence(`promql {check=a cause="${cause}"}`, CONFIRMS);
    const loaded = (...lines: string[]) => {
      const { checks, problems } = parseChecks(runbook(...lines));
      return [checks.map(({ cause }) => cause), problems.map(({ message }) => message)];
    };
    expect(loaded(...check("connection LEAK an"))).toEqual([["connection LEAK an"], []]);
    expect(loaded(...check("Disk full"))).toEqual([
      [null],
      [expect.stringMatching(/^no listed cause begins with "Disk full"/)],
    ]);
    expect(loaded(...check("Connection"))).toEqual([[null], [expect.stringMatching(/^2 listed causes begin with/)]]);
    expect(loaded(...fence("promql {check=a}", "- confirms: count > 1: x", "- refutes: count < 1: y"))).toEqual([
      [null],
      [expect.stringMatching(/^"count < 1" never holds/)],
    ]);
    const outside = parseChecks(`# T\n\n## Mitigate\n\n${fence("promql {check=a}", CONFIRMS).join("\n")}\n`);
    expect(outside).toMatchObject({
      checks: [{ name: "a" }],
      problems: [{ line: 5, message: expect.stringMatching(/stands outside of a section such as "Confirm"/) }],
    });
  });

  it("has its line in the text that was sent, with front matter and other line ends", () => {
    const front = "---\ntags: a\n# a comment\n---\n";
    const text = `${front}${runbook(...fence("promql {check=A}", CONFIRMS))}`;
    expect(parseChecks(text).problems).toMatchObject([{ line: 11 }]);
    expect(parseChecks(`\uFEFF${text.replaceAll("\n", "\r\n")}`).problems).toMatchObject([{ line: 11 }]);
    expect(parseChecks(`${front}${runbook(...fence("promql {check=a}", CONFIRMS))}`).checks).toMatchObject([
      { line: 11 },
    ]);
  });

  it("is never an exception, for any text", () => {
    const part = fc.constantFrom(
      ...[
        "```promql {check=a}",
        "```",
        "~~~sql {",
        "- confirms: any > 1: x",
        "- refutes:",
        "## Confirm",
        "## Causes",
        "",
        "x",
        "   ",
      ],
    );
    fc.assert(
      fc.property(fc.oneof(fc.array(part), fc.array(fc.string())), (lines) => {
        const text = lines.join("\n");
        const { checks, problems } = parseChecks(text);
        for (const { line } of [...checks, ...problems]) {
          expect(line).toBeGreaterThan(0);
          expect(line).toBeLessThanOrEqual(text.split("\n").length);
        }
      }),
    );
  });
});

describe("ordinary Markdown", () => {
  it.each([
    ["an example query", fence("promql")],
    ["another fence", ["```sh", "uptime", "```", "- Confirm with the team."]],
    ["attributes of another tool", ["```js {1,3}", "checks()", "```"]],
    ["a list", ["- confirms: any > 1: x"]],
    ["the form of a check, quoted", ["````md", ...fence("promql {check=a}", CONFIRMS), "````"]],
  ])("holds no check and no problem: %s", (_name, lines) => {
    expect(parseChecks(runbook(...lines))).toEqual({ checks: [], problems: [] });
  });
});

describe("parseSectionChecks", () => {
  const text = runbook(
    ...fence('promql {check=a cause="Connection leak"}', CONFIRMS),
    "",
    ...fence("promql {check=b}", "- refutes: all < 1: x"),
    "",
    ...fence("promql {check=B}", "- refutes: all < 1: x"),
  );

  it("gives the checks of stored sections, each with the id of its section", () => {
    const sections = chunkMarkdown(text, "", { size: 400, overlap: 50 }).map((chunk) => ({
      ...chunk,
      id: `chunk-${chunk.index}`,
    }));
    const stored = parseSectionChecks(sections);
    const written = parseChecks(text).checks.map(({ line: _line, headingPath: _path, ...check }) => check);
    expect(stored).toEqual(written.map((check) => ({ ...check, section: "chunk-1" })));
  });

  it("gives a check that two parts of a section repeat once, and keeps checks whole at any chunk size", () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 60 }), fc.integer({ min: 0, max: 19 }), (size, overlap) => {
        const words = Array.from({ length: 40 }, (_, i) => `word${i}`).join(" ");
        const long = text.replace("## Confirm\n", `## Confirm\n\n${words}\n\n1. ${words}\n\n`);
        const sections = chunkMarkdown(long, "", { size, overlap }).map((chunk) => ({
          ...chunk,
          id: `${chunk.index}`,
        }));
        expect(parseSectionChecks(sections).map(({ name, cause }) => [name, cause])).toEqual([
          ["a", "Connection leak"],
          ["b", null],
        ]);
      }),
    );
  });
});

describe("beginsWithWords", () => {
  it.each([
    ["**Connection leak** in `app`", "connection leak", true],
    ["Connection leak: an", "Connection leak, an", true],
    ["Connection leaks", "Connection leak", false],
    ["A connection leak", "Connection leak", false],
    ["Connection", "Connection leak", false],
    ["Anything", "…", false],
  ])("%s, %s", (text, beginning, begins) => {
    expect(beginsWithWords(text, beginning)).toBe(begins);
  });
});
