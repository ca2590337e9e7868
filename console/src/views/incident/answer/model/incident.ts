// The incident as the API returns it, and what the parts of its page get.

import type { components } from "../../../../../../client/client.js";
import { withoutGeneratedEnd } from "../../../../../../functions/surroundings/service-names.ts";

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

type Place = Pick<IncidentDetail, "target" | "labels" | "title" | "reported_title"> & {
  readonly alerts: { readonly total: number };
};

/** The target; of a pod, the name of its workload. Null without one, and of alerts of several services: their title says so. */
export function serviceOf({ target, labels, title, reported_title, alerts }: Place): string | null {
  if (target === null || (alerts.total > 1 && reported_title !== null && !title.includes(target))) return null;
  return target === labels.pod ? withoutGeneratedEnd(target) : target;
}

/** Of the answer, where it has one: the alert of a pod may be about another technology. */
export function domainOf({ answer_domain, domain }: Pick<IncidentDetail, "answer_domain" | "domain">): string {
  return answer_domain ?? domain.name;
}
