// `dejavu runbooks add`: adds or updates the runbooks of a file, or the runbooks and documents of a folder, through the API.

import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { z } from "zod";
import { displayJson } from "../../../lib/text/display-text.ts";
import { type DocumentFile, documentFolderOf, parseDocumentFile, readUtf8 } from "../../document-files.ts";
import {
  findDomainFiles,
  isMarkdown,
  isPageWithoutText,
  parseRunbookFile,
  type RunbookFile,
  readDefinitionText,
  readRunbookText,
} from "../../runbook-files.ts";
import { callFor, callWithStatus, parseAnswer, pathOf } from "../../service/client.ts";
import { CommandError, EXIT_CODES } from "../../service/command-error.ts";
import { confirm } from "../../service/confirm.ts";
import { describeFileError, reading } from "../../service/file-error.ts";
import type { Service } from "../../service/find-service.ts";
import type { Cli, Invocation } from "../../service/invocation.ts";
import { printable } from "../../service/problem-error.ts";
import { runbookPath } from "../../service/runbook-source.ts";
import { removeTexts, type StoredText, storedTexts } from "../../stored-texts.ts";
import { describeSkipped } from "./runbooks-check.ts";

export interface AddOptions {
  readonly domain?: string;
  readonly prune?: boolean;
  readonly yes?: boolean;
}

interface Failure {
  readonly source: string;
  readonly reason: string;
}

interface Report {
  readonly domains: string[];
  readonly added: string[];
  readonly changed: string[];
  readonly unchanged: string[];
  readonly failed: Failure[];
  /** Mistakes in evidence checks of runbooks that are stored. */
  readonly problems: Problem[];
  /** Files that are neither Markdown nor documents, or have front matter alone. */
  readonly skipped: string[];
  /** With --prune: texts that the folder no longer holds. */
  readonly removed: string[];
}

interface Problem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

interface Stored {
  readonly kind: "domains" | "added" | "changed" | "unchanged" | "skipped";
  readonly problems?: readonly Problem[];
}

/** One thing to send. */
interface Work {
  readonly source: string;
  readonly store: (service: Service) => Promise<Stored>;
}

/** Embedding a long runbook may take a while. */
const STORE_TIMEOUT_MS = 120_000;
/** An unreachable service would fail for every file. */
const MAX_EQUAL_FAILURES = 3;

const CREATED = 201;

const storedSchema = z.object({
  upserted: z.number(),
  removed: z.number(),
  /** Of evidence checks. */
  problems: z.array(z.object({ line: z.number(), message: z.string() })).default([]),
});

export async function run({ args: [path = ""], options, cli }: Invocation<AddOptions>): Promise<void> {
  const report = await addTexts(path, options, cli);
  cli.print(options.json ? displayJson(report) : describe(report));
}

/** Stores the texts of a file or a folder; notes problems, which decide the exit code. @throws CommandError */
export async function addTexts(path: string, { domain, prune, yes }: AddOptions, cli: Cli): Promise<Report> {
  const { work, failed, skipped, domains } = await workOf(path, domain);
  if (prune && domain !== undefined) throw new CommandError("usage", "--prune is for a folder.");
  const service = await cli.service();
  const present = new Set([...work, ...failed].map(({ source }) => source));
  const gone = prune ? await findGone(service, domains, present) : [];
  if (gone.length > 0) {
    cli.note(`Not in this folder, and to be removed (${gone.length}):`);
    for (const { source } of gone) cli.note(`  ${printable(source)}`);
    if (!yes) await confirm(cli, "Remove them?");
  }
  const report: Report = {
    domains: [],
    added: [],
    changed: [],
    unchanged: [],
    failed,
    problems: [],
    skipped,
    removed: [],
  };
  cli.whenInterrupted(() => `Stopped. ${describeCounts(report)} Repeat the command to add the rest.`);
  await storeAll(work, { service, cli, report });
  if (report.failed.length === 0) {
    await removeTexts(service, gone);
    report.removed.push(...gone.map(({ source }) => source));
  } else if (gone.length > 0) cli.note("Nothing was removed: some files were not stored. Repeat the command.");
  for (const { source, reason } of report.failed) cli.note(`${source}: ${reason}`);
  for (const { file, line, message } of report.problems) cli.note(`${file}:${line}: ${printable(message)}`);
  for (const line of describeSkipped(report.skipped)) cli.note(line);
  if (report.failed.length > 0) cli.exitWith(EXIT_CODES.failed);
  return report;
}

/** Texts that the API stored in these domains, and that the folder does not hold. */
async function findGone(
  service: Service,
  domains: readonly string[],
  present: ReadonlySet<string>,
): Promise<StoredText[]> {
  const stored = await Promise.all(domains.map((name) => storedTexts(service, name)));
  return stored.flat().filter(({ origin, source }) => origin === "api" && !present.has(source));
}

async function storeAll(
  work: readonly Work[],
  { service, cli, report }: { readonly service: Service; readonly cli: Cli; readonly report: Report },
): Promise<void> {
  let equal = 0;
  for (const [i, { source, store }] of work.entries()) {
    cli.progress(`${i + 1} of ${work.length}: ${source}`);
    try {
      const { kind, problems = [] } = await store(service);
      report[kind].push(source);
      report.problems.push(...problems);
      equal = 0;
    } catch (error) {
      const message = describeFileError(error) ?? (error instanceof Error ? error.message : String(error));
      const reason = printable(message.startsWith(`${source}: `) ? message.slice(source.length + 2) : message);
      equal = report.failed.at(-1)?.reason === reason ? equal + 1 : 1;
      report.failed.push({ source, reason });
      const isRefused = error instanceof CommandError && error.exitCode === EXIT_CODES.notAllowed;
      if (isRefused) throw error;
      if (equal === MAX_EQUAL_FAILURES && i + 1 < work.length && error instanceof CommandError && !error.problem) {
        cli.note(`Stopped after ${equal} files with the same error. ${work.length - i - 1} files were not sent.`);
        break;
      }
    }
  }
  cli.progress("");
}

/** @throws CommandError, Error for a wrong layout */
async function workOf(
  path: string,
  domain: string | undefined,
): Promise<Pick<Report, "failed" | "skipped" | "domains"> & { readonly work: Work[] }> {
  const entry = await reading(path, () => stat(path));
  if (entry.isDirectory()) {
    if (domain !== undefined)
      throw new CommandError(
        "usage",
        `--domain is for a single file: a folder's name is the domain. ${path} is a folder.`,
      );
    const { domains, problems, skipped } = await findDomainFiles(path);
    const work = domains.flatMap(({ name, definition, runbooks, documents }) => [
      ...(definition === null ? [] : [definitionWork(name, definition)]),
      ...runbooks.map(runbookWork),
      ...documents.map((file) => documentWork(name, file)),
    ]);
    return {
      work,
      failed: problems.map(({ file, message }) => ({ source: file, reason: message })),
      skipped: [...skipped],
      domains: domains.map(({ name }) => name),
    };
  }
  if (domain === undefined)
    throw new CommandError(
      "usage",
      `Name the technology or team of the file: dejavu runbooks add ${path} --domain <name>`,
    );
  if (!isMarkdown(path)) throw new CommandError("usage", `${path} is no Markdown file: its name must end in .md.`);
  return {
    work: [runbookWork({ source: `${domain}/${basename(path)}`, path })],
    failed: [],
    skipped: [],
    domains: [domain],
  };
}

function definitionWork(name: string, file: string): Work {
  const source = `${name}/domain.yaml`;
  return {
    source,
    store: async (service) => {
      const body = readDefinitionText(source, await readFile(file, "utf8"));
      await callFor(service, { method: "PUT", path: pathOf("domains", name), body }, z.object({ name: z.string() }));
      return { kind: "domains" };
    },
  };
}

function runbookWork({ source, path }: RunbookFile): Work {
  return {
    source,
    store: async (service) => {
      const text = await readRunbookText(path);
      const markdown = new TextEncoder().encode(text);
      if (isPageWithoutText(text)) return { kind: "skipped" };
      // The service ignores front matter that it cannot read.
      parseRunbookFile(source, text);
      const request = { method: "PUT", path: runbookPath(source), markdown, timeoutMs: STORE_TIMEOUT_MS } as const;
      return storeText(service, request, path);
    },
  };
}

function documentWork(domain: string, file: DocumentFile): Work {
  const { source, path, kind } = file;
  return {
    source,
    store: async (service) => {
      const { markdown, metadata, date } = parseDocumentFile(file, await readUtf8(path));
      const tags = typeof metadata.tags === "string" ? metadata.tags.split(",") : [];
      const body = { source, doc_type: kind, domain, tags, text: markdown, date };
      return storeText(
        service,
        { method: "POST", path: "/v1/documents", body, timeoutMs: STORE_TIMEOUT_MS },
        file.path,
      );
    },
  };
}

async function storeText(
  service: Service,
  request: Parameters<typeof callWithStatus>[1],
  file: string,
): Promise<Stored> {
  const { status, answer } = await callWithStatus(service, request);
  const { upserted, removed, problems } = parseAnswer(service, answer, storedSchema);
  const kind = status === CREATED ? "added" : upserted + removed > 0 ? "changed" : "unchanged";
  return { kind, problems: problems.map((problem) => ({ file, ...problem })) };
}

function describe(report: Report): string {
  const [first] = [...report.added, ...report.changed, ...report.unchanged];
  const next =
    first === undefined
      ? []
      : [
          "",
          "Try it with words of a report:",
          ...["search", "triage"].map((name) => `  dejavu ${name} "<error line>"`),
        ];
  const { length } = report.problems;
  const problems =
    length === 0
      ? []
      : [`${length} ${length === 1 ? "problem" : "problems"} in evidence checks; the runbooks are stored.`];
  return [describeCounts(report), ...problems, ...next].join("\n");
}

/** One line. */
function describeCounts({ domains, added, changed, unchanged, failed, removed }: Report): string {
  const counts = [
    ...(domains.length === 0 ? [] : [`${domains.length} ${domains.length === 1 ? "domain" : "domains"} defined`]),
    `${added.length} added`,
    `${changed.length} changed`,
    `${unchanged.length} unchanged`,
    `${failed.length} failed`,
    ...(removed.length === 0 ? [] : [`${removed.length} removed`]),
  ];
  const sources = [...added, ...changed, ...unchanged, ...failed.map(({ source }) => source)];
  const hasDocuments = sources.some((source) => documentFolderOf(source.slice(source.indexOf("/") + 1)) !== undefined);
  return `Runbooks${hasDocuments ? " and documents" : ""}: ${counts.join(", ")}.`;
}
