// The requests of a restricted token to the endpoints of incidents, and what each must answer.

import { FOREIGN, OWN, type World } from "./domain-world.ts";

export const QUERY = "ledger replication stalled";

/**
 * - `own`: the answer holds own records and none of others
 * - `nothing`: an answer without records of others
 * - `missing`: 404, as for a record that does not exist
 * - `outside`: 403, the same whether the record exists or not
 */
export type Expected = "own" | "nothing" | "missing" | "outside";

export interface Row {
  readonly expected: Expected;
  /** The path; without one, that of the endpoint. */
  readonly path?: (world: World) => string;
  readonly body?: (world: World) => unknown;
  readonly text?: string;
}

export const missing: Row = { expected: "missing" };
export const own: Row = { expected: "own" };
export const outside: Row = { expected: "outside" };
const incident = (rest = ""): Pick<Row, "path"> => ({
  path: ({ foreign }) => `/v1/incidents/${foreign.incident}${rest}`,
});

const IMPORTED = {
  id: "Q1",
  title: QUERY,
  opened_at: "2025-03-01T02:58:00Z",
  resolved_at: "2025-03-01T03:21:00Z",
  fix: "rebooted",
};
const IMPORT = { from: "pagerduty", incidents: [IMPORTED] };

export const INCIDENT_ROWS: Readonly<Record<string, readonly Row[]>> = {
  "POST /v1/incidents": [
    { expected: "nothing", body: () => ({ title: QUERY }) },
    { expected: "outside", body: () => ({ title: QUERY, labels: { domain: FOREIGN } }) },
  ],
  "POST /v1/incidents/import": [
    { expected: "nothing", body: () => IMPORT },
    { expected: "nothing", body: () => ({ ...IMPORT, incidents: [{ ...IMPORTED, labels: { domain: FOREIGN } }] }) },
  ],
  "GET /v1/incidents": [
    own,
    { expected: "nothing", path: () => `/v1/incidents?domain=${FOREIGN}` },
    { expected: "nothing", path: ({ foreign }) => `/v1/incidents?text=${foreign.word}` },
    { expected: "nothing", path: () => "/v1/incidents?status=open" },
    { expected: "nothing", path: ({ foreign }) => `/v1/incidents?session_id=call-${foreign.domain}` },
    { expected: "nothing", path: ({ foreign }) => `/v1/incidents?id_prefix=${foreign.incident.slice(0, 12)}` },
  ],
  "GET /v1/incidents/{id}": [{ ...missing, ...incident() }],
  "DELETE /v1/incidents/{id}": [{ ...missing, ...incident() }],
  "POST /v1/incidents/{id}/resolve": [
    { ...missing, ...incident("/resolve"), body: () => ({ resolution: "rebooted" }) },
  ],
  "POST /v1/incidents/{id}/tries": [
    { ...missing, ...incident("/tries"), body: () => ({ action: "rebooted", helped: false }) },
  ],
  "POST /v1/incidents/{id}/reopen": [{ ...missing, ...incident("/reopen"), body: () => ({}) }],
  "POST /v1/incidents/{id}/merge": [
    { ...missing, ...incident("/merge"), body: ({ own: { incident: into } }) => ({ into }) },
    {
      ...missing,
      path: ({ own }) => `/v1/incidents/${own.incident}/merge`,
      body: ({ foreign }) => ({ into: foreign.incident }),
    },
  ],
  "POST /v1/incidents/{id}/split": [{ ...missing, ...incident("/split"), body: () => ({ targets: ["checkout"] }) }],
  "PUT /v1/incidents/{id}/steps/{key}": [
    { ...missing, ...incident("/steps/5f0c2b7a9d1e4c3f"), body: () => ({ done: true }) },
  ],
  "POST /v1/incidents/{id}/comments": [{ ...missing, ...incident("/comments"), body: () => ({ text: "seen" }) }],
  "PATCH /v1/incidents/{id}": [
    { ...missing, ...incident(), body: () => ({ domain: OWN }) },
    { ...missing, ...incident(), body: () => ({ acknowledged: true, title: "seen" }) },
    { expected: "outside", path: ({ own }) => `/v1/incidents/${own.incident}`, body: () => ({ domain: FOREIGN }) },
  ],
  "GET /v1/incidents/{id}/postmortem": [{ ...missing, ...incident("/postmortem") }],
  "GET /v1/incidents/{id}/sources/{source_id}": [{ ...missing, ...incident("/sources/any") }],
  "GET /v1/incidents/{id}/comparison/{other_id}": [
    { ...missing, path: ({ foreign, own }) => `/v1/incidents/${foreign.incident}/comparison/${own.incident}` },
    { ...missing, path: ({ foreign, own }) => `/v1/incidents/${own.incident}/comparison/${foreign.incident}` },
  ],
};
