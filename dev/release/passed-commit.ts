// The commit on which `npm run test:all` last passed: `npm run release` asks for it.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const file = (root: string) => join(root, ".dejavu/tests/passed-commit");

/** Keeps the commit of a checkout without changes; of one with changes, nothing can be said. */
export function keepPassedCommit(root: string): void {
  if (git(root, "status", "--porcelain") !== "") return;
  mkdirSync(dirname(file(root)), { recursive: true });
  writeFileSync(file(root), git(root, "rev-parse", "HEAD"));
}

/** @throws Error that says what to run if all tests have not passed on the present commit */
export function requirePassedCommit(root: string): void {
  const head = git(root, "rev-parse", "HEAD");
  if (read(file(root)) === head) return;
  throw new Error(`All tests have not passed on ${head.slice(0, 8)}. Run them first: npm run test:all`);
}

function git(root: string, ...words: readonly string[]): string {
  return execFileSync("git", words, { cwd: root, encoding: "utf8" }).trim();
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
