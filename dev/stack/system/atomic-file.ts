// Atomic writes: a file holds its old or its new content, also when the writer is killed.

import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * Writes a temporary file beside the target and renames it. The default mode is 600: most of these files hold secrets.
 */
export function writeFileAtomic(path: string, text: string, mode = 0o600): void {
  const temporary = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    writeFileSync(temporary, text, { mode });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** The file's text, or undefined when it does not exist. Other failures are thrown. */
export function readFileIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The file's JSON, or undefined when it is missing or not valid JSON. */
export function readJsonIfExists(path: string): unknown {
  const text = readFileIfExists(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
