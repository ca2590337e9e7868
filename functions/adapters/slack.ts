// Sends Slack messages: to a response_url, and into a thread with chat.postMessage. Knows nothing of their content.

import { z } from "zod";
import { callDependency, DependencyError } from "../dependencies.ts";
import { failureOf, parseJson, readStart } from "./http-response.ts";

export interface SlackMessage {
  /** Text for notifications and screen readers, in mrkdwn. */
  readonly text: string;
  /** Block Kit blocks. */
  readonly blocks: readonly object[];
}

/** Visible to everyone in the channel, or to one person only. */
export type SlackAudience = "channel" | "person";

export type SlackReply = (message: SlackMessage, audience: SlackAudience) => Promise<void>;

export interface Slack {
  /**
   * Answers a command through its response_url; null for a URL outside Slack, since answers must stay in Slack. Slack
   * accepts 5 uses of a response_url within 30 minutes. Sending throws DependencyError.
   */
  replyTo(responseUrl: string): SlackReply | null;
  /** Posts in a thread as the bot. @throws DependencyError `refused` also without a bot token */
  post(thread: { readonly channel: string; readonly ts: string }, message: SlackMessage): Promise<void>;
}

export interface SlackOptions {
  /** Scheme and host of every response_url. */
  readonly responseOrigin: string;
  /** Base URL up to and including `/api`. */
  readonly apiUrl: string;
  readonly botToken: string | undefined;
  /** For one message, the retry included. */
  readonly timeoutMs: number;
}

/** Prevents previews, links and mentions that Dejavu did not write. */
const NO_UNFURLING = { unfurl_links: false, unfurl_media: false, link_names: false };
/** Slack's responses are short; no more than this is read. */
const MAX_RESPONSE_BYTES = 16_384;

const responseSchema = z.object({ ok: z.boolean(), error: z.string().optional() });

export function createSlack({ responseOrigin, apiUrl, botToken, timeoutMs }: SlackOptions): Slack {
  const trusted = new URL(responseOrigin).origin;

  async function send(url: string, body: object, token?: string): Promise<void> {
    await callDependency({ dependency: "chat", timeoutMs, retries: 1 }, async (signal) => {
      const headers = {
        "content-type": "application/json; charset=utf-8",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      };
      // A redirect could send an answer to another host.
      const init = { method: "POST", headers, body: JSON.stringify(body), redirect: "manual", signal } as const;
      const response = await fetch(url, init);
      if (!response.ok) {
        await response.body?.cancel();
        throw failureOf("chat", response);
      }
      checkResponse(await readStart(response, MAX_RESPONSE_BYTES), { mustBeJson: token !== undefined });
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

/** The API reports errors with status 200; a response_url answers with a bare "ok" or in the same format. */
function checkResponse(text: string, { mustBeJson }: { readonly mustBeJson: boolean }): void {
  const parsed = responseSchema.safeParse(parseJson(text));
  if (!parsed.success) {
    if (mustBeJson) throw new DependencyError("chat", "invalid_response", "the response is not in the API's format");
    return;
  }
  if (parsed.data.ok) return;
  const code = parsed.data.error ?? "";
  if (code === "ratelimited" || code === "rate_limited") throw new DependencyError("chat", "busy", "rate limited");
  // An error code is one word; anything else might be content.
  throw new DependencyError("chat", "refused", /^[a-z_]{1,60}$/.test(code) ? code : "an unknown error");
}
