// The expression of an alert: read from links of several systems, without its threshold, and for its own series.

import { describe, expect, it } from "vitest";
import { alertExpression, isOfAlert } from "../../../../lib/checks/promql/alert-expression.ts";
import { generatorExpression } from "../../../../lib/checks/promql/generator-expression.ts";

const explore = (name: string, state: unknown) =>
  `https://grafana.example/explore?orgId=1&${new URLSearchParams({ [name]: JSON.stringify(state) })}`;
const QUERY = { refId: "A", expr: "up == 0", datasource: { type: "prometheus", uid: "a" } };

describe("generatorExpression", () => {
  it.each([
    [
      "Prometheus",
      "http://p:9090/graph?g0.expr=max_over_time%28x%7Ba%3D%22C%22%7D%5B5m%5D%29+%3E%3D+1&g0.tab=1",
      'max_over_time(x{a="C"}[5m]) >= 1',
    ],
    ["Prometheus below a prefix", "https://x.example/prometheus/query?g0.expr=up&g0.tab=1", "up"],
    ["a server without an address", "/graph?g0.expr=up&g0.tab=1", "up"],
    ["VictoriaMetrics", "https://vm/select/0/prometheus/vmui/#/?g0.expr=a%3E1&g0.range_input=1h", "a>1"],
    ["an expr parameter", "https://vm/vmalert?expr=a%3E1", "a>1"],
    ["Explore", explore("panes", { abc: { datasource: "a", queries: [QUERY], range: {} } }), "up == 0"],
    ["older Explore", explore("left", { datasource: "a", queries: [QUERY] }), "up == 0"],
    ["the oldest Explore", explore("left", ["now-1h", "now", "metrics", { expr: "up == 0" }]), "up == 0"],
    ["Explore with the logs first", explore("left", [{ expr: "", datasource: "x" }, QUERY]), "up == 0"],
  ])("reads the link of %s", (_, link, expression) => {
    expect(generatorExpression(link)).toBe(expression);
  });

  it.each([
    undefined,
    null,
    "",
    "https://grafana.example/alerting/grafana/abc/view?orgId=1",
    "https://x.example/graph",
  ])("reads nothing from %s", (link) => {
    expect(generatorExpression(link)).toBeNull();
  });
});

describe("alertExpression", () => {
  it.each([
    ["x > 0.9", "x"],
    ["0.9 < x", "x"],
    ["x > bool 0.9", "x"],
    ["(x > 0.9) and on (instance) y == 1", "x"],
    ["x > 0.9 unless y", "x"],
    ["x > y", "x"],
    ["((x > 1))", "x"],
    ["x > 1 or y > 2", "x or y"],
    ["x > 1 or # c\ny > 2", "x or # c\ny"],
    ["absent(up{job='a'})", "up{job='a'}"],
    ["absent(up{job='a'}) == 1", "up{job='a'}"],
    ["(a - b) * 100 > 5", "(a - b) * 100"],
    ["sum(rate(x[5m])) / sum(rate(y[5m])) > 0.1", "sum(rate(x[5m])) / sum(rate(y[5m]))"],
    ["sum(x > 1)", "sum(x > 1)"],
    ["x", "x"],
  ])("shows the measured value of %s", (expression, expected) => {
    expect(alertExpression(expression, {})).toBe(expected);
  });

  it.each([
    ["x", 'x{pod=~"p|",team=~"t|"}'],
    ['x{pod="a"}', 'x{team=~"t|",pod="a"}'],
    ["sum by (pod) (x)", 'sum by (pod) (x{pod=~"p|"})'],
    ["sum without (pod) (x)", 'sum without (pod) (x{team=~"t|"})'],
    ["sum(x)", "sum(x)"],
    ["topk(3, x)", "topk(3, x)"],
    ["topk by (pod) (3, x)", 'topk by (pod) (3, x{pod=~"p|"})'],
    ["a / on (pod) b", 'a{pod=~"p|"} / on (pod) b{pod=~"p|"}'],
    ["a * on (pod) group_left (team) b", 'a{pod=~"p|"} * on (pod) group_left (team) b{pod=~"p|"}'],
    ["a * on (node) group_left b", 'a{pod=~"p|",team=~"t|"} * on (node) group_left b'],
    ["a * on (node) group_right b", 'a * on (node) group_right b{pod=~"p|",team=~"t|"}'],
    ["a / ignoring (pod) b", 'a{team=~"t|"} / ignoring (pod) b{team=~"t|"}'],
    ["a and on (pod) b", 'a{pod=~"p|",team=~"t|"}'],
    ["label_replace(x, 'pod', '$1', 'y', '(.+)')", "label_replace(x{team=~\"t|\"}, 'pod', '$1', 'y', '(.+)')"],
    ["x + scalar(y)", 'x{pod=~"p|",team=~"t|"} + scalar(y)'],
    ["rate(x[5m] offset 1h)", 'rate(x{pod=~"p|",team=~"t|"}[5m] offset 1h)'],
  ])("selects the series of the alert in %s", (expression, expected) => {
    expect(alertExpression(expression, { alertname: "A", severity: "high", pod: "p", team: "t" })).toBe(expected);
  });
});

describe("isOfAlert", () => {
  it.each([
    [{ __name__: "x", pod: "a" }, true],
    [{ pod: "b" }, false],
    [{ node: "c" }, true],
    [{ pod: "a", severity: "low" }, true],
    [{}, true],
  ])("of %j is %s", (series, expected) => {
    expect(isOfAlert(series, { pod: "a", severity: "high" })).toBe(expected);
  });
});
