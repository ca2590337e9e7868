// `dejavu sources`: list, define, try and remove sources of evidence.

import { z } from "zod";
import { call, parseAnswer, pathOf } from "../service/client.ts";
import { type Invocation, printResult } from "../service/invocation.ts";
import { labelsOf, listOf, missingSecret } from "../service/report-input.ts";
import { renderSources, renderTried, sourceSchema, triedSchema } from "../views/render-sources.ts";

const MAX_COLUMNS = 160;
/** Of a source that fails, with others before it. */
const TIMEOUT_MS = 60_000;

const listSchema = z.object({ sources: z.array(sourceSchema) });

export async function list({ options, cli }: Invocation<{ readonly health: boolean }>): Promise<void> {
  const service = await cli.service();
  const query = { health: options.health ? undefined : "false" };
  const answer = await call(service, { path: "/v1/sources", query, timeoutMs: TIMEOUT_MS });
  const { sources } = parseAnswer(service, answer, listSchema);
  printResult({ cli, options }, answer, () => renderSources(sources, cli.terminal(MAX_COLUMNS)));
}

export interface PutOptions {
  readonly credential?: string;
  readonly header?: readonly string[];
  readonly label?: readonly string[];
  readonly domains?: string;
  readonly openUrl?: string;
}

export async function put({ args, options, cli }: Invocation<PutOptions>): Promise<void> {
  const [name = "", kind = "", url = ""] = args;
  const body = definitionOf({ kind, url }, options);
  const service = await cli.service();
  const answer = await call(service, { method: "PUT", path: pathOf("sources", name), body });
  const { credential, credential_exists } = parseAnswer(service, answer, sourceSchema);
  const stored = `Defined the source ${name}. The next triage uses it.`;
  printResult({ cli, options }, answer, () => stored + missingSecret(credential, credential_exists));
}

/** The body of the request. @throws CommandError for a pair without `=` */
function definitionOf(address: { readonly kind: string; readonly url: string }, options: PutOptions) {
  const labels = Object.entries(labelsOf(options.label ?? [])).map(([label, values]) => [label, listOf(values)]);
  return {
    ...address,
    credential: options.credential ?? null,
    headers: labelsOf(options.header ?? [], "--header"),
    labels: Object.fromEntries(labels),
    domains: listOf(options.domains ?? ""),
    open_url: options.openUrl ?? null,
  };
}

export interface TryOptions {
  readonly label?: readonly string[];
  readonly match?: string;
  readonly confirms?: string;
  readonly refutes?: string;
}

export async function tryOne({ args, options, cli }: Invocation<TryOptions>): Promise<void> {
  const [name = "", query = ""] = args;
  const rule = (condition: string | undefined) => (condition === undefined ? null : { condition });
  const body = {
    query,
    labels: labelsOf(options.label ?? []),
    match: options.match === undefined ? null : listOf(options.match),
    confirms: rule(options.confirms),
    refutes: rule(options.refutes),
  };
  const service = await cli.service();
  const answer = await call(service, { method: "POST", path: `${pathOf("sources", name)}/try`, body });
  const tried = parseAnswer(service, answer, triedSchema);
  if (tried.failure !== null) cli.exitWith(1);
  printResult({ cli, options }, answer, () => renderTried(tried, cli.terminal(MAX_COLUMNS)));
}

export async function remove({ args, options, cli }: Invocation): Promise<void> {
  const [name = ""] = args;
  const service = await cli.service();
  await call(service, { method: "DELETE", path: pathOf("sources", name) });
  printResult({ cli, options }, { name }, () => `Removed the source ${name}. Results in answers stay.`);
}
