// Where an incident is, in words. A pure function.

import { withoutGeneratedEnd } from "./service-names.ts";

/** Where its alerts fire, such as `15 services`; else its target, of a pod the name of its workload. Null without one. */
export function placeText(incident: {
  readonly target: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly alerts: { readonly place: string | null };
}): string | null {
  const { target, labels, alerts } = incident;
  return alerts.place ?? (target !== null && target === labels.pod ? withoutGeneratedEnd(target) : target);
}
