// The names of the domains, for a choice.

import { useGet } from "./use-request.ts";

const MAX_DOMAINS = 100;

/** With the present one; that alone until the others are loaded. */
export function useDomainNames(present = ""): readonly string[] {
  const state = useGet("/v1/domains", { query: { limit: MAX_DOMAINS } }).state.value;
  const names = state.status === "ready" ? state.data.domains.map(({ name }) => name) : [];
  return present === "" || names.includes(present) ? names : [present, ...names];
}
