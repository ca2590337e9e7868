import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createParsingDatabase } from "../../../functions/adapters/database.ts";
import { storedDefinitionSchema } from "../../../functions/knowledge/domains/domain-definition.ts";
import { putDomain, removeDomain } from "../../../functions/knowledge/put-domain.ts";
import { sampleServices } from "../investigation/samples.ts";

const domainOf = (name: string, job: string) => ({
  name,
  definition: storedDefinitionSchema.parse({ labels: [{ match: { job: [job] } }] }),
});
type Domain = ReturnType<typeof domainOf>;

const RECORD = {
  runbooks: 0,
  documents: 0,
  incidents: 0,
  origin: "api",
  created_at: "2026-03-01T12:00:00Z",
  updated_at: "2026-03-01T12:00:00Z",
} as const;

/** Services with the domains in memory. Each of `writers` changes them before one of our writes. */
function services(stored: readonly Domain[], { writers = [] }: { readonly writers?: readonly Domain[] } = {}) {
  const domains = new Map(stored.map((domain) => [domain.name, domain]));
  const waiting = [...writers];
  const written: string[] = [];
  let version = 1;
  const putSchema = z.object({
    p: z.object({ name: z.string(), definition: storedDefinitionSchema, version: z.string() }),
  });
  const database = createParsingDatabase(async (name, args) => {
    if (name === "load_domains") return { version: String(version), domains: [...domains.values()] };
    if (name === "delete_domain") {
      const { p } = z.object({ p: z.object({ name: z.string(), force: z.boolean() }) }).parse(args);
      const domain = domains.get(p.name);
      if (domain === undefined) return { state: "not_found" };
      const record = { ...RECORD, ...domain, runbooks: 2 };
      if (!p.force) return { state: "in_use", domain: record };
      domains.delete(p.name);
      return { state: "deleted", domain: record, pending: [] };
    }
    const { p } = putSchema.parse(args);
    const other = waiting.shift();
    if (other !== undefined) {
      domains.set(other.name, other);
      version++;
    }
    if (p.version !== String(version)) return { state: "changed" };
    const created = !domains.has(p.name);
    const domain = { name: p.name, definition: p.definition };
    domains.set(p.name, domain);
    version++;
    written.push(p.name);
    return { state: "stored", created, domain: { ...RECORD, ...domain } };
  });
  const sample = sampleServices();
  return { ...sample, database, background: { ...sample.background, database }, written };
}

describe("storing a domain", () => {
  it("reports whether it is new, and reads the domains again for the next report", async () => {
    const all = services([]);
    const put = () => putDomain(all, domainOf("redis", "redis"), "api");
    expect(await put()).toMatchObject({ state: "stored", created: true, domain: { name: "redis" } });
    expect(all.domains.isOld(all.now())).toBe(true);
    expect(await put()).toMatchObject({ state: "stored", created: false });
  });

  it("is refused when another domain claims a label, and writes nothing", async () => {
    const all = services([domainOf("valkey", "redis")]);
    expect(await putDomain(all, domainOf("redis", "redis"), "api")).toEqual({
      state: "conflict",
      conflicts: [
        { path: ["labels", 0, "match"], message: expect.stringContaining("the domain valkey claims already") },
      ],
    });
    expect(all.written).toEqual([]);
  });

  it("checks again when another writer changed a domain in between", async () => {
    const all = services([], { writers: [domainOf("kafka", "kafka")] });
    expect((await putDomain(all, domainOf("redis", "redis"), "api")).state).toBe("stored");
  });

  it("is refused when that writer took the label", async () => {
    const all = services([], { writers: [domainOf("valkey", "redis")] });
    expect((await putDomain(all, domainOf("redis", "redis"), "api")).state).toBe("conflict");
    expect(all.written).toEqual([]);
  });

  it("gives up when the domains keep changing", async () => {
    const writers = ["a", "b", "c", "d", "e", "f"].map((name) => domainOf(name, name));
    const put = putDomain(services([], { writers }), domainOf("redis", "redis"), "api");
    await expect(put).rejects.toMatchObject({ dependency: "database", failure: "refused" });
  });
});

describe("deleting a domain", () => {
  const remove = (all: ReturnType<typeof services>, name: string, force: boolean) =>
    removeDomain(all, { name, force, by: { actor: "service", requestId: "request-1" } });

  it("reports a name that does not exist", async () => {
    expect(await remove(services([]), "redis", true)).toEqual({ state: "not_found" });
  });

  it("deletes nothing without force while there are texts, and counts them", async () => {
    const all = services([domainOf("redis", "redis")]);
    expect(await remove(all, "redis", false)).toMatchObject({ state: "in_use", domain: { runbooks: 2 } });
    expect(await remove(all, "redis", true)).toMatchObject({
      state: "deleted",
      domain: { runbooks: 2 },
      indexed: true,
    });
    expect(await remove(all, "redis", true)).toEqual({ state: "not_found" });
  });
});
