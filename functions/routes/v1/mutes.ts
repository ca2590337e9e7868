// Mutes: list, add, end.

import { createRoute, z } from "@hono/zod-openapi";
import { personName } from "../../access/caller.ts";
import {
  addMute,
  endMute,
  listMutes,
  MAX_MUTE_DAYS,
  MAX_MUTES,
  muteEndProblem,
  muteSchema,
} from "../../notifications/mutes.ts";
import { silenceChanges } from "../../notifications/silence-events.ts";
import { matchersSchema } from "../../notifications/target-definition.ts";
import { domainNameSchema } from "../../schemas/domain.ts";
import { personField, requireJsonBody } from "../http/input.ts";
import { Problem } from "../http/problem.ts";
import { bodyContent, createRouter, jsonContent, problemContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";

const EXAMPLE_INPUT = {
  matchers: ['alertname="KubePodCrashLooping"', 'namespace="shop"'],
  reason: "planned migration",
  ends_at: "2026-03-01T18:00:00Z",
};

const EXAMPLE = {
  id: "7a1e6c52-9d0b-4c3e-8a4f-2b5d6e7f8091",
  incident_id: null,
  domain: null,
  matchers: EXAMPLE_INPUT.matchers,
  reason: EXAMPLE_INPUT.reason,
  owner: "dana",
  starts_at: "2026-03-01T15:00:00+00:00",
  ends_at: "2026-03-01T18:00:00+00:00",
  muted: 12,
  failures: ["checkout restarts"],
  more_failures: 0,
};

export const muteRecordSchema = muteSchema
  .omit({ fingerprints: true })
  .extend({
    incident_id: z
      .string()
      .nullable()
      .openapi({ description: "The incident whose failure is muted, with those that were muted at once with it." }),
    owner: z.string().openapi({ description: "Name of the person or the token that muted." }),
    muted: z.number().int().nullable().openapi({
      description:
        "Incidents that are open, or that a target would have shown without it. Null while no target compares its labels.",
    }),
  })
  .meta({ example: EXAMPLE });

const inputSchema = z
  .strictObject({
    incident_id: z.uuid().nullable().default(null).openapi({
      description: "Mutes the failure of this incident: this incident, and others with its fingerprint and domain.",
    }),
    domain: domainNameSchema.nullable().default(null).openapi({ description: "Mutes incidents of this domain." }),
    matchers: matchersSchema.openapi({
      description:
        'Matchers of labels as in Alertmanager, such as `alertname="KubePodCrashLooping"`; all must match, and the domain.',
    }),
    reason: z.string().trim().min(1).max(500).openapi({ description: "Why it is expected." }),
    owner: personField,
    ends_at: z.iso.datetime({ offset: true }).openapi({ description: `At most ${MAX_MUTE_DAYS} days from now.` }),
  })
  .check(({ value, issues }) => {
    const count = [value.incident_id !== null, value.domain !== null || value.matchers.length > 0].filter(Boolean);
    if (count.length === 1) return;
    const message = "must have an incident_id, or a domain, matchers or both";
    issues.push({ code: "custom", message, path: ["matchers"], input: value });
  });

const EXAMPLE_EVENT = {
  "@timestamp": "2026-03-01T02:59:00Z",
  instance: "alertmanager-0",
  data: {
    silenceCreated: {
      silence: {
        id: EXAMPLE.id,
        matchers: [{ type: "TYPE_EQUAL", name: "alertname", pattern: "KubePodCrashLooping" }],
        startsAt: "2026-03-01T02:58:00Z",
        endsAt: EXAMPLE_INPUT.ends_at,
        createdBy: "dana",
        comment: EXAMPLE_INPUT.reason,
      },
    },
  },
};
const MAX_EVENTS = 500;
const eventSchema = z.looseObject({ data: z.looseObject({}) });

const silencesRoute = createRoute({
  method: "post",
  path: "/v1/mutes/alertmanager",
  summary: "Take silences from the event recorder of Alertmanager",
  description: "Each silence is a mute with its id. Other events are ignored.",
  ...scoped("feedback", requireJsonBody),
  request: {
    body: bodyContent(z.union([eventSchema, z.array(eventSchema).max(MAX_EVENTS)]), { example: EXAMPLE_EVENT }),
  },
  responses: {
    200: jsonContent(
      "What the silences changed.",
      z
        .object({
          muted: z.array(z.uuid()),
          ended: z.array(z.uuid()),
          ignored: z.array(z.object({ id: z.uuid().nullable(), reason: z.string() })),
        })
        .openapi({ example: { muted: [EXAMPLE.id], ended: [], ignored: [] } }),
    ),
    403: problemContent("The token is limited to domains, and a silence is not of one of them."),
    422: problemContent("The body is neither an event nor a list of events."),
  },
});

const listRoute = createRoute({
  method: "get",
  path: "/v1/mutes",
  summary: "List the mutes that have not ended",
  ...scoped("read"),
  responses: {
    200: jsonContent(
      `At most ${MAX_MUTES}. A token that is limited to domains reads the mutes of these.`,
      z.object({ mutes: z.array(muteRecordSchema) }),
    ),
  },
});

const addRoute = createRoute({
  method: "post",
  path: "/v1/mutes",
  summary: "Mute what is expected until a time",
  description:
    "Incidents that match are stored and answered, but not announced. Those that are still open when the mute ends are announced then.",
  ...scoped("feedback", requireJsonBody),
  request: {
    body: bodyContent(inputSchema, { example: EXAMPLE_INPUT }),
  },
  responses: {
    201: jsonContent("The mute.", muteRecordSchema),
    403: problemContent("The token is limited to domains, and the mute is not of one of them; nothing was stored."),
    404: problemContent("No incident has this id."),
    409: problemContent("There are too many mutes; nothing was stored."),
  },
});

const endRoute = createRoute({
  method: "delete",
  path: "/v1/mutes/{id}",
  summary: "End a mute now",
  ...scoped("feedback"),
  request: { params: z.object({ id: z.uuid().openapi({ example: EXAMPLE.id }) }) },
  responses: {
    204: { description: "Ended. Incidents that are still open are announced." },
    404: problemContent("No mute has this id, or it has ended."),
  },
});

export const muteRoutes = createRouter()
  .openapi(listRoute, async (c) => {
    const { database, now } = c.get("services");
    const mutes = await listMutes(database, now());
    return c.json({ mutes: mutes.map(({ fingerprints: _, ...mute }) => mute) }, 200);
  })
  .openapi(addRoute, async (c) => {
    const services = c.get("services");
    const { owner, ...input } = c.req.valid("json");
    const message = muteEndProblem(new Date(input.ends_at), services.now());
    if (message !== null)
      throw new Problem("invalid-request", `\`ends_at\` ${message}`, { errors: [{ field: "ends_at", message }] });
    const mute = { ...input, owner: personName(c.get("caller"), owner) };
    const added = await addMute(services, mute, c.get("runInBackground"));
    if (added.state === "no_incident") throw new Problem("not-found", "No incident has this id.");
    if (added.state === "too_many")
      throw new Problem("too-many-mutes", `There are ${MAX_MUTES} mutes, the limit. End one that is not needed.`);
    const { fingerprints: _, ...stored } = added.mute;
    return c.json(stored, 201);
  })
  .openapi(silencesRoute, async (c) => {
    const services = c.get("services");
    const body = c.req.valid("json");
    const runInBackground = c.get("runInBackground");
    const muted: string[] = [];
    const ended: string[] = [];
    const ignored: { id: string | null; reason: string }[] = [];
    for (const change of silenceChanges(Array.isArray(body) ? body : [body], services.now())) {
      if (change.change === "none") ignored.push({ id: change.id, reason: change.reason });
      else if (change.change === "end") {
        const isEnded = await endMute(services, change, runInBackground);
        if (isEnded) ended.push(change.id);
      } else {
        const { state } = await addMute(services, change.mute, runInBackground);
        if (state === "stored") muted.push(change.mute.id);
        else ignored.push({ id: change.mute.id, reason: `there are ${MAX_MUTES} mutes, the limit` });
      }
    }
    return c.json({ muted, ended, ignored }, 200);
  })
  .openapi(endRoute, async (c) => {
    const end = { id: c.req.valid("param").id, by: personName(c.get("caller")) };
    if (!(await endMute(c.get("services"), end, c.get("runInBackground"))))
      throw new Problem("not-found", "No mute has this id, or it has ended. List mutes with GET /v1/mutes.");
    return c.body(null, 204);
  });
