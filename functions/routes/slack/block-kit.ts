// Builds Block Kit messages within Slack's limits. Untrusted text is escaped: it cannot mention people, link, or end a code
// block. Untrusted text appears in `mrkdwn` only. Pure functions.

import type { ActionsBlock, Button, ContextBlock, HeaderBlock, SectionBlock } from "@slack/types";

/**
 * Slack's limits; lengths in UTF-16 units as sent.
 * https://docs.slack.dev/reference/block-kit/blocks and …/block-elements/button-element
 */
export const SLACK_LIMITS = {
  blocks: 50,
  header: 150,
  section: 3_000,
  contextElements: 10,
  contextText: 3_000,
  actionElements: 25,
  buttonText: 75,
  buttonValue: 2_000,
  actionId: 255,
  /** All blocks together. Not documented; Slack rejects about 11,300 and more as msg_blocks_too_long (slackapi/bolt-js#2867). */
  message: 10_000,
} as const;

export type MessageBlock = HeaderBlock | SectionBlock | ContextBlock | ActionsBlock;

export interface Message {
  /** For notifications and screen readers. Slack reads it as mrkdwn, so it never holds untrusted text. */
  readonly text: string;
  readonly blocks: readonly MessageBlock[];
}

/** Separates three backticks in a row, which would end a code block, with a zero-width space. */
function withoutFences(text: string): string {
  return text.replace(/`(?=``)/g, "`\u200b");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Escapes Slack's markup of mentions and links, and cuts the result to at most `maxLength` characters. */
function escapeWithin(text: string, maxLength: number): { readonly text: string; readonly isCut: boolean } {
  let escaped = "";
  // Escaping never shortens a text.
  for (const character of text.slice(0, maxLength + 1)) {
    const next = ENTITIES[character] ?? character;
    if (escaped.length + next.length > maxLength)
      return { text: `${withRoom(escaped, maxLength)}…`.toWellFormed(), isCut: true };
    escaped += next;
  }
  return { text: escaped.toWellFormed(), isCut: false };
}

/** Makes room for one more character, without splitting an entity or a surrogate pair. */
function withRoom(escaped: string, maxLength: number): string {
  return escaped.length < maxLength ? escaped : escaped.replace(/(?:&\w+;|[\ud800-\udbff][\udc00-\udfff]|[\s\S])$/, "");
}

/** Untrusted prose for a `mrkdwn` text, at most `maxLength` characters long. */
export function prose(text: string, maxLength: number): string {
  const start = withoutFences(text.trim().slice(0, maxLength + 1));
  return escapeWithin(start.replace(/@(?=(?:here|channel|everyone)\b)/gi, "@\u200b"), maxLength).text;
}

/** Untrusted prose on one line. */
export function line(text: string, maxLength: number): string {
  return prose(text.replace(/\s+/g, " "), maxLength);
}

/** An untrusted command as a code block of at most `maxLength` characters, ready to copy. A cut command says so. */
export function codeBlock(command: string, maxLength: number): string {
  const fence = "```";
  const room = maxLength - 2 * fence.length - 2;
  const code = withoutFences(command.trim().slice(0, room + 1));
  const whole = escapeWithin(code, room);
  if (!whole.isCut) return `${fence}\n${whole.text}\n${fence}`;
  const note = "\n_The command is cut; do not run it as shown._";
  return `${fence}\n${escapeWithin(code, room - note.length).text}\n${fence}${note}`;
}

export function header(trustedText: string): HeaderBlock {
  return {
    type: "header",
    text: { type: "plain_text", text: trustedText.slice(0, SLACK_LIMITS.header), emoji: false },
  };
}

/** @param text trusted text, and results of `prose`, `line` and `codeBlock` */
export function section(text: string): SectionBlock {
  return { type: "section", text: mrkdwn(text) };
}

/** Small text. @param text as for a section */
export function context(text: string): ContextBlock {
  return { type: "context", elements: [mrkdwn(text)] };
}

export function actions(blockId: string, buttons: readonly Button[]): ActionsBlock {
  return { type: "actions", block_id: blockId, elements: [...buttons] };
}

export function button(actionId: string, trustedText: string, value: string): Button {
  return { type: "button", action_id: actionId, text: { type: "plain_text", text: trustedText, emoji: false }, value };
}

/** `verbatim`: Slack creates no links, channels or mentions from plain words. */
function mrkdwn(text: string) {
  return { type: "mrkdwn", text, verbatim: true } as const;
}

/**
 * A heading and as many items as fit, then the number of omitted items.
 * @param items as for a section; the first must fit @returns an empty list without items
 */
export function list(
  heading: string,
  items: readonly string[],
  { maxLength, noun, elsewhere }: { readonly maxLength: number; readonly noun: string; readonly elsewhere: string },
): string[] {
  if (items.length === 0) return [];
  const whole = [`*${heading}*`, ...items].join("\n");
  if (whole.length <= maxLength) return [whole];
  const omitted = (count: number) => `\n_${count} more ${noun}${count === 1 ? "" : "s"}: ${elsewhere}_`;
  let text = `*${heading}*`;
  let shown = 0;
  for (const item of items) {
    const longer = `${text}\n${item}`;
    if (longer.length + omitted(items.length - shown - 1).length > maxLength) break;
    text = longer;
    shown += 1;
  }
  return [text + omitted(items.length - shown)];
}

/** A message of a few trusted sentences. */
export function plainMessage(trustedText: string): Message {
  return { text: trustedText, blocks: [section(trustedText)] };
}
