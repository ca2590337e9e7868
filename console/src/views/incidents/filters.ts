// Filters, order and groups of the list as parts of the address. Pure functions.

import { INCIDENT_STATUSES, SEVERITIES } from "../../../../functions/schemas/incident-values.ts";

export interface Filters {
  /** `open`: all but resolved, `firing`: also those that are resolved, `all`, or one status. */
  readonly status: string;
  readonly severity: string;
  readonly domain: string;
  /** The target, or a label that names the service. */
  readonly service: string;
  /** When it began: a number of days until now, `dates` for `from` and `to`, or empty for any time. */
  readonly within: string;
  /** Days of the reader's calendar, such as 2026-03-01; both belong to the range. */
  readonly from: string;
  readonly to: string;
  /** Empty: the order that fits the status. */
  readonly sort: string;
  /** Empty: no groups. */
  readonly group: string;
  readonly text: string;
}

export const NO_FILTERS: Filters = {
  status: "open",
  severity: "",
  domain: "",
  service: "",
  within: "",
  from: "",
  to: "",
  sort: "",
  group: "",
  text: "",
};
export const STATUSES = ["open", "firing", "all", ...INCIDENT_STATUSES] as const;
export const SORTS = { urgent: "Most urgent", newest: "Last reported" } as const;
export const GROUPS = { failure: "By failure", service: "By service", domain: "By domain" } as const;
export const RANGES = { 1: "Last 24 hours", 7: "Last 7 days", 30: "Last 30 days", dates: "Between two days" } as const;

const ALLOWED: Partial<Record<keyof Filters, readonly string[]>> = {
  status: STATUSES,
  severity: SEVERITIES,
  within: Object.keys(RANGES),
  sort: Object.keys(SORTS),
  group: Object.keys(GROUPS),
};
const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_MS = 86_400_000;

/** Unknown values count as none. */
export function filtersOf(query: Readonly<Record<string, string>>): Filters {
  const read = (name: keyof Filters) => {
    const value = query[name] ?? "";
    const isKnown = name === "from" || name === "to" ? DAY.test(value) : (ALLOWED[name]?.includes(value) ?? true);
    return isKnown ? value : NO_FILTERS[name];
  };
  const names = Object.keys(NO_FILTERS) as (keyof Filters)[];
  return { ...NO_FILTERS, ...Object.fromEntries(names.map((name) => [name, read(name)])) };
}

/** The part of an address from `?` on; empty for the filters without a choice. */
export function searchOf(filters: Filters): string {
  const chosen = Object.entries(filters).filter(([name, value]) => value !== NO_FILTERS[name as keyof Filters]);
  return chosen.length === 0 ? "" : `?${new URLSearchParams(Object.fromEntries(chosen))}`;
}

/** Most urgent first while something is open: of all that ended, the newest say more. */
export function sortOf({ sort, status }: Filters): keyof typeof SORTS {
  if (sort !== "") return sort as keyof typeof SORTS;
  return status === "all" || status === "resolved" ? "newest" : "urgent";
}

/** With other values; the order stays as it is shown. */
export function withFilters(filters: Filters, part: Partial<Filters>): Filters {
  const next = { ...filters, ...part };
  const sort = part.sort ?? sortOf(filters);
  return { ...next, sort: sort === sortOf({ ...next, sort: "" }) ? "" : sort };
}

/** Parameters of GET /v1/incidents. @param now milliseconds since 1970 */
export function queryOf(filters: Filters, now: number) {
  const { status, severity, domain, service, text } = filters;
  return {
    sort: sortOf(filters),
    // Counting reads each incident that matches: those that are open are few.
    ...(status === "all" || status === "resolved" ? {} : { counts: "true" as const }),
    ...(status === "all" ? {} : status === "firing" ? { firing: "true" as const } : { status }),
    ...(severity === "" ? {} : { severity: severity as (typeof SEVERITIES)[number] }),
    ...(domain === "" ? {} : { domain }),
    ...(service.trim() === "" ? {} : { service: service.trim() }),
    ...rangeOf(filters, now),
    // The API needs a letter or a digit; until one is typed there is nothing to search.
    ...(/[\p{L}\p{N}]/u.test(text) ? { text: text.slice(0, 200) } : {}),
  };
}

function rangeOf({ within, from, to }: Filters, now: number) {
  if (within === "") return {};
  if (within !== "dates") return { since: new Date(now - Number(within) * DAY_MS).toISOString() };
  const since = startOf(from, 0);
  const until = startOf(to, 1);
  return { ...(since === null ? {} : { since }), ...(until === null ? {} : { until }) };
}

/** Midnight of the reader's clock, so many days later; null for no day. */
function startOf(day: string, later: number): string | null {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  const start = new Date(year, month - 1, date + later);
  return day === "" || Number.isNaN(start.getTime()) ? null : start.toISOString();
}

export function isFiltered(filters: Filters): boolean {
  return searchOf({ ...filters, sort: "", group: "" }) !== "";
}

/** How many filters are chosen, beside the words that are searched for. */
export function chosenCount(filters: Filters): number {
  return new URLSearchParams(searchOf({ ...filters, text: "", from: "", to: "", sort: "", group: "" })).size;
}
