// Errors of reading files, in words for a person.

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist. Check the path.",
  EISDIR: "is a folder. Pass a file.",
  EACCES: "cannot be read: permission denied.",
};

/** Continues the sentence that a path begins; null for an error that is not about reading a file. */
export function describeFileError(error: unknown): string | null {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return REASONS[code] ?? null;
}
