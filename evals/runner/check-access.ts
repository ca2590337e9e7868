// Check before the first case that the token may do all that a case does, deletion above all.

import type { Dejavu } from "./dejavu-client.ts";

export const REQUIRED_SCOPES = "triage read ingest feedback admin";

const REPORT = { title: "evaluation probe: can this report be deleted?", target: "evaluation-probe" };

/**
 * Reports one incident, rates the answer and deletes both. Tries the deletion first, so a token that may not delete
 * reports nothing. Takes no abort signal: when the run is stopped, the check still finishes and leaves nothing behind.
 *
 * @throws Error with the failed step and the scopes that the token needs
 */
export async function checkAccess(
  dejavu: Pick<Dejavu, "triage" | "rate" | "waitForIndex" | "deleteSession" | "hasIncidents">,
  sessionId: string,
): Promise<void> {
  try {
    await dejavu.deleteSession(sessionId);
    try {
      const body = { ...REPORT, session_id: sessionId };
      const { incident_id, triage_id, persisted } = await dejavu.triage(body, {});
      // An index write that is still pending would restore the deleted record until the next outbox run.
      await dejavu.waitForIndex(new Set([incident_id, triage_id]), {});
      if (persisted) await dejavu.rate(triage_id, "up", {});
    } finally {
      await dejavu.deleteSession(sessionId);
    }
    if (await dejavu.hasIncidents(sessionId)) throw new Error("The incident still exists after its deletion.");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `No case was run. The check that a report can be made and deleted again failed: ${reason}\n` +
        `The token needs the scopes ${REQUIRED_SCOPES}.`,
    );
  }
}
