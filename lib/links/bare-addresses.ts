// Addresses without a scheme, which readers and chat clients open: `evil.com/x`, `203.0.113.7:8080/x`, `evil[.]com`. Names of
// objects, files, packages and images look alike. Pure functions, linear.

import { isHostName, isPublicHost } from "../pseudonyms/public-domains.ts";
import { isLocalHost } from "./local-hosts.ts";

const DOT = String.raw`(?:\.|\[\.\]|\(\.\)|\{\.\}|\[dot\]|\(dot\))`;
const BARE = new RegExp(
  String.raw`(?<![\w.@/\\$~%&?#-])([a-z0-9][a-z0-9-]{0,62}(?:${DOT}[a-z0-9-]{1,63}){1,8})(:\d{1,5}(?!\d))?([/?#][^\s"'${"`"}<>()\[\]|^,;]*)?`,
  "gi",
);
const DOTS = new RegExp(DOT, "gi");
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
/** Endings of hosts that no public name server resolves. */
const PRIVATE_ENDING = /\.(?:lan|corp|intra|intranet|home|localdomain|private|consul|cluster|localnet|arpa)$/;
/** Endings that never resolve, but that a reader may take for an address. */
const RESERVED_ENDING = /\.(?:example|test|invalid)$/;
/** Endings that are hosts without a path, too; the others are words of programs as well: `socket.io`, `disk.io`. */
const PLAIN_ENDING = /\.(?:com|net|org|info|biz|xyz|site|online|ru|cn|top|click)$/;
/** Endings of groups of objects: `certificates.cert-manager.io`. */
const GROUP_ENDING = /\.(?:io|dev|app|cloud|tech|ai|co)$/;
/** Endings that are a host before a path only. */
const ENDING_BEFORE_PATH =
  /\.(?:top|click|link|page|live|club|shop|store|me|to|ly|gg|zip|mov|art|lol|fun|icu|vip|work|pro|win|bid|loan|stream|download|us|in|is|at|my|so|am)$/;
/** The first label of packages, namespaces and metrics. */
const PACKAGE = /^(?:com|org|net|io|java|javax|jakarta|system|microsoft|asp|process|container|jvm|node|db|http|k8s)\./;
/** The version of a Kubernetes API group: `cert-manager.io/v1`. */
const API_VERSION = /^\/v\d+(?:(?:alpha|beta)\d+)?(?![\w.-]|\/)/;

/** Whether an address belongs to the systems that a text is about. */
export type IsOperational = (address: string, host: string) => boolean;

/** Replaces addresses without a scheme that belong to no system of the report. @param remove returns the marker */
export function replaceBareAddresses(text: string, isOperational: IsOperational, remove: () => string): string {
  return text.replace(BARE, (whole, written: string, port = "", path = "") => {
    const end = withoutTrailing(whole).length;
    const host = written.replace(DOTS, ".").toLowerCase();
    const address = { host, isDefanged: host !== written.toLowerCase(), port, path: withoutTrailing(path) };
    if (!isAddress(address) || isOperational(whole.slice(0, end).toLowerCase(), host)) return whole;
    return remove() + whole.slice(end);
  });
}

interface BareAddress {
  readonly host: string;
  /** Whether a dot is written so that nothing takes it for a link: `evil[.]com`. */
  readonly isDefanged: boolean;
  readonly port: string;
  readonly path: string;
}

function isAddress({ host, isDefanged, port, path }: BareAddress): boolean {
  const hasMore = port !== "" || path !== "";
  if (RESERVED_ENDING.test(host)) return isDefanged || hasMore;
  if (isLocalHost(host) || PRIVATE_ENDING.test(host) || isPublicHost(host)) return false;
  if (isDefanged) return /[a-z]$/.test(host) || IPV4.test(host);
  if (IPV4.test(host)) return hasMore;
  if (API_VERSION.test(path)) return false;
  if (path !== "" && ENDING_BEFORE_PATH.test(host)) return true;
  if (!isHostName(host)) return false;
  if (hasMore) return true;
  if (PACKAGE.test(host)) return false;
  return PLAIN_ENDING.test(host) || (host.split(".").length > 2 && !GROUP_ENDING.test(host));
}

const TRAILING = ".,:;!?*_~'\"`)]}";

function withoutTrailing(address: string): string {
  let end = address.length;
  while (end > 0 && TRAILING.includes(address[end - 1] ?? "")) end -= 1;
  return address.slice(0, end);
}
