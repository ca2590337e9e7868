// Tool lookup_previous_fixes: recalls past incidents, past answers and a procedure; calls no language model and stores nothing.

import { z } from "zod";
import { pastIncidentItem } from "../../answer-view/answer-view.ts";
import { describeHit } from "../../answer-view/past-incident-text.ts";
import { type MemorySearchResult, onlyAlike, searchMemory } from "../../investigation/search-memory.ts";
import { domainNameSchema, domainResultSchema } from "../../schemas/domain.ts";
import {
  incidentHitSchema,
  pastAnswerHitSchema,
  procedureHitSchema,
  warningSchema,
} from "../../schemas/triage-result.ts";
import { filledText } from "../http/input.ts";
import { itemText } from "./answer-text.ts";
import { indented, paragraphs, section } from "./text.ts";
import { defineTool } from "./tool.ts";

const output = z.object({
  domain: domainResultSchema,
  incidents: z
    .array(
      incidentHitSchema.pick({
        id: true,
        title: true,
        target: true,
        severity: true,
        incident_type: true,
        narrative: true,
        facts: true,
        occurrences: true,
        last_seen_at: true,
        resolution: true,
        resolved_by: true,
        resolved_at: true,
        targets: true,
        fixes: true,
        probability: true,
        alike: true,
        differs: true,
        score: true,
        relevant: true,
      }),
    )
    .describe("Past incidents whose probability reaches `POSSIBLE_THRESHOLD`; empty if nothing alike is on record."),
  past_answers: z
    .array(
      pastAnswerHitSchema.pick({
        id: true,
        question: true,
        answer: true,
        asked_at: true,
        net_rating: true,
        score: true,
        probability: true,
        relevant: true,
      }),
    )
    .describe("Earlier questions about such incidents, with their answers."),
  procedure: procedureHitSchema
    .pick({
      query: true,
      strategy: true,
      answer: true,
      confidence: true,
      use_count: true,
      probability: true,
      relevant: true,
    })
    .nullable()
    .describe("The procedure for such an incident."),
  warnings: z.array(warningSchema),
});

export const lookupPreviousFixes = defineTool({
  name: "lookup_previous_fixes",
  title: "Look up previous fixes",
  description: `Says whether this failure happened here before and what fixed it. Use it for "have we seen this before?", "how did we fix it last time?", and before you propose a fix of your own.
Returns the past incidents that are alike, each with its probability, what is alike, what differs, its fix with how often that worked, what did not help, and replaced fixes (struck through); past answers about them; and the procedure that worked best. An empty list means that nothing alike is on record: say so. Asks no language model, stores nothing, answers at once. For causes, steps and runbooks, call search_debugging_knowledge.`,
  scope: "read",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    problem: filledText(4_000).describe(
      "The failure in a sentence, with the exact error message or code. Log lines may follow on lines of their own.",
    ),
    domain: domainNameSchema
      .optional()
      .describe(
        "The technology or team to search, such as `payments`. If omitted, every domain is searched, and those that the words name rank higher.",
      ),
  }),
  output,
  async run({ problem, domain }, { services, sessionId }) {
    const hits = onlyAlike(await searchMemory(services, { query: problem, domain, sessionId }));
    return { isError: false, text: fixesText(hits), data: hits };
  },
});

function fixesText({ domain, incidents, past_answers, procedure, warnings }: MemorySearchResult): string {
  const isEmpty = incidents.length + past_answers.length === 0 && procedure === null;
  return paragraphs([
    isEmpty
      ? `Nothing alike is on record (domain ${domain.name}: ${domain.rule}). search_debugging_knowledge searches the runbooks too.`
      : `Domain: ${domain.name} (${domain.rule}).`,
    section(
      "Past incidents",
      incidents.map((hit) => itemText({ ...pastIncidentItem(describeHit(hit)), note: `id ${hit.id}` })),
    ),
    !isEmpty && incidents.length === 0 ? "No past incident on record is alike." : "",
    section(
      "Past answers",
      past_answers.map(({ question, answer }) => `- ${question}\n${indented(answer)}`),
    ),
    section("Procedure", procedure === null ? [] : [`- ${procedure.query}\n${indented(procedure.answer)}`]),
    section(
      "Warnings",
      warnings.map(({ message }) => `- ${message}`),
    ),
  ]);
}
