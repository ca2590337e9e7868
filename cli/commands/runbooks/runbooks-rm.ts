// `dejavu runbooks rm`: removes a runbook.

import { z } from "zod";
import { call, callFor } from "../../service/client.ts";
import { type Invocation, printResult } from "../../service/invocation.ts";
import { printable } from "../../service/problem-error.ts";
import { runbookPath } from "../../service/runbook-source.ts";

const detailSchema = z.object({ source: z.string(), title: z.string(), origin: z.string() });

export async function run({ args, options, cli }: Invocation): Promise<void> {
  const [source = ""] = args;
  const path = runbookPath(source);
  const service = await cli.service();
  const { title, origin } = await callFor(service, { path }, detailSchema);
  const answer = await call(service, { method: "DELETE", path });
  printResult({ cli, options }, answer, () => {
    const returns = origin === "api" ? "" : "\nIt came from a folder, and returns when that folder is loaded again.";
    return `Removed ${source} "${printable(title)}".${returns}`;
  });
}
