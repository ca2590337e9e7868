// The front door for Slack: POST /slack takes slash commands, buttons and mentions. The signature is what lets a request
// in; the answer is an acknowledgement, and the work follows it.

import { createRoute, type z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "../http/app-env.ts";
import { readAtMost } from "../http/input.ts";
import { Problem, problem } from "../http/problem.ts";
import { createRouter, problemContent } from "../http/router.ts";
import { readCommand, sessionIdOf } from "./commands.ts";
import { dispatch, type SlackHandlers } from "./dispatch.ts";
import { type AnswerContext, carryOut, type Deliver, press, serve } from "./handlers.ts";
import { readSlackText, withoutMention } from "./incoming-text.ts";
import { advice, WORKING } from "./notices.ts";
import { commandSchema, mentionSchema, pressSchema } from "./payloads.ts";
import { createReplayGuard, type Distrust, distrust } from "./signature.ts";

const route = createRoute({
  method: "post",
  path: "/slack",
  summary: "Take a slash command, a button or a mention from Slack",
  description:
    "Slack's own formats, signed by Slack with the app's signing secret. The result goes to Slack after the acknowledgement. The path exists only where `SLACK_SIGNING_SECRET` is set.",
  // The signature stands in for a token.
  security: [],
  responses: {
    200: { description: "Acknowledged." },
    400: problemContent("The body is neither a form nor a JSON object."),
    401: problemContent("The request is not signed by Slack, was signed too long ago, or came before."),
    413: problemContent("The body is too large."),
    422: problemContent("The payload lacks what Slack documents."),
  },
});

/** @param secret Slack's signing secret of the app */
export function createSlackRoutes(secret: string) {
  const guard = createReplayGuard();
  return createRouter().openapi(route, async (c) => {
    const { config, now, log } = c.get("services");
    const body = await readAtMost(c.req.raw.body, config.MAX_BODY_BYTES);
    if (body === "too_large") {
      return problem(c, "body-too-large", `A body may have ${config.MAX_BODY_BYTES} bytes at most.`);
    }
    const timestamp = c.req.header("x-slack-request-timestamp");
    const signature = c.req.header("x-slack-signature");
    const refuse = (reason: Distrust) => {
      log("warn", "slack.refused", { reason });
      return problem(
        c,
        "invalid-signature",
        "Only Slack's own requests are taken here, each once and within 5 minutes.",
      );
    };
    const reason = distrust({ timestamp, signature, body }, secret, now());
    if (reason !== undefined) return refuse(reason);
    if (signature === undefined || !guard.admits(signature, now())) return refuse("replayed");

    const request = new Request(c.req.url, { method: "POST", headers: c.req.raw.headers, body: Uint8Array.from(body) });
    const runInBackground = c.get("runInBackground");
    try {
      return await dispatch(request, handlersOf(c, signature), { secret, runInBackground });
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new Problem("malformed-body", "The body could not be read as a form or as a JSON object.");
    }
  });
}

/** @param signature names a delivery that has no id of its own */
function handlersOf(c: Context<AppEnv>, signature: string): SlackHandlers {
  const services = c.get("services");
  const requestId = c.get("requestId");
  const context: AnswerContext = { services, requestId, runInBackground: c.get("runInBackground") };
  const replyTo = (url: string) => {
    const reply = services.slack.replyTo(url);
    if (reply) return reply;
    services.log("error", "slack.response_url_refused");
    throw new Problem("invalid-request", "The response_url is not on Slack's host.", {
      errors: [{ field: "response_url", message: "must be on the host of SLACK_RESPONSE_ORIGIN" }],
    });
  };
  return {
    command(payload) {
      const { command, text, response_url, team_id, channel_id, thread_ts, ...user } = read(commandSchema, payload);
      const deliver = replyTo(response_url);
      const asked = {
        address: /^\/[\w-]{1,32}$/.test(command) ? command : "/triage",
        sessionId: sessionIdOf({ team: team_id, channel: channel_id, thread: thread_ts }),
        person: personOf(team_id, user.user_id),
        by: user.user_name ?? user.user_id,
      };
      const wanted = readCommand(readSlackText(text));
      if (wanted.name === "help" || wanted.name === "unclear") {
        return { acknowledgement: advice(wanted, asked.address), work: nothing };
      }
      const work = () => carryOut(context, wanted, asked);
      return { acknowledgement: WORKING, work: () => serve(context, `slack ${signature}`, { work, deliver }) };
    },
    press(payload) {
      const { response_url, team, user, actions } = read(pressSchema, payload);
      const deliver = replyTo(response_url);
      const person = personOf(team?.id ?? user.team_id, user.id);
      const [action] = actions;
      const work = () => press(context, action.action_id, { ...action.value, person, name: user.name ?? user.id });
      return { acknowledgement: null, work: () => serve(context, `slack ${signature}`, { work, deliver }) };
    },
    mention(envelope) {
      const parsed = mentionSchema.safeParse(envelope);
      const cannot = !parsed.success
        ? "malformed"
        : services.config.SLACK_BOT_TOKEN === undefined
          ? "no_bot_token"
          : null;
      if (!parsed.success || cannot !== null) {
        services.log("warn", "slack.mention_ignored", { reason: cannot });
        return { acknowledgement: null, work: nothing };
      }
      const { event_id, team_id, authorizations, event } = parsed.data;
      // Two apps that mention each other would never stop.
      if (event.bot_id !== undefined) return { acknowledgement: null, work: nothing };
      const thread = { channel: event.channel, ts: event.thread_ts ?? event.ts };
      const text = readSlackText(withoutMention(event.text, authorizations?.[0]?.user_id));
      const asked = {
        address: "@dejavu",
        sessionId: sessionIdOf({ team: team_id, channel: thread.channel, thread: thread.ts }),
        person: personOf(team_id, event.user),
        by: event.user ?? "somebody",
      };
      const work = () => carryOut(context, readCommand(text), asked);
      const deliver: Deliver = (message) => services.slack.post(thread, message);
      // Slack sends an event that it takes for lost again, signed anew and under the same id.
      return { acknowledgement: null, work: () => serve(context, `slack event ${event_id}`, { work, deliver }) };
    },
  };
}

/** Names a person among all workspaces; those whom Slack does not name count as one. */
function personOf(team = "", user = ""): string {
  return `slack:${team}:${user}`;
}

async function nothing(): Promise<void> {}

/** @throws Problem that names the fields at fault */
function read<T>(schema: z.ZodType<T>, payload: unknown): T {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({ field: path.join("."), message }));
  throw new Problem("invalid-request", "The payload lacks what Slack documents.", { errors });
}
