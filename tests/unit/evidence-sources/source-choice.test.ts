import { describe, expect, it } from "vitest";
import { chooseSource, type SourceRequest } from "../../../functions/evidence-sources/source-choice.ts";
import { sampleSource } from "./samples.ts";

const everywhere = sampleSource({ name: "everywhere" });
const prod = sampleSource({ name: "prod", labels: { cluster: ["prod", "prod-2"] } });
const prodEu = sampleSource({ name: "prod-eu", labels: { cluster: ["prod"], region: ["eu"] } });
const orders = sampleSource({ name: "orders", domains: ["orders"] });
const logs = sampleSource({ name: "logs", kind: "loki" });

/** The name of the chosen source, else the state with the names. */
function choose(sources: readonly ReturnType<typeof sampleSource>[], request: Partial<SourceRequest> = {}) {
  const choice = chooseSource(sources, { language: "promql", labels: {}, domain: "general", ...request });
  if (choice.state === "chosen") return choice.source.name;
  return choice.state === "ambiguous" ? choice.names : choice.state;
}

describe("the source of a check", () => {
  it("is the one of its language", () => {
    expect(choose([logs, everywhere])).toBe("everywhere");
    expect(choose([logs, everywhere], { language: "logql" })).toBe("logs");
  });

  it("is none where no source has the language, or none serves the labels", () => {
    const labels = { cluster: "test" };
    expect(chooseSource([], { language: "sql", labels, domain: "general" })).toEqual({
      ...{ state: "none", isConfigured: false, reason: "No source of evidence answers sql queries." },
    });
    expect(chooseSource([prod], { language: "promql", labels, domain: "general" })).toMatchObject({
      ...{
        state: "none",
        isConfigured: true,
        reason: "No source for promql serves the labels and the domain of the incident.",
      },
    });
  });

  it("has all of its labels in the alert", () => {
    expect(choose([prodEu], { labels: { cluster: "prod" } })).toBe("none");
    expect(choose([prodEu], { labels: { cluster: "prod", region: "eu" } })).toBe("prod-eu");
    expect(choose([prod], { labels: { cluster: "prod-2", pod: "a" } })).toBe("prod");
    expect(choose([prod], { labels: {} })).toBe("none");
  });

  it("is not chosen by a label that every object inherits", () => {
    expect(choose([sampleSource({ labels: { constructor: ["x"] } })])).toBe("none");
  });

  it("names the domain of the incident, or none", () => {
    expect(choose([orders], { domain: "orders" })).toBe("orders");
    expect(choose([orders], { domain: "payments" })).toBe("none");
  });

  it("is the most specific: more labels first, then a named domain", () => {
    const labels = { cluster: "prod", region: "eu" };
    const all = [everywhere, orders, prod, prodEu];
    expect(choose(all, { labels, domain: "orders" })).toBe("prod-eu");
    expect(choose(all, { labels: { cluster: "prod" }, domain: "orders" })).toBe("prod");
    expect(choose(all, { domain: "orders" })).toBe("orders");
    expect(choose(all, { domain: "payments" })).toBe("everywhere");
  });

  it("has a label if it is one of several servers for SQL", () => {
    const [one, other] = [
      sampleSource({ name: "one", kind: "postgres" }),
      sampleSource({ name: "other", kind: "postgres" }),
    ];
    const named = { ...other, labels: { datname: ["orders"] } };
    expect(choose([one], { language: "sql" })).toBe("one");
    expect(choose([one, named], { language: "sql", labels: { datname: "orders" } })).toBe("other");
    const request = { language: "sql", labels: { datname: "billing" }, domain: "postgres" } as const;
    expect(chooseSource([one, named], request)).toMatchObject({
      state: "none",
      reason: expect.stringMatching(/Give labels to one\.$/),
    });
    expect(chooseSource([{ ...one, domains: ["postgres"] }, named], request)).toMatchObject({ state: "none" });
  });

  it("is none of two that are equally specific, and the reason names both", () => {
    const twin = sampleSource({ name: "a-twin" });
    expect(choose([everywhere, twin])).toEqual(["a-twin", "everywhere"]);
    const choice = chooseSource([everywhere, twin], { language: "promql", labels: {}, domain: "general" });
    expect(choice).toMatchObject({ reason: expect.stringContaining("a-twin, everywhere") });
  });
});
