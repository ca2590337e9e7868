// Placeholders for the names of one request to a model. The map from a placeholder to its name stays in this object.

import { findNames } from "./find-names.ts";
import {
  type NameKind,
  numberedPlaceholder,
  plainPlaceholder,
  pseudonymsIn,
  replacePlaceholders,
  withoutUnfinished,
} from "./placeholder.ts";
import { indexNames } from "./replace-names.ts";

export interface Pseudonymiser {
  /** The text with placeholders in the place of names: `pod-1`. `restore` reverses it. */
  hide(text: string): string;
  /**
   * The text with the names. A placeholder that no text of the request contained becomes `<pod>`: there is no name for it,
   * and the reader sees that one is missing.
   */
  restore(text: string): string;
  /** The beginning of a text that may go on: without an unfinished placeholder at its end. */
  restoreBeginning(text: string): string;
}

/** @param texts all texts of the request. Placeholders that they contain themselves are not used. */
export function createPseudonymiser(texts: readonly string[], hints: readonly string[] = []): Pseudonymiser {
  const kinds = findNames([...texts, ...hints]);
  const index = indexNames(kinds.keys());
  const literal = new Set(texts.flatMap(pseudonymsIn));
  const placeholders = new Map<string, string>();
  const names = new Map<string, string>();
  const counts = new Map<NameKind, number>();

  const nextPlaceholder = (kind: NameKind): string => {
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    const placeholder = numberedPlaceholder(kind, number);
    return literal.has(placeholder) ? nextPlaceholder(kind) : placeholder;
  };
  const placeholderOf = (name: string): string => {
    const existing = placeholders.get(name);
    if (existing !== undefined) return existing;
    const placeholder = nextPlaceholder(kinds.get(name) ?? "resource");
    placeholders.set(name, placeholder);
    names.set(placeholder, name);
    return placeholder;
  };
  const restore = (text: string) =>
    replacePlaceholders(
      text,
      (placeholder, kind) => names.get(placeholder) ?? (literal.has(placeholder) ? undefined : plainPlaceholder(kind)),
    );
  return {
    hide: (text) => index.replace(text, placeholderOf),
    restore,
    restoreBeginning: (text) => restore(withoutUnfinished(text)),
  };
}

/**
 * The texts with `<pod>` in the place of each name: for models whose answer holds no text.
 * @param texts searched together: a name that one of them shows is hidden in all of them
 */
export function maskNames(texts: readonly string[], hints: readonly string[] = []): string[] {
  const kinds = findNames([...texts, ...hints]);
  const index = indexNames(kinds.keys());
  return texts.map((text) => index.replace(text, (name) => plainPlaceholder(kinds.get(name) ?? "resource")));
}
