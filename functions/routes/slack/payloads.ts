// Schemas of Slack's payloads. Slack adds fields at any time, so unknown fields are allowed.

import { z } from "@hono/zod-openapi";

/** Slack's ids are short. */
const id = z.string().min(1).max(64);
const url = z.string().max(2_000);

/** https://docs.slack.dev/interactivity/implementing-slash-commands */
export const commandSchema = z.object({
  command: z.string().max(200),
  text: z.string().default(""),
  response_url: url,
  team_id: id,
  channel_id: id,
  user_id: id,
  user_name: z.string().max(200).optional(),
  thread_ts: id.optional(),
});

/** Buttons of an answer, by action id, with their labels. */
export const BUTTONS = { helpful: "Helpful", not_helpful: "Not helpful", resolved: "This resolved it" } as const;
export type Button = keyof typeof BUTTONS;

/** The value of a button: the ids of a triage and of its incident. */
const buttonValue = z
  .string()
  .max(100)
  .transform((value) => value.split(" "))
  .pipe(z.tuple([z.uuid(), z.uuid()]))
  .transform(([triageId, incidentId]) => ({ triageId, incidentId }));

export function buttonValueOf({
  triage_id,
  incident_id,
}: {
  readonly triage_id: string;
  readonly incident_id: string;
}) {
  return `${triage_id} ${incident_id}`;
}

/** https://docs.slack.dev/reference/interaction-payloads/block_actions-payload */
export const pressSchema = z.object({
  response_url: url,
  /** Null if the app is installed for a whole organisation. */
  team: z.object({ id }).nullish(),
  user: z.object({ id, name: z.string().max(200).optional(), team_id: id.optional() }),
  /** One action: Slack sends each press separately. */
  actions: z.tuple([z.object({ action_id: z.enum(["helpful", "not_helpful", "resolved"]), value: buttonValue })]),
});

/** https://docs.slack.dev/reference/events/app_mention, with the envelope of the Events API around it. */
export const mentionSchema = z.object({
  event_id: id,
  team_id: id,
  authorizations: z.array(z.object({ user_id: z.string().regex(/^[A-Z0-9]{1,64}$/) })).optional(),
  event: z.object({
    channel: id,
    text: z.string(),
    ts: id,
    thread_ts: id.optional(),
    user: id.optional(),
    /** Set if an app wrote the message. */
    bot_id: id.optional(),
  }),
});
