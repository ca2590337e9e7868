// GET /metrics: metrics in the Prometheus text format.

import { createRoute, z } from "@hono/zod-openapi";
import { settle } from "../dependencies.ts";
import { JOB_NAMES, SCHEDULE } from "../jobs/schedule.ts";
import type { Services } from "../services.ts";
import { METRIC_FAMILIES } from "../telemetry/metric-families.ts";
import { PROMETHEUS_TEXT, renderMetrics } from "../telemetry/prometheus-text.ts";
import { readMetrics, type Sample } from "../telemetry/read-metrics.ts";
import { createRouter } from "./http/router.ts";
import { METRIC_LABELS } from "./metric-labels.ts";
import { scoped } from "./middleware/require-scope.ts";

const route = createRoute({
  method: "get",
  path: "/metrics",
  summary: "Get the metrics of Dejavu",
  ...scoped(["read", "admin"]),
  responses: {
    200: {
      description:
        "Prometheus text format. Without the database, only `dejavu_database_up` 0 and `dejavu_build_info` are reported.",
      content: {
        "text/plain": {
          schema: z.string(),
          example:
            '# HELP dejavu_triages_total Finished triages.\n# TYPE dejavu_triages_total counter\ndejavu_triages_total{domain="docker",mode="extractive",outcome="cause"} 42\n',
        },
      },
    },
  },
});

export const metricsRoutes = createRouter().openapi(route, async (c) => {
  const services = c.get("services");
  const figures = await figuresOf(services);
  const own: Sample[] = [
    { metric: "dejavu_build_info", labels: { version: services.version }, value: 1 },
    { metric: "dejavu_database_up", labels: {}, value: figures ? 1 : 0 },
  ];
  const body = renderMetrics(METRIC_FAMILIES, [...own, ...(figures ? [...figures, ...JOB_INTERVALS] : [])]);
  return c.text(body, 200, { "content-type": PROMETHEUS_TEXT });
});

const JOB_INTERVALS: readonly Sample[] = JOB_NAMES.map((name) => ({
  metric: "dejavu_job_interval_seconds",
  labels: { name },
  value: SCHEDULE[name].everyMinutes * 60,
}));

/** Null while the database is unavailable: the scrape still succeeds and reports that as `dejavu_database_up 0`. */
async function figuresOf({ database, log }: Services): Promise<Sample[] | null> {
  const figures = await settle(readMetrics(database, METRIC_LABELS));
  if (figures.ok) return figures.value;
  log("warn", "metrics.database_unavailable", { error: figures.error.message });
  return null;
}
