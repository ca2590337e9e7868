// Finds the runbook that a reporter attached among the stored ones, by the last parts of its address.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import type { DomainName } from "../schemas/domain.ts";
import { collectionOf } from "../search-index/collections.ts";
import { documentFromRow, documentRowSchema, type SearchDocument } from "../search-index/search-document.ts";

/** More path segments than a real address has. */
const MAX_PARTS = 6;

/**
 * The names that a URL or path may stand for, longest first, in lower case and without extension:
 * "https://wiki.example/runbooks/postgres/Locks.md#fix" → "runbooks/postgres/locks", "postgres/locks", "locks".
 */
export function runbookNames(attached: string): string[] {
  const path = attached
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "")
    .replace(/[?#].*$/, "");
  const parts = decode(path)
    .toLowerCase()
    .split("/")
    .filter((part) => part !== "")
    .slice(-MAX_PARTS);
  return parts.map((_, i) =>
    parts
      .slice(i)
      .join("/")
      .replace(/\.(?:md|markdown|html?)$/, ""),
  );
}

/** All sections of the attached runbook, in order; empty when it is not stored. @throws DependencyError */
export async function readAttachedRunbook(
  database: Database,
  domain: DomainName,
  attached: string,
): Promise<SearchDocument[]> {
  const names = runbookNames(attached);
  if (names.length === 0) return [];
  const args = { p_collection: collectionOf("runbooks", domain), p_names: names };
  const rows = await database.call("runbook_sections", args, z.array(documentRowSchema), { retries: 1 });
  return rows.map(documentFromRow);
}

/** Decodes a path; an invalid encoding is used as it is. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
