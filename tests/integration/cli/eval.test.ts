// `npm run eval` told wrong: each time in words to act on, before anything is started.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../support/run-command.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dejavu-eval-"));
  await mkdir(join(folder, "review/memory"), { recursive: true });
  await mkdir(join(folder, "bad/memory"), { recursive: true });
  const waiting = "review: Say what is right.\ndescription: d\ndomain: docker\nask: { title: t }\nexpect: {}\n";
  await writeFile(join(folder, "review/memory/waits.yaml"), waiting);
  await writeFile(
    join(folder, "bad/memory/bad.yaml"),
    "description: d\ndomain: mysql\nask: { title: t }\nexpect: {}\n",
  );
});
afterAll(() => rm(folder, { recursive: true }));

function run(words: readonly string[], environment: Record<string, string> = {}) {
  // Nothing of this machine's own settings.
  return runCommand("tests/evals/eval.ts", words, { PATH: process.env.PATH, ...environment });
}

describe("npm run eval", () => {
  it.each([
    ["a case that there is not", ["--case", "nothing"], /There is no case nothing\. There are /],
    ["another Dejavu without its token", ["--url", "http://127.0.0.1:9"], /Set DEJAVU_TOKEN/],
    ["a judge without a model", ["--judge"], /--judge needs a model: set ANTHROPIC_API_KEY/],
    ["an unknown option", ["--speed"], /unknown option/],
  ])("refuses %s", async (_, words, told) => {
    const { code, out, problems } = await run(words);
    expect(problems).toMatch(told);
    expect([code, out]).toEqual([1, ""]);
  });

  it("names file, line and field of a case that cannot be read", async () => {
    const { code, problems } = await run(["--cases", join(folder, "bad")]);
    expect(problems).toMatch(/bad\.yaml:2: domain is not valid/);
    expect(code).toBe(1);
  });

  it("asks no case that waits for somebody to say what is right, and names it", async () => {
    const { code, problems } = await run(["--cases", join(folder, "review")]);
    expect(problems).toMatch(/Not asked, .*: waits\.[\s\S]*No case is left to ask/);
    expect(code).toBe(1);
  });

  it("says that a Dejavu cannot be reached", async () => {
    const { code, problems } = await run(["--url", "http://127.0.0.1:9"], { DEJAVU_TOKEN: "a-token" });
    expect(problems).toMatch(/http:\/\/127\.0\.0\.1:9.*cannot be reached/);
    expect([code, problems.includes("a-token")]).toEqual([1, false]);
  });

  it("never shows a key of the judge", async () => {
    const key = "sk-planted-key";
    const { problems } = await run(["--judge"], { EVAL_JUDGE_MODEL: "grok:x", ANTHROPIC_API_KEY: key });
    expect(problems).toContain("EVAL_JUDGE_MODEL must be");
    expect(problems).not.toContain(key);
  });
});
