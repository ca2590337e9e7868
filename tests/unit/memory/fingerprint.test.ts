import { describe, expect, it } from "vitest";
import { fingerprint } from "../../../functions/memory/fingerprint.ts";
import { sampleIncident } from "../investigation/samples.ts";

const keyOf = (changes: Parameters<typeof sampleIncident>[0]) => fingerprint(sampleIncident(changes));
const ofTitle = (title: string) => keyOf({ title });

describe("the key of a failure", () => {
  it("is a SHA-256 in hex", () => {
    expect(keyOf({})).toMatch(/^[0-9a-f]{64}$/);
  });

  it("is the same for another report of the same failure", () => {
    const again = {
      id: "incident-later",
      createdAt: new Date("2027-01-01T00:00:00Z"),
      question: "Again?",
      severity: "low" as const,
      labels: { team: "edge" },
      logs: "exit",
      sessionId: "session-2",
    };
    expect(keyOf(again)).toBe(keyOf({}));
  });

  it.each([
    ["time stamps", "backup failed at 2026-03-01T12:00:00Z", "backup failed at 2026-04-02 03:04:05.678+02:00"],
    ["times of day", "backup failed at 12:00:00", "backup failed at 23:59:59,999"],
    [
      "UUIDs",
      "request 3f2504e0-4f89-41d3-9a0c-0305e82c3301 timed out",
      "request 9b2d7f60-0000-4bbb-8ccc-0305e82c3302 timed out",
    ],
    ["container ids", "container 1f2e3d4c5b6a exited", "container ABCDEF012345 exited"],
    ["percentages", "disk at 91% on /var", "disk at 97.5 % on /var"],
    ["percentages with a comma", "disk at 91,25% on /var", "disk at 97% on /var"],
    ["pods of a deployment", "pod api-7c9f8d6b5-x2x4z crashed", "pod api-5f8d7f8d7f-9kq2w crashed"],
    ["pods of a daemon set", "pod agent-x2x4z crashed", "pod agent-9kq2w crashed"],
    ["capitals", "DISK Full", "disk full"],
    ["spacing", " disk\n  full ", "disk full"],
  ])("is the same for other %s: %j, %j", (_what, one, other) => {
    expect(ofTitle(one)).toBe(ofTitle(other));
    expect(keyOf({ target: one })).toBe(keyOf({ target: other }));
  });

  it.each([
    ["exit codes", "exited with code 137", "exited with code 1"],
    ["states", "SQLSTATE 53300", "SQLSTATE 53200"],
    ["versions", "api 1.2.3 crashed", "api 1.2.4 crashed"],
    ["numbers of a stateful set", "pod db-0 crashed", "pod db-1 crashed"],
    ["names", "pod api-gateway crashed", "pod api-worker crashed"],
    ["long names without a digit", "web-front crashed", "web-proxy crashed"],
    ["words", "disk full", "disk slow"],
    ["ports", "port 5432 refused", "port 6379 refused"],
  ])("differs for other %s: %j, %j", (_what, one, other) => {
    expect(ofTitle(one)).not.toBe(ofTitle(other));
    expect(keyOf({ target: one })).not.toBe(keyOf({ target: other }));
  });

  it("differs for another target, type and domain, and where no target is named", () => {
    const keys = [
      keyOf({}),
      keyOf({ target: "worker" }),
      keyOf({ target: null }),
      keyOf({ type: { name: "exit_error", rule: "" } }),
      keyOf({ domain: { name: "podman", rule: "", decidedBy: "words", limitsSearch: false, preferred: {} } }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("distinguishes a word of the title from the same word of the target", () => {
    expect(keyOf({ target: "api", title: "worker down" })).not.toBe(keyOf({ target: "api worker", title: "down" }));
  });

  it("does not change with the rule by which it was classified", () => {
    const ruled = {
      domain: { name: "docker", rule: "label", decidedBy: "label", limitsSearch: true, preferred: {} } as const,
      type: { name: "oom_killed", rule: "x" },
    };
    expect(keyOf(ruled)).toBe(keyOf({}));
  });
});
