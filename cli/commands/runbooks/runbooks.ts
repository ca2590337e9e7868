// `dejavu runbooks list`, `show` and `rm`: stored runbooks.

import { z } from "zod";
import { noteIfNoDomain } from "../../empty-domain.ts";
import { call, callFor, parseAnswer } from "../../service/client.ts";
import { minuteOf } from "../../service/incident.ts";
import { type Invocation, printResult } from "../../service/invocation.ts";
import { printable } from "../../service/problem-error.ts";
import { runbookPath } from "../../service/runbook-source.ts";
import { renderTable, withMoreRows } from "../../table.ts";

interface RunbookListOptions {
  readonly limit?: string;
  readonly cursor?: string;
  readonly domain?: string;
}

const MAX_COLUMNS = 160;
const OPTIONAL = ["title", "updated (UTC)", "origin"];

const pageSchema = z.object({
  runbooks: z.array(
    z.object({
      source: z.string(),
      origin: z.string(),
      title: z.string(),
      uses: z.object({ answered: z.number(), helped: z.number() }),
      updated_at: z.string(),
    }),
  ),
  next_cursor: z.string().nullable(),
});

export async function list({ options, cli }: Invocation<RunbookListOptions>): Promise<void> {
  const { limit, cursor, domain } = options;
  const service = await cli.service();
  const answer = await call(service, { path: "/v1/runbooks", query: { limit, cursor, domain } });
  const { runbooks, next_cursor } = parseAnswer(service, answer, pageSchema);
  if (domain !== undefined && runbooks.length === 0) await noteIfNoDomain(cli, service, domain);
  printResult({ cli, options }, answer, () => {
    if (runbooks.length === 0) return `There are no such runbooks. Add your own: dejavu runbooks add <file or folder>`;
    const rows = runbooks.map((each) => [
      each.source,
      each.origin.replaceAll("_", " "),
      String(each.uses.answered),
      String(each.uses.helped),
      minuteOf(each.updated_at),
      each.title,
    ]);
    const header = ["source", "origin", "answered", "helped", "updated (UTC)", "title"];
    return withMoreRows(
      renderTable(header, rows, { ...cli.terminal(MAX_COLUMNS), whole: ["source"], optional: OPTIONAL }),
      next_cursor,
      cli.nextPage,
    );
  });
}

const shownSchema = z.object({
  source: z.string(),
  title: z.string(),
  text: z.string().nullable(),
  sections: z.array(z.object({ heading: z.string(), text: z.string() })),
});

export async function show({ args, options, cli }: Invocation): Promise<void> {
  const [source = ""] = args;
  const path = runbookPath(source);
  const service = await cli.service();
  const answer = await call(service, { path });
  const { title, text, sections } = parseAnswer(service, answer, shownSchema);
  printResult({ cli, options }, answer, () => {
    if (text !== null) return withoutControls(text);
    // The text of a folder is not stored, only its sections.
    const parts = sections.map(({ heading, text }) => (heading === "" ? text : `## ${heading}\n\n${text}`));
    return withoutControls([`# ${title}`, ...parts].join("\n\n"));
  });
}

function withoutControls(text: string): string {
  return text.split("\n").map(printable).join("\n").trimEnd();
}

const removedSchema = z.object({ source: z.string(), title: z.string(), origin: z.string() });

export async function remove({ args, options, cli }: Invocation): Promise<void> {
  const [source = ""] = args;
  const path = runbookPath(source);
  const service = await cli.service();
  const { title, origin } = await callFor(service, { path }, removedSchema);
  const answer = await call(service, { method: "DELETE", path });
  printResult({ cli, options }, answer, () => {
    const returns = origin === "api" ? "" : "\nIt came from a folder, and returns when that folder is loaded again.";
    return `Removed ${source} "${printable(title)}".${returns}`;
  });
}
