import { describe, expect, it } from "vitest";
import { readEvidence } from "../../../../lib/logs/read-evidence.ts";
import { contentStart, piecesOf } from "../../../../lib/logs/unwrap-line.ts";

function linesOf(...logs: string[]) {
  return readEvidence({ headline: "", logs: logs.join("\n"), target: null, labels: {} }).lines;
}

describe("a line without what forwarded it", () => {
  it.each([
    ["shop-1   | panic: boom", "panic: boom"],
    ["[pod/shop-0/shop] panic: boom", "panic: boom"],
    ["2026-11-18T15:18:02.1140021Z ##[error]boom", "##[error]boom"],
    ["2026-11-18T15:18:02Z boom", "2026-11-18T15:18:02Z boom"],
    [" primary | down | 3", " primary | down | 3"],
  ])("begins in %s", (line, content) => {
    expect(line.slice(contentStart(line, 0))).toBe(content);
  });

  it("holds the messages of texts within texts, with the level of their record", () => {
    const inner = JSON.stringify({
      level: 50,
      msg: "request failed",
      err: { stack: "TypeError: x\n    at f (a.js:1:2)" },
    });
    const texts = piecesOf(JSON.stringify({ time: "2026-11-18T15:18:02Z", log: inner }))?.map(({ text }) => text);
    expect(texts).toEqual(["ERROR request failed", "ERROR TypeError: x"]);
  });

  it("is null without JSON", () => {
    expect(piecesOf("level=error msg=boom")).toBeNull();
  });
});

describe("error lines", () => {
  it("leave out counts of zero and empty errors within JSON", () => {
    const [first] = linesOf(JSON.stringify({ body: JSON.stringify({ msg: "check", errorCount: 0, lastError: null }) }));
    expect(first?.weight ?? 0).toBeLessThan(0.2);
  });

  it("take the time from the line above a stack trace", () => {
    const [first] = linesOf("2026-11-18 03:00:00 ERROR roll", "java.io.IOException: disk gone", "\tat a.B.c(B.java:1)");
    expect(first).toMatchObject({ text: "java.io.IOException: disk gone", time: "2026-11-18 03:00:00" });
  });

  it("put a failure of days ago behind the newest one once the work went on", () => {
    const [first, second] = linesOf(
      "2026-11-22 03:00:00 ERROR upload: no space left on device",
      "2026-11-23 03:00:00 INFO uploaded 12 files",
      "2026-11-25 03:00:00 ERROR upload: connection refused by objects",
    );
    expect(first?.text).toContain("connection refused");
    expect(second?.weight).toBeLessThan(0.5);
  });
});
