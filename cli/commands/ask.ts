// `dejavu ask`: asks a question, alone or in a session, with evidence from a pipe or a file.

import { displayJson } from "../../lib/text/display-text.ts";
import { readInput } from "../input/read-input.ts";
import { CommandError } from "../service/command-error.ts";
import { shortId } from "../service/incident-id.ts";
import type { Invocation } from "../service/invocation.ts";
import { type LastIncident, readLast, storeLast } from "../service/last-incident.ts";
import { followTriageOn } from "../service/triage-client.ts";
import { showStep } from "../service/triage-progress.ts";
import { renderAnswer } from "./triage.ts";

export interface AskOptions {
  readonly continue?: boolean;
  readonly file?: readonly string[];
  readonly session?: string;
  readonly full?: boolean;
}

export async function run({ args, options, cli }: Invocation<AskOptions>): Promise<void> {
  if (args.join(" ").trim() === "")
    throw new CommandError("usage", 'Give a question: dejavu ask "why would a container exit with code 137?"');
  if (options.continue && options.session !== undefined)
    throw new CommandError("usage", "Use one of --continue and --session.");
  const files = options.file ?? [];
  const input = { words: args, files, stdin: cli.stdin, say: cli.note };
  const { requests, notes } = await readInput({ ...input, as: "question" });
  for (const note of notes) cli.note(note);
  // The notes say that no alert is firing.
  if (requests.length === 0) return;
  const service = await cli.service();
  const last = readLast(cli.env, service.key);
  const session = options.continue ? sessionOf(last) : options.session;
  cli.whenInterrupted(() => "Stopped. The answer may be stored: see dejavu list.");
  const body = { ...requests[0], ...(session === undefined ? {} : { session_id: session }) };
  const result = await followTriageOn(service, body, (event) => showStep(cli, event));
  cli.progress("");
  // A question leaves the last incident as it is.
  storeLast(cli.env, service.key, {
    incident_id: last?.incident_id ?? null,
    session_id: result.session_id,
    at: new Date().toISOString(),
  });
  const incident = shortId(result.incident_id);
  cli.print(options.json ? displayJson(result) : renderAnswer(cli, result, { ...options, incident }));
}

function sessionOf(last: LastIncident | null): string {
  if (last !== null) return last.session_id;
  throw new CommandError(
    "notFound",
    "There is no session to continue: nothing was triaged on this service from here. Name one with --session.",
  );
}
