// JSON files that only their owner may read: profiles with tokens, and the last incident.

import { mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import type { z } from "zod";
import { writeFileAtomic } from "../../dev/stack/system/atomic-file.ts";
import { CommandError } from "./command-error.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

const OTHERS = 0o077;
/** Windows has no such modes: the user's folder is private there. */
const HAS_MODES = process.platform !== "win32";

/** A file of the folder `dejavu` in an XDG base directory. The specification ignores relative paths. */
export function userFile(env: Environment, variable: "XDG_CONFIG_HOME" | "XDG_STATE_HOME", name: string): string {
  const home = env.HOME || homedir();
  const fallback = join(home, variable === "XDG_CONFIG_HOME" ? ".config" : ".local/state");
  const base = env[variable];
  return join(base && isAbsolute(base) ? base : fallback, "dejavu", name);
}

/** Undefined if the file does not exist. @throws CommandError if others can read it, or it is not valid */
export function readPrivateFile<T>(path: string, schema: z.ZodType<T>): T | undefined {
  let text: string;
  try {
    const mode = statSync(path).mode & 0o777;
    if (HAS_MODES && (mode & OTHERS) !== 0)
      throw new CommandError(
        "failed",
        `Others can read ${path} (mode ${mode.toString(8)}). Run: chmod 600 ${path}\nIf others may have read it, revoke its tokens.`,
      );
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new CommandError("failed", `${path} cannot be read (${String(code)}).`, { cause: error });
  }
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new CommandError("failed", `${path} is not valid. Correct it, or delete it and sign in again.`);
}

/** Writes the file with mode 600, in a folder of mode 700 if it makes one. @throws CommandError */
export function writePrivateFile(path: string, value: unknown): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileAtomic(targetOf(path), `${JSON.stringify(value, null, 2)}\n`);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new CommandError("failed", `${path} cannot be written (${code}).`, { cause: error });
  }
}

/** The file behind a symbolic link, so that the link stays. */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
