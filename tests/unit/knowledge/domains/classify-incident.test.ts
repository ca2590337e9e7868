import { describe, expect, it } from "vitest";
import { classifyIncident, namesType } from "../../../../functions/knowledge/domains/classify-incident.ts";
import { createDomainCatalog } from "../../../../functions/knowledge/domains/domain-catalog.ts";
import { storedDefinitionSchema } from "../../../../functions/knowledge/domains/domain-definition.ts";
import type { DomainDecider } from "../../../../functions/schemas/domain.ts";

const type = (name: string, ...hints: object[]) => ({ name, hints });
const CATALOG = createDomainCatalog(
  Object.entries({
    cache: [
      type("memory_full", { words: ["out of memory"], weight: 3 }, { words: ["memory"], weight: 1 }),
      type("restart_loop", { words: ["restarting"], weight: 2 }, { words: ["crash loop"], weight: 3 }),
    ],
    broker: [type("deadlock", { words: ["deadlock"], weight: 3 })],
    empty: [],
  }).map(([name, incident_types]) => ({ name, definition: storedDefinitionSchema.parse({ incident_types }) })),
);
const classify = (name: string, headline: string, details = "", decidedBy: DomainDecider = "label") =>
  classifyIncident(CATALOG, { name, decidedBy, excluded: [] }, { headline, details });
const UNKNOWN = { name: "unknown", rule: "no word was a strong enough hint" };

describe("a text names a type", () => {
  const names = (text: string, decidedBy: DomainDecider = "label", excluded: string[] = []) =>
    namesType(CATALOG, { name: "cache", decidedBy, excluded }, { type: "deadlock", text });

  it("by a strong hint of a domain that defines it", () => {
    expect(names("a deadlock", "none")).toBe(true);
    expect([names("a deadlock"), names("a deadlock", "none", ["broker"]), names("a lock", "none")]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe("the type of an incident", () => {
  it("is named with the words that decided", () => {
    expect(classify("broker", "Deadlock detected")).toEqual({ name: "deadlock", rule: 'words "Deadlock"' });
  });

  it("is unknown without a strong hint", () => {
    for (const text of ["something is odd", "", "the memory feels strange"])
      expect(classify("cache", text)).toEqual(UNKNOWN);
  });

  it("comes from the details only if the headline has no strong hint", () => {
    expect(classify("cache", "restarting", "out of memory").name).toBe("restart_loop");
    expect(classify("cache", "checkout is down", "FATAL: out of memory")).toEqual({
      name: "memory_full",
      rule: 'words in labels or logs "out of memory", "memory"',
    });
  });

  it("is the one with the higher weight", () => {
    expect(classify("cache", "restarting: out of memory").name).toBe("memory_full");
    expect(classify("cache", "restarting in a crash loop, low on memory").name).toBe("restart_loop");
  });

  it("is the first listed at equal weights", () => {
    const catalog = createDomainCatalog([
      {
        name: "it",
        definition: storedDefinitionSchema.parse({
          incident_types: [type("b", { words: ["x"] }), type("a", { words: ["x"] })],
        }),
      },
    ]);
    const report = { headline: "x", details: "" };
    expect(classifyIncident(catalog, { name: "it", decidedBy: "label", excluded: [] }, report).name).toBe("b");
  });

  it.each(["cache", "empty", "general", "mainframe", "__proto__"])("is one of the domain's own: %s", (name) => {
    expect(classify(name, "deadlock detected")).toEqual(UNKNOWN);
  });

  it("is one of any domain's where nothing chose the domain", () => {
    expect(classify("general", "deadlock detected", "", "none").name).toBe("deadlock");
    expect(classify("general", "deadlock detected", "", "caller").name).toBe("unknown");
  });
});
