import { describe, expect, it } from "vitest";
import { weighMechanisms } from "../../../../lib/mechanisms/weigh-mechanisms.ts";

const weigh = (log: string, headline = "", errorLines: readonly string[] = []) =>
  weighMechanisms({ headline, errorLines, log });
const weightOf = (name: string, ...failure: Parameters<typeof weigh>) => weigh(...failure).get(name) ?? 0;
const harmlessLines = (count: number) => Array.from({ length: count }, (_, i) => `step ${"x".repeat(i + 1)} done`);

describe("weighMechanisms", () => {
  it("reads the headline, the error lines and the other lines of the log", () => {
    const weights = weigh("GET / 200\nwrite: no space left on device", "billing OOMKilled", ["jwt expired"]);
    expect([...weights.keys()]).toEqual(expect.arrayContaining(["memory-exhausted", "disk-full", "token-expired"]));
  });

  it("gives a further line less weight than the first", () => {
    const one = weightOf("deadlock", "deadlock detected");
    const two = weightOf("deadlock", "deadlock detected\nchosen as deadlock victim");
    expect(two).toBeGreaterThan(one);
    expect(two).toBeLessThan(2 * one);
  });

  it("counts lines that differ in numbers alone once, and an error line once", () => {
    const line = "worker 12: deadlock detected after 40 ms";
    const once = weightOf("deadlock", line);
    expect(weightOf("deadlock", `${line}\n${line.replace("12", "13")}`)).toBe(once);
    expect(weightOf("deadlock", `10:04:11 ${line}`, "", [line])).toBe(once);
  });

  it("reads no place in code", () => {
    expect(weigh("    at parseError (/app/node_modules/redis-parser/lib/parser.js:179:12)").size).toBe(0);
  });

  it("reads the first and the last lines of a very long log", () => {
    const lines = harmlessLines(500);
    expect(weightOf("deadlock", ["deadlock detected", ...lines].join("\n"))).toBeGreaterThan(0);
    expect(weightOf("deadlock", [...lines, "deadlock detected"].join("\n"))).toBeGreaterThan(0);
  });

  it("weighs a symptom less than a cause", () => {
    expect(weightOf("timed-out", "the request timed out")).toBeGreaterThan(0);
    expect(weightOf("timed-out", "the request timed out")).toBeLessThan(weightOf("rate-limited", "requests throttled"));
  });

  it("gives a part of the weight to coarser mechanisms", () => {
    const weights = weigh("certificate signed by unknown authority");
    expect(weights.get("tls-failure")).toBeGreaterThan(0);
    expect(weights.get("tls-failure")).toBeLessThan(weights.get("tls-untrusted") ?? 0);
  });

  it("is empty for an empty failure", () => {
    expect(weigh("").size).toBe(0);
  });
});
