// The buttons that rate an answer.

import { giveFeedback } from "../../memory/give-feedback.ts";
import type { SlackAnswer } from "./deliver.ts";
import { renderRating } from "./render-fix.ts";
import { recordAuditEvent, type SlackContext } from "./slack-context.ts";

export interface Press {
  readonly triageId: string;
  readonly incidentId: string;
  /** Unique id of the person; only its digest is stored. */
  readonly person: string;
  /** Display name of the person. */
  readonly name: string;
}

/** Records a rating. Pressing the button again changes nothing. */
export async function handleRating(context: SlackContext, rating: 1 | -1, press: Press): Promise<SlackAnswer> {
  const { triageId, person } = press;
  const feedback = { triageId, person, rating, comment: null } as const;
  const recorded = await giveFeedback(context.services, feedback, context.runInBackground);
  if (recorded !== null) recordAuditEvent(context, triageId, person);
  return { message: renderRating(rating, recorded), audience: "person" };
}
