// The domain and the type that a report would get.

import { createRoute, z } from "@hono/zod-openapi";
import { findHeadline } from "../../../../lib/logs/find-headline.ts";
import { createIncident } from "../../../incidents/create-incident.ts";
import type { IncidentServices } from "../../../incidents/incident-services.ts";
import { domainCatalog } from "../../../knowledge/domain-store.ts";
import type { DomainCatalog } from "../../../knowledge/domains/domain-catalog.ts";
import { DOMAIN_DECIDERS, domainResultSchema } from "../../../schemas/domain.ts";
import type { Incident } from "../../../schemas/incident.ts";
import { filledText, requireJsonBody, text } from "../../http/input.ts";
import { bodyContent, createRouter, jsonContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";

const MAX_LABELS = 64;

const requestSchema = z
  .strictObject({
    text: filledText(100_000).openapi({ description: "A title, a question or a log. One line is a title." }),
    labels: z
      .record(filledText(128), text(1_024))
      .refine((labels) => Object.keys(labels).length <= MAX_LABELS, `must hold at most ${MAX_LABELS} labels`)
      .default({}),
  })
  .openapi({ example: { text: "payments-api: declined by processor", labels: { team: "payments" } } });

const routedSchema = z
  .object({
    title: z.string().openapi({ description: "The title that the incident would have." }),
    domain: domainResultSchema.extend({
      decided_by: z.enum(DOMAIN_DECIDERS).openapi({ description: "What chose the domain. `none`: nothing did." }),
      limits_search: z.boolean().openapi({
        description: "Whether only this domain and `general` are searched, while they hold something relevant.",
      }),
    }),
    preferred: z
      .array(z.object({ name: z.string(), strength: z.number().min(0).max(1) }))
      .openapi({ description: "Domains whose texts rank higher, the strongest first." }),
    excluded: z.array(z.string()).openapi({
      description: "Domains with `only_when_decided` that the report does not belong to: they are not searched.",
    }),
    incident_type: z.object({ name: z.string(), rule: z.string() }),
  })
  .openapi({
    example: {
      title: "payments-api: declined by processor",
      domain: { name: "payments", rule: "label team=payments", decided_by: "label", limits_search: true },
      preferred: [{ name: "payments", strength: 1 }],
      excluded: ["dejavu"],
      incident_type: { name: "processor_declines", rule: 'words "declined by processor"' },
    },
  });

const routeTextRoute = createRoute({
  method: "post",
  path: "/v1/domains/route",
  summary: "Show the domain and the incident type that a report would get",
  ...scoped("read", requireJsonBody),
  request: { body: bodyContent(requestSchema) },
  responses: {
    200: jsonContent(
      "The domain, the type and the rules that decided. A language model, if there is one, may decide otherwise.",
      routedSchema,
    ),
  },
});

export const routeTextRoutes = createRouter().openapi(routeTextRoute, async (c) => {
  const services = c.get("services");
  const { title, domain, type } = previewRoute(services, await domainCatalog(services), c.req.valid("json"));
  const preferred = Object.entries(domain.preferred)
    .map(([name, strength]) => ({ name, strength }))
    .sort((a, b) => b.strength - a.strength || (a.name < b.name ? -1 : 1));
  return c.json(
    {
      title,
      domain: {
        name: domain.name,
        rule: domain.rule,
        decided_by: domain.decidedBy,
        limits_search: domain.limitsSearch,
      },
      preferred,
      excluded: [...domain.excluded],
      incident_type: { name: type.name, rule: type.rule },
    },
    200,
  );
});

interface RouteText {
  /** A title, a question or a log; at least one visible character. */
  readonly text: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** One line is a title. Several lines are a log, and the line that says what failed is the title. */
function previewRoute(
  { guard, now }: Pick<IncidentServices, "guard" | "now">,
  catalog: DomainCatalog,
  { text, labels }: RouteText,
): Pick<Incident, "title" | "domain" | "type"> {
  const isLog = text.trim().includes("\n");
  const report = isLog ? { title: findHeadline(text), logs: text, labels } : { title: text.trim(), labels };
  return createIncident(guard.request(report).request, { catalog, now: now(), newId: () => "" });
}
