// The handover of a shift, and statistics of incidents.

import { createRoute, z } from "@hono/zod-openapi";
import { readHandover, readIncidentStats } from "../../incidents/reports/read-reports.ts";
import { startOfPeriod } from "../../quality/period.ts";
import { handoverSchema, incidentStatsSchema, type ReportedIncident } from "../../schemas/reports.ts";
import { createRouter, jsonContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";
import { periodQuery } from "./quality/period-query.ts";

const HOUR_MS = 3_600_000;
/** A month. */
const MAX_HOURS = 744;
const DEFAULT_HOURS = 12;

const INCIDENT_EXAMPLE: ReportedIncident = {
  id: "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a",
  title: "api-gateway container exited with code 137",
  severity: "high",
  status: "resolved",
  domain: "docker",
  target: "api-gateway",
  started_at: "2026-03-01T03:00:00+00:00",
  ended_at: "2026-03-01T03:40:00+00:00",
  alerts: { total: 3, firing: 0 },
  outcome: "cause",
  failure_id: "docker/exit-codes.md: Container killed with exit code 137 (out of memory)",
  owner: "dana",
  acknowledged_by: "dana",
  resolution: "Raised the memory limit to 1 GiB.",
  resolved_by: "dana",
  came_back_at: null,
};
const SAME_EXAMPLE = { incidents: 1, since: INCIDENT_EXAMPLE.started_at, firing: 0, longest_minutes: 40 };
const NOTHING = { total: 0, incidents: [] };
const HANDOVER_EXAMPLE: z.infer<typeof handoverSchema> = {
  since: "2026-02-28T18:00:00.000Z",
  until: "2026-03-01T06:00:00.000Z",
  firing: NOTHING,
  open: { ...NOTHING, older: 2 },
  resolved: { total: 1, with_fix: 1, incidents: [{ ...INCIDENT_EXAMPLE, same: SAME_EXAMPLE }] },
  came_back: { total: 0, failures: [] },
  without_runbook: { total: 0, gaps: [] },
  mutes: [],
};
const MINUTES = { mean_minutes: 52.5, median_minutes: 40 };
const STATS_EXAMPLE: z.infer<typeof incidentStatsSchema> = {
  since: "2026-01-31T00:00:00.000Z",
  incidents: 14,
  resolved: 12,
  with_fix: 5,
  time_to_resolve: MINUTES,
  time_to_fix: MINUTES,
  failures: 6,
  repeated: 2,
  minutes_lost: 630,
  top: [
    {
      incident_id: INCIDENT_EXAMPLE.id,
      title: INCIDENT_EXAMPLE.title,
      domain: "docker",
      severity: "high",
      target: "api-gateway",
      incidents: 4,
      minutes_lost: 210,
      last_at: "2026-03-01T03:00:00+00:00",
      fix: INCIDENT_EXAMPLE.resolution,
    },
  ],
};

const handoverRoute = createRoute({
  method: "get",
  path: "/v1/handover",
  summary: "Read what the next shift must know",
  ...scoped("read"),
  request: {
    query: z.strictObject({
      hours: z.coerce
        .number()
        .int()
        .min(1)
        .max(MAX_HOURS)
        .default(DEFAULT_HOURS)
        .openapi({ description: "Length of the shift, until now." }),
    }),
  },
  responses: {
    200: jsonContent(
      "What fires, is open, was resolved, came back, has no runbook, and is muted.",
      handoverSchema.meta({ example: HANDOVER_EXAMPLE }),
    ),
  },
});

const statsRoute = createRoute({
  method: "get",
  path: "/v1/stats",
  summary: "Read how long incidents took, and which came back",
  ...scoped("read"),
  request: { query: periodQuery },
  responses: {
    200: jsonContent("The figures.", incidentStatsSchema.meta({ example: STATS_EXAMPLE })),
  },
});

export const reportRoutes = createRouter()
  .openapi(handoverRoute, async (c) => {
    const { database, now } = c.get("services");
    const until = now();
    const since = new Date(until.getTime() - c.req.valid("query").hours * HOUR_MS);
    return c.json(await readHandover(database, { since, now: until }), 200);
  })
  .openapi(statsRoute, async (c) => {
    const { database, now } = c.get("services");
    const until = now();
    const since = startOfPeriod(until, c.req.valid("query").days);
    return c.json(await readIncidentStats(database, { since, now: until }), 200);
  });
