// The button "Acknowledge" of a notification.

import { plainMessage } from "../../adapters/block-kit.ts";
import { editIncident } from "../../incidents/detail/edits.ts";
import type { SlackAnswer } from "./deliver.ts";
import type { Press } from "./handle-rating.ts";
import { shortId } from "./render-triage.ts";
import { recordAuditEvent, type SlackContext } from "./slack-context.ts";

/** The person has the incident: its message says so, and its repeats are no longer announced. */
export async function handleAcknowledgement(
  context: SlackContext,
  incidentId: string,
  { person, name }: Pick<Press, "person" | "name">,
): Promise<SlackAnswer> {
  const request = { incidentId, by: name, changes: { acknowledged: true } };
  const result = await editIncident(context.services, request, context.runInBackground);
  if (result.state === "edited") recordAuditEvent(context, incidentId, person);
  const mergedInto = result.state === "resolved" ? result.merged_into : null;
  const text =
    mergedInto === null ? TEXTS[result.state] : `Nothing was recorded: it was merged into \`${shortId(mergedInto)}\`.`;
  return { message: plainMessage(`${text} Incident \`${shortId(incidentId)}\`.`), audience: "person" };
}

const TEXTS = {
  edited: "You have it: repeats are no longer posted here. Its end is, and a fix that does not hold.",
  resolved: "Nothing was recorded: it is resolved already.",
  not_found: "Nothing was recorded: it was deleted.",
} as const;
