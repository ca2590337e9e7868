// `dejavu postmortem`, `dejavu handover`, `dejavu stats`.

import { z } from "zod";
import { handoverSchema, incidentStatsSchema } from "../../functions/schemas/reports.ts";
import { displayText } from "../../lib/text/display-text.ts";
import { spanIn } from "../input/span.ts";
import { call, parseAnswer, pathOf } from "../service/client.ts";
import { incidentId } from "../service/incident-id.ts";
import { type Invocation, printResult } from "../service/invocation.ts";
import { renderHandover, renderStats } from "../views/render-reports.ts";

const MAX_COLUMNS = 120;

interface SinceOption {
  readonly since?: string;
}

export async function postmortem({ args, options, cli }: Invocation): Promise<void> {
  const [text = ""] = args;
  const service = await cli.service();
  const id = await incidentId(service, cli, text);
  const answer = await call(service, { path: `${pathOf("incidents", id)}/postmortem` });
  const { markdown } = parseAnswer(service, answer, z.object({ markdown: z.string() }));
  printResult({ cli, options }, answer, () => displayText(markdown).trimEnd());
}

export async function handover({ options, cli }: Invocation<SinceOption>): Promise<void> {
  const hours = spanIn("h", "--since", options.since ?? "12h", "8h or 2d");
  const service = await cli.service();
  const answer = await call(service, { path: "/v1/handover", query: { hours: String(hours) } });
  const read = parseAnswer(service, answer, handoverSchema);
  printResult({ cli, options }, answer, () => renderHandover(read, cli.terminal(MAX_COLUMNS)));
}

export async function stats({ options, cli }: Invocation<SinceOption>): Promise<void> {
  const days = spanIn("d", "--since", options.since ?? "30d", "7d or 90d");
  const service = await cli.service();
  const answer = await call(service, { path: "/v1/stats", query: { days: String(days) } });
  const read = parseAnswer(service, answer, incidentStatsSchema);
  printResult({ cli, options }, answer, () => renderStats(read, cli.terminal(MAX_COLUMNS)));
}
