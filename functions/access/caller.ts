// Callers and the scopes of tokens.

/** No scope implies another. */
export const SCOPES = ["report", "triage", "read", "feedback", "ingest", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

export interface Caller {
  /** The token's id (UUID), or a fixed name such as "service" or "slack" for other credentials. */
  readonly id: string;
  /** Whom alerts and sessions belong to: the id, or that of the first token that this one replaces. */
  readonly owner: string;
  /** A name for people to read. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** When the token expires; null for never. The tokens that it creates end no later. */
  readonly expiresAt: Date | null;
  /** The domains that it reads, reports and changes; null for all. */
  readonly domains: readonly string[] | null;
  /** Who has signed in: what they record is in their name. Null for tokens, which several share. */
  readonly person: { readonly id: string; readonly name: string } | null;
}

/**
 * The name in which a request records something: of the person who has signed in, else the one that the request gives, else of
 * the token.
 */
export function personName({ person, name }: Caller, by?: string): string {
  return person?.name ?? by ?? name;
}

/** A person within a caller: the same name of two tokens is two people. */
export function personId({ id }: Pick<Caller, "id">, name = ""): string {
  return `http:${id}:${name}`;
}

/** What people of the chat may do, there and in the console. */
export const SLACK_SCOPES: readonly Scope[] = ["triage", "read", "feedback"];

/** The holder of DEJAVU_TOKEN, who can create every other token. */
export const SERVICE_CALLER: Caller = {
  id: "service",
  owner: "service",
  name: "operator",
  scopes: SCOPES,
  expiresAt: null,
  domains: null,
  person: null,
};
