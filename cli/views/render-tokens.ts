// Access tokens as text for a terminal, and the choice of one. Pure functions.

import type { AccessToken } from "../../functions/access/access-tokens.ts";
import type { RenderOptions } from "../render-options.ts";
import { CommandError } from "../service/command-error.ts";
import { minuteOf } from "../service/incident.ts";
import { oneLine, renderTable } from "../table.ts";

const ID_PREFIX = /^[0-9a-f-]{4,36}$/;

/** Finds a token by name among those not revoked, or by id or its first characters. @throws CommandError if none or several match */
export function pickToken(tokens: readonly AccessToken[], idOrName: string): AccessToken {
  const text = idOrName.toLowerCase();
  const byId = tokens.find(({ id }) => id === text);
  if (byId) return byId;
  const named = tokens.filter(({ name, revoked_at }) => name === idOrName && revoked_at === null);
  const isPrefix = ID_PREFIX.test(text);
  const matching = named.length > 0 || !isPrefix ? named : tokens.filter(({ id }) => id.startsWith(text));
  const [token] = matching;
  if (token === undefined)
    throw new CommandError(
      "notFound",
      `No active token has the id or name "${idOrName}". List the tokens with: dejavu tokens list`,
    );
  if (matching.length > 1) {
    const ids = matching.map(
      ({ id, name, created_at }) => `\n  ${id}  ${oneLine(name)}, of ${minuteOf(created_at)} UTC`,
    );
    const what = named.length > 0 ? "have this name" : `have an id that begins with ${text}`;
    throw new CommandError("usage", `${matching.length} tokens ${what}. Use an id:${ids.join("")}`);
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
    rightsOf(token, ","),
    stateOf(token, now),
    minuteOf(token.created_at),
    token.expires_at === null ? "never" : minuteOf(token.expires_at),
    token.last_used_at === null ? "never" : minuteOf(token.last_used_at),
    token.id,
  ]);
  const header = ["name", "scopes", "state", "created (UTC)", "expires", "last used", "id"];
  const optional = ["created (UTC)", "last used", "expires", "scopes"];
  return renderTable(header, rows, { ...options, whole: ["name", "id"], optional });
}

/** The token stands alone on its line, so that it can be copied whole. */
export function renderCreated(created: AccessToken & { readonly token: string }): string {
  const end = created.expires_at === null ? "does not expire" : `expires ${minuteOf(created.expires_at)} UTC`;
  return [
    `${oneLine(created.name)} (${rightsOf(created, ", ")}) ${end}. Its id is ${created.id}.`,
    "Copy the token now: it is shown only once and is not stored.",
    "",
    created.token,
  ].join("\n");
}

/** For example `triage,read in checkout,kubernetes`. */
function rightsOf({ scopes, domains }: AccessToken, separator: string): string {
  return scopes.join(separator) + (domains === null ? "" : ` in ${domains.map(oneLine).join(separator)}`);
}

function stateOf({ revoked_at, expires_at }: AccessToken, now: Date): string {
  if (revoked_at !== null) return "revoked";
  return expires_at !== null && Date.parse(expires_at) <= now.getTime() ? "expired" : "in use";
}
