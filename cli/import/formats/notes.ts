// Notes of people on an incident: the last one says what fixed it, the others describe it. Pure functions.

export interface Note {
  readonly text: string;
  readonly by: string | null;
  /** As the file has it; null if it does not say. */
  readonly at: string | null;
}

/** Notes without times keep their order. */
export function splitNotes(notes: readonly Note[]): { readonly last: Note | null; readonly others: readonly string[] } {
  const filled = notes.filter(({ text }) => text.trim() !== "");
  const ordered = filled.every(({ at }) => at !== null && !Number.isNaN(Date.parse(at)))
    ? filled.toSorted((a, b) => Date.parse(a.at ?? "") - Date.parse(b.at ?? ""))
    : filled;
  return { last: ordered.at(-1) ?? null, others: ordered.slice(0, -1).map(({ text }) => text) };
}
