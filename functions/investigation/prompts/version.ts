// Version of the prompts: a hash of their texts and schemas, so that every change changes it.

import { createHash } from "node:crypto";
import { z } from "zod";
import { CLASSIFY_INSTRUCTIONS, classificationSchema } from "./classify.ts";
import { CRITIQUE_INSTRUCTIONS, critiquePrompt, critiqueSchema } from "./critique.ts";
import {
  draftSchema,
  REFLECT_INSTRUCTIONS,
  reflectedSchema,
  reflectPrompt,
  SYNTHESISE_INSTRUCTIONS,
  synthesisePrompt,
} from "./synthesise.ts";

/** 12 hex digits; stored with each triage that a model wrote. */
export const PROMPT_VERSION = createHash("sha256")
  .update(
    JSON.stringify([
      [CLASSIFY_INSTRUCTIONS, z.toJSONSchema(classificationSchema)],
      [SYNTHESISE_INSTRUCTIONS, synthesisePrompt(""), z.toJSONSchema(draftSchema)],
      [REFLECT_INSTRUCTIONS, reflectPrompt("", "", ""), z.toJSONSchema(reflectedSchema)],
      [CRITIQUE_INSTRUCTIONS, critiquePrompt("", ""), z.toJSONSchema(critiqueSchema)],
    ]),
  )
  .digest("hex")
  .slice(0, 12);
