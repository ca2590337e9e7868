import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { namedScripts } from "../../../dev/run-by-name.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";

describe.each([
  ["bench", "bench", 20],
  ["generate", "dev", 4],
])("npm run %s", (command, folder, least) => {
  const scripts = namedScripts(command, folder);

  it("knows scripts with different names, each with a line about it", () => {
    expect(scripts.length).toBeGreaterThanOrEqual(least);
    expect(new Set(scripts.map(({ name }) => name)).size).toBe(scripts.length);
    for (const { purpose } of scripts) expect(purpose).toMatch(/^\S.{10,120}$/);
  });

  const run = (...words: readonly string[]) =>
    spawnSync(process.execPath, [join(REPO_DIR, "dev/run-by-name.ts"), command, folder, ...words], {
      encoding: "utf8",
    });

  it("lists them without a name, and refuses an unknown name with the list", () => {
    const listed = run();
    expect(listed).toMatchObject({ status: 0, stderr: "" });
    for (const { name } of scripts) expect(listed.stdout).toMatch(new RegExp(`^  ${name} `, "m"));
    const refused = run("nothing");
    expect(refused).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining('knows no "nothing"') });
    expect(refused.stderr).toContain(listed.stdout.trim());
  });
});

it("a script gets the arguments that follow its name", () => {
  const words = ["bench", "bench", "retrieval", "/no/such/folder"];
  const ended = spawnSync(process.execPath, [join(REPO_DIR, "dev/run-by-name.ts"), ...words], { encoding: "utf8" });
  expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining("/no/such/folder") });
});
