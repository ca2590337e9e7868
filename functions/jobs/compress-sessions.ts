// Owns the job that puts one summary in the place of a long, idle session's memories. The originals leave the index
// only after the summary is in it, so a run that dies anywhere leaves each turn to be recalled one way or the other.

import type { RunInBackground } from "../background-tasks.ts";
import { summariseSession } from "../investigation/learning/summarise-session.ts";
import type { InvestigationServices } from "../investigation/run/services.ts";
import { type ClaimedSession, claimSessions, retireOriginals, storeSummary } from "../memory/session-summary.ts";
import { claimUntil, flushOutbox } from "../search-index/flush-outbox.ts";
import { SemanticConventions } from "../telemetry/openinference.ts";
import { inTrace } from "../telemetry/span.ts";
import { errorCode } from "./job-records.ts";
import { inBatches, limitTime } from "./run-in-batches.ts";

/** Sessions in one claim; a model takes seconds for each. */
const SESSIONS_A_BATCH = 10;
/** Memories that one summary stands for at most: more would not fit into it. The others get the next one. */
const MEMORIES_A_SUMMARY = 200;
const RETIRED_A_BATCH = 200;
const HOUR_MS = 3_600_000;

export interface Compressed {
  /** Sessions that were summed up, and the memories that their summaries stand for. */
  readonly sessions: number;
  readonly memories: number;
  /** Memories that left the index, also in favour of a former run's summary. */
  readonly retired: number;
  /** Sessions that are as they were. */
  readonly failed: number;
}

/** @throws DependencyError when the database fails; a session's own failure is logged and counted */
export async function compressSessions(
  services: InvestigationServices,
  runInBackground: RunInBackground,
): Promise<Compressed> {
  const { config, background, now } = services;
  const isOver = limitTime(services);
  const total = { sessions: 0, memories: 0, retired: 0, failed: 0 };
  // A former run may have died between the summary and this.
  total.retired += await retireAll(services, isOver);
  await inBatches(isOver, async () => {
    const claimed = await claimSessions(background.database, {
      now: now(),
      idleSince: new Date(now().getTime() - config.SESSION_IDLE_HOURS * HOUR_MS),
      threshold: config.SESSION_COMPRESS_THRESHOLD,
      limit: SESSIONS_A_BATCH,
      leaseSeconds: config.OUTBOX_LEASE_SECONDS * 2,
      memoriesEach: MEMORIES_A_SUMMARY,
    });
    for (const session of claimed) {
      // The claims of the rest run out before the next tick takes them.
      if (isOver()) break;
      try {
        const isStored = await inTrace(services, { name: "compress session", runInBackground }, (span) => {
          const facts = { "dejavu.domain": session.domain, "dejavu.memories": session.memories.length };
          span.set(() => ({ [SemanticConventions.SESSION_ID]: session.sessionId, ...facts }));
          return compress(services, session);
        });
        total.sessions += isStored ? 1 : 0;
        total.memories += isStored ? session.memories.length : 0;
      } catch (error) {
        // Also a bug in one session must not keep the others from their turn, at every tick again.
        services.log("error", "session.compress_failed", { domain: session.domain, error: errorCode(error) });
        total.failed += 1;
      }
    }
    return claimed.length === SESSIONS_A_BATCH;
  });
  total.retired += await retireAll(services, isOver);
  return total;
}

/** @returns whether a summary was stored: somebody else may have been first, or a memory was forgotten meanwhile */
async function compress(services: InvestigationServices, session: ClaimedSession): Promise<boolean> {
  if (session.memories.length === 0) return false;
  const text = await summariseSession(services, session.memories);
  const stored = { text, now: services.now(), claimUntil: claimUntil(services) };
  const writes = await storeSummary(services.background.database, session, stored);
  await flushOutbox(services, writes);
  return writes.length > 0;
}

async function retireAll(services: InvestigationServices, isOver: () => boolean): Promise<number> {
  let total = 0;
  await inBatches(isOver, async () => {
    const retired = await retireOriginals(services.background.database, services.now(), RETIRED_A_BATCH);
    total += retired;
    return retired === RETIRED_A_BATCH;
  });
  return total;
}
