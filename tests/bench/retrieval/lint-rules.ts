// `node tests/bench/retrieval/lint-rules.ts <folder>`: makes a data set for `npm run bench:retrieval -- <folder>` of npm
// packages of lint rules: a rule's messages are the alerts, its documentation is the runbook. Reads the packages' files
// and runs none of them.

import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";

const DOWNLOAD_TIMEOUT_MS = 120_000;
/** Without a registry, npm's own patience is more than a minute. */
const NPM_FLAGS = ["--ignore-scripts", "--loglevel=error", "--fetch-retries=1"];
const MESSAGES_PER_RULE = 2;
/** A message of fewer words could be any rule's. */
const MINIMUM_WORDS = 4;
/** Among all strings of a source, fewer words are a name or an option. */
const MINIMUM_WORDS_OF_PROSE = 5;
/** Characters; a category ("Style guide") may well stand in the documentation by chance. */
const LONGEST_CATEGORY = 20;

interface Rule {
  /** First line of its documentation, and all below it. */
  readonly heading: string;
  readonly body: string;
  /** Its JavaScript; empty where the package keeps none of its own for a rule. */
  readonly source: string;
}

interface LintPackage {
  readonly name: string;
  /** Exact, so that everybody makes the same set. */
  readonly version: string;
  /** Begins its runbooks' names. */
  readonly prefix: string;
  /** The folder of its documentation, and what the files of rules in it are called. */
  readonly documents: string;
  readonly documentNames: RegExp;
  readonly messagesOf: (rule: Rule) => readonly string[];
  /** The documentation without the words that stand in the message too; the whole body when absent. */
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
    bodyOf: ({ body, source }) => withoutLinesThatSay(body, tellingStrings(docsBlock(source))),
  },
  {
    ...{ name: "eslint-plugin-jsx-a11y", version: "6.10.2", prefix: "a11y", ...DOCS },
    messagesOf: ({ source }) => proseIn(source).filter((text) => !/fileoverview|function/.test(text)),
  },
  {
    ...{ name: "markdownlint", version: "0.40.0", prefix: "mdl", documents: "doc", documentNames: /^md\d+\.md$/ },
    // "# `MD001` - Heading levels should …": what it reports is the heading of its documentation.
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

async function main([folderGiven, ...more]: readonly string[]): Promise<void> {
  if (!folderGiven || folderGiven.startsWith("-") || more.length > 0)
    throw new Error("Give the folder to write the data set to: node tests/bench/retrieval/lint-rules.ts <folder>");
  const folder = resolve(folderGiven);
  // Runbooks of somebody's own would become part of the set, and a file of theirs could be lost.
  if (existsSync(folder) && (!statSync(folder).isDirectory() || (await readdir(folder)).length > 0))
    throw new Error(`${folder} is there already and no empty folder. Give another one.`);

  const runbooks: Runbook[] = [];
  const downloads = temporaryFolder();
  for (const lintPackage of PACKAGES)
    runbooks.push(...(await runbooksOf(lintPackage, await download(lintPackage, downloads))));
  const alerts = runbooks.flatMap((runbook) => runbook.alerts);

  await mkdir(join(folder, "runbooks"), { recursive: true });
  for (const { name, markdown } of runbooks) await writeFile(join(folder, "runbooks", `${name}.md`), markdown);
  await writeFile(join(folder, "alerts.json"), JSON.stringify(alerts, null, 1));
  console.log(`${alerts.length} messages, ${runbooks.length} documents. Now: npm run bench:retrieval -- ${folder}`);
}

/** Gone when the process ends, also when it is interrupted. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "dejavu-lint-rules-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  return folder;
}

/** Fetches and unpacks a package. @returns its folder @throws Error that says what to look at */
async function download({ name, version }: LintPackage, into: string): Promise<string> {
  // On Windows, npm is a script that only a shell can start.
  const options = { cwd: into, timeout: DOWNLOAD_TIMEOUT_MS, shell: process.platform === "win32" };
  const unpacked = join(into, name);
  await run("npm", ["pack", `${name}@${version}`, ...NPM_FLAGS], options).catch((cause: unknown) => {
    const what = `npm could not fetch ${name}@${version}. Is the npm registry reachable?`;
    throw new Error(`${what}\n${reasonOf(cause)}`, { cause });
  });
  await mkdir(unpacked);
  await run("tar", ["-xzf", `${name}-${version}.tgz`, "-C", name], options).catch((cause: unknown) => {
    throw new Error(`tar could not unpack ${name}-${version}.tgz. Is tar installed?\n${reasonOf(cause)}`, { cause });
  });
  return join(unpacked, "package");
}

/** What the program said; where it said nothing, what Node says of it. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  if ("killed" in failure && failure.killed === true)
    return `It did not end within ${DOWNLOAD_TIMEOUT_MS / 1000} seconds.`;
  const said = "stderr" in failure ? String(failure.stderr) : "";
  return (said || failure.message).trim();
}

/** One runbook for each rule that has a message worth asking with. */
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

/** The first messages that are sentences, each once, as a person would see them. */
function summariesOf(messages: readonly string[]): string[] {
  return [...new Set(messages.map(asShown))]
    .filter((text) => text.split(/\s+/).length >= MINIMUM_WORDS && !/^https?:/.test(text))
    .slice(0, MESSAGES_PER_RULE);
}

/** A string of a source without its escapes; what the rule would fill in is `{{ x }}`, as an alert's label is. */
function asShown(text: string): string {
  // {{ name }}, {name} or ${expression}; an expression calls, quotes and chooses, but has no braces.
  const filledIn = /\$?\{\{?[\w.\s()'"?:]+\}\}?/g;
  const escapedLineEnd = /\\n/g;
  const escapedQuote = /\\(['"`])/g;
  return text.replace(filledIn, "{{ x }}").replace(escapedLineEnd, " ").replace(escapedQuote, "$1").trim();
}

/** Says what the rule is called and nothing else, as the names of alerts do. */
function inPascalCase(name: string): string {
  return name
    .split("-")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
}

/** What stands between the quotes of each string of a source; escapes stay. Comments with quotes in them count too. */
function stringsIn(source: string): string[] {
  // Between its quotes: an escaped character, or any that ends neither the string nor, but for a template, the line.
  const literal = /'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`/g;
  return Array.from(source.matchAll(literal), ([, single, double, template]) => single ?? double ?? template ?? "");
}

/** The strings that read as sentences; for rules that keep their messages among their code. */
function proseIn(source: string): string[] {
  const [code = ""] = source.split("//# sourceMappingURL");
  return stringsIn(code).filter((text) => text.split(" ").length >= MINIMUM_WORDS_OF_PROSE);
}

/** The text of `messages: { … }`, up to the first line that begins with a brace. */
function messagesBlock(source: string): string {
  return /messages:\s*\{(.*?)\n\s*\}/s.exec(source)?.[1] ?? "";
}

/** The text of `docs: { … }`: the rule's category, its description and its name. */
function docsBlock(source: string): string {
  return /docs:\s*\{(.*?)\}/s.exec(source)?.[1] ?? "";
}

/** The strings too long for a category: the description, and a name that says as much as one. */
function tellingStrings(block: string): string[] {
  return stringsIn(block).filter((text) => text.length > LONGEST_CATEGORY);
}

function withoutLinesThatSay(text: string, said: readonly string[]): string {
  return text
    .split("\n")
    .filter((line) => !said.some((words) => line.includes(words)))
    .join("\n");
}
