// The incident as the API returns it, and what the parts of its page get.

import type { components } from "../../../../../../client/client.js";

export type IncidentDetail = components["schemas"]["Incident"];

export interface IncidentProps {
  readonly incident: IncidentDetail;
  /** Loads the incident again, after a change. */
  readonly reload: () => Promise<void>;
}

/** Of the dialogs with a change. */
export interface DialogProps extends IncidentProps {
  readonly close: () => unknown;
}
