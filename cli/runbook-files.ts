// Reads folders of runbooks: a domain each, with Markdown files that may have YAML front matter, a `domain.yaml`, and
// folders of notes, logs and postmortems.

import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, resolve, sep } from "node:path";
import { z } from "zod";
import { type DomainDefinition, domainDefinitionSchema } from "../functions/knowledge/domains/domain-definition.ts";
import type { DomainFolder } from "../functions/knowledge/load-folder.ts";
import type { FolderText } from "../functions/knowledge/sync-runbooks.ts";
import { DOMAIN_NAME, DOMAIN_NAME_RULE } from "../functions/schemas/domain.ts";
import { MAX_RUNBOOK_PATH, RUNBOOK_PATH, RUNBOOK_PATH_RULE } from "../functions/schemas/runbook-path.ts";
import { frontMatterBlock } from "../lib/markdown/front-matter.ts";
import {
  DOCUMENT_FOLDERS,
  type DocumentFile,
  documentFolderOf,
  endingsOf,
  parseDocumentFile,
  readUtf8,
  readYaml,
  splitFrontMatter,
  tagsSchema,
} from "./document-files.ts";

// Other fields, such as title and owner, are the author's own.
export const frontMatterSchema = z.object({
  incident_type: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/, "must be lower-case words joined by underscores")
    .optional(),
  tags: tagsSchema,
});

const EXPECTED_LAYOUT =
  "Give a folder with Markdown files, which becomes one domain of the folder's name, or a folder that holds one such folder for each domain. A README.md describes its folder: give one with runbooks another name.";

export const DEFINITION_FILE = "domain.yaml";
/** A skill of an agent: a folder with this file, whose front matter has `name` and `description`. */
const SKILL_FILE = "SKILL.md";
const skillSchema = z.object({ name: z.string().trim().min(1), description: z.string().trim().min(1) });
/** Says what a folder is for, so it is no runbook. */
const README = /^readme\.(?:md|mdx|markdown)$/i;

/** A file of a domain. */
export interface RunbookFile {
  /** Name of the runbook: the domain, and the path in its folder. */
  readonly source: string;
  /** Where the file is. */
  readonly path: string;
}

/** The files of a domain, which have not been read yet. */
export interface DomainFiles {
  readonly name: string;
  /** Where the `domain.yaml` is; null without one. */
  readonly definition: string | null;
  readonly runbooks: readonly RunbookFile[];
  readonly documents: readonly DocumentFile[];
}

/** A file or a folder that is not loaded. */
export interface FileProblem {
  readonly file: string;
  readonly message: string;
}

/** The files of a folder of runbooks. */
export interface FolderFiles {
  readonly domains: readonly DomainFiles[];
  /** Files and folders to rename: they are not loaded, the others are. */
  readonly problems: readonly FileProblem[];
  /** Paths of other files, such as images. */
  readonly skipped: readonly string[];
}

/**
 * Reads a folder of runbooks, without files and folders that have to be renamed.
 * @throws Error when the folder has the wrong layout, or a file is not readable or not valid; the message names it
 */
export async function readDomainFolders(directory: string): Promise<DomainFolder[]> {
  return Promise.all((await findDomainFiles(directory)).domains.map(readDomainFolder));
}

/**
 * Finds the files of a folder of runbooks. A folder with Markdown files or a `domain.yaml` is one domain; otherwise each of
 * its subfolders is one. A folder of skills is one domain, too: each SKILL.md is a runbook of its folder's name. Every Markdown file of a domain is a runbook, at any depth, sorted by name, except in its folders
 * `notes`, `logs` and `postmortems`. Files and folders whose name starts with a dot, and README.md files, are left out.
 * @throws Error when the folder has the wrong layout
 */
export async function findDomainFiles(directory: string): Promise<FolderFiles> {
  const { files, folders } = await listFolder(directory);
  const isDomain =
    files.some((name) => name === DEFINITION_FILE || isMarkdown(name)) ||
    (await holdsSkills(directory, folders)) ||
    (await holdsDocumentsOnly(directory, folders));
  if (isDomain) await requireSingleDomain(directory, folders);
  const roots = isDomain ? [directory] : folders.map((name) => join(directory, name));
  const listings = await Promise.all(roots.map(filesOfDomain));
  const domains = listings.flatMap(({ domain }) => domain ?? []);
  const problems = listings.flatMap((each) => each.problems);
  if (
    problems.length === 0 &&
    domains.every(({ runbooks, documents, definition }) => runbooks.length + documents.length === 0 && !definition)
  )
    throw new Error(`${directory} holds no runbooks. ${EXPECTED_LAYOUT}`);
  return { domains, problems, skipped: listings.flatMap(({ skipped }) => skipped) };
}

/** Whether each of the folders is a skill. */
async function holdsSkills(directory: string, folders: readonly string[]): Promise<boolean> {
  const lists = await Promise.all(folders.map((name) => listFolder(join(directory, name))));
  return lists.length > 0 && lists.every(({ files }) => files.includes(SKILL_FILE));
}

/** Whether a folder consists of folders of documents. One with a `domain.yaml` is a domain that happens to have such a name. */
async function holdsDocumentsOnly(directory: string, folders: readonly string[]): Promise<boolean> {
  if (folders.length === 0 || !folders.every((name) => DOCUMENT_FOLDERS.includes(name))) return false;
  const lists = await Promise.all(folders.map((name) => listFolder(join(directory, name))));
  return lists.every(({ files }) => !files.includes(DEFINITION_FILE));
}

/** @throws Error if the subfolders of a domain are domains too */
async function requireSingleDomain(directory: string, folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const { files } = await listFolder(join(directory, folder));
    if (files.includes(DEFINITION_FILE))
      throw new Error(
        `${directory} holds runbooks itself, and its folder ${folder}/ is a domain with a ${DEFINITION_FILE}. Move the runbooks into a folder of their own.`,
      );
  }
}

async function filesOfDomain(
  directory: string,
): Promise<Omit<FolderFiles, "domains"> & { readonly domain: DomainFiles | null }> {
  const name = basename(resolve(directory));
  const problems: FileProblem[] = [];
  const skipped: string[] = [];
  const runbooks: RunbookFile[] = [];
  const documents: DocumentFile[] = [];
  let definition: string | null = null;
  const names = new Map<string, string>();
  for (const { path, file } of await filesIn(directory)) {
    const folder = documentFolderOf(path);
    if (path === DEFINITION_FILE) definition = file;
    else if (folder && !folder.hasLoadedEnding)
      problems.push({
        file,
        message: `is not loaded: the name of a ${folder.kind} ends in ${endingsOf(folder.kind)}.`,
      });
    else if (folder) documents.push({ kind: folder.kind, source: `${name}/${path}`, path: file });
    else if (isMarkdown(path)) {
      const runbook = path.replace(new RegExp(`/${SKILL_FILE}$`), ".md");
      const problem = nameProblem(runbook, names);
      if (problem) problems.push({ file, message: `is not loaded: ${problem}` });
      else runbooks.push({ source: `${name}/${runbook}`, path: file });
    } else skipped.push(file);
  }
  const isEmpty = runbooks.length + documents.length + problems.length === 0 && definition === null;
  if (isEmpty || DOMAIN_NAME.test(name))
    return { domain: { name, definition, runbooks, documents }, problems, skipped };
  const message = `cannot be a domain: its name ${DOMAIN_NAME_RULE}. Rename the folder.`;
  return { domain: null, problems: [{ file: directory, message }], skipped: [] };
}

/** @param names the file of each name, without its ending and in one spelling: a link to a runbook may be in any */
function nameProblem(path: string, names: Map<string, string>): string | undefined {
  if (!RUNBOOK_PATH.test(path)) return `its name ${RUNBOOK_PATH_RULE}. Rename the file.`;
  if (path.length > MAX_RUNBOOK_PATH)
    return `its name has ${path.length} characters; the limit is ${MAX_RUNBOOK_PATH}. Rename the file.`;
  const name = path
    .replace(MARKDOWN, "")
    .toLowerCase()
    .replace(/[\s_-]+/g, "-");
  const other = names.get(name);
  if (other !== undefined) return `${other} has the same name. Rename one of them.`;
  names.set(name, path);
  return undefined;
}

/** @throws Error when a file is not readable or not valid; the message names it */
export async function readDomainFolder({ name, definition, runbooks, documents }: DomainFiles): Promise<DomainFolder> {
  const read: FolderText[] = [];
  for (const { source, path } of runbooks) {
    const text = await readRunbookText(path);
    if (!isPageWithoutText(text)) read.push(parseRunbookFile(source, text));
  }
  const readDocuments: FolderText[] = [];
  for (const file of documents) readDocuments.push(parseDocumentFile(file, await readUtf8(file.path)));
  const source = `${name}/${DEFINITION_FILE}`;
  return {
    name,
    definition: definition === null ? null : readDefinitionText(source, await readFile(definition, "utf8")),
    runbooks: read,
    ...(readDocuments.length > 0 ? { documents: readDocuments } : {}),
  };
}

/** The Markdown of a runbook. That of a skill begins with its name and description, by which it is found. */
export async function readRunbookText(path: string): Promise<string> {
  const text = await readUtf8(path);
  return basename(path) === SKILL_FILE ? skillText(path, text) : text;
}

/** @throws Error that names the file when its front matter is not valid YAML */
export function skillText(path: string, text: string): string {
  const front = frontMatterBlock(text.replace(/^\uFEFF/, ""));
  const skill = skillSchema.safeParse(front?.format === "yaml" ? readYaml(path, front.fields) : undefined);
  if (front === undefined || !skill.success) return text;
  const { name, description } = skill.data;
  const body = text
    .replace(/^\uFEFF/, "")
    .slice(front.whole.length)
    .trimStart();
  const [heading = ""] = /^# .*(?:\r?\n|$)/.exec(body) ?? [];
  const title = heading === "" ? `# ${name}` : heading.trimEnd();
  const rest = body.slice(heading.length).trimStart();
  return `${front.whole}${title}\n\n${isQuoted(description, rest) ? "" : `${description}\n\n`}${rest}`;
}

const MIN_QUOTE = 40;

/** Whether a description quotes a paragraph of the text, as `dejavu runbooks export` makes it. It would be read twice. */
function isQuoted(description: string, text: string): boolean {
  const flat = (part: string) => part.replace(/\s+/g, " ").trim();
  return text
    .split(/\r?\n\s*\r?\n/)
    .map(flat)
    .some((paragraph) => paragraph.length >= MIN_QUOTE && flat(description).includes(paragraph.slice(0, 200)));
}

/** Whether a file has front matter and nothing else, such as the page of a menu. */
export function isPageWithoutText(text: string): boolean {
  const front = frontMatterBlock(text.replace(/^\uFEFF/, ""));
  return front !== undefined && text.trimEnd().endsWith(front.whole.trimEnd());
}

/** Parses a `domain.yaml`. @throws Error when it is not valid; the message names the source */
export function readDefinitionText(source: string, text: string): DomainDefinition {
  const parsed = domainDefinitionSchema.safeParse(readYaml(source, text));
  if (parsed.success) return parsed.data;
  throw new Error(`${source} is not valid:\n${describeIssues(parsed.error.issues)}`);
}

function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
  return issues.map(({ path, message }) => `  ${path.join(".") || "file"}: ${message}`).join("\n");
}

/**
 * Splits the front matter from the Markdown. Its fields become metadata of every chunk of the runbook.
 * @throws Error when the front matter is not valid; the message names the source
 */
export function parseRunbookFile(source: string, content: string): FolderText {
  const { fields, markdown } = splitFrontMatter(source, content, frontMatterSchema);
  const { incident_type, tags } = fields;
  return {
    source,
    markdown,
    metadata: {
      ...(incident_type !== undefined ? { incident_type } : {}),
      ...(tags.length > 0 ? { tags: tags.join(",") } : {}),
    },
  };
}

/** Names of the files and of the folders, sorted; without those that begin with a dot. */
async function listFolder(directory: string): Promise<{ readonly files: string[]; readonly folders: string[] }> {
  try {
    const names = (await readdir(directory)).filter((name) => !name.startsWith(".")).sort();
    const areFolders = await Promise.all(names.map((name) => isFolder(join(directory, name))));
    return { files: names.filter((_, i) => !areFolders[i]), folders: names.filter((_, i) => areFolders[i]) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") throw new Error(`${directory} does not exist.`, { cause: error });
    if (code === "ENOTDIR") throw new Error(`${directory} is no folder. ${EXPECTED_LAYOUT}`, { cause: error });
    throw error;
  }
}

const MARKDOWN = /\.(?:md|mdx|markdown)(?:\.erb)?$/i;

/** Whether a file is a runbook by its name. */
export function isMarkdown(path: string): boolean {
  return MARKDOWN.test(path) && !README.test(basename(path));
}

/** The files of a folder at any depth, sorted by path; without hidden ones and README.md. Paths have slashes on every platform. */
async function filesIn(directory: string): Promise<{ readonly path: string; readonly file: string }[]> {
  const entries = await readdir(directory, { recursive: true });
  const paths = entries
    .map((path) => path.replaceAll(sep, "/"))
    .filter((path) => !(`/${path}`.includes("/.") || README.test(basename(path))))
    .sort();
  const files: { readonly path: string; readonly file: string }[] = [];
  for (const path of paths) {
    const file = join(directory, path);
    if (isMarkdown(path) || !(await isFolder(file))) files.push({ path, file });
  }
  return files;
}

/** `stat` follows symbolic links. A link to nothing is a file, which is reported when it is read. */
function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}
