// Options of commands that take a report.

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
