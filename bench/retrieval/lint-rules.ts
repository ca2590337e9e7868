// `node bench/retrieval/lint-rules.ts <folder>`: builds a data set for `npm run bench -- retrieval <folder>` from npm
// packages of lint rules: the messages of a rule are the alerts, its documentation is the runbook. Reads the files of
// the packages and runs none of them.

import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";

const DOWNLOAD_TIMEOUT_MS = 120_000;
/** With npm's default retries, an unreachable registry takes over a minute to fail. */
const NPM_FLAGS = ["--ignore-scripts", "--loglevel=error", "--fetch-retries=1"];
const MESSAGES_PER_RULE = 2;
/** Shorter messages are not specific to a rule. */
const MINIMUM_WORDS = 4;
/** Shorter strings of a source file are names or options, not sentences. */
const MINIMUM_WORDS_OF_PROSE = 5;
/** Characters; shorter strings are rule categories ("Style guide"), which documentation may contain by chance. */
const MAX_CATEGORY_LENGTH = 20;

interface Rule {
  /** The first line of the documentation; `body` is the rest. */
  readonly heading: string;
  readonly body: string;
  /** The JavaScript source of the rule; empty when the package has no file for it. */
  readonly source: string;
}

interface LintPackage {
  readonly name: string;
  /** Exact, so that the data set is reproducible. */
  readonly version: string;
  /** Prefix of the runbook names. */
  readonly prefix: string;
  /** The documentation folder, and the pattern of the file names of rules in it. */
  readonly documents: string;
  readonly documentNames: RegExp;
  readonly messagesOf: (rule: Rule) => readonly string[];
  /** Removes the message texts from the documentation. Default: the whole body. */
  readonly bodyOf?: (rule: Rule) => string;
}

interface Alert {
  readonly alert: string;
  readonly severity: "warning";
  readonly summary: string;
  readonly description: "";
  readonly runbook: string;
}

interface Runbook {
  readonly name: string;
  readonly markdown: string;
  readonly alerts: readonly Alert[];
}

const DOCS = { documents: "docs/rules", documentNames: /\.md$/ };

const PACKAGES: readonly LintPackage[] = [
  {
    ...{ name: "eslint-plugin-jest", version: "29.17.0", prefix: "jest", ...DOCS },
    messagesOf: ({ source }) => stringsIn(messagesBlock(source)),
  },
  {
    ...{ name: "eslint-plugin-import", version: "2.32.0", prefix: "import", ...DOCS },
    messagesOf: ({ source }) => proseIn(source).filter((text) => !text.includes("function")),
    bodyOf: ({ body, source }) => withoutLinesContaining(body, descriptionStrings(docsBlock(source))),
  },
  {
    ...{ name: "eslint-plugin-jsx-a11y", version: "6.10.2", prefix: "a11y", ...DOCS },
    messagesOf: ({ source }) => proseIn(source).filter((text) => !/fileoverview|function/.test(text)),
  },
  {
    ...{ name: "markdownlint", version: "0.40.0", prefix: "mdl", documents: "doc", documentNames: /^md\d+\.md$/ },
    // "# `MD001` - Heading levels should …": the message of the rule is the heading of its documentation.
    messagesOf: ({ heading }) => [heading.slice(heading.indexOf(" - ") + " - ".length)],
  },
  {
    ...{ name: "eslint-plugin-cypress", version: "7.0.2", prefix: "cy", ...DOCS },
    messagesOf: ({ source }) => proseIn(source),
    bodyOf: ({ body }) => body.trimStart(),
  },
];

const run = promisify(execFile);
await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

async function main([folderArgument, ...more]: readonly string[]): Promise<void> {
  if (!folderArgument || folderArgument.startsWith("-") || more.length > 0)
    throw new Error("Give the folder to write the data set to: node bench/retrieval/lint-rules.ts <folder>");
  const folder = resolve(folderArgument);
  // Other files in the folder would become part of the data set or be overwritten.
  if (existsSync(folder) && (!statSync(folder).isDirectory() || (await readdir(folder)).length > 0))
    throw new Error(`${folder} exists and is not an empty folder. Give another folder.`);

  const runbooks: Runbook[] = [];
  const downloads = temporaryFolder();
  for (const lintPackage of PACKAGES)
    runbooks.push(...(await runbooksOf(lintPackage, await download(lintPackage, downloads))));
  const alerts = runbooks.flatMap((runbook) => runbook.alerts);

  await mkdir(join(folder, "runbooks"), { recursive: true });
  for (const { name, markdown } of runbooks) await writeFile(join(folder, "runbooks", `${name}.md`), markdown);
  await writeFile(join(folder, "alerts.json"), JSON.stringify(alerts, null, 1));
  console.log(`${alerts.length} messages, ${runbooks.length} documents. Next: npm run bench -- retrieval ${folder}`);
}

/** A folder that is removed when the process exits, also after a signal. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "dejavu-lint-rules-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  return folder;
}

/** Fetches and unpacks a package. @returns its folder @throws Error when npm or tar fails */
async function download({ name, version }: LintPackage, into: string): Promise<string> {
  // On Windows, npm is a script that needs a shell.
  const options = { cwd: into, timeout: DOWNLOAD_TIMEOUT_MS, shell: process.platform === "win32" };
  const unpacked = join(into, name);
  await run("npm", ["pack", `${name}@${version}`, ...NPM_FLAGS], options).catch((cause: unknown) => {
    const summary = `npm could not fetch ${name}@${version}. Is the npm registry reachable?`;
    throw new Error(`${summary}\n${reasonOf(cause)}`, { cause });
  });
  await mkdir(unpacked);
  await run("tar", ["-xzf", `${name}-${version}.tgz`, "-C", name], options).catch((cause: unknown) => {
    throw new Error(`tar could not unpack ${name}-${version}.tgz. Is tar installed?\n${reasonOf(cause)}`, { cause });
  });
  return join(unpacked, "package");
}

/** The error output of the program, or Node's error message when there is none. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  if ("killed" in failure && failure.killed === true)
    return `It did not finish within ${DOWNLOAD_TIMEOUT_MS / 1000} seconds.`;
  const stderr = "stderr" in failure ? String(failure.stderr) : "";
  return (stderr || failure.message).trim();
}

/** One runbook for each rule with at least one usable message. */
async function runbooksOf(lintPackage: LintPackage, unpacked: string): Promise<Runbook[]> {
  const documents = join(unpacked, lintPackage.documents);
  const files = (await readdir(documents)).filter((file) => lintPackage.documentNames.test(file)).sort();
  const runbooks: Runbook[] = [];
  for (const file of files) {
    const ruleName = basename(file, ".md");
    const code = join(unpacked, "lib/rules", `${ruleName}.js`);
    const [heading = "", ...body] = (await readFile(join(documents, file), "utf8")).split("\n");
    const rule = { heading, body: body.join("\n"), source: existsSync(code) ? await readFile(code, "utf8") : "" };
    const name = `${lintPackage.prefix}-${ruleName}`;
    const alerts = summariesOf(lintPackage.messagesOf(rule)).map(
      (summary): Alert => ({ alert: name, severity: "warning", summary, description: "", runbook: name }),
    );
    const markdown = `# ${inPascalCase(ruleName)}\n${lintPackage.bodyOf?.(rule) ?? rule.body}`;
    if (alerts.length > 0) runbooks.push({ name, markdown, alerts });
  }
  return runbooks;
}

/** The first distinct messages that are sentences, as the linter prints them. */
function summariesOf(messages: readonly string[]): string[] {
  return [...new Set(messages.map(asShown))]
    .filter((text) => text.split(/\s+/).length >= MINIMUM_WORDS && !/^https?:/.test(text))
    .slice(0, MESSAGES_PER_RULE);
}

/** A source string without escapes. Each placeholder becomes `{{ x }}`, the form of label templates in alerts. */
function asShown(text: string): string {
  // {{ name }}, {name} or ${expression}; an expression may have calls, quotes and conditionals, but no braces.
  const filledIn = /\$?\{\{?[\w.\s()'"?:]+\}\}?/g;
  const escapedLineEnd = /\\n/g;
  const escapedQuote = /\\(['"`])/g;
  return text.replace(filledIn, "{{ x }}").replace(escapedLineEnd, " ").replace(escapedQuote, "$1").trim();
}

/** The name in the style of alert names. */
function inPascalCase(name: string): string {
  return name
    .split("-")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
}

/** The contents of all string literals of a source, escapes included. Also matches quoted text in comments. */
function stringsIn(source: string): string[] {
  // Between the quotes: escaped characters, or any other except the quote and, outside templates, a line break.
  const literal = /'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`/g;
  return Array.from(source.matchAll(literal), ([, single, double, template]) => single ?? double ?? template ?? "");
}

/** The strings that read as sentences, for rules without a `messages` block. */
function proseIn(source: string): string[] {
  const [code = ""] = source.split("//# sourceMappingURL");
  return stringsIn(code).filter((text) => text.split(" ").length >= MINIMUM_WORDS_OF_PROSE);
}

/** The text of `messages: { … }`, up to the first line that starts with a brace. */
function messagesBlock(source: string): string {
  return /messages:\s*\{(.*?)\n\s*\}/s.exec(source)?.[1] ?? "";
}

/** The text of `docs: { … }`: category, description and name of the rule. */
function docsBlock(source: string): string {
  return /docs:\s*\{(.*?)\}/s.exec(source)?.[1] ?? "";
}

/** The strings that are too long for a category: the description, and descriptive names. */
function descriptionStrings(block: string): string[] {
  return stringsIn(block).filter((text) => text.length > MAX_CATEGORY_LENGTH);
}

function withoutLinesContaining(text: string, strings: readonly string[]): string {
  return text
    .split("\n")
    .filter((line) => !strings.some((part) => line.includes(part)))
    .join("\n");
}
