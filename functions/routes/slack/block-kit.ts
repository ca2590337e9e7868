// Owns how a message is built so that Slack takes it, and so that foreign text in it is text: it mentions nobody, links
// nowhere, and breaks out of no code block. Foreign text stands in `mrkdwn` alone. Pure.

import type { ActionsBlock, Button, ContextBlock, HeaderBlock, SectionBlock } from "@slack/types";

/**
 * What Slack takes at most; lengths in UTF-16 units of what is sent.
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
  /** Of all blocks together: not documented, refused as msg_blocks_too_long from about 11,300 on (slackapi/bolt-js#2867). */
  message: 10_000,
} as const;

export type MessageBlock = HeaderBlock | SectionBlock | ContextBlock | ActionsBlock;

export interface Message {
  /** For notifications and screen readers. Slack reads it as mrkdwn, so it holds words of our own only. */
  readonly text: string;
  readonly blocks: readonly MessageBlock[];
}

/** Parts three backticks in a row, which would end a code block, by a space of no width. */
function withoutFences(text: string): string {
  return text.replace(/`(?=``)/g, "`\u200b");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Escapes what Slack reads as markup of mentions and links, and cuts so that at most `most` characters come out. */
function escapeWithin(text: string, most: number): { readonly text: string; readonly isCut: boolean } {
  let escaped = "";
  // Nothing becomes shorter by being escaped.
  for (const character of text.slice(0, most + 1)) {
    const next = ENTITIES[character] ?? character;
    if (escaped.length + next.length > most) return { text: `${withRoom(escaped, most)}…`.toWellFormed(), isCut: true };
    escaped += next;
  }
  return { text: escaped.toWellFormed(), isCut: false };
}

/** Makes room for one more character, without leaving half an entity or half a character behind. */
function withRoom(escaped: string, most: number): string {
  return escaped.length < most ? escaped : escaped.replace(/(?:&\w+;|[\ud800-\udbff][\udc00-\udfff]|[\s\S])$/, "");
}

/** Foreign prose for a `mrkdwn` text, at most `most` characters long. */
export function prose(text: string, most: number): string {
  const start = withoutFences(text.trim().slice(0, most + 1));
  return escapeWithin(start.replace(/@(?=(?:here|channel|everyone)\b)/gi, "@\u200b"), most).text;
}

/** Such prose on one line. */
export function line(text: string, most: number): string {
  return prose(text.replace(/\s+/g, " "), most);
}

/** A foreign command as a code block of at most `most` characters, as it can be copied; a cut one says so. */
export function codeBlock(command: string, most: number): string {
  const fence = "```";
  const room = most - 2 * fence.length - 2;
  const code = withoutFences(command.trim().slice(0, room + 1));
  const whole = escapeWithin(code, room);
  if (!whole.isCut) return `${fence}\n${whole.text}\n${fence}`;
  const note = "\n_The command is longer than this; do not run it as it stands here._";
  return `${fence}\n${escapeWithin(code, room - note.length).text}\n${fence}${note}`;
}

export function header(ownWords: string): HeaderBlock {
  return { type: "header", text: { type: "plain_text", text: ownWords.slice(0, SLACK_LIMITS.header), emoji: false } };
}

/** @param text of our own words, `prose`, `line` and `codeBlock` */
export function section(text: string): SectionBlock {
  return { type: "section", text: mrkdwn(text) };
}

/** Small print. @param text as of a section */
export function context(text: string): ContextBlock {
  return { type: "context", elements: [mrkdwn(text)] };
}

export function actions(blockId: string, buttons: readonly Button[]): ActionsBlock {
  return { type: "actions", block_id: blockId, elements: [...buttons] };
}

export function button(actionId: string, ownWords: string, value: string): Button {
  return { type: "button", action_id: actionId, text: { type: "plain_text", text: ownWords, emoji: false }, value };
}

/** Verbatim: Slack makes no links, channels or mentions of plain words. */
function mrkdwn(text: string) {
  return { type: "mrkdwn", text, verbatim: true } as const;
}

/**
 * A heading and as many of the items as fit; what is left out is told.
 * @param items as of a section, the first of which fits @returns no line where there are no items
 */
export function list(
  heading: string,
  items: readonly string[],
  { most, noun, elsewhere }: { readonly most: number; readonly noun: string; readonly elsewhere: string },
): string[] {
  if (items.length === 0) return [];
  const whole = [`*${heading}*`, ...items].join("\n");
  if (whole.length <= most) return [whole];
  const told = (left: number) => `\n_${left} more ${noun}${left === 1 ? "" : "s"}: ${elsewhere}_`;
  let text = `*${heading}*`;
  let shown = 0;
  for (const item of items) {
    const longer = `${text}\n${item}`;
    if (longer.length + told(items.length - shown - 1).length > most) break;
    text = longer;
    shown += 1;
  }
  return [text + told(items.length - shown)];
}

/** A message of one sentence or a few, in our own words. */
export function plainMessage(ownWords: string): Message {
  return { text: ownWords, blocks: [section(ownWords)] };
}
