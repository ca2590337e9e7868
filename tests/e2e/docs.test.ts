// The commands of the README and the guides, run page by page in a checkout with a running stack.

import { execFile } from "node:child_process";
import { cp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seedRunbooks } from "../../cli/seed-runbooks.ts";
import { REPO_DIR } from "../../dev/stack/paths.ts";
import packageJson from "../../package.json" with { type: "json" };
import { type CodeBlock, codeBlocks, type Page, readPages } from "../support/markdown-pages.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { type RunningStack, startWorker } from "./support/stacks.ts";

/** What the commands use of a checkout. */
const CHECKOUT = ["cli", "dev", "functions", "seeds", "supabase", "package.json", "wrangler.toml"];
/** Whole domains, since the confidence of an answer depends on how common its words are there. */
const RUNBOOKS = [
  "postgres",
  "docker/exit-137-out-of-memory.md",
  "docker/container-restart-loop.md",
  "kubernetes/crash-loop-back-off.md",
  ...["docker", "kubernetes", "general"].map((name) => `${name}/domain.yaml`),
];
/** A shell function that runs the same commands as npm, in the same environment; npm takes half a second to start. */
const NPM_WITHOUT_ITS_START = [
  "npm() {",
  '  shift; case "$1" in -s | --silent) shift ;; esac',
  '  local name=$1; shift; if [ $# -gt 0 ] && [ "$1" = -- ]; then shift; fi',
  '  local -x npm_lifecycle_event="$name" npm_package_name=dejavu',
  '  case "$name" in',
  ...Object.entries(packageJson.scripts).map(([name, command]) => `    ${name}) ${command} "$@" ;;`),
  "  esac",
  "}",
].join("\n");
const SLACK_PORT_IN_GUIDE = "9999";
/** A page has up to 20 commands, each a process, which take seconds on a busy machine. */
const PAGE_TIMEOUT_MS = 300_000;

const pages = readPages().filter(
  ({ path }) => path === "README.md" || path.startsWith("docs/guides/") || path.startsWith("docs/tutorial/"),
);
const executed = pages.filter((page) => runnableBlocks(page).length > 0);

let checkout: string;
let stack: RunningStack;
let slack: Server;
const slackMessages: string[] = [];

beforeAll(async () => {
  checkout = await scratchFolder("docs");
  for (const name of CHECKOUT) await cp(join(REPO_DIR, name), join(checkout, name), { recursive: true });
  await symlink(join(REPO_DIR, "node_modules"), join(checkout, "node_modules"));
  slack = createServer(async (request, response) => {
    slackMessages.push(await text(request));
    response.end("ok");
  });
  await new Promise<void>((resolve) => slack.listen(0, "127.0.0.1", resolve));
  stack = await startWorker({
    dir: join(checkout, ".dejavu"),
    withCollector: true,
    variables: {
      SLACK_SIGNING_SECRET: "0123456789abcdef",
      SLACK_RESPONSE_ORIGIN: `http://127.0.0.1:${slackPort()}`,
    },
  });
  await seedSelectedRunbooks(stack.workerEnv);
});
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  slack?.close();
  if (checkout !== undefined) await rm(checkout, { recursive: true, force: true });
});

describe.each(executed)("$path", (page) => {
  it("has commands that succeed and print the output that is shown", { timeout: PAGE_TIMEOUT_MS }, async () => {
    const outputs = await run(page);
    for (const [block, shown] of shownOutputs(page))
      expect(missingPiece(shown.code, outputs.get(block.line) ?? ""), `line ${shown.line}`).toBeUndefined();
    if (page.path.endsWith("slack.md")) await expect.poll(() => slackMessages.join("")).toContain("137");
  });
});

describe("missingPiece", () => {
  it("takes … for any text and ignores whitespace", () => {
    expect(missingPiece('{"a": 1,…"c":3}', 'x {"a":1,\n"b":2,"c":3}')).toBeUndefined();
    expect(missingPiece('{"a":1,…"b":3}', '{"a":1,"c":3}')).toBe('"b":3}');
  });
});

/** Blocks that are run: in sh, and without a reason not to. */
function runnableBlocks(page: Page): CodeBlock[] {
  return codeBlocks(page).filter(({ language, reasonNotToRun }) => language === "sh" && reasonNotToRun === undefined);
}

/** Runs the blocks of a page in one shell. @returns the output of each block by its line */
async function run(page: Page): Promise<ReadonlyMap<number, string>> {
  const blocks = runnableBlocks(page);
  const script = [
    "set -euo pipefail",
    'curl() { command curl --fail-with-body "$@"; }',
    page.path === "README.md" ? "" : NPM_WITHOUT_ITS_START,
    ...blocks.map(({ line, code }) => `printf '\\n@@%s@@\\n' ${line}\n${adapt(code)}`),
  ].join("\n");
  const file = join(checkout, "page.sh");
  await writeFile(file, script);
  const { code, out, problems } = await bash(file);
  expect(code, `${page.path}\n${out}\n${problems}`).toBe(0);
  const parts = out.split(/\n@@(\d+)@@\n/).slice(1);
  return new Map(blocks.map(({ line }, i) => [line, parts[2 * i + 1] ?? ""]));
}

/** A stack is running already, so `npm start -- --once` becomes a triage on it. */
function adapt(code: string): string {
  return code
    .replaceAll("npm start -- --once", "npm run triage --")
    .replaceAll(SLACK_PORT_IN_GUIDE, String(slackPort()));
}

function slackPort(): number {
  const address = slack.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

function bash(file: string): Promise<{ readonly code: number; readonly out: string; readonly problems: string }> {
  const path = `${join(checkout, "node_modules/.bin")}:${process.env.PATH}`;
  const home = { XDG_CONFIG_HOME: join(checkout, "config"), XDG_STATE_HOME: join(checkout, "state") };
  const env = { ...process.env, ...stack.workerEnv, ...home, PATH: path };
  return new Promise((resolve) => {
    const child = execFile("bash", [file], { cwd: checkout, env, maxBuffer: 32_000_000 }, (_, out, problems) =>
      resolve({ code: child.exitCode ?? -1, out, problems }),
    );
    child.stdin?.end();
  });
}

/** Each executed block with the `json` or `text` block that follows it directly. */
function shownOutputs(page: Page): [CodeBlock, CodeBlock][] {
  const blocks = codeBlocks(page);
  return blocks.flatMap((block, i): [CodeBlock, CodeBlock][] => {
    const next = blocks[i + 1];
    const isRun = block.language === "sh" && block.reasonNotToRun === undefined;
    return isRun && next !== undefined && ["json", "text"].includes(next.language) ? [[block, next]] : [];
  });
}

/** The first piece between two … that does not follow the pieces before it; undefined if all do. */
function missingPiece(shown: string, output: string): string | undefined {
  const printed = output.replaceAll(/\s/g, "");
  let end = 0;
  for (const piece of shown.replaceAll(/\s/g, "").split("…")) {
    const start = printed.indexOf(piece, end);
    if (start === -1) return piece;
    end = start + piece.length;
  }
  return undefined;
}

async function seedSelectedRunbooks(env: Record<string, string>): Promise<void> {
  const directory = join(checkout, "selected-runbooks");
  for (const source of RUNBOOKS) {
    await mkdir(join(directory, source, ".."), { recursive: true });
    await cp(join(REPO_DIR, "seeds/runbooks", source), join(directory, source), { recursive: true });
  }
  await seedRunbooks({ env, directory });
}
