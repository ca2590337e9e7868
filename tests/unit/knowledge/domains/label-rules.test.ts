import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createLabelRule,
  describeRule,
  type Labels,
  matchingRules,
  shownValue,
  withoutExporter,
} from "../../../../functions/knowledge/domains/label-rules.ts";

const rule = (name: string, match: Readonly<Record<string, string[]>>, weight: 1 | 2 | 3 = 3) =>
  createLabelRule(name, { match, weight });
const namesOf = (rules: ReturnType<typeof rule>[], labels: Labels) =>
  matchingRules(rules, labels).map(({ name }) => name);
const accepts = (pattern: string, value: string) =>
  namesOf([rule("it", { job: [pattern] })], { job: value }).length > 0;

describe("a value of a label rule", () => {
  it.each([
    ["redis", "redis"],
    ["redis", "REDIS"],
    ["*redis*", "my-redis-7"],
    ["*redis*", "redis"],
    ["pg-*", "pg-main"],
    ["*-pg", "orders-pg"],
    ["a*b*c", "a-b-b-c"],
    ["a*b*c", "abc"],
    ["*", "anything"],
    ["a.b", "a.b"],
  ])("%j matches %j", (pattern, value) => {
    expect(accepts(pattern, value)).toBe(true);
  });

  it.each([
    ["redis", "redis-7"],
    ["pg-*", "jpg-main"],
    ["*-pg", "pg"],
    ["a*b*c", "acb"],
    ["ab*bc", "abc"],
    ["a.b", "axb"],
    ["*", ""],
    ["redis", " redis"],
  ])("%j does not match %j", (pattern, value) => {
    expect(accepts(pattern, value)).toBe(false);
  });

  it("matches as a regular expression with .* for each star does", () => {
    const unit = fc.constantFrom("a", "b", "*", ".");
    const text = fc.string({ unit: fc.constantFrom("a", "b", "."), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.string({ unit, minLength: 1, maxLength: 6 }), text, (pattern, value) => {
        const source = pattern
          .split("*")
          .map((part) => RegExp.escape(part))
          .join(".*");
        expect(accepts(pattern, value)).toBe(new RegExp(`^${source}$`).test(value));
      }),
    );
  });
});

describe("a label rule", () => {
  it("needs every label that it names", () => {
    const both = [rule("it", { namespace: ["*"], deployment: ["*"] })];
    expect(namesOf(both, { namespace: "shop", deployment: "web" })).toEqual(["it"]);
    expect(namesOf(both, { namespace: "shop" })).toEqual([]);
    expect(namesOf(both, { namespace: "shop", deployment: "" })).toEqual([]);
  });

  it("compares names of labels exactly", () => {
    expect(namesOf([rule("it", { job: ["redis"] })], { Job: "redis" })).toEqual([]);
    for (const values of [["*"], ["a*"]]) expect(namesOf([rule("it", { constructor: values })], {})).toEqual([]);
  });

  it("decides before lighter rules, at equal weights before less precise ones, and then by name", () => {
    const labels = { job: "redis", pod: "redis-0" };
    expect(
      namesOf(
        [
          rule("z-any", { pod: ["*"] }),
          rule("glob", { job: ["*redis*"] }),
          rule("literal", { job: ["redis"] }),
          rule("light", { job: ["redis"], pod: ["redis-0"] }, 1),
          rule("a-any", { pod: ["*"] }),
        ],
        labels,
      ),
    ).toEqual(["literal", "glob", "a-any", "z-any", "light"]);
  });

  it("decides by its best label before the number of its labels, and labels with any value do not count", () => {
    const labels = { job: "redis", pod: "redis-0", alertname: "Down", team: "shop" };
    const two = rule("a-two", { job: ["redis*"], pod: ["redis*"] });
    const best = rule("best", { team: ["shop"] });
    const more = rule("more", { team: ["shop"], job: ["redis*"] });
    const any = rule("z-any", { team: ["shop"], pod: ["*"], alertname: ["*"] });
    expect(namesOf([any, two, best, more], labels)).toEqual(["more", "best", "z-any", "a-two"]);
  });

  it("is described by its labels, with the value where it counts", () => {
    const labels = { job: "kubelet", namespace: "shop", deployment: "web" };
    expect(describeRule(rule("it", { job: ["kube*"] }), labels)).toBe("label job=kubelet");
    expect(describeRule(rule("it", { namespace: ["*"], deployment: ["*"] }), labels)).toBe(
      "labels namespace and deployment",
    );
  });

  it("is described with at most 60 characters of a value", () => {
    const labels = { job: "🐳".repeat(100) };
    expect(describeRule(rule("it", { job: ["🐳*"] }), labels)).toBe(`label job=${"🐳".repeat(60)}`);
    expect(shownValue("abc")).toBe("abc");
  });
});

describe("labels that name the exporter", () => {
  it.each<[Labels, Labels]>([
    [{ job: "redis-exporter", pod: "redis-exporter-x2x4z", instance: "10.0.0.7:9121" }, { instance: "10.0.0.7:9121" }],
    [
      { job: "kube-state-metrics", service: "kube-state-metrics", namespace: "shop", pod: "web-1" },
      { namespace: "shop", pod: "web-1" },
    ],
    [{ job: "monitoring/node-exporter", pod: "prometheus-node-exporter-7", node: "w3" }, { node: "w3" }],
    [{ container: "postgres-exporter", datname: "orders" }, { datname: "orders" }],
  ])("are left out of %j", (labels, others) => {
    expect(withoutExporter(labels)).toEqual(others);
  });

  it.each<Labels>([
    {},
    { job: "redis", pod: "redis-0" },
    { pod: "node-exporter-7", container: "node", job: "kubelet" },
    { job: "metricsd", pod: "metricsd-0" },
  ])("are none in %j", (labels) => {
    expect(withoutExporter(labels)).toEqual(labels);
  });

  it("do not include the pod of another exporter: an alert about that pod is about it", () => {
    const labels = { job: "kube-state-metrics", pod: "redis-exporter-x2x4z" };
    expect(withoutExporter(labels)).toEqual({ pod: "redis-exporter-x2x4z" });
  });

  it("fulfil a rule by their value, but not a rule for any value", () => {
    const rules = [rule("workloads", { pod: ["*"] }), rule("caches", { job: ["*redis*"] })];
    expect(namesOf(rules, { job: "redis-exporter", pod: "redis-exporter-1" })).toEqual(["caches"]);
    expect(namesOf(rules, { job: "redis-exporter", pod: "web-1" })).toEqual(["caches", "workloads"]);
  });
});
