// Session ids as stored: callers choose names, so the name of a token's session is prefixed with the token's owner. The same
// name of two callers is two sessions, and none can read, continue or detect one of the others.

import { createHash } from "node:crypto";
import { redact } from "../../lib/redaction/redact.ts";
import type { Caller } from "./caller.ts";

/** The maximum length of a stored id: a UUID, a colon and a name of 128 characters. */
export const MAX_STORED_SESSION_ID = 165;

/** Whether the caller addresses every session by its stored id: the service token, and tokens for all domains with the scope `admin`. */
function readsAll({ scopes, domains }: Caller): boolean {
  return scopes.includes("admin") && domains === null;
}

/** The prefix of the caller's sessions; null for a caller that reads all sessions. */
export function sessionPrefix(caller: Caller): string | null {
  return readsAll(caller) ? null : `${caller.owner}:`;
}

/** The id under which the session that the caller names is stored. */
export function storedSessionId(caller: Caller, name: string): string {
  const prefix = sessionPrefix(caller) ?? "";
  return prefix + withoutSecret(name.startsWith(prefix) ? name.slice(prefix.length) : name);
}

/** A name that holds a secret becomes a hash, so that equal names stay equal. */
function withoutSecret(name: string): string {
  return redact(name).text === name ? name : `session-${createHash("sha256").update(name).digest("hex").slice(0, 32)}`;
}

/** The name of a session for the caller: its own without the prefix, others as they are stored. */
export function sessionName(caller: Caller, storedId: string): string {
  const prefix = sessionPrefix(caller);
  return prefix !== null && storedId.startsWith(prefix) ? storedId.slice(prefix.length) : storedId;
}
