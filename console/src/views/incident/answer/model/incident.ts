// The incident as the API returns it, and what the parts of its page get.

import type { components } from "../../../../../../client/client.js";
import type { AnswerView, Item } from "../../../../../../functions/answer-view/answer-view.ts";
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

/** The target; of a pod, the name of its workload. Null without one. */
export function serviceOf(target: string | null, labels: Readonly<Record<string, string>>): string | null {
  return target !== null && target === labels.pod ? withoutGeneratedEnd(target) : target;
}

/** The one step to do first: a check before what changes something. */
export function firstStep({ sections }: Pick<AnswerView, "sections">): Item | undefined {
  const itemOf = (kind: string) => sections.find((each) => each.kind === kind)?.items[0];
  return itemOf("confirm") ?? itemOf("candidates")?.checks[0] ?? itemOf("look_next") ?? itemOf("mitigate");
}
