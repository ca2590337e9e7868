// GET /v1/incidents: stored incidents, the newest or the most urgent first.

import { createRoute, z } from "@hono/zod-openapi";
import type { Caller } from "../../../access/caller.ts";
import { MAX_STORED_SESSION_ID, storedSessionId } from "../../../access/session-ids.ts";
import type { Database } from "../../../adapters/database.ts";
import {
  type IncidentCounts,
  incidentCountsSchema,
  incidentDigits,
  incidentSummarySchema,
  type ListedIncident,
  listIncidents,
} from "../../../incidents/incident-records.ts";
import { domainNameSchema } from "../../../schemas/domain.ts";
import { SEVERITIES } from "../../../schemas/incident.ts";
import { INCIDENT_STATUSES } from "../../../schemas/incident-values.ts";
import { withFieldExamples } from "../../http/field-examples.ts";
import { filledText } from "../../http/input.ts";
import { cursorTime, pageOf, pageQuery, timeAndId } from "../../http/pagination.ts";
import { createRouter, jsonContent } from "../../http/router.ts";
import { NOT_MODIFIED, notModified } from "../../middleware/not-modified.ts";
import { scoped } from "../../middleware/require-scope.ts";
import { SUMMARY_EXAMPLE } from "./incident-examples.ts";
import { incidentSchema, renderIncident } from "./incident-schema.ts";

const MIN_PREFIX_DIGITS = 4;

const idPrefix = z
  .string()
  .transform((text, context) => {
    const digits = incidentDigits(text, MIN_PREFIX_DIGITS);
    if (digits !== undefined) return digits;
    const message = `must be the beginning of an id: at least ${MIN_PREFIX_DIGITS} of its hexadecimal digits`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  })
  .optional()
  .openapi({
    type: "string",
    description: `The beginning of an id, at least ${MIN_PREFIX_DIGITS} digits, such as 3f2a8c1e; hyphens may be left out.`,
  });

/** Stands for all statuses but `resolved`. */
const OPEN = "open";
const OPEN_STATUSES = INCIDENT_STATUSES.filter((status) => status !== "resolved");
const statusName = z.enum([...INCIDENT_STATUSES, OPEN]);

const statuses = z
  .string()
  .transform((text, context) => {
    const names = z.array(statusName).safeParse(text.split(","));
    if (names.success) return [...new Set(names.data.flatMap((name) => (name === OPEN ? OPEN_STATUSES : name)))];
    const message = `must be one or several of ${statusName.options.join(", ")}, separated by commas`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  })
  .optional()
  .openapi({
    type: "string",
    description: `One or several of ${INCIDENT_STATUSES.map((status) => `\`${status}\``).join(", ")}, separated by commas. \`${OPEN}\` stands for all but \`resolved\`.`,
  });

const words = filledText(200)
  .refine((text) => /[\p{L}\p{N}]/u.test(text), "must contain a letter or a digit")
  .optional()
  .openapi({
    description:
      "Words that the incident contains: in its title, question, target, labels or log. The beginning of a word is enough; case does not matter.",
  });

/** The cursor of a list that is sorted by urgency has it first. */
const position = z.union([
  timeAndId,
  z.tuple([z.number().int(), cursorTime, z.uuid()]).transform(([urgency, at, id]) => ({ at, id, urgency })),
]);

const dateTime = (description: string) =>
  cursorTime.optional().openapi({ type: "string", format: "date-time", description });

const listQuery = z
  .strictObject({
    ...pageQuery<z.infer<typeof position>>(position),
    sort: z.enum(["newest", "urgent"]).default("newest").openapi({
      description: "`urgent`: firing ones first, then by severity, then those that began last; resolved ones last.",
    }),
    counts: z
      .enum(["true", "false"])
      .default("false")
      .openapi({ description: "Whether all that match are counted, which reads each of them." }),
    since: dateTime("Began at this time or later: the earliest beginning of its alerts, else its report."),
    until: dateTime("Began before this time."),
    domain: domainNameSchema.optional().openapi({ description: "The name of a domain, such as `docker`." }),
    status: statuses,
    firing: z
      .enum(["true", "false"])
      .default("false")
      .openapi({ description: "Whether only those with an alert that fires are listed, resolved ones among them." }),
    severity: z.enum(SEVERITIES).optional(),
    target: filledText(256).optional(),
    service: filledText(256).optional().openapi({
      description:
        "The target, or the label `service`, `app` or `job`, of the incident or of one of its alerts. Case does not matter.",
    }),
    session_id: filledText(MAX_STORED_SESSION_ID).optional(),
    id_prefix: idPrefix,
    text: words,
  })
  .refine(({ sort, cursor }) => cursor === undefined || (sort === "urgent") === "urgency" in cursor, {
    path: ["cursor"],
    message: "is of a list with another sort; use next_cursor with the parameters of its page",
  });

const listedSchema = withFieldExamples(incidentSchema.extend(incidentSummarySchema.shape), SUMMARY_EXAMPLE);

const listRoute = createRoute({
  method: "get",
  path: "/v1/incidents",
  summary: "List incidents, the newest or the most urgent first",
  ...scoped("read", notModified),
  request: { query: listQuery },
  responses: {
    200: jsonContent(
      "A page of incidents.",
      z.object({
        incidents: z.array(listedSchema),
        next_cursor: z.string().nullable(),
        counts: incidentCountsSchema
          .nullable()
          .describe("Of all that match; null unless requested, on later pages, and when over 1,000 match `text`."),
      }),
    ),
    304: NOT_MODIFIED,
  },
});

export const incidentListRoutes = createRouter().openapi(listRoute, async (c) => {
  const { limit, cursor, session_id, id_prefix, status, firing, sort, counts, ...filters } = c.req.valid("query");
  const { database, now } = c.get("services");
  const caller = c.get("caller");
  const sessionId = session_id === undefined ? undefined : storedSessionId(caller, session_id);
  const isUrgentFirst = sort === "urgent";
  const isCounted = counts === "true" && cursor === undefined;
  const rowsAfter = { limit: limit + 1, before: cursor ?? null, now: now(), isUrgentFirst, isCounted };
  const named = { statuses: status, isFiring: firing === "true", sessionId, digits: id_prefix };
  const rows = await listIncidents(database, { ...filters, ...rowsAfter, ...named });
  const { page, next_cursor } = pageOf(rows, limit, (row) =>
    isUrgentFirst ? [row.urgency ?? 0, row.started_at, row.id] : [row.created_at, row.id],
  );
  const isNone = page[0] === undefined && isCounted;
  const counted = isNone ? await noCounts(database, now()) : (page[0]?.counts ?? null);
  return c.json({ incidents: page.map((row) => renderListed(row, caller)), next_cursor, counts: counted }, 200);
});

/** Of no incident that matches: only others are counted. */
async function noCounts(database: Database, now: Date): Promise<IncidentCounts> {
  const first = { limit: 1, before: null, now, isCounted: true } as const;
  const [fires] = await listIncidents(database, { ...first, statuses: ["resolved"], isFiring: true });
  return { ...NONE, resolved_firing: fires?.counts?.total ?? 0 };
}

const NONE = { total: 0, critical: 0, firing: 0, muted: 0, resolved_firing: 0 };

function renderListed(row: ListedIncident, caller: Caller): z.infer<typeof listedSchema> {
  const { alerts, started_at, last_activity_at, latest_triage, has_fix, mute, ...others } = row;
  const { failure_id, failure, ...rest } = others;
  const { urgency: _, counts: __, ...incident } = rest;
  const summary = { alerts, started_at, last_activity_at, latest_triage, failure_id, failure, has_fix, mute };
  return { ...renderIncident(incident, caller), ...summary };
}
