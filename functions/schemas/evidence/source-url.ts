// Rules for the addresses of sources of evidence. Dejavu sends queries and a credential there, so an address is refused that
// holds a password, that reaches the metadata service of a cloud, or that would send a credential in clear text.

import { isLocalHost } from "../../../lib/links/local-hosts.ts";
import { EVIDENCE_KINDS, type EvidenceKind } from "./evidence-kinds.ts";

const MAX_URL_LENGTH = 2_000;

/** Link-local IPv4, where clouds serve credentials of the machine, and addresses with the same purpose elsewhere. */
const METADATA_IPV4 = /^169\.254\.|^168\.63\.129\.16$|^100\.100\.100\.200$/;
/** Link-local IPv6, and the metadata address of EC2. */
const METADATA_IPV6 = /^\[(?:fe[89ab][0-9a-f]:|fd00:ec2::254\]$)/;
/** IPv4 in IPv6: mapped (`::ffff:a9fe:a9fe`), compatible, and the prefix of NAT64. */
const EMBEDDED_IPV4 = /^\[(?:::ffff:|::ffff:0:|::|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/;
const METADATA_NAMES = new Set(["metadata.google.internal", "metadata", "instance-data", "instance-data.ec2.internal"]);

/** Without one, the connection is encrypted unless the server is on this machine. */
const SSL_MODES: ReadonlySet<string> = new Set(["disable", "require", "verify-ca", "verify-full"]);

interface Address {
  readonly url: URL;
  /** Lower case, without a dot at the end; IPv6 in brackets. */
  readonly host: string;
}

/** What is wrong with the address of a source, as "must …"; null for an address that may be used. */
export function findUrlProblem(kind: EvidenceKind, text: string): string | null {
  const { schemes, isConnectionString } = EVIDENCE_KINDS[kind];
  const address = parseAddress(text, schemes);
  if (address === null)
    return `must be an address that begins with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}, of at most ${MAX_URL_LENGTH} characters`;
  const { url } = address;
  if (url.password !== "") return "must not hold a password: put it in a Worker secret and name that in `credential`";
  if (url.username !== "" && !isConnectionString)
    return "must not hold a user: put `user:password` in a Worker secret and name that in `credential`";
  if (text.includes("#")) return "must not have a fragment (#)";
  if (isConnectionString && [...url.searchParams].some(([name, mode]) => name !== "sslmode" || !SSL_MODES.has(mode)))
    return `must have no parameter but \`sslmode\`: ${[...SSL_MODES].join(", ")}`;
  if (!isConnectionString && text.includes("?")) return "must not have a query (?): it is added";
  return metadataProblem(address);
}

/** What is wrong with an address for links that people open, as "must …"; null for one that may be used. */
export function findOpenUrlProblem(text: string): string | null {
  const address = parseAddress(text, ["http", "https"]);
  if (address === null)
    return `must be an address that begins with http:// or https://, of at most ${MAX_URL_LENGTH} characters`;
  const { url } = address;
  if (url.username !== "" || url.password !== "") return "must not hold a user or a password: everybody sees the links";
  if (/[?#]/.test(text)) return "must not have a query or a fragment: they are added";
  return null;
}

/** What is wrong with the address of a notification target, as "must …"; null for one that may be used. */
export function findTargetUrlProblem(text: string): string | null {
  const address = parseAddress(text, ["http", "https"]);
  if (address === null)
    return `must be an address that begins with http:// or https://, of at most ${MAX_URL_LENGTH} characters`;
  const { url } = address;
  if (url.username !== "" || url.password !== "") return "must not hold a user or a password";
  if (text.includes("#")) return "must not have a fragment (#)";
  return metadataProblem(address) ?? (sendsInClearText(text) ? CLEAR_TEXT_PROBLEM : null);
}

/** Whether an address is that of this machine or of a private network. @param text a valid address */
export function isPrivateAddress(text: string): boolean {
  const address = parseAddress(text, null);
  return address !== null && isLocalHost(embeddedIpv4(address.host) ?? address.host);
}

/** Whether a credential would cross a public network in clear text. @param text a valid address */
export function sendsInClearText(text: string): boolean {
  const address = parseAddress(text, null);
  if (address === null || isLocalHost(address.host)) return false;
  return text.toLowerCase().startsWith("http:") || address.url.searchParams.get("sslmode") === "disable";
}

/** The sentence of that problem. */
export const CLEAR_TEXT_PROBLEM =
  "must be encrypted, because a credential is sent to a public host: use https://, or the private address of the server";

/**
 * Parses an address. The host is normalised as HTTP clients do it, whatever the scheme: `0xa9fea9fe` is an IPv4 address.
 * @param schemes those that are allowed; null for all
 */
function parseAddress(text: string, schemes: readonly string[] | null): Address | null {
  const scheme = /^([a-z]{1,20}):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || text.length > MAX_URL_LENGTH || /[\s\\]/.test(text)) return null;
  if (schemes !== null && !schemes.includes(scheme)) return null;
  const asHttp = `${scheme === "https" ? "https" : "http"}${text.slice(scheme.length)}`;
  if (!URL.canParse(asHttp)) return null;
  const url = new URL(asHttp);
  const host = url.hostname.toLowerCase().replace(/\.$/, "");
  return host === "" ? null : { url, host };
}

function metadataProblem({ host }: Address): string | null {
  const ipv4 = embeddedIpv4(host) ?? host;
  const isMetadata = METADATA_IPV4.test(ipv4) || METADATA_IPV6.test(host) || METADATA_NAMES.has(host);
  return isMetadata ? "must not be a link-local address or the metadata service of a cloud" : null;
}

function embeddedIpv4(host: string): string | null {
  const [, high, low] = EMBEDDED_IPV4.exec(host) ?? [];
  if (high === undefined || low === undefined) return null;
  const [h, l] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [h >> 8, h & 255, l >> 8, l & 255].join(".");
}
