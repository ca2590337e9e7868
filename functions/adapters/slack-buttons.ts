// The buttons of an answer in Slack, and their value, which comes back with a press. Pure functions.

/** Buttons of an answer, by action id, with their labels. */
export const BUTTONS = { helpful: "Helpful", not_helpful: "Not helpful", resolved: "This resolved it" } as const;
export type Button = keyof typeof BUTTONS;

/** Action id of the two rating buttons of an answer; their value begins with the id of the button. */
export const RATING = "rating";

/** @param channel that the answer is posted in */
export function buttonValueOf(
  { triage_id, incident_id }: { readonly triage_id: string; readonly incident_id: string },
  channel: string,
) {
  return `${triage_id} ${incident_id} ${channel}`;
}

/** Action ids of the buttons of a notification, which an incident without an answer has, too. */
export const ACKNOWLEDGE = "acknowledge";
export const EXPECTED = "expected";

/** Their value. @param channel that the message is posted in */
export function incidentValueOf(incidentId: string, channel: string): string {
  return `${incidentId} ${channel}`;
}
