import { describe, expect, it } from "vitest";
import type { FamilyIncident } from "../../../../bench/incidents/incident-families.ts";
import { incidentQueries, type StoredFamily } from "../../../../bench/relevance/incident-examples.ts";

const incident = (title: string): FamilyIncident => ({
  report: { title, target: "ledger", severity: "high", labels: {} },
  fix: "Restarted it.",
});

const family = (domain: string, name: string): StoredFamily => {
  const ids = ["a", "b", "c"].map((id) => `${domain} ${id}`);
  return {
    ...{ domain, name, members: ids.map(incident), lookAlikes: [incident("other")] },
    ...{ memberIds: ids, lookAlikeIds: [`${domain} other`] },
  };
};

const queriesOf = (families: readonly StoredFamily[], condition: string) =>
  incidentQueries(families).filter((query) => query.condition === condition && query.group === "docker");

describe("the queries about past incidents", () => {
  const families = [family("docker", "oom"), family("podman", "oom")];

  it("ask each member with its family, with one relative and without its family", () => {
    const [whole] = queriesOf(families, "family");
    const [one] = queriesOf(families, "one");
    const [removed] = queriesOf(families, "removed");
    expect([...(whole?.right ?? [])]).toEqual(["docker b", "docker c"]);
    expect(whole?.excludedIds).toEqual(["docker a"]);
    expect(one?.right.size).toBe(1);
    expect(one?.excludedIds).toHaveLength(2);
    expect(removed?.right.size).toBe(0);
    expect(removed?.excludedIds.toSorted()).toEqual(["docker a", "docker b", "docker c"]);
  });

  it("ask each report again beside its own record", () => {
    const [repeat] = queriesOf(families, "repeat");
    expect([...(repeat?.right ?? [])]).toEqual(["docker a", "docker b", "docker c"]);
    expect(repeat?.excludedIds).toEqual([]);
  });

  it("keep the look-alikes and the other families in every condition", () => {
    for (const { excludedIds } of queriesOf(families, "removed")) {
      expect(excludedIds).not.toContain("docker other");
      expect(excludedIds).not.toContain("podman a");
    }
  });

  it("have no right incident for a look-alike, whose family stays", () => {
    const [query] = queriesOf(families, "look_alike");
    expect(query).toMatchObject({ id: "docker other", excludedIds: ["docker other"] });
    expect(query?.right.size).toBe(0);
  });

  it("leave out the same failure of another technology", () => {
    const same = [family("docker", "firewall-flush"), family("podman", "firewalld-reload")];
    for (const { excludedIds } of queriesOf(same, "family")) expect(excludedIds).toContain("podman a");
  });
});
