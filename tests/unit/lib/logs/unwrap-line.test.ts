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

  it.each<[string, Record<string, unknown>]>([
    ["FATAL", { level: 60 }],
    ["ERROR", { level: 50 }],
    ["WARN", { level: 40 }],
    ["INFO", { level: 30 }],
    ["ERROR", { severityLevel: 3 }],
    ["WARN", { severityLevel: 2 }],
    ["INFO", { severityLevel: 1 }],
    ["CRITICAL", { PRIORITY: "2" }],
    ["ERROR", { PRIORITY: "3" }],
    ["WARN", { PRIORITY: "4" }],
    ["INFO", { PRIORITY: "6" }],
    ["ERROR", { "@l": "E" }],
    ["DEBUG", { level: "Verbose" }],
  ])("have the level %s of %j", (level, record) => {
    expect(piecesOf(JSON.stringify({ ...record, msg: "boom" }))?.map(({ text }) => text)).toEqual([`${level} boom`]);
  });

  it.each<[string, unknown, string[]]>([
    ["a status of HTTP, which is no level", { status: 60, msg: "boom" }, ["status: 60", "boom"]],
    [
      "the conditions of an object",
      { type: "Ready", status: "False", reason: "Down", message: "boom" },
      ["Ready False Down boom"],
    ],
    ["the items of a list", [{ msg: "boom" }, { msg: "bang" }], ["boom", "bang"]],
    ["the name of an error that is an object", { err: { name: "TimeoutError" } }, ["TimeoutError"]],
    ["a name that is no failure", { logger: { name: "error-log" }, msg: "boom" }, ["boom"]],
    ["JSON behind a text", { msg: 'failed {"error":"boom"}' }, ["boom", "failed"]],
    ["JSON alone in a text", { msg: 'x\n{"error":"boom"}' }, ["x", '{"error":"boom"}']],
    ["settings, which are left out", { annotations: { error: "x" }, msg: "boom" }, ["boom"]],
  ])("are those of %s", (_, record, texts) => {
    expect(piecesOf(JSON.stringify(record))?.map(({ text }) => text)).toEqual(texts);
  });

  it("mark the innermost cause of a stack trace", () => {
    const trace = "app.Failed: outer\n\tat a.B.c(B.java:1)\nCaused by: app.Gone: inner\n\tat d.E.f(E.java:2)\nmore";
    expect(piecesOf(JSON.stringify({ stack_trace: trace }))).toEqual([
      { text: "app.Failed: outer", isMessage: true, isRoot: false },
      { text: "Caused by: app.Gone: inner", isMessage: true, isRoot: true },
      { text: "more", isMessage: false, isRoot: false },
    ]);
  });

  it("read JSON that was escaped once more", () => {
    const twice = JSON.stringify(JSON.stringify({ msg: "boom", error: "line one\nline two" })).slice(1, -1);
    expect(piecesOf(`app: ${twice}`)?.map(({ text }) => text)).toEqual(["app:", "boom", "line one", "line two"]);
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
