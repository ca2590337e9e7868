// Changes as plain JSON, for a line in a pipeline.

import { z } from "@hono/zod-openapi";
import { LIMITS } from "../../incidents/webhooks/alert-limits.ts";
import { time } from "../../incidents/webhooks/alert-times.ts";
import { domainNameSchema } from "../../schemas/domain.ts";
import { CHANGE_KINDS } from "../../schemas/live-evidence.ts";
import type { ChangeSender, ReportedChange } from "./sender.ts";

const MAX_CHANGES = 100;

const name = z.string().max(LIMITS.name);

export const plainChangeSchema = z.strictObject({
  service: name
    .refine((value) => value.trim() !== "", "must not be empty")
    .openapi({
      description: "The changed service, as alerts name it: `checkout`, or with its namespace `shop/checkout`.",
    }),
  kind: z.enum(CHANGE_KINDS).default("deployment"),
  title: z.string().max(LIMITS.title).optional().openapi({ description: "One line about the change." }),
  version: name.optional(),
  environment: name
    .optional()
    .openapi({ description: "Such as `production`. Incidents of other environments do not show it." }),
  by: name.optional().openapi({ description: "The person or system that made the change." }),
  url: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .max(LIMITS.runbook)
    .optional()
    .openapi({ description: "A page about it, such as the pipeline's run." }),
  at: time.optional().openapi({ description: "When the service changed; default: now." }),
  labels: z
    .record(z.string().max(LIMITS.labelName), z.string().max(LIMITS.labelValue))
    .refine((labels) => Object.keys(labels).length <= LIMITS.labels, `must have at most ${LIMITS.labels} labels`)
    .default({})
    .openapi({
      description:
        "As alerts have them. Those of workloads (`deployment`, `app`, …) are further names of the service; `namespace` and `cluster` say where it runs.",
    }),
  domain: domainNameSchema.optional().openapi({ description: "Default: by the labels and the service's name." }),
  id: z.string().min(1).max(LIMITS.name).optional().openapi({
    description:
      "An event of the same id is stored once. Without an id, the same content counts as repeated: with `at` always, without it for 10 minutes.",
  }),
});
type PlainChange = z.output<typeof plainChangeSchema>;

const EXAMPLE = {
  service: "checkout",
  version: "v1.42.0",
  environment: "production",
  by: "dana",
  url: "https://ci.example/runs/4711",
};

const schema = z
  .union([plainChangeSchema, z.array(plainChangeSchema).min(1).max(MAX_CHANGES)])
  .openapi({ example: EXAMPLE });

export const plain: ChangeSender<"json", "/v1/changes", typeof schema> = {
  name: "json",
  path: "/v1/changes",
  summary: "Report changes of services",
  description:
    `One change, or a list of at most ${MAX_CHANGES}. A triage shows the changes of the same service around the start of its incident. ` +
    "A time in the future counts as now. CDEvents and webhooks of GitHub may be sent here, too: their headers lead them to the paths below.",
  schema,
  signature: null,
  whenTooLarge: "Send fewer changes at once.",
  toChanges: (payload) => ({ changes: (Array.isArray(payload) ? payload : [payload]).map(changeOf), ignored: [] }),
};

function changeOf({ id, at, title, version, environment, by, url, domain, ...change }: PlainChange): ReportedChange {
  return {
    ...change,
    eventId: id ?? null,
    subject: null,
    at: at ?? null,
    aliases: [],
    title: title ?? null,
    version: version ?? null,
    environment: environment ?? null,
    by: by ?? null,
    url: url ?? null,
    domain: domain ?? null,
  };
}
