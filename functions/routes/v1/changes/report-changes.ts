// Reports of changes: one endpoint for each sender of the registry.

import { createRoute, z } from "@hono/zod-openapi";
import { findForeignChange, ingestChanges } from "../../../changes/ingest-changes.ts";
import { CHANGE_SENDERS } from "../../../changes/senders/index.ts";
import type { ChangeSender } from "../../../changes/senders/sender.ts";
import { jsonBody } from "../../http/input.ts";
import { foreignReport } from "../../http/refuse-foreign-report.ts";
import { bodyContent, createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";
import { requireSignature } from "../alerts.ts";

export const changeReceiptSchema = z
  .object({
    changes: z.array(
      z.object({
        id: z.string().nullable(),
        service: z.string(),
        at: z.string().describe("When the service changed."),
        state: z
          .enum(["stored", "repeated", "pending"])
          .describe("repeated: this event is stored already. pending: it is stored when the database is back."),
      }),
    ),
    ignored: z
      .array(z.object({ event: z.string(), rule: z.string().describe("The reason.") }))
      .describe("Events that change no service."),
    persisted: z
      .union([z.literal(true), z.literal("pending")])
      .describe("`pending`: the database is unavailable; the changes wait in a queue and are stored when it is back."),
  })
  .openapi({
    example: {
      changes: [
        {
          id: "5b1c1f64-6f0e-4b7e-9d55-0d7c2a8f3e11",
          service: "checkout",
          at: "2026-03-01T02:41:00.000Z",
          state: "stored",
        },
      ],
      ignored: [],
      persisted: true as const,
    },
  });

const responses = {
  202: jsonContent(
    "The changes are stored, or wait in the queue until the database is back (`persisted`).",
    changeReceiptSchema,
  ),
  503: problemContent(
    "The secret of the webhook is not set, or database and queue are unavailable. Send it again after `Retry-After`.",
  ),
};

/** Routes that require a token; mount them behind the token check. */
export const reportChangeRoutes = createReportRoutes(CHANGE_SENDERS.filter(({ signature }) => signature === null));

/** Routes whose signature replaces the token. Mount them before the token check. */
export const signedChangeRoutes = createReportRoutes(CHANGE_SENDERS.filter(({ signature }) => signature !== null));

function createReportRoutes(senders: readonly ChangeSender[]) {
  const router = createRouter();
  for (const sender of senders) {
    router.openapi(createReportRoute(sender), async (c) => {
      const services = c.get("services");
      const delivery = sender.toChanges(c.req.valid("json"));
      const foreign = await findForeignChange(services, delivery.changes);
      if (foreign !== null) throw foreignReport(services, foreign);
      const owner = sender.signature === null ? c.get("caller").owner : sender.name;
      const { changes, ignored, persisted } = await ingestChanges(services, delivery, { source: sender.name, owner });
      return c.json({ changes: [...changes], ignored: [...ignored], persisted }, 202);
    });
  }
  return router;
}

function createReportRoute({ path, summary, description, schema, signature, whenTooLarge }: ChangeSender) {
  const body = jsonBody({ whenTooLarge, ...(signature && { look: requireSignature(signature, "signature") }) });
  return createRoute({
    method: "post",
    path,
    summary,
    description,
    ...(signature === null ? scoped(["report", "triage"], body) : { security: [], middleware: [body] }),
    request: { body: bodyContent(schema) },
    responses:
      signature === null ? responses : { ...responses, 401: problemContent("The signature is missing or wrong.") },
  });
}
