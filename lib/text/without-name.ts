// Removal of a name from a text. Pure function.

/** Replaces each whole-word occurrence of a name by a space, in any case; `app` stays in "application". */
export function withoutName(text: string, name: string): string {
  const trimmed = name.trim();
  if (trimmed === "") return text;
  const literal = trimmed.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, "giu"), " ");
}
