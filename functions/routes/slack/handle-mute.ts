// The button "This is expected": its press opens the dialog that asks why and until when, and its submission mutes the failure.

import { type Modal, modal, plainMessage, textInput, timeInput } from "../../adapters/block-kit.ts";
import { minuteOf } from "../../answer-view/time-text.ts";
import { type AddedMute, addMute, MAX_MUTE_DAYS, MAX_MUTES, muteEndProblem } from "../../notifications/mutes.ts";
import type { SlackAnswer } from "./deliver.ts";
import { cleanText } from "./fix-dialog.ts";
import { openDialog } from "./handle-fix.ts";
import type { Press } from "./handle-rating.ts";
import { MUTE_DIALOG, type MuteDialogData, type MuteView } from "./payloads.ts";
import { noDialogText } from "./render-fix.ts";
import { shortId } from "./render-triage.ts";
import { recordAuditEvent, type SlackContext } from "./slack-context.ts";

const MAX_REASON_LENGTH = 500;
/** The suggested end. */
const USUAL_MS = 4 * 3_600_000;

/** @returns a message if the dialog did not open; null once it is open */
export async function handleMutePress(
  context: SlackContext,
  { triggerId, ...place }: MuteDialogData & { readonly triggerId: string },
): Promise<SlackAnswer | null> {
  const reason = await openDialog(context, triggerId, muteDialog(place, context.services.now()));
  if (reason === null) return null;
  const other = `Or mute it with \`dejavu mute add <reason> --incident ${shortId(place.incidentId)} --for 4h\`.`;
  const text = `${noDialogText(reason, "why it is expected")} ${other.replaceAll("<", "&lt;").replaceAll(">", "&gt;")}`;
  return { message: plainMessage(text), audience: "person" };
}

export function muteDialog(place: MuteDialogData, now: Date): Modal {
  const texts = { title: "This is expected", submit: "Mute", privateMetadata: JSON.stringify(place) };
  return modal(MUTE_DIALOG, texts, [
    textInput({
      id: "reason",
      label: "Why is it expected?",
      hint: "Such as: planned migration. Everybody in the channel reads it.",
      isOptional: false,
    }),
    timeInput(
      {
        id: "until",
        label: "Until when?",
        hint: `At most ${MAX_MUTE_DAYS} days. The failure is not announced until then. If it is still open, it is announced then.`,
        isOptional: false,
      },
      new Date(now.getTime() + USUAL_MS),
    ),
  ]);
}

type ReadMute =
  | { readonly state: "valid"; readonly reason: string; readonly until: Date }
  /** Messages by the id of the input that they belong to. */
  | { readonly state: "invalid"; readonly errors: Readonly<Record<string, string>> };

export function readMute({ state: { values } }: MuteView, now: Date): ReadMute {
  const reason = cleanText(values.reason.reason.value);
  const seconds = values.until.until.selected_date_time;
  const until = seconds == null ? null : new Date(seconds * 1_000);
  const problem = until === null ? "must be a date and a time" : muteEndProblem(until, now);
  const errors = {
    ...(reason === "" && { reason: "Say why it is expected." }),
    ...(reason.length > MAX_REASON_LENGTH && { reason: `Use at most ${MAX_REASON_LENGTH} characters.` }),
    ...(problem !== null && { until: `The end ${problem}.` }),
  };
  if (until === null || Object.keys(errors).length > 0) return { state: "invalid", errors };
  return { state: "valid", reason, until };
}

/** Mutes the failure of the incident. Its message shows it to everybody. */
export async function handleMuteSubmission(
  context: SlackContext,
  {
    incidentId,
    reason,
    until,
    person,
    name,
  }: Pick<Press, "incidentId" | "person" | "name"> & { readonly reason: string; readonly until: Date },
): Promise<SlackAnswer> {
  const scope = { incident_id: incidentId, domain: null, matchers: [] };
  const mute = { ...scope, reason, owner: name, ends_at: until.toISOString() };
  const added = await addMute(context.services, mute, context.runInBackground);
  if (added.state === "stored") recordAuditEvent(context, incidentId, person);
  return { message: plainMessage(resultText(added, incidentId)), audience: "person" };
}

function resultText(added: AddedMute, incidentId: string): string {
  switch (added.state) {
    case "stored":
      return `Muted until ${minuteOf(added.mute.ends_at)} UTC: this failure is not announced until then. Incident \`${shortId(incidentId)}\`. End it with \`dejavu mute end ${added.mute.id}\`.`;
    case "no_incident":
      return "Nothing was muted: the incident was deleted.";
    case "too_many":
      return `Nothing was muted: there are ${MAX_MUTES} mutes, the limit. \`dejavu mute list\` shows them; end one that is not needed.`;
  }
}
