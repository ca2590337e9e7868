// The saved views of the list as they are stored. Pure functions.

import { filtersOf, searchOf } from "./filters.ts";

export interface SavedView {
  readonly name: string;
  /** The part of an address from `?` on. */
  readonly search: string;
}

/** @param stored text that another version of the console, or another page, may have written */
export function savedViewsOf(stored: string | null): readonly SavedView[] {
  try {
    const views: unknown = JSON.parse(stored ?? "[]");
    return Array.isArray(views) ? views.flatMap(viewOf) : [];
  } catch {
    return [];
  }
}

function viewOf(value: unknown): SavedView[] {
  if (typeof value !== "object" || value === null || !("name" in value) || !("search" in value)) return [];
  const { name, search } = value;
  if (typeof name !== "string" || typeof search !== "string") return [];
  const valid = searchOf(filtersOf(Object.fromEntries(new URLSearchParams(search))));
  return valid === "" ? [] : [{ name, search: valid }];
}

/** With the view added; one of the same name is replaced. */
export function changedViews(views: readonly SavedView[], name: string, search: string): readonly SavedView[] {
  const trimmed = name.trim();
  if (trimmed === "") return views;
  return [...views.filter((view) => view.name !== trimmed), { name: trimmed, search }];
}
