// A source of evidence as a person types it. Pure functions.

import type { Source } from "./entries.ts";
import { labelsOf, labelsText, pairsOf, pairsText, wordsOf } from "./form-text.ts";

export type SourceText = ReturnType<typeof sourceText>;

/** @param source null: what a new one starts with */
export function sourceText(source: Source | null) {
  return {
    name: source?.name ?? "",
    kind: source?.kind ?? "prometheus",
    url: source?.url ?? "",
    credential: source?.credential ?? "",
    labels: labelsText(source?.labels ?? {}),
    domains: source?.domains.join(", ") ?? "",
    headers: pairsText(source?.headers ?? {}),
    open_url: source?.open_url ?? "",
  };
}

/** The definition that the API stores. */
export function sourceDefinition({ kind, url, credential, labels, domains, headers, open_url }: SourceText) {
  return {
    kind,
    url: url.trim(),
    credential: credential.trim() || null,
    labels: labelsOf(labels),
    domains: wordsOf(domains),
    headers: pairsOf(headers),
    open_url: open_url.trim() || null,
  };
}
