import { describe, expect, it } from "vitest";
import { isSentence } from "../../../../lib/logs/free-text.ts";
import { readSign } from "../../../../lib/logs/health-signs.ts";
import { readMeasuredValues } from "../../../../lib/logs/values-at-limits.ts";

describe("a sign of health", () => {
  it.each([
    ["a verdict in front", "[ok] sign-in 200 in 141 ms"],
    ["a verdict of a named check", "DISK OK - free space: /var 21 GB"],
    ["a verdict in the last column", "memory   310Mi   305Mi   pass"],
    ["a verdict after its name", "SMART overall-health self-assessment test result: PASSED"],
    ["a whole ratio", "5/5 checks ok"],
    ["a whole total", "Tests: 91 passed, 91 total"],
    ["an exit code", "Exited: exit code 0"],
    ["an alert that does not fire", '{ "name": "HighLatency", "state": "inactive", "health": "ok" }'],
    ["equal lists", "Replicas: 1,2,3 Isr: 3,1,2"],
    ["a value within its limit", "p99 120 ms (limit 500 ms)"],
    ["a count without failures", "total lag 0"],
    ["a counter without failures", 'timeout_total{pool="main"} 0'],
    ["an answered request", '10.0.0.1 - - "GET / HTTP/2.0" 200 8120 "-"'],
    ["an empty list", "(none)"],
  ])("is a result: %s", (_, line) => {
    expect(readSign(line)).toBe("works");
  });

  it.each([
    ["a field", '"status": "UP",'],
    ["a running unit", "Active: active (running) since Tue"],
    ["a container", "3f2a9c1b7d10   wiki:4.2   Up 3 days (healthy)   wiki"],
    ["a condition", "Ready            True    KubeletReady   kubelet is posting ready status"],
    ["a cell", "public,web-1,UP,12,0,812201"],
  ])("is a state of a process: %s", (_, line) => {
    expect(readSign(line)).toBe("runs");
  });

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
    "all replicas are in sync",
    "scan finished: no issues found",
    "the connection is healthy",
    "status: ok but the tasks are not taken from the queue",
    "backup completed successfully",
    "expected state: running",
    "will recover automatically once unsealed",
    "registered 4 error handlers",
    "check 1/5 connectivity",
    "open files 212 of 65536",
    "Event/cart-1.1851   -   Scheduled: Successfully assigned shop/cart-1 to node-2   19s",
  ])("is absent: %j", (line) => {
    expect(readSign(line)).toBeNull();
  });
});

describe("a sentence", () => {
  it.each([
    "the tasks stay in the queue",
    "10:05 workers take nothing",
    "# danach bleibt die Queue voll",
    "la connexion est rétablie mais rien ne bouge",
    "接続は復旧しましたが処理されません",
    "복제는 복구되었지만 애플리케이션이 계속 실패합니다",
  ])("is written by a person: %j", (line) => {
    expect(isSentence(line)).toBe(true);
  });

  it.each([
    "shop-a-1   1/1   Running   0   5m",
    "Ready   True   KubeletReady   kubelet is posting ready status",
    "2026-11-02 10:00:02 INFO cache of all the stores refreshed",
    '{"msg":"serving all of the client requests"}',
    "Nov 03 02:10:40 pine-4 relay[820]: started with the old settings",
    "LAST DEPLOYED: Mon Nov  2 08:14:20 2026",
    "overall self assessment test result: PASSED",
    "LIST OF ALL OPEN SESSIONS",
    "(Total limits may be over 100 percent, i.e., overcommitted.)",
  ])("is not the output of a program: %j", (line) => {
    expect(isSentence(line)).toBe(false);
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
