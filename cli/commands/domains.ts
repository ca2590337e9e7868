// `dejavu domains`: list, show, define and remove technologies and teams.

import { readFile } from "node:fs/promises";
import { stringify } from "yaml";
import { z } from "zod";
import { readDefinitionText } from "../runbook-files.ts";
import { call, parseAnswer, pathOf } from "../service/client.ts";
import { confirm } from "../service/confirm.ts";
import { reading } from "../service/file-error.ts";
import { type Invocation, printResult } from "../service/invocation.ts";
import { printable } from "../service/problem-error.ts";
import { renderTable, withMoreRows } from "../table.ts";

const MAX_COLUMNS = 160;

const domainSchema = z.object({
  name: z.string(),
  definition: z.looseObject({ description: z.string() }),
  origin: z.string().nullable(),
  runbooks: z.number(),
  documents: z.number(),
  incidents: z.number(),
});
const pageSchema = z.object({ domains: z.array(domainSchema), next_cursor: z.string().nullable() });
const removedSchema = z.object({
  deleted: z.object({ runbooks: z.number(), documents: z.number() }),
  kept: z.object({ incidents: z.number() }),
});

export async function list({ options, cli }: Invocation<{ limit?: string; cursor?: string }>): Promise<void> {
  const service = await cli.service();
  const query = { limit: options.limit, cursor: options.cursor };
  const answer = await call(service, { path: "/v1/domains", query });
  const { domains, next_cursor } = parseAnswer(service, answer, pageSchema);
  printResult({ cli, options }, answer, () => {
    const rows = domains.map(({ name, runbooks, documents, incidents, definition }) => [
      name,
      String(runbooks),
      String(documents),
      String(incidents),
      definition.description || "-",
    ]);
    const header = ["name", "runbooks", "documents", "incidents", "description"];
    return withMoreRows(
      renderTable(header, rows, { ...cli.terminal(MAX_COLUMNS), whole: ["name"] }),
      next_cursor,
      cli.nextPage,
    );
  });
}

export async function show({ args, options, cli }: Invocation): Promise<void> {
  const [name = ""] = args;
  const service = await cli.service();
  const answer = await call(service, { path: pathOf("domains", name) });
  const domain = parseAnswer(service, answer, domainSchema);
  printResult({ cli, options }, answer, () => {
    const { runbooks, documents, incidents, definition } = domain;
    const head = `# ${name}: ${runbooks} runbooks, ${documents} documents, ${incidents} incidents.`;
    return [head, ...stringify(definition).trimEnd().split("\n").map(printable)].join("\n");
  });
}

export async function add({ args, options, cli }: Invocation): Promise<void> {
  const [name = "", file = ""] = args;
  const definition = readDefinitionText(file, await reading(file, () => readFile(file, "utf8")));
  const service = await cli.service();
  const answer = await call(service, { method: "PUT", path: pathOf("domains", name), body: definition });
  parseAnswer(service, answer, domainSchema);
  printResult({ cli, options }, answer, () => `Defined the domain ${name}. The next triage uses it.`);
}

export async function remove({
  args,
  options,
  cli,
}: Invocation<{ readonly force?: boolean; readonly yes?: boolean }>): Promise<void> {
  const [name = ""] = args;
  const service = await cli.service();
  // Without --force, the service refuses to remove a domain that holds texts.
  if (options.force && !options.yes)
    await confirm(cli, `Remove the domain ${name} with all its runbooks and documents?`);
  const query = { force: options.force ? "true" : undefined };
  const answer = await call(service, { method: "DELETE", path: pathOf("domains", name), query });
  const { deleted, kept } = parseAnswer(service, answer, removedSchema);
  printResult(
    { cli, options },
    answer,
    () =>
      `Removed the domain ${name} with ${deleted.runbooks} runbooks and ${deleted.documents} documents. Its ${kept.incidents} incidents stay.`,
  );
}
