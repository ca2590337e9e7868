// Audit events of changes through the API, written in the background after the response.

import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import type { Redact } from "../../../lib/redaction/redact.ts";
import type { Actor } from "../../access/access-tokens.ts";
import type { Database } from "../../adapters/database.ts";
import { settle } from "../../dependencies.ts";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../http/app-env.ts";

const READING_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** "METHOD route" of requests without an event here. All other routes are recorded, including new ones. */
const RECORDED_ELSEWHERE: readonly RegExp[] = [
  // The incident's timeline records them.
  /^POST \/v1\/(triage|incidents|incidents\/import)$/,
  /^POST \/v1\/alerts\//,
  // Read despite their method.
  /^POST \/v1\/(search|runbooks\/check|domains\/route|sources\/:name\/try)$/,
  // One path for all tools; the tools that change something record their own events.
  /^[A-Z]+ \/mcp$/,
  // Recorded in the transaction that creates or revokes a token or session, or deletes a record or a text.
  /^[A-Z]+ \/v1\/admin\/tokens(\/|$)/,
  /^DELETE \/v1\/(session$|admin\/sessions\/)/,
  /^DELETE \/v1\/(incidents|memory|runbooks|documents|domains)\//,
];

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The caller as audit events store it. */
export function actorOf(c: Context<AppEnv>): Actor {
  return { actor: c.get("caller").id, requestId: c.get("requestId") };
}

/** Records each request that succeeded and may have changed something. */
export const auditChanges = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { method } = c.req;
  // The route whose handler ran last.
  const route = routePath(c);
  if (!c.res.ok || READING_METHODS.has(method)) return;
  if (RECORDED_ELSEWHERE.some((pattern) => pattern.test(`${method} ${route}`))) return;
  const services = c.get("services");
  const subject = subjectOf(services.redact, c.req.param(), route);
  const change = { at: services.now(), by: actorOf(c), method, route, status: c.res.status, subject };
  c.get("runInBackground")(leaveAuditEvent(services, change));
});

/** Never throws a dependency failure: the change is done, and the log records the lost event. */
export async function leaveAuditEvent({ background, log }: Services, change: Change): Promise<void> {
  const recorded = await settle(recordChange(background.database, change));
  if (recorded.ok) return;
  const error = recorded.error.message;
  const { by, method, route, status } = change;
  // The caller chooses the name in a path; it may be a secret that somebody pasted.
  const subject = UUID.test(change.subject) ? change.subject : undefined;
  log("error", "audit.event_lost", { actor: by.actor, method, route, subject, status, error });
}

interface Change {
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
function subjectOf(redact: Redact, parameters: Readonly<Record<string, string>>, route: string): string {
  return redact(Object.values(parameters).join("/") || route).text.slice(0, SUBJECT_LENGTH);
}

/** Records an event and retries once; a retry never makes a second event. @throws DependencyError */
async function recordChange(database: Database, change: Change): Promise<void> {
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
