import { describe, expect, it } from "vitest";
import { failureTextOf } from "../../../../functions/investigation/relevance/failure-text.ts";
import { incidentFeatures } from "../../../../functions/investigation/relevance/incident-features.ts";
import { likenessOf, withServices } from "../../../../functions/investigation/relevance/likeness.ts";
import { lineLikeness } from "../../../../functions/investigation/relevance/line-likeness.ts";
import { sampleIncident } from "../samples.ts";

const POOL =
  "ERROR could not acquire a connection from pool main within 30000 ms\nERROR checkout worker terminated with exit code 1";
const report = (changes: Parameters<typeof sampleIncident>[0] = {}) =>
  failureTextOf(sampleIncident({ title: "Users report errors", target: "checkout", labels: {}, ...changes }));
const featuresOf = (a: ReturnType<typeof report>, b: ReturnType<typeof report>) =>
  incidentFeatures(a, [{ failure: b, distance: 0.4, similarity: 0.5 }], () => 1)[0] ?? {};

describe("the likeness of a report and a record", () => {
  it("names the error line, the exit code, the alert and the mechanism that both have", () => {
    const labels = { alertname: "WorkerDown", pod: "checkout-1" };
    const { alike, differs } = likenessOf(report({ logs: POOL, labels }), report({ logs: POOL, labels }));
    expect(alike.join("\n")).toContain("could not acquire a connection from pool");
    expect(alike).toEqual(expect.arrayContaining(["exit 1", "the alert WorkerDown", "the kind of object: pod"]));
    expect(differs).toEqual([]);
  });

  it("names the lines, codes and alerts that differ", () => {
    const other = report({
      logs: "kernel: Out of memory: Killed process 2211 (java)\nERROR checkout worker terminated with exit code 137",
      labels: { alertname: "OomKills" },
    });
    const { alike, differs } = likenessOf(report({ logs: POOL, labels: { alertname: "WorkerDown" } }), other);
    expect(differs).toEqual(expect.arrayContaining(["exit code 1, then 137", "alert WorkerDown, then OomKills"]));
    expect(differs.join("\n")).toMatch(/only now: ".*pool.*"/);
    expect(differs.join("\n")).toMatch(/only then: ".*out of memory.*"/);
    expect(alike).not.toContain("exit 1");
  });

  it("finds an error line of the record that the headline says", () => {
    const title = POOL.replace(/^.*?ERROR\s*/, "");
    const { alike, differs } = likenessOf(report({ title }), report({ logs: POOL }));
    expect(alike[0]).toMatch(/^the error line /);
    expect(differs).toEqual([]);
  });

  it("compares a line in full that names what fails without a level or a word of failure", () => {
    const logs = "pq: remaining connection slots are reserved for non-replication superuser connections";
    const records = ["orders", "payroll", "ledger"].map((target) => ({
      failure: report({ title: `${target} answers slowly`, target, logs: `${target}: ${logs}` }),
      distance: 0.4,
      similarity: 0.5,
    }));
    const [first] = incidentFeatures(report({ logs }), records, () => 1);
    expect(first?.line).toBeGreaterThan(0.5);
  });

  it("says that no error line is common", () => {
    const other = report({ logs: "ERROR certificate has expired: not after yesterday" });
    expect(likenessOf(report({ logs: POOL }), other).differs[0]).toBe("no error line in common");
    expect(likenessOf(report(), other).differs).not.toContain("no error line in common");
    expect(likenessOf(report(), report()).differs).toEqual([]);
  });
});

describe("the likeness of two lines", () => {
  const SPACE = "etcdserver: mvcc: database space exceeded";
  const API = "error making API request. Code: ";

  it("falls by what each says after a common beginning, and not by what stands before it", () => {
    const [sealed, refused] = ["503. Errors: Vault is sealed", "503. Errors: service account name not authorized"];
    const contrastOf = (then: string) =>
      lineLikeness(report({ logs: `auth.handler: ${API}${sealed}` }), report({ logs: `agent: ${API}${then}` }), () => 1)
        .contrast;
    expect(contrastOf(sealed)).toBe(0);
    expect(contrastOf(refused)).toBeGreaterThan(0.4);
  });

  it("falls if each has a code that the other has not", () => {
    const lineOf = (now: string, then: string) =>
      lineLikeness(report({ logs: `${API}${now}` }), report({ logs: `${API}${then}` }), () => 1).line;
    expect(lineOf("503", "403")).toBeLessThan(0.4);
    expect(lineOf("503", "503")).toBeGreaterThan(0.5);
  });

  it.each([
    [
      "behind another prefix",
      `Error from server: error when creating: ${SPACE}`,
      `level=error msg="Failed to record event: ${SPACE}"`,
    ],
    ["of which one stops earlier", `ERROR dump refused, ${SPACE} since the disk is small`, `ERROR ${SPACE}`],
    [
      "with another name",
      "ERROR user=edge: the sample was rejected as out of order",
      "ERROR user=shops: the sample was rejected as out of order",
    ],
  ])("finds an error line %s", (_, then, now) => {
    const { alike, differs } = likenessOf(report({ logs: now }), report({ logs: then }));
    expect(alike.join()).toContain("the error line");
    expect(differs.slice(0, 3)).toEqual([]);
  });

  it("separates lines of which only the end says what failed", () => {
    const [now, then] = [
      `ERROR ${API}403: service account name not authorized`,
      `ERROR ${API}503: the store is sealed again`,
    ];
    const { alike, differs } = likenessOf(report({ logs: now }), report({ logs: then }));
    expect(alike.join()).not.toContain("the error line");
    expect(differs.slice(0, 3)).toEqual([
      "no error line in common",
      expect.stringMatching(/now.*403/),
      expect.stringMatching(/then.*503/),
    ]);
  });
});

describe("likeness with services", () => {
  const differs = ["no error line in common", "exit code 1, then 2", "alert A, then B"];

  it("names another service last, and keeps at most four and three items", () => {
    const likeness = { alike: ["a", "b", "c", "d", "e"], differs };
    expect(withServices(likeness, "checkout", ["ledger", "cart", "mail", "web"])).toEqual({
      alike: ["a", "b", "c", "d"],
      differs: ["no error line in common", "exit code 1, then 2", "service checkout, then ledger, cart, mail"],
    });
  });

  it.each([
    ["checkout", ["ledger", "checkout"]],
    ["checkout", []],
    [null, ["ledger"]],
  ])("names no service for a report of %s and a record of %j", (target, services) => {
    expect(withServices({ alike: [], differs }, target, services).differs).toEqual(differs);
  });
});

describe("the features of a past incident", () => {
  it("compare the words without the names of the services, and the names by themselves", () => {
    const record = report({ logs: POOL });
    const renamed = report({ target: "ledger", logs: POOL.replaceAll("checkout", "ledger") });
    const own = featuresOf(report({ logs: POOL }), record);
    expect(own).toMatchObject({ same_target: 1, other_target: 0 });
    expect(featuresOf(renamed, record)).toEqual({ ...own, same_target: 0, other_target: 1, headline_of_target: 0 });
    expect(featuresOf(report({ target: "shop/checkout", logs: POOL }), record)).toMatchObject({ same_target: 1 });
  });

  it("are 0 to 1 for the shares, whatever the texts are", () => {
    for (const [a, b] of [
      [report(), report()],
      [report({ title: "?" }), report({ logs: POOL })],
      [report({ logs: POOL }), report({ logs: `${POOL}\n`.repeat(500) })],
    ] as const) {
      const { line = -1, lines_differ = -1, words_squared = -1, log_words = -1, mechanisms = -1 } = featuresOf(a, b);
      for (const share of [line, lines_differ, words_squared, log_words, mechanisms]) {
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1 + 1e-9);
      }
    }
  });

  it("are higher for the same error lines than for others", () => {
    const same = featuresOf(report({ logs: POOL }), report({ logs: POOL }));
    const other = featuresOf(report({ logs: POOL }), report({ logs: "FATAL disk full: no space left on device" }));
    for (const name of ["line", "words_squared", "log_words", "mechanisms"])
      expect(same[name], name).toBeGreaterThan(other[name] ?? 1);
  });

  it("find a line in other prose, and see where its end differs", () => {
    const failed = "Failed to create pod sandbox: plugin type=mesh failed (add): ";
    const record = report({ logs: `${failed}failed to assign an IP address to container` });
    const again = featuresOf(
      report({ title: `outputs: ${failed}failed to assign an IP address to container` }),
      record,
    );
    const other = featuresOf(report({ logs: `${failed}error retrieving pod: Unauthorized` }), record);
    expect(again.line).toBeGreaterThan(0.4);
    expect([again.lines_differ, other.lines_differ]).toEqual([0, expect.closeTo(0.5, 0)]);
  });

  it("recognise one mechanism in the words of two systems", () => {
    const { mechanisms } = featuresOf(
      report({ logs: "java.lang.OutOfMemoryError: Java heap space" }),
      report({ logs: "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory" }),
    );
    expect(mechanisms).toBeGreaterThan(0.2);
  });
});
