// `dejavu search`: sections of runbooks, with the reasons for their rank.

import { z } from "zod";
import { runbookHitSchema } from "../../functions/schemas/triage-result.ts";
import { noteIfNoDomain } from "../empty-domain.ts";
import { call, parseAnswer } from "../service/client.ts";
import { type Invocation, printResult } from "../service/invocation.ts";
import { renderRunbookHits } from "../views/render-runbook-hits.ts";

export interface SearchOptions {
  readonly domain?: string;
  readonly limit?: string;
}

const MAX_COLUMNS = 110;
const DEFAULT_LIMIT = "5";

const searchSchema = z.object({
  domain: z.object({ name: z.string(), rule: z.string() }),
  hits: z.array(runbookHitSchema.omit({ probability: true, relevance: true, relevant: true })),
  warnings: z.array(z.object({ message: z.string() })),
});
export type RunbookSearch = z.infer<typeof searchSchema>;

export async function run({ args, options, cli }: Invocation<SearchOptions>): Promise<void> {
  const { domain, limit = DEFAULT_LIMIT } = options;
  const service = await cli.service();
  const query = { query: args.join(" "), domain, limit };
  const answer = await call(service, { path: "/v1/runbooks/search", query });
  const result = parseAnswer(service, answer, searchSchema);
  if (domain !== undefined && result.hits.length === 0) await noteIfNoDomain(cli, service, domain);
  printResult({ cli, options }, answer, () => renderRunbookHits(result, cli.terminal(MAX_COLUMNS)));
}
