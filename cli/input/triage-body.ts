// The fields of POST /v1/triage that the command line sends.

import type { Severity } from "../../functions/schemas/incident.ts";

export interface TriageBody {
  /** At most 1,000 characters. A title or a question is needed. */
  readonly title?: string;
  /** At most 4,000 characters. */
  readonly question?: string;
  readonly target?: string;
  readonly severity?: Severity;
  readonly labels?: Readonly<Record<string, string>>;
  /** At most 500,000 characters. */
  readonly logs?: string;
  readonly runbook_url?: string;
  readonly incident_type?: string;
  readonly session_id?: string;
}
