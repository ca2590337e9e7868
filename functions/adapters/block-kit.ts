// Builds Block Kit messages and dialogs within Slack's limits. Untrusted text is escaped: it cannot mention people, link, or end a code
// block. Untrusted text appears in `mrkdwn` only. Pure functions.

import type {
  ActionsBlock,
  Button,
  Checkboxes,
  ContextActionsBlock,
  ContextBlock,
  DateTimepicker,
  HeaderBlock,
  InputBlock,
  ModalView,
  PlainTextElement,
  PlainTextInput,
  SectionBlock,
} from "@slack/types";
import { displayText } from "../../lib/text/display-text.ts";

/**
 * Slack's limits; lengths in UTF-16 units as sent.
 * https://docs.slack.dev/reference/block-kit/blocks, …/block-elements/button-element and https://docs.slack.dev/reference/views
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
  /** Title and buttons of a dialog. */
  modalTitle: 24,
  inputText: 3_000,
  optionText: 75,
  privateMetadata: 3_000,
  /** All blocks together. Not documented; Slack rejects about 11,300 and more as msg_blocks_too_long (slackapi/bolt-js#2867). */
  message: 10_000,
} as const;

export type MessageBlock = HeaderBlock | SectionBlock | ContextBlock | ActionsBlock | ContextActionsBlock;

export interface Message {
  /** For notifications and screen readers. Slack reads it as mrkdwn, so it never holds untrusted text. */
  readonly text: string;
  readonly blocks: readonly MessageBlock[];
}

/** A dialog: Slack opens it with the trigger of a press, and sends the inputs when a person submits it. */
export type Modal = ModalView;

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
  const start = withoutFences(
    displayText(text)
      .trim()
      .slice(0, maxLength + 1),
  );
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
  const code = withoutFences(
    displayText(command)
      .trim()
      .slice(0, room + 1),
  );
  const whole = escapeWithin(code, room);
  if (!whole.isCut) return `${fence}\n${whole.text}\n${fence}`;
  const note = "\n_The command is cut; do not run it as shown._";
  return `${fence}\n${escapeWithin(code, room - note.length).text}\n${fence}${note}`;
}

export function header(trustedText: string): HeaderBlock {
  return {
    type: "header",
    text: plainText(trustedText.slice(0, SLACK_LIMITS.header)),
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

/** The two buttons of a rating, which Slack draws as thumbs. The value that comes back says which one was pressed. */
export function ratingButtons(
  blockId: string,
  actionId: string,
  { positive, negative }: Readonly<Record<"positive" | "negative", { readonly label: string; readonly value: string }>>,
): ContextActionsBlock {
  const part = ({ label, value }: typeof positive) => ({ text: plainText(label), value, accessibility_label: label });
  return {
    type: "context_actions",
    block_id: blockId,
    elements: [
      {
        type: "feedback_buttons",
        action_id: actionId,
        positive_button: part(positive),
        negative_button: part(negative),
      },
    ],
  };
}

export function button(actionId: string, trustedText: string, value: string): Button {
  return { type: "button", action_id: actionId, text: plainText(trustedText), value };
}

/** Input blocks need distinct ids: Slack returns the inputs under them, and shows errors beside them. */
interface InputOptions {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly isOptional: boolean;
}

/**
 * An input of several lines. Slack reads no markup in it.
 * @param initialText text that the person may edit; cut to Slack's limit, see `inputText`
 */
export function textInput({ id, label, hint, isOptional }: InputOptions, initialText?: string): InputBlock {
  const initial = initialText === undefined ? "" : inputText(initialText);
  const element: PlainTextInput = {
    type: "plain_text_input",
    action_id: id,
    multiline: true,
    max_length: SLACK_LIMITS.inputText,
    ...(initial === "" ? {} : { initial_value: initial }),
  };
  const texts = { label: plainText(label), hint: plainText(hint) };
  return { type: "input", block_id: id, ...texts, optional: isOptional, element };
}

/** One box to tick, unticked at first. Its value is the id. @param option trusted text */
export function checkbox({ id, label, hint, isOptional }: InputOptions, option: string): InputBlock {
  const text = plainText(option.slice(0, SLACK_LIMITS.optionText));
  const element: Checkboxes = { type: "checkboxes", action_id: id, options: [{ text, value: id }] };
  const texts = { label: plainText(label), hint: plainText(hint) };
  return { type: "input", block_id: id, ...texts, optional: isOptional, element };
}

/** Date and time, which Slack shows in the zone of the person. */
export function timeInput({ id, label, hint, isOptional }: InputOptions, initial: Date): InputBlock {
  const initial_date_time = Math.floor(initial.getTime() / 1_000);
  const element: DateTimepicker = { type: "datetimepicker", action_id: id, initial_date_time };
  const texts = { label: plainText(label), hint: plainText(hint) };
  return { type: "input", block_id: id, ...texts, optional: isOptional, element };
}

/** The start of a text that fits into an input. */
export function inputText(text: string): string {
  return displayText(text).trim().slice(0, SLACK_LIMITS.inputText).toWellFormed();
}

/** @param privateMetadata comes back with the inputs; the person's client holds it, so it is no secret */
export function modal(
  callbackId: string,
  { title, submit, privateMetadata }: Readonly<Record<"title" | "submit" | "privateMetadata", string>>,
  blocks: readonly (MessageBlock | InputBlock)[],
): Modal {
  return {
    type: "modal",
    callback_id: callbackId,
    title: plainText(title),
    submit: plainText(submit),
    close: plainText("Cancel"),
    private_metadata: privateMetadata,
    blocks: [...blocks],
  };
}

function plainText(trustedText: string): PlainTextElement {
  return { type: "plain_text", text: trustedText, emoji: false };
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
