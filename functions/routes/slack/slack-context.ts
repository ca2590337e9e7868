// What the work of a Slack payload gets, and its audit event.

import type { RunInBackground } from "../../background-tasks.ts";
import type { Services } from "../../services.ts";
import { leaveAuditEvent } from "../middleware/audit.ts";

export interface SlackContext {
  readonly services: Services;
  readonly requestId: string;
  /** The address of the console. */
  readonly origin: string;
  /** The same for links that sign in; null without PUBLIC_URL. */
  readonly signInOrigin: string | null;
  readonly runInBackground: RunInBackground;
}

/** @param person their unique id is the actor */
export function recordAuditEvent(
  { services, requestId, runInBackground }: SlackContext,
  subject: string,
  person: string,
): void {
  const by = { actor: person, requestId };
  const change = { at: services.now(), by, method: "POST", route: "/slack", status: 200, subject };
  runInBackground(leaveAuditEvent(services, change));
}
