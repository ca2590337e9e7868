// Sends Slack messages: to a response_url, and into a channel or thread with chat.postMessage; edits them with chat.update; and
// opens dialogs with views.open. Knows nothing of their content.

import { z } from "zod";
import { callDependency, DependencyError } from "../dependencies.ts";
import type { StartTimer } from "../timers.ts";
import { fetchDirect } from "./http/fetch-direct.ts";
import { failureOf, parseJson, readStart } from "./http/http-response.ts";

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
  /**
   * Posts in a channel, or in a thread of it, which the channel may see as well, and does not retry.
   * @param id a UUID: Slack posts no second message with it (`client_msg_id`, for some time)
   * @returns the timestamp that identifies the message
   * @throws DependencyError `refused` also without a bot token
   */
  publish(
    place: { readonly channel: string; readonly thread: { readonly ts: string; readonly isBroadcast: boolean } | null },
    message: SlackMessage,
    id: string,
  ): Promise<string>;
  /**
   * Replaces the content of a message that the bot posted, unless the workspace forbids it; does not retry.
   * @returns false if the message was deleted @throws DependencyError as `publish`
   */
  update(place: { readonly channel: string; readonly ts: string }, message: SlackMessage): Promise<boolean>;
  /** Posts there as the bot, visible to one person only. @throws DependencyError `refused` also without a bot token */
  postToPerson(
    place: { readonly channel: string; readonly ts: string; readonly user: string | undefined },
    message: SlackMessage,
  ): Promise<void>;
  /** A message that is written while the work goes on. */
  readonly stream: SlackStream;
  /** Whether there is a bot token, which mentions and dialogs need. */
  readonly hasBotToken: boolean;
  /**
   * Opens a dialog for the person whose press created the trigger, which Slack accepts once and for 3 seconds.
   * @returns `expired` if the trigger came too late, so that nothing was opened
   * @throws DependencyError `refused` also without a bot token
   */
  openDialog(triggerId: string, view: object): Promise<"opened" | "expired">;
}

/** A step of the work, as Slack shows it: the same id again changes it. */
export interface SlackStreamStep {
  readonly id: string;
  readonly title: string;
  readonly status: "in_progress" | "complete" | "error";
  /** At most 256 characters. */
  readonly details?: string;
}

type StreamPlace = { readonly channel: string; readonly ts: string };

/** All throw DependencyError: `refused` also without a bot token, or where the app may not stream. */
export interface SlackStream {
  /** @returns the timestamp that identifies the message */
  start(
    place: {
      readonly channel: string;
      readonly thread: string;
      readonly user: string | undefined;
      readonly team: string;
    },
    steps: readonly SlackStreamStep[],
  ): Promise<string>;
  append(place: StreamPlace, steps: readonly SlackStreamStep[]): Promise<void>;
  /** Ends the message with the blocks of another one. */
  stop(place: StreamPlace, steps: readonly SlackStreamStep[], message: SlackMessage): Promise<void>;
}

export interface SlackOptions {
  /** Base URL up to and including `/api`. */
  readonly apiUrl: string;
  readonly botToken: string | undefined;
  /** For one message, the retry included. */
  readonly timeoutMs: number;
  readonly startTimer: StartTimer;
}

/** Prevents previews, links and mentions that Dejavu did not write. */
const NO_UNFURLING = { unfurl_links: false, unfurl_media: false, link_names: false };
/** Slack repeats the message or the dialog in its response. A dialog has at most 250 kB; no more than this is read. */
const MAX_RESPONSE_BYTES = 262_144;
/** A trigger works once, so this is the code of a repeated request whose dialog is open. */
const ALREADY_OPENED = "exchanged_trigger_id";
const TOO_LATE = "expired_trigger_id";
const DELETED = "message_not_found";
const FIXED = ["cant_update_message", "edit_window_closed"];

const responseSchema = z.object({ ok: z.boolean(), error: z.string().optional(), ts: z.unknown().optional() });
/** Of a message. */
const TIMESTAMP = /^\d{1,16}\.\d{1,16}$/;

interface ApiResult {
  /** The error code of the response if it is expected; null for success. */
  readonly code: string | null;
  /** As the response has it. */
  readonly ts?: unknown;
}

interface SendOptions {
  readonly token?: string;
  readonly retries?: number;
  /** Error codes that are results, not failures. */
  readonly expectedCodes?: readonly string[];
}

/** Scheme and host of every response_url. Slack and GovSlack have a host of their own for them. */
function responseOrigin(apiUrl: string): string {
  const { protocol, host, origin } = new URL(apiUrl);
  return /^slack(?:-gov)?\.com$/.test(host) ? `${protocol}//hooks.${host}` : origin;
}

export function createSlack({ apiUrl, botToken, timeoutMs, startTimer }: SlackOptions): Slack {
  const trusted = responseOrigin(apiUrl);

  async function send(url: string, body: object, options: SendOptions = {}): Promise<ApiResult> {
    const { token, retries = 1, expectedCodes = [] } = options;
    return callDependency({ dependency: "chat", timeoutMs, startTimer, retries }, async (signal) => {
      const headers = {
        "content-type": "application/json; charset=utf-8",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      };
      const response = await fetchDirect(url, { method: "POST", headers, body: JSON.stringify(body), signal });
      if (!response.ok) {
        await response.body?.cancel();
        throw failureOf("chat", response);
      }
      const text = await readStart(response, MAX_RESPONSE_BYTES);
      return checkResponse(text, { mustBeJson: token !== undefined, expectedCodes });
    });
  }

  /** @throws DependencyError `refused` without a bot token */
  async function callApi(method: string, body: object, options: Omit<SendOptions, "token"> = {}): Promise<ApiResult> {
    if (botToken === undefined)
      throw new DependencyError("chat", "refused", "no bot token is configured: set SLACK_BOT_TOKEN");
    return send(`${apiUrl.replace(/(?<!\/)\/+$/, "")}/${method}`, body, { ...options, token: botToken });
  }

  return {
    replyTo(responseUrl) {
      if (!URL.canParse(responseUrl)) return null;
      const { origin, username, password } = new URL(responseUrl);
      if (origin !== trusted || username !== "" || password !== "") return null;
      return async (message, audience) => {
        const response_type = audience === "channel" ? "in_channel" : "ephemeral";
        await send(responseUrl, { response_type, replace_original: false, ...NO_UNFURLING, ...message });
      };
    },
    async post({ channel, ts }, message) {
      await callApi("chat.postMessage", { channel, thread_ts: ts, parse: "none", ...NO_UNFURLING, ...message });
    },
    async publish({ channel, thread }, message, id) {
      const parent = thread !== null && { thread_ts: thread.ts, ...(thread.isBroadcast && { reply_broadcast: true }) };
      const place = { channel, ...parent, client_msg_id: id };
      const body = { ...place, parse: "none", ...NO_UNFURLING, ...message };
      return timestampOf(await callApi("chat.postMessage", body, { retries: 0 }));
    },
    async update({ channel, ts }, message) {
      const body = { channel, ts, parse: "none", link_names: false, ...message };
      const { code } = await callApi("chat.update", body, { retries: 0, expectedCodes: [DELETED, ...FIXED] });
      return code !== DELETED;
    },
    async postToPerson({ channel, ts, user }, message) {
      const place = { channel, thread_ts: ts, user };
      await callApi("chat.postEphemeral", { ...place, parse: "none", ...NO_UNFURLING, ...message });
    },
    stream: {
      async start({ channel, thread, user, team }, steps) {
        const recipient = { recipient_user_id: user, recipient_team_id: team };
        const body = { channel, thread_ts: thread, ...recipient, task_display_mode: "plan", chunks: chunksOf(steps) };
        return timestampOf(await callApi("chat.startStream", body, { retries: 0 }));
      },
      async append(place, steps) {
        await callApi("chat.appendStream", { ...place, chunks: chunksOf(steps) }, { retries: 0 });
      },
      async stop(place, steps, { blocks }) {
        await callApi("chat.stopStream", { ...place, chunks: chunksOf(steps), blocks }, { retries: 0 });
      },
    },
    hasBotToken: botToken !== undefined,
    async openDialog(triggerId, view) {
      // A repeated request would find the trigger used, or expired.
      const options = { retries: 0, expectedCodes: [ALREADY_OPENED, TOO_LATE] };
      const { code } = await callApi("views.open", { trigger_id: triggerId, view }, options);
      return code === TOO_LATE ? "expired" : "opened";
    },
  };
}

function chunksOf(steps: readonly SlackStreamStep[]) {
  return steps.map((step) => ({ type: "task_update", ...step }));
}

/** @throws DependencyError if the response names no message */
function timestampOf({ ts }: ApiResult): string {
  if (typeof ts === "string" && TIMESTAMP.test(ts)) return ts;
  throw new DependencyError("chat", "invalid_response", "the response names no message");
}

/** The API reports errors with status 200; a response_url answers with a bare "ok" or in the same format. */
function checkResponse(
  text: string,
  { mustBeJson, expectedCodes }: { readonly mustBeJson: boolean; readonly expectedCodes: readonly string[] },
): ApiResult {
  const parsed = responseSchema.safeParse(parseJson(text));
  if (!parsed.success) {
    if (mustBeJson) throw new DependencyError("chat", "invalid_response", "the response is not in the API's format");
    return { code: null };
  }
  if (parsed.data.ok) return { code: null, ts: parsed.data.ts };
  const code = parsed.data.error ?? "";
  if (expectedCodes.includes(code)) return { code };
  if (code === "ratelimited" || code === "rate_limited") throw new DependencyError("chat", "busy", "rate limited");
  // An error code is one word; anything else might be content.
  throw new DependencyError("chat", "refused", /^[a-z_]{1,60}$/.test(code) ? code : "an unknown error");
}
