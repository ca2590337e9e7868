import { describe, expect, it } from "vitest";
import { benignReason } from "../../../../functions/knowledge/domains/benign-alerts.ts";

describe("a heartbeat alert", () => {
  it.each([
    ["Watchdog", "Watchdog"],
    ["WATCHDOG", "Watchdog"],
    ["DeadMansSwitch", "DeadMansSwitch"],
    ["dead-mans-switch", "DeadMansSwitch"],
    ["Dead Man's Switch", "DeadMansSwitch"],
    ["DeadMansSnitch", "DeadMansSnitch"],
    ["info_inhibitor", "InfoInhibitor"],
    ["Watchdog ![](//1.2.3.4/)", "Watchdog"],
  ])("is recognised by %j, and the reason has its usual name", (alertname, name) => {
    expect(benignReason("", { alertname })).toBe(`the alert ${name} always fires; it is trouble only when it stops`);
  });

  it("is recognised with any other labels", () => {
    expect(
      benignReason("api is down", { alertname: "Watchdog", severity: "critical", container_runtime: "docker" }),
    ).toBeDefined();
  });

  it.each([
    "",
    "WatchdogMissing",
    "KubeletWatchdogTimeout",
    "NodeWatchdogReboot",
    "DeadMansSwitchStopped",
    "NoInfoInhibitor",
    "KubePodCrashLooping",
    "Watch",
    "constructor",
    "__proto__",
  ])("is not %j", (alertname) => {
    expect(benignReason("", { alertname })).toBeUndefined();
  });

  it("is recognised by the label alertname alone", () => {
    expect(benignReason("", {})).toBeUndefined();
    expect(benignReason("", { alert: "Watchdog", name: "Watchdog", AlertName: "Watchdog" })).toBeUndefined();
  });
});

describe("a test alert", () => {
  it.each([
    "[TEST] api-gateway down",
    "[drill] region failover",
    "Test alert: ignore me",
    "This is a test alert",
    "this is only a test notification",
    "DRILL - database gone",
    "drill",
    "Test incident, please ignore",
    "TEST of the on-call rota - please ignore",
    "Testing the PagerDuty integration, ignore this",
  ])("is recognised by its title: %j", (title) => {
    expect(benignReason(title, {})).toBe("it says itself that it is a test");
  });

  it.each([
    "Test suite fails on main",
    "test-runner container exited with code 137",
    "Tests alert nobody",
    "drill-down dashboard returns 500",
    "api-gateway fails its test alert",
    "Contest alert: database gone",
    "test alerting pipeline is broken",
    "test-runner fails: linker cannot ignore thisptr",
  ])("is not %j", (title) => {
    expect(benignReason(title, {})).toBeUndefined();
  });
});
