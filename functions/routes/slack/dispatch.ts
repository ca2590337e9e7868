// Routes Slack's requests to handlers and acknowledges them. The only file that imports slack-edge.

// The whole package has Slack's OAuth and socket mode, too, which are not used.
import { SlackApp } from "slack-edge/dist/app.js";
import { z } from "zod";
import type { Message } from "../../adapters/block-kit.ts";
import { ACKNOWLEDGE, BUTTONS, EXPECTED, RATING } from "../../adapters/slack-buttons.ts";
import type { RunInBackground } from "../../background-tasks.ts";
import { FIX_DIALOG, MUTE_DIALOG, mentionSchema } from "./payloads.ts";

/** The acknowledgement of a payload, and the work that follows it. */
export interface Handled {
  /** Visible only to the person who sent the payload. */
  readonly acknowledgement: Message | null;
  readonly work: () => Promise<void>;
}

/** The reply to a submitted dialog: it closes, or shows messages beside its inputs. */
export type DialogReply =
  | { readonly response_action: "clear" }
  | { readonly response_action: "errors"; readonly errors: Readonly<Record<string, string>> };

export interface HandledSubmission {
  readonly reply: DialogReply;
  readonly work: () => Promise<void>;
}

/** Each handler gets the payload as Slack sent it, returns without waiting, and throws a Problem for an invalid payload. */
export interface SlackHandlers {
  readonly command: (payload: unknown) => Handled;
  readonly press: (payload: unknown) => Handled;
  readonly submission: (payload: unknown) => HandledSubmission;
  /** Gets the envelope of the Events API, which is already acknowledged. Ignores an invalid one. */
  readonly mention: (envelope: unknown) => Handled;
}

const BUTTON = new RegExp(`^(?:${[...Object.keys(BUTTONS), RATING, ACKNOWLEDGE, EXPECTED].join("|")})$`);

const DIALOG = new RegExp(`^(?:${FIX_DIALOG}|${MUTE_DIALOG})$`);

/** The payloads that Dejavu handles. */
const handledSchema = z.union([
  z.object({ type: z.undefined().optional(), command: z.string().min(1) }),
  z.object({
    type: z.literal("block_actions"),
    actions: z.array(z.object({ action_id: z.string().regex(BUTTON) })).min(1),
  }),
  z.object({ type: z.literal("view_submission"), view: z.object({ callback_id: z.string().regex(DIALOG) }) }),
  z.object({ type: z.literal("event_callback"), event: z.object({ type: z.literal("app_mention") }) }),
  z.object({
    type: z.literal("event_callback"),
    // Edited and deleted messages have a subtype.
    event: z.object({ type: z.literal("message"), channel_type: z.literal("im"), subtype: z.undefined().optional() }),
  }),
]);

/** Any JSON object. */
const payloadSchema = z.looseObject({});

const IGNORED = { status: 200, body: "" };

/**
 * Runs the handler of a request's payload.
 * @param request its signature must be verified @returns the acknowledgement for Slack
 * @throws the handler's errors, and SyntaxError for a body that is neither a form nor a JSON object
 */
export async function dispatch(
  request: Request,
  handlers: SlackHandlers,
  runInBackground: RunInBackground,
): Promise<Response> {
  const { command, press, submission, mention } = handlers;
  let work: Handled["work"] = async () => {};
  const acknowledge = (handled: Handled) => {
    work = handled.work;
    const message = handled.acknowledgement;
    return message === null ? "" : { status: 200, body: { response_type: "ephemeral", ...message } };
  };
  await expectObject(request.clone());
  const app = new SlackApp({
    // Disables slack-edge's own signature check, which uses the system clock; the signature is verified already.
    socketMode: true,
    env: { SLACK_SIGNING_SECRET: "" },
    startLazyListenerAfterAck: true,
    // The default asks Slack's API for the bot before it acknowledges. The envelope of an event names the bot.
    authorize: async ({ body }) => {
      const botUserId = mentionSchema.safeParse(body).data?.authorizations?.[0]?.user_id ?? "";
      return { botToken: "", botId: "", botUserId, botScopes: [] };
    },
  });
  // slack-edge logs the whole payload of a request without a listener. This stops such requests first.
  app.beforeAuthorize(async ({ body }) => (handledSchema.safeParse(body).success ? undefined : IGNORED));
  app.command(
    /^/,
    async ({ payload }) => acknowledge(command(payload)),
    () => work(),
  );
  app.action(
    BUTTON,
    async ({ payload }) => acknowledge(press(payload)),
    () => work(),
  );
  app.viewSubmission(
    DIALOG,
    async ({ payload }) => {
      const { reply, work: submissionWork } = submission(payload);
      work = submissionWork;
      return { ...reply };
    },
    () => work(),
  );
  app.event("app_mention", async ({ body }) => {
    await mention(body).work();
  });
  app.event("message", async ({ body }) => {
    await mention(body).work();
  });
  return app.run(request, { waitUntil: runInBackground });
}

/** slack-edge reads properties of the parsed body without a check. @throws SyntaxError if it is not an object */
async function expectObject(request: Request): Promise<void> {
  const body = await request.text();
  const isJson = request.headers.get("content-type")?.startsWith("application/json") || body.startsWith("{");
  const json = isJson ? body : new URLSearchParams(body).get("payload");
  if (json !== null && !payloadSchema.safeParse(JSON.parse(json)).success) throw new SyntaxError("no JSON object");
}
