// Prometheus text exposition format, version 0.0.4. Pure functions.

import type { Sample } from "./read-metrics.ts";

export interface MetricFamily {
  /** For a histogram, without _bucket, _sum and _count. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** Names of its labels. */
  readonly labels: readonly string[];
  readonly help: string;
}

export const PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

const HISTOGRAM_SUFFIXES = ["_bucket", "_sum", "_count"];

/**
 * Renders families in order, each with its samples. Families without samples and samples without a family are left out.
 */
export function renderMetrics(families: readonly Omit<MetricFamily, "labels">[], samples: readonly Sample[]): string {
  const byName = Map.groupBy(samples, ({ metric }) => metric);
  return families
    .map(({ name, type, help }) => {
      const names = type === "histogram" ? HISTOGRAM_SUFFIXES.map((suffix) => name + suffix) : [name];
      const lines = names.flatMap((each) => byName.get(each) ?? []).map(renderSample);
      return lines.length === 0 ? "" : `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join("")}`;
    })
    .join("");
}

function renderSample({ metric, labels, value }: Sample): string {
  const pairs = Object.entries(labels).map(([name, text]) => `${name}="${escapeLabel(text)}"`);
  return `${metric}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}\n`;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
