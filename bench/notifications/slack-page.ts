// A page that shows messages in the format of Slack as Slack does: so much of Block Kit as the messages of Dejavu use.

import { z } from "zod";

const textSchema = z.object({ type: z.string(), text: z.string() });
const blockSchema = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("section"), text: textSchema }),
  z.looseObject({ type: z.literal("header"), text: textSchema }),
  z.looseObject({ type: z.literal("context"), elements: z.array(textSchema) }),
  z.looseObject({ type: z.literal("actions"), elements: z.array(z.looseObject({ text: textSchema })) }),
]);

export interface ShownMessage {
  readonly time: string;
  readonly isEdited: boolean;
  readonly blocks: readonly object[];
  readonly replies: readonly ShownMessage[];
}

const STYLE = `
  body { font: 15px/1.46 Lato, "Helvetica Neue", Arial, sans-serif; color: #1d1c1d; background: #fff; margin: 0; padding: 16px 20px; width: 760px }
  h1 { font-size: 18px; border-bottom: 1px solid #ddd; padding-bottom: 10px; margin: 0 0 12px }
  .message { display: flex; gap: 8px; margin: 0 0 18px } .face { width: 36px; height: 36px; border-radius: 4px; background: #4a154b; flex: none }
  .reply .face { width: 24px; height: 24px } .reply { margin: 8px 0 0 } .body { min-width: 0; flex: 1 }
  .time, .edited { color: #616061; font-size: 12px; font-weight: 400 } .app { background: #ddd; color: #616061; font-size: 10px; padding: 1px 3px; border-radius: 2px }
  .section { white-space: pre-wrap; margin: 0 0 6px; overflow-wrap: anywhere } .context { color: #616061; font-size: 12px; white-space: pre-wrap; margin: 6px 0 }
  blockquote { border-left: 4px solid #ddd; margin: 4px 0; padding-left: 12px } pre { background: #f8f8f8; border: 1px solid #ddd; border-radius: 4px; padding: 8px; margin: 4px 0; white-space: pre-wrap; font: 12px/1.5 monospace }
  code { background: #f8f8f8; border: 1px solid #ddd; border-radius: 3px; color: #e01e5a; padding: 2px 3px; font: 12px monospace }
  .actions { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0 } .actions span { border: 1px solid #bbb; border-radius: 4px; padding: 4px 12px; font-weight: 700; font-size: 13px }
  .thread { border-left: 3px solid #eee; padding-left: 10px; margin-top: 6px } a { color: #1264a3 }`;

export function slackPage(channel: string, messages: readonly ShownMessage[]): string {
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><h1># ${channel}</h1>${messages.map((each) => message(each)).join("")}`;
}

function message({ time, isEdited, blocks, replies }: ShownMessage, isReply = false): string {
  const name = `<b>Dejavu</b> <span class="app">APP</span> <span class="time">${time}</span>`;
  const edited = isEdited ? '<span class="edited">(edited)</span>' : "";
  const thread =
    replies.length === 0 ? "" : `<div class="thread">${replies.map((each) => message(each, true)).join("")}</div>`;
  return `<div class="message ${isReply ? "reply" : ""}"><div class="face"></div><div class="body"><div>${name}</div>${blocks.map(block).join("")}${edited}${thread}</div></div>`;
}

function block(content: object): string {
  const parsed = blockSchema.parse(content);
  switch (parsed.type) {
    case "section":
      return `<div class="section">${markup(parsed.text.text)}</div>`;
    case "header":
      return `<h2>${parsed.text.text}</h2>`;
    case "context":
      return `<div class="context">${parsed.elements.map(({ text }) => markup(text)).join(" ")}</div>`;
    case "actions":
      return `<div class="actions">${parsed.elements.map(({ text }) => `<span>${text.text}</span>`).join("")}</div>`;
  }
}

/** The text is escaped for Slack, as HTML needs it too. */
function markup(text: string): string {
  return text
    .split("```")
    .map((part, i) => (i % 2 === 1 ? `<pre>${part.trim()}</pre>` : inline(part)))
    .join("");
}

function inline(text: string): string {
  return text
    .replace(/<!date\^[^|>]*\|([^>]+)>/g, "$1")
    .replace(/<([^|>]+)\|([^>]+)>/g, '<a href="$1">$2</a>')
    .replace(/`([^`\n]+)`/g, "<code>$1</code>")
    .replace(/(^|[\s(])\*([^*\n]+)\*/g, "$1<b>$2</b>")
    .replace(/^&gt; ?(.*)\n?/gm, "<blockquote>$1</blockquote>")
    .replace(/^> ?(.*)\n?/gm, "<blockquote>$1</blockquote>");
}
