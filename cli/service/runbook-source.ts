// The name of a stored runbook, such as `payments/declined.md`.

import { pathOf } from "./client.ts";
import { CommandError } from "./command-error.ts";

/** The path of the runbook in the API. @throws CommandError for a name without a domain */
export function runbookPath(source: string): string {
  const at = source.indexOf("/");
  if (at < 1 || at === source.length - 1)
    throw new CommandError(
      "usage",
      `A runbook is named by its domain and its path, such as payments/declined.md, not "${source}". List them with: dejavu runbooks list`,
    );
  return pathOf("runbooks", source.slice(0, at), source.slice(at + 1));
}
