// Samples for a Prometheus in which each situation of each check is apart from all others, by a label or by its time.

import { sample } from "../metrics/real-prometheus.ts";
import type { Course, MetricSituations, Samples } from "./fixtures/situations.ts";

/** The time of the checks whose situations are apart by a label. */
const BASE = Date.parse("2026-03-01T03:00:00Z");
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** More than the history of a situation, and more than the staleness of a sample. */
const SLOT_MS = 2 * HOUR_MS;
const MINUTES = 65;
/** Before every sample. */
const EMPTY_AT = new Date(BASE - 100 * HOUR_MS);

type Labels = Readonly<Record<string, string>>;

/** A situation as an alert sees it. */
export interface AlertSituation {
  readonly labels: Labels;
  readonly at: Date;
}

/** Labels of the alert's own exporter, which is not the one that a check reads. */
const FOREIGN: Labels = {
  alertname: "Sample",
  severity: "critical",
  job: "another-exporter",
  instance: "10.9.9.9:8080",
};

/** @param key unique for a situation @param slot number of the situation in time, from 1 */
export function alertSituation({ apart, labels }: MetricSituations, key: string, slot: number): AlertSituation {
  if (apart === null) return { labels: { ...FOREIGN, ...labels }, at: new Date(BASE + slot * SLOT_MS) };
  return { labels: { ...FOREIGN, ...labels, [apart]: key }, at: new Date(BASE) };
}

/** The alert of the same check where nothing was ever measured. */
export function alertWithoutData(situations: MetricSituations): AlertSituation {
  return { ...alertSituation(situations, "absent", 0), at: EMPTY_AT };
}

/** The lines of a situation, in the text format of OpenMetrics. */
export function historyOf(
  { apart, labels = {}, hours }: MetricSituations,
  samples: Samples,
  alert: AlertSituation,
): string[] {
  const own = apart === null ? labels : { ...labels, [apart]: alert.labels[apart] ?? "" };
  const minutes = hours === undefined ? MINUTES : hours * 60;
  return Object.entries(samples).flatMap(([key, course]) => {
    const series = seriesOf(key, own);
    return Array.from({ length: minutes + 1 }, (_, i) => {
      const before = minutes - i;
      const time = new Date(alert.at.getTime() - before * MINUTE_MS);
      return sample(series.name, series.labels, measuredAt(course, { before, time, at: alert.at, minutes }), time);
    });
  });
}

function seriesOf(key: string, own: Labels): { readonly name: string; readonly labels: Labels } {
  const { at, name, list } = /^(?<at>@?)(?<name>[a-zA-Z0-9_:]+)(?:\{(?<list>.*)\})?$/.exec(key)?.groups ?? {};
  if (name === undefined) throw new Error(`${key} is no series.`);
  const written = Object.fromEntries(
    [...(list ?? "").matchAll(/(\w+)="([^"]*)"/g)].map(([, label = "", value = ""]) => [
      label,
      value.startsWith("$") ? (own[value.slice(1)] ?? "") : value,
    ]),
  );
  return { name, labels: at === "@" ? written : { ...own, ...written } };
}

function measuredAt(
  course: Course,
  { before, time, at, minutes }: { before: number; time: Date; at: Date; minutes: number },
): number {
  if (typeof course === "number") return course;
  if ("rate" in course) return 1_000 + course.rate * (minutes - before) * 60;
  if ("clock" in course) return time.getTime() / 1_000 + course.clock;
  if ("moment" in course) return at.getTime() / 1_000 + course.moment;
  return course.steps.findLast(([from]) => before <= from)?.[1] ?? course.steps[0]?.[1] ?? 0;
}
