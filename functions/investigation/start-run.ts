// Step "start": records the start of a run. The same round trip reads changed domains, the calibration of the relevance
// model, the sources of evidence, changes and other alerts around the start of the incident, the runbook that the report
// names, the session's last turns and the tokens used today. While the database is unavailable the run continues unrecorded.

import { DependencyError, settle } from "../dependencies.ts";
import { type IdempotencyKey, type RunStart, type RunStartResult, recordRunStart } from "../incidents/run-records.ts";
import type { Incident } from "../schemas/incident.ts";
import { triageResultSchema, type Warning } from "../schemas/triage-result.ts";
import { emptySurroundings } from "../surroundings/surroundings.ts";
import { inSpan } from "../telemetry/span.ts";
import { RELEVANCE_MODEL_FINGERPRINT } from "./relevance/relevance-model.ts";
import type { InvestigationServices } from "./run/investigation-services.ts";
import type { RunStartOutcome, StartedRun } from "./run/run-outcome.ts";
import { runStartWarning, tokenBudgetWarning, uncalibratedWarning } from "./run/warnings.ts";

export async function startRun(
  services: InvestigationServices,
  incident: Incident,
  runStart: RunStart,
  idempotency: IdempotencyKey | null,
): Promise<RunStartOutcome> {
  const { config, domains, calibrations, evidenceSources } = services;
  const start = inSpan("CHAIN", "start run", () =>
    recordRunStart(services.database, {
      now: services.now(),
      incident,
      runStart,
      turnLimit: config.EPISODIC_CONTEXT_TURNS,
      domainsVersion: domains.current().version,
      sourcesVersion: evidenceSources.store.current().version,
      relevanceModel: RELEVANCE_MODEL_FINGERPRINT,
      idempotency: idempotency && { ...idempotency, leaseSeconds: config.IDEMPOTENCY_LEASE_SECONDS },
    }),
  );
  const recorded = await settle(start.then((result) => outcomeOf(services, result)));
  if (recorded.ok) return recorded.value;
  services.log("warn", "run.start_failed", { error: recorded.error.message });
  // The last domains, sources and calibration serve, and nothing of the session and the surroundings is known.
  const last = {
    catalog: domains.current().catalog,
    sources: evidenceSources.store.current().definitions,
    calibration: calibrations.current(),
    surroundings: emptySurroundings(incident.createdAt),
  };
  const unrecorded = {
    ...last,
    attached: [],
    turns: [],
    sessionPastAnswers: [],
    runbooksLoading: false,
    tokensToday: undefined,
  };
  return startedRunOf(services, unrecorded, [runStartWarning(recorded.error)]);
}

/** @throws DependencyError when the stored result of a repeated request is invalid */
function outcomeOf(services: InvestigationServices, result: RunStartResult): RunStartOutcome {
  if (result.state === "started") {
    const { catalog } = services.domains.accept(result.catalog, services.now());
    const { definitions: sources } = services.evidenceSources.store.accept(result.sources, services.now());
    const calibration = services.calibrations.accept(result.calibration);
    return startedRunOf(services, { ...result, catalog, sources, calibration }, []);
  }
  if (result.state !== "replayed") return result;
  const stored = triageResultSchema.safeParse(result.result);
  if (stored.success) return { state: "replayed", result: stored.data };
  throw new DependencyError("database", "invalid_response", "a stored triage result does not match the schema", {
    cause: stored.error,
  });
}

/** @param tokensToday undefined if it could not be read; then a limit that is set counts as reached */
function startedRunOf(
  { models, config, embedder, relevanceModels }: InvestigationServices,
  {
    tokensToday,
    ...start
  }: Omit<StartedRun, "state" | "models" | "warnings" | "remainingTokens" | "sessionNames"> & {
    readonly tokensToday: number | undefined;
  },
  ofStart: readonly Warning[],
): StartedRun {
  const isCalibrated = relevanceModels.embedder === embedder.model;
  const warnings = isCalibrated ? ofStart : [...ofStart, uncalibratedWarning(embedder.model)];
  const started = { ...start, state: "started" as const, sessionNames: [] };
  const { DAILY_TOKEN_BUDGET: ownLimit, DEFAULT_DAILY_TOKEN_BUDGET } = config;
  if (models === null || ownLimit === "none") return { ...started, models, warnings };
  const limit = ownLimit ?? DEFAULT_DAILY_TOKEN_BUDGET;
  const isSpent = tokensToday === undefined ? ownLimit !== undefined : tokensToday >= limit;
  const remaining = tokensToday === undefined ? {} : { remainingTokens: limit - tokensToday };
  if (!isSpent) return { ...started, models, warnings, ...remaining };
  const spent = tokenBudgetWarning(limit, tokensToday !== undefined);
  return { ...started, models: null, warnings: [...warnings, spent] };
}
