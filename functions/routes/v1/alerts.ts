// Webhooks of monitoring systems: one endpoint for each entry of the registry.

import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { incidentLink } from "../../answer-view/console-link.ts";
import { ALERT_DECISIONS } from "../../incidents/alert-records.ts";
import { withoutForeignAlerts } from "../../incidents/foreign-domain.ts";
import { type AlertReceipt, ingestAlerts } from "../../incidents/ingest-alerts.ts";
import { createTargetOf } from "../../incidents/webhooks/alert-target.ts";
import { WEBHOOKS } from "../../incidents/webhooks/index.ts";
import type { Webhook, WebhookSignature } from "../../incidents/webhooks/webhook.ts";
import { domainCatalog } from "../../knowledge/domain-store.ts";
import { ALERT_STATUSES } from "../../schemas/alert.ts";
import type { AppEnv } from "../http/app-env.ts";
import { type JsonBodyRules, jsonBody } from "../http/input.ts";
import { Problem, problem, tooManyWaiting } from "../http/problem.ts";
import { publicOrigin } from "../http/public-origin.ts";
import { foreignReport } from "../http/refuse-foreign-report.ts";
import { bodyContent, createRouter, jsonContent, problemContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";

const EXAMPLE = {
  received: 1,
  stored: 1,
  truncated: 0,
  alerts: [
    {
      fingerprint: "505698848f8bc406",
      status: "firing",
      decision: "created",
      rule: "first of its kind",
      incident_id: "5b1c1f64-6f0e-4b7e-9d55-0d7c2a8f3e11",
      url: "https://dejavu.example.com/console/incidents/5b1c1f64-6f0e-4b7e-9d55-0d7c2a8f3e11",
      related_to: null,
    },
  ],
  incidents: ["5b1c1f64-6f0e-4b7e-9d55-0d7c2a8f3e11"],
  persisted: true as const,
};

export const alertReceiptSchema = z
  .object({
    received: z.number().int().describe("Number of alerts that were read."),
    stored: z.number().int().describe("Number of these alerts that were stored for the first time."),
    truncated: z
      .number()
      .int()
      .describe("Number of alerts that are not here: the sender left them out, or the webhook has more than 500."),
    alerts: z.array(
      z.object({
        fingerprint: z.string(),
        status: z.enum(ALERT_STATUSES).nullable(),
        decision: z
          .enum([...ALERT_DECISIONS, "ignored", "refused", "pending"])
          .describe(
            "created: it created an incident. deduplicated: it is stored already. grouped: it belongs to an open incident. resolved: it ended. ignored: no action. refused: it cannot be read. pending: the database is unavailable; it is decided when the alert is stored.",
          ),
        rule: z
          .string()
          .describe(
            "The reason for the decision. For a new alert: first of its kind; same fingerprint, new start; fired again after it had ended; still firing, and its investigation failed.",
          ),
        incident_id: z.uuid().nullable().describe("The incident that it belongs to."),
        url: z.url().nullable().describe("The page of the incident in the console."),
        related_to: z
          .uuid()
          .nullable()
          .describe("The incident that the same alert belonged to before, when a new one was opened."),
      }),
    ),
    incidents: z.array(z.uuid()).describe("Ids of the incidents that were opened."),
    persisted: z
      .union([z.literal(true), z.literal("pending")])
      .describe("`pending`: the database is unavailable; the alerts wait in a queue and are stored when it is back."),
  })
  .openapi({ example: EXAMPLE });

const responses = {
  202: jsonContent(
    "The alerts are stored, or wait in the queue until the database is back (`persisted`). `refused` alerts are not stored.",
    alertReceiptSchema,
  ),
  503: problemContent(
    "Nothing is stored: the secret is not set, database and queue are unavailable or an alert is too large for the queue, or too many incidents of the sender wait.",
  ),
};

/** Routes that require a token; mount them behind the token check. */
export const alertRoutes = createAlertRoutes(WEBHOOKS.filter(({ authentication }) => authentication.kind === "bearer"));

/** Routes whose signature replaces the token. Mount them before the token check. */
export const signedAlertRoutes = createAlertRoutes(
  WEBHOOKS.filter(({ authentication }) => authentication.kind === "signature"),
);

function createAlertRoutes(webhooks: readonly Webhook[]) {
  const router = createRouter();
  for (const webhook of webhooks) {
    router.openapi(createAlertRoute(webhook), async (c) => {
      const services = c.get("services");
      const payload: unknown = c.req.valid("json");
      const refusal = await webhook.verifyWithSender?.(payload, services.topics);
      if (refusal != null) throw new Problem("invalid-signature", refusal);
      const targetOf = createTargetOf(await domainCatalog(services));
      const received = webhook.toAlerts(payload, { receivedAt: services.now(), targetOf });
      const { delivery, foreign } = await withoutForeignAlerts(services, received);
      if (foreign !== null) throw foreignReport(services, foreign);
      const receipt = await ingestAlerts(services, delivery, {
        ...(webhook.authentication.kind === "signature"
          ? { reportedBy: webhook.name, owner: webhook.name }
          : { reportedBy: c.get("caller").id, owner: c.get("caller").owner }),
        runInBackground: c.get("runInBackground"),
      });
      if (receipt.postponed > 0)
        throw tooManyWaiting(services.config.MAX_WAITING_INCIDENTS, describePostponed(receipt));
      return c.json(render(receipt, publicOrigin(c)), 202);
    });
  }
  return router;
}

function createAlertRoute(webhook: Webhook) {
  const { name, summary, description, schema, authentication, isPlainText, whenTooLarge } = webhook;
  const { kind, signature } = authentication;
  const body = jsonBody({ whenTooLarge, isPlainText, ...(signature && { look: requireSignature(signature, kind) }) });
  const credential = kind === "signature" ? "signature" : "token or the signature";
  return createRoute({
    method: "post",
    path: `/v1/alerts/${name}`,
    summary,
    ...(description !== undefined && { description }),
    ...(kind === "signature" ? { security: [], middleware: [body] } : scoped(["report", "triage"], body)),
    request: { body: bodyContent(schema) },
    responses:
      signature || webhook.verifyWithSender
        ? { ...responses, 401: problemContent(`The ${credential} is missing or wrong.`) }
        : responses,
  });
}

/** Refuses a body without a valid signature. Beside a token, a signature is required only when its secret is set. */
export function requireSignature(
  { secretSetting, verify, remedy }: WebhookSignature,
  kind: Webhook["authentication"]["kind"],
): Required<JsonBodyRules>["look"] {
  return (c, body) => {
    const { config, now } = c.get("services");
    const secret = config[secretSetting];
    if (secret === undefined) return kind === "bearer" ? undefined : missingSecret(c, secretSetting);
    const isValid = verify(body, c.req.raw.headers, { secret, now: now() });
    return isValid ? undefined : problem(c, "invalid-signature", remedy);
  };
}

/** Seconds in which an operator sets a secret. */
const SECRET_RETRY_SECONDS = 60;

/** Nothing can be verified without the secret, so nothing is taken. */
function missingSecret(c: Context<AppEnv>, setting: WebhookSignature["secretSetting"]): Response {
  const detail = `The secret ${setting} is not set, so this webhook cannot be verified. Set it to the secret that the sender shows or uses: npx wrangler secret put ${setting}`;
  return problem(c, "misconfigured", detail, { headers: { "retry-after": String(SECRET_RETRY_SECONDS) } });
}

function describePostponed({ received, postponed }: AlertReceipt): string {
  return postponed === received
    ? "The alerts are not stored."
    : `${postponed} of ${received} alerts are not stored, the others are.`;
}

function render(
  { received, stored, truncated, alerts, incidents, persisted }: AlertReceipt,
  origin: string,
): z.infer<typeof alertReceiptSchema> {
  return {
    received,
    stored,
    truncated,
    alerts: alerts.map(({ incidentId, relatedTo, ...alert }) => ({
      ...alert,
      incident_id: incidentId,
      url: incidentId === null ? null : incidentLink(origin, incidentId),
      related_to: relatedTo,
    })),
    incidents: [...incidents],
    persisted,
  };
}
