// The button "This resolved it": its press opens the dialog that asks what fixed the incident, and its submission resolves
// the incident. A press stores nothing while the incident has no fix.

import type { Modal } from "../../adapters/block-kit.ts";
import { DependencyError, settle } from "../../dependencies.ts";
import { getIncident, type IncidentWithHistory, storedTriage } from "../../incidents/incident-records.ts";
import { fixText } from "../../incidents/resolution-records.ts";
import { isClosed, resolveIncident } from "../../investigation/learning/resolve-incident.ts";
import { giveFeedback } from "../../memory/give-feedback.ts";
import { within } from "../../timers.ts";
import type { SlackAnswer } from "./deliver.ts";
import { fixDialog, type SubmittedFix } from "./fix-dialog.ts";
import type { Press } from "./handle-rating.ts";
import type { FixDialogData } from "./payloads.ts";
import { type FixOutcome, type NoDialogReason, renderFix, renderNoDialog } from "./render-fix.ts";
import { recordAuditEvent, type SlackContext } from "./slack-context.ts";
import { type SuggestedFix, suggestedFix } from "./suggested-fix.ts";

/**
 * Milliseconds for the incident. Slack accepts the trigger of a press for 3 seconds, which the request to the Worker and the
 * one to Slack take a part of.
 */
const READ_TIMEOUT_MS = 1_000;

export interface FixPress extends Press {
  readonly triggerId: string;
  readonly responseUrl: string;
  readonly channel: string;
  readonly thread: FixDialogData["thread"];
}

/**
 * Opens the dialog.
 * @returns a message if the dialog is not needed or did not open; null once it is open
 * @throws DependencyError when the database failed; if it is only slow, the dialog opens without a suggestion
 */
export async function handleFixPress(context: SlackContext, press: FixPress): Promise<SlackAnswer | null> {
  const { triageId, incidentId, triggerId, responseUrl, channel, thread } = press;
  const record = await readInTime(context, incidentId);
  if (record === null) return toPerson(await reportOutcome(context, press, { state: "not_found" }));
  if (record !== undefined && isClosed(record)) {
    return toPerson(await reportOutcome(context, press, { state: "already_resolved", record, submitted: null }));
  }
  const suggestion = record === undefined ? null : suggestionOf(record, triageId);
  const noDialog = (reason: NoDialogReason) => toPerson(renderNoDialog(reason, incidentId, suggestion?.text ?? null));
  const place = { triageId, incidentId, channel, responseUrl, thread };
  const dialog = fixDialog({ title: record?.incident.title ?? null, suggestion, place });
  const reason = await openDialog(context, triggerId, dialog);
  return reason === null ? null : noDialog(reason);
}

/** @returns why the dialog did not open; null if it did */
export async function openDialog(
  { services }: Pick<SlackContext, "services">,
  triggerId: string,
  dialog: Modal,
): Promise<NoDialogReason | null> {
  if (!services.slack.hasBotToken) return "no_bot_token";
  const opened = await settle(services.slack.openDialog(triggerId, dialog));
  if (opened.ok && opened.value === "opened") return null;
  services.log("error", "slack.dialog_not_opened", { error: opened.ok ? "expired trigger" : opened.error.message });
  return opened.ok ? "expired" : "failed";
}

/** Undefined if the incident could not be read in time. @throws DependencyError for other failures */
async function readInTime(
  { services }: SlackContext,
  incidentId: string,
): Promise<IncidentWithHistory | null | undefined> {
  const deadline = { startTimer: services.startTimer, name: "suggested_fix", ms: READ_TIMEOUT_MS } as const;
  const read = await settle(
    within(deadline, getIncident(services.database, incidentId), () => {
      throw new DependencyError("database", "timeout", `no answer within ${READ_TIMEOUT_MS} ms`);
    }),
  );
  if (read.ok) return read.value;
  if (read.error.failure !== "timeout") throw read.error;
  services.log("warn", "slack.suggestion_missing", { error: read.error.message });
  return undefined;
}

/** The record holds the latest answer only. If the person followed another one, its fix is not the one they used. */
function suggestionOf(record: IncidentWithHistory, triageId: string): SuggestedFix | null {
  const { triage } = storedTriage(record);
  return triage?.triage_id === triageId ? suggestedFix(triage) : null;
}

/** Resolves the incident with the fix that the person confirmed, and rates the answer as helpful. */
export async function handleFixSubmission(
  context: SlackContext,
  press: Press,
  fix: SubmittedFix,
): Promise<SlackAnswer> {
  return toPerson(await reportOutcome(context, press, await resolveOpen(context, press, fix)));
}

async function resolveOpen(
  { services, runInBackground }: SlackContext,
  { triageId, incidentId, person, name }: Press,
  fix: SubmittedFix,
): Promise<FixOutcome> {
  const record = await getIncident(services.database, incidentId);
  if (record === null) return { state: "not_found" };
  const isLatest = storedTriage(record).triage?.triage_id === triageId;
  const request = {
    incidentId,
    ...(await actionOf(services, fix)),
    didNotHelp: fix.didNotHelp,
    conditions: fix.conditions,
    resolvedBy: name,
    author: { caller: person, isAdmin: false },
    // The person reports that the answer with the button helped. Memory holds the latest one.
    worked: isLatest ? true : null,
    onlyOpen: true,
  };
  const resolved = await resolveIncident(services, request, runInBackground);
  if (resolved === null) return { state: "not_found" };
  if (resolved.state === "pending") return resolved;
  return resolved.state === "kept" || resolved.state === "of_another"
    ? { state: "already_resolved", record: resolved.record, submitted: fix.text }
    : { state: "resolved", record: resolved.record };
}

/** An unedited suggestion is stored as what it is: the recorded fix, or a step of the answer. */
async function actionOf(
  { database }: Pick<SlackContext["services"], "database">,
  { text, asSuggested }: SubmittedFix,
): Promise<{ readonly resolution: string; readonly fixId: string | null }> {
  if (asSuggested?.origin === "step") return { resolution: `Followed Dejavu's answer: ${text}`, fixId: null };
  const fixId = asSuggested?.fixId ?? null;
  const recorded = fixId === null ? null : await fixText(database, fixId);
  // The fix may be deleted by now.
  return recorded === null ? { resolution: text, fixId: null } : { resolution: recorded, fixId };
}

/** Records the rating. Its failure must not hide that the incident is resolved. */
async function reportOutcome(context: SlackContext, { triageId, person }: Press, outcome: FixOutcome) {
  const { services, runInBackground } = context;
  const rating = { triageId, person, rating: 1, comment: null } as const;
  const feedback = await settle(giveFeedback(services, rating, runInBackground));
  if (!feedback.ok) {
    services.log("warn", "slack.rating_failed", { error: feedback.error.message });
    if (outcome.state === "not_found") throw feedback.error;
  }
  const recorded = feedback.ok ? feedback.value : "failed";
  if (outcome.state === "resolved" || (recorded !== null && recorded !== "failed"))
    recordAuditEvent(context, triageId, person);
  return renderFix(outcome, recorded, person);
}

function toPerson(message: SlackAnswer["message"]): SlackAnswer {
  return { message, audience: "person" };
}
