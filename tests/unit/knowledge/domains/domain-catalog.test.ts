import { describe, expect, it } from "vitest";
import {
  createDomainCatalog,
  definitionOf,
  EMPTY_CATALOG,
  firstLooks,
} from "../../../../functions/knowledge/domains/domain-catalog.ts";
import { EMPTY_DEFINITION, storedDefinitionSchema } from "../../../../functions/knowledge/domains/domain-definition.ts";

const catalogOf = (definitions: Readonly<Record<string, object>>) =>
  createDomainCatalog(
    Object.entries(definitions).map(([name, definition]) => ({
      name,
      definition: storedDefinitionSchema.parse(definition),
    })),
  );
const weightOf = (catalog: ReturnType<typeof catalogOf>, text: string, name: string) =>
  catalog.hints(text).get(name)?.weight;

describe("the name of a domain", () => {
  it("is a hint of weight 3 without being listed", () => {
    const catalog = catalogOf({ billing: {}, redis: { hints: [{ words: ["valkey"], weight: 2 }] } });
    expect(weightOf(catalog, "billing is down", "billing")).toBe(3);
    expect(weightOf(catalog, "redis and valkey", "redis")).toBe(5);
  });

  it("has the weight that its definition gives it", () => {
    const catalog = catalogOf({ host: { hints: [{ words: ["Host", "vm"], weight: 1 }] } });
    expect(weightOf(catalog, "the host", "host")).toBe(1);
  });

  it("is found with its words apart", () => {
    const catalog = catalogOf({ "team-blue": {} });
    expect(weightOf(catalog, "Team Blue is on call", "team-blue")).toBe(3);
    expect(weightOf(catalog, "the blue team", "team-blue")).toBeUndefined();
  });

  it("hints at nothing where it is general", () => {
    const catalog = catalogOf({ general: {} });
    expect(weightOf(catalog, "a general failure", "general")).toBeUndefined();
    expect(catalog.names("a general failure").size).toBe(0);
  });
});

describe("first looks", () => {
  const look = (text: string) => ({ text, command: null });
  const catalog = catalogOf({
    redis: { first_looks: [look("See memory.")] },
    billing: {},
    general: { first_looks: [look("See what changed.")] },
  });

  it("are those of the domain", () => {
    expect(firstLooks(catalog, { name: "redis", isFirm: true })).toEqual([look("See memory.")]);
  });

  it.each(["billing", "general", "mainframe", "__proto__"])("are the general ones for %s", (name) => {
    expect(firstLooks(catalog, { name, isFirm: true })).toEqual([look("See what changed.")]);
  });

  it("are the general ones for a domain that is not certain", () => {
    expect(firstLooks(catalog, { name: "redis", isFirm: false })).toEqual([look("See what changed.")]);
  });

  it("are none without any definition", () => {
    expect(firstLooks(EMPTY_CATALOG, { name: "redis", isFirm: true })).toEqual([]);
  });
});

describe("the definition of a domain", () => {
  it("is empty for a name without one", () => {
    expect(definitionOf(EMPTY_CATALOG, "redis")).toBe(EMPTY_DEFINITION);
    expect(definitionOf(catalogOf({ redis: { description: "Caches." } }), "redis").description).toBe("Caches.");
  });
});
