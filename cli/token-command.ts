// Arguments and output of `npm run token`. Pure functions.

import { parseArgs } from "node:util";
import type { AccessToken } from "../functions/access/access-tokens.ts";
import { SCOPES } from "../functions/access/caller.ts";
import type { RenderOptions } from "./render-triage.ts";
import { oneLine, renderTable } from "./table.ts";

export const USAGE = `Usage: npm run token -- <command> [options]

  create --name <name> --scopes <scope,scope> [--expires-in-days <days>]
                         creates a token and prints it once
  list                   all tokens, newest first
  revoke <id or name>    revokes a token

  --url <url>            a service other than the local stack; DEJAVU_TOKEN holds its token
  --json                 print the response as JSON
  --help                 print this

Scopes; none implies another:
  triage     report and triage incidents
  read       read incidents, memory and readiness, and search
  feedback   rate answers, review observations and resolve incidents
  ingest     store runbooks, documents and inventory
  admin      run jobs, delete records, create and revoke tokens`;

export type TokenCommand =
  | {
      readonly name: "create";
      readonly body: { readonly name: string; readonly scopes: readonly string[]; readonly expires_in_days?: number };
    }
  | { readonly name: "list" }
  | { readonly name: "revoke"; readonly token: string }
  | { readonly name: "help" };

export interface TokenArguments {
  readonly command: TokenCommand;
  readonly url: string | undefined;
  readonly json: boolean;
}

/** @throws Error that names the missing or unexpected argument */
export function parseTokenArguments(words: readonly string[]): TokenArguments {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      name: { type: "string" },
      scopes: { type: "string" },
      "expires-in-days": { type: "string" },
      url: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const { url, json, help } = values;
  const [name, token, ...more] = positionals;
  if (help || name === undefined) return { command: { name: "help" }, url, json };
  const takes = name === "revoke" ? 1 : 0;
  if (token !== undefined && (more.length > 0 || takes === 0))
    throw new Error(
      `${name} takes ${takes === 0 ? "no further argument" : "one id or name"}. A name with spaces needs quotes.`,
    );
  switch (name) {
    case "create":
      return { command: { name, body: newTokenOf(values) }, url, json };
    case "list":
      return { command: { name }, url, json };
    case "revoke":
      if (token === undefined) throw new Error("Name the token: npm run token -- revoke <id or name>");
      return { command: { name, token }, url, json };
    default:
      throw new Error(`Unknown command ${name}. The commands are create, list and revoke.`);
  }
}

function newTokenOf(values: {
  readonly name?: string | undefined;
  readonly scopes?: string | undefined;
  readonly "expires-in-days"?: string | undefined;
}) {
  const { name, scopes, "expires-in-days": days } = values;
  if (name === undefined) throw new Error("Name the token: --name grafana");
  if (scopes === undefined) throw new Error(`Name its scopes: --scopes triage,read, of ${SCOPES.join(", ")}`);
  const names = scopes.split(",").map((scope) => scope.trim());
  const unknown = names.filter((scope) => !SCOPES.some((each) => each === scope));
  if (unknown.length > 0) throw new Error(`Unknown scope "${unknown[0]}". The scopes are ${SCOPES.join(", ")}.`);
  if (days !== undefined && !/^[1-9]\d{0,3}$/.test(days))
    throw new Error("--expires-in-days must be a whole number of days.");
  return { name, scopes: names, ...(days === undefined ? {} : { expires_in_days: Number(days) }) };
}

/** Finds a token by id, or by name among those not revoked. @throws Error if none or several match */
export function pickToken(tokens: readonly AccessToken[], idOrName: string): AccessToken {
  const byId = tokens.find(({ id }) => id === idOrName.toLowerCase());
  if (byId) return byId;
  const named = tokens.filter(({ name, revoked_at }) => name === idOrName && revoked_at === null);
  const [token] = named;
  if (token === undefined)
    throw new Error(`No active token has the id or name "${idOrName}". List the tokens with npm run token -- list.`);
  if (named.length > 1) {
    const ids = named.map(({ id, created_at }) => `\n  ${id}  of ${minuteOf(created_at)} UTC`);
    throw new Error(`${named.length} tokens have this name. Use an id:${ids.join("")}`);
  }
  return token;
}

/** One line that confirms the revocation. */
export function renderRevoked({ name, id }: Pick<AccessToken, "name" | "id">): string {
  return `Revoked ${oneLine(name)} (${id}).`;
}

export function renderTokens(tokens: readonly AccessToken[], now: Date, options: RenderOptions): string {
  if (tokens.length === 0) return "There are no tokens yet.";
  const rows = tokens.map((token) => [
    token.name,
    token.scopes.join(","),
    stateOf(token, now),
    minuteOf(token.created_at),
    token.expires_at === null ? "never" : minuteOf(token.expires_at),
    token.last_used_at === null ? "never" : minuteOf(token.last_used_at),
    token.id,
  ]);
  return renderTable(["name", "scopes", "state", "created (UTC)", "expires", "last used", "id"], rows, options);
}

/** The token stands alone on its line, so that it can be copied whole. */
export function renderCreated(created: AccessToken & { readonly token: string }): string {
  const end = created.expires_at === null ? "does not expire" : `expires ${minuteOf(created.expires_at)} UTC`;
  return [
    `${oneLine(created.name)} (${created.scopes.join(", ")}) ${end}. Its id is ${created.id}.`,
    "Copy the token now: it is shown only once and is not stored.",
    "",
    created.token,
  ].join("\n");
}

function stateOf({ revoked_at, expires_at }: AccessToken, now: Date): string {
  if (revoked_at !== null) return "revoked";
  return expires_at !== null && Date.parse(expires_at) <= now.getTime() ? "expired" : "in use";
}

function minuteOf(time: string): string {
  return time.slice(0, 16).replace("T", " ");
}
