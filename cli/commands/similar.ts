// `dejavu similar`: past incidents that are alike.

import { readInput } from "../input/read-input.ts";
import { call, parseAnswer } from "../service/client.ts";
import { CommandError } from "../service/command-error.ts";
import { type Invocation, printResult } from "../service/invocation.ts";
import { MAX_QUERY_LENGTH, memorySearchSchema } from "../service/memory-search.ts";
import { reportStdin } from "../service/report-input.ts";
import { renderSimilar } from "../views/render-similar.ts";

export interface SimilarOptions {
  readonly domain?: string;
  readonly all?: boolean;
  readonly file?: readonly string[];
}

/** Maximum width in columns. */
const WIDTH = 110;

export async function run({ args, options, cli }: Invocation<SimilarOptions>): Promise<void> {
  const { requests, notes } = await readInput({ words: args, files: options.file ?? [], stdin: reportStdin() });
  for (const note of notes) cli.note(note);
  const [request] = requests;
  if (request === undefined)
    throw new CommandError("usage", 'Say what happened: dejavu similar "gateway killed, exit code 137"');
  if (requests.length > 1) cli.note(`Searches for the first of ${requests.length} alerts.`);
  const { title, question, logs } = request;
  const query = [title ?? question, logs].filter(Boolean).join("\n").slice(0, MAX_QUERY_LENGTH);
  const service = await cli.service();
  const answer = await call(service, { path: "/v1/memory/search", query: { query, domain: options.domain } });
  const result = parseAnswer(service, answer, memorySearchSchema);
  printResult({ cli, options }, answer, () =>
    renderSimilar(result, { ...cli.terminal(WIDTH), all: options.all ?? false }),
  );
}
