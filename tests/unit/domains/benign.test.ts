import { describe, expect, it } from "vitest";
import { benignReason } from "../../../functions/domains/benign.ts";

describe("an alert that is no incident by its name", () => {
  it.each([
    ["Watchdog", "Watchdog"],
    ["WATCHDOG", "Watchdog"],
    ["DeadMansSwitch", "DeadMansSwitch"],
    ["dead-mans-switch", "DeadMansSwitch"],
    ["Dead Man's Switch", "DeadMansSwitch"],
    ["DeadMansSnitch", "DeadMansSnitch"],
    ["info_inhibitor", "InfoInhibitor"],
    ["Watchdog ![](//1.2.3.4/)", "Watchdog"],
  ])("is %j, and the reason gives it its usual name", (alertname, name) => {
    expect(benignReason({ alertname })).toBe(`the alert ${name} always fires; it is trouble only when it stops`);
  });

  it("is known whatever its other labels say", () => {
    expect(benignReason({ alertname: "Watchdog", severity: "critical", container_runtime: "docker" })).toBeDefined();
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
    expect(benignReason({ alertname })).toBeUndefined();
  });

  it("is told by the label alertname alone", () => {
    expect(benignReason({})).toBeUndefined();
    expect(benignReason({ alert: "Watchdog", name: "Watchdog", AlertName: "Watchdog" })).toBeUndefined();
  });
});
