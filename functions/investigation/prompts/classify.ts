// Prompt and schema for the classification of a report and the search query of a question.

import { z } from "zod";
import { DOMAINS } from "../../knowledge/domains/index.ts";
import { DOMAIN_NAMES, UNKNOWN_INCIDENT_TYPE } from "../../schemas/domain.ts";
import type { Incident } from "../../schemas/incident.ts";
import { BASE_INSTRUCTIONS } from "./base-instructions.ts";
import { reportBlocks } from "./context-blocks.ts";

const TYPES = DOMAIN_NAMES.map(
  (name) => `- ${name}: ${DOMAINS[name].incidentTypes.map((type) => type.name).join(", ")}`,
).join("\n");

export const classificationSchema = z.object({
  domain: z.enum(DOMAIN_NAMES),
  incident_type: z.string(),
  search_query: z.string(),
});
export type Classification = z.infer<typeof classificationSchema>;

export const CLASSIFY_INSTRUCTIONS = `${BASE_INSTRUCTIONS}

Your task: say what the incident in <report> is about, so that the right runbooks can be searched. Fields:
- "domain": docker, podman, kubernetes or postgres. A database that runs in a container or a pod is postgres when the trouble is the database's own.
- "incident_type": one of that domain's types below, or "${UNKNOWN_INCIDENT_TYPE}" when none fits. Never make up a type.
- "search_query": the question as a search query of 3 to 15 words: what fails, error codes and messages verbatim, the technology; no names of this one service or host, no politeness, no guesses about the cause. Use <session> only to resolve what words such as "it" or "again" refer to.

Types:
${TYPES}`;

export function classifyPrompt(incident: Incident, material: Parameters<typeof reportBlocks>[1]): string {
  return `${reportBlocks(incident, material)}\n\nClassify the report now.`;
}
