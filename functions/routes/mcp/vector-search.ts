// Tool vector_search: searches one collection by meaning, substring and metadata.

import { z } from "zod";
import { settle } from "../../dependencies.ts";
import { truncate } from "../../schemas/incident.ts";
import {
  type CollectionHit,
  describeSearchFailure,
  isRefusedSearch,
  renderHits,
  searchCollection,
} from "../../search-index/collection-search.ts";
import {
  FLAT_FIELDS,
  type FlatFields,
  filterSchema,
  flatFieldFault,
  MAX_METADATA_LENGTH,
  withFlatFields,
} from "../../search-index/search-filter.ts";
import { text } from "../http/input.ts";
import { hasSearchCriterion, searchRequestSchema } from "../v1/search.ts";
import { incidentLink, runbookLink } from "./resources.ts";
import { defineTool, type ToolResult } from "./tool.ts";

const { collection, query, keyword } = searchRequestSchema.shape;
const plain = (description: string) => text(MAX_METADATA_LENGTH).optional().describe(description);

const MAX_HITS = 10;
const DEFAULT_HITS = 5;
/** Characters of all texts together. */
const TEXTS_LENGTH = 1_800;
/** Characters of one value of the metadata. */
const VALUE_LENGTH = 80;
const MAX_LINKS = 3;
/** Metadata that only searches and recalls read. */
const INNER_FIELDS: ReadonlySet<string> = new Set(["facts", "search_words", "tools_used", "title", "incident_id"]);

const output = z.object({
  collection: z.string(),
  hits: z.array(
    z.object({ id: z.string(), distance: z.number().nullable().describe("Cosine distance; null without a query.") }),
  ),
});

export const vectorSearch = defineTool({
  name: "vector_search",
  title: "Search a collection",
  description: `Looks texts up in one collection; explains and concludes nothing. Three dimensions compose freely, at least one is needed: query (by meaning), keyword (the exact substring, case counts), exact metadata (kind, apiGroup, namespace, cluster; any other field, such as domain, in filters).
Collections: runbooks (with notes, logs and postmortems) and incidents, of every technology and team, which the metadata field domain names; capabilities (what kinds of resources the cluster knows, CRDs too); instances (what runs in it). Use it to find out what a cluster has, or to read what a runbook says on one point. For why something is broken, call search_debugging_knowledge.
Returns the beginnings of the texts, nearest first, with distance and metadata; its links have whole texts. Asks no language model.`,
  scope: "read",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z
    .strictObject({
      collection: collection.describe("Where to look."),
      query: query.describe("What it is about, in any words."),
      keyword: keyword.describe("What the text holds letter by letter, such as an error code."),
      filters: z
        .looseObject({ op: z.enum(["equals", "in", "and"]) })
        .pipe(filterSchema)
        .optional()
        .describe(
          'What the metadata says exactly: {"op": "equals", "field": "domain", "value": "payments"}, {"op": "in", "field": "namespace", "values": ["shop", "edge"]}, or several of these as {"op": "and", "filters": [...]}.',
        ),
      kind: plain(
        "The metadata field kind: a kind of resource, such as Deployment, or runbook, note, log, postmortem.",
      ),
      apiGroup: plain("The metadata field apiGroup, such as apps; empty for the core group."),
      namespace: plain("The metadata field namespace."),
      cluster: plain("The metadata field cluster, for inventories of several clusters."),
      limit: z.number().int().min(1).max(MAX_HITS).default(DEFAULT_HITS).describe("How many texts at most."),
    })
    .refine((search) => FLAT_FIELDS.some((field) => search[field] !== undefined) || hasSearchCriterion(search), {
      path: ["query"],
      message: "is needed, unless there is a keyword, kind, apiGroup, namespace, cluster or filters",
    })
    .superRefine((search, context) => {
      const fault = flatFieldFault(search.filters, search);
      if (fault) context.addIssue({ code: "custom", path: [fault.field], message: fault.message });
    }),
  output,
  async run(
    { filters, kind, apiGroup, namespace, cluster, ...search },
    { services },
  ): Promise<ToolResult<z.input<typeof output>>> {
    const fields: FlatFields = { kind, apiGroup, namespace, cluster };
    const filter = withFlatFields(filters, fields);
    const result = await settle(searchCollection(services, { ...search, filter }));
    if (!result.ok) {
      const { error } = result;
      services.log(isRefusedSearch(error) ? "info" : "error", "search.failed", { error: error.message });
      return { isError: true, text: describeSearchFailure(error) };
    }
    const hits = result.value;
    return {
      isError: false,
      text: renderHits(hits.map((hit) => excerptOf(hit, Math.floor(TEXTS_LENGTH / hits.length)))),
      links: linksOf(search.collection, hits),
      data: { collection: search.collection, hits },
    };
  },
});

function excerptOf(hit: CollectionHit, length: number): CollectionHit {
  const metadata = Object.entries(hit.metadata).filter(([field]) => !INNER_FIELDS.has(field));
  return {
    ...hit,
    text: truncate(hit.text, length),
    metadata: Object.fromEntries(
      metadata.map(([field, value]) => [field, typeof value === "string" ? truncate(value, VALUE_LENGTH) : value]),
    ),
  };
}

/** The whole texts of the nearest runbooks and incidents; other texts are no resources. */
function linksOf(collection: string, hits: readonly CollectionHit[]) {
  const links = hits.flatMap(({ id, title, metadata: { kind, source } }) => {
    if (collection === "incidents") return [incidentLink(id, title)];
    return kind === "runbook" && typeof source === "string" ? [runbookLink(source, title)] : [];
  });
  return [...new Map(links.map((link) => [link.uri, link])).values()].slice(0, MAX_LINKS);
}
