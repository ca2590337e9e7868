// Sources of evidence: list, read, define, delete.

import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { CHECK_LANGUAGES } from "../../../../lib/checks/check.ts";
import {
  MAX_SOURCES,
  type SourceInput,
  sourceDefinitionOf,
  sourceInputSchema,
} from "../../../evidence-sources/source-definition.ts";
import { checkHealth, type SourceHealth, sourceHealthSchema } from "../../../evidence-sources/source-health.ts";
import { deleteSource, putSource, type SourceRow } from "../../../evidence-sources/source-records.ts";
import { readSources, type SourceSnapshot } from "../../../evidence-sources/source-store.ts";
import { domainNameSchema } from "../../../schemas/domain.ts";
import { EVIDENCE_KINDS } from "../../../schemas/evidence/evidence-kinds.ts";
import { type EvidenceSourceDefinition, evidenceSourceSchema } from "../../../schemas/evidence/source.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { requireJsonBody } from "../../http/input.ts";
import { Problem } from "../../http/problem.ts";
import { bodyContent, createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";

const EXAMPLE_NAME = "prod-metrics";

const EXAMPLE_INPUT: SourceInput = {
  kind: "prometheus",
  url: "https://mimir.example.com/prometheus",
  credential: "EVIDENCE_PROD_METRICS",
  headers: { "X-Scope-OrgID": "prod" },
  labels: { cluster: ["prod-eu", "prod-us"] },
  domains: [],
  open_url: "https://grafana.example.com",
};

const EXAMPLE_RECORD = {
  name: EXAMPLE_NAME,
  ...EXAMPLE_INPUT,
  language: "promql",
  credential_exists: true,
  defined_by: "api",
  health: { status: "ok", reason: null, detail: null, version: "2.42.0", latency_ms: 14 },
  created_at: "2026-11-22T03:00:00+00:00",
  updated_at: "2026-11-22T03:00:00+00:00",
};

export const evidenceSourceRecordSchema = evidenceSourceSchema
  .extend({
    language: z.enum(CHECK_LANGUAGES).openapi({ description: "Language of the checks that it answers." }),
    credential_exists: z.boolean().nullable().openapi({
      description: "Whether the Worker has a secret of this name; null without a credential.",
    }),
    defined_by: z.enum(["api", "environment"]).openapi({
      description: "`environment`: by settings of the Worker. The API cannot change it.",
    }),
    health: sourceHealthSchema.nullable().openapi({ description: "Null where it was not asked." }),
    created_at: z.string().nullable().openapi({ description: "Null for a source of the environment." }),
    updated_at: z.string().nullable().openapi({ description: "Time of the last change." }),
  })
  .meta({ example: EXAMPLE_RECORD });
type SourceRecord = z.infer<typeof evidenceSourceRecordSchema>;

export const sourceParams = z.object({ name: domainNameSchema.openapi({ example: EXAMPLE_NAME }) });

const healthQuery = z.strictObject({
  health: z
    .enum(["true", "false"])
    .default("true")
    .openapi({ description: "`false` sends no request to the sources; `health` is then null." }),
});

const listRoute = createRoute({
  method: "get",
  path: "/v1/sources",
  summary: "List the sources of evidence with their health",
  ...scoped("ingest"),
  request: { query: healthQuery },
  responses: {
    200: jsonContent(
      `All sources, at most ${MAX_SOURCES} and those of the environment. A failing one takes 5 seconds at most.`,
      z.object({ sources: z.array(evidenceSourceRecordSchema) }),
    ),
  },
});

const getRoute = createRoute({
  method: "get",
  path: "/v1/sources/{name}",
  summary: "Read a source of evidence with its health",
  ...scoped("ingest"),
  request: { params: sourceParams, query: healthQuery },
  responses: {
    200: jsonContent("The source.", evidenceSourceRecordSchema),
    404: problemContent("No source has this name."),
  },
});

const putRoute = createRoute({
  method: "put",
  path: "/v1/sources/{name}",
  summary: "Define a source of evidence, or replace its definition",
  ...scoped("admin", requireJsonBody),
  request: {
    params: sourceParams,
    body: bodyContent(sourceInputSchema, {
      description: "An omitted field is empty. The next triage uses the source.",
      example: EXAMPLE_INPUT,
    }),
  },
  responses: {
    200: jsonContent("The definition was replaced.", evidenceSourceRecordSchema),
    201: jsonContent("The source was defined.", evidenceSourceRecordSchema),
    409: problemContent("The environment defines a source of this name, or there are too many; nothing was stored."),
  },
});

const deleteRoute = createRoute({
  method: "delete",
  path: "/v1/sources/{name}",
  summary: "Delete a source of evidence",
  ...scoped("admin"),
  request: { params: sourceParams },
  responses: {
    204: { description: "Deleted. The secret of its credential stays in the Worker." },
    404: problemContent("No source has this name."),
    409: problemContent("The environment defines this source."),
  },
});

export const evidenceSourceRoutes = createRouter()
  .openapi(listRoute, async (c) => {
    const { definitions, rows } = await currentSources(c);
    const healths = c.req.valid("query").health === "true" ? await healthOf(c, definitions) : [];
    const sources = definitions.map((definition, i) => recordOf(c, definition, { rows, health: healths[i] ?? null }));
    return c.json({ sources }, 200);
  })
  .openapi(getRoute, async (c) => {
    const { definition, rows } = await requireSource(c, c.req.valid("param").name);
    const [health = null] = c.req.valid("query").health === "true" ? await healthOf(c, [definition]) : [];
    return c.json(recordOf(c, definition, { rows, health }), 200);
  })
  .openapi(putRoute, async (c) => {
    const { name } = c.req.valid("param");
    const { evidenceSources, database, now } = c.get("services");
    const fixed = evidenceSources.store.fixed.find((each) => each.name === name);
    if (fixed) throw fixedByEnvironment(fixed);
    const result = await putSource(database, sourceDefinitionOf(name, c.req.valid("json")), now());
    evidenceSources.store.invalidate();
    if (result.state === "too_many")
      throw new Problem(
        "too-many-sources",
        `There are ${MAX_SOURCES} sources, the limit. Delete one that is not needed.`,
      );
    const { source } = result;
    return c.json(recordOf(c, source, { rows: [source], health: null }), result.created ? 201 : 200);
  })
  .openapi(deleteRoute, async (c) => {
    const { name } = c.req.valid("param");
    const { evidenceSources, database } = c.get("services");
    const isDeleted = await deleteSource(database, name);
    evidenceSources.store.invalidate();
    if (isDeleted) return c.body(null, 204);
    const fixed = evidenceSources.store.fixed.find((each) => each.name === name);
    throw fixed ? fixedByEnvironment(fixed) : noSuchSource();
  });

/** The source of this name with the rows of all. @throws Problem if there is none @throws DependencyError */
export async function requireSource(c: Context<AppEnv>, name: string) {
  const { definitions, rows } = await currentSources(c);
  const definition = definitions.find((each) => each.name === name);
  if (!definition) throw noSuchSource();
  return { definition, rows };
}

async function currentSources(c: Context<AppEnv>): Promise<SourceSnapshot> {
  const { evidenceSources, database, now } = c.get("services");
  return readSources(evidenceSources.store, { database, now: now() });
}

async function healthOf(c: Context<AppEnv>, definitions: readonly EvidenceSourceDefinition[]) {
  return checkHealth(c.get("services"), definitions, c.req.raw.signal);
}

function recordOf(
  c: Context<AppEnv>,
  definition: EvidenceSourceDefinition,
  { rows, health }: { readonly rows: readonly SourceRow[]; readonly health: SourceHealth | null },
): SourceRecord {
  const row = rows.find(({ name }) => name === definition.name);
  const { name, kind, url, credential, headers, labels, domains, open_url } = definition;
  return {
    ...{ name, kind, url, credential, headers, labels, domains, open_url },
    language: EVIDENCE_KINDS[kind].language,
    credential_exists: c.get("services").evidenceSources.hasCredential(credential),
    defined_by: row ? "api" : "environment",
    health,
    created_at: row?.created_at ?? null,
    updated_at: row?.updated_at ?? null,
  };
}

function noSuchSource(): Problem {
  return new Problem("not-found", "No source has this name. List sources with GET /v1/sources.");
}

function fixedByEnvironment({ name, kind }: EvidenceSourceDefinition): Problem {
  const { urlSetting } = EVIDENCE_KINDS[kind];
  const detail = `The setting ${urlSetting} defines \`${name}\`. Change or remove the setting, or use another name.`;
  return new Problem("source-fixed", detail);
}
