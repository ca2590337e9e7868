// The note on a search that left its domain, shared by all renderings of an answer.

import type { TriageResult } from "../schemas/triage-result.ts";

/** Null unless the search found nothing relevant in its domain and looked further. */
export function furtherSearchNote({ name, looked_further }: TriageResult["domain"]): string | null {
  return looked_further ? `nothing relevant in ${name}; other domains were searched` : null;
}
