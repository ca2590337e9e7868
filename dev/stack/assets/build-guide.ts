// The documentation site, in the folder `guide` of the static assets: the pages built by VitePress, their Markdown, and
// two files for programs that read documentation (llmstxt.org).

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { SECTIONS } from "../../../docs/.vitepress/pages.ts";

const VITEPRESS = "node_modules/vitepress/bin/vitepress.js";
const ICON = "console/src/styles/icon.svg";

/**
 * @param projectDir the checkout
 * @param folder where to write; must be in the checkout, whose packages the pages use
 * @returns its headers for the file `_headers`
 * @throws Error when a page does not build, such as for a broken link
 */
export async function buildGuide(projectDir: string, folder: string): Promise<string> {
  // VitePress writes beside its sources: two builds at once must not share them.
  const sources = `${folder}.sources`;
  try {
    cpSync(join(projectDir, "docs"), sources, {
      recursive: true,
      filter: (path) => !path.endsWith("/.vitepress/cache"),
    });
    await runVitepress(projectDir, ["build", sources, "--outDir", folder]);
  } finally {
    rmSync(sources, { recursive: true, force: true });
  }
  const pages = SECTIONS.flatMap(({ folder: name, pages }) => pages.map((page) => `${name}/${page}.md`));
  for (const page of ["index.md", ...pages]) copyFileSync(join(projectDir, "docs", page), join(folder, page));
  writeFileSync(join(folder, "llms.txt"), listForPrograms(join(projectDir, "docs")));
  writeFileSync(join(folder, "llms-full.txt"), pages.map((page) => readText(folder, page).trim()).join("\n\n---\n\n"));
  copyFileSync(join(projectDir, ICON), join(folder, "icon.svg"));
  return headersOf(folder);
}

/** In a process of its own: VitePress changes the environment variables of its process. */
async function runVitepress(projectDir: string, args: readonly string[]): Promise<void> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once("exit", stop);
  try {
    const options = { cwd: projectDir, signal: controller.signal, maxBuffer: 1e8 };
    await promisify(execFile)(process.execPath, [join(projectDir, VITEPRESS), ...args], options);
  } catch (error) {
    throw new Error(`The documentation does not build.\n${buildError(error)}`);
  } finally {
    process.off("exit", stop);
  }
}

/** VitePress's message without its stack frames. */
function buildError(error: unknown): string {
  const output = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
  const start = output.indexOf("build error:");
  return stripVTControlCharacters(output.slice(Math.max(start, 0)))
    .split("\n")
    .filter((line) => !/^\s+at /.test(line))
    .join("\n")
    .trim();
}

/** The pages in reading order, with their first sentences. @param docs the folder of the pages */
function listForPrograms(docs: string): string {
  const sections = SECTIONS.map(({ title, folder, pages }) => {
    const lines = pages.map((page) => {
      const text = readText(docs, `${folder}/${page}.md`);
      return `- [${headingOf(text)}](${folder}/${page}.md): ${firstSentence(text)}`;
    });
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  return [`# Dejavu\n\n> ${firstSentence(readText(docs, "index.md"))}\n`, ...sections].join("\n");
}

function readText(folder: string, path: string): string {
  return readFileSync(join(folder, path), "utf8");
}

function headingOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? "";
}

function firstSentence(text: string): string {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "");
  const paragraph = prose.split(/\n\s*\n/).find((part) => /^\p{L}|^[`[*]/u.test(part)) ?? "";
  const sentence = /^.+?[.](?=\s|$)/s.exec(paragraph)?.[0] ?? paragraph;
  return sentence.replaceAll(/\s+/g, " ").replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1");
}

/** The theme sets its colors and the size of its search box by style attributes. Inline scripts are known by their hashes. */
function headersOf(folder: string): string {
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${inlineScriptHashes(folder).join(" ")}`,
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return `/guide/*
  Content-Security-Policy: ${policy}
  Cross-Origin-Opener-Policy: same-origin
  Referrer-Policy: no-referrer
  X-Content-Type-Options: nosniff
/guide/assets/*
  Cache-Control: public, max-age=31536000, immutable
`;
}

function inlineScriptHashes(folder: string): string[] {
  const html = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".html"));
  const scripts = html.flatMap((path) => {
    const text = readFileSync(join(folder, path), "utf8");
    return [...text.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(([, script = ""]) => script);
  });
  const hashes = scripts.map((script) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`);
  return [...new Set(hashes)].sort();
}
