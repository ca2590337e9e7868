// Microsoft Teams: an Adaptive Card 1.5 to the webhook of a workflow. A workflow returns no name of its message and cannot edit
// it, so what comes later is a short card of its own.

import { z } from "@hono/zod-openapi";
import { sendJson } from "../../adapters/http/send-json.ts";
import { DependencyError } from "../../dependencies.ts";
import { findTargetUrlProblem } from "../../schemas/evidence/source-url.ts";
import { handoverBlocks, plainLine, stepLines, summaryLines } from "./plain-text.ts";
import type { Content, FailureMessage, HandoverMessage, NotificationKind, Reply } from "./target.ts";

const options = z.object({});

export const teams: NotificationKind<"teams", typeof options> = {
  name: "teams",
  product: "Microsoft Teams",
  options,
  credential: {
    isRequired: true,
    holds:
      "the address of the workflow *Post to a channel when a webhook request is received*, which anybody who has it may use",
  },
  ticketOf: null,
  connect(_, url, { timeoutMs, startTimer }) {
    const problem = url === null ? "is missing" : findTargetUrlProblem(url);
    if (url === null || problem !== null)
      throw new DependencyError("notification_target", "refused", `the address in the credential ${problem}`);
    const send = async (body: object) => {
      const limits = { dependency: "notification_target", timeoutMs, startTimer } as const;
      await sendJson({ url, method: "POST", headers: {}, body: JSON.stringify(body) }, limits);
    };
    return {
      post: async (content, { id }) => {
        await send(cardMessage(content));
        return id;
      },
      edit: null,
      reply: async (_reference, reply) => send(replyMessage(reply)),
    };
  },
};

interface TextOptions {
  readonly weight?: "Bolder";
  readonly fontType?: "Monospace";
  readonly isSubtle?: boolean;
}

/** Runs of text have no markup, so that foreign text cannot link or format. */
function text(content: string, style: TextOptions = {}) {
  return { type: "RichTextBlock", inlines: [{ type: "TextRun", text: content, ...style }] } as const;
}

type CardElement = ReturnType<typeof text>;

function message(body: readonly CardElement[], link: string | null) {
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.5",
    msteams: { width: "Full" },
    body,
    ...(link !== null && { actions: [{ type: "Action.OpenUrl", title: "Open", url: link }] }),
  };
  return {
    type: "message",
    attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content }],
  };
}

export function cardMessage(content: Content) {
  switch (content.kind) {
    case "failure":
      return failureCard(content.message);
    case "summary":
      return summaryCard(content);
    case "handover":
      return handoverCard(content.handover);
  }
}

function failureCard(failure: FailureMessage) {
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
    recurrence,
    holder,
    resolution,
    muted,
    link,
  } = failure;
  return message(
    [
      text(`${plainLine(title)} · ${severity} · ${plainLine(verdict)}`, { weight: "Bolder" }),
      ...(fix === null ? [] : [text(`${fix.lead}: ${plainLine(fix.text)}`)]),
      ...[resolution, recurrence, holder].flatMap((each) => (each === null ? [] : [text(plainLine(each))])),
      ...quotes.map((quote) => text(plainLine(quote), { fontType: "Monospace" })),
      ...lacks.map((each) => text(`Incomplete: ${plainLine(each)}`)),
      ...checked.map((each) => text(`Checked: ${plainLine(each)}`)),
      ...[...stepLines("First check", firstCheck), ...stepLines("First step", firstStep)].map((each) =>
        each.startsWith("    ") ? text(each.trim(), { fontType: "Monospace" }) : text(each),
      ),
      ...changes.map((each) => text(`Changed: ${plainLine(each)}`, { isSubtle: true })),
      ...muted.map((each) => text(plainLine(each), { isSubtle: true })),
    ],
    link,
  );
}

function summaryCard({ summary }: Extract<Content, { kind: "summary" }>) {
  const [first = "", ...others] = summaryLines({ ...summary, link: null });
  return message([text(first, { weight: "Bolder" }), ...others.map((each) => text(each))], summary.link);
}

function handoverCard(handover: HandoverMessage) {
  const body = handoverBlocks(handover).flatMap(({ title, lines }) => [
    text(title, { weight: "Bolder" }),
    ...lines.map((each) => text(each)),
  ]);
  return message(body, handover.link);
}

export function replyMessage({ text: sentence, message: { title, severity, link } }: Reply) {
  return message(
    [
      text(plainLine(sentence), { weight: "Bolder" }),
      text(`About: ${plainLine(title)} · ${severity}`, { isSubtle: true }),
    ],
    link,
  );
}
