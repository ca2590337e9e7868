import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Condition, mayHold, misfit, parseCondition, readCondition } from "../../../../lib/checks/condition.ts";

function conditionOf(text: string): Condition {
  const read = parseCondition(text);
  if (!read.ok) throw new Error(read.message);
  return read.condition;
}

function messageOf(text: string): string | null {
  const read = parseCondition(text);
  return read.ok ? null : read.message;
}

describe("a condition", () => {
  it.each([
    ["any > 0.9", { quantifier: "any", field: null, operator: ">", value: 0.9 }],
    ["ALL<=3", { quantifier: "all", field: null, operator: "<=", value: 3 }],
    ["any == -1.5", { quantifier: "any", field: null, operator: "=", value: -1.5 }],
    ["count >= 3", { quantifier: "count", operator: ">=", value: 3 }],
    ["any waiting > 5", { quantifier: "any", field: { kind: "name", name: "waiting" }, operator: ">", value: 5 }],
    [
      'any "free space" < 1',
      { quantifier: "any", field: { kind: "name", name: "free space" }, operator: "<", value: 1 },
    ],
    ["all active = false", { quantifier: "all", field: { kind: "name", name: "active" }, operator: "=", value: false }],
    [
      "any state != 'idle'",
      { quantifier: "any", field: { kind: "name", name: "state" }, operator: "!=", value: "idle" },
    ],
    ["any count > 5", { quantifier: "any", field: { kind: "name", name: "count" }, operator: ">", value: 5 }],
  ])("%s", (text, condition) => {
    expect(conditionOf(text)).toEqual(condition);
  });

  it.each([
    ["90%", 0.9],
    ["1e6", 1_000_000],
    ["+.5", 0.5],
    ["2k", 2_000],
    ["3M", 3_000_000],
    ["1.5G", 1.5e9],
    ["512Ki", 524_288],
    ["1 Mi", null],
    ["2Gi", 2_147_483_648],
    ["250ms", 0.25],
    ["30s", 30],
    ["5m", 300],
    ["2h", 7_200],
    ["7d", 604_800],
  ])("has the value %s", (text, value) => {
    expect(parseCondition(`any > ${text}`)).toMatchObject(value === null ? { ok: false } : { condition: { value } });
  });

  it("keeps a path into an object", () => {
    const path = '.status.conditions[type=Ready].items[0]["app.kubernetes.io/name"][*].status';
    expect(conditionOf(`any ${path} = "True"`)).toMatchObject({ field: { kind: "path", text: path }, value: "True" });
  });

  it("ends before its meaning, also if a quoted text has a colon", () => {
    expect(readCondition('any reason = "a: b": it is b')).toMatchObject({
      text: 'any reason = "a: b"',
      rest: ": it is b",
    });
  });

  it.each([
    ["", /begins with "any", "all" or "count"/],
    ["some > 1", /begins with "any", "all" or "count"/],
    ["any", /needs one of/],
    ["any ~ 3", /needs one of/],
    ["any > ", /needs a value/],
    ["any = Running", /Put a text in quotes/],
    ["any > 5 minutes", /remove "minutes"/],
    ["any > 5kb", /unit "kb"/],
    ["any > 1e999", /too large/],
    ['any > "a"', /with = or !=/],
    ["all > true", /with = or !=/],
    ['count = "3"', /compares a count with a number/],
    ["count x > 3", /needs one of/],
    ["any .a[?(@.b)] = 1", /path that cannot be read/],
    ["any .a..b = 1", /path that cannot be read/],
    ["any > NaN", /Put a text in quotes/],
  ])("is refused: %s", (text, message) => {
    expect(messageOf(text)).toMatch(message);
  });

  it("is read or refused with a message, for any text", () => {
    const part = fc.constantFrom(
      "any",
      "all",
      "count",
      " ",
      ".a",
      "[*]",
      "[",
      '"',
      "'",
      ">",
      "=",
      "1",
      "e",
      "%",
      "m",
      ":",
      "x",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(part).map((parts) => parts.join("")),
        ),
        (text) => {
          const read = readCondition(text);
          if (!read.ok) expect(read.message).toMatch(/^the condition .+\.$/su);
          else expect(parseCondition(read.text)).toMatchObject({ ok: true, condition: read.condition, rest: "" });
        },
      ),
    );
  });
});

describe("misfit", () => {
  it.each([
    ["any > 1", "k8s", /path into the object/],
    ['any phase = "Failed"', "k8s", /path into the object/],
    ["any .a = 1", "promql", /only objects have paths/],
    ["any .a = 1", "k8s", null],
    ["any .a = 1", "sql", /only objects have paths/],
    ['any = "x"', "promql", /Name a label/],
    ['any = "x"', "sql", null],
    ["any > 1", "promql", null],
    ["count > 1", "k8s", null],
  ] as const)("of `%s` in %s", (text, language, message) => {
    const read = parseCondition(text);
    const reason = read.ok ? misfit(read.condition, language) : "unread";
    if (message === null) expect(reason).toBeNull();
    else expect(reason).toMatch(message);
  });
});

describe("mayHold", () => {
  it.each(["count < 1", "count = 0", "count <= 0", "count < 0", "count = 1.5", "count <= 0.5"])(
    "is false for %s",
    (text) => {
      expect(mayHold(conditionOf(text))).toBe(false);
    },
  );

  it.each(["count < 2", "count = 1", "count != 0", "count != 1", "count > 100", "count >= 0", "count = 7", "any < 1"])(
    "is true for %s",
    (text) => {
      expect(mayHold(conditionOf(text))).toBe(true);
    },
  );
});
