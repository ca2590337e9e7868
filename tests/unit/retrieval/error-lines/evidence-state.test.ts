import { describe, expect, it } from "vitest";
import { readEvidence } from "../../../../functions/retrieval/error-lines/read-evidence.ts";

const stateOf = (logs: string | null, headline = "Something is wrong", target: string | null = null) =>
  readEvidence({ headline, logs, target, labels: {} }).state?.name;

describe("the state of the evidence", () => {
  it.each([
    "state: normal",
    "2026-11-21T10:00:00Z INFO all systems operational",
    "health checks passed",
    "Everything is healthy",
    "nothing is failing",
    "No problems detected",
    '"Status": "healthy"',
    "12 passed, 0 failed",
  ])("is healthy: %j", (line) => {
    expect(stateOf(`starting\n${line}`)).toBe("healthy");
  });

  it.each([
    "ERROR connection refused\nINFO recovered after 30 s",
    "deployment failed: image not found\nrolled back to 1.4.1",
    "WARN replica is lagging\nINFO replica caught up, back to normal",
    "link is down\nlink is up again",
    "ERROR disk full\nalert resolved",
  ])("is recovered: %j", (logs) => {
    expect(stateOf(logs)).toBe("recovered");
  });

  it.each([
    "No resources found in shop namespace.",
    'Error from server (NotFound): pods "shop" not found',
    "(0 rows)",
    "-- No entries --",
    "no data",
    "(no output)",
    "Empty set (0.00 sec)",
  ])("is nothing: %j", (logs) => {
    expect(stateOf(logs, "Why does shop fail?", "shop")).toBe("nothing_found");
  });

  it.each([
    ["only the headline says it", null, "[RESOLVED] Latency of checkout", "recovered"],
    ["the headline asks", null, "Has the database recovered?", undefined],
    ["there is nothing to read", null, "Latency of checkout", undefined],
    ["a failure follows the recovery", "recovered after 30 s\nFATAL disk failed again: I/O error", "Disk", undefined],
    ["it has not recovered", "ERROR disk failed\nnode has not recovered", "Disk", undefined],
    ["the host was not resolved", "ERROR host could not be resolved", "Disk", undefined],
    ["it is not healthy", "0/3 endpoints are healthy\nthe pool is not healthy", "Disk", undefined],
    ["a failure stands beside a good word", "state: normal\nERROR: connection refused", "Disk", undefined],
    ["another query found a failure", "No resources found\nFATAL: out of memory", "Disk", undefined],
  ])("where %s", (_, logs, headline, state) => {
    expect(stateOf(logs, headline)).toBe(state);
  });

  it("is healthy where the target's rows are good, and others fail", () => {
    const logs =
      "NAME        READY   STATUS             RESTARTS\nshop-a-1    1/1     Running            0\nshop-b-2    1/1     Running            0\nmail-1      0/1     CrashLoopBackOff   9";
    expect(stateOf(logs, "Why is shop unhealthy?", "shop")).toBe("healthy");
    expect(stateOf(logs, "Why is mail unhealthy?", "mail")).toBeUndefined();
  });

  it("is recovered where the only failures are old events, and the objects are in a good state", () => {
    const logs = (age: string) =>
      `LAST SEEN   TYPE      REASON      OBJECT       MESSAGE\n${age}         Warning   Unhealthy   pod/shop-1   Readiness probe failed: connection refused\n\nNAME     READY   STATUS    RESTARTS\nshop-1   1/1     Running   0`;
    expect(stateOf(logs("41m"), "shop is not ready", "shop")).toBe("recovered");
    expect(stateOf(logs("20s"), "shop is not ready", "shop")).toBeUndefined();
  });

  it("quotes the line that shows it", () => {
    const { state } = readEvidence({ headline: "x", logs: "a\n\nall checks passed", target: null, labels: {} });
    expect(state).toEqual({ name: "healthy", quote: "all checks passed", line: 3 });
  });
});
