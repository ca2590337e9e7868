// What Slack takes of a message, as its documentation says it: written down a second time, so that a limit that is wrong
// in the product is not right in the tests.

import { expect } from "vitest";
import { z } from "zod";
import type { Message } from "../../../../functions/routes/slack/block-kit.ts";

const plainText = (most: number) =>
  z.strictObject({ type: z.literal("plain_text"), text: z.string().min(1).max(most), emoji: z.literal(false) });
/** Nothing in it is markup of a mention or a link: Slack reads that between angle brackets, and makes none by itself. */
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

/** Slack takes it; it mentions nobody, links nowhere, and every code block in it ends where it should. */
export function expectSlackTakes(sent: Message): void {
  const parsed = message.parse(JSON.parse(JSON.stringify(sent)));
  expect(textsOf(sent).join("").length).toBeLessThanOrEqual(10_000);
  for (const text of textsOf(parsed)) {
    const fences = text.split("```").length - 1;
    expect(fences % 2).toBe(0);
  }
}

/** All that is shown of it. */
export function textsOf({ blocks }: { readonly blocks: readonly object[] }): string[] {
  const texts: string[] = [];
  JSON.stringify(blocks, (key, value: unknown) => {
    if (key === "text" && typeof value === "string") texts.push(value);
    return value;
  });
  return texts;
}
