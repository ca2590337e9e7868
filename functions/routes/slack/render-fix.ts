// Slack messages after a pressed button or a submitted fix dialog. Pure functions.

import { codeBlock, type Message, type MessageBlock, plainMessage, section } from "../../adapters/block-kit.ts";
import type { IncidentWithHistory } from "../../incidents/incident-records.ts";
import { resolution } from "./render-records.ts";
import { shortId } from "./render-triage.ts";

/** What became of an incident that a person reported as resolved. */
export type FixOutcome =
  | { readonly state: "resolved"; readonly record: IncidentWithHistory }
  /** The database is unavailable; the queue keeps the fix. */
  | { readonly state: "pending" }
  /** An earlier resolution counts. `submitted`: the text that was not recorded, if there is one. */
  | { readonly state: "already_resolved"; readonly record: IncidentWithHistory; readonly submitted: string | null }
  /** The incident is not stored. */
  | { readonly state: "not_found" };

/** Null if the answer is not stored; `pending` while the database is unavailable. */
type Feedback = { readonly netRating: number | null } | "pending" | null;

/** Confirms a rating. */
export function renderRating(rating: 1 | -1, feedback: Feedback): Message {
  return plainMessage(feedback === null ? NO_FEEDBACK : ratingText(rating, feedback));
}

/**
 * Confirms that a person reported an incident as resolved.
 * @param feedback "failed" if the rating could not be recorded
 * @param person their unique id: only they may replace their fix
 */
export function renderFix(fix: FixOutcome, feedback: Feedback | "failed", person: string): Message {
  const rating =
    feedback === null
      ? "The answer itself is not stored."
      : feedback === "failed"
        ? "Your rating of the answer could not be recorded."
        : ratingText(1, feedback);
  if (fix.state === "pending") return plainMessage(`${rating} ${PENDING_FIX}`);
  if (fix.state === "not_found") {
    return plainMessage(
      feedback === null ? NO_FEEDBACK : `${rating} Its incident is not stored, so it was not resolved.`,
    );
  }
  const { incident } = fix.record;
  const isLost = fix.state === "already_resolved" && fix.submitted !== null;
  const next = incident.resolved_by_caller === person ? "To replace your fix" : "To record your fix beside it";
  const reason = `The incident is resolved already, so your text was not recorded. ${next}, send:`;
  return {
    text: rating,
    blocks: [
      section(rating),
      section(resolution(incident)),
      ...(isLost ? [section(reason), resolveCommand(incident.id, fix.submitted)] : []),
    ],
  };
}

/** Why the dialog did not open. */
export type NoDialogReason = "no_bot_token" | "expired" | "failed";

/** @param asks such as "what fixed it" */
export function noDialogText(reason: NoDialogReason, asks: string): string {
  const texts: Readonly<Record<NoDialogReason, string>> = {
    no_bot_token: `Nothing was recorded yet: the dialog that asks ${asks} needs \`SLACK_BOT_TOKEN\`.`,
    expired: `Nothing was recorded: the dialog that asks ${asks} came too late. Press the button again.`,
    failed: `Nothing was recorded: Slack did not open the dialog that asks ${asks}. Press the button again.`,
  };
  return texts[reason];
}

/** Explains how to record the fix without the dialog. @param suggestion text to copy and edit */
export function renderNoDialog(reason: NoDialogReason, incidentId: string, suggestion: string | null): Message {
  const request =
    suggestion === null
      ? "Or record what fixed it with:"
      : "Or record what fixed it with this command. Its text is a suggestion: change it to what you did.";
  const text = noDialogText(reason, "what fixed it");
  return {
    text,
    blocks: [
      section(text),
      section(reason === "no_bot_token" ? request.replace("Or record", "Record") : request),
      resolveCommand(incidentId, suggestion),
    ],
  };
}

/** The blocks below a failure notice: the person's text must not be lost with the dialog. */
export function renderRetry(incidentId: string, submitted: string): readonly MessageBlock[] {
  return [section("To record your text, send:"), resolveCommand(incidentId, submitted)];
}

/** The command that records a fix, ready to copy. */
function resolveCommand(incidentId: string, text: string | null): MessageBlock {
  const fix = text === null ? "<what fixed it>" : text.replace(/\s+/g, " ");
  return section(codeBlock(`/triage resolve ${shortId(incidentId)} ${fix}`, 2_900));
}

const NO_FEEDBACK = "This answer is not stored, so no feedback was recorded. It was never stored, or it was deleted.";

/** For a fix that waits in the queue. */
export const PENDING_FIX =
  "The database is unavailable now: what fixed the incident is recorded when it is back. You need not send it again.";

function ratingText(rating: 1 | -1, feedback: NonNullable<Feedback>): string {
  if (feedback === "pending") {
    const opinion = rating === 1 ? "helpful" : "not helpful";
    return `You find this answer ${opinion}: this is recorded when the database is back. You need not press again.`;
  }
  const net = feedback.netRating === null ? "" : ` The net rating of the past answer is now ${feedback.netRating}.`;
  return `Recorded: you find this answer ${rating === 1 ? "helpful" : "not helpful"}.${net}`;
}
