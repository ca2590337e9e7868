// `dejavu memory show`, `search` and `rm`: single records.

import { z } from "zod";
import { observationDetailSchema } from "../../../functions/incidents/observation-detail.ts";
import { renderSearch } from "../../render-memory.ts";
import { renderRecord } from "../../render-record.ts";
import { call, callFor, parseAnswer, pathOf } from "../../service/client.ts";
import { CommandError } from "../../service/command-error.ts";
import { confirm } from "../../service/confirm.ts";
import type { Service } from "../../service/find-service.ts";
import { nameOf } from "../../service/incident.ts";
import { idPrefixOf, incidentId, isWholeId } from "../../service/incident-id.ts";
import { type Cli, type Invocation, printResult } from "../../service/invocation.ts";
import { memorySearchSchema } from "../../service/memory-search.ts";
import { observationId } from "../../service/observation-id.ts";

const MAX_COLUMNS = 200;

export async function show({ args, options, cli }: Invocation): Promise<void> {
  const [text = ""] = args;
  const service = await cli.service();
  const id = await observationId(service, text);
  const answer = await call(service, { path: pathOf("memory", "observations", id) });
  const record = parseAnswer(service, answer, observationDetailSchema);
  printResult({ cli, options }, answer, () => renderRecord(record, cli.terminal(MAX_COLUMNS)));
}

/** What a query recalls, with the parts of each score. */
export async function search({
  args,
  options,
  cli,
}: Invocation<{ readonly domain?: string; readonly session?: string }>): Promise<void> {
  const service = await cli.service();
  const query = { query: args.join(" "), domain: options.domain, session_id: options.session };
  const answer = await call(service, { path: "/v1/memory/search", query });
  const result = parseAnswer(service, answer, memorySearchSchema);
  printResult({ cli, options }, answer, () => renderSearch(result, cli.terminal(MAX_COLUMNS)));
}

const namedSchema = z.object({ id: z.string(), title: z.string() });

interface Target {
  readonly path: string;
  /** Names the record for people. */
  readonly name: string;
}

export async function remove({ args, options, cli }: Invocation<{ readonly yes?: boolean }>): Promise<void> {
  const [kind = "", text = ""] = args;
  const service = await cli.service();
  const { path, name } = await targetOf(service, cli, { kind, text });
  if (!options.yes)
    await confirm(cli, `Delete the ${kind.replace("-", " ")} ${name}, with all that is derived from it?`);
  await call(service, { method: "DELETE", path });
  cli.print(
    options.json ? JSON.stringify({ deleted: { kind, name } }) : `Deleted the ${kind.replace("-", " ")} ${name}.`,
  );
}

async function targetOf(
  service: Service,
  cli: Pick<Cli, "env" | "note">,
  { kind, text }: { readonly kind: string; readonly text: string },
): Promise<Target> {
  switch (kind) {
    case "incident": {
      const path = pathOf("incidents", await incidentId(service, cli, text));
      return { path, name: nameOf(await callFor(service, { path }, namedSchema)) };
    }
    case "observation": {
      const path = pathOf("memory", "observations", await observationId(service, text));
      return { path, name: nameOf(await callFor(service, { path }, namedSchema)) };
    }
    case "session":
      return { path: pathOf("memory", "sessions", text), name: text };
    default: {
      const id = idPrefixOf(text);
      if (!isWholeId(id))
        throw new CommandError("usage", `Use the whole id: dejavu memory ${kind}s --json lists them.`);
      return { path: pathOf("memory", `${kind}s`, id), name: id };
    }
  }
}
