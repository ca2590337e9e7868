// LogQL checks: queries that are refused, and the matchers that an alert adds.

import { describe, expect, it } from "vitest";
import { LOG_WINDOW_MS, logql } from "../../../../lib/checks/logql/logql.ts";

const NOW = new Date("2026-03-01T03:00:00Z");
const POD = { alertname: "A", namespace: "shop", pod: "api-0", container: "api" };

const shown = (
  query: string,
  labels: Readonly<Record<string, string>> = POD,
  match: readonly string[] | null = ["pod"],
): string => {
  const prepared = logql.prepare(query, { labels, match, now: NOW });
  return prepared.ok ? prepared.value.shown : `refused: ${prepared.reason}`;
};

describe("validation", () => {
  it.each([
    '{app="a"}',
    '{app=~".+"} |= "error" | json | status >= 500 | line_format "{{.msg}}"',
    '({app="a"} |~ `time.?out`)',
    'sum by (pod) (rate({app="a"} |= "error" [5m])) > 0.1',
    'topk(3, sum by (pod) (count_over_time({app="a"} != "debug" [1h30m])))',
    'quantile_over_time(0.9, {app="a"} | logfmt | unwrap duration [5m]) by (pod)',
    'count_over_time({app="a"}[5m] offset 1h)',
    "vector(1)",
    '# errors\n{app="a"}',
  ])("accepts %s", (query) => {
    expect(logql.validate(query)).toEqual([]);
  });

  it.each([
    ["nothing", "", /empty/],
    ["no selector", '|= "error"', /syntax error/],
    ["an empty selector", "{}", /syntax error/],
    ["an empty value", '{app=""}', /does not accept an empty value/],
    ["any value", '{app=~".*"}', /does not accept/],
    ["any value by an alternative", '{app=~"a|"}', /does not accept/],
    ["exclusions only", '{app!="a",pod!~"b.+"}', /does not accept/],
    ["the second selector", 'rate({app="a"}[1m]) / rate({app=~"a?"}[1m])', /does not accept/],
    ["a text", '"error"', /syntax error/],
    ["an open text", '{app="a', /syntax error/],
    ["two queries", '{app="a"} {app="b"}', /syntax error/],
    ["a range of more than a day", 'count_over_time({app="a"}[25h])', /longer than 24 hours/],
    ["an empty range", 'count_over_time({app="a"}[0s])', /plain duration/],
    ["PromQL", 'http_requests_total{app="a"}', /syntax error/],
    ["an unknown escape", '{app="\\q"}', /invalid escape/],
    ["a long query", `{app="${"b".repeat(4_000)}"}`, /longer than 4000/],
  ])("refuses %s", (_, query, message) => {
    expect(logql.validate(query)[0]?.message).toMatch(message);
    expect(logql.prepare(query, { labels: POD, match: null, now: NOW })).toMatchObject({ ok: false });
  });
});

describe("the labels of an alert", () => {
  it.each([
    ['{app="a"}', '{pod="api-0",app="a"}'],
    ['{ app = "a", b!="c" } |= "pod"', '{pod="api-0", app = "a", b!="c" } |= "pod"'],
    ['rate({app="a"}[1m]) / rate({app="b"}[1m])', 'rate({pod="api-0",app="a"}[1m]) / rate({pod="api-0",app="b"}[1m])'],
    ['{app="a",pod=~"x.+"}', '{app="a",pod=~"x.+"}'],
    ["vector(1)", "vector(1)"],
  ])("scope every selector of %s", (query, expected) => {
    expect(shown(query)).toBe(expected);
  });

  it("scope by a part only where the query keeps it", () => {
    expect(shown('{app="a"}', POD, null)).toBe('{namespace="shop",pod="api-0",container="api",app="a"}');
    expect(shown('sum by (pod) (rate({app="a"}[1m]))', POD, null)).toBe(
      'sum by (pod) (rate({namespace="shop",pod="api-0",app="a"}[1m]))',
    );
    expect(shown('sum without (container) (rate({app="a"}[1m]))', POD, null)).toBe(
      'sum without (container) (rate({namespace="shop",pod="api-0",app="a"}[1m]))',
    );
  });

  it("are named when they are missing", () => {
    expect(shown('{app="a"}', {})).toBe("refused: The alert has no label `pod`.");
    expect(shown('{app="a"}', {}, null)).toMatch(/^refused: The alert has no label that says where/);
  });

  it("become a query of the last half hour", () => {
    expect(logql.prepare('{app="a"}', { labels: POD, match: [], now: NOW })).toEqual({
      ok: true,
      value: {
        query: {
          language: "logql",
          expression: '{app="a"}',
          start: new Date(NOW.getTime() - LOG_WINDOW_MS),
          end: NOW,
        },
        shown: '{app="a"}',
      },
    });
  });
});
