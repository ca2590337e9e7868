// POST /slack: slash commands, buttons, dialogs and mentions. Slack's signature authenticates the request. The response is an
// acknowledgement; the work runs after it.

import { createRoute, type z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Message } from "../../adapters/block-kit.ts";
import { EXPECTED, RATING } from "../../adapters/slack-buttons.ts";
import { settle } from "../../dependencies.ts";
import type { AppEnv } from "../http/app-env.ts";
import { bodyTooSlow, readAtMost } from "../http/input.ts";
import { Problem, problem } from "../http/problem.ts";
import { publicOrigin, signInOrigin } from "../http/public-origin.ts";
import { createRouter, problemContent } from "../http/router.ts";
import { rejectionMessage, rejectionOfPlace, rejectionText, type SlackPlace } from "./allow-list.ts";
import { readCommand, sessionIdOf } from "./commands.ts";
import { type Deliver, runAndDeliver, runAndDeliverAlways } from "./deliver.ts";
import { dispatch, type Handled, type HandledSubmission, type SlackHandlers } from "./dispatch.ts";
import { readSubmission } from "./fix-dialog.ts";
import { handleAcknowledgement } from "./handle-acknowledgement.ts";
import { handleFixPress, handleFixSubmission } from "./handle-fix.ts";
import { handleMutePress, handleMuteSubmission, readMute } from "./handle-mute.ts";
import { handleRating } from "./handle-rating.ts";
import { readSlackText, withoutMention } from "./incoming-text.ts";
import { helpMessage, POSTED_ELSEWHERE, WORKING } from "./notices.ts";
import {
  commandSchema,
  type FixDialogData,
  MUTE_DIALOG,
  mentionSchema,
  pressSchema,
  submissionSchema,
} from "./payloads.ts";
import { renderRetry } from "./render-fix.ts";
import { runCommand } from "./run-command.ts";
import { createReplayGuard, rejectionOf, type SignatureRejection } from "./signature.ts";
import type { SlackContext } from "./slack-context.ts";
import { streamSteps } from "./stream-steps.ts";

const route = createRoute({
  method: "post",
  path: "/slack",
  summary: "Receive a request of Slack",
  description:
    "Slack's own formats, signed by Slack with the app's signing secret. The result goes to Slack after the acknowledgement. The path exists only where `SLACK_SIGNING_SECRET` is set.",
  // The signature replaces the token.
  security: [],
  responses: {
    200: { description: "Acknowledged." },
    400: problemContent("The body is neither a form nor a JSON object."),
    401: problemContent("The signature is missing, wrong, too old, or was used before."),
    422: problemContent("The payload lacks fields that Slack documents."),
  },
});

/** @param secret Slack's signing secret of the app */
export function createSlackRoutes(secret: string) {
  const guard = createReplayGuard();
  return createRouter().openapi(route, async (c) => {
    const { config, now, startTimer, log } = c.get("services");
    const limit = { bytes: config.MAX_BODY_BYTES, ms: config.BODY_TIMEOUT_MS, startTimer };
    const body = await readAtMost(c.req.raw.body, limit);
    if (body === "too_large") {
      return problem(c, "body-too-large", `A body may have at most ${config.MAX_BODY_BYTES} bytes.`);
    }
    if (body === "too_slow") return bodyTooSlow(c);
    const timestamp = c.req.header("x-slack-request-timestamp");
    const signature = c.req.header("x-slack-signature");
    const reject = (reason: SignatureRejection) => {
      log("warn", "slack.refused", { reason });
      return problem(
        c,
        "invalid-signature",
        "Only requests signed by Slack are accepted, once each and within 5 minutes.",
      );
    };
    const reason = rejectionOf({ timestamp, signature, body }, secret, now());
    if (reason !== undefined) return reject(reason);
    if (signature === undefined || !guard.admits(signature, now())) return reject("replayed");

    const request = new Request(c.req.url, { method: "POST", headers: c.req.raw.headers, body: Uint8Array.from(body) });
    const runInBackground = c.get("runInBackground");
    try {
      return await dispatch(request, handlersOf(c, signature), runInBackground);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new Problem("malformed-body", "The body could not be read as a form or as a JSON object.");
    }
  });
}

/** @param signature identifies a delivery without an id of its own */
function handlersOf(c: Context<AppEnv>, signature: string): SlackHandlers {
  const { services, requestId, runInBackground } = c.var;
  const context: SlackContext = {
    services,
    requestId,
    origin: publicOrigin(c),
    signInOrigin: signInOrigin(c),
    runInBackground,
  };
  const delivery = `slack ${signature}`;
  return {
    command: (payload) => handleCommand(context, delivery, payload),
    press: (payload) => handleButton(context, delivery, payload),
    submission: (payload) => handleSubmission(context, payload),
    mention: (envelope) => handleMention(context, envelope),
  };
}

/** @throws Problem for an invalid payload */
function handleCommand(context: SlackContext, delivery: string, payload: unknown): Handled {
  const { command, text, response_url, team_id, channel_id, thread_ts, ...user } = parse(commandSchema, payload);
  const deliver = replyTo(context, response_url);
  const caller = {
    address: /^\/[\w-]{1,32}$/.test(command) ? command : "/triage",
    sessionId: sessionIdOf({ team: team_id, channel: channel_id, thread: thread_ts }),
    channel: channel_id,
    person: personOf(team_id, user.user_id),
    by: user.user_name ?? user.user_id,
  };
  const rejection = rejectPlace(context, { workspace: team_id, userWorkspace: team_id, channel: channel_id });
  if (rejection !== undefined) return { acknowledgement: rejectionMessage(rejection), work: noWork };
  const parsed = readCommand(readSlackText(text));
  if (parsed.name === "help" || parsed.name === "unclear") {
    return { acknowledgement: helpMessage(parsed, caller.address), work: noWork };
  }
  const work = () => runCommand(context, parsed, caller);
  return { acknowledgement: WORKING, work: () => runAndDeliver(context, delivery, { work, deliver }) };
}

/** @throws Problem for an invalid payload */
function handleButton(context: SlackContext, delivery: string, payload: unknown): Handled {
  const { response_url, trigger_id, container, actions, ...sender } = parse(pressSchema, payload);
  const deliver = replyTo(context, response_url);
  const [action] = actions;
  const { postedIn } = action.value;
  const channel = container?.channel_id ?? sender.channel?.id ?? null;
  const reject = (message: Message) => ({
    acknowledgement: null,
    work: () => runAndDeliverAlways(context, { work: async () => ({ message, audience: "person" }), deliver }),
  });
  const rejection = rejectPlace(context, placeOf(sender, channel));
  if (rejection !== undefined) return reject(rejectionMessage(rejection));
  if (postedIn !== channel) {
    context.services.log("warn", "slack.refused", { reason: "posted_elsewhere" });
    return reject(POSTED_ELSEWHERE);
  }
  if (!("triageId" in action.value)) {
    const { incidentId } = action.value;
    const work =
      action.action_id === EXPECTED
        ? () => handleMutePress(context, { incidentId, triggerId: trigger_id, responseUrl: response_url, channel })
        : () => handleAcknowledgement(context, incidentId, senderOf(sender));
    // A repeated press changes nothing.
    return { acknowledgement: null, work: () => runAndDeliverAlways(context, { work, deliver }) };
  }
  const { triageId, incidentId } = action.value;
  const press = { triageId, incidentId, ...senderOf(sender) };
  if (action.action_id === "resolved") {
    const fixPress = {
      ...press,
      triggerId: trigger_id,
      responseUrl: response_url,
      channel,
      thread: threadOf(container),
    };
    const work = () => handleFixPress(context, fixPress);
    // A claim would use up some of the 3 seconds that the trigger lasts. A repeated press opens no second dialog.
    return { acknowledgement: null, work: () => runAndDeliverAlways(context, { work, deliver }) };
  }
  const rating = action.action_id === RATING ? action.value.rating : action.action_id;
  const work = () => handleRating(context, rating === "helpful" ? 1 : -1, press);
  return { acknowledgement: null, work: () => runAndDeliver(context, delivery, { work, deliver }) };
}

/** @throws Problem for an invalid payload */
function handleSubmission(context: SlackContext, payload: unknown): HandledSubmission {
  const { view, ...sender } = parse(submissionSchema, payload);
  const { incidentId, responseUrl, channel } = view.private_metadata;
  const reply = replyTo(context, responseUrl);
  const rejection = rejectPlace(context, placeOf(sender, channel));
  if (rejection !== undefined) {
    const input = view.callback_id === MUTE_DIALOG ? "reason" : "fix";
    return { reply: { response_action: "errors", errors: { [input]: rejectionText(rejection) } }, work: noWork };
  }
  if (view.callback_id === MUTE_DIALOG) {
    const mute = readMute(view, context.services.now());
    if (mute.state === "invalid") return { reply: { response_action: "errors", errors: mute.errors }, work: noWork };
    const work = () => handleMuteSubmission(context, { incidentId, ...mute, ...senderOf(sender) });
    return {
      reply: { response_action: "clear" },
      work: () => runAndDeliver(context, `slack view ${view.id}`, { work, deliver: reply }),
    };
  }
  const { triageId, thread } = view.private_metadata;
  const read = readSubmission(view);
  if (read.state === "invalid") {
    return { reply: { response_action: "errors", errors: read.errors }, work: noWork };
  }
  const press = { triageId, incidentId, ...senderOf(sender) };
  const work = () => handleFixSubmission(context, press, read.fix);
  const deliver = replyOrPost(context, reply, thread);
  const belowFailure = renderRetry(incidentId, read.fix.text);
  return {
    reply: { response_action: "clear" },
    // A dialog is submitted once.
    work: () => runAndDeliver(context, `slack view ${view.id}`, { work, deliver, belowFailure }),
  };
}

/** Answers in the thread once the response_url is too old, as when the dialog stayed open for long. */
function replyOrPost({ services }: SlackContext, reply: Deliver, thread: FixDialogData["thread"]): Deliver {
  return async (message, audience) => {
    const replied = await settle(reply(message, audience));
    if (replied.ok) return;
    if (thread === null || replied.error.failure !== "refused") throw replied.error;
    await services.slack.post(thread, message);
  };
}

/** The thread of the message with the button, or the one that it starts. */
function threadOf(container: z.infer<typeof pressSchema>["container"]): FixDialogData["thread"] {
  const { channel_id: channel, message_ts, thread_ts, is_ephemeral = false } = container ?? {};
  const ts = thread_ts ?? (is_ephemeral ? undefined : message_ts);
  return channel === undefined || ts === undefined ? null : { channel, ts };
}

function senderOf({ team, user }: Pick<z.infer<typeof pressSchema>, "team" | "user">) {
  return { person: personOf(team?.id ?? user.team_id, user.id), name: user.name ?? user.id };
}

function placeOf(
  { team, user }: Pick<z.infer<typeof pressSchema>, "team" | "user">,
  channel: string | null,
): SlackPlace {
  return { workspace: team?.id ?? user.team_id, userWorkspace: user.team_id, channel: channel ?? undefined };
}

/** @returns the reason why the place may not use Dejavu, which is logged; undefined if it may */
function rejectPlace({ services: { config, log } }: SlackContext, place: SlackPlace) {
  const reason = rejectionOfPlace(place, {
    workspaces: config.SLACK_ALLOWED.filter((id) => /^[TE]/.test(id)),
    channels: config.SLACK_ALLOWED.filter((id) => /^[CGD]/.test(id)),
  });
  if (reason !== undefined) log("warn", "slack.refused", { reason });
  return reason;
}

/** Ignores an invalid envelope: it is acknowledged already. */
function handleMention(context: SlackContext, envelope: unknown): Handled {
  const { services } = context;
  const ignored: Handled = { acknowledgement: null, work: noWork };
  const parsed = mentionSchema.safeParse(envelope);
  if (!parsed.success || services.config.SLACK_BOT_TOKEN === undefined) {
    services.log("warn", "slack.mention_ignored", { reason: parsed.success ? "no_bot_token" : "malformed" });
    return ignored;
  }
  const { event_id, team_id, authorizations, event } = parsed.data;
  // Without this, two apps that mention each other would never stop.
  if (event.bot_id !== undefined) return ignored;
  const thread = { channel: event.channel, ts: event.thread_ts ?? event.ts };
  const [installation] = authorizations ?? [];
  const rejection = rejectPlace(context, {
    workspace: installation?.team_id ?? team_id,
    userWorkspace: event.user_team ?? event.source_team ?? event.team ?? team_id,
    channel: event.channel,
  });
  if (rejection !== undefined) {
    const deliver: Deliver = (message) => services.slack.postToPerson({ ...thread, user: event.user }, message);
    const work = async () => ({ message: rejectionMessage(rejection), audience: "person" }) as const;
    return { acknowledgement: null, work: () => runAndDeliver(context, `slack event ${event_id}`, { work, deliver }) };
  }
  const text = readSlackText(withoutMention(event.text, installation?.user_id));
  const caller = {
    address: "@dejavu",
    sessionId: sessionIdOf({ team: team_id, channel: thread.channel, thread: thread.ts }),
    channel: thread.channel,
    person: personOf(team_id, event.user),
    by: event.user ?? "somebody",
  };
  const command = readCommand(text);
  const isStreamed = event.channel_type === "im" && command.name === "triage";
  if (isStreamed) {
    const place = { channel: event.channel, thread: thread.ts, user: event.user, team: team_id };
    const { start, emit, deliver } = streamSteps(context, place);
    const work = () => {
      start();
      return runCommand(context, command, caller, emit);
    };
    return { acknowledgement: null, work: () => runAndDeliver(context, `slack event ${event_id}`, { work, deliver }) };
  }
  const work = () => runCommand(context, command, caller);
  // A link that signs in is for the person alone; everybody reads the thread.
  const deliver: Deliver = (message) =>
    command.name === "console"
      ? services.slack.postToPerson({ ...thread, user: event.user }, message)
      : services.slack.post(thread, message);
  // Slack repeats an event under the same id, but with a new signature.
  return { acknowledgement: null, work: () => runAndDeliver(context, `slack event ${event_id}`, { work, deliver }) };
}

/** @throws Problem for a URL on another host */
function replyTo({ services }: SlackContext, url: string): Deliver {
  const deliver = services.slack.replyTo(url);
  if (deliver) return deliver;
  services.log("error", "slack.response_url_refused");
  throw new Problem("invalid-request", "The response_url is not on Slack's host.", {
    errors: [{ field: "response_url", message: "must be on the host that belongs to SLACK_API_URL" }],
  });
}

/** Identifies a person across workspaces; people without an id count as one. */
function personOf(team = "", user = ""): string {
  return `slack:${team}:${user}`;
}

async function noWork(): Promise<void> {}

/** @throws Problem that names the invalid fields */
function parse<T>(schema: z.ZodType<T>, payload: unknown): T {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({ field: path.join("."), message }));
  throw new Problem("invalid-request", "The payload lacks fields that Slack documents.", { errors });
}
