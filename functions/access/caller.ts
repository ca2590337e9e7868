// Owns who a caller is and what tokens may allow.

/** No scope implies another. */
export const SCOPES = ["triage", "read", "feedback", "ingest", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

export interface Caller {
  /** The token's id (UUID), or the fixed name of a caller who proves himself otherwise, such as "service" or "slack". */
  readonly id: string;
  /** For people to read. */
  readonly name: string;
  readonly scopes: readonly Scope[];
}

/** Whoever holds the service's own secret: he can make any other token. */
export const SERVICE_CALLER: Caller = { id: "service", name: "DEJAVU_TOKEN", scopes: SCOPES };
