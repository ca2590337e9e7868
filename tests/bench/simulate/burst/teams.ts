// Teams: each with a domain, which the label `team` decides for, and an access token restricted to it.

import postgres from "postgres";
import { createAccessToken } from "../../../../functions/access/access-tokens.ts";
import { formatToken, TOKEN_BYTES, tokenHash } from "../../../../functions/access/token-format.ts";
import { domainDefinitionSchema } from "../../../../functions/knowledge/domains/domain-definition.ts";
import type { Services } from "../../../../functions/services.ts";

export interface Team {
  /** Also the name of its domain. */
  readonly name: string;
  /** Of its sender; teams may share one. */
  readonly token: string;
  /** Place in the list of regions. */
  readonly region: number;
}

/** Domains that a token may be restricted to. A token of more teams is not restricted. */
const MAX_DOMAINS_OF_A_TOKEN = 20;

export interface TeamOptions {
  readonly teams: number;
  readonly regions: number;
  /** Tokens that the teams share evenly: as many as teams, or fewer. */
  readonly tokens: number;
  readonly random: () => number;
}

export function createTeams({ teams, regions, tokens, random }: TeamOptions): Team[] {
  const secrets = Array.from({ length: tokens }, () =>
    formatToken(Uint8Array.from({ length: TOKEN_BYTES }, () => Math.floor(random() * 256))),
  );
  return Array.from({ length: teams }, (_, i) => ({
    name: `team-${String(i + 1).padStart(5, "0")}`,
    token: secrets[i % tokens] ?? "",
    region: i % regions,
  }));
}

/** Stores domains and tokens. @param url of the database, as the superuser */
export async function storeTeams({ database, newId }: Services, url: string, teams: readonly Team[]): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const domains = teams.map(({ name }) => ({
      name,
      origin: "api",
      definition: domainDefinitionSchema.parse({ labels: [{ match: { team: [name] } }] }),
    }));
    await sql`insert into public.domains (name, definition, origin)
      select name, definition, origin from jsonb_to_recordset(${JSON.stringify(domains)}::text::jsonb)
        as t (name text, definition jsonb, origin text)`;
  } finally {
    await sql.end();
  }
  for (const [token, owners] of Map.groupBy(teams, ({ token }) => token)) {
    const names = owners.map(({ name }) => name);
    await createAccessToken(database, {
      id: newId(),
      name: names[0] ?? "",
      scopes: ["report"],
      domains: names.length <= MAX_DOMAINS_OF_A_TOKEN ? names : null,
      hash: tokenHash(token),
      expiresAt: null,
      parentId: null,
      replaces: null,
      now: new Date(),
      by: { actor: "service", requestId: newId() },
    });
  }
}
