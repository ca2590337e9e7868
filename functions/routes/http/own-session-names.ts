// Shows a caller the names of its sessions as it chose them.

import type { Caller } from "../../access/caller.ts";
import { sessionName } from "../../access/session-ids.ts";

interface InSession {
  readonly session_id: string;
}

interface RecalledInSessions extends InSession {
  readonly recalled: { readonly past_answers: readonly InSession[] };
}

export function withOwnSessionName<T extends InSession>(caller: Caller, record: T): T {
  return { ...record, session_id: sessionName(caller, record.session_id) };
}

/** A triage result, or the event that announces one. */
export function withOwnSessionNames<T extends RecalledInSessions>(caller: Caller, result: T): T {
  const past_answers = result.recalled.past_answers.map((each) => withOwnSessionName(caller, each));
  return withOwnSessionName(caller, { ...result, recalled: { ...result.recalled, past_answers } });
}
