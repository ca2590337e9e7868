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

/** Of the answer, where it has one: the alert of a pod may be about another technology. */
export function domainOf({ answer_domain, domain }: Pick<IncidentDetail, "answer_domain" | "domain">): string {
  return answer_domain ?? domain.name;
}
