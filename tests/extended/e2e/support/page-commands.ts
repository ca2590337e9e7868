// Runs the commands of a documentation page in a checkout with a running stack, and compares what they print with the page.

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import packageJson from "../../../../package.json" with { type: "json" };
import { type CodeBlock, codeBlocks, type Page } from "../../../support/markdown-pages.ts";

/** A shell function that runs the same commands as npm, in the same environment; npm takes half a second to start. */
const NPM_WITHOUT_ITS_START = [
  "npm() {",
  '  shift; case "$1" in -s | --silent) shift ;; esac',
  '  local name=$1; shift; if [ $# -gt 0 ] && [ "$1" = -- ]; then shift; fi',
  '  case "$name" in',
  ...Object.entries(packageJson.scripts).map(([name, command]) => `    ${name}) ${command} "$@" ;;`),
  "  esac",
  "}",
].join("\n");

export interface PageRun {
  /** Working folder of the commands; its `.dejavu` is that of the stack. */
  readonly checkout: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether npm itself runs the scripts. */
  readonly withNpm?: boolean;
  /** Changes a block before it runs. */
  readonly adapt?: (code: string) => string;
}

/** Blocks that are run: in sh, and without a reason not to. */
export function runnableBlocks(page: Page): CodeBlock[] {
  return codeBlocks(page).filter(({ language, reasonNotToRun }) => language === "sh" && reasonNotToRun === undefined);
}

/**
 * Runs the blocks of a page in one shell.
 * @returns what the page shows and the commands did not print, each as a sentence
 * @throws Error when a command fails
 */
export async function runPage(page: Page, options: PageRun): Promise<string[]> {
  const outputs = await run(page, options);
  return shownOutputs(page).flatMap(([block, shown]) => {
    const missing = missingPiece(shown.code, outputs.get(block.line) ?? "");
    return missing === undefined
      ? []
      : [`${page.path}:${shown.line} shows "${missing}", printed was: ${outputs.get(block.line)}`];
  });
}

/** @returns the output of each block by its line */
async function run(
  page: Page,
  { checkout, env, withNpm = false, adapt = (code) => code }: PageRun,
): Promise<ReadonlyMap<number, string>> {
  const blocks = runnableBlocks(page);
  const script = [
    "set -euo pipefail",
    'curl() { command curl --fail-with-body "$@"; }',
    withNpm ? "" : NPM_WITHOUT_ITS_START,
    ...blocks.map(({ line, code }) => `printf '\\n@@%s@@\\n' ${line}\n${adapt(code)}`),
  ].join("\n");
  const file = join(checkout, "page.sh");
  await writeFile(file, script);
  const { code, out, problems } = await bash(file, { checkout, env });
  if (code !== 0) throw new Error(`A command of ${page.path} ended with ${code}.\n${out}\n${problems}`);
  const parts = out.split(/\n@@(\d+)@@\n/).slice(1);
  return new Map(blocks.map(({ line }, i) => [line, parts[2 * i + 1] ?? ""]));
}

function bash(
  file: string,
  { checkout, env }: Pick<PageRun, "checkout" | "env">,
): Promise<{ readonly code: number; readonly out: string; readonly problems: string }> {
  const path = `${join(checkout, "bin")}:${join(checkout, "node_modules/.bin")}:${process.env.PATH}`;
  const home = { XDG_CONFIG_HOME: join(checkout, "config"), XDG_STATE_HOME: join(checkout, "state") };
  const options = { cwd: checkout, env: { ...process.env, ...env, ...home, PATH: path }, maxBuffer: 32_000_000 };
  return new Promise((resolve) => {
    const child = execFile("bash", [file], options, (_, out, problems) =>
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
export function missingPiece(shown: string, output: string): string | undefined {
  const printed = output.replaceAll(/\s/g, "");
  let end = 0;
  for (const piece of shown.replaceAll(/\s/g, "").split("…")) {
    const start = printed.indexOf(piece, end);
    if (start === -1) return piece;
    end = start + piece.length;
  }
  return undefined;
}
