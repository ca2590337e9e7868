// The commands of the README, CONTRIBUTING.md, the guides and the tutorial, run page by page in a checkout with a
// running stack.

import { cp, mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seedRunbooks } from "../../../cli/seed-runbooks.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { type RunningStack, startWorker } from "../../e2e/support/stacks.ts";
import { readPages } from "../../support/markdown-pages.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { missingPiece, runnableBlocks, runPage } from "./support/page-commands.ts";

/** What the commands use of a checkout. */
const CHECKOUT = [
  "bin",
  "cli",
  "dev",
  "functions",
  "lib",
  "releases",
  "seeds",
  "supabase",
  "package.json",
  "wrangler.toml",
];
/** Whole domains, since the confidence of an answer depends on how common its words are there. */
const RUNBOOKS = [
  "postgres",
  "docker/exit-137-out-of-memory.md",
  "docker/container-restart-loop.md",
  "kubernetes/crash-loop-back-off.md",
  ...["docker", "kubernetes", "general"].map((name) => `${name}/domain.yaml`),
];
/** A page has up to 20 commands, each a process, which take seconds on a busy machine. */
const PAGE_TIMEOUT_MS = 300_000;

const pages = readPages().filter(({ path }) => /^(?:README|CONTRIBUTING)\.md$|^docs\/(?:guides|tutorial)\//.test(path));
const executed = pages.filter((page) => runnableBlocks(page).length > 0);

let checkout: string;
let stack: RunningStack;

beforeAll(async () => {
  checkout = await scratchFolder("docs");
  for (const name of CHECKOUT) await cp(join(REPO_DIR, name), join(checkout, name), { recursive: true });
  await symlink(join(REPO_DIR, "node_modules"), join(checkout, "node_modules"));
  stack = await startWorker({
    dir: join(checkout, ".dejavu"),
    withCollector: true,
  });
  await seedSelectedRunbooks(stack.workerEnv);
});
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  if (checkout !== undefined) await rm(checkout, { recursive: true, force: true });
});

describe.each(executed)("$path", (page) => {
  it("has commands that succeed and print the output that is shown", { timeout: PAGE_TIMEOUT_MS }, async () => {
    const withNpm = page.path === "README.md";
    expect(await runPage(page, { checkout, env: stack.workerEnv, withNpm, adapt })).toEqual([]);
  });
});

describe("missingPiece", () => {
  it("takes … for any text and ignores whitespace", () => {
    expect(missingPiece('{"a": 1,…"c":3}', 'x {"a":1,\n"b":2,"c":3}')).toBeUndefined();
    expect(missingPiece('{"a":1,…"b":3}', '{"a":1,"c":3}')).toBe('"b":3}');
  });
});

/** A stack is running already, so `npm start -- --once` becomes a triage on it. */
function adapt(code: string): string {
  return code.replaceAll("npm start -- --once", "dejavu triage --");
}

async function seedSelectedRunbooks(env: Record<string, string>): Promise<void> {
  const directory = join(checkout, "selected-runbooks");
  for (const source of RUNBOOKS) {
    await mkdir(join(directory, source, ".."), { recursive: true });
    await cp(join(REPO_DIR, "seeds/runbooks", source), join(directory, source), { recursive: true });
  }
  await seedRunbooks({ env, directory });
}
