// Errors of reading files, in words for a person.

import { CommandError } from "./command-error.ts";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist. Check the path.",
  ENOTDIR: "does not exist. Check the path.",
  EISDIR: "is a folder. Pass a file.",
  EACCES: "cannot be read: permission denied.",
};

/** Continues the sentence that a path begins; null for an error that is not about reading a file. */
export function describeFileError(error: unknown): string | null {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return REASONS[code] ?? null;
}

/** Reads a file or a folder of that path. @throws CommandError that names the path and says why it cannot be read */
export async function reading<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const reason = describeFileError(error);
    throw reason === null ? error : new CommandError("usage", `${path} ${reason}`, { cause: error });
  }
}
