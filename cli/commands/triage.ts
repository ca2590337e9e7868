// `dejavu triage`: triages a text, standard input, files or a pasted alert, and prints the answer.

import type { TriageResult } from "../../functions/schemas/triage-result.ts";
import { displayJson } from "../../lib/text/display-text.ts";
import { readInput, type TriageBody } from "../input/read-input.ts";
import { consoleLine } from "../render/console-line.ts";
import { renderTriage } from "../render-triage.ts";
import { shortId } from "../service/incident-id.ts";
import type { Cli, Invocation } from "../service/invocation.ts";
import { storeLast } from "../service/last-incident.ts";
import { labelsOf } from "../service/report-input.ts";
import { followTriageOn } from "../service/triage-client.ts";
import { showStep } from "../service/triage-progress.ts";

export interface TriageOptions {
  readonly file?: readonly string[];
  readonly target?: string;
  readonly severity?: string;
  readonly label?: readonly string[];
  readonly runbook?: string;
  readonly session?: string;
  readonly full?: boolean;
}

const MAX_COLUMNS = 110;

export async function run({ args, options, cli }: Invocation<TriageOptions>): Promise<void> {
  const fields = fieldsOf(options);
  const service = await cli.service();
  const { requests, notes } = await readInput({
    words: args,
    files: options.file ?? [],
    stdin: cli.stdin,
    say: cli.note,
  });
  for (const note of notes) cli.note(note);
  const results: TriageResult[] = [];
  const isOne = requests.length === 1;
  // Also the first answers of several, when a later one fails.
  const printJson = () => {
    if (options.json) cli.print(displayJson(isOne ? results[0] : results));
  };
  cli.whenInterrupted(() => {
    if (results.length > 0) printJson();
    return "Stopped. The triage may finish on the service: see dejavu list.";
  });
  for (const request of requests) {
    const result = await followTriageOn(service, merge(request, fields), (event) => showStep(cli, event)).catch(
      (error: unknown) => {
        if (results.length > 0) printJson();
        if (!isOne) cli.note(`${results.length} of ${requests.length} alerts were triaged.`);
        throw error;
      },
    );
    cli.progress("");
    storeLast(cli.env, service.key, {
      incident_id: result.incident_id,
      session_id: result.session_id,
      at: new Date().toISOString(),
    });
    // With several answers, "last" is the last one only.
    const incident = isOne ? undefined : shortId(result.incident_id);
    if (!options.json)
      cli.print(
        `${results.length > 0 ? "\n" : ""}${renderAnswer(cli, result, { ...options, incident })}\n${consoleLine(service, result.incident_id)}`,
      );
    results.push(result);
  }
  printJson();
}

/** @param incident how the printed commands name the incident; `last` by default */
export function renderAnswer(
  cli: Cli,
  result: TriageResult,
  {
    full = false,
    incident = "last",
    isBelowIncident = false,
  }: { readonly full?: boolean; readonly incident?: string | undefined; readonly isBelowIncident?: boolean },
): string {
  return renderTriage(result, { ...cli.terminal(MAX_COLUMNS), full, incident, isBelowIncident });
}

/** The fields that the options set. */
function fieldsOf({ target, severity, label = [], runbook, session }: TriageOptions) {
  return {
    ...(target === undefined ? {} : { target }),
    ...(severity === undefined ? {} : { severity }),
    ...(label.length === 0 ? {} : { labels: labelsOf(label) }),
    ...(runbook === undefined ? {} : { runbook_url: runbook }),
    ...(session === undefined ? {} : { session_id: session }),
  };
}

/** Options win; labels are joined. */
function merge(request: TriageBody, fields: ReturnType<typeof fieldsOf>) {
  const labels = { ...request.labels, ...fields.labels };
  return { ...request, ...fields, ...(Object.keys(labels).length === 0 ? {} : { labels }) };
}
