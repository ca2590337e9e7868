import { describe, expect, it } from "vitest";
import {
  domainDefinitionSchema,
  EMPTY_DEFINITION,
  storedDefinitionSchema,
} from "../../../../functions/knowledge/domains/domain-definition.ts";

/** The problems of a definition, each as `path: message`. */
function problemsOf(definition: unknown): string[] {
  const { error } = domainDefinitionSchema.safeParse(definition);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("a definition", () => {
  it("may be empty", () => {
    expect(domainDefinitionSchema.parse({})).toEqual(EMPTY_DEFINITION);
    expect(EMPTY_DEFINITION).toEqual({
      description: "",
      labels: [],
      hints: [],
      excluded_words: [],
      only_when_decided: false,
      target_labels: [],
      incident_types: [],
      first_looks: [],
    });
  });

  it("has weight 3 where it names none, and no command where a look names none", () => {
    const { labels, hints, first_looks } = domainDefinitionSchema.parse({
      labels: [{ match: { job: ["redis"] } }],
      hints: [{ words: ["redis"] }],
      first_looks: [{ text: "See what changed." }],
    });
    expect([labels[0]?.weight, hints[0]?.weight, first_looks[0]?.command]).toEqual([3, 3, null]);
  });

  it.each<[string, unknown, string]>([
    ["an unknown field", { label: [] }, 'Unrecognized key: "label"'],
    ["an unknown field of a hint", { hints: [{ word: ["a"], words: ["a"] }] }, 'hints.0: Unrecognized key: "word"'],
    ["a hint with neither words nor a pattern", { hints: [{ weight: 2 }] }, "hints.0: needs `words` or a `pattern`"],
    ["a hint with no word", { hints: [{ words: [] }] }, "hints.0.words: "],
    ["a word without a letter", { hints: [{ words: ["a", "--"] }] }, "hints.0.words.1: must hold a letter or a digit"],
    ["an excluded word of signs", { excluded_words: ["*"] }, "excluded_words.0: must hold a letter or a digit"],
    ["a long word", { hints: [{ words: ["x".repeat(81)] }] }, "hints.0.words.0: "],
    ["a weight of 4", { hints: [{ words: ["a"], weight: 4 }] }, "hints.0.weight: must be 1, 2 or 3"],
    [
      "a weight in words",
      { labels: [{ match: { job: ["a"] }, weight: "high" }] },
      "labels.0.weight: must be 1, 2 or 3",
    ],
    ["a rule without a label", { labels: [{ match: {} }] }, "labels.0.match: needs at least one label"],
    ["a label without a value", { labels: [{ match: { job: [] } }] }, "labels.0.match.job: "],
    ["an empty value", { labels: [{ match: { job: [""] } }] }, "labels.0.match.job.0: "],
    ["a label with a space", { labels: [{ match: { "a b": ["x"] } }] }, "labels.0.match.a b: "],
    [
      "the label domain",
      { labels: [{ match: { domain: ["x"] } }] },
      "labels.0.match: must not hold the label `domain`",
    ],
    [
      "a target label with a space",
      { target_labels: ["instance", "a b"] },
      "target_labels.1: must be the name of a label",
    ],
    [
      "a type that is no snake_case",
      { incident_types: [{ name: "OOM", hints: [{ words: ["a"] }] }] },
      "incident_types.0.name: must be lower-case words joined by underscores",
    ],
    ["a type without hints", { incident_types: [{ name: "oom", hints: [] }] }, "incident_types.0.hints: "],
    [
      "a type twice",
      { incident_types: ["a", "a"].map((name) => ({ name, hints: [{ words: ["x"] }] })) },
      "incident_types: must have each name once",
    ],
    [
      "a pattern that backtracks",
      { hints: [{ words: ["a"] }, { pattern: "(a+)+b" }] },
      "hints.1.pattern: repeats the group (a+)+",
    ],
    [
      "such a pattern of a type",
      { incident_types: [{ name: "oom", hints: [{ pattern: "(a" }] }] },
      "incident_types.0.hints.0.pattern: is no regular expression",
    ],
    ["a pattern that is too wide", { hints: [{ pattern: "[a-z]" }] }, "hints.0.pattern: matches ordinary words"],
    ["a long pattern", { hints: [{ pattern: "x".repeat(501) }] }, "hints.0.pattern: "],
    ["a look without a text", { first_looks: [{ command: "uptime" }] }, "first_looks.0.text: "],
    [
      "a look that changes state",
      {
        first_looks: [
          { text: "See.", command: "uptime" },
          { text: "Do.", command: "docker restart web" },
        ],
      },
      "first_looks.1.command: changes state",
    ],
    [
      "a look that changes state in its text",
      { first_looks: [{ text: "Run `docker restart web`." }] },
      "first_looks.0.text: changes state",
    ],
    ["nine looks", { first_looks: Array(9).fill({ text: "See." }) }, "first_looks: "],
    ["a long description", { description: "x".repeat(301) }, "description: "],
    ["a character that cannot be stored", { description: "a\u0000" }, "description: "],
    ["a list", [], ": "],
    ["nothing", null, ": "],
  ])("is refused with %s", (_what, definition, problem) => {
    const problems = problemsOf(definition);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it("reports every problem at once", () => {
    const definition = { description: 1, hints: [{ weight: 2 }], target_labels: ["a b"] };
    expect(problemsOf(definition).map((problem) => problem.split(":")[0])).toEqual([
      "description",
      "hints.0",
      "target_labels.0",
    ]);
  });

  it("is read from the database without another look at its patterns", () => {
    const stored = { hints: [{ pattern: "(a+)+b" }] };
    expect(storedDefinitionSchema.safeParse(stored).success).toBe(true);
  });
});
