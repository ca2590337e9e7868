// Job: replaces the past answers of a long, idle session by one summary. The originals leave the index only after the
// summary is in it, so an interrupted run leaves every turn searchable one way or the other.

import type { RunInBackground } from "../background-tasks.ts";
import { summariseSession } from "../investigation/learning/summarise-session.ts";
import type { InvestigationServices } from "../investigation/run/investigation-services.ts";
import { type ClaimedSession, claimSessions, retireOriginals, storeSummary } from "../memory/session-summary.ts";
import { claimUntil, flushOutbox } from "../search-index/flush-outbox.ts";
import { SemanticConventions } from "../telemetry/openinference.ts";
import { inTrace } from "../telemetry/span.ts";
import { errorCode } from "./job-records.ts";
import { createTimeLimit, runInBatches } from "./run-in-batches.ts";

/** Sessions in one claim; a model takes seconds for each. */
const SESSIONS_PER_BATCH = 10;
/** Past answers in one summary; more would not fit. The rest get the next summary. */
const MAX_PAST_ANSWERS_PER_SUMMARY = 200;
const RETIRED_PER_BATCH = 200;
const HOUR_MS = 3_600_000;

export interface Compressed {
  /** Summarised sessions, and their past answers. */
  readonly sessions: number;
  readonly past_answers: number;
  /** Past answers that left the index, those of earlier summaries included. */
  readonly retired: number;
  /** Sessions that could not be summarised and are unchanged. */
  readonly failed: number;
}

/** @throws DependencyError when the database fails; a session's own failure is logged and counted */
export async function compressSessions(
  services: InvestigationServices,
  runInBackground: RunInBackground,
): Promise<Compressed> {
  const { config, background, now } = services;
  const isTimeUp = createTimeLimit(services);
  const total = { sessions: 0, past_answers: 0, retired: 0, failed: 0 };
  // An earlier run may have died after storing a summary.
  total.retired += await retireAll(services, isTimeUp);
  await runInBatches(isTimeUp, async () => {
    const claimed = await claimSessions(background.database, {
      now: now(),
      idleSince: new Date(now().getTime() - config.SESSION_IDLE_HOURS * HOUR_MS),
      threshold: config.SESSION_COMPRESS_THRESHOLD,
      limit: SESSIONS_PER_BATCH,
      leaseSeconds: config.OUTBOX_LEASE_SECONDS * 2,
      pastAnswersEach: MAX_PAST_ANSWERS_PER_SUMMARY,
    });
    for (const session of claimed) {
      // The remaining claims expire before the next tick.
      if (isTimeUp()) break;
      try {
        const isStored = await inTrace(services, { name: "compress session", runInBackground }, (span) => {
          const facts = { "dejavu.past_answers": session.pastAnswers.length };
          span.set(() => ({ [SemanticConventions.SESSION_ID]: session.sessionId, ...facts }));
          return compress(services, session);
        });
        total.sessions += isStored ? 1 : 0;
        total.past_answers += isStored ? session.pastAnswers.length : 0;
      } catch (error) {
        // A bug in one session must not block the others at every tick.
        services.log("error", "session.compress_failed", { error: errorCode(error) });
        total.failed += 1;
      }
    }
    return claimed.length === SESSIONS_PER_BATCH;
  });
  total.retired += await retireAll(services, isTimeUp);
  return total;
}

/** @returns whether a summary was stored; false if another run stored it or a past answer was deleted meanwhile */
async function compress(services: InvestigationServices, session: ClaimedSession): Promise<boolean> {
  if (session.pastAnswers.length === 0) return false;
  const text = await summariseSession(services, session.sessionId, session.pastAnswers);
  const stored = { text, now: services.now(), claimUntil: claimUntil(services) };
  const writes = await storeSummary(services.background.database, session, stored);
  await flushOutbox(services, writes);
  return writes.length > 0;
}

async function retireAll(services: InvestigationServices, isTimeUp: () => boolean): Promise<number> {
  let total = 0;
  await runInBatches(isTimeUp, async () => {
    const retired = await retireOriginals(services.background.database, services.now(), RETIRED_PER_BATCH);
    total += retired;
    return retired === RETIRED_PER_BATCH;
  });
  return total;
}
