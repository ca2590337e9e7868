import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { FAILURES, incidentFamilies } from "../../../bench/incidents/incident-families.ts";

const families = incidentFamilies(1);

describe("the incident families", () => {
  it("number at least forty, ten in each domain, each with five members and two look-alikes", () => {
    expect(families.length).toBeGreaterThanOrEqual(40);
    for (const members of Map.groupBy(families, ({ domain }) => domain).values()) {
      expect(members.length).toBeGreaterThanOrEqual(10);
    }
    for (const { members, lookAlikes } of families) {
      expect(members).toHaveLength(5);
      expect(lookAlikes.length).toBeGreaterThanOrEqual(2);
    }
  });

  it("are the same for the same seed and others for another", () => {
    expect(incidentFamilies(1)).toEqual(families);
    expect(incidentFamilies(2)).not.toEqual(families);
  });

  it("word each member differently, not only with another service name", () => {
    for (const { members, lookAlikes } of families) {
      const bare = [...members, ...lookAlikes].map(({ report }) =>
        report.title.toLowerCase().replaceAll(report.target, "").replace(/\d+/g, ""),
      );
      expect(new Set(bare).size).toBe(bare.length);
      expect(new Set(members.map(({ report }) => report.target)).size).toBe(members.length);
    }
  });

  it("have look-alikes of a member's own service", () => {
    for (const { members, lookAlikes } of families) {
      expect(lookAlikes.map(({ report }) => report.target)).toEqual(
        members.slice(0, lookAlikes.length).map(({ report }) => report.target),
      );
    }
  });

  it("fill every slot and every choice of their templates", () => {
    for (const { members, lookAlikes } of families) {
      for (const { report, fix } of [...members, ...lookAlikes]) {
        expect(`${report.title}\n${report.logs}\n${fix}`).not.toMatch(
          /\{(?:service|host|ns|since|version|n|big|pct|mb|id|pid|port)\}|\[[a-z ]+\|/,
        );
      }
    }
  });

  it("refer to existing runbooks", () => {
    for (const { runbook } of [...FAILURES.values()].flat()) {
      expect(existsSync(fileURLToPath(new URL(`../../../seeds/runbooks/${runbook}`, import.meta.url))), runbook).toBe(
        true,
      );
    }
  });
});
