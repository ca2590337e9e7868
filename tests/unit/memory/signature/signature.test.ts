// The signature of a failure: templates, codes, fingerprint, and whether two signatures are of one failure.

import { describe, expect, it } from "vitest";
import { readSignature, signatureFingerprint } from "../../../../functions/memory/read-signature.ts";
import { isSameFailure } from "../../../../functions/memory/same-failure.ts";
import { codeMeanings, failureCodes } from "../../../../lib/logs/failure-codes.ts";
import { templateOf } from "../../../../lib/logs/line-template.ts";
import { readEvidence } from "../../../../lib/logs/read-evidence.ts";

interface Report {
  readonly title?: string;
  readonly target?: string | null;
  readonly labels?: Readonly<Record<string, string>>;
  readonly logs?: string | null;
}

function signed({ title = "Service availability disruption", target = "checkout", labels = {}, logs = null }: Report) {
  const report = { title, question: null, target, labels, logs };
  const signature = readSignature({ ...report, evidence: readEvidence({ ...report, headline: title }) });
  return {
    signature,
    fingerprint: signatureFingerprint(signature, { ...report, evidence: readEvidence({ ...report, headline: title }) }),
  };
}

const poolLog = (service: string, port: number, day: number) =>
  [
    `2026-02-${day}T03:12:01Z INFO ${service} GET /orders 200 12ms`,
    `2026-02-${day}T03:12:04Z ERROR ${service} could not acquire a connection from pool main within 30000 ms (active ${port % 50}, waiting 7)`,
    `2026-02-${day}T03:12:05Z ERROR ${service} request 4f8a9c0d1e2f3a4b failed: PoolTimeoutError at 10.0.3.${day}:${port}`,
  ].join("\n");
const DISK_LOG =
  "2026-02-11T03:12:04Z FATAL could not write to file pg_wal/xlogtemp.221: No space left on device\n2026-02-11T03:12:05Z LOG server process (PID 221) exited with exit code 2";

it("a link of the monitoring system is no word of the log", () => {
  const logs = "link: http://metrics.example:9090/graph?g0.expr=up\nhttps://wiki.example/page";
  expect(signed({ logs }).signature.words).toEqual([]);
  expect(signed({ logs: `${logs}\nGET https://api.example/orders timed out` }).signature.words).toEqual([
    "get",
    "time",
    "out",
  ]);
});

describe("a template", () => {
  it.each([
    [
      "times and ids",
      "2026-02-11T03:12:04Z request 4f8a9c0d1e2f3a4b failed",
      "2026-03-01T10:00:00Z request 99aa88bb77cc66dd failed",
    ],
    ["addresses and ports", "dial tcp 10.0.3.7:5432 refused", "dial tcp 10.9.1.2:6543 refused"],
    ["quoted names", 'secret "db-a" not found', 'secret "db-b" not found'],
    ["names of pods", "pod checkout-7c9f8d6b5-x2x4z was evicted", "pod checkout-5d8f9c7b6-k9w2p was evicted"],
    ["measured values", "waited 30001 ms for a lock", "waited 29 ms for a lock"],
    ["levels", "ERROR cannot open file", "error: cannot open file"],
    ["counts", "ERROR 12 files are open", "ERROR 14 files are open"],
  ])("leaves out %s", (_, first, second) => {
    expect(templateOf(first, ["checkout"])).toBe(templateOf(second, ["checkout"]));
  });

  it("is that of the message of a line of pairs", () => {
    const message = "cannot submit the change: record already exists";
    const pairs = String.raw`time="2026-02-19T03:12:07Z" level=error msg="${message}\n\tstatus code: 400, request id: 2b1f" zone=a`;
    expect(templateOf(pairs, [])).toBe(templateOf(message, []));
  });

  it("leaves out the names of the affected objects", () => {
    expect(templateOf("checkout lost its leader", ["checkout"])).toBe(templateOf("ledger lost its leader", ["ledger"]));
  });

  it.each([
    ["exit codes", "container exited with code 137", "container exited with code 1"],
    ["statuses", "upstream returned status 502", "upstream returned status 403"],
    ["messages", "No space left on device", "Read-only file system"],
    ["codes of a directory", "LdapErr: bind error, data 532, v3839", "LdapErr: bind error, data 52e, v3839"],
    ["numbers behind a level", "ERROR 1205 (HY000): rerun it", "ERROR 1213 (40001): rerun it"],
    ["numbers of messages", "MSB3027: the build step failed", "MSB4018: the build step failed"],
    ["results of Windows", "Task failed with 0x80070005", "Task failed with 0x80070070"],
  ])("keeps %s", (_, first, second) => {
    expect(templateOf(first, [])).not.toBe(templateOf(second, []));
  });

  it("has the end of a line that wraps its cause in many words, and at most 600 characters", () => {
    const wrapped = `${"calling the next one failed: ".repeat(15)}missing in charts/ directory`;
    expect(templateOf(wrapped, [])).toMatch(/missing in charts\/ directory$/);
    expect(templateOf("broken ".repeat(100_000), []).length).toBeLessThanOrEqual(600);
  });
});

describe("the codes of error lines", () => {
  it("are exit codes, statuses, SQL states, signals and names of errors", () => {
    const codes = failureCodes([
      "container exited with code 137, reason OOMKilled",
      'GET /orders failed: status=503 "upstream unavailable"',
      "ERROR: out of shared memory (SQLSTATE 53200)",
      "java.lang.NullPointerException: order is null",
      "write failed: ENOSPC",
    ]);
    expect(codes).toEqual(
      expect.arrayContaining([
        "exit 137",
        "OOMKilled",
        "status 503",
        "sqlstate 53200",
        "NullPointerException",
        "ENOSPC",
      ]),
    );
  });

  it("are equal for the spellings of one happening", () => {
    const kill = ["Exit Code: 137", "main process exited, code=killed, status=9/KILL", "signal: killed"];
    expect(kill.map((line) => failureCodes([line]).includes("SIGKILL"))).toEqual([true, true, true]);
    const deadline = [
      "rpc error: code = DeadlineExceeded desc = late",
      "grpc-status: 4",
      "grpc_code=DEADLINE_EXCEEDED",
    ];
    expect(deadline.map((line) => failureCodes([line])[0])).toEqual(Array(3).fill("grpc DeadlineExceeded"));
    expect(failureCodes(["FATAL:  53300: sorry"])).toEqual(failureCodes(["failed (SQLSTATE 53300)"]));
    expect(failureCodes(["ERROR: value: no column"])).toEqual([]);
  });

  it("have a meaning where the line does not say it", () => {
    expect(codeMeanings("container exited with code 137")).toEqual([
      "exit 137: SIGKILL: killed at once, often because memory ran out or a stop took too long",
    ]);
    expect(codeMeanings("spawn nginx ENOENT")).toEqual(["ENOENT: no such file or directory"]);
    expect(codeMeanings("ENOENT: no such file or directory, open 'a'")).toEqual([]);
    expect(codeMeanings("container exited with code 3")).toEqual([]);
  });

  it("leave out success and counts", () => {
    const counts = ["returned 404 rows", "Status: 500 of 1000", "status 429/1000", "completed with status 502 tasks"];
    expect(failureCodes(["exit code 0", "HTTP 200", ...counts])).toEqual([]);
    expect(failureCodes(["returned 503 errors", "responded with 502 of upstream"])).toEqual([
      "status 503",
      "status 502",
    ]);
  });
});

describe("a fingerprint", () => {
  it("is equal for one failure of two services, whatever the title", () => {
    const first = signed({ title: "Users report errors", target: "checkout", logs: poolLog("checkout", 5432, 11) });
    const second = signed({ title: "SLO burn rate", target: "ledger", logs: poolLog("ledger", 6543, 19) });
    expect(first.signature.basis).toBe("error_lines");
    expect(second.fingerprint).toBe(first.fingerprint);
  });

  it("differs for two failures of one service under one title", () => {
    const first = signed({ logs: poolLog("checkout", 5432, 11) });
    const second = signed({ logs: DISK_LOG });
    expect(second.fingerprint).not.toBe(first.fingerprint);
  });

  it("of a bare title is equal for an exact repeat only", () => {
    const { signature, fingerprint } = signed({ title: "checkout is down at 03:10" });
    expect(signature.basis).toBe("title");
    expect(signed({ title: "checkout is down at 04:55" }).fingerprint).toBe(fingerprint);
    expect(signed({ title: "checkout is down", target: "ledger" }).fingerprint).not.toBe(fingerprint);
    expect(signed({ title: "checkout is slow at 03:10" }).fingerprint).not.toBe(fingerprint);
  });

  it("of an alert without evidence is equal for the alert on its target, whatever the summary", () => {
    const alert = { labels: { alertname: "KubePodCrashLooping", pod: "checkout-1" } };
    const { signature, fingerprint } = signed({ ...alert, title: "Pod restarted 4 times" });
    expect(signature).toMatchObject({ basis: "alert", alert: "KubePodCrashLooping", kind: "pod" });
    expect(signed({ ...alert, title: "Pod restarted 9 times" }).fingerprint).toBe(fingerprint);
    expect(signed({ ...alert, target: "ledger" }).fingerprint).not.toBe(fingerprint);
  });
});

describe("two signatures", () => {
  it("are of one failure if further lines are the only difference", () => {
    const first = signed({ logs: poolLog("checkout", 5432, 11) });
    const second = signed({
      target: "ledger",
      logs: `${poolLog("ledger", 6543, 19)}\n2026-02-19T03:12:09Z WARN deprecated header x-legacy from client 7`,
    });
    expect(isSameFailure(first.signature, second.signature)).toBe(true);
  });

  it.each([
    ["the decisive lines differ", signed({ logs: DISK_LOG })],
    ["little is known of one", signed({ title: "pool main is exhausted" })],
  ])("are of two failures if %s", (_, other) => {
    expect(isSameFailure(signed({ logs: poolLog("checkout", 5432, 11) }).signature, other.signature)).toBe(false);
  });

  const PENDING =
    "Warning FailedScheduling 0/6 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: not helpful";
  it.each([
    [
      "each has a cause of its own behind a common error",
      `${PENDING}\nNormal FailedBinding no persistent volumes available for this claim and no storage class is set`,
      `${PENDING}\nNormal ExternalProvisioning waiting for a volume to be created, either by external provisioner "nfs.csi.example" or manually`,
    ],
    [
      "one word of the error differs",
      "Warning Unhealthy kubelet Liveness probe failed: HTTP probe failed with statuscode: 503",
      "Warning Unhealthy kubelet Readiness probe failed: HTTP probe failed with statuscode: 503",
    ],
    [
      "the quotas are of other resources",
      'Error creating: pods "web-1" is forbidden: exceeded quota: team, requested: limits.memory=2Gi, used: limits.memory=15Gi',
      'Error creating: pods "web-1" is forbidden: exceeded quota: team, requested: requests.cpu=500m, used: requests.cpu=7800m',
    ],
  ])("are of two failures if %s", (_, one, other) => {
    const [first, second] = [signed({ logs: one }), signed({ logs: other })];
    expect(second.fingerprint).not.toBe(first.fingerprint);
    expect(isSameFailure(first.signature, second.signature)).toBe(false);
  });

  it("are of two failures if the exit codes differ", () => {
    const log = (code: number) =>
      `ERROR worker process terminated unexpectedly while handling the nightly export\nERROR worker exited with code ${code}`;
    expect(isSameFailure(signed({ logs: log(137) }).signature, signed({ logs: log(1) }).signature)).toBe(false);
  });
});
