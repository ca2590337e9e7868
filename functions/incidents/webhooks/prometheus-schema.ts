// Alerts in the format that Alertmanager and Grafana share: schema. The envelope is strict. Each alert is read on its own
// and leniently, because Alertmanager does not repeat a webhook that was refused. Pure functions.

import { z } from "@hono/zod-openapi";
import { ALERT_STATUSES, type UnstoredAlert } from "../../schemas/alert.ts";
import { optionalTime } from "./alert-times.ts";
import { textsOf } from "./optional-fields.ts";

/** Alerts in one webhook: a number that is stored well within a sender's timeout. The rest is counted. */
export const MAX_ALERTS = 500;

/** An object of texts. Numbers and booleans become text, and other values are dropped. */
const texts = z
  .custom<Record<string, string>>()
  .optional()
  .transform(textsOf)
  .openapi({ type: "object", additionalProperties: { type: "string" } });

const optionalText = z.string().optional().catch(undefined);

const prometheusAlertSchema = z.looseObject({
  /** Without it, the alert has the status of its group. */
  status: z.enum(ALERT_STATUSES).nullish(),
  labels: texts,
  annotations: texts,
  startsAt: optionalTime,
  endsAt: optionalTime,
  /** Without it, the labels identify the alert. */
  fingerprint: optionalText,
  valueString: optionalText,
  generatorURL: optionalText,
  silenceURL: optionalText,
  dashboardURL: optionalText,
  panelURL: optionalText,
});
export type PrometheusAlert = z.infer<typeof prometheusAlertSchema>;

interface ReadAlerts {
  readonly readable: readonly PrometheusAlert[];
  readonly refused: readonly UnstoredAlert[];
  /** Number of alerts beyond the limit, which were not read. */
  readonly leftOut: number;
}

/** The fields that both webhooks have. */
export const prometheusWebhookFields = {
  status: z
    .enum(ALERT_STATUSES)
    .optional()
    .catch(undefined)
    .openapi({ type: "string", enum: [...ALERT_STATUSES] }),
  groupKey: z.string().optional().catch(undefined).openapi({ type: "string", description: "The group of the sender." }),
  groupLabels: texts,
  commonLabels: texts,
  commonAnnotations: texts,
  truncatedAlerts: z
    .number()
    .int()
    .min(0)
    .catch(0)
    .openapi({ type: "integer", minimum: 0, description: "Number of alerts that the sender left out." }),
  alerts: z
    .array(z.custom<z.input<typeof prometheusAlertSchema>>())
    .transform(readAlerts)
    .openapi({
      type: "array",
      items: alertJsonSchema(),
      description: `The first ${MAX_ALERTS} are read. An alert without a status has that of the group; one without either is refused alone.`,
    }),
};
export const WHEN_TOO_LARGE = `Set max_alerts in the receiver, ${MAX_ALERTS} for example, so that it sends fewer alerts at once.`;

export type PrometheusWebhook = z.infer<z.ZodObject<typeof prometheusWebhookFields>>;

function readAlerts(values: readonly unknown[]): ReadAlerts {
  const readable: PrometheusAlert[] = [];
  const refused: UnstoredAlert[] = [];
  for (const value of values.slice(0, MAX_ALERTS)) {
    const parsed = prometheusAlertSchema.safeParse(value);
    if (parsed.success) readable.push(parsed.data);
    else refused.push(refusedAlert(value));
  }
  return { readable, refused, leftOut: Math.max(0, values.length - MAX_ALERTS) };
}

/** An alert without a status of its own or of its group, or with an unknown status. Nothing else is refused in an object. */
export function refusedAlert(value: unknown): UnstoredAlert {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { fingerprint: "", status: null, rule: "it is not an object" };
  const fingerprint = "fingerprint" in value && typeof value.fingerprint === "string" ? value.fingerprint : "";
  return {
    fingerprint: /^[\x21-\x7e]{1,128}$/.test(fingerprint) ? fingerprint : "",
    status: null,
    rule: 'its status is neither "firing" nor "resolved"',
  };
}

/** The transformation hides the items of the array from the OpenAPI document. */
function alertJsonSchema() {
  const text = { type: "string" } as const;
  const textMap = { type: "object", additionalProperties: text } as const;
  const time = { type: "string", format: "date-time" } as const;
  return {
    type: "object" as const,
    properties: {
      status: { type: "string" as const, enum: [...ALERT_STATUSES] },
      labels: textMap,
      annotations: textMap,
      startsAt: {
        ...time,
        description: "When it started. The time of receipt replaces a missing time, a year before 2000 and the future.",
      },
      endsAt: { ...time, description: "When it ended. An end before the start means that it has not ended." },
      fingerprint: { ...text, description: "Its id. Without it, the labels identify the alert." },
      generatorURL: {
        ...text,
        description:
          "Link to the graph of its rule. The expression in it is plotted from a source of evidence; the link is not called.",
      },
      valueString: { ...text, description: "Grafana only: the measured values that made it fire." },
    },
    additionalProperties: true,
  };
}
