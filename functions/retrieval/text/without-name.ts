// Owns how a name is taken out of what is said of it. Pure.

/** The text with a blank for the name wherever it stands by itself, in whatever case; `app` stays in "application". */
export function withoutName(text: string, name: string): string {
  const bare = name.trim();
  if (bare === "") return text;
  const literal = bare.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, "giu"), " ");
}
