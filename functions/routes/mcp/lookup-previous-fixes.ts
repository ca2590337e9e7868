// Tool lookup_previous_fixes: recalls past incidents, past answers and a procedure; calls no language model and stores nothing.

import { z } from "zod";
import { pastIncidentItem } from "../../answer-view/answer-view.ts";
import { describeHit } from "../../answer-view/past-incident-text.ts";
import { type MemorySearchResult, onlyAlike, searchMemory } from "../../investigation/search-memory.ts";
import { domainNameSchema } from "../../schemas/domain.ts";
import { truncate } from "../../schemas/incident.ts";
import { incidentHitSchema, pastAnswerHitSchema } from "../../schemas/triage-result.ts";
import { filledText } from "../http/input.ts";
import { itemText } from "./answer-text.ts";
import { incidentLink } from "./resources.ts";
import { indented, paragraphs, section } from "./text.ts";
import { defineTool } from "./tool.ts";

const { id, resolution, resolved_by, probability } = incidentHitSchema.shape;

const output = z.object({
  domain: z.string(),
  incidents: z
    .array(z.object({ id, resolution, resolved_by, probability }))
    .describe("Past incidents that are alike; empty if none is on record."),
  past_answers: z.array(pastAnswerHitSchema.pick({ id: true, probability: true })),
  warnings: z.array(z.string()).describe("Codes."),
});

/** Characters of a fix in the data; the text has it whole. */
const FIX_LENGTH = 120;
/** Incidents whose texts are linked. */
const MAX_LINKS = 3;

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
    const { incidents, past_answers, warnings } = hits;
    return {
      isError: false,
      text: fixesText(hits),
      links: incidents.slice(0, MAX_LINKS).map(({ id, title }) => incidentLink(id, title)),
      data: {
        domain: hits.domain.name,
        incidents: incidents.map((hit) => ({
          ...hit,
          resolution: hit.resolution && truncate(hit.resolution, FIX_LENGTH),
        })),
        past_answers,
        warnings: warnings.map(({ code }) => code),
      },
    };
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
