// Domains: list, read, define, delete.

import { createRoute, z } from "@hono/zod-openapi";
import { removeDeletedTexts } from "../../../investigation/learning/remove-deleted-texts.ts";
import { type DomainRecord, domainRecordSchema, getDomain, listDomains } from "../../../knowledge/domain-records.ts";
import { type DomainDefinition, domainDefinitionSchema } from "../../../knowledge/domains/domain-definition.ts";
import { putDomain, removeDomain } from "../../../knowledge/put-domain.ts";
import { hasNoSecrets, SECRET_IN_NAME } from "../../../knowledge/text-documents.ts";
import { domainNameSchema, GENERAL_DOMAIN } from "../../../schemas/domain.ts";
import { requireJsonBody } from "../../http/input.ts";
import { pageOf, pageQuery } from "../../http/pagination.ts";
import { Problem } from "../../http/problem.ts";
import { bodyContent, createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { actorOf } from "../../middleware/audit.ts";
import { scoped } from "../../middleware/require-scope.ts";

const EXAMPLE_NAME = "payments";

const EXAMPLE_DEFINITION: DomainDefinition = {
  description: "The payment services and their queues, owned by the team Payments.",
  labels: [{ match: { team: ["payments"] }, weight: 3 }],
  hints: [
    { words: ["payments-api", "card processor"], weight: 3 },
    { pattern: "\\bPAY-[0-9]{4}\\b", weight: 2 },
  ],
  excluded_words: [],
  only_when_decided: false,
  target_labels: ["service"],
  incident_types: [
    { name: "processor_declines", hints: [{ words: ["declined by processor", "decline rate"], weight: 3 }] },
  ],
  first_looks: [
    { text: "See the latest deployments of the service.", command: "kubectl -n payments rollout history deployment" },
  ],
};

const EXAMPLE_RECORD: DomainRecord = {
  name: EXAMPLE_NAME,
  definition: EXAMPLE_DEFINITION,
  origin: "api",
  runbooks: 3,
  documents: 1,
  incidents: 12,
  created_at: "2026-11-22T03:00:00+00:00",
  updated_at: "2026-11-22T03:00:00+00:00",
};

const params = z.object({ name: domainNameSchema.openapi({ example: EXAMPLE_NAME }) });

/** Answers show these texts, and a language model reads them. */
const requestSchema = domainDefinitionSchema.check(({ value: { description, first_looks }, issues }) => {
  const texts = [
    { path: ["description"], text: description },
    ...first_looks.flatMap(({ text, command }, i) => [
      { path: ["first_looks", i, "text"], text },
      { path: ["first_looks", i, "command"], text: command ?? "" },
    ]),
  ];
  for (const { path, text } of texts)
    if (!hasNoSecrets(text)) issues.push({ code: "custom", message: SECRET_IN_NAME, input: text, path });
});

const deletableParams = z.object({
  name: domainNameSchema
    .refine(
      (name) => name !== GENERAL_DOMAIN,
      "must not be `general`: it always exists. Delete its texts one by one, or put another definition",
    )
    .openapi({ example: EXAMPLE_NAME }),
});

const domainName = z.tuple([domainNameSchema]).transform(([name]) => name);

export const domainSchema = domainRecordSchema.meta({ example: EXAMPLE_RECORD });
const recordContent = { content: { "application/json": { schema: domainSchema } } };

const listRoute = createRoute({
  method: "get",
  path: "/v1/domains",
  summary: "List domains by name",
  ...scoped(["read", "ingest"]),
  request: { query: z.strictObject(pageQuery(domainName)) },
  responses: {
    200: jsonContent(
      "A page of domains.",
      z.object({ domains: z.array(domainSchema), next_cursor: z.string().nullable() }),
    ),
  },
});

const getRoute = createRoute({
  method: "get",
  path: "/v1/domains/{name}",
  summary: "Read a domain",
  ...scoped(["read", "ingest"]),
  request: { params },
  responses: {
    200: { description: "The domain. Without a definition, every field of it is empty.", ...recordContent },
    404: problemContent("No domain has this name."),
  },
});

const putRoute = createRoute({
  method: "put",
  path: "/v1/domains/{name}",
  summary: "Create a domain, or replace its definition",
  ...scoped("ingest", requireJsonBody),
  request: {
    params,
    body: bodyContent(requestSchema, {
      description: "The fields of a `domain.yaml`. An omitted field is empty. The next triage uses the definition.",
      example: EXAMPLE_DEFINITION,
    }),
  },
  responses: {
    200: { description: "The definition was replaced. Texts and incidents of the domain stay.", ...recordContent },
    201: { description: "The domain was created.", ...recordContent },
    409: problemContent(
      "Another domain claims a label, or a rule of a restricted token names no value; nothing was stored.",
    ),
  },
});

const deletedSchema = z
  .object({
    deleted: z.object({
      runbooks: z.number().int(),
      documents: z.number().int().openapi({ description: "Number of notes, logs and postmortems." }),
    }),
    kept: z.object({
      incidents: z
        .number()
        .int()
        .openapi({ description: "Number of incidents of the domain; recall still finds them." }),
    }),
    indexed: z.boolean().openapi({
      description: "`false` while the vector index still holds some of the texts; it catches up within minutes.",
    }),
  })
  .openapi({ example: { deleted: { runbooks: 3, documents: 1 }, kept: { incidents: 12 }, indexed: true } });

const deleteRoute = createRoute({
  method: "delete",
  path: "/v1/domains/{name}",
  summary: "Delete a domain; one from a folder returns when the folder is loaded again",
  ...scoped("ingest"),
  request: {
    params: deletableParams,
    query: z.strictObject({
      force: z
        .enum(["true", "false"])
        .default("false")
        .openapi({ description: "`true` also deletes the texts of the domain." }),
    }),
  },
  responses: {
    200: jsonContent("Deleted, with its texts. Its incidents and their memory stay.", deletedSchema),
    404: problemContent("No domain has this name."),
    409: problemContent("The domain holds texts, and `force` is not `true`; nothing was deleted."),
    422: problemContent("The name is not valid, or it is `general`."),
  },
});

const NO_SUCH_DOMAIN = "No domain has this name. List domains with GET /v1/domains.";

export const domainRoutes = createRouter()
  .openapi(listRoute, async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const rows = await listDomains(c.get("services").database, { limit: limit + 1, after: cursor });
    const { page: domains, next_cursor } = pageOf(rows, limit, ({ name }) => [name]);
    return c.json({ domains, next_cursor }, 200);
  })
  .openapi(getRoute, async (c) => {
    const domain = await getDomain(c.get("services").database, c.req.valid("param").name);
    if (!domain) throw new Problem("not-found", NO_SUCH_DOMAIN);
    return c.json(domain, 200);
  })
  .openapi(putRoute, async (c) => {
    const { name } = c.req.valid("param");
    const result = await putDomain(c.get("services"), { name, definition: c.req.valid("json") }, "api");
    switch (result.state) {
      case "conflict":
        throw new Problem(
          "label-conflict",
          "Label rules of this definition claim reports of other domains, so nothing was stored. `errors` names them: use other labels or values, or change the other domain first.",
          {
            errors: result.conflicts.map(({ path, message }) => ({ field: path.join("."), message })),
          },
        );
      case "kept":
        throw new Error(`A definition from the API must replace one of the origin ${result.origin}.`);
      case "stored":
        return c.json(result.domain, result.created ? 201 : 200);
    }
  })
  .openapi(deleteRoute, async (c) => {
    const { name } = c.req.valid("param");
    const force = c.req.valid("query").force === "true";
    const removed = await removeDomain(c.get("services"), { name, force, by: actorOf(c) });
    switch (removed.state) {
      case "not_found":
        throw new Problem("not-found", NO_SUCH_DOMAIN);
      case "in_use":
        throw new Problem("domain-in-use", describeTexts(removed.domain));
      case "deleted": {
        c.get("runInBackground")(removeDeletedTexts(c.get("services")));
        const { runbooks, documents, incidents } = removed.domain;
        return c.json({ deleted: { runbooks, documents }, kept: { incidents }, indexed: removed.indexed }, 200);
      }
    }
  });

function describeTexts({ name, runbooks, documents, incidents }: DomainRecord): string {
  const texts = [
    ...(runbooks > 0 ? [count(runbooks, "runbook")] : []),
    ...(documents > 0 ? [`${count(documents, "document")} (notes, logs and postmortems)`] : []),
  ];
  return `${name} holds ${texts.join(" and ")}. Send force=true to delete them with the domain. ${incidents === 1 ? "Its 1 incident stays" : `Its ${incidents} incidents stay`}.`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
