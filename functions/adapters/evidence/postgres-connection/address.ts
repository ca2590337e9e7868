// Address and login of a PostgreSQL source, from its URL and its credential.

import { DependencyError } from "../../../dependencies.ts";

export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly encrypted: boolean;
}

const SCHEMES: ReadonlySet<string> = new Set(["postgres:", "postgresql:"]);
const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * @param url `postgres://host:port/database`, with a user, but without a password
 * @param credential `user:password`; the password alone if the URL has the user; or a connection string in place of the URL
 * @throws DependencyError for an address that cannot be used
 */
export function readPostgresAddress(url: string, credential: string | null): PostgresAddress {
  const isConnectionString = [...SCHEMES].some((scheme) => credential?.startsWith(`${scheme}//`));
  const target = parseUrl(isConnectionString ? (credential ?? "") : url);
  const database = decodeURIComponent(target.pathname.slice(1));
  const own = { user: decodeURIComponent(target.username), password: decodeURIComponent(target.password) };
  const login = isConnectionString || credential === null ? own : readLogin(credential, own.user);
  if (login.user === "") throw unusable("names no user; the secret of the source is user:password");
  return {
    host: target.hostname.replace(/^\[|\]$/g, ""),
    port: Number(target.port || 5432),
    database: database || "postgres",
    ...login,
    encrypted: isEncrypted(target),
  };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !SCHEMES.has(url.protocol) || url.hostname === "") {
    throw unusable("is not postgres://host:port/database");
  }
  return url;
}

function readLogin(credential: string, user: string): { user: string; password: string } {
  if (user !== "") {
    const prefix = `${user}:`;
    return { user, password: credential.startsWith(prefix) ? credential.slice(prefix.length) : credential };
  }
  const colon = credential.indexOf(":");
  if (colon < 1) throw unusable("names no user; the secret of the source is user:password");
  return { user: credential.slice(0, colon), password: credential.slice(colon + 1) };
}

/** Encrypted with a verified certificate, unless the server is on this machine or the URL turns it off. */
function isEncrypted({ searchParams, hostname }: URL): boolean {
  const mode = searchParams.get("sslmode");
  if (mode === null) return !LOOPBACK.has(hostname);
  if (mode === "disable") return false;
  if (mode === "require" || mode === "verify-ca" || mode === "verify-full") return true;
  throw unusable("has another sslmode than disable, require or verify-full");
}

function unusable(problem: string): DependencyError {
  return new DependencyError("evidence_source", "refused", `the URL of the source ${problem}`);
}
