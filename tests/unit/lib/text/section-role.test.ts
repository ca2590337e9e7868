import { describe, expect, it } from "vitest";
import { sectionRole } from "../../../../lib/markdown/section-role.ts";

describe("sectionRole", () => {
  it.each([
    ["Symptoms", "symptoms"],
    ["Meaning", "symptoms"],
    ["Impact", "symptoms"],
    ["Overview", "symptoms"],
    ["Warning signs", "symptoms"],
    ["Confirm", "confirm"],
    ["Diagnosis", "confirm"],
    ["How to verify", "confirm"],
    ["Investigation", "confirm"],
    ["Troubleshooting", "confirm"],
    ["Triage", "confirm"],
    ["Mitigate", "mitigate"],
    ["Mitigation", "mitigate"],
    ["Fix", "mitigate"],
    ["Remediation", "mitigate"],
    ["Resolution", "mitigate"],
    ["Recovery steps", "mitigate"],
    ["Stop the bleeding", "mitigate"],
    ["Immediate actions", "mitigate"],
    ["What to do", "mitigate"],
    ["In case of emergency", "mitigate"],
    ["Root causes", "causes"],
    ["Possible Causes", "causes"],
    ["Why does this happen?", "causes"],
    ["Prevent", "prevent"],
    ["Prevention", "prevent"],
    ["How to avoid it", "prevent"],
    ["Long-term work", "prevent"],
    ["Follow-up", "prevent"],
  ])("reads the heading %j as %s", (heading, role) => {
    expect(sectionRole([heading])).toBe(role);
    expect(sectionRole([heading.toUpperCase()])).toBe(role);
  });

  it('reads a root cause analysis as causes, although "analysis" alone is confirm', () => {
    expect(sectionRole(["Root cause analysis"])).toBe("causes");
  });

  it("uses the innermost heading with a role", () => {
    expect(sectionRole(["Diagnosis", "Possible causes"])).toBe("causes");
    expect(sectionRole(["Causes", "How to fix"])).toBe("mitigate");
  });

  it("uses an outer heading when the inner headings have no role", () => {
    expect(sectionRole(["Mitigation", "Linux", "Podman 5"])).toBe("mitigate");
  });

  it("uses an outer heading when the inner one is a condition", () => {
    expect(sectionRole(["Mitigation", "1. If the diagnosis shows errors"])).toBe("mitigate");
  });

  it.each([[[]], [["Notes"]], [["Prefix routing"]], [["Because"]]])("returns no role for %j", (path) => {
    expect(sectionRole(path)).toBeUndefined();
  });
});
