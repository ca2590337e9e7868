// The table of docs/reference/metrics.md, from the metric families.

import { METRIC_FAMILIES } from "../../functions/telemetry/metric-families.ts";

export function metricsTable(): string {
  const rows = METRIC_FAMILIES.map(({ name, type, labels, help }) => {
    const names = labels.map((label) => `\`${label}\``).join(", ");
    return `| \`${name}\` | ${type} | ${names} | ${help} |`;
  });
  return ["| metric | type | labels | meaning |", "|---|---|---|---|", ...rows, ""].join("\n");
}
