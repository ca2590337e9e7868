// `npm run token -- create|list|revoke`: manages access tokens of the local stack or of any deployment.

import { z } from "zod";
import { type AccessToken, accessTokenSchema } from "../functions/access/access-tokens.ts";
import { findService, problemIn, type ServiceAddress, terminal } from "./find-service.ts";
import { parseTokenArguments, pickToken, renderCreated, renderRevoked, renderTokens, USAGE } from "./token-command.ts";

const REQUEST_TIMEOUT_MS = 30_000;
/** Maximum width in columns. */
const WIDTH = 200;
const PATH = "/v1/admin/tokens";

const createdSchema = accessTokenSchema.extend({ token: z.string() });
const pageSchema = z.object({ tokens: z.array(accessTokenSchema), next_cursor: z.string().nullable() });

async function request({ url, token }: ServiceAddress, path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(new URL(path, url), {
    ...init,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  if (!response.ok) throw await problemIn(response);
  return response;
}

async function listAll(service: ServiceAddress): Promise<AccessToken[]> {
  const tokens: AccessToken[] = [];
  for (let cursor = ""; ; ) {
    const response = await request(service, `${PATH}?limit=100${cursor}`);
    const page = pageSchema.parse(await response.json());
    tokens.push(...page.tokens);
    if (page.next_cursor === null) return tokens;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

async function main(): Promise<void> {
  const { command, url, json } = parseTokenArguments(process.argv.slice(2));
  if (command.name === "help") {
    console.log(USAGE);
    return;
  }
  const service = findService(url);
  const print = (answer: unknown, text: string) => console.log(json ? JSON.stringify(answer, null, 2) : text);
  switch (command.name) {
    case "create": {
      const response = await request(service, PATH, { method: "POST", body: JSON.stringify(command.body) });
      const created = createdSchema.parse(await response.json());
      return print(created, renderCreated(created));
    }
    case "list": {
      const tokens = await listAll(service);
      return print(tokens, renderTokens(tokens, new Date(), terminal(WIDTH)));
    }
    case "revoke": {
      const token = pickToken(await listAll(service), command.token);
      await request(service, `${PATH}/${token.id}`, { method: "DELETE" });
      return print({ id: token.id, name: token.name }, renderRevoked(token));
    }
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
