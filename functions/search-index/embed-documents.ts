// Vectors of documents. An embedder that hides names learns them from the incident that a document is about.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { nameHints } from "../schemas/incident.ts";
import { documentText, type SearchDocument } from "./search-document.ts";
import type { IndexStores } from "./search-services.ts";

/** Runs of a session whose names count for its summary. */
const MAX_RUNS = 200;
/** Fields of a document's metadata that are names. */
const NAME_FIELDS = ["target", "name", "namespace"];

const rowsSchema = z.array(
  z.object({ document_id: z.string(), labels: z.record(z.string(), z.string()), target: z.string().nullable() }),
);

/** One vector for each document, in order. @throws DependencyError */
export async function embedDocuments(
  { embedder, database }: Pick<IndexStores, "embedder" | "database">,
  documents: readonly SearchDocument[],
): Promise<number[][]> {
  const { hideNames } = embedder;
  if (hideNames === undefined) return embedder.embed(documents.map(documentText), "document");
  const hints = await readHints(database, documents);
  return embedder.embed(
    documents.flatMap((document) =>
      hideNames([documentText(document)], [...ownHints(document), ...(hints.get(document.id) ?? [])]),
    ),
    "document",
  );
}

function ownHints({ metadata }: SearchDocument): string[] {
  return NAME_FIELDS.flatMap((field) => {
    const value = metadata[field];
    return typeof value === "string" && value !== "" ? [`${field === "name" ? "target" : field}="${value}"`] : [];
  });
}

async function readHints(database: Database, documents: readonly SearchDocument[]): Promise<Map<string, string[]>> {
  const ids = documents.map(({ id }) => id).filter((id) => z.uuid().safeParse(id).success);
  const hints = new Map<string, string[]>();
  if (ids.length === 0) return hints;
  const rows = await database.call("document_names", { p_ids: ids, p_limit: MAX_RUNS }, rowsSchema, { retries: 1 });
  for (const { document_id, ...report } of rows)
    hints.set(document_id, [...(hints.get(document_id) ?? []), ...nameHints(report)]);
  return hints;
}
