// GET /v1/incidents: stored incidents, newest first.

import { createRoute, z } from "@hono/zod-openapi";
import type { Caller } from "../../../access/caller.ts";
import { MAX_STORED_SESSION_ID, storedSessionId } from "../../../access/session-ids.ts";
import {
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
import { pageOf, pageQuery, timeAndId } from "../../http/pagination.ts";
import { createRouter } from "../../http/router.ts";
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

const listQuery = z.strictObject({
  ...pageQuery(timeAndId),
  domain: domainNameSchema.optional().openapi({ description: "The name of a domain, such as `docker`." }),
  status: statuses,
  severity: z.enum(SEVERITIES).optional(),
  target: filledText(256).optional(),
  session_id: filledText(MAX_STORED_SESSION_ID).optional(),
  id_prefix: idPrefix,
  text: words,
});

const listedSchema = withFieldExamples(incidentSchema.extend(incidentSummarySchema.shape), SUMMARY_EXAMPLE);

const listRoute = createRoute({
  method: "get",
  path: "/v1/incidents",
  summary: "List incidents, newest first",
  ...scoped("read", notModified),
  request: { query: listQuery },
  responses: {
    200: {
      description: "A page of incidents.",
      content: {
        "application/json": {
          schema: z.object({ incidents: z.array(listedSchema), next_cursor: z.string().nullable() }),
        },
      },
    },
    304: NOT_MODIFIED,
  },
});

export const incidentListRoutes = createRouter().openapi(listRoute, async (c) => {
  const { limit, cursor, session_id, id_prefix, status, ...filters } = c.req.valid("query");
  const { database, now } = c.get("services");
  const caller = c.get("caller");
  const sessionId = session_id === undefined ? undefined : storedSessionId(caller, session_id);
  const rowsAfter = { limit: limit + 1, before: cursor ?? null, now: now() };
  const named = { statuses: status, sessionId, digits: id_prefix };
  const rows = await listIncidents(database, { ...filters, ...rowsAfter, ...named });
  const { page, next_cursor } = pageOf(rows, limit, (row) => [row.created_at, row.id]);
  return c.json({ incidents: page.map((row) => renderListed(row, caller)), next_cursor }, 200);
});

function renderListed(row: ListedIncident, caller: Caller): z.infer<typeof listedSchema> {
  const { alerts, firing_hours, last_activity_at, latest_triage, has_fix, ...incident } = row;
  return { ...renderIncident(incident, caller), alerts, firing_hours, last_activity_at, latest_triage, has_fix };
}
