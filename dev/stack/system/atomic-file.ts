/** Files that are either the old or the new version, never half of one, whoever is killed when. */
import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** Writes beside the target and renames over it. Mode 600 unless told: most of these files hold secrets. */
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
export function readFileIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The file's JSON, or undefined when it is missing or is no JSON. */
export function readJsonIfThere(path: string): unknown {
  const text = readFileIfThere(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
