// Invalid input of `dejavu eval`: each error says what to do, and nothing is started.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../../integration/support/run-command.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dejavu-eval-"));
  await mkdir(join(folder, "review/memory"), { recursive: true });
  await mkdir(join(folder, "bad/memory"), { recursive: true });
  const unreviewed = "review: Say what is right.\ndescription: d\ndomain: docker\nask: { title: t }\nexpect: {}\n";
  await writeFile(join(folder, "review/memory/unreviewed.yaml"), unreviewed);
  await writeFile(
    join(folder, "bad/memory/bad.yaml"),
    "description: d\ndomain: My SQL\nask: { title: t }\nexpect: {}\n",
  );
});
afterAll(() => rm(folder, { recursive: true }));

function run(args: readonly string[], environment: Record<string, string> = {}) {
  // Without the settings of the machine that runs the tests.
  return runCommand("evals/eval.ts", args, { PATH: process.env.PATH, ...environment });
}

describe("dejavu eval", () => {
  it.each([
    ["an unknown case", ["--case", "nothing"], /There is no case nothing\. The cases are /],
    ["an instance without a token", ["--url", "http://127.0.0.1:9"], /Set DEJAVU_TOKEN/],
    ["a judge without a model", ["--judge"], /--judge needs a model: set ANTHROPIC_API_KEY/],
    ["an unknown option", ["--speed"], /unknown option/],
  ])("rejects %s", async (_, args, message) => {
    const { code, out, problems } = await run(args);
    expect(problems).toMatch(message);
    expect([code, out]).toEqual([1, ""]);
  });

  it("names file, line and field of an invalid case", async () => {
    const { code, problems } = await run(["--cases", join(folder, "bad")]);
    expect(problems).toMatch(/bad\.yaml:2: domain must be 1 to 63 lower-case letters/);
    expect(code).toBe(1);
  });

  it("skips a case that needs a review, and names it", async () => {
    const { code, problems } = await run(["--cases", join(folder, "review")]);
    expect(problems).toMatch(/Not run, .*: unreviewed\.[\s\S]*No case is left to run/);
    expect(code).toBe(1);
  });

  it("reports an unreachable instance", async () => {
    const { code, problems } = await run(["--url", "http://127.0.0.1:9"], { DEJAVU_TOKEN: "a-token" });
    expect(problems).toMatch(/http:\/\/127\.0\.0\.1:9.*cannot be reached/);
    expect([code, problems.includes("a-token")]).toEqual([1, false]);
  });

  it("does not print the judge's API key", async () => {
    const key = "sk-planted-key";
    const { problems } = await run(["--judge"], { EVAL_JUDGE_MODEL: "grok:x", ANTHROPIC_API_KEY: key });
    expect(problems).toContain("EVAL_JUDGE_MODEL must be");
    expect(problems).not.toContain(key);
  });
});
