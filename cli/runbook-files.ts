// Reads folders of runbooks: a domain each, with Markdown files that may have YAML front matter, a `domain.yaml`, and
// folders of notes, logs and postmortems.

import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { z } from "zod";
import { type DomainDefinition, domainDefinitionSchema } from "../functions/knowledge/domains/domain-definition.ts";
import type { FolderText } from "../functions/knowledge/sync-runbooks.ts";
import { DOMAIN_NAME, DOMAIN_NAME_RULE } from "../functions/schemas/domain.ts";
import {
  DOCUMENT_FOLDERS,
  type DocumentFile,
  documentFolderOf,
  parseDocumentFile,
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
  "Give a folder with Markdown files, which becomes one domain of the folder's name, or a folder that holds one such folder for each domain.";

export const DEFINITION_FILE = "domain.yaml";
/** Says what a folder is for, so it is no runbook. */
const README = /^readme\.md$/i;

/** A folder of runbooks: a technology or a team. */
export interface DomainFolder {
  readonly name: string;
  /** Null without a `domain.yaml`. */
  readonly definition: DomainDefinition | null;
  readonly runbooks: readonly FolderText[];
  /** Notes, logs and postmortems; missing when there are none. */
  readonly documents?: readonly FolderText[];
}

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
  /** Paths of files in a folder of documents that are not loaded, since their names end in something else. */
  readonly ignored: readonly Omit<DocumentFile, "source">[];
}

/**
 * Reads a folder of runbooks.
 * @throws Error when the folder has the wrong layout, or a file is not readable or not valid; the message names it
 */
export async function readDomainFolders(directory: string): Promise<DomainFolder[]> {
  return Promise.all((await findDomainFiles(directory)).map(readDomainFolder));
}

/**
 * Finds the files of a folder of runbooks. A folder with Markdown files or a `domain.yaml` is one domain; otherwise each of
 * its subfolders is one. Every Markdown file of a domain is a runbook, at any depth, sorted by name, except in its folders
 * `notes`, `logs` and `postmortems`. Files and folders whose name starts with a dot, and README.md files, are skipped.
 * @throws Error when the folder has the wrong layout
 */
export async function findDomainFiles(directory: string): Promise<DomainFiles[]> {
  const { files, folders } = await listFolder(directory);
  const isDomain =
    files.some((name) => name === DEFINITION_FILE || isMarkdown(name)) ||
    (await holdsDocumentsOnly(directory, folders));
  const domains = isDomain
    ? [await filesOfDomain(directory, await singleDomainName(directory, folders))]
    : await Promise.all(folders.map((name) => filesOfDomain(join(directory, name), domainName(directory, name))));
  if (domains.every(({ runbooks, documents, definition }) => runbooks.length + documents.length === 0 && !definition))
    throw new Error(`${directory} holds no runbooks. ${EXPECTED_LAYOUT}`);
  return domains;
}

/** Whether a folder consists of folders of documents. One with a `domain.yaml` is a domain that happens to have such a name. */
async function holdsDocumentsOnly(directory: string, folders: readonly string[]): Promise<boolean> {
  if (folders.length === 0 || !folders.every((name) => DOCUMENT_FOLDERS.includes(name))) return false;
  const lists = await Promise.all(folders.map((name) => listFolder(join(directory, name))));
  return lists.every(({ files }) => !files.includes(DEFINITION_FILE));
}

/** The name of a folder that is a domain itself. @throws Error if its subfolders are domains too */
async function singleDomainName(directory: string, folders: readonly string[]): Promise<string> {
  for (const folder of folders) {
    const { files } = await listFolder(join(directory, folder));
    if (files.includes(DEFINITION_FILE))
      throw new Error(
        `${directory} holds runbooks itself, and its folder ${folder}/ is a domain with a ${DEFINITION_FILE}. Move the runbooks into a folder of their own.`,
      );
  }
  const path = resolve(directory);
  return domainName(dirname(path), basename(path));
}

async function filesOfDomain(directory: string, name: string): Promise<DomainFiles> {
  const { files } = await listFolder(directory);
  const paths = await textFiles(directory);
  const documents = paths.flatMap((path) => {
    const folder = documentFolderOf(path);
    return folder ? [{ ...folder, source: `${name}/${path}`, path: join(directory, path) }] : [];
  });
  return {
    name,
    definition: files.includes(DEFINITION_FILE) ? join(directory, DEFINITION_FILE) : null,
    runbooks: paths
      .filter((path) => isMarkdown(path) && documentFolderOf(path) === undefined)
      .map((path) => ({ source: `${name}/${path}`, path: join(directory, path) })),
    documents: documents.flatMap(({ isLoaded, ...file }) => (isLoaded ? [file] : [])),
    ignored: documents.flatMap(({ isLoaded, path, kind }) => (isLoaded ? [] : [{ path, kind }])),
  };
}

async function readDomainFolder({ name, definition, runbooks, documents }: DomainFiles): Promise<DomainFolder> {
  const read: FolderText[] = [];
  for (const { source, path } of runbooks) read.push(parseRunbookFile(source, await readFile(path, "utf8")));
  const readDocuments: FolderText[] = [];
  for (const file of documents) readDocuments.push(parseDocumentFile(file, await readFile(file.path, "utf8")));
  const source = `${name}/${DEFINITION_FILE}`;
  return {
    name,
    definition: definition === null ? null : readDefinitionText(source, await readFile(definition, "utf8")),
    runbooks: read,
    ...(readDocuments.length > 0 ? { documents: readDocuments } : {}),
  };
}

function domainName(parent: string, folder: string): string {
  if (DOMAIN_NAME.test(folder)) return folder;
  throw new Error(`${join(parent, folder)} cannot be a domain: its name ${DOMAIN_NAME_RULE}. Rename the folder.`);
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
    // `stat` follows symbolic links, so a link to a folder counts as a folder. Directory entries would not.
    const areFolders = await Promise.all(names.map(async (name) => (await stat(join(directory, name))).isDirectory()));
    return { files: names.filter((_, i) => !areFolders[i]), folders: names.filter((_, i) => areFolders[i]) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") throw new Error(`${directory} does not exist.`, { cause: error });
    if (code === "ENOTDIR") throw new Error(`${directory} is no folder. ${EXPECTED_LAYOUT}`, { cause: error });
    throw error;
  }
}

function isMarkdown(path: string): boolean {
  return path.endsWith(".md") && isShown(path);
}

function isShown(path: string): boolean {
  return !`/${path}`.includes("/.") && !README.test(basename(path));
}

/** Returns the sorted paths of Markdown files and of files in folders of documents, separated by slashes on every platform. */
async function textFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true });
  const paths = entries
    .map((path) => path.replaceAll(sep, "/"))
    .filter(isShown)
    .sort();
  const kept: string[] = [];
  for (const path of paths) {
    const isFile = documentFolderOf(path) !== undefined && !(await stat(join(directory, path))).isDirectory();
    if (isFile || (isMarkdown(path) && documentFolderOf(path) === undefined)) kept.push(path);
  }
  return kept;
}
