// Slack's documented limits of a message, written a second time, so that a wrong limit in the product fails the tests.

import { expect } from "vitest";
import { z } from "zod";
import type { Message } from "../../../../functions/routes/slack/block-kit.ts";

const plainText = (most: number) =>
  z.strictObject({ type: z.literal("plain_text"), text: z.string().min(1).max(most), emoji: z.literal(false) });
/** Expects no markup of mentions or links, which Slack reads between angle brackets. */
const mrkdwn = z.strictObject({
  type: z.literal("mrkdwn"),
  text: z
    .string()
    .min(1)
    .max(3_000)
    .regex(/^(?:[^<>&]|&(?:amp|lt|gt);)*$/)
    .refine((text) => text.isWellFormed()),
  verbatim: z.literal(true),
});
const block = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("header"), text: plainText(150) }),
  z.strictObject({ type: z.literal("section"), text: mrkdwn }),
  z.strictObject({ type: z.literal("context"), elements: z.array(mrkdwn).min(1).max(10) }),
  z.strictObject({
    type: z.literal("actions"),
    block_id: z.string().max(255),
    elements: z
      .array(
        z.strictObject({
          type: z.literal("button"),
          action_id: z.string().max(255),
          text: plainText(75),
          value: z.string().min(1).max(2_000),
        }),
      )
      .min(1)
      .max(5),
  }),
]);
const message = z.strictObject({ text: z.string().min(1).max(3_000), blocks: z.array(block).min(1).max(50) });

/** Expects a message within Slack's limits, without mentions and links, and with complete code blocks. */
export function expectValidMessage(sent: Message): void {
  const parsed = message.parse(JSON.parse(JSON.stringify(sent)));
  expect(textsOf(sent).join("").length).toBeLessThanOrEqual(10_000);
  for (const text of textsOf(parsed)) {
    const fences = text.split("```").length - 1;
    expect(fences % 2).toBe(0);
  }
}

/** All texts of a message. */
export function textsOf({ blocks }: { readonly blocks: readonly object[] }): string[] {
  const texts: string[] = [];
  JSON.stringify(blocks, (key, value: unknown) => {
    if (key === "text" && typeof value === "string") texts.push(value);
    return value;
  });
  return texts;
}
