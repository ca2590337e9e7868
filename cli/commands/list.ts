// `dejavu list`: incidents, newest first.

import { z } from "zod";
import { outcomeText } from "../../functions/answer-view/outcome-name.ts";
import { placeText } from "../../functions/surroundings/place-text.ts";
import { noteIfNoDomain } from "../empty-domain.ts";
import { call, parseAnswer } from "../service/client.ts";
import { incidentSchema, minuteOf } from "../service/incident.ts";
import { shortId } from "../service/incident-id.ts";
import { type Cli, type Invocation, printResult } from "../service/invocation.ts";
import { renderTable, withMoreRows } from "../table.ts";

export interface ListOptions {
  readonly limit?: string;
  readonly cursor?: string;
  readonly domain?: string;
  readonly status?: string;
  readonly severity?: string;
  readonly target?: string;
  readonly session?: string;
}

const MAX_COLUMNS = 200;

const pageSchema = z.object({
  incidents: z.array(
    incidentSchema.extend({
      alerts: z.object({ place: z.string().nullable() }),
      latest_triage: z.object({ outcome: z.string(), confidence: z.number(), corrected: z.boolean() }).nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
});
type Row = z.infer<typeof pageSchema>["incidents"][number];

export async function run({ options, cli }: Invocation<ListOptions>): Promise<void> {
  const { limit, cursor, domain, status, severity, target, session } = options;
  const service = await cli.service();
  const query = { limit, cursor, domain, status, severity, target, session_id: session };
  const answer = await call(service, { path: "/v1/incidents", query });
  const { incidents, next_cursor } = parseAnswer(service, answer, pageSchema);
  if (domain !== undefined && incidents.length === 0) await noteIfNoDomain(cli, service, domain);
  printResult({ cli, options }, answer, () => withMoreRows(renderIncidents(incidents, cli), next_cursor, cli.nextPage));
}

function renderIncidents(incidents: readonly Row[], { terminal }: Pick<Cli, "terminal">): string {
  if (incidents.length === 0) return `There are no such incidents yet. Report one: dejavu triage "<what happened>"`;
  const header = ["id", "reported (UTC)", "status", "severity", "owner", "target", "title", "fixed by"];
  const rows = incidents.map((each) => [
    shortId(each.id),
    minuteOf(each.created_at),
    stateOf(each),
    each.severity,
    each.owner ?? "-",
    placeText(each) ?? "-",
    each.title,
    each.resolution ?? "-",
  ]);
  return renderTable(header, rows, {
    ...terminal(MAX_COLUMNS),
    whole: ["id"],
    optional: ["fixed by", "severity", "owner", "status"],
  });
}

/** The outcome of the latest answer says more than `triaged`. */
function stateOf({ status, latest_triage }: Row): string {
  if (status !== "triaged" || latest_triage === null) return status;
  const { outcome, confidence, corrected } = latest_triage;
  return corrected ? "Corrected" : outcomeText(outcome, confidence);
}
