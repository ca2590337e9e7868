// The answer of a triage: statements with their sources.

import { z } from "zod";
import { importedFromSchema } from "./imported.ts";

const citations = z
  .array(z.string())
  .describe("Ids of the recalled runbook chunks, past incidents or checks that support this; empty without support.");

const supported = z.boolean().describe("False if no recalled text says this; it is a suggestion.");

const statementSchema = z.object({ text: z.string(), citations, supported });

const evidenceSchema = statementSchema.extend({
  quote: z.string().nullable().describe("A verbatim quote of the report or its logs."),
  place: z
    .object({
      line: z
        .number()
        .int()
        .positive()
        .describe("Number of the line in the logs of the report, from 1. Lines that were left out of the logs count."),
      count: z.number().int().positive().describe("Number of lines of the logs that say the same."),
      time: z.string().nullable().describe("The time of the line, as the logs write it."),
    })
    .nullable()
    .describe("Where the logs of the report contain the quote; null if it is of another part of the report."),
});

const shownFixSchema = z.object({
  text: z.string(),
  by: z.string().nullable().describe("Who applied it when it worked last."),
  at: z.string().describe("Its first try."),
  conditions: z.string().nullable().describe("Versions or conditions under which it helps; null if not reported."),
  tried: z.number().int().describe("Incidents that it was tried in."),
  worked: z.number().int().describe("Those of them that it helped."),
  last_worked_at: z.string().nullable(),
  imported_from: importedFromSchema,
  came_back_at: z
    .string()
    .nullable()
    .describe("First repeat on the same service after it worked last; null if there was none."),
});

export const pastIncidentSchema = z.object({
  probability: z.number().min(0).max(1).describe("Probability that it is the same failure."),
  alike: z.array(z.string()).describe("What the report has in common with it, at most 4."),
  differs: z.array(z.string()).describe("What differs, at most 3, such as `service checkout, then ledger`."),
  recurrence: z
    .object({
      count: z.number().int().describe("Number of its reports."),
      first_at: z.string(),
      last_at: z.string(),
      targets: z.array(z.string()).describe("Services that it was seen on, newest first, at most 5."),
      more_targets: z.number().int().describe("Number of further services."),
    })
    .describe("All its reports."),
  fix: shownFixSchema
    .nullable()
    .describe("The active fix of the report's own fingerprint, else the newest active one; null without one."),
  also_helped: z
    .array(z.object({ text: z.string(), by: z.string().nullable(), tried: z.number().int(), worked: z.number().int() }))
    .describe("Other active fixes of the same failure, which other people recorded, at most 3."),
  retired: z
    .array(z.object({ text: z.string(), reason: z.string(), at: z.string() }))
    .describe("Fixes that a newer one replaced, at most 3. Renderings strike them through."),
  did_not_help: z
    .array(z.object({ text: z.string(), times: z.number().int() }))
    .describe("Actions that were tried and never helped, at most 3."),
  did_not_hold: z
    .number()
    .int()
    .describe("How many of the newest fixes in a row the failure came back after, on a service where they had helped."),
});

export const pastFixSchema = statementSchema.extend({
  same_failure: z
    .boolean()
    .describe(
      "Whether it is the same failure: its probability reaches `ANSWER_THRESHOLD` + 0.15. Such a fix comes first.",
    ),
  ...pastIncidentSchema.shape,
});

const hypothesisSchema = z.object({
  cause: z.string(),
  verdict: z
    .enum(["kept", "rejected", "unsupported"])
    .describe("`unsupported`: no relevant text or no error line supports it."),
  reason: z.string(),
  citations,
});

export const stepSchema = statementSchema.extend({
  command: z.string().nullable().describe("The command to run; placeholders are in <angle brackets>."),
  effect: z
    .enum(["read_only", "changes_state", "unverified"])
    .nullable()
    .describe(
      "What the command and the commands in `text` do. `read_only`: they are on the list of commands that only read, or the " +
        "runbook's author says so. `changes_state`: a command, the author or the model says so; without a command, the sentence " +
        "orders a change. `unverified`: not verified as read-only. Null: there is nothing to run, and no change is ordered.",
    ),
  undo: z.string().nullable().describe("How to undo the step."),
  from_source: z
    .boolean()
    .describe(
      "False if the command, or one in `text`, stands in no cited runbook or past fix. Names, placeholders and numbers may differ. Such a step is " +
        "not `supported`. True without a command.",
    ),
});

const possibleCauseSchema = z.object({
  text: z.string().describe("What the candidate is about. Not confirmed."),
  title: z.string().describe("The title of the runbook, note, postmortem or past incident."),
  probability: z.number().min(0).max(1),
  citations,
  confirm: z.array(stepSchema).describe("Checks of the candidate, none of which changes the system."),
});

const ruledOutSchema = z.object({
  text: z.string().describe("A cause, or the title of a runbook."),
  reason: z.string().describe("What the check found, with the value."),
  citations,
});

export const answerSchema = z.object({
  summary: z.object({
    text: z.string(),
    citations: z.array(z.string()).describe("Empty for a sentence of Dejavu itself."),
  }),
  evidence: z
    .array(evidenceSchema)
    .describe("The report's error lines, the most important first, and what else the report shows."),
  likely_causes: z.array(statementSchema),
  causes_ordered_by: z
    .enum(["report", "runbook"])
    .nullable()
    .describe(
      "`report`: lines of the report, a check or a person's correction put the first of several causes first. `runbook`: nothing speaks for one; the order is " +
        "that of the runbook. Null for one cause, and for the causes of a model.",
    ),
  possible_causes: z
    .array(possibleCauseSchema)
    .describe("With outcome `possible`, up to three candidates, the most probable first. None is confirmed."),
  ruled_out: z
    .array(ruledOutSchema)
    .describe("Causes and runbooks that a check refuted. The answer does not name them as likely."),
  hypotheses: z.array(hypothesisSchema).describe("Considered causes, and why each was kept or rejected."),
  confirm: z.array(stepSchema),
  mitigate: z.array(stepSchema),
  worked_before: z
    .array(pastFixSchema)
    .describe("*Fixed before*: past incidents with their fixes; the same failure first."),
  prevention: z.array(statementSchema),
  look_next: z.array(stepSchema).describe("Next steps when the cause is unknown."),
});

export type Statement = z.infer<typeof statementSchema>;
export type Evidence = z.infer<typeof evidenceSchema>;
export type Hypothesis = z.infer<typeof hypothesisSchema>;
export type PastIncident = z.infer<typeof pastIncidentSchema>;
export type ShownFix = z.infer<typeof shownFixSchema>;
export type PastFix = z.infer<typeof pastFixSchema>;
export type RuledOut = z.infer<typeof ruledOutSchema>;
export type PossibleCause = z.infer<typeof possibleCauseSchema>;
export type Step = z.infer<typeof stepSchema>;
export type Answer = z.infer<typeof answerSchema>;

export const EMPTY_ANSWER: Omit<Answer, "summary"> = {
  evidence: [],
  likely_causes: [],
  causes_ordered_by: null,
  possible_causes: [],
  ruled_out: [],
  hypotheses: [],
  confirm: [],
  mitigate: [],
  worked_before: [],
  prevention: [],
  look_next: [],
};
