// Schemas, examples and errors that the endpoints for runbooks and documents share.

import { z } from "@hono/zod-openapi";
import { type Ingested, type IngestedChecks, MAX_CHECK_PROBLEMS } from "../../knowledge/ingest.ts";
import { MAX_DOCUMENT_BYTES } from "../../knowledge/runbook-text/check-runbook-text.ts";
import { MAX_CHUNKS } from "../../knowledge/text-documents.ts";
import { textEntrySchema } from "../../knowledge/text-records.ts";
import { Problem } from "../http/problem.ts";

export const EXAMPLE_RUNBOOK = {
  id: "5f0c6f1b2a9d4e37",
  source: "kubernetes/team/ingress.md",
  domain: "kubernetes",
  kind: "runbook",
  origin: "api",
  title: "Ingress answers 502",
  tags: ["ingress"],
  bytes: 1_804,
  chunks: 4,
  created_at: "2026-11-22T03:00:00+00:00",
  updated_at: "2026-11-22T03:00:00+00:00",
  updated_by: "ci",
} as const;

export const EXAMPLE_DOCUMENT = {
  ...EXAMPLE_RUNBOOK,
  id: "9a3e0d7c51b2f468",
  source: "postmortems/2026-11-02-orders-db",
  domain: "postgres",
  kind: "postmortem",
  title: "orders-db refused connections",
  tags: ["orders", "pgbouncer"],
} as const;

export const USES_EXAMPLE = { answered: 14, helped: 9, did_not_help: 1, since: "2026-08-02T11:20:00+00:00" } as const;

export const ETAG_EXAMPLE = "0f3c2a9be1d45c77a8e6b1d2c3f40516";
const INGESTED_EXAMPLE = { etag: ETAG_EXAMPLE, upserted: 4, unchanged: 0, removed: 0, indexed: true } as const;

const ingestedFields = textEntrySchema.extend({
  etag: z.string().openapi({ description: "Identifies the stored text, for `If-Match`." }),
  domain_rule: z.string().openapi({ description: "The rule that chose the domain." }),
  upserted: z.number().int().openapi({ description: "Number of new or changed chunks." }),
  unchanged: z.number().int(),
  removed: z.number().int().openapi({ description: "Number of deleted chunks." }),
  indexed: z.boolean().openapi({
    description:
      "`false` while the vector index lacks some chunks; semantic search may miss them until the index catches up.",
  }),
});

export const ingestedSchema = ingestedFields.openapi({
  example: { ...EXAMPLE_DOCUMENT, ...INGESTED_EXAMPLE, domain_rule: 'words in labels or logs "max_connections"' },
});

export const ingestedRunbookSchema = ingestedFields
  .extend({
    checks: z.number().int().openapi({ description: "Number of evidence checks in the runbook that can run." }),
    problems: z
      .array(
        z.object({ line: z.number().int().openapi({ description: "Line of the text, from 1." }), message: z.string() }),
      )
      .openapi({
        description: `Mistakes in evidence checks, the first ${MAX_CHECK_PROBLEMS}. The runbook is stored, and its other checks can run.`,
      }),
  })
  .openapi({
    example: {
      ...EXAMPLE_RUNBOOK,
      ...INGESTED_EXAMPLE,
      domain_rule: "given by the caller",
      checks: 2,
      problems: [{ line: 41, message: 'the condition begins with "any", "all" or "count", such as `any > 0.9`.' }],
    },
  });

export const removedSchema = z
  .object({
    indexed: z.boolean().openapi({
      description: "`false` while the vector index still holds it; search may show it until the index catches up.",
    }),
  })
  .openapi({ example: { indexed: true } });

export const SECTIONS_EXAMPLE = {
  etag: ETAG_EXAMPLE,
  incident_type: null,
  text: "# Ingress answers 502\n\n## Mitigate\n\n1. Restart the controller.",
  sections: [{ id: "c0ffee0123456789", heading: "Mitigate", text: "1. Restart the controller." }],
} as const;

/** Cursor of a list by name. */
export const nameCursor = z.tuple([z.string()]).transform(([source]) => source);

/** Returns the stored text. @throws Problem if the text was not stored */
export function requireStored(ingested: Ingested): Extract<Ingested, { state: "stored" }> {
  switch (ingested.state) {
    case "stored":
      return ingested;
    case "too_large":
      throw new Problem(
        "body-too-large",
        `The text has ${ingested.bytes} bytes of UTF-8; the limit is ${MAX_DOCUMENT_BYTES}. Split it and send the parts under separate names.`,
      );
    case "too_many_chunks":
      throw new Problem(
        "invalid-request",
        `The text makes ${ingested.chunks} chunks; the limit is ${MAX_CHUNKS}. Join its short sections, or split it and send the parts under separate names.`,
        { errors: [{ field: "text", message: `must make at most ${MAX_CHUNKS} chunks` }] },
      );
    case "empty":
      throw new Problem("invalid-request", "The text has no word that a search could find. Send a text with words.", {
        errors: [{ field: "text", message: "must have a word" }],
      });
    case "changed":
      throw new Problem(
        "changed-meanwhile",
        "The stored text is not the one of `If-Match`: somebody changed or deleted it. Read it again, and apply your change to it.",
      );
    case "exists":
      throw new Problem(
        "changed-meanwhile",
        "A text has this name already. Use another name, or read and change that one.",
      );
    case "taken":
      throw new Problem("name-taken", `A ${ingested.kind} has this name. Use another name, or delete it first.`);
  }
}

export function renderIngestedRunbook(
  ingested: Extract<Ingested, { state: "stored" }>,
  { count, problems }: IngestedChecks,
): z.infer<typeof ingestedRunbookSchema> {
  return { ...renderIngested(ingested), checks: count, problems: [...problems] };
}

export function renderIngested(ingested: Extract<Ingested, { state: "stored" }>): z.infer<typeof ingestedSchema> {
  const { source, domainRule, upserted, unchanged, removed, indexed } = ingested;
  return { ...source, domain_rule: domainRule, upserted, unchanged, removed, indexed };
}
