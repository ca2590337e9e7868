// A fake of the systems that notification targets send to, over HTTP: Slack, a workflow of Teams, a webhook, PagerDuty and
// Opsgenie. Each keeps what a real one would keep, and may fail, hang, limit or lie on demand.

import { createHmac } from "node:crypto";
import { z } from "zod";
import { type Answer, type LyingServer, lyingServer } from "./lying-server.ts";

const blocks = z.array(z.looseObject({ type: z.string() }));
const postSchema = z.object({
  channel: z.string(),
  text: z.string(),
  blocks,
  client_msg_id: z.uuid(),
  thread_ts: z.string().optional(),
  reply_broadcast: z.literal(true).optional(),
  unfurl_links: z.literal(false),
});
const updateSchema = z.object({ channel: z.string(), ts: z.string(), text: z.string(), blocks });
const noteSchema = z.object({ note: z.object({ content: z.string() }) });
const opsgenieSchema = z.object({ note: z.string(), source: z.string() });

export interface SlackPost {
  readonly ts: string;
  readonly id: string;
  readonly thread: string | undefined;
  /** Whether the channel sees a reply, too. */
  readonly isBroadcast: boolean;
  /** All texts of the blocks. */
  text: string;
  blocks: readonly object[];
  edits: number;
}

export interface WebhookRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface NotificationServer extends AsyncDisposable {
  readonly server: LyingServer;
  readonly slack: SlackPost[];
  readonly cards: unknown[];
  readonly webhooks: WebhookRequest[];
  /** By ticket. */
  readonly notes: Map<string, string[]>;
  /** The answer to the request in place of the own one; null for the own one. */
  misbehave: ((path: string) => Answer | null) | null;
  /** Whether the effect of a request that gets another answer takes place. */
  isLate: boolean;
  /** Forgets everything. */
  reset(): void;
}

export const BOT_TOKEN = "xoxb-notify-4711";
export const WEBHOOK_SECRET = `whsec_${Buffer.from("a-secret-of-the-notifications").toString("base64")}`;
export const PAGERDUTY_KEY = "pd-notify-4711";
export const OPSGENIE_KEY = "og-notify-4711";

export async function notificationServer(): Promise<NotificationServer> {
  const slack: SlackPost[] = [];
  const cards: unknown[] = [];
  const webhooks: WebhookRequest[] = [];
  const notes = new Map<string, string[]>();
  let posts = 0;

  const post = (body: z.infer<typeof postSchema>): Answer => {
    const former = slack.find(({ id }) => id === body.client_msg_id);
    if (former !== undefined) return { body: JSON.stringify({ ok: true, channel: body.channel, ts: former.ts }) };
    posts += 1;
    const ts = `1772334000.${String(posts).padStart(6, "0")}`;
    slack.push({
      ...{
        ts,
        id: body.client_msg_id,
        thread: body.thread_ts,
        isBroadcast: body.reply_broadcast ?? false,
        blocks: body.blocks,
        edits: 0,
      },
      text: textsOf(body.blocks),
    });
    return { body: JSON.stringify({ ok: true, channel: body.channel, ts }) };
  };
  const update = (body: z.infer<typeof updateSchema>): Answer => {
    const message = slack.find(({ ts }) => ts === body.ts);
    if (message === undefined) return { body: '{"ok":false,"error":"message_not_found"}' };
    Object.assign(message, { blocks: body.blocks, text: textsOf(body.blocks), edits: message.edits + 1 });
    return { body: JSON.stringify({ ok: true, channel: body.channel, ts: body.ts }) };
  };
  const ticket = (id: string, text: string | null, render: (all: readonly string[]) => unknown): Answer => {
    const all = notes.get(id) ?? [];
    if (text === null) return { body: JSON.stringify(render(all)) };
    notes.set(id, [...all, text]);
    return { status: 201, body: "{}" };
  };

  const serve = (text: string, headers: Record<string, string | undefined>, path: string): Answer => {
    const json = (): unknown => JSON.parse(text);
    const { authorization } = headers;
    if (path.startsWith("/api/")) {
      if (authorization !== `Bearer ${BOT_TOKEN}`) return { body: '{"ok":false,"error":"invalid_auth"}' };
      return path.endsWith("postMessage") ? post(postSchema.parse(json())) : update(updateSchema.parse(json()));
    }
    if (path.startsWith("/workflow")) {
      cards.push(json());
      return { status: 202, body: "" };
    }
    if (path.startsWith("/hook")) {
      webhooks.push({ headers, body: text });
      return { status: 204, body: "" };
    }
    const [, pagerduty] = /^\/incidents\/([^/]+)\/notes$/.exec(path) ?? [];
    if (pagerduty !== undefined) {
      if (authorization !== `Token token=${PAGERDUTY_KEY}` || headers.from !== "dejavu@example.com")
        return { status: 401, body: "{}" };
      const note = text === "" ? null : noteSchema.parse(json()).note.content;
      return ticket(pagerduty, note, (all) => ({ notes: all.map((content) => ({ content })) }));
    }
    const [, opsgenie] = /^\/v2\/alerts\/([^/]+)\/notes\?identifierType=(?:tiny|alias)/.exec(path) ?? [];
    if (opsgenie === undefined) return { status: 404, body: "{}" };
    if (authorization !== `GenieKey ${OPSGENIE_KEY}`) return { status: 403, body: "{}" };
    return ticket(opsgenie, text === "" ? null : opsgenieSchema.parse(json()).note, (all) => ({
      data: all.map((note) => ({ note })),
    }));
  };

  const all: Omit<NotificationServer, "server" | typeof Symbol.asyncDispose> = {
    slack,
    cards,
    webhooks,
    notes,
    misbehave: null,
    isLate: false,
    reset() {
      for (const list of [slack, cards, webhooks]) list.length = 0;
      notes.clear();
      all.misbehave = null;
      all.isLate = false;
    },
  };
  const server = await lyingServer({
    answer(text, _call, headers, path) {
      const wrong = all.misbehave?.(path) ?? null;
      const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()]));
      if (wrong === null) return serve(text, flat, path);
      if (all.isLate) serve(text, flat, path);
      return wrong;
    },
  });
  return Object.assign(all, { server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() });
}

function textsOf(content: readonly object[]): string {
  const texts = content.map((block) => ("text" in block ? z.object({ text: z.string() }).parse(block.text).text : ""));
  return texts.filter((text) => text !== "").join("\n");
}

/** The signature as Standard Webhooks has it. */
export function expectedSignature({ headers, body }: WebhookRequest): string {
  const key = Buffer.from(WEBHOOK_SECRET.slice("whsec_".length), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}
