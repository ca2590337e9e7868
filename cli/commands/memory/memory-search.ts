// `dejavu memory search`: what a query recalls, with the parts of each score.

import { renderSearch } from "../../render-memory.ts";
import { call, parseAnswer } from "../../service/client.ts";
import { type Invocation, printResult } from "../../service/invocation.ts";
import { memorySearchSchema } from "../../service/memory-search.ts";

const MAX_COLUMNS = 200;

export async function run({
  args,
  options,
  cli,
}: Invocation<{ readonly domain?: string; readonly session?: string }>): Promise<void> {
  const service = await cli.service();
  const query = { query: args.join(" "), domain: options.domain, session_id: options.session };
  const answer = await call(service, { path: "/v1/memory/search", query });
  const result = parseAnswer(service, answer, memorySearchSchema);
  printResult({ cli, options }, answer, () => renderSearch(result, cli.terminal(MAX_COLUMNS)));
}
