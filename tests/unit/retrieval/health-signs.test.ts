import { describe, expect, it } from "vitest";
import { readSign } from "../../../functions/retrieval/health-signs/health-signs.ts";
import { readMeasuredValues } from "../../../functions/retrieval/health-signs/measured-values.ts";

describe("a sign of health", () => {
  it.each([
    ["a field", '"status": "UP",'],
    ["a verdict in front", "[ok] sign-in 200 in 141 ms"],
    ["a verdict of a named check", "DISK OK - free space: /var 21 GB"],
    ["a verdict at the end", "memory   310Mi   305Mi   pass"],
    ["a whole ratio", "5/5 checks ok"],
    ["a whole total", "Tests: 91 passed, 91 total"],
    ["no problem of a kind", "scan finished: no issues found"],
    ["a statement on all parts", "all replicas are in sync"],
    ["work that ended well", "settlement finished with exit code 0"],
    ["an alert that does not fire", '{ "name": "HighLatency", "state": "inactive", "health": "ok" }'],
    ["equal lists", "Replicas: 1,2,3 Isr: 3,1,2"],
  ])("is a statement: %s", (_, line) => {
    expect(readSign(line)).toBe("good");
  });

  it("is none in a routine step", () => {
    expect(readSign("Event/cart-1.1851   -   Scheduled: Successfully assigned shop/cart-1 to node-2   19s")).toBeNull();
    expect(readSign("Event/cart-1.1852   -   Pulled: Successfully pulled image cart:2   18s")).toBeNull();
  });

  it.each([
    ["a running process", "Active: active (running) since Tue"],
    ["a value within its limit", "p99 120 ms (limit 500 ms)"],
    ["a cell", "public,web-1,UP,0,0,812201"],
    ["the result of one piece of work", "2026-11-02 01:21:56 INFO: expire command end: completed successfully"],
  ])("is fair: %s", (_, line) => {
    expect(readSign(line)).toBe("fair");
  });

  it.each(["total lag 0", "rejected: 0", "4 received, 0% packet loss", 'timeout_total{pool="main"} 0', "(none)"])(
    "is a count without failures: %j",
    (line) => {
      expect(readSign(line)).toBe("zero");
    },
  );

  it.each([
    "pool checkout-v2 0/3 healthy",
    "backup finished, 2 of 3 volumes ok",
    "Tests: 1 failed, 118 passed, 119 total",
    '{"component":"smtp","status":"DOWN"}',
    "DISK CRITICAL - free space: /var 212 MB",
    "p99 latency 1840 ms (limit 500 ms)",
    "/var 97 % used",
    "Replicas: 1,2,4 Isr: 1,2",
    "Endpoints: <none>",
  ])("is bad: %j", (line) => {
    expect(readSign(line)).toBe("bad");
  });

  it.each([
    "waiting until all replicas are ready",
    "the check would be ok if the disk were mounted",
    "will recover automatically once unsealed",
    "registered 4 error handlers",
    "check 1/5 connectivity",
    "open files 212 of 65536",
  ])("is absent: %j", (line) => {
    expect(readSign(line)).toBeNull();
  });
});

describe("measured values", () => {
  it.each([
    ["error rate 0.02 %, baseline 0.02 %", "good"],
    ["error rate 4.1 %, baseline 0.02 %", "bad"],
    ['"p99_ms":71,"slo_ms":400', "good"],
    ["memory 412 MiB, limit 2 GiB", "good"],
    ["memory 2.5 GiB, limit 2 GiB", "bad"],
    ["412 requests, limit 3 s", null],
    ["free 88120331264, threshold 10485760", null],
    ["nothing measured", null],
  ])("of %j are %s", (line, expected) => {
    expect(readMeasuredValues(line)).toBe(expected);
  });

  it("are read at the beginning of a long line only", () => {
    const line = "error rate 4.1 %, baseline 0.02 %";
    expect(readMeasuredValues(`${line} ${"x ".repeat(200)}`)).toBe("bad");
    expect(readMeasuredValues(`${"x ".repeat(200)} ${line}`)).toBeNull();
  });
});
