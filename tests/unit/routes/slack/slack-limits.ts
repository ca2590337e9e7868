// Slack's documented limits of a message and of a dialog, written a second time, so that a wrong limit in the product fails the tests.

import { expect } from "vitest";
import { z } from "zod";
import type { Message, Modal } from "../../../../functions/adapters/block-kit.ts";

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
  z.strictObject({
    type: z.literal("context_actions"),
    block_id: z.string().max(255),
    elements: z
      .array(
        z.strictObject({
          type: z.literal("feedback_buttons"),
          action_id: z.string().max(255),
          positive_button: z.lazy(() => rated),
          negative_button: z.lazy(() => rated),
        }),
      )
      .length(1),
  }),
]);
const rated = z.strictObject({
  text: plainText(75),
  value: z.string().min(1).max(2_000),
  accessibility_label: z.string().max(75),
});
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

const input = z.strictObject({
  type: z.literal("input"),
  block_id: z.string().min(1).max(255),
  label: plainText(2_000),
  hint: plainText(2_000),
  optional: z.boolean(),
  element: z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("plain_text_input"),
      action_id: z.string().max(255),
      multiline: z.literal(true),
      max_length: z.number().int().min(1).max(3_000),
      initial_value: z
        .string()
        .min(1)
        .max(3_000)
        .refine((text) => text.isWellFormed())
        .optional(),
    }),
    z.strictObject({
      type: z.literal("datetimepicker"),
      action_id: z.string().max(255),
      initial_date_time: z.int().min(1_000_000_000).max(9_999_999_999),
    }),
    z.strictObject({
      type: z.literal("checkboxes"),
      action_id: z.string().max(255),
      options: z
        .array(z.strictObject({ text: plainText(75), value: z.string().max(150) }))
        .min(1)
        .max(10),
    }),
  ]),
});
const dialog = z.strictObject({
  type: z.literal("modal"),
  callback_id: z.string().max(255),
  title: plainText(24),
  submit: plainText(24),
  close: plainText(24),
  private_metadata: z.string().max(3_000),
  blocks: z
    .array(z.union([block, input]))
    .min(1)
    .max(100),
});

/** Expects a dialog within Slack's limits, without mentions and links, whose input blocks have distinct ids. */
export function expectValidDialog(opened: Modal): void {
  const { blocks } = dialog.parse(JSON.parse(JSON.stringify(opened)));
  const ids = blocks.flatMap((each) => (each.type === "input" ? [each.block_id] : []));
  expect(ids).toEqual([...new Set(ids)]);
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
