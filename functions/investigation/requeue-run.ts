// Requeueing of a stored incident whose run failed: the run is closed, and the incident waits for its next run.

import { DependencyError } from "../dependencies.ts";
import { recordRequeue } from "../incidents/incident-queue.ts";
import type { RunStart } from "../incidents/run-records.ts";
import type { Incident } from "../schemas/incident.ts";
import { failedRunFinish } from "./finish-run.ts";
import { RecallUnavailable } from "./recall/recall-result.ts";
import type { InvestigationServices } from "./run/investigation-services.ts";
import type { Run } from "./run/run.ts";

const FIRST_DELAY_SECONDS = 30;
const MAX_DELAY_SECONDS = 900;

/** 30 s, doubling up to 15 minutes: soon after a short failure, and seldom in a long outage. */
export function retryDelaySeconds(attempts: number): number {
  return Math.min(FIRST_DELAY_SECONDS * 2 ** Math.max(0, attempts - 1), MAX_DELAY_SECONDS);
}

/** @throws DependencyError when the database is unavailable: the run stays open until the recovery job closes it */
export async function requeueRun(
  services: InvestigationServices,
  failed: {
    readonly reported: Incident;
    readonly runStart: RunStart;
    readonly run: Run;
    /** The number of this run of the incident, from 1. */
    readonly attempt: number;
    readonly error: unknown;
  },
): Promise<"queued" | "failed"> {
  const { reported, runStart, run, attempt, error } = failed;
  const now = services.now();
  const reason = reasonOf(error);
  const state = await recordRequeue(services.background.database, {
    now,
    incidentId: reported.id,
    runId: runStart.runId,
    reason,
    againAt: new Date(now.getTime() + retryDelaySeconds(attempt) * 1_000),
    maxAttempts: services.config.MAX_TRIAGE_ATTEMPTS,
    finish: failedRunFinish(now),
    usage: run.usage(),
  });
  const isExpected = error instanceof RecallUnavailable || error instanceof DependencyError;
  services.log(isExpected ? "warn" : "error", "run.attempt_failed", {
    attempt,
    reason,
    state,
    error: !isExpected && error instanceof Error ? error : undefined,
  });
  return state === "queued" ? "queued" : "failed";
}

/** "nothing could be searched: vector_store unreachable, database timeout", for the timeline: codes, never content. */
function reasonOf(error: unknown): string {
  const codes = (failures: readonly DependencyError[]) =>
    [...new Set(failures.map(({ dependency, failure }) => `${dependency} ${failure}`))].join(", ");
  if (error instanceof RecallUnavailable) return `nothing could be searched: ${codes(error.failures)}`;
  if (error instanceof DependencyError) return codes([error]);
  return error instanceof Error ? error.name : "unknown";
}
