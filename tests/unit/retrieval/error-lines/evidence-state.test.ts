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

  it.each([
    [
      "a failure after the recovery",
      "07:00:01 ERROR pool exhausted\n07:02:00 INFO pool recovered\n07:31:44 ERROR pool exhausted",
    ],
    [
      "a part that flaps",
      "11:00:02 link-a is up again\n11:04:10 link-a not responding\n11:05:02 link-a is up again\n11:09:15 link-a not responding",
    ],
    [
      "one bad row among good ones",
      "SERVICE  STATE  SINCE  INFO\nping  OK  41d  rta 0.4 ms\nraid  CRITICAL  6m  array md1 degraded\nhttp  OK  41d  200 OK",
    ],
    ["another node that works", "10:03:01 node oak-2 failed: no heartbeat\n10:03:09 node oak-3 heartbeat ok"],
    [
      "a job that succeeds beside the failure",
      "10:00:01 INFO mail sent, 0 errors\n10:00:02 WARN rate table is empty, 100 % of quotes rejected\n10:00:03 INFO mail sent, 0 errors",
    ],
  ])("is none with %s", (_, logs) => {
    expect(stateOf(logs)).toBeUndefined();
  });

  it.each([
    [
      "its own subject works again",
      "10:00:01 ERROR delivery to shop.example failed: 503\n10:00:31 INFO delivery to shop.example succeeded",
    ],
    ["its end is stated", "09:00 backlog over 5000\n09:30 queue drained, 0 remaining"],
    [
      "a later event follows the warning",
      "NAME  READY  STATUS  RESTARTS  AGE\nfare-7b-x  1/1  Running  0  9m\n\nLAST SEEN  TYPE  REASON  OBJECT  MESSAGE\n2m  Warning  FailedScheduling  pod/fare-7b-x  no nodes are available\n1m  Normal  Started  pod/fare-7b-x  Started container",
    ],
  ])("is recovered where %s", (_, logs) => {
    expect(stateOf(logs, "Fares fail")).toBe("recovered");
  });

  it("is healthy by signs of running only for a headline about running", () => {
    const rows = "NAME  READY  STATUS  RESTARTS  AGE\nshop-7b-x  1/1  Running  0  9d";
    expect(stateOf(rows, "Pods of shop restart")).toBe("healthy");
    expect(stateOf(rows, "Every invoice of this morning has the address of another customer")).toBeUndefined();
  });

  it("is not healthy where most of the evidence holds no sign", () => {
    const parts =
      "$ get values\nanalyzer: es\nregion: eu\nreplicas: 3\n$ get pods\nNAME  READY  STATUS  RESTARTS  AGE\nshop-7b-x  1/1  Running  0  9d";
    expect(stateOf(parts, "Search pods unhealthy?")).toBeUndefined();
  });

  it("quotes the line that shows it", () => {
    const { state } = readEvidence({ headline: "x", logs: "a\n\nall checks passed", target: null, labels: {} });
    expect(state).toEqual({ name: "healthy", quote: "all checks passed", line: 3 });
  });
});
