// The incident as the API returns it, and what every part of its record gets.

import type { components } from "../../../../../../client/client.js";

export type IncidentDetail = components["schemas"]["Incident"];

export interface RecordProps {
  readonly incident: IncidentDetail;
  /** Loads the incident again, after a change. */
  readonly reload: () => Promise<void>;
}

/** Of the dialogs with a change. */
export interface DialogProps extends RecordProps {
  readonly close: () => unknown;
}
