// Lists of each memory layer, of pending index writes and of audit events, page by page.

import { createRoute, z } from "@hono/zod-openapi";
import { MAX_STORED_SESSION_ID, sessionPrefix, storedSessionId } from "../../access/session-ids.ts";
import {
  auditEventSchema,
  listAuditEvents,
  listObservations,
  listOutbox,
  listPastAnswers,
  listProcedures,
  listSessions,
  memorySessionSchema,
  observationEntrySchema,
  outboxEntrySchema,
  pastAnswerEntrySchema,
  pendingAnnotationsSchema,
  procedureEntrySchema,
} from "../../memory/memory-lists.ts";
import { domainNameSchema } from "../../schemas/domain.ts";
import { filledText } from "../http/input.ts";
import { withOwnSessionName } from "../http/own-session-names.ts";
import { cursorTime, pageOf, pageQuery, timeAndId } from "../http/pagination.ts";
import { createRouter, jsonContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";

const domain = domainNameSchema.optional();
const text = filledText(200).optional().openapi({ description: "Only records that contain this text, in any case." });

/** Cursor of a list by row number. */
const serial = z.tuple([z.int().positive()]).transform(([id]) => id);
const timeAndSession = z.tuple([cursorTime, z.string()]).transform(([at, id]) => ({ at, id }));

const observationsRoute = pageRoute("/v1/memory/observations", "List observations, last seen first", {
  query: z.strictObject({ ...pageQuery(timeAndId), domain, text }),
  page: z.object({ observations: z.array(observationEntrySchema), next_cursor: z.string().nullable() }),
});

const pastAnswersRoute = pageRoute("/v1/memory/past-answers", "List past answers, newest first", {
  query: z.strictObject({
    ...pageQuery(timeAndId),
    domain,
    session_id: filledText(MAX_STORED_SESSION_ID).optional(),
    text,
  }),
  page: z.object({ past_answers: z.array(pastAnswerEntrySchema), next_cursor: z.string().nullable() }),
});

const sessionsRoute = pageRoute("/v1/memory/sessions", "List the token's sessions; with the scope `admin`, all", {
  query: z.strictObject(pageQuery(timeAndSession)),
  page: z.object({ sessions: z.array(memorySessionSchema), next_cursor: z.string().nullable() }),
});

const proceduresRoute = pageRoute("/v1/memory/procedures", "List procedures, last used first", {
  query: z.strictObject({ ...pageQuery(timeAndId), domain, text }),
  page: z.object({ procedures: z.array(procedureEntrySchema), next_cursor: z.string().nullable() }),
});

const outboxRoute = pageRoute("/v1/memory/outbox", "List pending index writes", {
  query: z.strictObject(pageQuery(serial)),
  page: z.object({
    pending: z.array(outboxEntrySchema),
    total: z.number().int().openapi({ description: "Number of pending writes on all pages.", example: 1 }),
    annotations: pendingAnnotationsSchema,
    next_cursor: z.string().nullable(),
  }),
});

const auditRoute = pageRoute("/v1/memory/audit", "List audit events, newest first", {
  query: z.strictObject(pageQuery(serial)),
  page: z.object({ events: z.array(auditEventSchema), next_cursor: z.string().nullable() }),
});

// Each handler asks for one row more than it returns, to determine whether there is a next page.
export const memoryRoutes = createRouter()
  .openapi(observationsRoute, async (c) => {
    const { limit, cursor, domain, text } = c.req.valid("query");
    const rows = await listObservations(c.get("services").database, { limit: limit + 1, after: cursor, domain, text });
    const { page, next_cursor } = pageOf(rows, limit, (row) => [row.last_seen_at, row.id]);
    return c.json({ observations: page, next_cursor }, 200);
  })
  .openapi(pastAnswersRoute, async (c) => {
    const { limit, cursor, domain, session_id, text } = c.req.valid("query");
    const caller = c.get("caller");
    const sessionId = session_id === undefined ? undefined : storedSessionId(caller, session_id);
    const options = { limit: limit + 1, after: cursor, domain, sessionId, text };
    const rows = await listPastAnswers(c.get("services").database, options);
    const { page, next_cursor } = pageOf(rows, limit, (row) => [row.created_at, row.id]);
    return c.json({ past_answers: page.map((row) => withOwnSessionName(caller, row)), next_cursor }, 200);
  })
  .openapi(sessionsRoute, async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const caller = c.get("caller");
    const options = { limit: limit + 1, after: cursor, prefix: sessionPrefix(caller) };
    const rows = await listSessions(c.get("services").database, options);
    const { page, next_cursor } = pageOf(rows, limit, (row) => [row.last_turn_at, row.session_id]);
    return c.json({ sessions: page.map((row) => withOwnSessionName(caller, row)), next_cursor }, 200);
  })
  .openapi(proceduresRoute, async (c) => {
    const { limit, cursor, domain, text } = c.req.valid("query");
    const rows = await listProcedures(c.get("services").database, { limit: limit + 1, after: cursor, domain, text });
    const { page, next_cursor } = pageOf(rows, limit, (row) => [row.last_used_at, row.id]);
    return c.json({ procedures: page, next_cursor }, 200);
  })
  .openapi(outboxRoute, async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const { pending, total, annotations } = await listOutbox(c.get("services").database, {
      limit: limit + 1,
      after: cursor,
    });
    const { page, next_cursor } = pageOf(pending, limit, (row) => [row.id]);
    return c.json({ pending: page, total, annotations, next_cursor }, 200);
  })
  .openapi(auditRoute, async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const rows = await listAuditEvents(c.get("services").database, { limit: limit + 1, after: cursor });
    const { page, next_cursor } = pageOf(rows, limit, (row) => [row.id]);
    return c.json({ events: page, next_cursor }, 200);
  });

function pageRoute<Path extends string, Query extends z.ZodObject, Page extends z.ZodObject>(
  path: Path,
  summary: string,
  { query, page }: { readonly query: Query; readonly page: Page },
) {
  return createRoute({
    method: "get",
    path,
    summary,
    ...scoped("read"),
    request: { query },
    responses: {
      200: jsonContent("A page.", page),
    },
  });
}
