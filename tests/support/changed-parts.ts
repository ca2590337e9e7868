// Tests that a change must pass before a commit, beside `npm test`: `npm run test:changed`.

import { execFileSync } from "node:child_process";

interface Part {
  /** Of paths in the repository. */
  readonly changed: RegExp;
  /** Parts of the paths of test files. */
  readonly tests: readonly string[];
}

export const PARTS: readonly Part[] = [
  {
    changed: /^supabase\/|^functions\/schemas\/database\//,
    tests: ["/database/", "e2e/upgrade", "stack/migrations", "memory/plans"],
  },
  {
    changed:
      /^seeds\/|^lib\/(embedding|logs|markdown|mechanisms|ranking|text)\/|^functions\/(search-index|investigation)\//,
    tests: ["/evaluation/", "checks/seeded", "metrics/alerts"],
  },
  { changed: /^lib\/checks\/|^functions\/adapters\/evidence\//, tests: ["checks/seeded", "evidence/"] },
  { changed: /^releases\/|^dev\/release/, tests: ["e2e/upgrade", "unit/dev"] },
  { changed: /^docs\/|^[A-Z]+\.md$/, tests: ["e2e/docs", "e2e/guide", "unit/docs"] },
  {
    changed: /^dev\/(stack|start|install)|^package(-lock)?\.json$/,
    tests: ["/stack/", "e2e/failures", "e2e/outage"],
  },
  { changed: /^dev\/deploy|^wrangler\.toml$/, tests: ["deploy", "e2e/worker"] },
  { changed: /^console\//, tests: ["/console", "unit/console"] },
  { changed: /^cli\//, tests: ["/cli/", "database/backup"] },
  { changed: /^evals\//, tests: ["/evaluation/", "unit/evals"] },
  { changed: /^client\/|^functions\/routes\/|^dev\/api-document\//, tests: ["routes/client", "routes/openapi"] },
];

/** Returns parts of the paths of test files for what differs from the last commit, new files included. */
export function changedParts(root: string): string[] {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n");
  const paths = [...git("diff", "--name-only", "HEAD"), ...git("ls-files", "--others", "--exclude-standard")];
  return partsFor(paths);
}

/** @param paths in the repository; a changed test file is a part of its own */
export function partsFor(paths: readonly string[]): string[] {
  const chosen = PARTS.filter(({ changed }) => paths.some((path) => changed.test(path))).flatMap(({ tests }) => tests);
  return [...new Set([...chosen, ...paths.filter((path) => path.endsWith(".test.ts"))])];
}
