// Prompt and schema for the classification of a report and the search query of a question.

import { z } from "zod";
import type { DomainCatalog } from "../../knowledge/domains/domain-catalog.ts";
import { type DomainRoute, UNKNOWN_INCIDENT_TYPE } from "../../schemas/domain.ts";
import type { Incident } from "../../schemas/incident.ts";
import { BASE_INSTRUCTIONS } from "./base-instructions.ts";
import { reportBlocks } from "./context-blocks.ts";
import { dataBlock } from "./data-block.ts";

export const classificationSchema = z.object({
  domain: z.string(),
  incident_type: z.string(),
  search_query: z.string(),
});
export type ModelClassification = z.infer<typeof classificationSchema>;

/** Domains that a prompt lists: those that the report hints at first, so that many domains do not fill the prompt. */
const MAX_DOMAINS = 60;

export const CLASSIFY_INSTRUCTIONS = `${BASE_INSTRUCTIONS}

Your task: say what the incident in <report> is about, so that the right runbooks can be searched. Fields:
- "domain": the name of one of the <domains>, or an empty string when none fits: a technology that has no domain of its own, such as one that is merely similar to another, fits none. A server that runs in a container is of its own domain when the trouble is the server's own.
- "incident_type": one of the types that <domains> lists for that domain, or "${UNKNOWN_INCIDENT_TYPE}" when none fits. Never make up a type.
- "search_query": the question as a search query of 3 to 15 words: what fails, error codes and messages verbatim, the technology; no names of this one service or host, no politeness, no guesses about the cause. Use <session> only to resolve what words such as "it" or "again" refer to.`;

export function classifyPrompt(
  incident: Incident,
  catalog: DomainCatalog,
  material: Parameters<typeof reportBlocks>[1],
): string {
  const domains = dataBlock("domains", domainList(catalog, incident.domain));
  return `${domains}\n${reportBlocks(incident, material)}\n\nClassify the report now.`;
}

/** For example `- billing: Invoices and cards. Types: card_refused, tax_wrong`. */
function domainList(
  { domains }: DomainCatalog,
  { preferred, excluded }: Pick<DomainRoute, "preferred" | "excluded">,
): string {
  const strengthOf = (name: string) => (Object.hasOwn(preferred, name) ? (preferred[name] ?? 0) : 0);
  return [...domains]
    .filter(([name]) => !excluded.includes(name))
    .sort(([a], [b]) => strengthOf(b) - strengthOf(a) || (a < b ? -1 : 1))
    .slice(0, MAX_DOMAINS)
    .map(
      ([
        name,
        {
          definition: { description, incident_types },
        },
      ]) => {
        const types = incident_types.map((type) => type.name).join(", ");
        return `- ${name}${description === "" ? "" : `: ${description}`}${types === "" ? "" : ` Types: ${types}`}`;
      },
    )
    .join("\n");
}
