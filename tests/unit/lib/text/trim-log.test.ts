import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isErrorLine } from "../../../../lib/logs/fold-lines.ts";
import { trimLog } from "../../../../lib/logs/trim-log.ts";

const numbered = (count: number, word = "step") =>
  Array.from(
    { length: count },
    (_, i) => `${word} ${"abcdefghij"[i % 10]}${"klmnopqrst"[Math.floor(i / 10) % 10]} x${i}x`,
  );

describe("a log that fits", () => {
  it.each(["", "one line", "one\ntwo\n", "one\r\ntwo\r\n", "  \n\n  x", "a\na\n", "\n"])("is unchanged: %j", (log) => {
    expect(trimLog(log, 200)).toEqual({ text: log, linesOmitted: 0, linesFolded: 0 });
  });

  it.each([
    ["process exited with code 1", "process exited with code 137"],
    ["GET /health status=200", "GET /health status=503"],
    ["ERROR: errno 28 on write of the block", "ERROR: errno 13 on write of the block"],
  ])("keeps lines that differ in an error code: %j, %j", (first, second) => {
    const log = [first, second, first, second].map((line) => `${line} ${"and so on ".repeat(8)}`);
    expect(trimLog([first, second, second].join("\n"), 4_000).text).toContain(`${first}\n${second}`);
    expect(trimLog(log.join("\n"), 4_000).text).toContain(second);
  });

  it("is unchanged at exactly the maximum length", () => {
    const log = `${"x".repeat(199)}\n`;
    expect(trimLog(log, 200).text).toBe(log);
    expect(trimLog(`${log}y`, 200).text).not.toBe(log);
  });
});

describe("repeated lines", () => {
  it("are folded when they differ only in time, ids and numbers, with the time of the last line", () => {
    const lines = Array.from(
      { length: 42 },
      (_, i) => `2026-11-21T10:00:${String(i).padStart(2, "0")}Z dial tcp 10.0.0.${i}:5432 refused, pid ${i * 7}`,
    );
    expect(trimLog(["starting", ...lines, "giving up"].join("\n"), 4_000)).toEqual({
      text: `starting\n${lines[0]}\n… [repeated 41 more times, last at 2026-11-21T10:00:41Z]\ngiving up`,
      linesOmitted: 0,
      linesFolded: 41,
    });
  });

  it("are folded without a time when they have none", () => {
    const log = Array<string>(3).fill("connection to the database was refused").join("\r\n");
    expect(trimLog(log, 200).text).toBe("connection to the database was refused\n… [repeated 2 more times]");
  });

  it("are folded in blocks of two and three", () => {
    const block = ["GET /health from the load balancer", "  at handler (server.js)", "  at next (router.js)"];
    const three = [...Array<string[]>(5).fill(block).flat(), block[0], "end"].join("\n");
    expect(trimLog(three, 900)).toEqual({
      text: [...block, "… [3 lines repeated 4 more times]", block[0], "end"].join("\n"),
      linesOmitted: 0,
      linesFolded: 12,
    });
    const two = Array<string[]>(9).fill(block.slice(0, 2)).flat().join("\n");
    expect(trimLog(two, 900).text).toBe([...block.slice(0, 2), "… [2 lines repeated 8 more times]"].join("\n"));
  });

  it("stay when the marker would be longer", () => {
    expect(trimLog("ok\nok\nok\nend", 200).text).toBe("ok\nok\nok\nend");
  });

  it("stay when words differ", () => {
    const log =
      "could not reach the database server\ncould not reach the cache server\ncould not reach the queue server";
    expect(trimLog(log, 200).text).toBe(log);
  });

  it("count once", () => {
    expect(
      trimLog("the connection was refused by the server\nthe connection was refused by the server", 200).text,
    ).toBe("the connection was refused by the server\n… [repeated 1 more time]");
  });
});

describe("long lines", () => {
  it("are cut in the middle, to the available length", () => {
    const { text, linesOmitted } = trimLog(`start\n${"a".repeat(5_000)}${"z".repeat(5_000)}\nend`, 1_000);
    expect(text).toMatch(/^start\na+… \[9,5\d\d characters left out\]z+\nend$/);
    expect(text.length).toBeGreaterThan(450);
    expect(linesOmitted).toBe(0);
  });

  it("are never cut within a character", () => {
    for (let shift = 0; shift < 4; shift++) {
      const { text } = trimLog(`${"a".repeat(shift)}${"😀".repeat(1_000)}`, 300);
      expect(text.length).toBeLessThanOrEqual(300);
      expect(text.isWellFormed()).toBe(true);
    }
  });
});

describe("a log that is too long", () => {
  it("keeps its start, its end and the lines around errors, and counts the rest", () => {
    const lines = numbered(400);
    lines[200] = "Error: pool exhausted";
    const { text, linesOmitted } = trimLog(lines.join("\n"), 600);
    const kept = text.split("\n");
    expect(kept.slice(0, 3)).toEqual(lines.slice(0, 3));
    expect(kept.slice(3, 10)).toEqual([
      "… [195 lines left out]",
      ...lines.slice(198, 203),
      expect.stringMatching(/^… \[\d+ lines left out\]$/),
    ]);
    expect(kept.at(-1)).toBe(lines.at(-1));
    expect(kept.filter((line) => !line.startsWith("…")).length + linesOmitted).toBe(400);
  });

  it("keeps the first and the last of too many errors", () => {
    const failures = numbered(400, "error");
    const { text } = trimLog(["starting", ...failures, "stopped"].join("\n"), 800);
    expect(text).toContain(`${failures[0]}\n`);
    for (const failure of failures.slice(-10)) expect(text).toContain(failure);
    expect(text).not.toContain(failures[200]);
  });

  it("writes large counts with commas", () => {
    expect(trimLog(numbered(5_000).join("\n"), 500).text).toMatch(/^… \[4,\d{3} lines left out\]$/m);
  });

  it("keeps the last line and the last error at the smallest length", () => {
    const lines = numbered(1_000).map((line) => line.repeat(20));
    lines[500] = `error: ${"x".repeat(500)}`;
    const { text } = trimLog(lines.join("\n"), 200);
    expect(text).toContain("error: xxx");
    expect(text.split("\n").at(-1)?.slice(0, 10)).toBe(lines.at(-1)?.slice(0, 10));
  });

  it("never cuts the markers of repetitions", () => {
    const block = (i: number) => {
      const lines = [`2026-11-21T10:00:0${i}Z a${i}a ${"x".repeat(60)}`, `2026-11-21T10:00:0${i}Z b${i}b`];
      return Array<string[]>(4).fill(lines).flat();
    };
    for (let length = 200; length < 420; length++) {
      const { text } = trimLog([block(1), block(2)].flat().join("\n"), length);
      expect(text.length).toBeLessThanOrEqual(length);
    }
  });

  it.each([199, 0, -1, Number.NaN])("rejects a maximum length of %d", (length) => {
    expect(() => trimLog("x", length)).toThrow(RangeError);
  });
});

const line = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.integer({ min: 0, max: 5_000 }).map((i) => `2026-11-21T10:00:00Z request q${i}q served in ${i} ms`),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "GET /health returned a status of 200 to the probe",
      "connection refused by upstream server db-1",
      "",
      "ok",
    ),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 400 }).map((i) => `ERROR job j${i}j failed`) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n]/g, " ")) },
  { weight: 1, arbitrary: fc.integer({ min: 200, max: 3_000 }).map((length) => `dump ${"😀x".repeat(length)}`) },
);
const block = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 30 }))
  .map(([lines, times]) => Array<string[]>(times).fill(lines).flat());
const anyLog = fc.array(block, { minLength: 1, maxLength: 40 }).map((blocks) => blocks.flat());
const anyLength = fc.integer({ min: 200, max: 6_000 });

/** The lines except markers, reduced to the text before a cut. */
function keptLines(text: string): string[] {
  return text
    .split("\n")
    .filter((each) => !/^… \[.*(?:lines? left out|more times?.*)\]$/.test(each))
    .map((each) => each.split("… [")[0] ?? "");
}

describe("any log", () => {
  it("stays within the length, also when trimmed twice", () => {
    fc.assert(
      fc.property(anyLog, anyLength, (lines, length) => {
        const { text } = trimLog(lines.join("\n"), length);
        expect(text.length).toBeLessThanOrEqual(length);
        expect(text.isWellFormed()).toBe(true);
        expect(trimLog(text, length).text.length).toBeLessThanOrEqual(length);
      }),
    );
  });

  it("stays within the length for any content", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), anyLength, (parts, length) => {
        expect(trimLog(parts.join("\n").repeat(20), length).text.length).toBeLessThanOrEqual(length);
      }),
    );
  });

  it("keeps, folds or leaves out each line", () => {
    fc.assert(
      fc.property(anyLog, anyLength, (lines, length) => {
        const log = `${lines.join("\n")}\nend of log`;
        const { text, linesOmitted, linesFolded } = trimLog(log, length);
        expect(keptLines(text).length + linesOmitted + linesFolded).toBe(lines.length + 1);
      }),
    );
  });

  it("keeps its order", () => {
    fc.assert(
      fc.property(anyLog, anyLength, (lines, length) => {
        let from = 0;
        for (const kept of keptLines(trimLog(lines.join("\n"), length).text)) {
          const at = lines.findIndex((each, i) => i >= from && each.startsWith(kept));
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + 1;
        }
      }),
    );
  });

  it("keeps its last line and its last error, or the line that they repeat", () => {
    const blank = (text: string) => text.replace(/\d+/g, "0").slice(0, 15);
    fc.assert(
      fc.property(anyLog, anyLength, (lines, length) => {
        const log = [...lines, "and so it ended"];
        const kept = keptLines(trimLog(log.join("\n"), length).text).map(blank);
        expect(kept.at(-1)).toBe(blank("and so it ended"));
        const failure = log.findLast(isErrorLine);
        if (failure !== undefined) expect(kept).toContain(blank(failure));
      }),
    );
  });

  it.each([
    "\n",
    "a\n",
    "error\n",
    "error",
    "😀",
    "1",
    "10:00:00.",
    "2026-11-21T10:00:00.1",
    "0123456789ab ",
    "a\nbb\n",
    "a\nbb\nccc\n",
    "x1x\r\n",
    "0x",
    "\r",
  ])("stays within the length for 200 kB of %j", (unit) => {
    const log = unit.repeat(200_000 / unit.length);
    for (const length of [200, 8_000]) expect(trimLog(log, length).text.length).toBeLessThanOrEqual(length);
  });

  it("stays within the length for 200,000 different lines", () => {
    const log = Array.from({ length: 200_000 }, (_, i) => `e${i}e error`).join("\n");
    const { text, linesOmitted } = trimLog(log, 8_000);
    expect(text.length).toBeLessThanOrEqual(8_000);
    expect(text.split("\n").at(-1)).toBe("e199999e error");
    expect(keptLines(text).length + linesOmitted).toBe(200_000);
  });
});
