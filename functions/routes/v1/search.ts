// Searches: of one collection by meaning, substring and metadata, in any combination; and of runbooks, as a triage does.

import { createRoute, z } from "@hono/zod-openapi";
import { settle } from "../../dependencies.ts";
import { searchRunbooks } from "../../investigation/search-runbooks.ts";
import { domainNameSchema, domainResultSchema } from "../../schemas/domain.ts";
import { runbookHitSchema, warningSchema } from "../../schemas/triage-result.ts";
import {
  describeSearchFailure,
  isRefusedSearch,
  SIMILARITY_LABELS,
  searchCollection,
} from "../../search-index/collection-search.ts";
import { SEARCHABLE_COLLECTIONS } from "../../search-index/collections.ts";
import { filterSchema } from "../../search-index/search-filter.ts";
import { filledText, requireJsonBody, text } from "../http/input.ts";
import { Problem, unavailable } from "../http/problem.ts";
import { bodyContent, createRouter, jsonContent, problemContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";
import { RUNBOOK_HIT_EXAMPLE } from "./triage-examples.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;

interface SearchCriteria {
  readonly query?: unknown;
  readonly keyword?: unknown;
  readonly filters?: unknown;
}

/** A search needs a query, a keyword or filters. */
export function hasSearchCriterion({ query, keyword, filters }: SearchCriteria): boolean {
  return [query, keyword, filters].some((criterion) => criterion !== undefined);
}

export const searchRequestSchema = z
  .strictObject({
    collection: z.enum(SEARCHABLE_COLLECTIONS).openapi({
      description:
        "`runbooks` (with notes, logs and postmortems) and `incidents` hold every domain; the metadata field `domain` names it. `capabilities` and `instances` are the cluster inventory.",
    }),
    query: filledText(4_000).optional().openapi({ description: "Semantic query." }),
    keyword: text(256).min(1).optional().openapi({ description: "Exact substring of the text; case-sensitive." }),
    filters: filterSchema.optional().openapi({
      description:
        "Exact metadata: `equals` one value, `in` a list of values, or several of these with `and`; at most 8 conditions. For one domain, let `domain` equal its name.",
    }),
    limit: z.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
  })
  .refine(hasSearchCriterion, { path: ["query"], message: "is needed, unless there is a keyword or filters" })
  .openapi({
    example: {
      collection: "instances",
      query: "ingress controller that terminates TLS",
      keyword: "nginx",
      filters: {
        op: "and",
        filters: [
          { op: "equals", field: "kind", value: "Deployment" },
          { op: "in", field: "namespace", values: ["ingress", "edge"] },
        ],
      },
      limit: 5,
    },
  });

const hitSchema = z.object({
  id: z.string(),
  title: z.string(),
  text: z.string(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  distance: z.number().nullable().openapi({ description: "Cosine distance, 0 to 2; null without a query." }),
  label: z
    .enum(SIMILARITY_LABELS)
    .nullable()
    .openapi({ description: "The distance as a label; null without a query, and for unrelated hits." }),
  highlights: z.array(z.string()).openapi({ description: "Fragments that contain the query's terms or the keyword." }),
  scores: z.object({
    similarity: z.number().optional().openapi({ description: "1 − distance / 2; orders the hits." }),
    terms: z.number().optional().openapi({ description: "Share of the query's terms that the text contains, 0 to 1." }),
    keyword: z.number().int().optional().openapi({ description: "Number of occurrences of the keyword." }),
  }),
});

const searchReplySchema = z.object({ collection: z.string(), hits: z.array(hitSchema) }).openapi({
  example: {
    collection: "instances",
    hits: [
      {
        id: "ingress/apps/v1/Deployment/ingress-nginx-controller",
        title: "ingress/apps/v1/Deployment/ingress-nginx-controller",
        text: "ingress/apps/v1/Deployment/ingress-nginx-controller\n\nnginx that terminates TLS for all hosts; 2 replicas.",
        metadata: { kind: "Deployment", namespace: "ingress", name: "ingress-nginx-controller", apiGroup: "apps" },
        distance: 0.31,
        label: "similar",
        highlights: ["nginx that terminates TLS for all hosts; 2 replicas."],
        scores: { similarity: 0.845, terms: 0.75, keyword: 2 },
      },
    ],
  },
});

const collectionRoute = createRoute({
  method: "post",
  path: "/v1/search",
  summary: "Search a collection by meaning, substring and metadata",
  ...scoped("read", requireJsonBody),
  request: { body: bodyContent(searchRequestSchema) },
  responses: {
    200: jsonContent("The hits, nearest first; without a query, by id.", searchReplySchema),
    422: problemContent("The body is not valid, or the vector store rejects the search."),
    503: problemContent("The vector store or the embedding service is unavailable."),
  },
});

export const runbookSearchSchema = z
  .object({
    domain: domainResultSchema,
    hits: z.array(runbookHitSchema.omit({ probability: true, relevance: true, relevant: true })),
    warnings: z.array(warningSchema),
  })
  .openapi({
    example: {
      domain: { name: "docker", rule: "given by the caller" },
      hits: [RUNBOOK_HIT_EXAMPLE],
      warnings: [],
    },
  });

const runbooksRoute = createRoute({
  method: "get",
  path: "/v1/runbooks/search",
  summary: "Search runbooks as a triage does",
  tags: ["search"],
  ...scoped("read"),
  request: {
    query: z.strictObject({
      query: filledText(4_000).openapi({ example: "gateway killed, exit code 137" }),
      domain: domainNameSchema.optional().openapi({
        description: "Searches this domain, such as `docker`. If omitted, every domain, and the words prefer one.",
      }),
      limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
    }),
  },
  responses: {
    200: jsonContent(
      "Sections of runbooks, notes, logs and postmortems, best first, with the features of each score.",
      runbookSearchSchema,
    ),
    503: problemContent("Recall is unavailable: neither search works now."),
  },
});

export const searchRoutes = createRouter()
  .openapi(collectionRoute, async (c) => {
    const { collection, query, keyword, filters, limit } = c.req.valid("json");
    const services = c.get("services");
    const search = { collection, query, keyword, filter: filters, limit };
    const result = await settle(searchCollection(services, search));
    if (result.ok)
      return c.json(
        { collection, hits: result.value.map((hit) => ({ ...hit, highlights: [...hit.highlights] })) },
        200,
      );
    const { error } = result;
    services.log(isRefusedSearch(error) ? "info" : "error", "search.failed", { error: error.message });
    const detail = describeSearchFailure(error);
    if (isRefusedSearch(error))
      throw new Problem("invalid-request", detail, {
        errors: [{ field: "filters", message: "is rejected by the vector store" }],
      });
    throw unavailable([error.dependency], detail);
  })
  .openapi(runbooksRoute, async (c) => c.json(await searchRunbooks(c.get("services"), c.req.valid("query")), 200));
