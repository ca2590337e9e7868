// What a person says is wrong in an answer, and what is right instead.

import { z } from "zod";
import { storable } from "./storable.ts";

/** `runbook`: the answer rests on a text about another failure. */
export const CORRECTED_PARTS = ["cause", "step", "runbook", "domain", "severity"] as const;

const words = storable(2_000).min(1).optional();

export const correctionSchema = z
  .strictObject({
    part: z.enum(CORRECTED_PARTS),
    was: words.describe("What the answer says, such as the wrong step."),
    right: words.describe("The path of a runbook, the name of a domain, a severity, else free text."),
  })
  .meta({ example: { part: "runbook", right: "checkout-team/card-declined.md" } });
export type Correction = z.infer<typeof correctionSchema>;
