import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorLines } from "../../../../functions/retrieval/text/error-lines.ts";

describe("error lines", () => {
  it.each([
    "level=error msg=boom",
    "FATAL: sorry, too many clients already",
    "panic: runtime error",
    "failed to start container",
    "Permission denied",
    "dial tcp: connection refused",
    "context deadline: timed out",
    "read timeout",
    "could not resolve host",
    "Killed",
    "OOMKilled",
    "oom-kill:constraint=CONSTRAINT_MEMCG",
    "container exited with code 137",
    "no space left on device",
    "container is unhealthy",
    "Back-off restarting failed container",
    "The node was low on resource, pod evicted",
    "deadlock detected",
    "invalid page: corrupted block",
    "CrashLoopBackOff",
    "api-7d9 0/1 CrashLoopBackOff 12 (30s ago)",
    "Warning ImagePullBackOff pod/api",
    "net::ERR_CONN_RESET",
    "connect ECONNREFUSED",
    "TypeError: x is undefined",
    "java.lang.OutOfMemoryError: Java heap space",
    "Caused by: org.example.NullPointerException",
    "read: connection reset by peer",
  ])("include %j", (line) => {
    expect(errorLines(line)).toEqual([line]);
  });

  it.each(["", "GET /health 200", "server started", "terror and mirror", "listening on port 8080"])(
    "exclude %j",
    (line) => {
      expect(errorLines(line)).toEqual([]);
    },
  );
});

describe("the choice of lines", () => {
  it("returns the last four, oldest first", () => {
    const log = ["error one", "fine", "error two", "error three", "error four", "fine", "error five"].join("\n");
    expect(errorLines(log)).toEqual(["error two", "error three", "error four", "error five"]);
  });

  it("returns equal lines once, so that a flood hides nothing", () => {
    const log = ["error: root cause", ...Array<string>(500).fill("error: retry failed")].join("\n");
    expect(errorLines(log)).toEqual(["error: root cause", "error: retry failed"]);
  });

  it("accepts Windows line ends", () => {
    expect(errorLines("error one\r\nfine\r\nerror two\r\n")).toEqual(["error one", "error two"]);
  });

  it("reads the first 240 characters of a line", () => {
    expect(errorLines(`error ${"x".repeat(500)}`)).toEqual([`error ${"x".repeat(234)}`]);
    expect(errorLines(`${"x".repeat(240)} error`)).toEqual([]);
  });

  it("reads the end of a log that is too long", () => {
    const filler = "all is well\n".repeat(20_000);
    expect(errorLines(`error: long ago\n${filler}error: just now`)).toEqual(["error: just now"]);
  });
});

describe("the removal of timestamps and ids", () => {
  it.each([
    ["2026-11-21T10:00:00Z error: x", "error: x"],
    ["2026-11-21 10:00:00,123 ERROR x", "ERROR x"],
    ["2026-11-21T10:00:00.123456+01:00 error", "error"],
    ["[10:00:00.5] error", "[] error"],
    ["error in 3f2504e0-4f89-11d3-9a0c-0305e82c3301", "error in"],
    [`error in container ${"0123456789ab".repeat(2)} now`, "error in container now"],
    ["error\tin   two\t\tplaces", "error in two places"],
  ])("turns %j into %j", (line, expected) => {
    expect(errorLines(line)).toEqual([expected]);
  });

  it("treats lines that differ only in time and id as equal", () => {
    const log = [
      "2026-11-21T10:00:00Z error: job 3f2504e0-4f89-11d3-9a0c-0305e82c3301 failed",
      "2026-11-21T10:00:01Z error: job 7c9e6679-7425-40de-944b-e07fc1f90ae7 failed",
    ].join("\n");
    expect(errorLines(log)).toEqual(["error: job failed"]);
  });

  it("keeps the codes that are worth searching for", () => {
    expect(errorLines("error: exit 137, SQLSTATE 53300, deadbeef")).toEqual([
      "error: exit 137, SQLSTATE 53300, deadbeef",
    ]);
  });
});

describe("any log", () => {
  it("returns at most four distinct lines of at most 240 characters", () => {
    const line = fc.oneof(fc.string(), fc.constantFrom("error a", "error b", "failed c", "fatal d", "panic e"));
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const results = errorLines(lines.join("\n"));
        expect(results.length).toBeLessThanOrEqual(4);
        expect(new Set(results).size).toBe(results.length);
        for (const result of results) expect(result.length).toBeLessThanOrEqual(240);
      }),
    );
  });

  it.each(["error ", "1", "a", " ", "2026-11-21 ", "10:00:00.", "\n", "exit ", "a-"])(
    "handles 200 kB of %j",
    (unit) => {
      expect(errorLines(unit.repeat(200_000 / unit.length)).length).toBeLessThanOrEqual(4);
    },
  );
});
