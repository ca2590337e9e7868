// Schemas of Slack's payloads. Slack adds fields at any time, so unknown fields are allowed.

import { z } from "@hono/zod-openapi";
import { ACKNOWLEDGE, EXPECTED, RATING } from "../../adapters/slack-buttons.ts";

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

/** The value of a button, see `buttonValueOf`: the ids of a triage, of its incident, and of the channel. */
const buttonValue = z
  .string()
  .max(150)
  .transform((value) => value.split(" "))
  .pipe(z.tuple([z.uuid(), z.uuid(), id]))
  .transform(([triageId, incidentId, postedIn]) => ({ triageId, incidentId, postedIn }));

/** The same after the name of the button. */
const ratingValue = z
  .string()
  .max(170)
  .transform((value) => [value.split(" ", 1)[0], value.slice(value.indexOf(" ") + 1)])
  .pipe(z.tuple([z.enum(["helpful", "not_helpful"]), buttonValue]))
  .transform(([rating, value]) => ({ rating, ...value }));

/** See `incidentValueOf`. */
const incidentValue = z
  .string()
  .max(150)
  .transform((value) => value.split(" "))
  .pipe(z.tuple([z.uuid(), id]))
  .transform(([incidentId, postedIn]) => ({ incidentId, postedIn }));

const person = {
  /** Null if the app is installed for a whole organisation. */
  team: z.object({ id }).nullish(),
  user: z.object({ id, name: z.string().max(200).optional(), team_id: id.optional() }),
};

/** https://docs.slack.dev/reference/interaction-payloads/block_actions-payload */
export const pressSchema = z.object({
  ...person,
  response_url: url,
  /** Opens a dialog, once and within 3 seconds. */
  trigger_id: z.string().min(1).max(200),
  channel: z.object({ id }).nullish(),
  /** The message with the button. */
  container: z
    .object({
      channel_id: id.optional(),
      message_ts: id.optional(),
      thread_ts: id.optional(),
      is_ephemeral: z.boolean().optional(),
    })
    .optional(),
  /** One action: Slack sends each press separately. */
  actions: z.tuple([
    z.discriminatedUnion("action_id", [
      z.object({ action_id: z.enum(["helpful", "not_helpful", "resolved"]), value: buttonValue }),
      z.object({ action_id: z.literal(RATING), value: ratingValue }),
      z.object({ action_id: z.enum([ACKNOWLEDGE, EXPECTED]), value: incidentValue }),
    ]),
  ]),
});

/** Callback ids of the dialogs that ask what fixed an incident, and why and until when it is expected. */
export const FIX_DIALOG = "fix";
export const MUTE_DIALOG = "mute";

/** The private metadata of a dialog comes back with its inputs. */
const dialogPlace = {
  incidentId: z.uuid(),
  /** The channel of the press. */
  channel: id,
  /** Of the press: Slack sends none with a dialog. It works for 30 minutes. */
  responseUrl: url,
};

const muteDialogData = z.object(dialogPlace);
export type MuteDialogData = z.infer<typeof muteDialogData>;

/** Where the dialog was opened, and what it suggests. */
const fixDialogData = z.object({
  ...dialogPlace,
  triageId: z.uuid(),
  /** The thread of the answer; null for a message that only one person sees. */
  thread: z.object({ channel: id, ts: id }).nullable(),
  suggestion: z
    .object({
      /** Shows whether the person edited the text. */
      digest: z.string().max(64),
      origin: z.enum(["past_fix", "step"]),
      fixId: z.uuid().nullable(),
    })
    .nullable(),
});
export type FixDialogData = z.infer<typeof fixDialogData>;

const jsonText = z
  .string()
  .max(3_000)
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: "custom", message: "must be JSON" });
      return z.NEVER;
    }
  });

/** Empty inputs are null. Slack's limit counts characters, so that UTF-16 may take twice as many units. */
const textValue = z.object({ value: z.string().max(6_000).nullish() });

const fixView = z.object({
  id,
  callback_id: z.literal(FIX_DIALOG),
  private_metadata: jsonText.pipe(fixDialogData),
  /** By block id, then by action id. */
  state: z.object({
    values: z.object({
      fix: z.object({ fix: textValue }),
      as_suggested: z
        .object({
          as_suggested: z.object({ selected_options: z.array(z.object({ value: z.string().max(75) })).default([]) }),
        })
        .optional(),
      did_not_help: z.object({ did_not_help: textValue }).optional(),
      conditions: z.object({ conditions: textValue }).optional(),
    }),
  }),
});
export type FixView = z.infer<typeof fixView>;

const muteView = z.object({
  id,
  callback_id: z.literal(MUTE_DIALOG),
  private_metadata: jsonText.pipe(muteDialogData),
  state: z.object({
    values: z.object({
      reason: z.object({ reason: textValue }),
      /** Seconds since 1970. */
      until: z.object({ until: z.object({ selected_date_time: z.int().min(0).max(9_999_999_999).nullish() }) }),
    }),
  }),
});
export type MuteView = z.infer<typeof muteView>;

/** https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload#view_submission */
export const submissionSchema = z.object({ ...person, view: z.discriminatedUnion("callback_id", [fixView, muteView]) });

/** https://docs.slack.dev/reference/events/app_mention, with the envelope of the Events API around it. */
export const mentionSchema = z.object({
  event_id: id,
  team_id: id,
  authorizations: z
    .array(z.object({ user_id: z.string().regex(/^[A-Z0-9]{1,64}$/), team_id: id.nullish() }))
    .optional(),
  event: z.object({
    channel: id,
    text: z.string(),
    /** `im`: a message in the conversation with the app, which is its assistant thread. */
    channel_type: z.string().optional(),
    ts: id,
    thread_ts: id.optional(),
    user: id.optional(),
    /** The workspace of the person; the first two only in a shared channel. */
    user_team: id.nullish(),
    source_team: id.nullish(),
    team: id.nullish(),
    /** Set if an app wrote the message. */
    bot_id: id.optional(),
  }),
});
