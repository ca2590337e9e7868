// What people do in an incident besides resolving it: tick steps, reopen it, acknowledge and edit it, comment on it.

import { createRoute, z } from "@hono/zod-openapi";
import { personName } from "../../../access/caller.ts";
import { addComment, editIncident } from "../../../incidents/detail/edits.ts";
import { incidentStepSchema, incidentSteps, STEP_KEY, setIncidentStep } from "../../../incidents/detail/steps.ts";
import { getIncident, storedTriage } from "../../../incidents/incident-records.ts";
import { moveToDomain, reopen } from "../../../investigation/learning/correct-incident.ts";
import { mergeWithRecords, splitWithRecords } from "../../../investigation/learning/merge-records.ts";
import { getDomain } from "../../../knowledge/domain-records.ts";
import { domainNameSchema } from "../../../schemas/domain.ts";
import { SEVERITIES } from "../../../schemas/incident.ts";
import { filledText, personField, requireJsonBody } from "../../http/input.ts";
import { outsideDomains, Problem } from "../../http/problem.ts";
import { bodyContent, createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";
import { STEP_EXAMPLE } from "./incident-examples.ts";
import { idParam, incidentDetailSchema, NO_SUCH_INCIDENT, renderDetail } from "./incident-schema.ts";

const stepRoute = createRoute({
  method: "put",
  path: "/v1/incidents/{id}/steps/{key}",
  summary: "Tick or untick a step, for everybody",
  ...scoped("feedback", requireJsonBody),
  request: {
    params: idParam.extend({
      key: z
        .string()
        .regex(STEP_KEY, "must be the key of a step: 16 hexadecimal digits")
        .openapi({ description: "From `steps` of the incident.", example: STEP_EXAMPLE.key }),
    }),
    body: bodyContent(z.strictObject({ done: z.boolean().openapi({ example: true }), by: personField })),
  },
  responses: {
    200: jsonContent("The step.", incidentStepSchema.openapi({ example: STEP_EXAMPLE })),
    404: problemContent("No incident has this id, or its latest answer has no such step."),
  },
});

const reopenSchema = z.strictObject({
  reason: filledText(4_000).optional().openapi({ example: "The container was killed again at 04:10." }),
  mistake: z.boolean().optional().openapi({
    description: "It was resolved by mistake: it is no part of the proof of its fix.",
    example: false,
  }),
  by: personField,
});

const reopenRoute = createRoute({
  method: "post",
  path: "/v1/incidents/{id}/reopen",
  summary: "Open a resolved incident again",
  ...scoped("feedback", requireJsonBody),
  request: { params: idParam, body: bodyContent(reopenSchema) },
  responses: {
    200: jsonContent("The incident. Its fix stays on record as one that helped and came back.", incidentDetailSchema),
    404: problemContent("No incident has this id."),
    409: problemContent("The incident is not resolved."),
  },
});

const editSchema = z
  .strictObject({
    title: filledText(500)
      .optional()
      .openapi({ description: "Investigations and memory keep the title of the report." }),
    severity: z.enum(SEVERITIES).optional().openapi({ description: "Later alerts do not change it." }),
    owner: filledText(128)
      .nullable()
      .optional()
      .openapi({ description: "Who has it; null for nobody.", example: "dana" }),
    acknowledged: z.boolean().optional().openapi({
      description:
        "Who acknowledges it becomes its owner, unless `owner` names another person. Repeats are no longer announced; its end is, and a fix that does not hold.",
      example: true,
    }),
    domain: domainNameSchema.optional().openapi({
      description: "A domain that exists, alone: the memory of the incident moves to it, and later runs keep it.",
    }),
    by: personField,
  })
  .check(({ value, issues }) => {
    const { domain, by: _, ...others } = value;
    const count = Object.values(others).filter((field) => field !== undefined).length;
    if (domain === undefined ? count > 0 : count === 0) return;
    const message =
      domain === undefined ? "must have one of title, severity, owner, acknowledged and domain" : "must be alone";
    issues.push({ code: "custom", message, path: domain === undefined ? [] : ["domain"], input: value });
  });

const commentSchema = z.strictObject({
  text: filledText(4_000).openapi({ example: "The payment provider has an outage too." }),
  by: personField,
});

const editRoute = createRoute({
  method: "patch",
  path: "/v1/incidents/{id}",
  summary: "Acknowledge an incident, or correct its owner, title, severity or domain",
  ...scoped("feedback", requireJsonBody),
  request: { params: idParam, body: bodyContent(editSchema) },
  responses: {
    200: jsonContent("The incident. Each change is in its timeline.", incidentDetailSchema),
    403: problemContent("The token is restricted to other domains, or lacks the scope."),
    404: problemContent("No incident has this id."),
    409: problemContent("The incident is resolved and cannot be acknowledged; nothing was stored."),
    422: problemContent("The body is not valid, or no domain has this name."),
    503: problemContent("The database is unavailable, or the records change too often."),
  },
});

const commentRoute = createRoute({
  method: "post",
  path: "/v1/incidents/{id}/comments",
  summary: "Add a comment to the timeline",
  ...scoped("feedback", requireJsonBody),
  request: { params: idParam, body: bodyContent(commentSchema) },
  responses: {
    200: jsonContent("The incident.", incidentDetailSchema),
    404: problemContent("No incident has this id."),
  },
});

const MERGE_EXAMPLE = "b7d2c1f0-5a3e-4d19-9c86-0e1f2a3b4c5d";

const mergeRoute = createRoute({
  method: "post",
  path: "/v1/incidents/{id}/merge",
  summary: "Merge an incident into another one",
  description:
    "The other incident gets its alerts and their repeats. This one is resolved, and its message names the other one. Failures of one domain become one record; otherwise a fix of the other one is recorded for both.",
  ...scoped("feedback", requireJsonBody),
  request: {
    params: idParam,
    body: bodyContent(z.strictObject({ into: z.uuid().openapi({ example: MERGE_EXAMPLE }), by: personField })),
  },
  responses: {
    200: jsonContent("The other incident.", incidentDetailSchema),
    404: problemContent("No incident has this id, or that of `into`."),
    409: problemContent("One of them was merged before, or the other one is resolved and this one is open."),
  },
});

const splitRoute = createRoute({
  method: "post",
  path: "/v1/incidents/{id}/split",
  summary: "Give alerts of an incident one of their own",
  description: "The new incident is investigated, and gets the repeats of these alerts.",
  ...scoped("feedback", requireJsonBody),
  request: {
    params: idParam,
    body: bodyContent(
      z.strictObject({
        targets: z
          .array(filledText(500))
          .max(100)
          .default([])
          .openapi({ example: ["ledger"] }),
        fingerprints: z.array(filledText(256)).max(100).default([]),
        by: personField,
      }),
    ),
  },
  responses: {
    200: jsonContent("The new incident.", incidentDetailSchema),
    404: problemContent("No incident has this id."),
    422: problemContent("The incident has no alert with these targets or fingerprints, or no other one."),
  },
});

const NO_SUCH_STEP = "The latest answer of the incident has no step with this key. Read `steps` of the incident again.";
const NOT_RESOLVED = "The incident is not resolved. Only a resolved incident can be reopened.";
const resolvedText = (mergedInto: string | null) =>
  mergedInto === null
    ? "The incident is resolved, so it needs nobody who has it. Reopen it first if it is not over."
    : `The incident was merged into ${mergedInto}: acknowledge that one.`;

export const incidentActionRoutes = createRouter()
  .openapi(stepRoute, async (c) => {
    const { id, key } = c.req.valid("param");
    const { done, by } = c.req.valid("json");
    const { database, now } = c.get("services");
    const record = await getIncident(database, id);
    if (!record) throw new Problem("not-found", NO_SUCH_INCIDENT);
    const step = incidentSteps(storedTriage(record).triage, []).find((each) => each.key === key);
    if (!step) throw new Problem("not-found", NO_SUCH_STEP);
    const ticked = await setIncidentStep(database, {
      incidentId: id,
      key,
      done,
      by: personName(c.get("caller"), by),
      now: now(),
    });
    if (!ticked) throw new Problem("not-found", NO_SUCH_INCIDENT);
    return c.json({ ...step, ...ticked }, 200);
  })
  .openapi(reopenRoute, async (c) => {
    const { reason, mistake = false, by } = c.req.valid("json");
    const request = {
      incidentId: c.req.valid("param").id,
      reason: reason ?? null,
      mistake,
      by: personName(c.get("caller"), by),
    };
    const reopened = await reopen(c.get("services"), request, c.get("runInBackground"));
    if (!reopened) throw new Problem("not-found", NO_SUCH_INCIDENT);
    if (reopened.state === "open") throw new Problem("not-resolved", NOT_RESOLVED);
    return c.json(renderDetail(reopened.record, c.get("caller")), 200);
  })
  .openapi(editRoute, async (c) => {
    const { domain, by: name, ...changes } = c.req.valid("json");
    const by = personName(c.get("caller"), name);
    const services = c.get("services");
    const { id } = c.req.valid("param");
    if (domain === undefined) {
      const edited = await editIncident(services, { incidentId: id, by, changes }, c.get("runInBackground"));
      if (edited.state === "not_found") throw new Problem("not-found", NO_SUCH_INCIDENT);
      if (edited.state === "resolved") throw new Problem("already-resolved", resolvedText(edited.merged_into));
      return c.json(renderDetail(edited.found, c.get("caller")), 200);
    }
    if (!(await getIncident(services.database, id))) throw new Problem("not-found", NO_SUCH_INCIDENT);
    const domains = services.restriction?.domains;
    if (domains && !domains.includes(domain))
      throw outsideDomains(domains, `The incident would move to \`${domain}\`.`);
    if (!(await getDomain(services.database, domain))) {
      const message = "No domain has this name. List the domains with GET /v1/domains.";
      throw new Problem("invalid-request", message, { errors: [{ field: "domain", message }] });
    }
    const request = { incidentId: id, domain, by };
    const corrected = await moveToDomain(services, request, c.get("runInBackground"));
    if (!corrected) throw new Problem("not-found", NO_SUCH_INCIDENT);
    return c.json(renderDetail(corrected, c.get("caller")), 200);
  })
  .openapi(splitRoute, async (c) => {
    const { by, ...alerts } = c.req.valid("json");
    const request = { incidentId: c.req.valid("param").id, ...alerts, by: personName(c.get("caller"), by) };
    const split = await splitWithRecords(c.get("services"), request, c.get("runInBackground"));
    if (split.state === "not_found") throw new Problem("not-found", NO_SUCH_INCIDENT);
    if (split.state === "split") return c.json(renderDetail(split.found, c.get("caller")), 200);
    const message =
      split.state === "no_alerts"
        ? "must name alerts of the incident: read `alerts` of it"
        : "must leave an alert with the incident";
    throw new Problem("invalid-request", `\`targets\` and \`fingerprints\` ${message}.`, {
      errors: [{ field: "targets", message }],
    });
  })
  .openapi(mergeRoute, async (c) => {
    const { into, by } = c.req.valid("json");
    const request = { incidentId: c.req.valid("param").id, into, by: personName(c.get("caller"), by) };
    const merged = await mergeWithRecords(c.get("services"), request, c.get("runInBackground"));
    switch (merged.state) {
      case "not_found":
        throw new Problem("not-found", NO_SUCH_INCIDENT);
      case "other_not_found":
        throw new Problem("not-found", "No other incident has the id in `into`.");
      case "merged_before":
        throw new Problem("already-merged", `One of them was merged into the incident ${merged.into}. Name that one.`);
      case "resolved":
        throw new Problem(
          "already-resolved",
          "The incident in `into` is resolved, and the other one is open. Reopen it first.",
        );
      case "merged":
        return c.json(renderDetail(merged.found, c.get("caller")), 200);
    }
  })
  .openapi(commentRoute, async (c) => {
    const { text, by: name } = c.req.valid("json");
    const comment = { incidentId: c.req.valid("param").id, by: personName(c.get("caller"), name), text };
    const record = await addComment(c.get("services"), comment);
    if (!record) throw new Problem("not-found", NO_SUCH_INCIDENT);
    return c.json(renderDetail(record, c.get("caller")), 200);
  });
