// Recognition of IP addresses that identify a machine or a person. Pure functions.

/** Whether a dotted quad identifies somebody: octets are 0 to 255, and it is not 0.0.0.0, loopback or a netmask. */
export function isIdentifyingIpv4(text: string): boolean {
  const octets = text.split(".");
  if (octets.length !== 4 || octets.some((octet) => octet === "" || octet.length > 3 || Number(octet) > 255))
    return false;
  return octets[0] !== "127" && !text.startsWith("255.255.") && text !== "255.0.0.0" && text !== "0.0.0.0";
}

const GROUP = /^[0-9a-f]{1,4}$/i;

/**
 * Returns how many leading characters of a run of hex digits and colons are an identifying address; 0 when none are. A
 * colon after the address ("fe80::1: refused") is not part of it. `::`, `::1`, times, MAC addresses and `a::b` scopes
 * are not identifying addresses.
 */
export function identifyingIpv6Length(run: string): number {
  const text = run.endsWith(":") && !run.endsWith("::") ? run.slice(0, -1) : run;
  const halves = text.split("::");
  if (halves.length > 2) return 0;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1) ?? "";
  const embedded = last.includes(".");
  if (embedded && !/^\d{1,3}(?:\.\d{1,3}){3}$/.test(last)) return 0;
  if (!groups.every((group, i) => GROUP.test(group) || (embedded && i === groups.length - 1))) return 0;
  const size = groups.length + (embedded ? 1 : 0);
  const isAddress = halves.length === 2 ? size < 8 : size === 8;
  // Without a digit, `dead::beef` may be a name in a program.
  if (!isAddress || !/[1-9]/.test(text) || text === "::1" || (embedded && !isIdentifyingIpv4(last))) return 0;
  return text.length;
}
