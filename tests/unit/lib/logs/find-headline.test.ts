import { describe, expect, it } from "vitest";
import { readReport } from "../../../../functions/incidents/read-report.ts";
import { findHeadline, MAX_HEADLINE_LENGTH } from "../../../../lib/logs/find-headline.ts";
import { HELD_OUT_SAMPLES } from "./held-out-samples.ts";
import type { PastedSample } from "./pasted-sample.ts";
import { TUNING_SAMPLES } from "./tuning-samples.ts";

/** Samples whose headline is true, and not the one that a person would choose. */
const GAPS = ["curl -v", "dmesg", "failing test of a pipeline"];

const SAMPLES = [...TUNING_SAMPLES, ...HELD_OUT_SAMPLES];

function faultsOf({ text, holds, lacks }: PastedSample): string[] {
  const title = readReport(text)?.title ?? "";
  return [
    ...holds.filter((part) => !title.includes(part)).map((part) => `"${title}" lacks "${part}"`),
    ...lacks.filter((part) => title.includes(part)).map((part) => `"${title}" holds "${part}"`),
  ];
}

describe("the headline of a pasted text", () => {
  it.each(SAMPLES.filter(({ name }) => !GAPS.includes(name)))("names the failure: $name", (sample) => {
    expect(faultsOf(sample)).toEqual([]);
  });

  it.each(SAMPLES)("is one short line without its log prefix: $name", ({ text }) => {
    const title = readReport(text)?.title ?? "";
    expect(title.length).toBeLessThanOrEqual(MAX_HEADLINE_LENGTH);
    expect(title).not.toMatch(/\n|\p{Cc}|^\d{4}-\d{2}|^[[(]?\d{2}:\d{2}|^Traceback|^\s*at /u);
  });
});

describe("findHeadline", () => {
  it.each([
    ["<131>1 2026-11-19T08:14:55.000Z edge-4 charon 211 - - tunnel hq failed", "charon: tunnel hq failed"],
    ["Nov 22 03:41:09.220: tunnel hq failed", "tunnel hq failed"],
    ["[ ERROR ] tunnel hq failed", "tunnel hq failed"],
    ["E/charon (211): tunnel hq failed", "tunnel hq failed"],
    [
      "==> hq: Error: tunnel hq failed\nBuild 'hq' errored: Script exited with status: 1",
      "==> hq: Error: tunnel hq failed",
    ],
  ])("of %j is %j", (text, headline) => {
    expect(findHeadline(text)).toBe(headline);
  });

  it("names the outermost message and the root cause of a trace", () => {
    const trace =
      "a.OuterException: order 7 failed\n\tat a.B.c(B.java:1)\nCaused by: a.MidException: x\n\tat a.B.d(B.java:2)\nCaused by: a.RootException: pool is exhausted\n\t... 3 more";
    expect(findHeadline(trace)).toBe("a.OuterException: order 7 failed; caused by a.RootException: pool is exhausted");
  });

  it("gives a long root cause its room, and names no exception that only holds others", () => {
    const root = `RootException: ${"the pool is exhausted and ".repeat(5)}waits`;
    const trace = (outer: string) =>
      `a.OuterException: ${outer}\n\tat a.B.c(B.java:1)\nCaused by: a.${root}\n\t... 3 more`;
    expect(findHeadline(trace("the order of a customer failed ".repeat(4)))).toMatch(
      new RegExp(`…; caused by a\\.${root}$`),
    );
    expect(findHeadline(trace("One or more errors occurred."))).toBe(`a.${root}`);
  });

  it("quotes a cause once", () => {
    const trace = "E1: write failed: disk full\n    at a (b.js:1:1)\n  [cause]: disk full\n      at c (d.js:1:1)";
    expect(findHeadline(trace)).toBe("E1: write failed: disk full");
  });

  it("names the cause within the JSON of a line", () => {
    const line = {
      t: "2026-11-02T08:00:00Z",
      s: "E",
      msg: "Plan stopped",
      attr: { error: { errmsg: "Sort exceeded the memory limit" } },
    };
    expect(findHeadline(JSON.stringify(line))).toBe("Plan stopped: Sort exceeded the memory limit");
  });

  it("keeps the end of a long chain of causes", () => {
    const chain = `error: ${"failed to prepare the sandbox of the ledger: ".repeat(7)}connection is unauthorized`;
    expect(findHeadline(chain)).toMatch(/^error: failed to prepare .*… failed .*: connection is unauthorized$/);
    const ended = `error: ${"failed to prepare the sandbox of the ledger ".repeat(7)}: connection is unauthorized`;
    expect(findHeadline(ended)).toMatch(/^(?=.{200,240}$)error: failed .*… connection is unauthorized$/);
  });

  it("leaves out what a logger of Ruby writes in front of a message", () => {
    expect(findHeadline("E, [2026-10-17T09:16:36.075484 #14] ERROR -- : Ledger could not be opened")).toBe(
      "Ledger could not be opened",
    );
  });

  it.each([
    [
      'May  1 10:00:00 host app[12]: {"level":"error","msg":"charge failed","err":"timeout"}',
      "app: charge failed: timeout",
    ],
    ['web-1  | {"level":"error","msg":"charge failed","err":"timeout"}', "charge failed: timeout"],
    ['2026-05-01T10:00:00.123456789Z ERROR {"msg":"charge failed","err":"timeout"}', "charge failed: timeout"],
    ['Reconciler error {"error":"timeout of the api"}', "Reconciler error: timeout of the api"],
    [
      "[2026-05-01T10:00:00,000][WARN ][o.e.c.r.a.DiskThresholdMonitor] [node-1] flood stage disk watermark exceeded",
      "flood stage disk watermark exceeded",
    ],
    [
      "[2026-05-01 10:00:00.000][1][error][upstream] remote connection failed: reset",
      "remote connection failed: reset",
    ],
    ["2026-05-01T10:00:00.123456789Z stderr F ValueError: bad id", "ValueError: bad id"],
  ])("leaves out what stands in front of the message of %s", (line, headline) => {
    expect(findHeadline(line)).toBe(headline);
  });

  it("cuts a long message between words", () => {
    const headline = findHeadline(`ERROR ${"payment failed ".repeat(60)}\nINFO end`);
    expect(headline).toMatch(/^payment failed .* (?:payment|failed)…$/);
    expect(headline.length).toBeLessThanOrEqual(MAX_HEADLINE_LENGTH);
  });

  it("is the first line of a log without an error", () => {
    expect(findHeadline("2026-03-01 02:55:10 INFO starting the shop\n2026-03-01 02:55:11 INFO listening")).toBe(
      "starting the shop",
    );
  });
});

it("reads no line below a listing as its row", () => {
  const listing =
    "CONTAINER ID   IMAGE              STATUS                        NAMES\n" +
    "77aa           thumbnailer:1.9    Restarting (1) 4 seconds ago  thumbnailer\n";
  const error = "Error: Cannot find module '/app/dist/server.js' required by the start script";
  expect(findHeadline(`${listing}${error}\n    at Module._load (node:internal/modules/cjs/loader:985:27)`)).toContain(
    "Cannot find module '/app/dist/server.js'",
  );
});
