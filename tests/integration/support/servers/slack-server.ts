// A fake Slack server for hooks.slack.com and slack.com/api, which can fail, hang and return invalid responses; and signed
// requests as Slack sends them.

import { createHmac } from "node:crypto";
import { z } from "zod";
import { type LyingServer, lyingServer } from "./lying-server.ts";

export const SIGNING_SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
export const BOT_TOKEN = "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy";

const postedSchema = z.object({
  text: z.string(),
  blocks: z.array(z.looseObject({ type: z.string() })),
  response_type: z.string().optional(),
  replace_original: z.boolean().optional(),
  channel: z.string().optional(),
  thread_ts: z.string().optional(),
  user: z.string().optional(),
  unfurl_links: z.literal(false),
  unfurl_media: z.literal(false),
});
export type Posted = z.infer<typeof postedSchema>;

const dialogSchema = z.object({
  trigger_id: z.string(),
  view: z.looseObject({
    type: z.literal("modal"),
    callback_id: z.string(),
    private_metadata: z.string(),
    blocks: z.array(
      z.looseObject({
        type: z.string(),
        block_id: z.string().optional(),
        element: z
          .looseObject({
            ...{ type: z.string(), action_id: z.string() },
            ...{ initial_value: z.string().optional(), initial_date_time: z.int().optional() },
          })
          .optional(),
      }),
    ),
  }),
});
export type OpenedDialog = z.infer<typeof dialogSchema>["view"];

/** https://docs.slack.dev/reference/methods/chat.startStream, chat.appendStream and chat.stopStream */
const streamedSchema = z.strictObject({
  channel: z.string(),
  ts: z.string().optional(),
  thread_ts: z.string().optional(),
  recipient_user_id: z.string().optional(),
  recipient_team_id: z.string().optional(),
  task_display_mode: z.enum(["timeline", "plan"]).optional(),
  chunks: z.array(
    z.strictObject({
      type: z.literal("task_update"),
      id: z.string().min(1),
      title: z.string().min(1).max(256),
      status: z.enum(["pending", "in_progress", "complete", "error"]),
      details: z.string().max(256).optional(),
    }),
  ),
  blocks: z.array(z.looseObject({ type: z.string() })).optional(),
});
type Streamed = z.infer<typeof streamedSchema> & { readonly method: string };

/** The server's response to one message or dialog. */
export type SlackAnswer =
  | { readonly status?: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  | "hang"
  | "cut";

export interface FakeSlack extends AsyncDisposable {
  readonly server: LyingServer;
  /** The received messages, in order. */
  readonly posted: Posted[];
  /** The calls of streams, in order. */
  readonly streamed: Streamed[];
  /** The opened dialogs, in order. */
  readonly dialogs: OpenedDialog[];
  /** Settings that point Dejavu at this server. */
  readonly environment: Record<string, string>;
}

/**
 * Responds as Slack does, unless `answer` returns a response for a message, or `answerDialog` for a dialog; each is counted
 * from 1.
 */
export async function fakeSlack(
  answer: (call: number) => SlackAnswer | undefined = () => undefined,
  answerDialog: (call: number) => SlackAnswer | undefined = () => undefined,
  answerStream: (method: string) => SlackAnswer | undefined = () => undefined,
): Promise<FakeSlack> {
  const posted: Posted[] = [];
  const streamed: Streamed[] = [];
  const dialogs: OpenedDialog[] = [];
  const triggers: string[] = [];
  const openDialog = ({ trigger_id, view }: z.infer<typeof dialogSchema>): SlackAnswer => {
    const isUsed = triggers.includes(trigger_id);
    const failing = answerDialog(triggers.push(trigger_id));
    if (failing !== undefined) return failing;
    if (isUsed) return { body: '{"ok":false,"error":"exchanged_trigger_id"}' };
    dialogs.push(view);
    return { body: JSON.stringify({ ok: true, view: { id: `V${dialogs.length}`, ...view } }) };
  };
  const server = await lyingServer({
    answer: (text, _, __, path) => {
      const body: unknown = JSON.parse(text);
      const method = /chat\.(?:start|append|stop)Stream$/.exec(path)?.[0];
      if (method !== undefined) {
        streamed.push({ method, ...streamedSchema.parse(body) });
        return answerStream(method) ?? { body: '{"ok":true,"channel":"D0001","ts":"1772334001.000300"}' };
      }
      const dialog = dialogSchema.safeParse(body);
      if (dialog.success) return openDialog(dialog.data);
      return answer(posted.push(postedSchema.parse(body))) ?? { body: '{"ok":true}' };
    },
  });
  return {
    server,
    posted,
    streamed,
    dialogs,
    environment: {
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_API_URL: `${server.url}/api/`,
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** A request that Slack signed at this time. */
export function signed(body: string, now: Date, headers: Readonly<Record<string, string>> = {}): RequestInit {
  const timestamp = Math.floor(now.getTime() / 1_000);
  const signature = createHmac("sha256", SIGNING_SECRET).update(`v0:${timestamp}:${body}`).digest("hex");
  return {
    method: "POST",
    body,
    headers: {
      authorization: "", // Slack has no token.
      "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
      accept: "application/json,*/*",
      "content-type": "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": String(timestamp),
      "x-slack-signature": `v0=${signature}`,
      ...headers,
    },
  };
}

/** The form of a slash command, with all of its fields. */
export function commandBody(text: string, responseUrl: string, changes: Readonly<Record<string, string>> = {}): string {
  return new URLSearchParams({
    token: "gIkuvaNzQIHg97ATvDxqgjtO",
    team_id: "T0001",
    team_domain: "example",
    channel_id: CHANNEL,
    channel_name: "incidents",
    user_id: "U2147483697",
    user_name: "dana",
    command: "/triage",
    text,
    api_app_id: "A123456",
    is_enterprise_install: "false",
    response_url: responseUrl,
    trigger_id: "13345224609.738474920.8088930838d88f008e0",
    ...changes,
  }).toString();
}

/** The channel of commands and buttons. */
export const CHANNEL = "C2147483705";

let presses = 0;

/** The form of a pressed button, under a message in a thread. Each press has a trigger of its own. */
export function pressBody(
  actionId: string,
  value: string,
  {
    responseUrl,
    user = "U2147483697",
    name = "dana",
    channel = CHANNEL,
    userTeam = "T0001",
  }: { responseUrl: string; user?: string; name?: string; channel?: string; userTeam?: string },
): string {
  presses += 1;
  const payload = {
    type: "block_actions",
    user: { id: user, username: name, name, team_id: userTeam },
    api_app_id: "A123456",
    token: "gIkuvaNzQIHg97ATvDxqgjtO",
    container: {
      type: "message",
      message_ts: "1772334000.000200",
      channel_id: channel,
      is_ephemeral: false,
      thread_ts: "1772334000.000100",
    },
    trigger_id: `12321423423.333649436676.${presses}`,
    team: { id: "T0001", domain: "example" },
    enterprise: null,
    is_enterprise_install: false,
    channel: { id: channel, name: "incidents" },
    message: { type: "message", bot_id: "B0001", ts: "1772334000.000200", text: "…", thread_ts: "1772334000.000100" },
    state: { values: {} },
    response_url: responseUrl,
    actions: [
      {
        action_id: actionId,
        block_id: "feedback",
        text: { type: "plain_text", text: "Helpful", emoji: false },
        value,
        type: "button",
        action_ts: "1772334001.123456",
      },
    ],
  };
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
}

/** The form of a submitted dialog, with its initial values unless `inputs` has others; a ticked box has the value true. */
export function submissionBody(
  { blocks, ...view }: OpenedDialog,
  inputs: Readonly<Record<string, string | boolean | number>> = {},
  {
    id = "V0HU10V25",
    user = "U2147483697",
    name = "dana",
    userTeam = "T0001",
  }: { id?: string; user?: string; name?: string; userTeam?: string } = {},
): string {
  const values = blocks.flatMap(({ block_id, element }) => {
    if (block_id === undefined || element === undefined) return [];
    const { type, action_id, initial_value, initial_date_time } = element;
    const input = inputs[block_id] ?? initial_value ?? initial_date_time ?? null;
    const selected_options = input === true ? [{ text: { type: "plain_text", text: "…" }, value: action_id }] : [];
    const states: Readonly<Record<string, object>> = {
      checkboxes: { type, selected_options },
      datetimepicker: { type, selected_date_time: input },
    };
    return [[block_id, { [action_id]: states[type] ?? { type, value: input } }] as const];
  });
  const payload = {
    type: "view_submission",
    team: { id: "T0001", domain: "example" },
    user: { id: user, username: name, name, team_id: userTeam },
    api_app_id: "A123456",
    token: "gIkuvaNzQIHg97ATvDxqgjtO",
    trigger_id: "12321423423.333649436676.d8c1bb837935619ccad0f624c448ffb3",
    view: { id, team_id: "T0001", ...view, blocks, state: { values: Object.fromEntries(values) }, hash: "1.a" },
    response_urls: [],
    is_enterprise_install: false,
    enterprise: null,
  };
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
}

/** The JSON of a mention. */
export function mentionBody(
  text: string,
  { eventId = "Ev0PV52K21", event = {} }: { eventId?: string; event?: Readonly<Record<string, string>> } = {},
): string {
  return JSON.stringify({
    token: "ZZZZZZWSxiZZZ2yIvs3peJ",
    team_id: "T0001",
    context_team_id: "T0001",
    context_enterprise_id: null,
    api_app_id: "A123456",
    event: {
      user: "U061F7AUR",
      type: "app_mention",
      ts: "1772334000.000100",
      client_msg_id: "5a2f1f0a-2f0c-4a0b-9d5e-7c9f1d8f5b11",
      text,
      team: "T0001",
      channel: "C0LAN2Q65",
      event_ts: "1772334000.000100",
      ...event,
    },
    type: "event_callback",
    event_id: eventId,
    event_time: 1772334000,
    authorizations: [
      { enterprise_id: null, team_id: "T0001", user_id: "U0LAN0Z89", is_bot: true, is_enterprise_install: false },
    ],
    is_ext_shared_channel: false,
    event_context: "4-eyJldCI6ImFwcF9tZW50aW9uIn0",
  });
}
