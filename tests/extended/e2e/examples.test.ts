// The pages on extending Dejavu, followed: their blocks are laid over a copy of the checkout, which is then checked, tested
// and run as a contributor does it.

import { execFile } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seedRunbooks } from "../../../cli/seed-runbooks.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { type RunningStack, startWorker } from "../../e2e/support/stacks.ts";
import { readPages } from "../../support/markdown-pages.ts";
import { type ExampleCheckout, exampleCheckout, layOver } from "./support/example-checkout.ts";
import { runnableBlocks, runPage } from "./support/page-commands.ts";

const EXAMPLES = "docs/internals/extend/";
/** Tests of the gate that an extension can break, beside its own. */
const GATE = [
  ...["layers", "config", "seeds/domains", "seeds/runbooks"].map((name) => `tests/unit/${name}.test.ts`),
  ...["links", "reference", "settings"].map((name) => `tests/unit/docs/${name}.test.ts`),
  "tests/integration/adapters/redirects.test.ts",
];
const TIMEOUT_MS = 300_000;

const pages = readPages().filter(({ path }) => path.startsWith(EXAMPLES));
let checkout: ExampleCheckout;

beforeAll(async () => {
  checkout = await exampleCheckout(pages);
}, TIMEOUT_MS);
afterAll(() => checkout?.[Symbol.asyncDispose]());

it("the pages show the three extensions", () => {
  expect(pages.map(({ path }) => path.slice(EXAMPLES.length))).toEqual([
    "domain.md",
    "evidence-source.md",
    "webhook.md",
  ]);
});

describe("a checkout with the examples", { timeout: TIMEOUT_MS }, () => {
  it("compiles", async () => {
    const include = ["functions/**/*.d.ts", ...checkout.files.filter((file) => file.endsWith(".ts"))];
    await writeFile(
      join(checkout.folder, "tsconfig.examples.json"),
      JSON.stringify({ extends: "./tsconfig.json", include }),
    );
    expect(await run("tsc", "--singleThreaded", "--project", "tsconfig.examples.json")).toBe("");
  });

  it("passes the linter", async () => {
    const files = checkout.files.filter((file) => file.endsWith(".ts"));
    expect(await run("biome", "check", "--error-on-warnings", ...files)).toBe("");
  });

  it("passes the tests of the examples and those that they can break", async () => {
    expect(await run(process.execPath, "dev/reference/generate.ts")).toBe("");
    const own = checkout.files.filter((file) => file.endsWith(".test.ts"));
    await writeConfiguration([...GATE, ...own]);
    expect(await run("vitest", "run", "--config", "examples.config.ts")).toBe("");
  });

  it("runs: its Worker takes the webhook, and knows the source", async () => {
    await using stack = await startWorker({ dir: join(checkout.folder, ".dejavu"), projectDir: checkout.folder });
    await seedFew(stack);
    for (const page of pages.filter((each) => runnableBlocks(each).length > 0))
      expect(await runPage(page, { checkout: checkout.folder, env: stack.workerEnv })).toEqual([]);
  });
});

describe("a block that does not fit", () => {
  const pageWith = (text: string) => ({ path: "page.md", text });

  it.each([
    [
      "a diff whose context has changed",
      "**package.json**\n\n```diff\n@@ -1,2 +1,2 @@\n {\n-no\n+yes\n```\n",
      /page.md:3: package.json has changed/,
    ],
    ["a whole file that exists", "**package.json**\n\n```json\n{}\n```\n", /page.md:3: package.json exists already/],
    [
      "a diff of a file that does not exist",
      "**no.ts**\n\n```diff\n@@ -1 +1 @@\n-a\n+b\n```\n",
      /page.md:3: no.ts does not exist/,
    ],
    ["code without its file", "Write this:\n\n```ts\nexport {};\n```\n", /page.md:3: the block names no file/],
  ])("is reported with page and line: %s", async (_, text, message) => {
    await expect(layOver(checkout.folder, pageWith(text))).rejects.toThrow(message);
  });
});

/** Runs a tool in the copy. @returns what it printed when it failed; "" when it succeeded */
function run(tool: string, ...args: readonly string[]): Promise<string> {
  const command = tool.startsWith("/") ? tool : join(checkout.folder, "node_modules/.bin", tool);
  const env = { ...process.env, NO_COLOR: "1" };
  return new Promise((resolve) => {
    execFile(command, args, { cwd: checkout.folder, env, maxBuffer: 32_000_000 }, (error, out, problems) =>
      resolve(error === null ? "" : stripVTControlCharacters(`${tool} failed.\n${out}\n${problems}`)),
    );
  });
}

/** One project without servers: the examples' tests start their own stand-ins. */
async function writeConfiguration(include: readonly string[]): Promise<void> {
  const test = { include, isolate: false, maxWorkers: 2, testTimeout: 60_000 };
  await writeFile(join(checkout.folder, "examples.config.ts"), `export default ${JSON.stringify({ test })};\n`);
}

/** A few runbooks that the example's domain competes with. */
async function seedFew({ workerEnv }: RunningStack): Promise<void> {
  const directory = join(checkout.folder, "few-runbooks");
  for (const name of ["general", "docker"]) {
    await mkdir(join(directory, name), { recursive: true });
    await cp(join(REPO_DIR, "seeds/runbooks", name), join(directory, name), { recursive: true });
  }
  await seedRunbooks({ env: workerEnv, directory });
}
