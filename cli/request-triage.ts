// Triages a text on the local stack, for commands that start it.

import { showProgress } from "./find-stores.ts";
import { commandPrefix } from "./render/command-prefix.ts";
import { renderTriage } from "./render-triage.ts";
import { terminal } from "./service/terminal.ts";
import { followTriage, type TriageRequest } from "./service/triage-client.ts";
import { showStep } from "./service/triage-progress.ts";

const MAX_COLUMNS = 110;

/** @returns the rendered result @throws CommandError with the text of the problem */
export async function requestTriage(
  { urls, token }: { readonly urls: { readonly worker: string }; readonly token: string },
  body: TriageRequest,
): Promise<string> {
  const result = await followTriage(urls.worker, token, body, (event) =>
    showStep({ progress: (text) => (process.stderr.isTTY ? showProgress(process, text) : undefined) }, event),
  );
  return renderTriage(result, { ...terminal(MAX_COLUMNS, process), prefix: commandPrefix(process.env) });
}
