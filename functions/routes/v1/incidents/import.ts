// POST /v1/incidents/import: resolved incidents of another system become past incidents.

import { createRoute, z } from "@hono/zod-openapi";
import { importIncidents, type OriginalIncident } from "../../../investigation/learning/import-incidents.ts";
import { IMPORT_LIMITS, SYSTEM_NAME } from "../../../schemas/imported.ts";
import { SEVERITIES } from "../../../schemas/incident.ts";
import { filledText, requireJsonBody, text } from "../../http/input.ts";
import { bodyContent, createRouter, jsonContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";

const time = z.iso.datetime({ offset: true });

const originalSchema = z
  .strictObject({
    id: filledText(IMPORT_LIMITS.id).openapi({ description: "Its id in the system." }),
    url: filledText(IMPORT_LIMITS.url).optional(),
    title: filledText(IMPORT_LIMITS.title),
    description: text(IMPORT_LIMITS.description).optional().openapi({
      description: "What people wrote about it, and its log. Similar incidents are found by both.",
    }),
    target: filledText(IMPORT_LIMITS.target)
      .optional()
      .openapi({ description: "The affected service, host or object." }),
    severity: z.enum(SEVERITIES).optional(),
    labels: z
      .record(filledText(128), text(IMPORT_LIMITS.label))
      .refine(
        (labels) => Object.keys(labels).length <= IMPORT_LIMITS.labels,
        `must hold at most ${IMPORT_LIMITS.labels} labels`,
      )
      .optional()
      .openapi({ description: "As of an alert: `domain` chooses the technology or team." }),
    opened_at: time,
    resolved_at: time,
    fix: filledText(IMPORT_LIMITS.fix).openapi({ description: "What resolved it." }),
    fixed_by: filledText(IMPORT_LIMITS.fixedBy).optional(),
  })
  .refine(({ opened_at, resolved_at }) => Date.parse(resolved_at) >= Date.parse(opened_at), {
    path: ["resolved_at"],
    message: "must not be before opened_at",
  });

const importSchema = z
  .strictObject({
    from: z
      .string()
      .regex(SYSTEM_NAME, "must be at most 63 lower-case letters, digits, hyphens or underscores")
      .openapi({ description: "The system. An incident is imported once for each system and id." }),
    incidents: z.array(originalSchema).min(1).max(IMPORT_LIMITS.incidents).openapi({
      description: "Oldest first, so that each fix is known to have held until the failure came back.",
    }),
    dry_run: z.boolean().default(false).openapi({ description: "Stores nothing: says what would happen." }),
  })
  .openapi({
    example: {
      from: "pagerduty",
      incidents: [
        {
          id: "Q1XK2P7RZ0ABCD",
          url: "https://example.pagerduty.com/incidents/Q1XK2P7RZ0ABCD",
          title: "orders-db: FATAL: sorry, too many clients already",
          target: "orders",
          severity: "high",
          opened_at: "2025-11-03T02:58:00Z",
          resolved_at: "2025-11-03T03:21:00Z",
          fix: "Lowered the pool of the worker from 100 to 20.",
          fixed_by: "dana",
        },
      ],
      dry_run: false,
    },
  });

const handledSchema = z.object({
  id: z.string(),
  incident_id: z.string().nullable().describe("Its id here; null if it is refused."),
  state: z
    .enum(["imported", "new", "present", "refused"])
    .describe(
      "`present`: it was imported before, or its webhook reported it; nothing changes. `new`: without `dry_run`, it would be imported.",
    ),
  reason: z.string().nullable().describe("Why it is refused."),
  domain: z
    .object({ name: z.string(), rule: z.string() })
    .nullable()
    .describe("Null unless it is imported or would be."),
});

const importedSchema = z.object({ incidents: z.array(handledSchema) }).openapi({
  example: {
    incidents: [
      {
        id: "Q1XK2P7RZ0ABCD",
        incident_id: "c54d0cc6-9a59-8a13-b0b5-54a1d0fd6c0e",
        state: "imported" as const,
        reason: null,
        domain: { name: "postgres", rule: 'words "too many clients"' },
      },
    ],
  },
});

const route = createRoute({
  method: "post",
  path: "/v1/incidents/import",
  summary: "Import resolved incidents of another system",
  description:
    "Each becomes a past incident with its fix, redacted as every report. It is not investigated, announced or counted. May be repeated.",
  ...scoped("ingest", requireJsonBody),
  request: { body: bodyContent(importSchema) },
  responses: {
    200: jsonContent("What became of each incident, in the order of the request.", importedSchema),
  },
});

export const importIncidentRoutes = createRouter().openapi(route, async (c) => {
  const { from, incidents, dry_run: isDryRun } = c.req.valid("json");
  const request = { from, incidents: incidents.map(originalOf), isDryRun, caller: c.get("caller") };
  const handled = await importIncidents(c.get("services"), request, c.get("runInBackground"));
  return c.json(
    {
      incidents: handled.map(({ id, incidentId, state, reason, domain }) => ({
        id,
        incident_id: incidentId,
        state,
        reason,
        domain,
      })),
    },
    200,
  );
});

function originalOf(body: z.infer<typeof originalSchema>): OriginalIncident {
  const { id, url, title, description, target, severity, labels, opened_at, resolved_at, fix, fixed_by } = body;
  return {
    id,
    url: url ?? null,
    title,
    description: description ?? null,
    target: target ?? null,
    severity: severity ?? null,
    labels: labels ?? {},
    openedAt: new Date(opened_at),
    resolvedAt: new Date(resolved_at),
    fix,
    fixedBy: fixed_by ?? null,
  };
}
