// Reads the incidents of a file, or of the files of a folder.

import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { CsvError } from "csv-parse/sync";
import { CommandError } from "../service/command-error.ts";
import { reading } from "../service/file-error.ts";
import type { ImportFile, ImportFormat, ReadOptions } from "./formats/format.ts";
import { IMPORT_FORMATS } from "./formats/index.ts";
import { type Checked, checkOriginal, type Original, type OriginalBody } from "./formats/original.ts";
import { readTable } from "./formats/read-table.ts";
import { type DateOrder, dateOrderOf, isAmbiguousDate, readTime } from "./formats/read-time.ts";

export interface ImportOptions extends ReadOptions {
  /** Null to recognise it. */
  readonly format: string | null;
  /** Null for that of the format. */
  readonly system: string | null;
  readonly domain: string | undefined;
  readonly dates: DateOrder | null;
}

export interface ToImport {
  readonly from: string;
  readonly body: OriginalBody;
}

export interface Refused {
  readonly file: string;
  readonly id: string;
  readonly title: string;
  /** Continues the sentence that the title begins. */
  readonly reason: string;
}

export interface ReadImport {
  /** Oldest first. */
  readonly incidents: readonly ToImport[];
  readonly refused: readonly Refused[];
  /** Files of no known format. */
  readonly skipped: readonly string[];
}

const ENDINGS = /\.(?:json|csv|tsv|md|markdown|mdx)$/i;

/** @throws CommandError for a path, a file or dates that cannot be read */
export async function readImport(path: string, options: ImportOptions): Promise<ReadImport> {
  const entry = await reading(path, () => stat(path));
  const files = entry.isDirectory() ? await filesIn(path) : [{ name: basename(path), file: path }];
  const incidents: ToImport[] = [];
  const refused: Refused[] = [];
  const skipped: string[] = [];
  const keys = new Set<string>();
  for (const { name, file } of files) {
    const read = readOriginals(await loadFile(name, file), { file, options });
    if (read === null) {
      skipped.push(file);
      continue;
    }
    for (const each of checkAll(read.originals, { file, options })) {
      if (!("body" in each)) {
        refused.push({ file, ...each });
        continue;
      }
      const key = `${read.from} ${each.body.id}`;
      const { id, title } = each.body;
      if (keys.has(key)) refused.push({ file, id, title, reason: "is there twice" });
      else incidents.push({ from: read.from, body: each.body });
      keys.add(key);
    }
  }
  if (!entry.isDirectory() && skipped.length > 0)
    throw new CommandError(
      "usage",
      options.format === null
        ? `${path} is no export that is recognised: ${IMPORT_FORMATS.map((each) => each.name).join(", ")}. For another table, save it as CSV and name its columns with --map.`
        : `${path} is not of the format ${options.format}.`,
    );
  return { incidents: incidents.toSorted(byTime), refused, skipped };
}

function byTime({ body: a }: ToImport, { body: b }: ToImport): number {
  return Date.parse(a.opened_at) - Date.parse(b.opened_at);
}

async function filesIn(folder: string): Promise<{ readonly name: string; readonly file: string }[]> {
  const names = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll(sep, "/"));
  return names
    .filter((name) => ENDINGS.test(name) && !/(?:^|\/)(?:\.|readme\.)/i.test(name))
    .sort()
    .map((name) => ({ name, file: join(folder, name) }));
}

async function loadFile(name: string, file: string): Promise<ImportFile> {
  const text = decoded(await reading(file, () => readFile(file)));
  if (/\.(?:md|markdown|mdx)$/i.test(name)) return { path: name, text, json: undefined, table: undefined };
  try {
    return /^\s*[[{]/.test(text)
      ? { path: name, text, json: JSON.parse(text), table: undefined }
      : { path: name, text, json: undefined, table: readTable(text) };
  } catch (error) {
    if (error instanceof SyntaxError) throw new CommandError("usage", `${file} is no valid JSON: ${error.message}.`);
    if (error instanceof CsvError) throw new CommandError("usage", `${file} is no valid CSV: ${error.message}.`);
    throw error;
  }
}

/** Spreadsheets also save UTF-16. */
function decoded(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isUtf16 ? "utf-16le" : "utf-8").decode(bytes);
}

interface FileContext {
  readonly file: string;
  readonly options: ImportOptions;
}

function readOriginals(
  content: ImportFile,
  { file, options }: FileContext,
): { readonly from: string; readonly originals: readonly Original[] } | null {
  const formats = IMPORT_FORMATS.filter(({ name }) => options.format === null || name === options.format);
  for (const format of formats) {
    try {
      const originals = format.read(content, options);
      if (originals !== null) return { from: options.system ?? systemOf(format, content.path), originals };
    } catch (error) {
      throw new CommandError("usage", `${file} ${error instanceof Error ? error.message : String(error)}.`, {
        cause: error,
      });
    }
  }
  return null;
}

/** Ids of a table are only its own: its name is part of them. */
function systemOf({ system, name }: ImportFormat, path: string): string {
  const slug = basename(path)
    .replace(/\.\w+$/, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 63);
  return system ?? (slug === "" ? name : slug);
}

function checkAll(originals: readonly Original[], { file, options }: FileContext): Checked[] {
  const times = originals.flatMap(({ opened, resolved }) => [opened ?? "", resolved ?? ""]);
  const order = options.dates ?? dateOrderOf(times);
  const ambiguous = order === null ? times.find(isAmbiguousDate) : undefined;
  if (ambiguous !== undefined)
    throw new CommandError(
      "usage",
      `${file} has dates such as ${ambiguous}. Say what comes first, the day or the month: --dates dmy or --dates mdy.`,
    );
  return originals.map((each) =>
    checkOriginal(each, { timeOf: (text) => readTime(text, order), domain: options.domain }),
  );
}
