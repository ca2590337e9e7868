// The signature of a failure: what identifies it. Stored with each record of the memory.

import { z } from "zod";

/** Part of every fingerprint. Raise it when `readSignature` returns another signature for the same report. */
export const SIGNATURE_VERSION = 5;

/**
 * `error_lines`: error lines that are specific enough to recognise the failure by. `alert`: the alert's name and its target.
 * `title`: too little to recognise it by; only an exact repeat is the same failure.
 */
const IDENTIFIED_BY = ["error_lines", "alert", "title"] as const;

const templateSchema = z.object({
  text: z.string().describe("The line without names, numbers and times, in lower case."),
  weight: z.number().min(0).max(1).describe("Importance of the line."),
});

export const failureSignatureSchema = z.object({
  version: z.number().int().min(0).describe("Version of the rules that read it."),
  basis: z.enum(IDENTIFIED_BY).describe("What identifies the failure."),
  alert: z.string().nullable().describe("The alert's name."),
  kind: z.string().nullable().describe("The kind of the failing object, such as `pod`, `node` or `queue`."),
  codes: z.array(z.string()).describe("Reasons, exit codes, statuses and exceptions of the error lines."),
  templates: z.array(templateSchema).describe("The error lines as templates, the most important first."),
  words: z.array(z.string()).describe("Distinct words of the whole log without names, numbers and times."),
  mechanisms: z
    .record(z.string(), z.number())
    .describe("How much each failure mechanism, such as `memory-exhausted`, describes the failure."),
});
export type FailureSignature = z.infer<typeof failureSignatureSchema>;
export type LineTemplate = z.infer<typeof templateSchema>;

export const failureIdSchema = z
  .string()
  .describe(
    "Equal for incidents of one failure: the runbook and topic, or the past incident, on which the latest answer rests if its outcome is `cause`; else the earliest record of the failure; without error lines, the words of the title. Never the alert's name alone.",
  );

/** Of a record whose report cannot be read, and of the copy in the search index, which has none. */
export const NO_SIGNATURE: FailureSignature = {
  version: 0,
  basis: "title",
  alert: null,
  kind: null,
  codes: [],
  templates: [],
  words: [],
  mechanisms: {},
};
