// Events of a triage in progress, for callers that stream. They are provisional: the result replaces them.

import { z } from "zod";
import { triageResultSchema } from "../../schemas/triage-result.ts";

export const triageEventSchema = z.discriminatedUnion("event", [
  z.object({
    event: z.literal("recall"),
    data: triageResultSchema.pick({
      incident_id: true,
      session_id: true,
      title: true,
      domain: true,
      incident_type: true,
      search_query: true,
      recalled: true,
      guardrails: true,
      warnings: true,
    }),
  }),
  z.object({
    event: z.literal("token"),
    data: z.object({
      draft: z.number().int().positive().describe("A higher draft replaces all that came before."),
      path: z.string().describe("Where in `answer` the text belongs: `summary.text`, `confirm.0.command`."),
      text: z.string().describe("To be appended."),
    }),
  }),
  z.object({
    event: z.literal("critique"),
    data: z.object({ draft: z.number().int().positive(), score: z.number().min(0).max(1), feedback: z.string() }),
  }),
  z.object({
    event: z.literal("reflection"),
    data: z.object({ draft: z.number().int().positive(), changes: z.string() }),
  }),
]);
export type TriageEvent = z.infer<typeof triageEventSchema>;
export type RecallEvent = Extract<TriageEvent, { readonly event: "recall" }>;
export type EmitEvent = (event: TriageEvent) => void;
