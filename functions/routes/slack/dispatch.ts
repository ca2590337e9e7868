// Owns how Slack's requests are told apart and acknowledged. The only file that knows slack-edge.

import { SlackApp } from "slack-edge";
import { z } from "zod";
import type { RunInBackground } from "../../background-tasks.ts";
import type { Message } from "./block-kit.ts";
import { BUTTONS, mentionSchema } from "./payloads.ts";

/** What is said at once, and what is done after that. */
export interface Taken {
  /** For the person who asked. */
  readonly acknowledgement: Message | null;
  readonly work: () => Promise<void>;
}

/** Each takes a payload as Slack sent it, waits for nothing, and throws for one that it cannot read. */
export interface SlackHandlers {
  readonly command: (payload: unknown) => Taken;
  readonly press: (payload: unknown) => Taken;
  /** Takes the envelope of the Events API, and says no more about one that it cannot read: it is acknowledged by then. */
  readonly mention: (envelope: unknown) => Taken;
}

const BUTTON = new RegExp(`^(?:${Object.keys(BUTTONS).join("|")})$`);

/** What Dejavu does something about. */
const forUsSchema = z.union([
  z.object({ type: z.undefined().optional(), command: z.string().min(1) }),
  z.object({
    type: z.literal("block_actions"),
    actions: z.array(z.object({ action_id: z.string().regex(BUTTON) })).min(1),
  }),
  z.object({ type: z.literal("event_callback"), event: z.object({ type: z.literal("app_mention") }) }),
]);

/** Every payload that Slack documents. */
const payloadSchema = z.looseObject({});

const IGNORED = { status: 200, body: "" };

/**
 * @param request whose signature was checked @returns Slack's acknowledgement
 * @throws what a handler throws, and SyntaxError for a body that is no form and no JSON object
 */
export async function dispatch(
  request: Request,
  handlers: SlackHandlers,
  { secret, runInBackground }: { readonly secret: string; readonly runInBackground: RunInBackground },
): Promise<Response> {
  const { command, press, mention } = handlers;
  let work: Taken["work"] = async () => {};
  const take = (taken: Taken) => {
    work = taken.work;
    const message = taken.acknowledgement;
    return message === null ? "" : { status: 200, body: { response_type: "ephemeral", ...message } };
  };
  await expectObject(request.clone());
  const app = new SlackApp({
    env: { SLACK_SIGNING_SECRET: secret },
    // It would check signatures by a clock of its own; told that its transport is trusted, it leaves that to us.
    socketMode: true,
    startLazyListenerAfterAck: true,
    // By itself it would ask Slack's API who the bot is, before it acknowledges; the envelope of an event names it.
    authorize: async ({ body }) => {
      const botUserId = mentionSchema.safeParse(body).data?.authorizations?.[0]?.user_id ?? "";
      return { botToken: "", botId: "", botUserId, botScopes: [] };
    },
  });
  // Else it writes what it does not know into the log, with all that it holds.
  app.beforeAuthorize(async ({ body }) => (forUsSchema.safeParse(body).success ? undefined : IGNORED));
  app.command(
    /^/,
    async ({ payload }) => take(command(payload)),
    () => work(),
  );
  app.action(
    BUTTON,
    async ({ payload }) => take(press(payload)),
    () => work(),
  );
  app.event("app_mention", async ({ body }) => {
    await mention(body).work();
  });
  return app.run(request, { waitUntil: runInBackground });
}

/** slack-edge looks into what it parsed without asking what it is. @throws SyntaxError */
async function expectObject(request: Request): Promise<void> {
  const body = await request.text();
  const isJson = request.headers.get("content-type")?.startsWith("application/json") || body.startsWith("{");
  const json = isJson ? body : new URLSearchParams(body).get("payload");
  if (json !== null && !payloadSchema.safeParse(JSON.parse(json)).success) throw new SyntaxError("no JSON object");
}
