// Reads the metrics from the database or from the text of a scrape.

import { z } from "zod";
import { METRIC_LABELS } from "../../../functions/routes/metric-labels.ts";
import { sql } from "../support/harness.ts";

export type Figures = Readonly<Record<string, number>>;

/** All samples of the database except those with the value 0, keyed by `name{label="value"}`. */
export async function figures(like = "dejavu_%"): Promise<Figures> {
  const rows = await sql<{ metric: string; labels: Record<string, string>; value: number }[]>`
    select metric, labels, value from public.metric_samples(${await labelsWithDomains()}::text::jsonb) where metric like ${like} and value <> 0`;
  return Object.fromEntries(rows.map(({ metric, labels, value }) => [seriesOf(metric, labels), value]));
}

/** All counters, without histograms. */
export async function counts(): Promise<Figures> {
  const all = Object.entries(await figures());
  return Object.fromEntries(all.filter(([series]) => /_total(\{|$)/.test(series)));
}

/** The label values of a scrape, with the domains that the database lists. */
export async function labelsWithDomains(): Promise<string> {
  const rows = await sql`select name from public.domains`;
  const domain = rows.map(({ name }) => z.string().parse(name));
  return JSON.stringify({ ...METRIC_LABELS, labels: { ...METRIC_LABELS.labels, domain } });
}

function seriesOf(metric: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return pairs.length === 0 ? metric : `${metric}{${pairs.sort().join(",")}}`;
}

/** The samples of a scrape, keyed by series. */
export function samplesOf(text: string): Figures {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );
}
