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
  SLACK_LIMITS,
  section,
} from "../../adapters/block-kit.ts";
import { createSlack } from "../../adapters/slack.ts";
import { ACKNOWLEDGE, type Button, buttonValueOf, EXPECTED, incidentValueOf } from "../../adapters/slack-buttons.ts";
import { DependencyError } from "../../dependencies.ts";
import { handoverBlocks, summaryHead, summaryItem } from "./plain-text.ts";
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
    const token = credential ?? botToken;
    if (token === undefined)
      throw new DependencyError("notification_target", "refused", "the Worker has no secret SLACK_BOT_TOKEN");
    const api = createSlack({ apiUrl, botToken: token, timeoutMs, startTimer });
    return {
      post: (content, { id }) => api.publish({ channel, thread: null }, render(content, channel), id),
      edit: (ts, content) => api.update({ channel, ts }, render(content, channel)),
      reply: async (ts, reply, { id }) => {
        await api.publish({ channel, thread: { ts, isBroadcast: reply.isReturn } }, renderReply(reply), id);
      },
    };
  },
};

const STATES: Readonly<Record<FailureMessage["status"], string>> = {
  open: "",
  resolved: "Resolved · ",
  merged: "Merged · ",
  superseded: "Closed · ",
};
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

function render(content: Content, channel: string): Message {
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
  const {
    title,
    severity,
    verdict,
    fix,
    quotes,
    lacks,
    checked,
    firstCheck,
    firstStep,
    changes,
    muted,
    incidentId,
    link,
  } = message;
  const isOpen = message.status === "open";
  const state = STATES[message.status];
  const head = [
    `${state}*${line(title, MAX_LENGTHS.title)}* · ${severity} · ${line(verdict, MAX_LENGTHS.title)}`,
    ...(fix === null ? [] : [`*${fix.lead}:* ${line(fix.text, MAX_LENGTHS.fix)}`]),
    ...[message.resolution, message.recurrence, message.holder].flatMap((text) =>
      text === null ? [] : [timedLine(text, MAX_LENGTHS.fix)],
    ),
  ];
  const evidence = [
    ...quotes.map((quote) => `> ${line(quote, MAX_LENGTHS.quote)}`),
    ...lacks.map((text) => `*Incomplete:* ${line(text, MAX_LENGTHS.checked)}`),
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

/** A line whose first time Slack shows in the zone of the reader, in at most 60 characters more. https://docs.slack.dev/messaging/formatting-message-text#date-formatting */
function timedLine(text: string, maxLength: number): string {
  return line(text, maxLength).replace(/\b(20\d\d-[01]\d-[0-3]\d) ([0-2]\d:[0-5]\d) UTC\b/, (time, day, minute) => {
    const seconds = Date.parse(`${day}T${minute}Z`) / 1_000;
    return Number.isNaN(seconds) ? time : `<!date^${seconds}^{date_short_pretty} {time}|${time}>`;
  });
}

/** The lines in as few sections as hold them. */
function sectionsOf(lines: readonly string[]): MessageBlock[] {
  const texts: string[] = [];
  for (const each of lines) {
    const longer = [...texts.slice(-1), each].join("\n");
    if (texts.length > 0 && longer.length <= SLACK_LIMITS.section) texts[texts.length - 1] = longer;
    else texts.push(each);
  }
  return texts.map(section);
}

function mutedBlocks(muted: readonly string[]): MessageBlock[] {
  return muted.length === 0 ? [] : [context(muted.map((text) => timedLine(text, MAX_LENGTHS.entry)).join("\n"))];
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

/** Those of an answer have labels of their own here. An answer that names nothing can be rated in the console. */
function buttons(message: FailureMessage, channel: string): MessageBlock[] {
  const { triageId, incidentId, link, outcome, fix, status, isAcknowledged, isMuted, lacksFix } = message;
  const value = triageId === null ? null : buttonValueOf({ triage_id: triageId, incident_id: incidentId }, channel);
  const open = link === null ? [] : [{ ...button("open", "Open", incidentId), url: link }];
  const ofIncident = (action: string, label: string) => button(action, label, incidentValueOf(incidentId, channel));
  const acknowledge = status !== "open" || isAcknowledged ? [] : [ofIncident(ACKNOWLEDGE, "Acknowledge")];
  const expected = status !== "open" || isMuted ? [] : [ofIncident(EXPECTED, "This is expected")];
  const isNamed = outcome !== "unknown" && outcome !== null;
  const labels: readonly (readonly [Button, string])[] = [
    ...(isNamed ? [["helpful", fix === null ? "This is it" : "Same as before"] as const] : []),
    ...(lacksFix ? [["resolved", "This resolved it"] as const] : []),
    ...(isNamed ? [["not_helpful", "Not this"] as const] : []),
  ];
  const isClosed = status === "merged" || status === "superseded";
  const rated = value === null || isClosed ? [] : labels.map(([name, label]) => button(name, label, value));
  const all = [...open, ...acknowledge, ...rated, ...expected];
  return all.length === 0 ? [] : [actions("feedback", all)];
}

export function renderReply({ text, isReturn, message: { title } }: Reply): Message {
  const subject = line(title, MAX_LENGTHS.title);
  return {
    text: `${subject}: ${line(text, MAX_LENGTHS.fix)}`,
    // In the channel, it stands by itself.
    blocks: [section(`${isReturn ? `*${subject}*\n` : ""}${timedLine(text, 1_000)}`)],
  };
}

export function renderHandover(message: HandoverMessage): Message {
  const blocks = handoverBlocks(message);
  return {
    text: blocks[0]?.title ?? "",
    blocks: [
      ...blocks.map(({ title, lines }) =>
        section([`*${title}*`, ...lines.map((text) => `• ${timedLine(text, MAX_LENGTHS.entry)}`)].join("\n")),
      ),
      ...(message.link === null ? [] : [context(`<${message.link}|All incidents in the console>`)]),
    ],
  };
}

export function renderSummary(summary: Summary): Message {
  const { worst, muted, link } = summary;
  const head = summaryHead(summary);
  const items = worst.map(({ link: page, ...each }) => {
    const text = line(summaryItem(each), MAX_LENGTHS.entry);
    return `• ${text}${page === null ? "" : ` · <${page}|Open>`}`;
  });
  return {
    text: head,
    blocks: [
      ...sectionsOf([`*${head}*`, ...items]),
      ...mutedBlocks(muted),
      ...(link === null ? [] : [context(`<${link}|All incidents in the console>`)]),
    ],
  };
}
