import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createEvidenceForms } from "../../../../bench/support/evidence-forms.ts";
import { MAX_ERROR_LINES, readEvidence } from "../../../../lib/logs/read-evidence.ts";
import { scanLog } from "../../../../lib/logs/scan-log.ts";
import { WordScanner } from "../../../../lib/logs/word-scanner.ts";

const read = (logs: string, report: { headline?: string; target?: string } = {}) =>
  readEvidence({ headline: report.headline ?? "It fails", logs, target: report.target ?? null, labels: {} });
const textsOf = (logs: string) => read(logs).lines.map(({ text }) => text);

describe("an error line", () => {
  it.each(["ModuleNotFoundError: No module named 'shop'", "    refund_test.go:21: got 1190, want 1290"])(
    "may be %j",
    (line) => {
      expect(read(`--- it ended\n${line}`).lines.find(({ text }) => text === line.trim())?.weight).toBeGreaterThan(0.5);
    },
  );

  it("may be the output of a build step, which begins as the frame of a stack trace does", () => {
    const step =
      "#12 3.214 E: Failed to fetch http://deb.debian.org/InRelease  Temporary failure resolving 'deb.debian.org'";
    expect(textsOf(`#12 [builder 5/9] RUN apt-get update\n${step}\n#12 DONE 3.4s`)).toContain(step);
    expect(textsOf("Exception: it failed\n#0 /app/src/FailedJob.php(12): fail('error')\n#1 {main}")).toEqual([
      "Exception: it failed",
    ]);
  });

  it("comes before a heavier one that says less", () => {
    const short = "FATAL startup failed";
    const detailed =
      "ERROR private key /etc/haproxy/certs/shop.pem does not match the certificate of frontend shop, bind on port 443 failed";
    const { lines } = read([short, detailed].join("\n"));
    expect(lines.map(({ text }) => text)).toEqual([detailed, short]);
    expect(lines[0]?.weight).toBeLessThan(lines[1]?.weight ?? 0);
  });

  it("has its text, place, time and count", () => {
    const log = [
      "2026-11-21T10:00:00Z INFO ready",
      "2026-11-21T10:00:01Z ERROR job 7 failed: quota exceeded",
      "2026-11-21T10:00:02Z ERROR job 8 failed: quota exceeded",
      "2026-11-21T10:00:03Z ERROR job 9 failed: quota exceeded",
    ].join("\n");
    expect(read(log).lines).toEqual([
      {
        text: "2026-11-21T10:00:01Z ERROR job 7 failed: quota exceeded",
        line: 2,
        time: "2026-11-21T10:00:01Z",
        count: 3,
        weight: expect.any(Number),
      },
    ]);
  });

  it.each([
    ["2026/11/21 10:00:00 [error] 31#31: upstream failed", "2026/11/21 10:00:00"],
    ["[21/Nov/2026:10:00:00 +0000] error: upstream failed", "21/Nov/2026:10:00:00 +0000"],
    ["Nov 21 10:00:00 web-1 shop[4]: bind failed", "Nov 21 10:00:00"],
    ["E1121 10:00:00.000123       1 main.go:7] watch failed", "1121 10:00:00.000123"],
    ["[ 8124.120991] I/O error, dev sdb", "8124.120991"],
    ['{"level":"error","ts":1795230001.2,"msg":"token expired"}', "1795230001.2"],
    ["10:00:00,123 ERROR disk failed", "10:00:00,123"],
    ["disk failed", null],
  ])("shows the time of %j", (line, time) => {
    expect(read(line).lines[0]?.time).toBe(time);
  });

  it("is not cut", () => {
    const line = `error: ${"a long reason of many words ".repeat(40)}and its end`;
    expect(textsOf(line)).toEqual([line]);
  });

  it("is a sentence of a line that is a data dump", () => {
    const dump = `{"a": "${"filler ".repeat(2_000)}", "message": "disk quota exceeded on vol-7", "b": "${"filler ".repeat(900)}"}`;
    const [line] = textsOf(dump);
    expect(line).toContain("disk quota exceeded on vol-7");
    expect(line?.length).toBeLessThan(700);
    expect(dump).toContain(line);
  });

  it("weighs and reads as without a marker, and keeps the marker for people", () => {
    const log = "INFO ready\nFATAL: password authentication failed for user app\nINFO bye";
    const marked = log.replace("user app", "user [REDACTED_EMAIL] app");
    const [line, ...others] = read(marked).lines;
    expect(others).toEqual([]);
    expect(line).toEqual({
      ...read(log).lines[0],
      marked: "FATAL: password authentication failed for user [REDACTED_EMAIL] app",
    });
  });

  it("is neither split nor moved by a line that is only a marker", () => {
    const trace = ["java.lang.IllegalStateException: pool is closed", "    at com.acme.Pool.take(Pool.java:7)", "bye"];
    const marked = [trace[0], "[REDACTED_TOKEN]", ...trace.slice(1), "ERROR disk failed"].join("\n");
    const plain = [...trace, "ERROR disk failed"].join("\n");
    const lines = read(plain).lines.map((line) => (line.line > 1 ? { ...line, line: line.line + 1 } : line));
    expect(read(marked).lines).toEqual(lines);
  });

  it("holds no order to a terminal", () => {
    expect(textsOf("\u001b[31mERROR\u001b[0m disk failed\u0007")).toEqual(["ERROR disk failed"]);
  });
});

describe("the choice of lines", () => {
  it("puts the cause before its consequences", () => {
    const log =
      "Back-off restarting failed container\nexit code 1\nno space left on device\nReadiness probe failed: HTTP 503";
    expect(textsOf(log)[0]).toBe("no space left on device");
  });

  it("has the hint of a database below its error", () => {
    const logs = "ERROR:  out of shared memory\nHINT:  You might need to increase max_locks_per_transaction.\nexit 1";
    const { lines } = readEvidence({ headline: "dump fails", logs, target: null, labels: {} });
    expect(lines.slice(0, 2).map(({ line }) => line)).toEqual([1, 2]);
  });

  it("counts repeats, so that a flood hides nothing", () => {
    const log = [
      ...Array.from({ length: 500 }, (_, i) => `ERROR request ${i} failed`),
      "ERROR certificate expired",
    ].join("\n");
    expect(textsOf(log)).toContain("ERROR certificate expired");
    expect(read(log).lines.find(({ text }) => text.includes("request"))?.count).toBe(500);
  });

  it("reads the whole log", () => {
    const filler = "all is well\n".repeat(60_000);
    expect(textsOf(`error: long ago the disk broke\n${filler}error: just now`)).toHaveLength(2);
  });

  it("accepts Windows line ends", () => {
    expect(textsOf("error one is here\r\nfine\r\nfatal two\r\n")).toEqual(["fatal two", "error one is here"]);
  });

  it("keeps the lines of a short log without error lines, with little weight", () => {
    const { lines } = read("first thing\n\nsecond thing");
    expect(lines.map(({ text, line }) => [text, line])).toEqual([
      ["first thing", 1],
      ["second thing", 3],
    ]);
    expect(Math.max(...lines.map(({ weight }) => weight))).toBeLessThan(0.2);
  });

  it("keeps no line of a longer log without error lines", () => {
    expect(textsOf("order accepted\n".repeat(11))).toEqual([]);
  });

  it.each([
    "Restart Count:  0",
    "error: null",
    '"failures": 0,',
    "errors=0",
    "code=exited, status=0/SUCCESS",
    "Liveness: http-get http://:8080/healthz delay=0s timeout=1s period=10s #success=1 #failure=3",
    "no errors in the last hour",
    "finished without timeout",
    "0 failed",
    "connectTimeout: 30s",
    "max_retries=5",
    "\tat com.example.ErrorHandler.fail(ErrorHandler.java:7)",
    "terror and mirror",
    "GET /health 200",
    "[ 812.100200] perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79500",
    "LevelDisplayName : Error",
    "link: http://prometheus.example/graph?g0.expr=errors",
    "errors: No known data errors",
    "TASK [stop if errors were found] ***************",
    "test auth::rejects_invalid_token ... ok",
    "--- PASS: TestTimeoutIsReported (0.02s)",
    'GET "/errors/timeout.html" 200',
    "qmgr: 4Xn0Q: from=<errors@shop.example>, size=2210",
  ])("gives %j no weight", (line) => {
    expect(Math.max(0, ...read(line).lines.map(({ weight }) => weight))).toBeLessThan(0.2);
  });

  it.each([
    "Deleting pod failed-import-1 as requested",
    "[2026-11-26 08:05:00,017: INFO/MainProcess] request rejected",
    "2026.11.26 10:10:08.117402 [ 733 ] <Debug> request rejected",
    "I/flutter (14022): request rejected",
  ])("gives the words of a name or below their level less than a failure: %j", (line) => {
    expect(Math.max(0, ...read(line).lines.map(({ weight }) => weight))).toBeLessThan(0.5);
  });

  it.each(['cpu_throttled_total{pod="shop-1"} 51200', "kernel: java invoked oom-killer: order=0"])(
    "gives a reading, and a word that needs no other, their full weight: %j",
    (line) => {
      expect(read(line).lines[0]?.weight).toBeGreaterThan(0.5);
    },
  );

  it("reads a row in no known state by its words", () => {
    const row = "disk-a2    FAULTED   71   204     3  too many errors";
    expect(textsOf(`NAME       STATE   READ WRITE CKSUM\ndisk-a1    ONLINE     0     0     0\n${row}`)[0]).toBe(row);
  });

  it("puts the reason of a command above its exit code, whatever the code", () => {
    const reason = "E: Unable to locate package libfoo-dev";
    expect(textsOf(`${reason}\nERROR: process "apt-get install" did not complete: exit code: 100`)[0]).toBe(reason);
  });
});

describe("any log", () => {
  afterEach(() => vi.restoreAllMocks());

  const anyLine = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "error a",
      "Caused by: x.Error: b",
      "NAME  READY  STATUS",
      "a  0/1  Error  3",
      "Tolerations: x",
      "+---+",
    ),
    fc.constantFrom(
      "$ run",
      "Traceback (most recent call last):",
      "\tat a.b(c)",
      '{"error":',
      "Warning  Failed  3m  x  y",
    ),
  );

  it("gives at most twelve lines of it", () => {
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 60 }), (parts) => {
        const log = parts.join("\n");
        const { lines } = read(log);
        expect(lines.length).toBeLessThanOrEqual(MAX_ERROR_LINES);
        const numbered = log.split("\n");
        const withoutControls = (text: string) => text.replace(/\p{Cc}(?:\[[0-9;]*[A-Za-z])?/gu, "");
        for (const { text, line, count, weight } of lines) {
          expect(withoutControls(numbered[line - 1] ?? "")).toContain(withoutControls(text));
          expect(count).toBeGreaterThanOrEqual(1);
          expect(weight).toBeGreaterThan(0);
          expect(weight).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  const LENGTH = 60_000;

  it.each(Object.entries(createEvidenceForms(LENGTH)))("is read once, and few lines closely: %s", (_, log) => {
    const scan = vi.spyOn(WordScanner.prototype, "scan");
    const { candidates, states } = scanLog(log, ["api"]);
    const characters = scan.mock.calls.reduce((sum, [, start, end]) => sum + (end - start), 0);
    expect(characters).toBeLessThanOrEqual(log.length);
    expect(candidates.length).toBeLessThanOrEqual(400);
    expect(states.length).toBeLessThanOrEqual(200);
    for (const { text } of candidates) expect(text.length).toBeLessThanOrEqual(2_000);
  });
});
