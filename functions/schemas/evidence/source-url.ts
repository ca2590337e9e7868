// Rules for the addresses of sources of evidence. Dejavu sends queries and a credential there, so an address is refused that
// holds a password, that reaches the metadata service of a cloud, or that would send a credential in clear text.

import { isLocalHost } from "../../../lib/links/local-hosts.ts";
import { EVIDENCE_KINDS, type EvidenceKind } from "./evidence-kinds.ts";

const MAX_URL_LENGTH = 2_000;

/** Link-local IPv4, where clouds serve credentials of the machine; Azure's, Alibaba's, Volcano Engine's and Oracle's other addresses. */
const METADATA_IPV4 = /^169\.254\.|^168\.63\.129\.16$|^100\.(?:100\.100\.200|96\.0\.96)$|^192\.0\.0\.192$/;
/**
 * Link-local IPv6; the metadata addresses of AWS, Google Cloud, Scaleway, Oracle, Akamai and Alibaba; and NAT64 of RFC 8215,
 * where each network chooses which bits are the IPv4 address.
 */
const METADATA_IPV6 =
  /^\[(?:fe[89ab][0-9a-f]:|64:ff9b:1:|(?:fd00:(?:ec2::(?:23|254)|42::42|c1::a9fe:a9fe|a9fe:a9fe::1|100::100:200)|fd20:ce::254)\]$)/;
const METADATA_NAMES =
  /^(?:(?:rancher-)?metadata|instance-data)$|(?:^|\.)(?:instance-data\.ec2\.internal|metadata\.(?:google\.internal|goog|azure\.internal|tencentyun\.com|platformequinix\.com|packet\.net|cloud\.ibm\.com|oraclecloud\.com))$/;
/** An address in a name, which services such as nip.io resolve to it: with dots, with hyphens, in hexadecimal. */
const IPV4_IN_NAME = /(?:^|[.-])(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})(?=[.-])/;
const HEX_IN_NAME = /(?:^|[.-])([0-9a-f]{4})([0-9a-f]{4})(?=\.)/;

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

/** Whether an address is that of this machine or of a private network, or a name that holds one. @param text a valid address */
export function isPrivateAddress(text: string): boolean {
  const address = parseAddress(text, null);
  return address !== null && (isLocalAddress(address) || isLocalHost(namedIpv4(address.host) ?? ""));
}

/** Whether a credential would cross a public network in clear text. @param text a valid address */
export function sendsInClearText(text: string): boolean {
  const address = parseAddress(text, null);
  if (address === null || isLocalAddress(address)) return false;
  return text.toLowerCase().startsWith("http:") || address.url.searchParams.get("sslmode") === "disable";
}

function isLocalAddress({ host }: Address): boolean {
  return isLocalHost(host) || isLocalHost(embeddedIpv4(host) ?? "");
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
  const ipv4 = embeddedIpv4(host) ?? namedIpv4(host) ?? host;
  const isMetadata = METADATA_IPV4.test(ipv4) || METADATA_IPV6.test(host) || METADATA_NAMES.test(host);
  return isMetadata ? "must not be a link-local address or the metadata service of a cloud" : null;
}

/** The IPv4 address within an IPv6 address: mapped, compatible, translated, NAT64 (RFC 6052), or 6to4. */
function embeddedIpv4(host: string): string | null {
  if (!host.startsWith("[")) return null;
  const [head = "", tail] = host.slice(1, -1).split("::");
  const left = groupsOf(head);
  const right = groupsOf(tail ?? "");
  const zeros = Array<number>(Math.max(0, IPV6_GROUPS - left.length - right.length)).fill(0);
  const groups = tail === undefined ? left : [...left, ...zeros, ...right];
  const [first, second] = groups;
  if (first === 0x2002) return dotted(groups[1], groups[2]);
  const isInner = groups.slice(0, 4).every((group) => group === 0) && [0, 0xffff].includes(groups[4] ?? 0);
  const isNat64 = first === 0x64 && second === 0xff9b;
  return isInner || isNat64 ? dotted(groups[6], groups[7]) : null;
}

const IPV6_GROUPS = 8;

function groupsOf(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

function dotted(high = 0, low = 0): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

function namedIpv4(host: string): string | null {
  const decimal = IPV4_IN_NAME.exec(host);
  if (decimal) return decimal.slice(1).join(".");
  const [, high, low] = HEX_IN_NAME.exec(host) ?? [];
  return high === undefined || low === undefined ? null : dotted(Number.parseInt(high, 16), Number.parseInt(low, 16));
}
