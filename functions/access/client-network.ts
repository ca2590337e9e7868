// The network of a client for counting wrong tokens: an IPv4 address, or the /64 prefix of an IPv6 address, since one
// household has all addresses of its prefix. It takes addresses as Cloudflare sends them.

const GROUPS = 8;

/** The address itself, or the first four groups of an IPv6 address in any spelling. */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, GROUPS - left.length - right.length)).fill("0");
  return [...left, ...zeros, ...right]
    .slice(0, GROUPS / 2)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
