// PromQL checks: queries that are refused, with their line, and the matchers that an alert adds.

import { describe, expect, it } from "vitest";
import { promql } from "../../../../lib/checks/promql/promql.ts";

const NOW = new Date("2026-03-01T03:00:00Z");
const POD = { alertname: "A", namespace: "shop", pod: "api-0" };

const shown = (
  query: string,
  labels: Readonly<Record<string, string>> = POD,
  match: readonly string[] | null = null,
): string => {
  const prepared = promql.prepare(query, { labels, match, now: NOW });
  return prepared.ok ? prepared.value.shown : `refused: ${prepared.reason}`;
};

describe("validation", () => {
  it.each([
    "up",
    "sum by (instance) (pg_stat_activity_count) / max by (instance) (pg_settings_max_connections)",
    "histogram_quantile(0.99, sum by (le) (rate(http_seconds_bucket[5m]))) > 0.5",
    "max_over_time(rate(x[5m])[1h:1m])",
    "max_over_time((x > 0)[1h:])",
    "x @ end() offset -5m",
    "rate(x[5m] offset 1h)",
    "a / on (pod) group_left (node) b",
    "count_values('version', build_info)",
    "topk(5, x) or vector(0)",
    "absent(up{job='a'})",
    "time() - x",
    "1 + 1",
    "vector(1)",
    '{job="a"}',
    '{__name__=~"http_.+"}',
    '{__name__="up"}',
    '{"http.requests", "service.name"="a"}',
    '{job=~".*api.*"}',
    "{job=~`a|b`}",
    "predict_linear(x[1h], 3600) < 0",
    "quantile_over_time(0.9, x[5m])",
    "x # {",
    "-x ^ 2",
    "label_replace(x, 'a', '$1', 'b', '(.*)')",
    "x{a='\\x41\\u00e4\\n'}",
  ])("accepts %s", (query) => {
    expect(promql.validate(query)).toEqual([]);
  });

  it.each([
    ["nothing", "  ", /empty/],
    ["a syntax error", "sum(", /syntax error at its end/],
    ["a syntax error in the middle", "x{a=b}", /syntax error/],
    ["an unknown function", "foo(x)", /syntax error at `\(x\)`/],
    ["words", "is the disk full", /syntax error/],
    ["a selector without a matcher", "{}", /neither a metric name nor/],
    ["a selector by an empty value", '{a=""}', /neither/],
    ["any name", '{__name__=~".+"}', /neither/],
    ["any name, otherwise", '{__name__=~"[a-z]+.*"}', /neither/],
    ["any name, in a group", '{__name__=~"(foo)?.*"}', /neither/],
    ["any name by an alternative", '{__name__=~"foo|.*"}', /neither/],
    ["any name by a repetition", '{__name__=~"f{0,9}.+"}', /neither/],
    ["any name by a class", '{__name__=~"\\\\w+"}', /neither/],
    ["any name by exclusion", '{__name__!="up"}', /neither/],
    ["the presence of a label", '{job!=""}', /neither/],
    ["the second selector", "x / {}", /neither/],
    ["a selector in a subquery", "max_over_time({}[1h:1m])", /neither/],
    ["a range", "x[5m]", /returns a range/],
    ["a range in parentheses", "(x[5m])", /returns a range/],
    ["a subquery", "x[1h:1m]", /returns a range/],
    ["a text", '"x"', /is a text/],
    ["a function that needs a range", "sum(rate(http_requests_total))", /`rate` needs a range/],
    ["a function that takes none", "abs(x[5m])", /`abs` takes no range/],
    ["an aggregation of a range", "sum(x[5m])", /A range of values needs a function/],
    ["a comparison of a range", "x[5m] > 1", /A range of values needs a function/],
    ["a range of an expression", "rate((a + b)[5m])", /write a subquery/],
    ["an aggregation of a number", "sum(1)", /needs a vector/],
    ["a range of more than 31 days", "rate(x[1y])", /longer than 31 days/],
    ["a subquery of too many steps", "max_over_time(x[30d:1s])", /2592000 times/],
    ["subqueries in each other", "max_over_time(max_over_time(x[1h:1s])[1h:1s])", /12960000 times/],
    ["a range that no text shows", "rate(x[5m * step()])", /plain duration/],
    ["an open text", 'x{a="b', /syntax error/],
    ["an unknown escape", 'x{a="\\q"}', /invalid escape/],
    ["a text over two lines", 'x{a="b\nc"}', /syntax error|invalid/],
    ["a long query", `x{a="${"b".repeat(4_000)}"}`, /longer than 4000/],
  ])("refuses %s", (_, query, message) => {
    expect(promql.validate(query)[0]?.message).toMatch(message);
    expect(promql.prepare(query, { labels: POD, match: null, now: NOW })).toMatchObject({ ok: false });
  });

  it("names the line of each problem", () => {
    expect(promql.validate("sum(\n  rate(x)\n  / {}\n)").map(({ line }) => line)).toEqual([3, 2]);
    expect(promql.validate("sum(\n  x{a=b}\n)")).toMatchObject([{ line: 2 }]);
  });
});

describe("the labels of an alert", () => {
  it.each([
    ["x", 'x{namespace="shop",pod="api-0"}'],
    ["x{}", 'x{namespace="shop",pod="api-0"}'],
    ['x{a="b"}', 'x{namespace="shop",pod="api-0",a="b"}'],
    ['x{a="b",}', 'x{namespace="shop",pod="api-0",a="b",}'],
    ['x{ # } "\n a="b"}', 'x{namespace="shop",pod="api-0", # } "\n a="b"}'],
    ['{"x", a="b"}', '{namespace="shop",pod="api-0","x", a="b"}'],
    ["rate(x[5m] offset 1h)", 'rate(x{namespace="shop",pod="api-0"}[5m] offset 1h)'],
    ["max_over_time(x[1h:1m])", 'max_over_time(x{namespace="shop",pod="api-0"}[1h:1m])'],
    ["x @ start()", 'x{namespace="shop",pod="api-0"} @ start()'],
    ["a / on (pod) b", 'a{namespace="shop",pod="api-0"} / on (pod) b{namespace="shop",pod="api-0"}'],
    ["sum by (pod) (x) or vector(0)", 'sum by (pod) (x{namespace="shop",pod="api-0"}) or vector(0)'],
    ["info(x, {version=~'1.+'})", 'info(x{namespace="shop",pod="api-0"}, {version=~\'1.+\'})'],
  ])("scope every selector of %s", (query, expected) => {
    expect(shown(query)).toBe(expected);
  });

  it("leave the author's matcher on the same label alone", () => {
    expect(shown('x{pod=~".*"} / y{"namespace"="b"}')).toBe(
      'x{namespace="shop",pod=~".*"} / y{pod="api-0","namespace"="b"}',
    );
  });

  it("are not needed where nothing is selected", () => {
    expect(shown("vector(1) + time()", {})).toBe("vector(1) + time()");
  });

  it("become the query at the time of the check", () => {
    expect(promql.prepare("x", { labels: POD, match: ["pod"], now: NOW })).toEqual({
      ok: true,
      value: {
        query: { language: "promql", expression: 'x{pod="api-0"}', at: NOW },
        shown: 'x{pod="api-0"}',
      },
    });
  });
});

describe("the default scope", () => {
  it("leaves out labels that name the exporter beside an object", () => {
    const exporter = { instance: "10.0.0.1:8080", job: "object-metrics", service: "object-metrics", endpoint: "http" };
    expect(shown("x", { ...POD, ...exporter })).toBe('x{namespace="shop",pod="api-0"}');
    expect(shown("x", exporter)).toBe(
      'x{instance="10.0.0.1:8080",job="object-metrics",service=~"object-metrics|",endpoint="http"}',
    );
  });

  it("keeps the name of an instance beside the pod of its exporter", () => {
    expect(shown("x", { ...POD, instance: "cache-1:6379" })).toBe(
      'x{namespace="shop",pod="api-0",instance="cache-1:6379"}',
    );
  });

  it("accepts series without the labels that rules and servers add to alerts", () => {
    expect(shown("x", { instance: "a", cluster: "p.1", service: "pay" })).toBe(
      'x{instance="a",service=~"pay|",cluster=~"p\\\\.1|"}',
    );
    expect(shown("x", { cluster: "p.1", service: "pay" })).toBe('x{service="pay",cluster=~"p\\\\.1|"}');
    expect(shown("x", { cluster: "p.1" })).toBe('x{cluster="p.1"}');
  });

  it("uses a part only where the query keeps it", () => {
    const labels = { instance: "db-1", datname: "orders" };
    expect(shown("x", labels)).toBe('x{instance="db-1",datname="orders"}');
    expect(shown("sum by (instance) (x) / max without (datname) (y)", labels)).toBe(
      'sum by (instance) (x{instance="db-1"}) / max without (datname) (y{instance="db-1"})',
    );
    expect(shown("topk by (instance) (3, x)", labels)).toBe(
      'topk by (instance) (3, x{instance="db-1",datname="orders"})',
    );
    expect(shown("sum by (datname) (x)", labels)).toBe('sum by (datname) (x{instance="db-1",datname="orders"})');
    expect(shown("sum by (instance) (x)", { datname: "orders" })).toBe('sum by (instance) (x{datname="orders"})');
  });

  it("needs a label that says where", () => {
    for (const labels of [{}, { alertname: "A", severity: "critical" }, { pod: "" }])
      expect(shown("x", labels)).toMatch(/^refused: The alert has no label that says where to look/);
  });
});

describe("an explicit scope", () => {
  it("has exactly its labels", () => {
    expect(shown("x", { ...POD, team: "a" }, ["team", "pod"])).toBe('x{team="a",pod="api-0"}');
    expect(shown("x", POD, ["pod", "pod"])).toBe('x{pod="api-0"}');
  });

  it("writes names of Prometheus 3 in quotes, and leaves the author's matcher on them alone", () => {
    const labels = { "k8s.pod.name": 'a"b', größe: "3" };
    expect(shown("x", labels, ["k8s.pod.name", "größe"])).toBe('x{"k8s.pod.name"="a\\"b","größe"="3"}');
    expect(shown('{"http.requests", "k8s.pod.name"="c"}', labels, ["k8s.pod.name"])).toBe(
      '{"http.requests", "k8s.pod.name"="c"}',
    );
  });

  it("leaves out an optional label that is missing", () => {
    expect(shown("x", POD, ["pod", "container?"])).toBe('x{pod="api-0"}');
  });

  it.each<[string, readonly string[], string]>([
    ["a missing label", ["pod", "node"], "The alert has no label `node`."],
    ["only missing optional ones", ["node?", "zone?"], "The alert has none of the labels node, zone."],
    ["an inherited property", ["constructor"], "The alert has no label `constructor`."],
    ["a name that cannot be written", ["a\nb"], "`a\nb` cannot scope a query: use letters, digits and underscores."],
    ["a reserved name", ["__name__"], "`__name__` cannot scope a query: use letters, digits and underscores."],
  ])("is refused with %s", (_, match, reason) => {
    expect(shown("x", POD, match)).toBe(`refused: ${reason}`);
  });

  it("may be empty", () => {
    expect(shown("x", {}, [])).toBe("x");
  });
});
