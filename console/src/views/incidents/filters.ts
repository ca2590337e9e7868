// Filters of the list as parts of the address. Pure functions.

import { INCIDENT_STATUSES, SEVERITIES } from "../../../../functions/schemas/incident-values.ts";

export interface Filters {
  /** `open`: all but resolved, `all`, or one status. */
  readonly status: string;
  readonly severity: string;
  readonly domain: string;
  readonly target: string;
  readonly text: string;
}

export const NO_FILTERS: Filters = { status: "open", severity: "", domain: "", target: "", text: "" };
export const STATUSES = ["open", "all", ...INCIDENT_STATUSES] as const;

/** Unknown values count as none. */
export function filtersOf(query: Readonly<Record<string, string>>): Filters {
  const { status = "", severity = "", domain = "", target = "", text = "" } = query;
  return {
    status: (STATUSES as readonly string[]).includes(status) ? status : NO_FILTERS.status,
    severity: (SEVERITIES as readonly string[]).includes(severity) ? severity : "",
    domain,
    target,
    text,
  };
}

/** The part of an address from `?` on; empty for the filters without a choice. */
export function searchOf(filters: Filters): string {
  const chosen = Object.entries(filters).filter(([name, value]) => value !== NO_FILTERS[name as keyof Filters]);
  return chosen.length === 0 ? "" : `?${new URLSearchParams(Object.fromEntries(chosen))}`;
}

/** Parameters of GET /v1/incidents. */
export function queryOf({ status, severity, domain, target, text }: Filters) {
  return {
    ...(status === "all" ? {} : { status }),
    ...(severity === "" ? {} : { severity: severity as (typeof SEVERITIES)[number] }),
    ...(domain === "" ? {} : { domain }),
    ...(target.trim() === "" ? {} : { target: target.trim() }),
    // The API needs a letter or a digit; until one is typed there is nothing to search.
    ...(/[\p{L}\p{N}]/u.test(text) ? { text: text.slice(0, 200) } : {}),
  };
}

export function isFiltered(filters: Filters): boolean {
  return searchOf(filters) !== "";
}

/** How many filters are chosen, beside the words that are searched for. */
export function chosenCount(filters: Filters): number {
  return new URLSearchParams(searchOf({ ...filters, text: "" })).size;
}
