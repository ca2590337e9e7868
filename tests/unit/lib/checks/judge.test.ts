import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CheckRule } from "../../../../lib/checks/check.ts";
import { judge } from "../../../../lib/checks/judge.ts";
import type { Cell, QueryResult } from "../../../../lib/checks/scope/query.ts";

const rule = (condition: string | null, meaning: string): CheckRule | null =>
  condition === null ? null : { condition, meaning };

function check(confirms: string | null, refutes: string | null = null, otherwise: string | null = null) {
  return { confirms: rule(confirms, "it is so"), refutes: rule(refutes, "it is not so"), otherwise };
}

/** One series for each value. */
function series(...values: number[]): QueryResult {
  return {
    kind: "series",
    series: values.map((value, i) => ({
      labels: { __name__: "used", job: "pg", instance: `db-${i + 1}` },
      points: [[0, value]],
    })),
  };
}

const rows = (columns: string[], ...cells: Cell[][]): QueryResult => ({ kind: "rows", columns, rows: cells });
const objects = (...all: unknown[]): QueryResult => ({ kind: "objects", objects: all });
const lines = (count: number, labels = {}): QueryResult => ({
  kind: "lines",
  lines: Array.from({ length: count }, () => ({ time: new Date(0), labels, text: "error" })),
});
const pod = (name: string, status: unknown) => ({ kind: "Pod", metadata: { name, namespace: "shop" }, status });

describe("a value", () => {
  it("that satisfies a rule decides, with its labels", () => {
    expect(judge(check("any > 0.9", "all < 0.7"), series(0.5, 0.97, 0.95))).toEqual({
      verdict: "confirmed",
      statement: "it is so",
      rule: "any > 0.9",
      value: "0.97 (instance=db-2, job=pg)",
    });
    expect(judge(check("any > 0.9", "all < 0.7"), series(0.5, 0.69))).toEqual({
      verdict: "refuted",
      statement: "it is not so",
      rule: "all < 0.7",
      value: "0.69 (instance=db-2, job=pg)",
    });
  });

  it("between the rules is inconclusive, with the author's words and the value", () => {
    expect(judge(check("any > 0.9", "all < 0.7", "look again"), series(0.8))).toEqual({
      verdict: "inconclusive",
      statement: "look again. Neither rule holds: 0.8 (job=pg, instance=db-1).",
      rule: null,
      value: "0.8 (job=pg, instance=db-1)",
    });
  });

  it("that satisfies both rules is inconclusive", () => {
    expect(judge(check("any > 0.5", "any < 0.6"), series(0.55))).toMatchObject({
      verdict: "inconclusive",
      statement: expect.stringMatching(/^Both rules hold: 0\.55/),
      rule: null,
    });
  });

  it("is the newest of a series", () => {
    const result: QueryResult = {
      kind: "series",
      series: [
        {
          labels: {},
          points: [
            [0, 1],
            [1, 0],
          ],
        },
      ],
    };
    expect(judge(check("any > 0.5", "all < 0.5"), result)).toMatchObject({ verdict: "refuted", value: "0" });
  });

  it("has 4 digits, and more if it would seem to be on the other side", () => {
    expect(judge(check("any > 0.9"), series(0.123456)).value).toMatch(/^0\.1235 /);
    expect(judge(check("any > 0.9"), series(0.900004)).value).toMatch(/^0\.900004 /);
  });

  it("has at most three labels, one line and 200 characters", () => {
    const labels = { a: `x${"y".repeat(300)}`, b: 'multi\nline"} or vector(1)', c: "3", d: "4" };
    const { value } = judge(check("any > 0"), { kind: "series", series: [{ labels, points: [[0, 1]] }] });
    expect(value).toMatch(/^1 \(a=xy{78}…, b=multi line"\} or vector\(1\), c=3\)$/);
    expect(value?.length).toBeLessThanOrEqual(200);
  });
});

describe("a result without a usable value", () => {
  const results: [string, QueryResult][] = [
    ["no series", series()],
    ["no line", lines(0)],
    ["no row", rows(["value"])],
    ["no object", objects()],
    ["NaN", series(Number.NaN)],
    ["infinite values", series(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)],
    ["a series without points", { kind: "series", series: [{ labels: {}, points: [] }] }],
    ["null", rows(["value"], [null])],
    ["text", rows(["value"], ["many"])],
    ["objects without a value", objects({ kind: "Pod" })],
    ["too much", { kind: "too_large", size: "412 series", hint: "Use topk(20, …)." }],
  ];
  const conditions = fc.oneof(
    fc
      .tuple(
        fc.constantFrom("any", "all"),
        fc.constantFrom(">", ">=", "<", "<=", "=", "!="),
        fc.integer({ min: -3, max: 3 }),
      )
      .map((parts) => parts.join(" ")),
    fc.constantFrom(
      "any .a = 1",
      'all .a != "x"',
      "any x = true",
      'all x != "y"',
      "unreadable",
      "all .a < 1",
      "any x > 0",
    ),
  );
  const counts = fc
    .tuple(fc.constant("count"), fc.constantFrom(">", ">=", "<", "<=", "=", "!="), fc.integer({ min: -1, max: 5 }))
    .map((parts) => parts.join(" "));

  it.each(results)("is inconclusive for every condition: %s", (_name, result) => {
    const isEmpty =
      !("rows" in result && result.rows.length > 0) && !("objects" in result && result.objects.length > 0);
    const all = isEmpty ? fc.oneof(conditions, counts) : conditions;
    fc.assert(
      fc.property(fc.option(all), fc.option(all), (confirms, refutes) => {
        const { verdict, rule: holding, statement } = judge(check(confirms, refutes), result);
        expect([verdict, holding]).toEqual(["inconclusive", null]);
        expect(statement).toMatch(/\S/);
      }),
    );
  });

  it("says why", () => {
    const statement = (result: QueryResult, condition = "any > 1") => judge(check(condition), result).statement;
    expect(statement(series())).toBe("The query returned no data.");
    expect(statement(series(Number.NaN))).toBe("The value is no finite number: NaN (job=pg, instance=db-1).");
    expect(statement({ kind: "too_large", size: "412 series", hint: "Use topk." })).toBe(
      "The result is too large (412 series): Use topk.",
    );
    expect(statement(rows(["a"], [1]), "any b > 1")).toBe('The result has no column "b".');
    expect(statement(rows(["a", "b"], [1, 2]))).toMatch(/several columns of numbers/);
    expect(statement(rows(["a", "b"], ["x", "y"]))).toMatch(/no column of numbers/);
    expect(statement(lines(3))).toMatch(/only `count` fits/);
    expect(statement(objects({ a: { b: 1 } }), "any .a = 1")).toMatch(/not a plain value/);
    expect(statement(objects({ a: 1 }), "any .b = 1")).toBe("No object has `.b`.");
    expect(statement(series(1), 'any pod = "x"')).toBe('The result has no label "pod".');
    expect(statement(rows(["a"], [1]), 'any a = "x"')).toBe("The value is no text: 1.");
    expect(statement(rows(["a"], ["maybe"]), "any a = true")).toBe("The value is no truth value: maybe.");
    expect(statement(rows(["a"], [1]), "any a = true")).toBe("The value is no truth value: 1.");
    expect(statement(series(Number.NEGATIVE_INFINITY))).toMatch(/^The value is no finite number: -Inf/);
  });
});

describe("any and all", () => {
  const finite = fc.double({ min: -10, max: 10, noNaN: true });
  const value = fc.oneof(
    { weight: 4, arbitrary: finite },
    { weight: 1, arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY) },
  );

  it("quantify over the usable values", () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 6 }), fc.integer({ min: -5, max: 5 }), (values, limit) => {
        const usable = values.filter(Number.isFinite);
        const confirmed = (condition: string) => judge(check(condition), series(...values)).verdict === "confirmed";
        expect(confirmed(`any > ${limit}`)).toBe(usable.some((each) => each > limit));
        expect(confirmed(`all <= ${limit}`)).toBe(
          usable.length === values.length && usable.every((each) => each <= limit),
        );
      }),
    );
  });

  it("never confirm and refute the same, in whichever order the values come", () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 6 }), (values) => {
        const verdicts = [values, values.toReversed()].map(
          (each) => judge(check("any > 2", "all < 1"), series(...each)).verdict,
        );
        expect(new Set(verdicts).size).toBe(1);
      }),
    );
  });

  it("do not hold for all if an object, row or series has no value", () => {
    const all = check(null, 'all .status.reason != "Killed"');
    expect(judge(all, objects(pod("a", { reason: "Done" }), pod("b", {}))).verdict).toBe("inconclusive");
    expect(judge(all, objects(pod("a", { reason: "Done" }), pod("b", { reason: "Error" }))).verdict).toBe("refuted");
    expect(judge(check(null, "all < 5"), rows(["value"], [1], [null])).verdict).toBe("inconclusive");
  });
});

describe("count", () => {
  it.each([
    [series(1, 2, 3), "3 series"],
    [lines(3), "3 log lines"],
    [rows(["a"], ["x"], ["y"], ["z"]), "3 rows"],
    [objects({}, {}, {}), "3 objects"],
  ])("counts what a query returns", (result, value) => {
    expect(judge(check("count >= 3"), result)).toMatchObject({ verdict: "confirmed", value });
    expect(judge(check("count > 3"), result)).toMatchObject({ verdict: "inconclusive", value });
  });

  it("says nothing of series with values that are no numbers", () => {
    expect(judge(check("count > 1", "count < 9"), series(1, 2, Number.NaN)).verdict).toBe("inconclusive");
  });
});

describe("a field", () => {
  it("is a column; without one, the column `value` or the only one of numbers", () => {
    const table = rows(["state", "waiting", "active"], ["idle", 7, true], ["run", 2, false]);
    expect(judge(check("any waiting > 5"), table)).toMatchObject({
      verdict: "confirmed",
      value: "7 (state=idle, active=true)",
    });
    expect(judge(check("any > 5"), table).verdict).toBe("confirmed");
    expect(judge(check("any active = false"), table).verdict).toBe("confirmed");
    expect(judge(check("all state != 'idle'"), table).verdict).toBe("inconclusive");
    expect(judge(check("any > 5"), rows(["a", "value"], [9, 1])).verdict).toBe("inconclusive");
  });

  it("may be a number or a truth value that a source returns as text", () => {
    expect(judge(check("any > 5"), rows(["value"], ["9007199254740993"])).verdict).toBe("confirmed");
    expect(judge(check("any > 5"), rows(["value"], ["0x10"])).verdict).toBe("inconclusive");
    const labelled: QueryResult = {
      kind: "series",
      series: [{ labels: { ready: "True", code: "500" }, points: [[0, 1]] }],
    };
    expect(judge(check("any ready = true"), labelled).verdict).toBe("confirmed");
    expect(judge(check("any code >= 500"), labelled).verdict).toBe("confirmed");
    expect(judge(check("any ready = false"), rows(["ready"], ["FALSE"])).verdict).toBe("confirmed");
  });

  it("is a path into objects", () => {
    const status = {
      conditions: [
        { type: "Initialized", status: "True" },
        { type: "Ready", status: "False" },
      ],
      containerStatuses: [
        { name: "app", restartCount: 7, lastState: { terminated: { reason: "OOMKilled" } } },
        { name: "proxy", restartCount: 0, lastState: {} },
      ],
    };
    const result = objects({ ...pod("checkout-1", status), spec: { memory: "512Mi", cpu: "250m" } });
    const verdictOf = (condition: string) => judge(check(condition), result).verdict;
    expect(
      judge(check('any .status.containerStatuses[*].lastState.terminated.reason = "OOMKilled"'), result),
    ).toMatchObject({
      verdict: "confirmed",
      value: "OOMKilled (Pod=checkout-1, namespace=shop)",
    });
    expect(verdictOf('all .status.conditions[type=Ready].status = "False"')).toBe("confirmed");
    expect(verdictOf("any .status.containerStatuses[*].restartCount > 5")).toBe("confirmed");
    expect(verdictOf("any .status.containerStatuses[1].restartCount > 5")).toBe("inconclusive");
    expect(verdictOf("any .spec.memory <= 512Mi")).toBe("confirmed");
    expect(verdictOf("any .spec.cpu = 0.25")).toBe("confirmed");
    expect(verdictOf('any .constructor.name = "Object"')).toBe("inconclusive");
  });

  it("is a label of series and log lines", () => {
    expect(judge(check('any level = "fatal"'), lines(2, { level: "fatal" }))).toMatchObject({
      verdict: "confirmed",
      value: "fatal",
    });
  });
});
