// Redaction rules for IP addresses, and recognition of the networks that they belong to.

import type { Rule } from "../rules/rule.ts";
import { isVersion } from "./versions.ts";

/** `none`: not an address of one machine. `private`: of an inner network. `public`: it may identify a person. */
export type AddressRange = "none" | "private" | "public";

/** The range of a dotted quad: RFC 1918, RFC 6598 (carrier NAT and pods), RFC 3927 (link-local) are private. */
export function ipv4Range(text: string): AddressRange {
  const octets = text.split(".").map(Number);
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) || octets.some((octet) => octet > 255)) return "none";
  const [first = 0, second = 0] = octets;
  // This network, loopback, multicast, reserved; 255 is a netmask.
  if (first === 0 || first === 127 || first >= 224) return "none";
  const isPrivate =
    first === 10 ||
    (first === 192 && second === 168) ||
    (first === 172 && second >= 16 && second < 32) ||
    (first === 100 && second >= 64 && second < 128) ||
    (first === 169 && second === 254);
  return isPrivate ? "private" : "public";
}

const GROUP = /^[0-9a-f]{1,4}$/i;

export interface AddressRun {
  /** Leading characters of the run that are the address; 0 for none. */
  readonly length: number;
  readonly range: AddressRange;
}

const NO_ADDRESS: AddressRun = { length: 0, range: "none" };

/**
 * Reads the address at the start of a run of hex digits and colons. A colon after the address ("fe80::1: refused") is
 * not part of it. `::`, `::1`, times, MAC addresses and `a::b` scopes are none.
 */
export function readIpv6(run: string): AddressRun {
  const text = run.endsWith(":") && !run.endsWith("::") ? run.slice(0, -1) : run;
  const halves = text.split("::");
  if (halves.length > 2) return NO_ADDRESS;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1) ?? "";
  const embedded = last.includes(".");
  if (embedded && !/^\d{1,3}(?:\.\d{1,3}){3}$/.test(last)) return NO_ADDRESS;
  if (!groups.every((group, i) => GROUP.test(group) || (embedded && i === groups.length - 1))) return NO_ADDRESS;
  const size = groups.length + (embedded ? 1 : 0);
  const isAddress = halves.length === 2 ? size < 8 : size === 8;
  // Without a digit, `dead::beef` may be a name in a program.
  if (!isAddress || !/[1-9]/.test(text) || text === "::1") return NO_ADDRESS;
  const range = embedded
    ? ipv4Range(last)
    : ipv6Range(text.startsWith("::") ? 0 : Number.parseInt(groups[0] ?? "0", 16));
  return range === "none" ? NO_ADDRESS : { length: text.length, range };
}

/** @param first the first group; RFC 4193 (fc00::/7) and RFC 4291 (fe80::/10, ff00::/8) */
function ipv6Range(first: number): AddressRange {
  if (first >= 0xff00) return "none";
  return (first & 0xfe00) === 0xfc00 || (first & 0xffc0) === 0xfe80 ? "private" : "public";
}

/** Which addresses are redacted. Those of private networks are kept where overlaps of networks are incidents. */
export type HiddenAddresses = "public" | "public_and_private";

export function hiddenAddresses(hidesPrivate: boolean): HiddenAddresses {
  return hidesPrivate ? "public_and_private" : "public";
}

/** Whether a prefix length follows that leaves no bits for a host: `198.51.100.16/28`. */
function isNetwork(numbers: string, after: string): boolean {
  const prefix = Number(/^\/(\d{1,2})(?!\d)/.exec(after)?.[1] ?? 32);
  const bits = numbers.split(".").reduce((all, octet) => all * 256 + Number(octet), 0);
  return prefix >= 8 && prefix < 32 && bits % 2 ** (32 - prefix) === 0;
}

export const IP_RULES: Readonly<Record<HiddenAddresses, readonly Rule[]>> = {
  public: ipRules("public"),
  public_and_private: ipRules("public_and_private"),
};

function ipRules(hidden: HiddenAddresses): readonly Rule[] {
  const hidesPrivate = hidden === "public_and_private";
  const isHidden = (range: AddressRange) => range === "public" || (range === "private" && hidesPrivate);
  return [
    {
      name: "IP",
      pattern: /(?<![\w:.])(?:[0-9A-Fa-f]{1,4})?(?::[0-9A-Fa-f]{0,4}){2,8}(?:(?<=:\d{1,3})(?:\.\d{1,3}){3})?(?![\w.])/g,
      // RFC 4291 §2.2
      hint: "::|(?::[0-9A-Fa-f]{1,4}){5}",
      measure: (run, _before, after) => {
        const { length, range } = readIpv6(run);
        return isHidden(range) && !(run.endsWith("::") && /^\/\d/.test(after)) ? length : 0;
      },
    },
    {
      name: "IP",
      pattern: /(?<=\bec2-)\d{1,3}(?:-\d{1,3}){3}(?=\.)/g,
      // public names of machines at AWS
      hint: "ec2-\\d",
      measure: (numbers) => (isHidden(ipv4Range(numbers.replaceAll("-", "."))) ? numbers.length : 0),
    },
    {
      name: "IP",
      pattern: /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\d)/g,
      // RFC 791 dotted quad
      hint: "\\d\\.\\d{1,3}\\.\\d",
      measure: (numbers, before, after) =>
        isHidden(ipv4Range(numbers)) &&
        (hidesPrivate || !isNetwork(numbers, after)) &&
        !isVersion(numbers, before, after)
          ? numbers.length
          : 0,
    },
  ];
}
