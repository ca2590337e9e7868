// Options that several commands take.

import { CommandError } from "./command-error.ts";

/** Splits `key=value`. @param option that has them @throws CommandError */
export function labelsOf(labels: readonly string[], option = "--label"): Record<string, string> {
  return Object.fromEntries(
    labels.map((label) => {
      const at = label.indexOf("=");
      if (at < 1) throw new CommandError("usage", `${option} must be key=value, not "${label}".`);
      return [label.slice(0, at), label.slice(at + 1)];
    }),
  );
}

/** The texts of an option that are joined by commas. */
export function listOf(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

/** What to do about a secret that a stored definition names, and the Worker lacks; "" if it has it. */
export function missingSecret(name: string | null, exists: boolean | null): string {
  return exists === false ? `\nThe Worker has no secret ${name}. Store it with: npx wrangler secret put ${name}` : "";
}
