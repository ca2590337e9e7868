// Finds the names in a text by their structure: labels, paths, addresses, tables, words beside them. Pure functions.

import { FAILURE_WORDS } from "../logs/failure-words.ts";
import { ipv4Range, readIpv6 } from "../redaction/personal/ip-addresses.ts";
import { isKeptCompound, isKeptWord, isPublicComponent } from "./kept-words.ts";
import { kindOfKey } from "./name-of-key.ts";
import { type Certainty, NAME_RULES, PAIR } from "./name-rules.ts";
import { namesInTables } from "./names-in-tables.ts";
import type { NameKind } from "./placeholder.ts";
import { isHostName, isPublicHost, registeredDomain } from "./public-domains.ts";

/** Part of the index's fingerprint. Raise it when other names are found in the same text: the vectors change then. */
export const NAME_RULES_VERSION = 1;

/** The kind of each name, in the order in which they were found. */
export type FoundNames = ReadonlyMap<string, NameKind>;

const MIN_LENGTH = 3;
/** The longest name that DNS knows. */
const MAX_LENGTH = 253;

const OUTER = /^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu;
const IPV4 = /(?<![\w.])(?<!\b(?:version|release|build|v)[ =:/]{1,2})\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)/gi;
const IPV6 = /(?<![\w:.])(?:[0-9A-Fa-f]{1,4})?(?::[0-9A-Fa-f]{0,4}){2,8}(?![\w.])/g;
const DOTTED =
  /(?<![\p{L}\p{N}_.@-])[\p{L}\p{N}](?:[\p{L}\p{N}_-]{0,62}\.){1,10}[\p{L}\p{N}-]{2,63}(?![\p{L}\p{N}_-]|\.[\p{L}\p{N}])/gu;

/** Metadata addresses of clouds: the same for everybody. */
const PUBLIC_ADDRESSES = new Set(["169.254.169.254", "169.254.170.2", "168.63.129.16"]);
/** `ip-10-0-1-2`, as AWS names hosts. */
const OF_ADDRESS = /^ip(?:-\d{1,3}){4}/;
const IPV6_LIKE = /^[0-9a-f:]+$/i;
const PORT = /:\d{1,5}$/;
/** A citation, a line of the prompts: `R1`, `L12`. Not a name either: a number, a time, a version, an environment variable. */
const NO_NAME =
  /^[A-Za-z]\d{1,3}$|^v?\d+(?:[.:_-]\d+)*[A-Za-z%]{0,3}$|^[A-Z]+(?:_[A-Z0-9]+)*$|^[A-Z]{2,}-\d+$|REDACTED/;
/** A digest or an address in memory, a class with its package. */
const OF_CODE = /^(?=[a-f]*\d)(?:0x)?[0-9a-f]{4,128}$|\.[A-Z]\w*[a-z]/;
/** The first word of a sentence. */
const CAPITALISED = /^[A-Z][a-z]+$/;
const HAS_MARK = /[\d._-]/;
const PLAIN_WORD = /^[a-z]+$/;
const ENDS_PAIR = /^[\s,;)\]}|"'`]?$/;
/** A number of at most three digits at the end. */
const NUMBERED = /[a-z]-?\d{1,3}$/;
/** Disks, file systems and network interfaces. */
const DEVICE =
  /^(?:sd[a-z]|xvd[a-z]|vd[a-z]|nvme|dm-|md|loop|ext|xfs|ntfs|eth|en[sop]|wlan|bond|br-?|veth|cali|cni|docker|flannel|tun|tap|virbr|utf|sha|md5|base|http|tls|ipv|oauth|x86|arm|amd|tcp|udp|layer|level|python|node|java|jdk|go)-?\d/i;
/** Kinds whose names are written with underscores. */
const OF_DATA: ReadonlySet<NameKind> = new Set(["database", "resource", "user", "team"]);
/** Tables and functions of the databases themselves. */
const CATALOG = /^(?:pg|mysql|innodb|information_schema|performance_schema|sys)_/i;
/** Endings of files: a word beside "server" or "app" may be one. */
const FILE =
  /\.(?:ya?ml|json|conf|cfg|ini|toml|properties|env|md|txt|log|gz|tgz|zip|py|js|mjs|ts|tsx|go|rs|rb|php|java|jar|war|kt|c|h|cc|cpp|so|sh|sql|html?|css|xml|pem|crt|key|csv|sock|pid|lock|service|socket|timer|container)$/i;

/** @param texts in the order in which they are sent */
export function findNames(texts: readonly string[]): FoundNames {
  const names = new Map<string, NameKind>();
  for (const text of texts) collect(text, names);
  return names;
}

function collect(text: string, names: Map<string, NameKind>): void {
  const add = (kind: NameKind, written: string, certainty: Certainty) => {
    for (const [part, ownKind] of partsOf(written, kind)) {
      const name = part.replace(OUTER, "");
      if (names.has(name) || !isName(name, certainty, ownKind)) continue;
      names.set(name, ownKind);
      for (const [derived, derivedKind] of derivedFrom(name))
        if (!names.has(derived) && isName(derived, "named", derivedKind)) names.set(derived, derivedKind);
    }
  };
  for (const [address] of text.matchAll(IPV4)) addAddress(names, ipv4Range(address) !== "none" ? address : "");
  for (const [run] of text.matchAll(IPV6)) addAddress(names, run.slice(0, readIpv6(run).length));
  for (const [host] of text.matchAll(DOTTED)) if (isHostName(host)) add("host", host, "shaped");
  for (const { groups = {} } of text.matchAll(PAIR)) {
    const kind = kindOfKey(groups.key ?? "");
    if (kind !== undefined && isValue(groups)) add(kind, groups.value ?? "", "named");
  }
  for (const { pattern, kinds, certainty } of NAME_RULES) {
    for (const { groups = {} } of text.matchAll(pattern)) {
      const written = [groups.name, groups.name2];
      for (const [i, kind] of kinds.entries()) if (written[i] !== undefined) add(kind, written[i], certainty);
    }
  }
  for (const { kind, name } of namesInTables(text)) add(kind, name, "named");
}

function addAddress(names: Map<string, NameKind>, address: string): void {
  const name = address.replace(OUTER, "");
  if (name.length >= MIN_LENGTH && !PUBLIC_ADDRESSES.has(name) && !names.has(name)) names.set(name, "address");
}

/** A plain word after "service: " may begin a sentence, so it has to be all of the value. */
function isValue({
  separator = "",
  quote,
  value = "",
  after = "",
}: Readonly<Record<string, string | undefined>>): boolean {
  // "application:set_env(" is a call.
  if (value.includes("://") || after === "(") return false;
  return (
    quote !== undefined || !/\s$/.test(separator) || !PLAIN_WORD.test(value) || (ENDS_PAIR.test(after) && after !== " ")
  );
}

/** `shop/checkout-0` is a namespace and a pod, `alice@db-01:5432` a user and a host. */
function* partsOf(written: string, kind: NameKind): Generator<readonly [string, NameKind]> {
  const value = written.replace(OUTER, "").replace(PORT, "");
  if (value.includes("@")) {
    const [user = "", host = ""] = value.split("@");
    yield [user, "user"];
    yield [host, "host"];
  } else if (/[/\\]/.test(value)) {
    const parts = value.split(/[/\\:]+/);
    if (kind === "resource") for (const part of parts) yield [part, kind];
    if (parts.length === 2 && (kind === "pod" || kind === "service")) yield [parts[0] ?? "", "namespace"];
    // Only the last part of a path is the name.
    yield [parts.at(-1) ?? "", kind];
  } else if (value.includes(":") && !IPV6_LIKE.test(value)) yield [value.split(":").at(-1) ?? "", kind];
  else yield [value, kind];
}

/** The names that a name contains: the workload of a pod, the short name and the domain of a host. */
function* derivedFrom(name: string): Generator<readonly [string, NameKind]> {
  if (!isHostName(name)) return;
  const [first = ""] = name.split(".");
  if (HAS_MARK.test(first)) yield [first, "host"];
  const domain = registeredDomain(name);
  if (domain !== undefined && isHostName(domain) && !isKeptCompound(domain, { ignoreNumbers: true }))
    yield [domain, "host"];
}

function isName(name: string, certainty: Certainty, kind: NameKind): boolean {
  if (name.length < MIN_LENGTH || name.length > MAX_LENGTH) return false;
  if (kind === "account") return /\d{8}|[a-z]-|[a-z]{5}/.test(name);
  if (NO_NAME.test(name) || OF_CODE.test(name) || (kind !== "user" && CAPITALISED.test(name))) return false;
  if (FILE.test(name) || PUBLIC_ADDRESSES.has(name) || isPublicHost(name)) return false;
  const lower = name.toLowerCase();
  if (isKeptWord(lower) || isPublicComponent(lower)) return false;
  if (certainty === "named") return !isOrdinaryCompound(lower);
  if (ipv4Range(name) !== "none" || isHostName(name) || OF_ADDRESS.test(lower)) return true;
  if (certainty === "beside" && !isIdentifier(name, kind)) return false;
  // "node-7" beside "host" is a name; "error-1045" and "utf-8" by themselves are none.
  const isNumbered =
    certainty === "beside" ? NUMBERED.test(lower) && !isFailure(lower) : /0\d/.test(name) && !isFailure(lower);
  return !isKeptCompound(lower, { ignoreNumbers: !isNumbered });
}

/** Whether a word in a sentence is written like a name: with a digit or a hyphen, and not like code. */
function isIdentifier(name: string, kind: NameKind): boolean {
  if (!HAS_MARK.test(name) || !/^\p{L}/u.test(name) || DEVICE.test(name) || name.includes(".")) return false;
  return !name.includes("_") || (OF_DATA.has(kind) && !CATALOG.test(name));
}

function isFailure(lower: string): boolean {
  return lower.split(/[-_]/).some((part) => FAILURE_WORDS.has(part));
}

/** `out-of-memory` and `error-1045` are no names, even as the value of a label. */
function isOrdinaryCompound(lower: string): boolean {
  return isFailure(lower) && /[-_]/.test(lower) && isKeptCompound(lower, { ignoreNumbers: true });
}
