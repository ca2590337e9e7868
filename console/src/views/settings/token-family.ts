// What ends with a token. Pure functions.

interface TokenEntry {
  readonly id: string;
  /** Id of the token that made it, or `service`. */
  readonly created_by: string;
  readonly revoked_at: string | null;
  readonly expires_at: string | null;
}

/** The valid tokens that were made with the token, and with those. */
export function validDescendants<T extends TokenEntry>(id: string, tokens: readonly T[], now: number): T[] {
  const children = tokens.filter((token) => token.created_by === id && token.id !== id);
  return children.flatMap((child) => [
    ...(stateOf(child, now) === "valid" ? [child] : []),
    ...validDescendants(child.id, tokens, now),
  ]);
}

/** @param now milliseconds since 1970 */
export function stateOf({ revoked_at, expires_at }: TokenEntry, now: number): "valid" | "revoked" | "expired" {
  if (revoked_at !== null) return "revoked";
  return expires_at !== null && Date.parse(expires_at) <= now ? "expired" : "valid";
}
