import { describe, expect, it } from "vitest";
import { createParsingDatabase } from "../../../functions/adapters/database.ts";
import { DependencyError } from "../../../functions/dependencies.ts";
import { createDomainStore, domainCatalog, readDomains } from "../../../functions/knowledge/domain-store.ts";
import { sampleServices } from "../investigation/samples.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const after = (ms: number) => new Date(NOW.getTime() + ms);
const loaded = (version: string, ...names: string[]) => ({
  version,
  domains: names.map((name) => ({ name, definition: {} })),
});

/** Services whose database gives these replies in turn. */
function servicesWith(replies: readonly (object | Error)[]) {
  const calls: unknown[] = [];
  let now = NOW;
  const database = createParsingDatabase(async (name, args) => {
    const reply = replies[calls.push([name, args]) - 1];
    if (reply === undefined || reply instanceof Error) throw reply ?? new Error("The script has no more replies.");
    return reply;
  });
  const services = { ...sampleServices({ now: () => now }), database };
  return {
    services,
    calls,
    passTime: (ms: number) => {
      now = after(ms);
    },
    names: async () => [...(await domainCatalog(services)).domains.keys()],
  };
}

const UNAVAILABLE = new DependencyError("database", "unreachable", "no connection");

describe("the copy of the domains", () => {
  it("is empty before the first read", () => {
    const { version, defined, catalog } = createDomainStore().current();
    expect([version, defined, catalog.domains.size]).toEqual([null, [], 0]);
  });

  it("is replaced by a new version, and kept where the database has no newer one", () => {
    const store = createDomainStore();
    const first = store.accept({ version: "1", domains: [] }, NOW);
    expect(store.accept({ version: "1", domains: null }, NOW)).toBe(first);
    expect(store.current()).toBe(first);
    expect(store.accept({ version: "2", domains: [] }, NOW)).not.toBe(first);
  });

  it.each([
    [0, false],
    [30_000, false],
    [30_001, true],
    [-30_001, true],
  ])("is old %d ms after it was read: %s", (ms, isOld) => {
    const store = createDomainStore();
    expect(store.isOld(NOW)).toBe(true);
    store.accept({ version: "1", domains: [] }, NOW);
    expect(store.isOld(after(ms))).toBe(isOld);
    store.invalidate();
    expect(store.isOld(NOW)).toBe(true);
  });
});

describe("reading the domains", () => {
  it("sends the version of the copy, so that equal domains are not sent again", async () => {
    const { services, calls } = servicesWith([loaded("7", "redis"), { version: "7", domains: null }]);
    const context = { database: services.database, now: NOW };
    const first = await readDomains(services.domains, context);
    expect(await readDomains(services.domains, context)).toBe(first);
    expect(first.defined.map(({ name }) => name)).toEqual(["redis"]);
    expect(calls).toEqual([
      ["load_domains", {}],
      ["load_domains", { p_version: "7" }],
    ]);
  });
});

describe("the domains for a report", () => {
  it("are read once in thirty seconds", async () => {
    const { names, calls, passTime } = servicesWith([loaded("1", "redis"), loaded("2", "redis", "kafka")]);
    expect(await names()).toEqual(["redis"]);
    passTime(30_000);
    expect([await names(), calls.length]).toEqual([["redis"], 1]);
    passTime(30_001);
    expect([await names(), calls.length]).toEqual([["redis", "kafka"], 2]);
  });

  it("are the last copy while the database is unavailable, with a warning", async () => {
    const { names, services, passTime } = servicesWith([loaded("1", "redis"), UNAVAILABLE, loaded("2", "kafka")]);
    await names();
    passTime(60_000);
    expect(await names()).toEqual(["redis"]);
    expect(services.logged).toEqual([
      { event: "warn domains.read_failed", fields: { error: "database: no connection" } },
    ]);
    expect(await names()).toEqual(["kafka"]);
  });

  it("are none before the first read", async () => {
    expect(await servicesWith([UNAVAILABLE]).names()).toEqual([]);
  });
});
