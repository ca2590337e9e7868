import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { REPO_DIR, stackPaths } from "../../../dev/stack/paths.ts";
import { createStackInfo, urlsOf } from "../../../dev/stack/stack-info.ts";
import { StackError } from "../../../dev/stack/system/errors.ts";
import { describeFailure, describeSample, describeUse } from "../../../dev/start/messages.ts";
import { EMPTY_ANSWER } from "../../../functions/schemas/answer.ts";
import { samplePastFix, sampleResult, sampleShownFix } from "../investigation/samples.ts";

const DATA_DIR = `${REPO_DIR}/.dejavu`;
const PORTS = {
  postgres: 1,
  postgrest: 2,
  postgrestAdmin: 3,
  gateway: 4,
  chroma: 5,
  collector: 6,
  worker: 8787,
};
const SECRETS = {
  version: 1,
  token: "dejavu_secret",
  postgresPassword: "p",
  authenticatorPassword: "a",
  jwtSecret: "j".repeat(32),
  anonKey: "anon",
  serviceRoleKey: "service",
} as const;

function infoOf(services: Parameters<typeof createStackInfo>[0]["services"]) {
  const urls = urlsOf(PORTS, SECRETS);
  return createStackInfo({
    ports: PORTS,
    urls,
    secrets: SECRETS,
    workerEnv: {},
    services,
    paths: stackPaths(DATA_DIR),
  });
}

const LINK = `http://127.0.0.1:8787/console#code=${"a".repeat(26)}`;
const linesOf = (text: string) => stripVTControlCharacters(text).split("\n");

describe("the last lines of a start", () => {
  const text = describeUse(infoOf(["worker", "collector"]), DATA_DIR, LINK, { hasSample: true });

  it("fit into 20 lines of 80 columns", () => {
    const lines = linesOf(text);
    expect(lines.length).toBeLessThanOrEqual(20);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it("name the link, the address and the token", () => {
    expect(text).toContain(LINK);
    expect(text).toContain("http://127.0.0.1:8787");
    expect(text).toContain(SECRETS.token);
  });

  it("name the place of the token where the output may be stored", () => {
    const stored = describeUse(infoOf(["worker"]), DATA_DIR, LINK, { isTerminal: false });
    expect(stored).toContain("stack.json");
    expect(stored).not.toContain(SECRETS.token);
  });

  it("name the traces only when they are collected", () => {
    expect(text).toContain("dejavu trace");
    expect(describeUse(infoOf(["worker"]), DATA_DIR, LINK)).not.toContain("dejavu trace");
  });
});

describe("the message of a failed start", () => {
  it("says what to do when the disk is full, also when only a cause says so", () => {
    expect(describeFailure(new Error("database: no connection (status 503, code 53100)"))).toContain(
      "The disk is full",
    );
    const cause = new Error("ENOSPC: no space left on device, mkdir '/data'");
    expect(describeFailure(new Error("It did not start.", { cause }))).toContain("The disk is full");
    expect(describeFailure(new Error("It did not start."))).not.toContain("The disk is full");
  });

  it("names a log only while it exists", async () => {
    const logPath = `${REPO_DIR}/package.json`;
    const error = new StackError("initdb failed (exit code 1).", { logPath });
    expect(describeFailure(error)).toContain(`The whole log: ${logPath}`);
    expect(describeFailure(error, { isLogKept: false })).not.toContain(logPath);
  });
});

describe("the text of the sample", () => {
  const first = sampleResult({ title: "checkout is slow", target: "checkout", outcome: "cause", confidence: 0.9 });
  const fix = "Closed the leak.";
  const second = sampleResult({ title: "invoices hang", target: "invoices", outcome: "possible", confidence: 0.5 });

  it("says what was reported, what was answered, and which fix came back", () => {
    const recurrence = { count: 1, first_at: "", last_at: "", targets: ["checkout"], more_targets: 0 };
    const shown = sampleShownFix({ text: fix, tried: 2, worked: 1 });
    const past = samplePastFix({ probability: 0.93, recurrence, fix: shown });
    const text = linesOf(
      describeSample({ first, fix, second: { ...second, answer: { ...second.answer, worked_before: [past] } } }),
    );
    expect(text.filter((line) => line.length > 80)).toEqual([]);
    const flat = text.join(" ").replace(/\s+/g, " ");
    expect(flat).toContain('checkout is reported: "checkout is slow"');
    expect(flat).toContain("Known failure, 90 %");
    expect(flat).toContain("Possible, 50 %");
    expect(flat).toContain("Seen before on checkout, 93 % the same failure. Fixed by: Closed the leak. Worked 1 of 2.");
  });

  it("says so when nothing comes back", () => {
    const unlike = { ...second, answer: { ...EMPTY_ANSWER, summary: second.answer.summary } };
    expect(describeSample({ first, fix, second: unlike })).toContain("No past incident is like it.");
  });
});
