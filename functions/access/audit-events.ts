// Audit events of changes through the API: time, caller, route and subject, without content.

import { redact } from "../../lib/redaction/redact.ts";
import type { Database } from "../adapters/database.ts";
import { settle } from "../dependencies.ts";
import type { Actor } from "./access-tokens.ts";

export interface Change {
  readonly at: Date;
  readonly by: Actor;
  readonly method: string;
  /** The pattern, such as `/v1/incidents/:id/resolve`. */
  readonly route: string;
  readonly status: number;
  /** The parameters of the path. */
  readonly subject: string;
}

/** The caller chooses the names in a path, so they are scrubbed and bounded. */
const SUBJECT_LENGTH = 256;

/** The parameters of a path, such as an id; the route when it has none. */
export function subjectOf(parameters: Readonly<Record<string, string>>, route: string): string {
  return redact(Object.values(parameters).join("/") || route).text.slice(0, SUBJECT_LENGTH);
}

/** Records an event and retries once; a retry never makes a second event. @throws DependencyError */
export async function recordChange(database: Database, change: Change): Promise<void> {
  const p = {
    now: change.at.toISOString(),
    subject_id: change.subject,
    actor: change.by.actor,
    request_id: change.by.requestId,
    detail: { method: change.method, route: change.route, status: change.status },
  };
  const recorded = await settle(database.call("record_change", { p }));
  if (!recorded.ok) await database.call("record_change", { p });
}
