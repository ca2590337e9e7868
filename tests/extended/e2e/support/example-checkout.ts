// A copy of this checkout with the files and diffs of documentation pages laid over it, as a reader copies them.

import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { applyPatch } from "diff";
import { REPO_DIR } from "../../../../dev/stack/paths.ts";
import { type CodeBlock, codeBlocks, type Page } from "../../../support/markdown-pages.ts";
import { scratchFolder } from "../../../support/scratch-folder.ts";

/** What the pages change, and the programs that run: Node takes a link for its target. */
const COPIED = ["bench", "bin", "cli", "dev", "docs", "evals", "functions", "lib", "seeds", "tests"];
/** Git's data, data of stacks, and the console: without it, no program builds the assets, and those in `build` serve. */
const LEFT_OUT = [".git", ".dejavu", ".wrangler", "console"];

export interface ExampleCheckout extends AsyncDisposable {
  readonly folder: string;
  /** The paths that the pages add or change. */
  readonly files: readonly string[];
}

/** @throws Error that names page and line of a block that does not fit */
export async function exampleCheckout(pages: readonly Page[]): Promise<ExampleCheckout> {
  const folder = await scratchFolder("examples");
  try {
    // Synchronous: for thousands of small files, the other one takes many times as long.
    for (const name of COPIED) cpSync(join(REPO_DIR, name), join(folder, name), { recursive: true });
    const others = readdirSync(REPO_DIR).filter((name) => ![...COPIED, ...LEFT_OUT].includes(name));
    for (const name of others) symlinkSync(join(REPO_DIR, name), join(folder, name));
    mkdirSync(join(folder, "console"));
    symlinkSync(join(REPO_DIR, "console/src"), join(folder, "console/src"));
    const files = new Set<string>();
    for (const page of pages) for (const file of await layOver(folder, page)) files.add(file);
    return {
      folder,
      files: [...files],
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Writes the new files of a page and applies its diffs, in their order. @returns their paths */
export async function layOver(folder: string, page: Page): Promise<string[]> {
  const files: string[] = [];
  for (const block of codeBlocks(page)) {
    const place = `${page.path}:${block.line}`;
    const { file } = block;
    if (file === undefined) {
      if (block.language === "diff" || block.language === "ts")
        throw new Error(`${place}: the block names no file. Put its path in bold into the line before.`);
      continue;
    }
    const path = join(folder, file);
    const present = await readFile(path, "utf8").catch(() => undefined);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, contentOf(block, present, `${place}: ${file}`));
    files.push(file);
  }
  return files;
}

function contentOf({ language, code }: CodeBlock, present: string | undefined, place: string): string {
  if (language !== "diff") {
    if (present !== undefined) throw new Error(`${place} exists already: show its change as a diff.`);
    return code;
  }
  if (present === undefined) throw new Error(`${place} does not exist: show the whole file.`);
  const changed = applyPatch(present, `--- ${place}\n+++ ${place}\n${code}`);
  if (changed === false) throw new Error(`${place} has changed: the lines around the diff are others. Make it anew.`);
  return changed;
}
