// `dejavu show`: an incident with its answer, timeline and alerts.

import { consoleLine } from "../render/console-line.ts";
import { call, parseAnswer, pathOf } from "../service/client.ts";
import { incidentDetailSchema } from "../service/incident.ts";
import { incidentId } from "../service/incident-id.ts";
import { type Invocation, printResult } from "../service/invocation.ts";
import { renderIncidentHistory } from "../views/render-incident.ts";
import { renderAnswer } from "./triage.ts";

const MAX_COLUMNS = 110;

export async function run({ args, options, cli }: Invocation<{ readonly full?: boolean }>): Promise<void> {
  const [text = ""] = args;
  const service = await cli.service();
  const id = await incidentId(service, cli, text);
  const answer = await call(service, { path: pathOf("incidents", id) });
  const incident = parseAnswer(service, answer, incidentDetailSchema);
  printResult({ cli, options }, answer, () =>
    [
      renderIncidentHistory(incident, cli.terminal(MAX_COLUMNS)),
      ...(incident.triage === null
        ? []
        : ["", renderAnswer(cli, incident.triage, { ...options, incident: text, isBelowIncident: true })]),
      consoleLine(service, incident.id),
    ].join("\n"),
  );
}
