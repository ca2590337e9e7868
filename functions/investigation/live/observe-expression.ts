// Observes the expression of an alert around its start, for a plot. One request.

import { alertExpression, isOfAlert } from "../../../lib/checks/promql/alert-expression.ts";
import type { EvidenceClient, QueryCall } from "../../adapters/evidence/client.ts";
import type { Incident } from "../../schemas/incident.ts";
import type { ObservedExpression } from "../../schemas/live-evidence.ts";

const AROUND_MS = 30 * 60_000;
const MAX_POINTS = 60;

/**
 * The expression without its threshold, from half an hour before the start to half an hour after it or to now. Null if the
 * incident has none that may run, or if it has no value of this alert, or too many.
 * @param client of a source that takes PromQL
 * @throws DependencyError
 */
export async function observeExpression(
  client: EvidenceClient,
  { expression, labels }: Pick<Incident, "expression" | "labels">,
  { start, now }: { readonly start: Date; readonly now: Date },
  call: QueryCall,
): Promise<ObservedExpression | null> {
  const scoped = expression === null ? null : alertExpression(expression, labels);
  const from = new Date(start.getTime() - AROUND_MS);
  const to = new Date(Math.min(now.getTime(), start.getTime() + AROUND_MS));
  if (scoped === null || to <= from) return null;
  const query = { language: "promql", expression: scoped, start: from, end: to, points: MAX_POINTS } as const;
  const result = await client.run(query, call);
  if (result.kind !== "series") return null;
  const series = result.series
    .filter((each) => isOfAlert(each.labels, labels))
    .map((each) => ({ labels: { ...each.labels }, points: each.points.map(plotPoint) }));
  if (series.length === 0) return null;
  return {
    source: client.definition.name,
    link: client.linkTo(query),
    query: scoped,
    start: from.toISOString(),
    end: to.toISOString(),
    series,
  };
}

function plotPoint([time, value]: readonly [number, number]): [number, number | null] {
  return [Math.round(time / 1_000), Number.isFinite(value) ? value : null];
}
