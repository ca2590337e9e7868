// `dejavu import`: makes past incidents of the exports of other systems.

import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { IMPORT_LIMITS, SYSTEM_NAME } from "../../functions/schemas/imported.ts";
import { displayJson, displayText } from "../../lib/text/display-text.ts";
import { CSV_FIELDS } from "../import/formats/csv.ts";
import { NO_FIX } from "../import/formats/original.ts";
import type { DateOrder } from "../import/formats/read-time.ts";
import {
  type ImportOptions as ReadImportOptions,
  type Refused,
  readImport,
  type ToImport,
} from "../import/read-import.ts";
import { callWithRetries } from "../service/client.ts";
import { CommandError, EXIT_CODES } from "../service/command-error.ts";
import type { Service } from "../service/find-service.ts";
import type { Cli, Invocation } from "../service/invocation.ts";
import { printable } from "../service/problem-error.ts";
import { renderTable } from "../table.ts";

export interface ImportOptions {
  readonly format?: string;
  readonly system?: string;
  readonly fix?: string;
  readonly map?: readonly string[];
  readonly dates?: DateOrder;
  readonly domain?: string;
  readonly dryRun?: boolean;
}

/** Characters of one request, below the limit of a body in bytes also where each has three. */
const BATCH_LENGTH = 250_000;
const REQUEST_TIMEOUT_MS = 120_000;
const PREVIEW_ROWS = 10;
const EXAMPLES = 3;
const MAX_COLUMNS = 160;

const answerSchema = z.object({
  incidents: z.array(
    z.object({
      id: z.string(),
      incident_id: z.string().nullable(),
      state: z.enum(["imported", "new", "present", "refused"]),
      reason: z.string().nullable(),
      domain: z.object({ name: z.string() }).nullable(),
    }),
  ),
});

interface Imported extends ToImport {
  readonly incidentId: string | null;
  readonly domain: string;
}

interface Report {
  readonly imported: Imported[];
  /** Ids of those that were there before. */
  readonly present: string[];
  readonly refused: Refused[];
}

export async function run({ args, options, cli }: Invocation<ImportOptions>): Promise<void> {
  const [path = ""] = args;
  const isDryRun = options.dryRun ?? false;
  const { incidents, refused, skipped } = await readImport(path, readOptions(options));
  for (const file of skipped) cli.note(`${file}: skipped; it is no export that is recognised.`);
  const report: Report = { imported: [], present: [], refused: [...refused] };
  if (incidents.length > 0) {
    const service = await cli.service();
    const done = () => report.imported.length + report.present.length;
    cli.whenInterrupted(() =>
      isDryRun
        ? "Stopped. Nothing was stored: it was a dry run."
        : `Stopped. ${done()} of ${incidents.length} incidents are stored. Repeat the command to go on: nothing is stored twice.`,
    );
    await send(batchesOf(incidents), { service, cli, report, isDryRun, total: incidents.length });
  }
  cli.print(options.json ? displayJson(jsonOf(report, isDryRun)) : describe(report, { isDryRun, cli }));
  if (report.imported.length + report.present.length === 0) cli.exitWith(EXIT_CODES.failed);
}

/** @throws CommandError for values that are not possible */
function readOptions({ format, system, fix, map = [], dates, domain }: ImportOptions): ReadImportOptions {
  if (system !== undefined && !SYSTEM_NAME.test(system))
    throw new CommandError(
      "usage",
      `--system must be lower-case letters, digits, hyphens or underscores, not "${system}".`,
    );
  const columns = new Map<string, string>();
  for (const pair of map) {
    const [, field = "", column = ""] = /^([a-z]+)=(.+)$/.exec(pair) ?? [];
    if (!CSV_FIELDS.includes(field))
      throw new CommandError(
        "usage",
        `--map must be <field>=<column> with one of the fields ${CSV_FIELDS.join(", ")}, not "${pair}".`,
      );
    columns.set(field, column);
  }
  // Columns are named for a table of one's own.
  const chosen = format ?? (columns.size > 0 ? "csv" : null);
  return { format: chosen, system: system ?? null, fix: fix ?? null, columns, dates: dates ?? null, domain };
}

function batchesOf(incidents: readonly ToImport[]): ToImport[][] {
  const batches: ToImport[][] = [];
  let length = 0;
  for (const each of incidents) {
    const own = JSON.stringify(each.body).length;
    const last = batches.at(-1);
    const fits = last !== undefined && last.length < IMPORT_LIMITS.incidents && length + own <= BATCH_LENGTH;
    if (fits && last[0]?.from === each.from) last.push(each);
    else batches.push([each]);
    length = fits && last[0]?.from === each.from ? length + own : own;
  }
  return batches;
}

interface SendContext {
  readonly service: Service;
  readonly cli: Cli;
  readonly report: Report;
  readonly isDryRun: boolean;
  readonly total: number;
}

/** One after the other: the oldest first. */
async function send(batches: readonly (readonly ToImport[])[], context: SendContext): Promise<void> {
  const { service, cli, report, isDryRun, total } = context;
  let sent = 0;
  for (const batch of batches) {
    cli.progress(`${sent} of ${total}`);
    const body = { from: batch[0]?.from, incidents: batch.map((each) => each.body), dry_run: isDryRun };
    const request = { method: "POST", path: "/v1/incidents/import", body, timeoutMs: REQUEST_TIMEOUT_MS } as const;
    const { incidents } = await callWithRetries(service, request, answerSchema, sleep).catch((error: unknown) => {
      cli.progress("");
      if (sent > 0 && !isDryRun)
        cli.note(`${sent} of ${total} incidents were sent. Repeat the command to go on: nothing is stored twice.`);
      throw error;
    });
    for (const [i, { id, incident_id, state, reason, domain }] of incidents.entries()) {
      const each = batch[i];
      if (each === undefined) continue;
      if (state === "present") report.present.push(id);
      else if (state === "refused")
        report.refused.push({ file: each.from, id, title: each.body.title, reason: reason ?? "is refused" });
      else report.imported.push({ ...each, incidentId: incident_id, domain: domain?.name ?? "-" });
    }
    sent += batch.length;
  }
  cli.progress("");
}

function jsonOf({ imported, present, refused }: Report, isDryRun: boolean) {
  return {
    dry_run: isDryRun,
    imported: imported.map(({ from, body, incidentId, domain }) => ({
      from,
      id: body.id,
      incident_id: incidentId,
      domain,
      title: body.title,
      fix: body.fix,
    })),
    present,
    refused,
  };
}

function describe(report: Report, { isDryRun, cli }: { readonly isDryRun: boolean; readonly cli: Cli }): string {
  const { imported, present, refused } = report;
  const [first] = imported;
  const counts = [
    `${isDryRun ? "Would import" : "Imported"} ${countOf(imported.length, "incident")}${imported.length === 0 ? "" : ` (${tally(imported.map(({ domain }) => domain))})`}.`,
    ...(present.length === 0 ? [] : [`${present.length} ${present.length === 1 ? "was" : "were"} there already.`]),
  ];
  const rows = imported
    .slice(0, PREVIEW_ROWS)
    .map(({ body, domain }) => [body.opened_at.slice(0, 10), domain, body.target ?? "-", body.title, body.fix]);
  const preview = isDryRun
    ? [
        "",
        renderTable(["opened", "domain", "target", "title", "fix"], rows, cli.terminal(MAX_COLUMNS)),
        ...moreRows(imported.length),
      ]
    : [];
  const next = isDryRun
    ? "To import them, repeat the command without --dry-run."
    : `Try it with words of one: dejavu similar ${JSON.stringify(displayText(first?.body.title ?? ""))}`;
  return [
    counts.join(" "),
    ...(first === undefined ? [] : preview),
    ...refusedLines(refused),
    ...(first === undefined ? [] : ["", next]),
  ].join("\n");
}

function moreRows(total: number): string[] {
  return total > PREVIEW_ROWS ? [`… and ${total - PREVIEW_ROWS} more; all with --json.`] : [];
}

/** Each reason with its number and the first titles. */
function refusedLines(refused: readonly Refused[]): string[] {
  if (refused.length === 0) return [];
  const reasons = groupsOf(refused, ({ reason }) => reason);
  const lines = reasons
    .toSorted(([, a], [, b]) => b.length - a.length)
    .flatMap(([reason, each]) => [
      `  ${each.length} ${printable(reason)}:`,
      ...each
        .slice(0, EXAMPLES)
        .map(({ id, title }) => `    ${printable(`${id}  ${title}`).replace(/\s+/g, " ").slice(0, 100)}`),
      ...(each.length > EXAMPLES ? ["    …"] : []),
    ]);
  const hint = refused.some(({ reason }) => reason === NO_FIX)
    ? ["If another column or field says what fixed it, name it with --fix <name>."]
    : [];
  return ["", `Refused ${countOf(refused.length, "incident")}:`, ...lines, ...hint];
}

function countOf(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** `60 postgres, 30 kubernetes` */
function tally(names: readonly string[]): string {
  const groups = groupsOf(names, (name) => name).toSorted(([, a], [, b]) => b.length - a.length);
  return groups.map(([name, each]) => `${each.length} ${name}`).join(", ");
}

function groupsOf<T>(items: readonly T[], keyOf: (item: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups];
}
