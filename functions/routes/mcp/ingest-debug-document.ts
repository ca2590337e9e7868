// Tool ingest_debug_document: stores a note, a log or a postmortem.

import { z } from "zod";
import { ingestDocument } from "../../knowledge/ingest.ts";
import { MAX_DOCUMENT_BYTES } from "../../knowledge/runbook-text/check-runbook-text.ts";
import { documentRequestSchema } from "../v1/documents.ts";
import { ingestedSchema, renderIngested, requireStored } from "../v1/text-schemas.ts";
import { defineTool } from "./tool.ts";

const { text, source, doc_type, tags, domain } = documentRequestSchema.shape;

export const ingestDebugDocument = defineTool({
  name: "ingest_debug_document",
  title: "Store a document",
  description: `Stores a text so that later investigations find it: the postmortem that was just written, notes on how something was fixed, a log that is typical of a failure. Call it when the user asks to keep something, or after a fix that is not written down yet.
Secrets and personal data are removed first. The same source again replaces what was stored under it; the same text again changes nothing. Returns where it went, and whether search sees it already.`,
  scope: "ingest",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    text: text.describe(`Plain text or Markdown, at most ${MAX_DOCUMENT_BYTES / 1_024} KB.`),
    source: source.describe(
      "A permanent name, such as `postmortems/2026-11-02-orders-db`: the same name replaces it, so choose one that is not used yet.",
    ),
    doc_type: doc_type.describe("What it is: log lines, a postmortem, or a note for anything else."),
    tags: tags.describe("Words to find it by, such as the service's name."),
    domain: domain.describe(
      "The technology or team that it is about, such as `payments`; a new name creates the domain. Determined from its words if omitted.",
    ),
  }),
  output: ingestedSchema.pick({ id: true, source: true, kind: true, domain: true, upserted: true, indexed: true }),
  async run({ doc_type: docType, ...document }, { services }) {
    const ingested = requireStored(await ingestDocument(services, { ...document, docType }));
    const { source, created, domainRule, upserted, unchanged, removed, indexed } = ingested;
    return {
      isError: false,
      text: [
        `${created ? "Stored" : "Updated"} the ${source.kind} "${source.title}" as ${source.source} (id ${source.id}) under ${source.domain} (${domainRule}).`,
        `Chunks: ${upserted} new or changed, ${unchanged} unchanged, ${removed} removed.`,
        indexed ? "Searches see it now." : "Searches by meaning see it within minutes; keywords find it now.",
      ].join("\n"),
      data: renderIngested(ingested),
    };
  },
});
