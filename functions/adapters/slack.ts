// Owns the way to Slack: a message to a response_url, and a message in a thread through chat.postMessage. What a message
// says is not its business.

import { z } from "zod";
import { callDependency, DependencyError } from "../dependencies.ts";
import { failureOf, parseJson, readStart } from "./http-response.ts";

export interface SlackMessage {
  /** What notifications and screen readers say. Slack reads it as mrkdwn. */
  readonly text: string;
  /** In Block Kit. */
  readonly blocks: readonly object[];
}

/** Everybody in the channel sees it, or only the person who asked. */
export type SlackAudience = "channel" | "person";

export type SlackReply = (message: SlackMessage, audience: SlackAudience) => Promise<void>;

export interface Slack {
  /**
   * The way back to who asked; null for a URL that is not Slack's, since whoever reads an answer must be in Slack.
   * Slack lets a response_url be used 5 times within 30 minutes. The reply throws DependencyError.
   */
  replyTo(responseUrl: string): SlackReply | null;
  /** Posts in a thread, as the bot. @throws DependencyError `refused` also where no bot token is configured */
  post(thread: { readonly channel: string; readonly ts: string }, message: SlackMessage): Promise<void>;
}

export interface SlackOptions {
  /** Scheme and host of every response_url. */
  readonly responseOrigin: string;
  /** Up to and including `/api`. */
  readonly apiUrl: string;
  readonly botToken: string | undefined;
  /** For one message, its retry included. */
  readonly timeoutMs: number;
}

/** Nothing in a message is to become a preview, a link or a mention that we did not write. */
const NO_UNFURLING = { unfurl_links: false, unfurl_media: false, link_names: false };
/** Slack's replies are a line; of anything else no more than this is read. */
const MAX_REPLY_BYTES = 16_384;

const replySchema = z.object({ ok: z.boolean(), error: z.string().optional() });

export function createSlack({ responseOrigin, apiUrl, botToken, timeoutMs }: SlackOptions): Slack {
  const trusted = new URL(responseOrigin).origin;

  async function send(url: string, body: object, token?: string): Promise<void> {
    await callDependency({ dependency: "chat", timeoutMs, retries: 1 }, async (signal) => {
      const headers = {
        "content-type": "application/json; charset=utf-8",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      };
      // A redirect could lead an answer out of Slack.
      const init = { method: "POST", headers, body: JSON.stringify(body), redirect: "manual", signal } as const;
      const response = await fetch(url, init);
      if (!response.ok) {
        await response.body?.cancel();
        throw failureOf("chat", response);
      }
      checkReply(await readStart(response, MAX_REPLY_BYTES), { mustBeJson: token !== undefined });
    });
  }

  return {
    replyTo(responseUrl) {
      if (!URL.canParse(responseUrl)) return null;
      const { origin, username, password } = new URL(responseUrl);
      if (origin !== trusted || username !== "" || password !== "") return null;
      return (message, audience) =>
        send(responseUrl, {
          response_type: audience === "channel" ? "in_channel" : "ephemeral",
          replace_original: false,
          ...NO_UNFURLING,
          ...message,
        });
    },
    async post({ channel, ts }, message) {
      if (botToken === undefined) throw new DependencyError("chat", "refused", "no bot token is configured");
      const url = `${apiUrl.replace(/\/+$/, "")}/chat.postMessage`;
      await send(url, { channel, thread_ts: ts, parse: "none", ...NO_UNFURLING, ...message }, botToken);
    },
  };
}

/** The API says with status 200 that it refused; a response_url answers a bare "ok", or in the same way. */
function checkReply(text: string, { mustBeJson }: { readonly mustBeJson: boolean }): void {
  const reply = replySchema.safeParse(parseJson(text));
  if (!reply.success) {
    if (mustBeJson) throw new DependencyError("chat", "invalid_response", "the reply is not one of the API's");
    return;
  }
  if (reply.data.ok) return;
  const code = reply.data.error ?? "";
  if (code === "ratelimited" || code === "rate_limited") throw new DependencyError("chat", "busy", "rate limited");
  // A code is a word; anything else might hold content.
  throw new DependencyError("chat", "refused", /^[a-z_]{1,60}$/.test(code) ? code : "an unknown error");
}
