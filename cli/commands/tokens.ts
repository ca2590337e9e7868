// `dejavu tokens`: creates, lists and revokes access tokens.

import { z } from "zod";
import { type AccessToken, accessTokenSchema } from "../../functions/access/access-tokens.ts";
import { SCOPES } from "../../functions/access/caller.ts";
import { call, callFor, parseAnswer, pathOf } from "../service/client.ts";
import { CommandError } from "../service/command-error.ts";
import type { Service } from "../service/find-service.ts";
import { type Invocation, printResult } from "../service/invocation.ts";
import { pickToken, renderCreated, renderRevoked, renderTokens } from "../views/render-tokens.ts";

const MAX_COLUMNS = 200;
const PATH = pathOf("admin", "tokens");

const createdSchema = accessTokenSchema.extend({ token: z.string() });
const pageSchema = z.object({ tokens: z.array(accessTokenSchema), next_cursor: z.string().nullable() });

export interface CreateOptions {
  readonly name: string;
  readonly scopes: string;
  readonly domains?: string;
  readonly expiresInDays?: string;
  readonly replaces?: string;
}

export async function create({ options, cli }: Invocation<CreateOptions>): Promise<void> {
  const body = newTokenOf(options);
  const service = await cli.service();
  const replaced = options.replaces === undefined ? {} : { replaces: await idOf(service, options.replaces) };
  const answer = await call(service, { method: "POST", path: PATH, body: { ...body, ...replaced } });
  const created = parseAnswer(service, answer, createdSchema);
  printResult({ cli, options }, answer, () => renderCreated(created));
}

export async function list({ options, cli }: Invocation): Promise<void> {
  const tokens = await listAll(await cli.service());
  printResult({ cli, options }, tokens, () => renderTokens(tokens, new Date(), cli.terminal(MAX_COLUMNS)));
}

export async function revoke({ args, options, cli }: Invocation): Promise<void> {
  const [idOrName = ""] = args;
  const service = await cli.service();
  const token = pickToken(await listAll(service), idOrName);
  await call(service, { method: "DELETE", path: `${PATH}/${encodeURIComponent(token.id)}` });
  printResult({ cli, options }, { id: token.id, name: token.name }, () => renderRevoked(token));
}

async function idOf(service: Service, idOrName: string): Promise<string> {
  return pickToken(await listAll(service), idOrName).id;
}

async function listAll(service: Service): Promise<AccessToken[]> {
  const tokens: AccessToken[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await callFor(service, { path: PATH, query: { limit: "100", cursor } }, pageSchema);
    tokens.push(...page.tokens);
    if (page.next_cursor === null) return tokens;
    cursor = page.next_cursor;
  }
}

/** @throws CommandError for an unknown scope or an impossible number of days */
export function newTokenOf({ name, scopes, domains, expiresInDays: days }: CreateOptions) {
  const names = scopes.split(",").map((scope) => scope.trim());
  const unknown = names.find((scope) => !SCOPES.some((each) => each === scope));
  if (unknown !== undefined)
    throw new CommandError("usage", `Unknown scope "${unknown}". The scopes are ${SCOPES.join(", ")}.`);
  if (days !== undefined && !/^[1-9]\d{0,3}$/.test(days))
    throw new CommandError("usage", "--expires-in-days must be a whole number of days.");
  const inDomains = domains === undefined ? {} : { domains: domains.split(",").map((domain) => domain.trim()) };
  return { name, scopes: names, ...inDomains, ...(days === undefined ? {} : { expires_in_days: Number(days) }) };
}
