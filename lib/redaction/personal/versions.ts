// Distinction between an IP address and a version or object identifier of four numbers, by the text before and after it.

/** Names before a version: `version: `, `app_version=`, `"tag":"`, `driver v`, `>=`. */
const VERSION_NAME =
  /(?:(?:version|release|build|firmware|kernel|driver|revision|oid|tag)s?|\b(?:ver\.?|rev\.?|v))\\{0,2}["']?(?:\s{0,8}[:=/]\s{0,2}|\s{1,8}(?:is\s|was\s|to\s|from\s)?)?\\{0,2}["'(]?v?$/i;
/** A pinned package: `client==`, `>=`, `~=`. */
const COMPARISON = /(?:[=<>~!]=|[~^])\s?v?$/;
/** A product of a user agent or a server header: `nginx/`, `Chrome/`; not a directory, not a host before its address. */
const PRODUCT = /(?:^|[\s"'(;,])[A-Za-z][A-Za-z0-9_+-]{0,40}\/v?$/;
/** A tag of an image, a path with a slash: `acme/shop:`. */
const IMAGE = /(?:^|[\s"'=])(?:[\w.-]+(?::\d{2,5})?\/)+[\w.-]+:v?$/;
/** A change of versions: `upgraded agent from 27.3.1.3 to `. */
const UPGRADE = /\b(?:upgrad|downgrad|updat|bump|roll|migrat|install|pin)\w{0,6}\b[^\n]{0,60}$/i;
/** Items of a list before this one. */
const LIST = /(?<!\d)(?:\d{1,8}(?:\.\d{1,8}){1,3},?\s(?:and\s|or\s)?){1,4}$/;

/** The coordinate of an artifact: `com.acme:payments:`. */
const COORDINATE = /(?:^|[\s"'=>(])[A-Za-z][\w.-]{0,60}:[A-Za-z][\w.-]{0,60}:$/;
/** The name of a program, or a package and a hyphen or an equals sign: `dockerd `, `acme-client-`, `libcublas=`. */
const PROGRAM = /(?:^|[\s"'(,;[])(?<name>[A-Za-z][A-Za-z0-9_+.-]{1,40}?)[\s=-]$/;
/** The words of a name: `client_addr`, `sourceIp`. */
const LAST_WORD = /(?:(?<![A-Za-z])[a-z]{1,40}|[A-Z][a-z]{0,40}|(?<![A-Z])[A-Z]{1,40})\d?$/;
/** Words before an address rather than a version. */
const ADDRESS_WORD =
  /^(?:from|to|by|for|at|via|on|in|of|is|was|are|and|or|with|against|toward|towards|using|as|not|the|a|an|ips?|ipv4|addr|address|addresses|inet|hosts?|hostname|clients?|servers?|peers?|sources?|src|dst|dest|destination|remote|local|public|external|nodes?|gateway|gw|routers?|nameservers?|dns|resolvers?|targets?|endpoints?|upstream|backend|origin|users?|callers?|visitors?|attackers?|customers?|devices?|machines?|instances?|neighbou?r|next|hop|blocked|banned|ban|unban|denied|deny|allowed?|permit|block|drop(?:ped)?|reject(?:ed)?|accepted|connect(?:s|ed|ing|ion)?|disconnect(?:ed)?|listen(?:ing)?|bind|bound|reach(?:ed|ing)?|ping(?:ing)?|traceroute|trace|curl|wget|ssh|telnet|nc|dig|host|nslookup|whois|login|logins|tcp|udp|icmp|http|https|get|post|requests?|traffic|flow|contact(?:ed|ing)?|dial(?:ing)?|query|queried|lookup|ip-?address|proxy|forwarded|session|sessions|probe|scan|scanning|after|before|between|than|into|onto|through|over|under|network|subnet|cidr|range|route|whitelist|blacklist|allowlist|denylist|found|failed|refused|x-forwarded-for|x-real-ip)$/i;

/** A port, a prefix length or the end of a bracket follows an address. */
const AFTER_ADDRESS = /^(?::\d{1,5}(?!\d)|\/\d{1,2}(?!\d|\.)|[\])](?::\d))/;
/** Largest number that counts as small in a version. */
const SMALL = 31;

/**
 * Whether four numbers are a version. A name for a version decides; else at least three of the numbers are small, which
 * is so for 1 of 140 addresses, and the name of a program stands before them.
 * @param before the text before the numbers on their line @param after the text after them
 */
export function isVersion(numbers: string, before: string, after: string): boolean {
  if (AFTER_ADDRESS.test(after)) return false;
  // The last octet of a machine is hardly ever 0: a version, or an address that was made anonymous.
  if (numbers.endsWith(".0")) return true;
  if (VERSION_NAME.test(before) || COMPARISON.test(before)) return true;
  if (PRODUCT.test(before) || IMAGE.test(before)) return true;
  if (numbers.split(".").filter((number) => Number(number) <= SMALL).length < 3) return false;
  const context = before.replace(LIST, "");
  if (UPGRADE.test(context) || COORDINATE.test(context)) return true;
  const name = PROGRAM.exec(context)?.groups?.name;
  if (name === undefined || ADDRESS_WORD.test(name)) return false;
  return !ADDRESS_WORD.test(LAST_WORD.exec(name.replace(/[:.]$/, ""))?.[0] ?? "");
}
