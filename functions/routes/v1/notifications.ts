// Notification targets: list, read, define, delete, try.

import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import {
  MAX_TARGETS,
  restrictionProblem,
  targetDefinitionOf,
  targetInputSchema,
  targetKindOf,
  targetSchema,
} from "../../notifications/target-definition.ts";
import { deleteTarget, listTargets, putTarget, type TargetRow } from "../../notifications/target-records.ts";
import { notificationEventSchema } from "../../notifications/targets/webhook.ts";
import { tryTarget } from "../../notifications/try-target.ts";
import { domainNameSchema } from "../../schemas/domain.ts";
import type { AppEnv } from "../http/app-env.ts";
import { requireJsonBody } from "../http/input.ts";
import { Problem } from "../http/problem.ts";
import { bodyContent, createRouter, jsonContent, problemContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";

const EXAMPLE_NAME = "on-call";

const EXAMPLE_INPUT = {
  kind: "slack",
  options: { channel: "C024BE91L" },
  matchers: ['team=~"db|payments"'],
  min_severity: "high",
} satisfies z.input<typeof targetInputSchema>;

const EXAMPLE_RECORD = {
  name: EXAMPLE_NAME,
  kind: "slack",
  options: { channel: "C024BE91L" },
  credential: null,
  domains: [],
  matchers: EXAMPLE_INPUT.matchers,
  min_severity: "high" as const,
  outcomes: ["cause" as const, "possible" as const, "unknown" as const],
  events: ["answered" as const, "recurred" as const, "resolved" as const, "fix_did_not_hold" as const],
  window_minutes: 1_440,
  per_minute: 5,
  handover: "daily 08:00",
  problem: null,
  pending: 0,
  last_error: null,
  created_at: "2026-11-29T03:00:00+00:00",
  updated_at: "2026-11-29T03:00:00+00:00",
};

export const notificationTargetSchema = targetSchema
  .extend({
    kind: z.string().openapi({ description: "The system." }),
    options: z
      .record(z.string(), z.unknown())
      .openapi({ description: "Fields of this kind, such as `channel` or `url`. None is secret." }),
    credential: z.string().nullable().openapi({ description: "Name of the Worker secret; null without one." }),
    problem: z.string().nullable().openapi({
      description: "Why it can send nothing; null if nothing is missing.",
    }),
    pending: z.number().int().openapi({ description: "Messages that are not delivered in their present state." }),
    last_error: z
      .string()
      .nullable()
      .openapi({ description: "Why the last message that failed was not delivered; null if none failed." }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ example: EXAMPLE_RECORD });

const params = z.object({ name: domainNameSchema.openapi({ example: EXAMPLE_NAME }) });
const recordContent = { content: { "application/json": { schema: notificationTargetSchema } } };
const NO_SUCH_TARGET = problemContent("No target has this name.");

const listRoute = createRoute({
  method: "get",
  path: "/v1/notifications",
  summary: "List the notification targets by name",
  ...scoped("read"),
  responses: {
    200: jsonContent(
      `All targets, at most ${MAX_TARGETS}. A token that is limited to domains reads the targets that are limited to these.`,
      z.object({ targets: z.array(notificationTargetSchema) }),
    ),
  },
});

const getRoute = createRoute({
  method: "get",
  path: "/v1/notifications/{name}",
  summary: "Read a notification target",
  ...scoped("read"),
  request: { params },
  responses: {
    200: { description: "The target.", ...recordContent },
    404: NO_SUCH_TARGET,
  },
});

const putRoute = createRoute({
  method: "put",
  path: "/v1/notifications/{name}",
  summary: "Define a notification target, or replace its definition",
  description:
    "The next event of an incident uses it. A token that is limited to domains defines targets that are limited to these, with a credential whose name begins with `NOTIFY_<DOMAIN>__`.",
  ...scoped("admin", requireJsonBody),
  request: {
    params,
    body: bodyContent(targetInputSchema, { description: "An omitted field has its default.", example: EXAMPLE_INPUT }),
  },
  responses: {
    200: { description: "The definition was replaced.", ...recordContent },
    201: { description: "The target was defined.", ...recordContent },
    403: problemContent("The token is limited to other domains; nothing was stored."),
    409: problemContent("There are too many targets; nothing was stored."),
  },
});

const deleteRoute = createRoute({
  method: "delete",
  path: "/v1/notifications/{name}",
  summary: "Delete a notification target",
  ...scoped("admin"),
  request: { params },
  responses: {
    204: { description: "Deleted. The secret of its credential stays in the Worker." },
    404: NO_SUCH_TARGET,
  },
});

const tryInput = z
  .strictObject({
    incident_id: z.uuid().nullable().default(null).openapi({
      description: "The incident to show; a sample without one. A note on a ticket needs an incident that has one.",
    }),
  })
  .openapi({ example: { incident_id: null } });

const triedSchema = z
  .object({
    delivered: z.boolean(),
    failure: z
      .object({
        code: z.string().openapi({ description: "Such as `timeout`, `refused` or `busy`." }),
        detail: z.string(),
      })
      .nullable(),
    latency_ms: z.number(),
  })
  .openapi({ example: { delivered: true, failure: null, latency_ms: 142 } });

const tryRoute = createRoute({
  method: "post",
  path: "/v1/notifications/{name}/try",
  summary: "Send a message to a notification target now",
  ...scoped("admin", requireJsonBody),
  request: { params, body: bodyContent(tryInput) },
  responses: {
    200: jsonContent("Whether the target accepted the message. Nothing is recorded of it.", triedSchema),
    404: NO_SUCH_TARGET,
    422: problemContent("The incident does not exist, or has no ticket at this target."),
  },
});

export const notificationRoutes = createRouter()
  .openapi(listRoute, async (c) => {
    const targets = await listTargets(c.get("services").database);
    return c.json({ targets: targets.map((target) => recordOf(c, target)) }, 200);
  })
  .openapi(getRoute, async (c) => c.json(recordOf(c, await requireTarget(c, c.req.valid("param").name)), 200))
  .openapi(putRoute, async (c) => {
    const { name } = c.req.valid("param");
    const { database, now } = c.get("services");
    const target = targetDefinitionOf(name, c.req.valid("json"));
    const { domains } = c.get("caller");
    const problem = domains && restrictionProblem(target, domains);
    if (problem) throw new Problem("invalid-request", `\`${problem.field}\` ${problem.message}`, { errors: [problem] });
    const former = (await listTargets(database)).find((each) => each.name === name);
    // The former place has its messages, so nothing there can be edited any more.
    const isMoved = former !== undefined && placeOf(former) !== placeOf(target);
    const result = await putTarget(database, { target, isMoved, now: now() });
    if (result.state === "too_many")
      throw new Problem(
        "too-many-targets",
        `There are ${MAX_TARGETS} targets, the limit. Delete one that is not needed.`,
      );
    return c.json(recordOf(c, result.target), result.created ? 201 : 200);
  })
  .openapi(deleteRoute, async (c) => {
    if (!(await deleteTarget(c.get("services").database, c.req.valid("param").name))) throw noSuchTarget();
    return c.body(null, 204);
  })
  .openapi(tryRoute, async (c) => {
    const target = await requireTarget(c, c.req.valid("param").name);
    const { incident_id } = c.req.valid("json");
    const tried = await tryTarget(c.get("services"), target, incident_id);
    if (tried.state === "no_incident") throw invalidIncident("No incident has this id.");
    if (tried.state === "no_ticket")
      throw invalidIncident(
        `${targetKindOf(target.kind)?.product} has no ticket for it: name an incident that its webhook reported.`,
      );
    const failure = tried.state === "sent" ? null : { code: tried.code, detail: tried.detail };
    return c.json({ delivered: failure === null, failure, latency_ms: tried.latencyMs }, 200);
  });

notificationRoutes.openAPIRegistry.registerWebhook({
  method: "post",
  path: "notification",
  operationId: "notification",
  summary: "What a notification target of the kind `webhook` receives",
  description:
    "An event in the structured mode of CloudEvents 1.0. The headers `webhook-id`, `webhook-timestamp` and `webhook-signature` are those of Standard Webhooks: `v1,` and the Base64 of HMAC-SHA256 over `<id>.<timestamp>.<body>`.",
  request: {
    body: { required: true, content: { "application/cloudevents+json": { schema: notificationEventSchema } } },
  },
  responses: { 200: { description: "Any status 2xx: the event has arrived. Others are retried for a day." } },
});

/** Where its messages are. Another credential may be another account. */
function placeOf({ kind, options, credential }: Pick<TargetRow, "kind" | "options" | "credential">): string {
  return JSON.stringify([kind, credential, Object.entries(options).sort()]);
}

/** @throws Problem if there is none @throws DependencyError */
async function requireTarget(c: Context<AppEnv>, name: string): Promise<TargetRow> {
  const target = (await listTargets(c.get("services").database)).find((each) => each.name === name);
  if (target === undefined) throw noSuchTarget();
  return target;
}

function recordOf(c: Context<AppEnv>, target: TargetRow): z.infer<typeof notificationTargetSchema> {
  return { ...target, problem: c.get("services").notificationTargets.problemOf(target) };
}

function noSuchTarget(): Problem {
  return new Problem("not-found", "No target has this name. List targets with GET /v1/notifications.");
}

function invalidIncident(message: string): Problem {
  return new Problem("invalid-request", message, { errors: [{ field: "incident_id", message }] });
}
