// Slack: a message in a channel, edited by what comes later, with replies in its thread and the buttons of an answer.

import { z } from "@hono/zod-openapi";
import {
  actions,
  button,
  codeBlock,
  context,
  line,
  type Message,
  type MessageBlock,
  prose,
  section,
} from "../../adapters/block-kit.ts";
import { createSlack } from "../../adapters/slack.ts";

import { ACKNOWLEDGE, buttonValueOf, EXPECTED, incidentValueOf } from "../../adapters/slack-buttons.ts";
import { handoverBlocks } from "./plain-text.ts";
import type { Content, FailureMessage, HandoverMessage, NotificationKind, Reply, StepText, Summary } from "./target.ts";

const options = z.object({
  channel: z
    .string()
    .regex(
      /^[CGD][A-Z0-9]{2,30}$/,
      "must be the id of a channel, such as C024BE91L: Slack shows it in the channel's details",
    )
    .describe("Id of the channel. The app has to be a member, or have the scope `chat:write.public`."),
});

export const slack: NotificationKind<"slack", typeof options> = {
  name: "slack",
  product: "Slack",
  options,
  credential: {
    isRequired: false,
    holds: "a bot token with the scope `chat:write`; SLACK_BOT_TOKEN without one",
  },
  ticketOf: null,
  connect({ channel }, credential, { slack: { apiUrl, botToken }, timeoutMs, startTimer }) {
    const api = createSlack({ apiUrl, botToken: credential ?? botToken, timeoutMs, startTimer });
    return {
      post: (content, { id }) => api.publish({ channel, thread: null }, render(content, channel), id),
      edit: (ts, message) => api.update({ channel, ts }, renderFailure(message, channel)),
      reply: async (ts, reply, { id }) => {
        await api.publish({ channel, thread: ts }, renderReply(reply), id);
      },
    };
  },
};

const STATES: Readonly<Record<FailureMessage["status"], string>> = {
  open: "",
  resolved: "Resolved · ",
  merged: "Merged · ",
};
/** The labels here; their actions are those of an answer. */
const LABELS = { helpful: "Same as before", resolved: "This resolved it", not_helpful: "Not this" } as const;
const MAX_LENGTHS = {
  title: 200,
  fix: 500,
  quote: 300,
  text: 350,
  command: 500,
  change: 200,
  checked: 250,
  target: 80,
  entry: 200,
} as const;

export function render(content: Content, channel: string): Message {
  switch (content.kind) {
    case "failure":
      return renderFailure(content.message, channel);
    case "summary":
      return renderSummary(content.summary);
    case "handover":
      return renderHandover(content.handover);
  }
}

/** Title, severity and outcome are the first line, and the text of a push; what worked before is the second. */
export function renderFailure(message: FailureMessage, channel: string): Message {
  const { title, severity, verdict, fix, quotes, checked, firstCheck, firstStep, changes, muted, incidentId, link } =
    message;
  const isOpen = message.status === "open";
  const state = STATES[message.status];
  const head = [
    `${state}*${line(title, MAX_LENGTHS.title)}* · ${severity} · ${line(verdict, MAX_LENGTHS.title)}`,
    ...(fix === null ? [] : [`*${fix.lead}:* ${line(fix.text, MAX_LENGTHS.fix)}`]),
    ...[message.resolution, message.recurrence, message.holder].flatMap((text) =>
      text === null ? [] : [line(text, MAX_LENGTHS.fix)],
    ),
  ];
  const evidence = [
    ...quotes.map((quote) => `> ${line(quote, MAX_LENGTHS.quote)}`),
    ...checked.map((text) => `*Checked:* ${line(text, MAX_LENGTHS.checked)}`),
    ...changes.map((text) => `*Changed:* ${line(text, MAX_LENGTHS.change)}`),
  ];
  const steps = [...stepText("First check", firstCheck), ...stepText("First step", firstStep)];
  return {
    text: `${state}${line(title, MAX_LENGTHS.title)} · ${severity} · ${line(verdict, MAX_LENGTHS.title)}`,
    blocks: [
      section(head.join("\n")),
      ...(evidence.length === 0 ? [] : [section(evidence.join("\n"))]),
      ...(steps.length === 0 || !isOpen ? [] : [section(steps.join("\n"))]),
      ...buttons(message, channel),
      ...mutedBlocks(muted),
      context(`Incident \`${incidentId}\`${link === null ? "" : ` · <${link}|Open in the console>`}`),
    ],
  };
}

function mutedBlocks(muted: readonly string[]): MessageBlock[] {
  return muted.length === 0 ? [] : [context(muted.map((text) => line(text, MAX_LENGTHS.entry)).join("\n"))];
}

function stepText(name: string, step: StepText | null): string[] {
  if (step === null) return [];
  const { text, warning, command } = step;
  const note = warning === null ? "" : ` (${warning})`;
  return [
    `*${name}${note}:* ${prose(text, MAX_LENGTHS.text)}`,
    ...(command === null ? [] : [codeBlock(command, MAX_LENGTHS.command)]),
  ];
}

/** An answer that names nothing can be rated and resolved in the console. */
function buttons(message: FailureMessage, channel: string): MessageBlock[] {
  const { triageId, incidentId, link, outcome, fix, status, isAcknowledged, isMuted } = message;
  const value = triageId === null ? null : buttonValueOf({ triage_id: triageId, incident_id: incidentId }, channel);
  const open = link === null ? [] : [{ ...button("open", "Open", incidentId), url: link }];
  const ofIncident = (action: string, label: string) => button(action, label, incidentValueOf(incidentId, channel));
  const acknowledge = status !== "open" || isAcknowledged ? [] : [ofIncident(ACKNOWLEDGE, "Acknowledge")];
  const expected = status !== "open" || isMuted ? [] : [ofIncident(EXPECTED, "This is expected")];
  const shown =
    outcome === "unknown" || outcome === null
      ? (["resolved"] as const)
      : (["helpful", "resolved", "not_helpful"] as const);
  const rated =
    value === null || status === "merged"
      ? []
      : shown.map((name) => button(name, name === "helpful" && fix === null ? "This is it" : LABELS[name], value));
  const all = [...open, ...acknowledge, ...rated, ...expected];
  return all.length === 0 ? [] : [actions("feedback", all)];
}

export function renderReply({ text, message: { title } }: Reply): Message {
  return {
    text: `${line(title, MAX_LENGTHS.title)}: ${line(text, MAX_LENGTHS.fix)}`,
    blocks: [section(line(text, 1_000))],
  };
}

export function renderHandover(message: HandoverMessage): Message {
  const blocks = handoverBlocks(message);
  return {
    text: blocks[0]?.title ?? "",
    blocks: [
      ...blocks.map(({ title, lines }) =>
        section([`*${title}*`, ...lines.map((text) => `• ${line(text, MAX_LENGTHS.entry)}`)].join("\n")),
      ),
      ...(message.link === null ? [] : [context(`<${message.link}|All incidents in the console>`)]),
    ],
  };
}

export function renderSummary({ total, bySeverity, worst, muted, link }: Summary): Message {
  const counts = bySeverity.map(([severity, count]) => `${count} ${severity}`).join(", ");
  const items = worst.map(({ title, severity, target, link: page }) => {
    const name = line(title, MAX_LENGTHS.title);
    const where = target === null ? "" : ` · ${line(target, MAX_LENGTHS.target)}`;
    return `• ${severity} · ${name}${where}${page === null ? "" : ` · <${page}|Open>`}`;
  });
  return {
    text: `${total} more failures: ${counts}.`,
    blocks: [
      section(`*${total} more failures:* ${counts}`),
      ...items.map(section),
      ...mutedBlocks(muted),
      ...(link === null ? [] : [context(`<${link}|All incidents in the console>`)]),
    ],
  };
}
