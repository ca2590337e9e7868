import { describe, expect, it } from "vitest";
import { severityOf } from "../../../../functions/incidents/webhooks/severity.ts";

describe("severityOf", () => {
  it.each([
    ["critical", ["critical", "page", "emergency", "Critical", " CRITICAL ", "P1", "sev1", "SEV-1"]],
    ["high", ["error", "high", "major", "P2", "P2 - major outage"]],
    ["medium", ["warning", "warn", "medium", "p3", "", "constructor", "unheard-of", "P6", "P12"]],
    ["low", ["minor", "low", "P4"]],
    ["info", ["info", "informational", "none", "notice", "debug", "P5"]],
  ])("is %s for each of %j", (severity, words) => {
    expect(words.map((word) => severityOf(word))).toEqual(words.map(() => severity));
  });

  it("is that of the first recognised word", () => {
    expect(severityOf(undefined, null, "unheard of", "P2", "low")).toBe("high");
    expect(severityOf()).toBe("medium");
  });
});
