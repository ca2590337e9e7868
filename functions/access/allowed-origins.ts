// Owns which web pages may call: those of the configured origins.

/** No Origin header: no browser's page asks, so there is nothing to judge. `null` and other origins are refused. */
export function originAllowed(
  origin: string | undefined,
  { CORS_ORIGINS }: { readonly CORS_ORIGINS: readonly string[] },
): boolean {
  return origin === undefined || CORS_ORIGINS.includes(origin);
}
