// The documentation pages, and their headings, links and code blocks.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { REPO_DIR } from "../../dev/stack/paths.ts";

export interface Page {
  /** Path in the repository. */
  readonly path: string;
  readonly text: string;
}

export interface CodeBlock {
  /** Of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** Text of `<!-- not run: … -->` before the block. */
  readonly reasonNotToRun: string | undefined;
  /** The path in a line of its own in bold before the block: the file that the block is, or that its diff changes. */
  readonly file: string | undefined;
}

export function readPage(path: string): Page {
  return { path, text: readFileSync(join(REPO_DIR, path), "utf8") };
}

export function readPages(): Page[] {
  const docs = readdirSync(join(REPO_DIR, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name.replaceAll("\\", "/")}`);
  return ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "evals/cases/README.md", ...docs.sort()].map(readPage);
}

/** A fence of four backticks may hold one of three. */
const FENCE = /^([ ]*)(`{3,})([\w-]*)\n(.*?)^\1\2$/gms;
const FILE = /^\*\*([\w./-]+)\*\*\s*$/m;
const NOT_RUN = /<!-- not run: ([^>]+) -->\s*$/;

export function codeBlocks({ text }: Page): CodeBlock[] {
  return [...text.matchAll(FENCE)].map(({ index, 1: indent = "", 3: language = "", 4: code = "" }) => {
    const before = text.slice(0, index);
    return {
      line: before.split("\n").length,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      reasonNotToRun: NOT_RUN.exec(before)?.[1],
      file: FILE.exec(before.trimEnd().split("\n").at(-1) ?? "")?.[1],
    };
  });
}

/** The text without code blocks. */
export function prose({ text }: Page): string {
  return text.replaceAll(FENCE, "");
}

/** Targets of inline links. */
export function linkTargets(page: Page): string[] {
  const text = prose(page).replaceAll(/`[^`\n]*`/g, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
}

/** Anchors of the headings, as GitHub derives them. */
export function anchors(page: Page): string[] {
  return [...prose(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );
}

/** Texts in single backticks. */
export function codeSpans(page: Page): string[] {
  return [...prose(page).matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
}
