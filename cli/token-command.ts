// Owns what `npm run token` is told and what it shows. Pure: words and rows in, text out.

import { parseArgs } from "node:util";
import type { AccessToken } from "../functions/access/access-tokens.ts";
import { SCOPES } from "../functions/access/caller.ts";
import type { RenderOptions } from "./render-triage.ts";
import { oneLine, renderTable } from "./table.ts";

export const USAGE = `Usage: npm run token -- <command> [options]

  create --name <name> --scopes <scope,scope> [--expires-in-days <days>]
                         makes a token and prints it, this once
  list                   all tokens, newest first
  revoke <id or name>    takes a token back

  --url <url>            another Dejavu than the local stack; its token comes from DEJAVU_TOKEN
  --json                 print the answer as JSON
  --help                 print this

Scopes, of which none implies another:
  triage     have incidents investigated
  read       see incidents, memory and readiness, and search
  feedback   say what helped and what fixed it
  ingest     bring in runbooks and documents
  admin      run jobs, forget records, make and revoke tokens`;

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

/** @throws Error that says what is missing or too much */
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
      `${name} takes ${takes === 0 ? "no further word" : "one id or name"}. A name with spaces needs quotes.`,
    );
  switch (name) {
    case "create":
      return { command: { name, body: newTokenOf(values) }, url, json };
    case "list":
      return { command: { name }, url, json };
    case "revoke":
      if (token === undefined) throw new Error("Say which: npm run token -- revoke <id or name>");
      return { command: { name, token }, url, json };
    default:
      throw new Error(`There is no command ${name}. There are create, list and revoke.`);
  }
}

function newTokenOf(values: {
  readonly name?: string | undefined;
  readonly scopes?: string | undefined;
  readonly "expires-in-days"?: string | undefined;
}) {
  const { name, scopes, "expires-in-days": days } = values;
  if (name === undefined) throw new Error("Say whose it is: --name grafana");
  if (scopes === undefined) throw new Error(`Say what it allows: --scopes triage,read, of ${SCOPES.join(", ")}`);
  const wanted = scopes.split(",").map((scope) => scope.trim());
  const unknown = wanted.filter((scope) => !SCOPES.some((each) => each === scope));
  if (unknown.length > 0) throw new Error(`There is no scope "${unknown[0]}". There are ${SCOPES.join(", ")}.`);
  if (days !== undefined && !/^[1-9]\d{0,3}$/.test(days))
    throw new Error("--expires-in-days is a whole number of days.");
  return { name, scopes: wanted, ...(days === undefined ? {} : { expires_in_days: Number(days) }) };
}

/** The token that is meant by its id, or by its name among those not revoked. @throws Error where it is none or several */
export function pickToken(tokens: readonly AccessToken[], idOrName: string): AccessToken {
  const byId = tokens.find(({ id }) => id === idOrName.toLowerCase());
  if (byId) return byId;
  const named = tokens.filter(({ name, revoked_at }) => name === idOrName && revoked_at === null);
  const [token] = named;
  if (token === undefined)
    throw new Error(`No token in use has the id or name "${idOrName}". npm run token -- list shows them.`);
  if (named.length > 1) {
    const ids = named.map(({ id, created_at }) => `\n  ${id}  of ${minuteOf(created_at)} UTC`);
    throw new Error(`${named.length} tokens have this name. Say which by its id:${ids.join("")}`);
  }
  return token;
}

/** One line: that it was taken back. */
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
    "Copy the token now: it is shown this once and kept nowhere.",
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
