import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { keepPassedCommit, requirePassedCommit } from "../../../../dev/release/passed-commit.ts";

function repository() {
  const root = mkdtempSync(join(tmpdir(), "dejavu-passed-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"];
  const git = (...words: string[]) => execFileSync("git", [...identity, ...words], { cwd: root, stdio: "ignore" });
  const commit = (text: string) => {
    writeFileSync(join(root, "file"), text);
    git("add", "file");
    git("commit", "--message", text);
  };
  git("init");
  writeFileSync(join(root, ".git/info/exclude"), ".dejavu/\n");
  commit("first");
  return { root, commit };
}

it("a release is refused until all tests have passed on its commit", () => {
  const { root, commit } = repository();
  expect(() => requirePassedCommit(root)).toThrow(/npm run test:all/);
  keepPassedCommit(root);
  requirePassedCommit(root);
  commit("second");
  expect(() => requirePassedCommit(root)).toThrow(/npm run test:all/);
});

it("a passed run counts for no commit if files were changed", () => {
  const { root } = repository();
  writeFileSync(join(root, "file"), "changed");
  keepPassedCommit(root);
  expect(() => requirePassedCommit(root)).toThrow(/npm run test:all/);
});
