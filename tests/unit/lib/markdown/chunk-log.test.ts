import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chunkLog } from "../../../../lib/markdown/chunk-log.ts";
import { weightOf } from "../../../../lib/text/text-weight.ts";

const line = fc.oneof(
  fc.lorem({ maxCount: 8 }),
  fc.constantFrom(
    "2026-11-21T03:00:00Z INFO web started",
    "2026-11-21T03:00:01Z ERROR web cannot connect: ECONNREFUSED",
    "java.lang.NullPointerException: name is null",
    "\tat com.example.Web.start(Web.java:12)",
    "Caused by: java.io.IOException: closed",
    "Traceback (most recent call last):",
    '  File "/app/web.py", line 3, in start',
    "ValueError: no port",
    "",
    "main.main()",
  ),
  fc.string({ unit: "grapheme", maxLength: 60 }).filter((text) => !/[\n\r]/.test(text)),
);
const log = fc.array(line, { maxLength: 80 }).map((lines) => lines.join("\n"));
const size = fc.integer({ min: 20, max: 80 });

const TRACE = [
  "2026-11-21T03:05:10Z ERROR web request failed",
  "java.lang.IllegalStateException: pool is empty",
  "\tat com.example.Pool.take(Pool.java:40)",
  "\tat com.example.Web.handle(Web.java:12)",
  "Caused by: java.net.SocketTimeoutException: connect timed out",
  "\t... 12 more",
];

describe("chunkLog", () => {
  it("returns the first and last timestamp of each chunk", () => {
    const lines = ["2026-11-21T03:00:00Z web started", "no time here", "2026-11-21T03:05:10Z web stopped"];
    expect(chunkLog(lines.join("\n"), 400)).toEqual([
      { times: "2026-11-21T03:00:00Z to 2026-11-21T03:05:10Z", body: lines.join("\n") },
    ]);
    expect(chunkLog("[INFO] 03:00:00 up", 400)[0]?.times).toBe("03:00:00");
    expect(chunkLog("nothing\nmore", 400)[0]?.times).toBeNull();
  });

  it("keeps a stack trace in one chunk where it fits", () => {
    const before = Array.from(
      { length: 6 },
      (_, i) => `2026-11-21T03:00:0${i}Z INFO step ${"abc".repeat(i + 1)} is done`,
    );
    const chunks = chunkLog([...before, ...TRACE].join("\n"), 40);
    expect(chunks.map(({ body }) => body).filter((body) => body.includes("pool is empty"))).toEqual([TRACE.join("\n")]);
  });

  it.each([
    [
      "Python",
      [
        "ERROR worker died",
        "Traceback (most recent call last):",
        '  File "/app/w.py", line 3, in run',
        "ValueError: no",
      ],
    ],
    ["Go", ["panic: nil map", "", "goroutine 1 [running]:", "main.main()", "\t/app/main.go:12 +0x1d"]],
    ["JavaScript", ["TypeError: x is undefined", "    at start (/app/web.js:3:9)", "    at main (/app/web.js:9:1)"]],
  ])("recognises a stack trace of %s", (_, trace) => {
    const weight = trace.reduce((sum, each) => sum + weightOf(each), 0);
    const filler = Array.from(
      { length: 30 },
      (_, i) => `line ${"abcdefgh".slice(0, (i % 8) + 1)} says ${i % 7 === 0 ? "a" : "b"}`,
    );
    const bodies = chunkLog([...filler, ...trace].join("\n"), weight + 2).map(({ body }) => body);
    expect(bodies.some((body) => body.includes(trace.join("\n")))).toBe(true);
  });

  it("folds lines that differ only in timestamps and counters", () => {
    const health = Array.from(
      { length: 500 },
      (_, i) => `2026-11-21T03:${String(i % 60).padStart(2, "0")}:00Z GET /health 200 in ${i} ms`,
    );
    const [chunk, ...rest] = chunkLog([...health, "2026-11-21T04:00:00Z FATAL out of memory"].join("\n"), 400);
    expect(rest).toEqual([]);
    expect(chunk?.body).toContain("repeated 499 more times");
    expect(chunk?.body).toContain("FATAL out of memory");
  });

  it("splits a line only if the line alone is too long", () => {
    const chunks = chunkLog(`short\n${"word ".repeat(100)}`, 40);
    expect(chunks.map(({ body }) => weightOf(body))).toEqual([1, 40, 40, 20]);
  });

  it("returns no chunk for a blank log", () => {
    for (const blank of ["", "\n\n", "  \n"]) expect(chunkLog(blank, 40)).toEqual([]);
  });

  it("keeps all distinct lines and splits no line that fits", () => {
    fc.assert(
      fc.property(log, size, (text, most) => {
        const chunks = chunkLog(text, most);
        const lines = new Set(chunks.flatMap(({ body }) => body.split("\n")).map((each) => each.trim()));
        const fold = (each: string) => each.replace(/\d+|\S*[0-9a-f-]{12,}\S*/g, "");
        const folded = new Set([...lines].map(fold));
        for (const each of text.split(/\r?\n/)) {
          if (each.trim() === "" || weightOf(each) > most) continue;
          expect(lines.has(each.trim()) || folded.has(fold(each.trim()))).toBe(true);
        }
      }),
    );
  });

  it("stays within the size, has no empty chunks and is deterministic", () => {
    fc.assert(
      fc.property(log, size, (text, most) => {
        const chunks = chunkLog(text, most);
        for (const { body } of chunks) {
          expect(weightOf(body)).toBeLessThanOrEqual(most);
          expect(body.trim()).not.toBe("");
        }
        expect(chunkLog(text, most)).toEqual(chunks);
      }),
    );
  });

  it.each([
    ["open brackets", "(".repeat(524_288)],
    ["lines of brackets", `${"(".repeat(300)}\n`.repeat(1_700)],
    ["line ends", "\n".repeat(524_288)],
    ["one frame after the other", "\tat com.example.Web.start(Web.java:12)\n".repeat(13_000)],
  ])("handles %s quickly", (_, text) => {
    expect(chunkLog(text, 400).every(({ body }) => weightOf(body) <= 400)).toBe(true);
  });
});
