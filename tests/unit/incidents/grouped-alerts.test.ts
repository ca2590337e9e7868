import { describe, expect, it } from "vitest";
import { withAlerts } from "../../../functions/incidents/grouped-alerts.ts";
import { sampleIncident } from "../investigation/samples.ts";

describe("an incident that covers alerts", () => {
  const incident = sampleIncident({ logs: "exit 137" });

  it("says how many fire and where, above what the first one said", () => {
    expect(withAlerts(incident, { total: 3, firing: 3, targets: ["a", "b", "c"] }).logs).toBe(
      "3 alerts of this kind fire: targets a, b, c\nexit 137",
    );
  });

  it("says how many have ended, and that there are more targets than it names", () => {
    const targets = Array.from({ length: 50 }, (_, i) => `t${i}`);
    expect(withAlerts(sampleIncident({ logs: null }), { total: 80, firing: 70, targets }).logs).toBe(
      `70 alerts of this kind fire, 10 have ended: targets ${targets.join(", ")}, …`,
    );
  });

  it("says so without a target, too", () => {
    expect(withAlerts(incident, { total: 2, firing: 2, targets: [] }).logs).toBe(
      "2 alerts of this kind fire.\nexit 137",
    );
  });

  it.each([0, 1])("is left as it is with %d of them", (total) => {
    expect(withAlerts(incident, { total, firing: total, targets: ["a"] })).toBe(incident);
  });
});
