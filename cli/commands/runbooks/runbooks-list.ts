// `dejavu runbooks list`: runbooks by name.

import { z } from "zod";
import { noteIfNoDomain } from "../../empty-domain.ts";
import { commandPrefix } from "../../render/command-prefix.ts";
import { call, parseAnswer } from "../../service/client.ts";
import { minuteOf } from "../../service/incident.ts";
import { type Invocation, printResult } from "../../service/invocation.ts";
import { renderTable, withMoreRows } from "../../table.ts";

export interface RunbookListOptions {
  readonly limit?: string;
  readonly cursor?: string;
  readonly domain?: string;
}

const MAX_COLUMNS = 160;
const OPTIONAL = ["title", "chunks", "updated (UTC)", "origin"];

const pageSchema = z.object({
  runbooks: z.array(
    z.object({
      source: z.string(),
      origin: z.string(),
      title: z.string(),
      chunks: z.number(),
      updated_at: z.string(),
    }),
  ),
  next_cursor: z.string().nullable(),
});

export async function run({ options, cli }: Invocation<RunbookListOptions>): Promise<void> {
  const { limit, cursor, domain } = options;
  const service = await cli.service();
  const answer = await call(service, { path: "/v1/runbooks", query: { limit, cursor, domain } });
  const { runbooks, next_cursor } = parseAnswer(service, answer, pageSchema);
  if (domain !== undefined && runbooks.length === 0) await noteIfNoDomain(cli, service, domain);
  printResult({ cli, options }, answer, () => {
    if (runbooks.length === 0)
      return `There are no such runbooks. Add your own: ${commandPrefix(cli.env)} runbooks add <file or folder>`;
    const rows = runbooks.map((each) => [
      each.source,
      each.origin.replaceAll("_", " "),
      String(each.chunks),
      minuteOf(each.updated_at),
      each.title,
    ]);
    const header = ["source", "origin", "chunks", "updated (UTC)", "title"];
    return withMoreRows(
      renderTable(header, rows, { ...cli.terminal(MAX_COLUMNS), whole: ["source"], optional: OPTIONAL }),
      next_cursor,
      cli.nextPage,
    );
  });
}
