// A case with sources of evidence: an alert, the state of the running system, and the answer that is right.

import type { TriageRequest } from "../../functions/incidents/create-incident.ts";
import type { ClusterObject } from "../../tests/integration/support/servers/cluster-selectors.ts";

export const PARTS = ["train", "held out", "second held out"] as const;
export type Part = (typeof PARTS)[number];

/** Values of one series. Times are relative to the alert. */
export interface Metric {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Minutes before the alert, and the value at that time. */
  readonly points: readonly (readonly [minutesAgo: number, value: number | "NaN"])[];
}

/** A metrics server in place of the real one. `lies`: series whose values are no numbers. */
export type MetricsFault = "hangs" | "refuses" | "sends a page" | "lies";

export interface CheckCase {
  readonly id: string;
  readonly part: Part;
  /** `right`: the checks show the cause. `misleading`: they say nothing of it, or something else. */
  readonly kind: "right" | "misleading";
  /** What the case tries, in one line. */
  readonly about: string;
  readonly request: TriageRequest;
  readonly metrics?: readonly Metric[];
  readonly objects?: readonly ClusterObject[];
  readonly metricsFault?: MetricsFault;
  /** Source of the right runbook, and the beginning of its cause where it lists several; null if none explains the alert. */
  readonly right: { readonly source: string; readonly cause?: string } | null;
  /** What the state of the system rules out: a source, or `source#beginning of a cause`. */
  readonly ruledOut: readonly string[];
}

const COUNTED_MINUTES = 15;

/** A value that was sampled at the time of the alert, or some minutes before. */
export function gauge(
  name: string,
  labels: Metric["labels"],
  value: number | "NaN",
  { minutesAgo = 0 }: { readonly minutesAgo?: number } = {},
): Metric {
  return { name, labels, points: [[minutesAgo, value]] };
}

/** A counter with one sample a minute. */
export function counter(name: string, labels: Metric["labels"], perSecond: number): Metric {
  const points = Array.from({ length: COUNTED_MINUTES + 1 }, (_, i) => {
    const minutesAgo = COUNTED_MINUTES - i;
    return [minutesAgo, 1_000 + i * 60 * perSecond] as const;
  });
  return { name, labels, points };
}
