// Owns the look, before the first case, whether all that a case does is allowed here, above all to forget.

import type { Dejavu } from "./dejavu-client.ts";

export const SCOPES_NEEDED = "triage read feedback admin";

const REPORT = { title: "evaluation probe: is what it reports forgotten again?", target: "evaluation-probe" };

/**
 * Reports one thing, votes on it and forgets it; where forgetting is refused, it reports nothing. Whoever stops the run
 * waits for its end, so that nothing stays.
 *
 * @throws Error that says what did not work, and which scopes the token needs
 */
export async function proveForgetting(
  dejavu: Pick<Dejavu, "triage" | "vote" | "settled" | "forgetSession" | "remembers">,
  sessionId: string,
): Promise<void> {
  try {
    await dejavu.forgetSession(sessionId);
    try {
      const body = { ...REPORT, session_id: sessionId };
      const { incident_id, triage_id, persisted } = await dejavu.triage(body, {});
      // What is on its way to the index when it is forgotten would be there until the outbox's next turn.
      await dejavu.settled(new Set([incident_id, triage_id]), {});
      if (persisted) await dejavu.vote(triage_id, "up", {});
    } finally {
      await dejavu.forgetSession(sessionId);
    }
    if (await dejavu.remembers(sessionId)) throw new Error("It is still on record.");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `No case was asked. One report was to be made and forgotten first, to see that a run leaves nothing behind: ${why}\n` +
        `The token needs the scopes ${SCOPES_NEEDED}.`,
    );
  }
}
