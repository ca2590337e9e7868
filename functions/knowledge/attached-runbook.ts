// Owns how a runbook that a reporter attached to an incident is found among ours: by the last parts of its address.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import type { DomainName } from "../schemas/domain.ts";
import { collectionOf } from "../search-index/collections.ts";
import { documentFromRow, documentRowSchema, type SearchDocument } from "../search-index/search-document.ts";

/** Deeper folders than anybody has. */
const MAX_PARTS = 6;

/**
 * What a URL or a path may call one of our runbooks, longest first, in lower case and without an extension:
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

/** All sections of the attached runbook in the order of the document; none where it is not ours. @throws DependencyError */
export async function readAttachedRunbook(
  database: Database,
  domain: DomainName,
  attached: string,
): Promise<SearchDocument[]> {
  const names = runbookNames(attached);
  if (names.length === 0) return [];
  const args = { p_collection: collectionOf("runbooks", domain), p_names: names };
  const reply = await database.call("runbook_sections", args, z.array(documentRowSchema), { retries: 1 });
  return reply.map(documentFromRow);
}

/** An address that is not encoded right is taken as it stands. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
