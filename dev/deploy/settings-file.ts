// The settings of a hosted environment on this machine: `.env.production`, which git ignores. The Worker has them as secrets.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { REPO_DIR } from "../stack/paths.ts";
import { writeFileAtomic } from "../stack/system/atomic-file.ts";

/** Without one of these the Worker does not answer. */
export const REQUIRED_SETTINGS = ["DEJAVU_TOKEN", "SUPABASE_URL", "SUPABASE_SERVICE_ROLE_KEY", "CHROMA_URL"] as const;
/** Read from the shell, too. Others only from the file: a shell may hold a key that is not meant for the Worker. */
export const CONNECTION_SETTINGS: readonly string[] = [
  ...REQUIRED_SETTINGS,
  "CHROMA_TENANT",
  "CHROMA_DATABASE",
  "CHROMA_API_KEY",
];
/** The deployment uses them itself; the Worker does not get them. */
const DEPLOYMENT_SETTINGS: readonly string[] = [
  "DATABASE_URL",
  "DEJAVU_URL",
  "CLOUDFLARE_ACCOUNT_ID",
  "CLOUDFLARE_API_TOKEN",
];

/** Values by name. None is empty. */
export type SettingValues = Readonly<Record<string, string>>;

export function settingsFile(environment: string): string {
  return join(REPO_DIR, `.env.${environment}`);
}

/**
 * The values of the file, else those of the shell.
 * @param file undefined for that of the environment, which may be missing
 * @throws Error if the file cannot be read
 */
export function readSettingValues(
  environment: string,
  file: string | undefined,
  shell: Readonly<Record<string, string | undefined>>,
): SettingValues {
  const path = file ?? settingsFile(environment);
  const stored = file === undefined && !existsSync(path) ? {} : parseEnv(readSettings(path));
  const names = [...CONNECTION_SETTINGS, ...DEPLOYMENT_SETTINGS];
  return filled({ ...Object.fromEntries(names.map((name) => [name, shell[name]])), ...filled(stored) });
}

function filled(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined || value.trim() === "" ? [] : [[name, value.trim()]],
    ),
  );
}

/** What the Worker gets. */
export function workerSettings(values: SettingValues): SettingValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !DEPLOYMENT_SETTINGS.includes(name)));
}

function readSettings(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const advice = "Write the settings into it as NAME=value lines, or leave --secrets-file out.";
    throw new Error(`The file of --secrets-file, ${path}, cannot be read. ${advice}`, { cause });
  }
}

/** Adds these values to the file, or replaces theirs; other lines stay. Only its owner can read it. */
export function storeSettingValues(path: string, values: SettingValues): void {
  const text = existsSync(path)
    ? readFileSync(path, "utf8")
    : "# Settings of a hosted Dejavu. Keep this file secret. `npm run deploy` reads and writes it.\n";
  writeFileAtomic(path, withSettings(text, values));
}

/** @returns the text of the file with these values */
export function withSettings(text: string, values: SettingValues): string {
  const present = parseEnv(text);
  const changed = Object.entries(values).filter(([name, value]) => present[name] !== value);
  const replaced = new Set(changed.map(([name]) => name));
  const lines = text
    .split("\n")
    .filter((line) => !replaced.has(/^\s*(?:export\s+)?([\w.]+)\s*=/.exec(line)?.[1] ?? ""));
  while (lines.at(-1)?.trim() === "") lines.pop();
  return [...lines, ...changed.map(([name, value]) => `${name}=${quoted(value)}`), ""].join("\n");
}

/** `parseEnv` has no escapes: a value stands in quotation marks that it does not contain. */
function quoted(value: string): string {
  if (/^[\w.:/@%+,~=-]+$/.test(value)) return value;
  const mark = ["'", '"', "`"].find((each) => !value.includes(each));
  if (mark === undefined) throw new Error("A value with all three kinds of quotation marks cannot be stored.");
  return `${mark}${value}${mark}`;
}
