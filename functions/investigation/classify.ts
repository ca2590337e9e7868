// Step "classify": a small model says what a report is about where its labels and words do not, and turns a question
// into a search query, all in one call. Whatever goes wrong, the report stays as intake took it.

import type { DependencyError } from "../dependencies.ts";
import { detectInjection } from "../guardrails/injection/detect-injection.ts";
import { type LinkPolicy, removeLinks } from "../guardrails/links/remove-links.ts";
import { redact } from "../guardrails/redaction/redact.ts";
import { GIVEN_BY_CALLER } from "../incidents/create-incident.ts";
import type { SessionTurn } from "../incidents/run-records.ts";
import { DOMAINS } from "../knowledge/domains/index.ts";
import { labelledDomain } from "../knowledge/domains/route-domain.ts";
import { type DomainRoute, UNKNOWN_INCIDENT_TYPE } from "../schemas/domain.ts";
import { type Incident, truncate } from "../schemas/incident.ts";
import { ask, asModelFailure } from "./model/ask-model.ts";
import {
  CLASSIFY_INSTRUCTIONS,
  type Classification,
  classificationSchema,
  classifyPrompt,
} from "./prompts/classify.ts";
import type { Run } from "./run/run.ts";
import type { InvestigationServices, Models } from "./run/services.ts";

export interface Classified {
  readonly incident: Incident;
  /** Why the model's help is missing; undefined where it is not, or was not needed. */
  readonly failure?: DependencyError | undefined;
}

/** The share of the budget that it may take: an answer without a classification is worth more than the reverse. */
const MAX_TIME = 0.2;
const MAX_OUTPUT_TOKENS = 300;
const QUERY_LENGTH = 300;

export async function classify(
  services: InvestigationServices,
  run: Run,
  incident: Incident,
  { models, turns }: { readonly models: Models | null; readonly turns: readonly SessionTurn[] },
): Promise<Classified> {
  if (models === null || !needsModel(incident)) return { incident };
  const { config } = services;
  try {
    const answer = await ask(models, run, {
      step: "classify",
      role: "small",
      instructions: CLASSIFY_INSTRUCTIONS,
      prompt: classifyPrompt(incident, { turns, logLength: config.LOG_CONTEXT_LENGTH }),
      schema: classificationSchema,
      retries: 0,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      leave: 0,
      atMostMs: MAX_TIME * config.TRIAGE_BUDGET_MS,
    });
    return { incident: applyClassification(incident, answer, models.small.model.name) };
  } catch (error) {
    const failure = asModelFailure(error);
    services.log("warn", "triage.classify_failed", { error: failure.message });
    return { incident, failure };
  }
}

/** Questions are rewritten; alerts need help only where neither label nor words say what they are about. */
function needsModel({ question, domain, type }: Incident): boolean {
  return question !== null || !domain.isDecided || type.name === UNKNOWN_INCIDENT_TYPE;
}

/** A label or a type that the caller gave is not overruled, and a type outside the domain's list is none. */
export function applyClassification(incident: Incident, answer: Classification, model: string): Incident {
  const rule = `model ${model}`;
  const domain: DomainRoute = labelledDomain(incident.labels) ?? { name: answer.domain, rule, isDecided: true };
  const isKnown = DOMAINS[domain.name].incidentTypes.some(({ name }) => name === answer.incident_type);
  const isSettled = incident.type.rule === GIVEN_BY_CALLER || (!isKnown && domain.name === incident.domain.name);
  const type = isSettled ? incident.type : { name: isKnown ? answer.incident_type : UNKNOWN_INCIDENT_TYPE, rule };
  const searchQuery = incident.question === null ? null : usable(answer.search_query);
  return { ...incident, domain, type, searchQuery };
}

function usable(searchQuery: string): string | null {
  const query = truncate(redact(searchQuery.replace(/\s+/g, " ").trim()).text, QUERY_LENGTH);
  // It is shown to the caller, and it comes from a model that has read the logs.
  const isSuspect = detectInjection(query) !== null || removeLinks(query, NO_LINKS).count > 0;
  return query === "" || isSuspect ? null : query;
}

const NO_LINKS: LinkPolicy = { hosts: new Set(), urls: new Set() };
