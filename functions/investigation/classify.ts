// Step "classify": one call to a small model turns a question into a search query, and decides the domain, unless the
// caller, a label or the report's runbook did, and the incident type, unless the caller gave it. If the call fails, the
// incident stays as it was created.

import { detectInjection } from "../../lib/injection/detect-injection.ts";
import { type LinkPolicy, removeLinks } from "../../lib/links/remove-links.ts";
import { redact } from "../../lib/redaction/redact.ts";
import type { DependencyError } from "../dependencies.ts";
import { GIVEN_BY_CALLER } from "../incidents/create-incident.ts";
import { type DomainCatalog, definitionOf } from "../knowledge/domains/domain-catalog.ts";
import { rerouted } from "../knowledge/domains/route-domain.ts";
import { type DomainDecider, type DomainRoute, UNKNOWN_INCIDENT_TYPE } from "../schemas/domain.ts";
import { type Incident, nameHints, truncate } from "../schemas/incident.ts";
import { askModel, asModelFailure } from "./model/ask-model.ts";
import {
  CLASSIFY_INSTRUCTIONS,
  classificationSchema,
  classifyPrompt,
  type ModelClassification,
} from "./prompts/classify.ts";
import type { InvestigationServices } from "./run/investigation-services.ts";
import type { Run } from "./run/run.ts";
import type { StartedRun } from "./run/run-outcome.ts";

export interface Classified {
  readonly incident: Incident;
  /** The failure of the model; undefined if it answered or was not needed. */
  readonly failure?: DependencyError | undefined;
}

/** Share of the budget, 0 to 1. The rest is for the answer, which matters more than the classification. */
const MAX_BUDGET_SHARE = 0.2;
const MAX_OUTPUT_TOKENS = 300;
const QUERY_LENGTH = 300;
/** A model does not overrule these. */
const FIXED_BY: readonly DomainDecider[] = ["caller", "label", "runbook"];

export async function classify(
  services: InvestigationServices,
  run: Run,
  incident: Incident,
  { models, turns, catalog, sessionNames }: Pick<StartedRun, "models" | "turns" | "catalog" | "sessionNames">,
): Promise<Classified> {
  if (models === null || !needsClassification(incident)) return { incident };
  const { config } = services;
  try {
    const answer = await askModel(models, run, {
      step: "classify",
      role: "small",
      instructions: CLASSIFY_INSTRUCTIONS,
      prompt: classifyPrompt(incident, catalog, { turns, logLength: config.LOG_CONTEXT_LENGTH }),
      nameHints: [...nameHints(incident), ...sessionNames],
      schema: classificationSchema,
      retries: config.AGENT_RETRIES,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      reserved: 0,
      maxMs: MAX_BUDGET_SHARE * config.TRIAGE_BUDGET_MS,
    });
    return { incident: applyClassification(incident, answer, { catalog, model: models.small.model.name }) };
  } catch (error) {
    const failure = asModelFailure(error);
    services.log("warn", "triage.classify_failed", { error: failure.message });
    return { incident, failure };
  }
}

/** Every question is rewritten as a search query. An alert needs the model only if neither a label nor words decided. */
export function needsClassification({ question, domain, type }: Incident): boolean {
  return question !== null || domain.decidedBy === "none" || type.name === UNKNOWN_INCIDENT_TYPE;
}

/**
 * What `FIXED_BY` decided and a type from the caller stay. A domain or a type that does not exist is ignored, and so is a
 * domain that excludes itself (`only_when_decided`).
 */
export function applyClassification(
  incident: Incident,
  answer: ModelClassification,
  { catalog, model }: { readonly catalog: DomainCatalog; readonly model: string },
): Incident {
  const rule = `model ${model}`;
  const domain = chosenDomain(incident.domain, answer.domain, { catalog, rule });
  const { incident_types } = definitionOf(catalog, domain.name);
  const isListed = incident_types.some(({ name }) => name === answer.incident_type);
  const keepsType = incident.type.rule === GIVEN_BY_CALLER || (!isListed && domain.name === incident.domain.name);
  const type = keepsType ? incident.type : { name: isListed ? answer.incident_type : UNKNOWN_INCIDENT_TYPE, rule };
  const searchQuery = incident.question === null ? null : safeQuery(answer.search_query);
  return { ...incident, domain, type, searchQuery };
}

function chosenDomain(
  route: DomainRoute,
  name: string,
  { catalog, rule }: { readonly catalog: DomainCatalog; readonly rule: string },
): DomainRoute {
  const isFixed = FIXED_BY.includes(route.decidedBy);
  if (isFixed || !catalog.domains.has(name) || route.excluded.includes(name)) return route;
  return rerouted(route, { name, rule, decidedBy: "model", limitsSearch: false });
}

/** Null for an empty query and for one with an injection or a link. */
function safeQuery(searchQuery: string): string | null {
  const query = truncate(redact(searchQuery.replace(/\s+/g, " ").trim()).text, QUERY_LENGTH);
  // The caller sees the query, and the model that wrote it has read the logs.
  const isSuspect = detectInjection(query) !== null || removeLinks(query, NO_LINKS).count > 0;
  return query === "" || isSuspect ? null : query;
}

const NO_LINKS: LinkPolicy = { hosts: new Set(), urls: new Set() };
