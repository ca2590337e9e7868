// Notes, logs and postmortems in the folder of a domain: `notes/`, `logs/` and `postmortems/`, with an optional date in the
// front matter or in the file name.

import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import type { FolderText } from "../functions/knowledge/sync-runbooks.ts";
import type { DocumentType } from "../functions/schemas/text-kind.ts";
import { frontMatterBlock, splitFrontMatter as splitLeniently } from "../lib/markdown/front-matter.ts";

/** A folder of documents in the folder of a domain, and the endings of its files. */
const FOLDERS: Readonly<Record<string, { readonly kind: DocumentType; readonly endings: readonly string[] }>> = {
  notes: { kind: "note", endings: [".md", ".txt"] },
  logs: { kind: "log", endings: [".log", ".txt"] },
  postmortems: { kind: "postmortem", endings: [".md", ".txt"] },
};

export const DOCUMENT_FOLDERS: readonly string[] = Object.keys(FOLDERS);

const dateSchema = z.union(
  [z.iso.date(), z.iso.datetime({ offset: true })],
  "must be a date such as 2026-03-01, or a time such as 2026-03-01T14:30:00Z",
);

const tagSchema = z.union([z.string().min(1), z.number().transform(String)]);

/** Tags of a text, as a list or as `a, b`; YAML reads 429 as a number, and a field without a value as null. */
export const tagsSchema = z.preprocess(
  (tags) => (typeof tags === "string" ? tags.split(",").map((tag) => tag.trim()) : (tags ?? [])),
  z.array(tagSchema),
);

/** Other fields, such as title and author, are the author's own. */
export const documentFrontMatterSchema = z.object({ date: dateSchema.optional(), tags: tagsSchema });

const DATE_IN_NAME = /^(\d{4}-\d{2}-\d{2})(?![0-9])/;

/** A file of a note, a log or a postmortem, which has not been read yet. */
export interface DocumentFile {
  /** Name of the text: the domain, and the path in its folder. */
  readonly source: string;
  readonly path: string;
  readonly kind: DocumentType;
}

/** @param path in the folder of a domain; undefined unless it is in a folder of documents */
export function documentFolderOf(
  path: string,
): { readonly kind: DocumentType; readonly hasLoadedEnding: boolean } | undefined {
  const [folder = "", ...rest] = path.split("/");
  const rule = rest.length === 0 || !Object.hasOwn(FOLDERS, folder) ? undefined : FOLDERS[folder];
  return (
    rule && { kind: rule.kind, hasLoadedEnding: rule.endings.some((ending) => path.toLowerCase().endsWith(ending)) }
  );
}

/** The endings of the files of a kind, for messages. */
export function endingsOf(kind: DocumentType): string {
  const rule = Object.values(FOLDERS).find((each) => each.kind === kind);
  return (rule?.endings ?? []).join(" or ");
}

/** Whether a file may have front matter: a log is stored as it is. */
export function hasFrontMatter(kind: DocumentType): boolean {
  return kind !== "log";
}

/** Of a file that is not UTF-8, after its name. */
export const NOT_UTF_8 = "is not UTF-8. Save it in this encoding.";

/** Null for a text that is not UTF-8. */
export function decodeUtf8(content: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return null;
  }
}

/** The text of a file. @throws Error when it cannot be read, or is not UTF-8 */
export async function readUtf8(path: string): Promise<string> {
  const text = decodeUtf8(await readFile(path));
  if (text === null) throw new Error(NOT_UTF_8);
  return text;
}

/** The date at the start of a file name: "2026-03-01-orders-db.md"; undefined without one. It may be no real date. */
export function dateInName(path: string): string | undefined {
  return DATE_IN_NAME.exec(basename(path))?.[1];
}

export function isDate(text: string): boolean {
  return z.iso.date().safeParse(text).success;
}

/**
 * Splits the front matter from the text. The age of the text counts from the date of its YAML front matter, else of its
 * file name, else from the time when it is first loaded.
 * @throws Error when the front matter or the date is not valid; the message names the source
 */
export function parseDocumentFile(
  { source, kind }: Pick<DocumentFile, "source" | "kind">,
  content: string,
): FolderText {
  const { fields, markdown } = hasFrontMatter(kind)
    ? splitFrontMatter(source, content, documentFrontMatterSchema)
    : { fields: documentFrontMatterSchema.parse({}), markdown: content.replace(/^\uFEFF/, "") };
  const named = dateInName(source);
  if (named !== undefined && !isDate(named)) throw new Error(`${source}: ${named} in the file name is no date.`);
  const { tags, date = named } = fields;
  return {
    source,
    kind,
    markdown,
    metadata: { ...(tags.length > 0 ? { tags: tags.join(",") } : {}) },
    ...(date === undefined ? {} : { date }),
  };
}

/** Parts the front matter from the text. @throws Error when it is not valid; the message names the source */
export function splitFrontMatter<T>(
  source: string,
  content: string,
  schema: z.ZodType<T>,
): { readonly fields: T; readonly markdown: string } {
  const text = content.replace(/^\uFEFF/, "");
  const block = frontMatterBlock(text);
  const { markdown, incidentType, tags } = splitLeniently(text);
  const fields =
    block?.format === "toml" ? { incident_type: incidentType, tags: [...tags] } : readYaml(source, block?.fields ?? "");
  const parsed = schema.safeParse(fields);
  if (parsed.success) return { fields: parsed.data, markdown };
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".") || "front matter"}: ${issue.message}`);
  throw new Error(`${source}: the front matter is not valid (${problems.join("; ")}).`);
}

/** @returns no fields for an empty text @throws Error that names the source */
export function readYaml(source: string, text: string): unknown {
  try {
    return parseYaml(text) ?? {};
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${source}: it is not valid YAML (${reason}).`, { cause: error });
  }
}
