import { describe, expect, it } from "vitest";
import { MECHANISM_BY_NAME, MECHANISMS, WORD_LISTS } from "../../../../lib/mechanisms/mechanisms.ts";
import { indexPhrases } from "../../../../lib/mechanisms/phrase-index.ts";
import { readMechanisms } from "../../../../lib/mechanisms/read-mechanisms.ts";
import { MECHANISM_LINES } from "./mechanism-lines.ts";

const strong = (text: string) =>
  [...readMechanisms(text)].filter(([, strength]) => strength >= 0.7).map(([name]) => name);

/** Pairs that share their words: a line of the first is read as the second, too. */
const SHOWN_TOGETHER: ReadonlySet<string> = new Set([
  "disk-full as io-error",
  "cpu-throttled as rate-limited",
  "cpu-throttled as quota-reached",
  "volume-not-mounted as config-invalid",
  "volume-not-mounted as data-corrupted",
  "stale-lock as lock-contention",
  "ports-exhausted as packet-loss",
  "certificate-not-renewed as tls-failure",
  "signature-mismatch as webhook-rejected",
  "file-permission-denied as role-permission-missing",
  "database-privilege-missing as role-permission-missing",
  "cross-origin-blocked as policy-rejected",
  "replication-lag as queue-backlog",
  "replication-broken as log-retained",
  "replication-broken as replication-lag",
  "read-only-database as replication-lag",
  "id-overflow as maintenance-backlog",
  "encoding-mismatch as incompatible-message",
  "registry-access-denied as secret-missing",
  "command-not-found as file-missing",
  "config-invalid as parse-failed",
  "policy-rejected as webhook-rejected",
]);

describe("the table of mechanisms", () => {
  it("has unique names in kebab-case and a label each", () => {
    const names = MECHANISMS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z]+(-[a-z]+)*$/.test(name))).toEqual([]);
    expect(MECHANISMS.filter(({ label }) => label === "")).toEqual([]);
  });

  it("lists coarser mechanisms that exist, without a cycle", () => {
    const broader = new Map(MECHANISMS.map(({ name, broader = [] }) => [name, broader]));
    const reaches = (from: string, to: string, depth = 0): boolean =>
      depth < 10 && (broader.get(from) ?? []).some((name) => name === to || reaches(name, to, depth + 1));
    expect([...broader.values()].flat().filter((name) => !broader.has(name))).toEqual([]);
    expect([...broader.keys()].filter((name) => reaches(name, name))).toEqual([]);
  });

  it("reads no line of one mechanism as an unrelated one", () => {
    const withBroader = (name: string): string[] => [
      name,
      ...(MECHANISM_BY_NAME.get(name)?.broader ?? []).flatMap(withBroader),
    ];
    const misread = MECHANISM_LINES.flatMap(([name, line]) =>
      strong(line)
        .filter((other) => MECHANISM_BY_NAME.get(other)?.symptom !== true)
        .filter((other) => !withBroader(name).includes(other) && !withBroader(other).includes(name))
        .map((other) => `${name} as ${other}`),
    );
    expect([...new Set(misread)].filter((pair) => !SHOWN_TOGETHER.has(pair))).toEqual([]);
  });

  it("marks as symptoms what many causes lead to", () => {
    const symptoms = MECHANISMS.filter(({ symptom }) => symptom).map(({ name }) => name);
    expect(symptoms).toEqual(expect.arrayContaining(["timed-out", "server-error", "crash-loop", "job-failed"]));
    expect(symptoms).not.toContain("memory-exhausted");
  });

  it("uses lists that exist, and no phrase twice in one mechanism", () => {
    const phrases = MECHANISMS.map(({ name, sure = [], likely = [], hint = [] }) => ({
      name,
      all: [...sure, ...likely, ...hint],
    }));
    const lists = phrases.flatMap(({ all }) =>
      all.flatMap((phrase) => [...phrase.matchAll(/\{(\w+)\}/g)].map((m) => m[1])),
    );
    expect(lists.filter((list) => list === undefined || !(list in WORD_LISTS))).toEqual([]);
    expect(phrases.filter(({ all }) => new Set(all).size !== all.length).map(({ name }) => name)).toEqual([]);
  });

  it("has lines of two unlike systems for each mechanism", () => {
    const counts = Map.groupBy(MECHANISM_LINES, ([name]) => name);
    expect(MECHANISMS.filter(({ name }) => (counts.get(name)?.length ?? 0) < 2).map(({ name }) => name)).toEqual([]);
  });
});

describe("readMechanisms", () => {
  it.each(MECHANISM_LINES)("reads %s in %j", (name, line) => {
    expect(strong(line)).toContain(name);
  });

  it.each([
    ["a refused and a timed-out connection", "connect: connection refused", "connection-timed-out"],
    ["an expired and an untrusted certificate", "certificate has expired", "tls-untrusted"],
    ["a full disk and full memory", "no space left on device", "memory-exhausted"],
    ["a client's pool and a server's limit", "too many clients already", "connection-pool-exhausted"],
    ["an expired token and an expired certificate", "jwt expired", "tls-expired"],
    ["a deadlock and a lock file", "deadlock detected", "stale-lock"],
    ["a specific timeout and any timeout", "504 Gateway Timeout", "connection-timed-out"],
  ])("keeps apart %s", (_, line, other) => {
    expect(strong(line)).not.toEqual([]);
    expect(strong(line)).not.toContain(other);
  });

  it.each([
    ["unable to start container process: exec: no such file", "threads-exhausted"],
    ["0/3 nodes are available. preemption: no preemption victims found for the pod", "evicted"],
    ["0/3 nodes are available. preemption: no preemption victims found for the pod", "deadlock"],
    ["0/3 nodes are available: 3 node(s) did not match the affinity or selector of the pod", "no-healthy-backends"],
    ["the deployment has not matched its number of replicas", "replication-lag"],
    ["the clock of the host is out of sync", "replication-broken"],
    ["access denied: user=etl, access=WRITE, inode=/warehouse", "inodes-exhausted"],
    ["[ERROR] the full stack trace of the build is in the log", "rollout-stuck"],
    ["[ERROR] Failed to execute goal compile on project store", "command-not-found"],
    ["[ERROR] the interface of the store has no method put", "link-down"],
    ["the shutdown hook failed", "webhook-rejected"],
    ["the logical subscription has failed", "license-invalid"],
    ["average saturation of raft on server 2", "leader-missing"],
    ["the cluster has overcommitted cpu requests", "memory-setting"],
    ["goroutine 68 [running]:", "memory-leak"],
  ])("reads %j not as %s", (line, other) => {
    expect([...readMechanisms(line).keys()]).not.toContain(other);
  });

  it.each([
    "0 errors",
    "no deadlock detected",
    "no new deadlocks",
    "deadlocks: 0",
    "deadlocks detected: none",
    "MemoryPressure   False",
    "timeouts=0 retries=0",
    "certificate valid until 2027-03-01",
    "connection pool is not exhausted",
    "without packet loss",
    "http 200 137",
    "listening on port 429",
    "user 53300 logged in",
    "",
  ])("finds nothing strong in %j", (line) => {
    expect(strong(line)).toEqual([]);
  });

  it("still counts a failure beside a denied success, and behind another sentence", () => {
    expect(strong("connection refused, retry did not succeed")).toContain("connection-refused");
    expect(strong("The migration succeeded. Then: out of memory")).toContain("memory-exhausted");
    expect(strong("no response: connection refused")).toContain("connection-refused");
  });

  it("gives a hint less strength than a name of the failure", () => {
    expect(readMechanisms("memory usage grows").get("memory-exhausted")).toBe(0.5);
    expect(readMechanisms("container OOMKilled").get("memory-exhausted")).toBe(1);
  });

  it("matches numbers beside their context only", () => {
    expect(strong("command exited with code 137")).toContain("memory-exhausted");
    expect(strong('"GET / HTTP/1.1" 429 0')).toContain("rate-limited");
    expect(strong("SQLSTATE[53300]")).toContain("server-connection-limit");
  });

  it("takes a few words within a phrase, but no other clause", () => {
    expect(strong("failed to (try 3) resolve the host")).toContain("name-resolution-failed");
    expect(strong("connection to 10.0.0.5:5432 refused")).toContain("connection-refused");
    expect(strong("the pool\nis exhausted")).not.toContain("connection-pool-exhausted");
  });

  it.each(["connection ", "failed ", "memory ", "not ", "no 0 ", "a.b:c ", "𝒜", "é\u0301"])(
    "finishes on 100 KB of %j",
    (word) => {
      expect(readMechanisms(word.repeat(100_000 / word.length))).toBeInstanceOf(Map);
    },
  );
});

describe("indexPhrases", () => {
  const indexOf = (...sure: string[]) => indexPhrases([{ name: "m", label: "m", sure }]);
  const patternsOf = (phrase: string) => [...indexOf(phrase).values()].flat();

  it("finds a phrase by its rarest word", () => {
    const index = indexOf("failed mount", "failed bind", "failed resolve");
    expect([...index.keys()].sort()).toEqual(["bind", "mount", "resolv"]);
  });

  it("reads two orders of &, and drops words that the tokenizer drops", () => {
    expect(patternsOf("pool & exhausted")).toHaveLength(2);
    expect(patternsOf("out of memory").map(({ slots }) => slots.length)).toEqual([2]);
    expect(patternsOf("of the")).toEqual([]);
  });

  it("has few patterns for a word of the shipped table", () => {
    expect(Math.max(...[...indexPhrases(MECHANISMS).values()].map(({ length }) => length))).toBeLessThan(20);
  });
});
