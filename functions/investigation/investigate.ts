// The steps of an investigation run, in order: start, classify, recall, rerank, answer, persist. A failed step adds a
// warning to the result, and the run continues. The run fails only when neither keywords nor vectors can be searched.

import type { RunInBackground } from "../background-tasks.ts";
import { settle } from "../dependencies.ts";
import { inDomain, routeIncident } from "../incidents/create-incident.ts";
import type { GuardFindings } from "../incidents/guard-request.ts";
import type { IdempotencyKey, RunStart } from "../incidents/run-records.ts";
import { isSessionQuestion } from "../incidents/session-question.ts";
import { benignReason } from "../knowledge/domains/benign-alerts.ts";
import type { DomainCatalog } from "../knowledge/domains/domain-catalog.ts";
import { rerouted } from "../knowledge/domains/route-domain.ts";
import type { Incident } from "../schemas/incident.ts";
import { type LiveEvidence, NOTHING_OBSERVED } from "../schemas/live-evidence.ts";
import type { Warning } from "../schemas/triage-result.ts";
import { LAYERS } from "../search-index/collections.ts";
import { domainOf } from "../search-index/search-document.ts";
import { inSpan, rootSpanIds } from "../telemetry/span.ts";
import { answer } from "./answer/answer.ts";
import type { FinalAnswer } from "./answer/final-answer.ts";
import { createBenignAnswer, createBlockedAnswer } from "./answer/fixed-answers.ts";
import { buildResult, recallEvent } from "./build-result.ts";
import { classify, needsClassification } from "./classify.ts";
import { withChecks } from "./live/apply-checks.ts";
import { createEvidenceSession, type EvidenceSession } from "./live/evidence-session.ts";
import { observeSystem } from "./live/observe-system.ts";
import { runChecks } from "./live/run-checks.ts";
import { sessionNamesOf, withSessionNames } from "./model/session-names.ts";
import { type InvestigatedIncident, persistAndIndex } from "./persist.ts";
import { embedReport, type ReportVectors } from "./recall/embed-report.ts";
import { recall, type StartedSearches, startSearches } from "./recall/recall.ts";
import { NOTHING_RECALLED, type Recall } from "./recall/recall-result.ts";
import { rerank } from "./recall/rerank.ts";
import { type Recap, recapSession } from "./recap-session.ts";
import type { InvestigationServices } from "./run/investigation-services.ts";
import type { Run } from "./run/run.ts";
import type { StartedRun, TriageOutcome } from "./run/run-outcome.ts";
import { recallWarning, recapWarning, sourceWarnings } from "./run/warnings.ts";
import { checkAttributes, removedAttributes } from "./run-attributes.ts";
import { startRun } from "./start-run.ts";

export interface Investigation {
  /** The incident before classification. */
  readonly reported: Incident;
  readonly guardrails: GuardFindings;
  readonly run: Run;
  readonly runStart: RunStart;
  /** The domains by which `reported` was routed; null for incidents of the queue, whose rows hold the name alone. */
  readonly routedBy: DomainCatalog | null;
  /** Whether the incident was stored before this run: true for incidents of the queue. */
  readonly isStored: boolean;
  readonly idempotency: IdempotencyKey | null;
  readonly runInBackground: RunInBackground;
}

/** @throws RecallUnavailable when neither keywords nor vectors can be searched */
export async function investigate(
  services: InvestigationServices,
  investigation: Investigation,
): Promise<TriageOutcome> {
  const { reported, runStart, idempotency } = investigation;
  // Neither the embedding nor the collections need anything from the start of the run, so they are requested beside it.
  const names = sessionNamesOf(services, runStart.sessionId);
  const recapped = isRecalled(investigation) ? recapSession(services, reported) : undefined;
  const vectors =
    isRecalled(investigation) && !isSessionQuestion(reported) ? embedReport(services, reported, names) : undefined;
  if (vectors !== undefined) prepareCollections(services, investigation);
  const searched = vectors && startSearchesEarly(services, investigation, vectors);
  const recorded = await startRun(services, reported, runStart, idempotency);
  // An earlier request has the same idempotency key, so nothing is investigated.
  if (recorded.state !== "started") return recorded;
  if (recorded.remainingTokens !== undefined) investigation.run.limitTokens(recorded.remainingTokens);
  const startedRun = withSessionNames(recorded, await names);
  const investigated =
    answerWithoutRecall(services, investigation, { startedRun, recap: await recapped }) ??
    (await answerFromRecall(services, investigation, { startedRun, vectors, searched }));
  return persistAndIndex(services, { ...investigation, ...investigated, models: startedRun.models });
}

/** The searches report a failure. Runs in the background: a repeated request ends before, and other requests join its calls. */
function prepareCollections({ vectors }: InvestigationServices, { runInBackground }: Investigation): void {
  for (const layer of LAYERS) runInBackground(settle(vectors.initialize(layer)));
}

interface EarlySearches extends StartedSearches {
  /** The domains by which the incident was routed. */
  readonly catalog: DomainCatalog;
}

/**
 * Starts the searches beside the start of the run, which saves a round trip. Undefined if the start may change what is searched
 * for: a new isolate does not know the domains, a stored runbook may decide the domain, a model classifies. A repeated
 * request gets the stored answer, so one with a key waits.
 */
function startSearchesEarly(
  services: InvestigationServices,
  investigation: Investigation,
  vectors: ReportVectors,
): EarlySearches | undefined {
  const { version, catalog } = services.domains.current();
  const { reported, idempotency } = investigation;
  if (version === null || idempotency !== null || reported.runbook !== null) return undefined;
  const incident = routeReported(investigation, { catalog, attached: [] });
  if (services.models !== null && needsClassification(incident)) return undefined;
  return { ...startSearches(services, incident, vectors), catalog };
}

/** Whether runbooks and memory are searched: not for an injection, a heartbeat or a test alert. */
function isRecalled({ reported, guardrails }: Investigation): boolean {
  return guardrails.injection_blocked === null && benignReason(reported.title, reported.labels) === undefined;
}

/**
 * Answers a question with a prompt injection, a heartbeat, a test alert or a question about the session; undefined for
 * every other report.
 */
function answerWithoutRecall(
  services: InvestigationServices,
  investigation: Investigation,
  { startedRun, recap }: { readonly startedRun: StartedRun; readonly recap: Recap | undefined },
): InvestigatedIncident | undefined {
  const { reported, guardrails } = investigation;
  const resultWith = (finalAnswer: FinalAnswer) =>
    resultOf(services, investigation, startedRun, {
      incident: reported,
      recalled: NOTHING_RECALLED,
      finalAnswer,
      live: NOTHING_OBSERVED,
      warnings: startedRun.warnings,
    });
  const { injection_blocked } = guardrails;
  if (injection_blocked !== null) {
    services.log("warn", "triage.blocked", { injection_blocked });
    return resultWith(createBlockedAnswer(injection_blocked));
  }
  if (recap !== undefined) {
    const { recalled, finalAnswer, failure } = recap;
    const warnings = [...startedRun.warnings, ...(failure ? [recapWarning(failure)] : [])];
    const answered = { incident: reported, recalled, finalAnswer, live: NOTHING_OBSERVED, warnings };
    return { ...resultOf(services, investigation, startedRun, answered), isRecap: true };
  }
  const reason = benignReason(reported.title, reported.labels);
  return reason === undefined ? undefined : resultWith(createBenignAnswer(reason, reported));
}

async function answerFromRecall(
  services: InvestigationServices,
  investigation: Investigation,
  {
    startedRun,
    vectors,
    searched: searches,
  }: {
    readonly startedRun: StartedRun;
    readonly vectors: ReportVectors | undefined;
    readonly searched: EarlySearches | undefined;
  },
): Promise<InvestigatedIncident> {
  const { guardrails, run } = investigation;
  const { config } = services;
  const isRouted = searches?.catalog === startedRun.catalog;
  const routed = isRouted ? searches.incident : routeReported(investigation, startedRun);
  // Each has its own time: a model may classify and rerank before the checks.
  const session = createEvidenceSession(services, run);
  const checking = createEvidenceSession(services, run);
  const observing = observeSystem(session, { ...startedRun, incident: routed, now: services.now() });
  const { incident, failure } = await classify(services, run, routed, startedRun);
  const searched = await recall(services, incident, { ...startedRun, vectors, searches });
  const recalled = await rerank(services, run, incident, {
    recalled: searched,
    calibration: startedRun.calibration,
    sessionNames: startedRun.sessionNames,
  });
  const warnings = [...startedRun.warnings, ...[...(failure ? [failure] : []), ...recalled.missing].map(recallWarning)];
  if (run.isStreamed) {
    const { event, data } = recallEvent({ incident, recall: recalled, warnings, guardrails, config });
    run.emit({ event, data: { ...data, recalled: services.guard.recalled(data.recalled) } });
  }

  const checked = await checkCauses(services, checking, { incident, recalled, startedRun });
  const work = { incident, recalled: checked, startedRun, observing };
  const [{ finalAnswer, missing: answerWarnings }, live] = await Promise.all([answer(services, run, work), observing]);
  return resultOf(services, investigation, startedRun, {
    incident,
    recalled: checked,
    finalAnswer,
    live,
    warnings: [...warnings, ...sourceWarnings([...session.failures, ...checking.failures]), ...answerWarnings],
  });
}

/** The recall with the results of its checks. Asks nothing without a source of evidence. */
async function checkCauses(
  services: InvestigationServices,
  session: EvidenceSession,
  work: { readonly incident: Incident; readonly recalled: Recall; readonly startedRun: StartedRun },
): Promise<Recall> {
  const { incident, recalled, startedRun } = work;
  const { sources, calibration, surroundings } = startedRun;
  // A report of a working system has no cause to check.
  if (sources.length === 0 || incident.evidence.state !== null) return recalled;
  return inSpan("CHAIN", "run checks", async (span) => {
    const checks = await runChecks(services, session, {
      ...{ incident, recalled, sources, calibration },
      start: surroundings.start,
    });
    span.set(() => checkAttributes(checks));
    return withChecks(recalled, checks, calibration);
  });
}

/**
 * Domain and type by a person's correction, else by labels, the runbook that the report names, or words. A new report keeps
 * its domain unless the start of the run brought newer domains or that runbook.
 */
function routeReported(
  { reported, routedBy }: Investigation,
  { catalog, attached: [opening] }: Pick<StartedRun, "catalog" | "attached">,
): Incident {
  if (opening === undefined && catalog === routedBy) return reported;
  // A person corrected the domain of this incident.
  if (reported.domain.decidedBy === "caller") {
    const routed = routeIncident(catalog, reported);
    return inDomain(catalog, routed, rerouted(routed.domain, { ...reported.domain, decidedBy: "caller" }));
  }
  if (opening === undefined) return routeIncident(catalog, reported);
  return routeIncident(catalog, reported, {
    name: domainOf(opening),
    rule: `runbook ${opening.source ?? opening.id}`,
  });
}

/** Builds the triage result, without the secrets of stored texts. */
function resultOf(
  { config, guard, now, newId }: InvestigationServices,
  { guardrails, run }: Investigation,
  { models, catalog }: StartedRun,
  answered: {
    readonly incident: Incident;
    readonly recalled: Recall;
    readonly finalAnswer: FinalAnswer;
    readonly live: LiveEvidence;
    readonly warnings: readonly Warning[];
  },
): InvestigatedIncident {
  const { incident, recalled, finalAnswer, live, warnings } = answered;
  const parts = { incident, recall: recalled, finalAnswer, live, warnings, guardrails, run, models, catalog };
  const result = inSpan("GUARDRAIL", "guard output", (span) => {
    const built = buildResult({ ...parts, config, trace: rootSpanIds(), triageId: newId(), now: now() });
    const scrubbed = guard.output(built);
    span.set(() => removedAttributes(scrubbed));
    return scrubbed;
  });
  return { incident, recalled, result };
}
