// The static assets of the Worker, in build/assets: the console, built by Vite, the documentation site, the two files of the
// API reference, and the API document. Builds only when a source has changed. Complete or not at all: the folder, and then
// the document, is put in place by a rename.

import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";

const CONFIGURATION = "console/vite.config.ts";
/** Names the sources that the folder was built from. */
const STAMP = "built-from.txt";
/** Everything that ends in a page or shapes it. */
const PAGE_SOURCES = [
  "console",
  "client/client.js",
  "functions/schemas",
  "functions/answer-view",
  "lib",
  "docs",
  "package-lock.json",
  "dev/stack/assets",
];
/** Changes more often than the pages and is made in two seconds. */
const DOCUMENT = "docs/openapi.json";
const DOCUMENT_STAMP = "document-from.txt";
const DOCUMENT_SOURCES = ["functions", "lib", "package.json", "dev/api-document"];
const SWAGGER_UI = "node_modules/swagger-ui-dist";
const SWAGGER_FILES = ["swagger-ui.css", "swagger-ui-bundle.js"];

/** Hashed names never change their content. Everything else goes through the Worker, which sets its headers. */
const HEADERS = `/console/assets/*
  Cache-Control: public, max-age=31536000, immutable
  X-Content-Type-Options: nosniff
  Cross-Origin-Resource-Policy: same-origin
`;

/** @param projectDir the checkout @returns the folder of the static assets */
export function assetsDir(projectDir: string): string {
  return join(projectDir, "build/assets");
}

/**
 * Builds the assets unless they are those of the present sources.
 * @param projectDir the checkout
 * @returns whether it had to build
 * @throws Error when a source does not compile, or the checkout is read-only
 */
export async function buildAssets(projectDir: string): Promise<boolean> {
  // A project may be a Worker alone.
  if (!existsSync(join(projectDir, CONFIGURATION))) return false;
  const isNew = await buildPages(projectDir);
  return (await writeApiDocument(projectDir)) || isNew;
}

async function writeApiDocument(projectDir: string): Promise<boolean> {
  const folder = assetsDir(projectDir);
  const fingerprint = fingerprintOf(projectDir, DOCUMENT_SOURCES);
  if (readStamp(folder, DOCUMENT_STAMP) === fingerprint) return false;
  const { currentDocument } = await import("../../api-document/current-document.ts");
  const own = `${folder}/openapi.${process.pid}.json`;
  writeFileSync(own, JSON.stringify(currentDocument()));
  renameSync(own, join(folder, DOCUMENT));
  writeFileSync(join(folder, DOCUMENT_STAMP), fingerprint);
  return true;
}

async function buildPages(projectDir: string): Promise<boolean> {
  const configFile = join(projectDir, CONFIGURATION);
  const target = assetsDir(projectDir);
  const fingerprint = fingerprintOf(projectDir, PAGE_SOURCES);
  if (readStamp(target) === fingerprint) return false;
  const folder = `${target}.${process.pid}`;
  createFolder(folder, projectDir);
  // Loaded only now: a start with current assets does not wait for them, and a Worker alone has no pages.
  const [{ build }, { buildGuide }] = await Promise.all([import("vite"), import("./build-guide.ts")]);
  try {
    const [guideHeaders] = await Promise.all([
      buildGuide(projectDir, join(folder, "guide")),
      build({ configFile, logLevel: "warn", build: { outDir: join(folder, "console"), emptyOutDir: true } }),
    ]);
    mkdirSync(join(folder, "docs"), { recursive: true });
    for (const name of SWAGGER_FILES) copyFileSync(join(projectDir, SWAGGER_UI, name), join(folder, "docs", name));
    writeFileSync(join(folder, "_headers"), HEADERS + guideHeaders);
    writeFileSync(join(folder, ".assetsignore"), `${STAMP}\n${DOCUMENT_STAMP}\n`);
    writeFileSync(join(folder, STAMP), fingerprint);
    replaceFolder(target, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return true;
}

/** The builders would report a folder that they cannot write to by a missing file. */
function createFolder(folder: string, projectDir: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw new Error(
      `The pages in ${dirname(folder)} are missing or out of date, and you may not write there. Run npm run build as the owner of ${projectDir}, then start again.`,
      { cause },
    );
  }
}

function replaceFolder(target: string, folder: string): void {
  const former = `${folder}.old`;
  try {
    if (existsSync(target)) renameSync(target, former);
    renameSync(folder, target);
  } catch (error) {
    // Another process put the same build in place between the two steps.
    if (readStamp(target) !== readStamp(folder)) throw error;
  } finally {
    rmSync(former, { recursive: true, force: true });
  }
}

function readStamp(folder: string, name = STAMP): string | undefined {
  const path = join(folder, name);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function fingerprintOf(projectDir: string, sources: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of sources.flatMap((source) => filesIn(join(projectDir, source))).sort()) {
    hash.update(`${relative(projectDir, path)}\n`).update(readFileSync(path));
  }
  return hash.digest("hex");
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
