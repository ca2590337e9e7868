// Removal of links and images from a model's answer, since they could carry data out or lure the reader. The text is split
// into words; a bracket or a tag with its spaces counts as one. Each word is checked alone, so that a stream and a whole
// text give the same result.

import { limitCombiningMarks } from "../text/plain-text.ts";
import { type IsOperational, replaceBareAddresses } from "./bare-addresses.ts";
import { isLocalHost, withoutPlaceholders } from "./local-hosts.ts";

export interface LinkPolicy {
  /** Lower-case host names whose links are allowed; subdomains are not included. */
  readonly hosts: ReadonlySet<string>;
  /** URLs that are allowed exactly as they are. */
  readonly urls: ReadonlySet<string>;
  /** Whether an address without a scheme may stay. Without this function, all stay. */
  readonly isOperational?: IsOperational;
}

export interface LinkFilter {
  /** Takes the next piece and returns the checked part of the text, which may be empty. */
  push(chunk: string): string;
  /** Returns the rest. The filter cannot be used again. */
  end(): string;
  /** Number of links and images removed so far. */
  readonly count: number;
}

export const REMOVED_LINK = "[link removed]";

/** Maximum characters in an open bracket or tag; beyond it, words are checked one by one. */
const MAX_UNIT_LENGTH = 1_000;

/** Addresses of services and files that no client fetches and no renderer turns into a link. */
const NOT_FETCHED =
  /^(?:postgres(?:ql)?|rediss?|amqps?|mysql|mongodb(?:\+srv)?|jdbc|docker(?:-[a-z]+)?|oci|unix|tcp|udp|containerd|cri-o|npipe|s3|gs):/;

const PLACE = String.raw`<[\w -]{1,40}>|\[[A-Z_]{1,40}\]|\[[0-9a-f:.]{2,45}\]`;
/** Start of an address: a scheme with a host, `//` at the start of a word, `www.`, or `<mailto:`. */
const START = String.raw`(?<![a-z0-9+.-])(?:https?|ftp|wss?):|[a-z][a-z0-9+.-]{0,30}:[\\/]{2}|(?<=^|["'(=<\]:,|])[\\/]{2}(?=[^\s/\\]{1,80}\.[a-z])|(?<![\w./-])www\.(?=[^\s/]{1,80}\.[a-z])|(?<=<)(?:mailto|tel|sms|javascript|data):`;
/** An address, and the character after it where another parser might read on: `https://localhost"@evil.com`. */
const ADDRESS = new RegExp(
  String.raw`(${START})((?:${PLACE}|[^\s"'${"`"}<>()\[\]|^])*)(?:["'${"`"}()\[\]|^](?=[a-z0-9@&%=#?-]|\.[a-z]))?`,
  "gi",
);
const IMAGE = /!\[([^[\]\n]*)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^[\]\n]*\])/g;
const LINK = /\[([^[\]\n]*)\]\(([^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)/g;
const TAG = /<[a-z!/][^<>=]*=[^<>]*>/gi;
/** Schemes without a host that run code, carry data or send messages. */
const HARMFUL_SCHEME = /(?:^|["'=(<\s])(?:javascript|vbscript|data|blob|mailto|tel|sms|file|intent):/i;
/** The host is complete, so text after it cannot change the host. */
const HOST_IS_OVER = /^[^\\/]{0,40}\/{2}[^\\/?#@]+[/?#]/;
const PLAIN_HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/;
const TRAILING = ".,:;!?*_~'\"`)]}";

/** Returns the http and https URLs of a text as written, except ambiguous ones. */
export function urlsIn(text: string): string[] {
  return [...text.matchAll(ADDRESS)].flatMap(([whole, start = "", rest = ""]) =>
    whole === start + rest && /^https?:/i.test(start) ? [withoutTrailing(whole)] : [],
  );
}

/** Returns the hosts of the http and https URLs of a text, in lower case. */
export function hostsIn(text: string): string[] {
  return urlsIn(text).flatMap((url) => (URL.canParse(url) ? [hostOf(new URL(url))] : []));
}

/** Removes all images and the links that the policy does not allow. Linear in the text. */
export function removeLinks(text: string, policy: LinkPolicy): { readonly text: string; readonly count: number } {
  const filter = createLinkFilter(policy);
  const out = filter.push(text) + filter.end();
  return { text: out, count: filter.count };
}

/** Holds back one word, or an open bracket or tag until it closes, the line ends or it exceeds 1,000 characters. */
export function createLinkFilter(policy: LinkPolicy): LinkFilter {
  let count = 0;
  let pieces: string[] = [];
  let length = 0;
  const delimiters = new OpenDelimiters();

  function isOver(character: string): boolean {
    if (character === "\n") return true;
    return /\s/.test(character) && (!delimiters.isOpen || length > MAX_UNIT_LENGTH);
  }

  function release(): string {
    const checked = checkUnit(pieces.join(""), policy);
    pieces = [];
    length = 0;
    delimiters.reset();
    count += checked.count;
    return checked.text;
  }

  return {
    push(chunk) {
      let out = "";
      let start = 0;
      for (let i = 0; i < chunk.length; i++) {
        const character = chunk[i] ?? "";
        length += 1;
        delimiters.read(character);
        if (!isOver(character)) continue;
        pieces.push(chunk.slice(start, i + 1));
        out += release();
        start = i + 1;
      }
      pieces.push(chunk.slice(start));
      return out;
    },
    end: release,
    get count() {
      return count;
    },
  };
}

/** The brackets, parentheses after brackets, and tags that are open: whitespace within them does not end a unit. */
class OpenDelimiters {
  #brackets = 0;
  #parentheses = 0;
  #isInTag = false;
  #previous = "";

  get isOpen(): boolean {
    return this.#brackets > 0 || this.#parentheses > 0 || this.#isInTag;
  }

  read(character: string): void {
    if (character === "[") this.#brackets += 1;
    else if (character === "]") this.#brackets = Math.max(0, this.#brackets - 1);
    else if (character === "(" && (this.#previous === "]" || this.#parentheses > 0)) this.#parentheses += 1;
    else if (character === ")") this.#parentheses = Math.max(0, this.#parentheses - 1);
    else if (character === ">") this.#isInTag = false;
    else if (this.#previous === "<" && /[a-z!/]/i.test(character)) this.#isInTag = true;
    this.#previous = character;
  }

  reset(): void {
    this.#brackets = this.#parentheses = 0;
    this.#isInTag = false;
    this.#previous = "";
  }
}

/** Quick check: text without one of these characters holds no link. */
const QUICK_CHECK = /[:/\\<&[]|www|[^\x20-\x7e\s]/i;

function checkUnit(unit: string, policy: LinkPolicy): { readonly text: string; readonly count: number } {
  const { isOperational } = policy;
  if (!QUICK_CHECK.test(unit) && !(isOperational && unit.includes("."))) return { text: unit, count: 0 };
  let count = 0;
  const remove = (kept: string) => {
    count += 1;
    return kept.trim() === "" ? REMOVED_LINK : kept;
  };
  const isForeign = (words: string) => {
    const decoded = decodeAsRenderer(words);
    return HARMFUL_SCHEME.test(decoded) || hasForeignAddress(decoded, policy);
  };
  const text = unit
    .replace(IMAGE, (_, alt: string) => remove(alt))
    .replace(LINK, (whole, label: string, destination: string) =>
      isForeign(`(${destination.trim().replace(/^<|>$/g, "")}`) ? remove(label) : whole,
    )
    .replace(TAG, (whole) => (isForeign(whole) ? remove("") : whole))
    .replace(/\S+/g, (word) => {
      const bare = word.replace(ADDRESS, (whole, start: string, rest: string) =>
        isAllowed(whole, start + rest, policy)
          ? whole
          : remove("") + (start + rest).slice(withoutTrailing(start + rest).length),
      );
      const plain = isOperational ? replaceBareAddresses(bare, isOperational, () => remove("")) : bare;
      // Only a renderer would see this link, so the whole word is removed.
      return isForeignToRenderer(decodeAsRenderer(plain), policy) ? remove("") : plain;
    });
  // The marker must not become the label of a link or of an image.
  return { text: text.replaceAll(`${REMOVED_LINK}(`, `${REMOVED_LINK} (`), count };
}

function isForeignToRenderer(decoded: string, policy: LinkPolicy): boolean {
  if (hasForeignAddress(decoded, policy)) return true;
  let isForeign = false;
  const note = () => {
    isForeign = true;
    return "";
  };
  if (policy.isOperational) replaceBareAddresses(decoded, policy.isOperational, note);
  return isForeign;
}

function hasForeignAddress(text: string, policy: LinkPolicy): boolean {
  return [...text.matchAll(ADDRESS)].some(([whole, start = "", rest = ""]) => !isAllowed(whole, start + rest, policy));
}

/** Whether an address is allowed. An ambiguous or invalid address is not. */
function isAllowed(whole: string, address: string, policy: LinkPolicy): boolean {
  const url = withoutTrailing(address);
  if (whole !== address && !HOST_IS_OVER.test(url)) return false;
  if (NOT_FETCHED.test(url.toLowerCase()) || (whole === address && policy.urls.has(url))) return true;
  // A scheme or slashes alone are not an address.
  if (/^(?:[a-z][a-z0-9+.-]*:)?[\\/]*$/i.test(url)) return true;
  const plain = withoutPlaceholders(url);
  const absolute = /^[\\/]{2}/.test(plain) ? `https:${plain}` : /^www\./i.test(plain) ? `https://${plain}` : plain;
  if (!URL.canParse(absolute)) return false;
  const parsed = new URL(absolute);
  if (!/^(?:https?|wss?|ftp):$/.test(parsed.protocol)) return parsed.protocol === "file:" && parsed.host === "";
  if (parsed.username !== "" || parsed.password !== "") return false;
  const host = hostOf(parsed);
  if (!PLAIN_HOST.test(host)) return false;
  return isLocalHost(host) || policy.hosts.has(host);
}

/** Without the punctuation of the sentence around it. A loop, since a pattern that ends in `$` starts at each character. */
function withoutTrailing(address: string): string {
  let end = address.length;
  while (end > 0 && TRAILING.includes(address[end - 1] ?? "")) end -= 1;
  return address.slice(0, end);
}

function hostOf(url: URL): string {
  return url.hostname.toLowerCase().replace(/\.$/, "");
}

const ENTITIES: Readonly<Record<string, string>> = {
  colon: ":",
  sol: "/",
  bsol: "\\",
  period: ".",
  commat: "@",
  amp: "&",
};

/** Decodes a text as a Markdown or HTML renderer does: escapes, entities, look-alike and invisible characters. */
function decodeAsRenderer(text: string): string {
  const plain = text
    .replace(/&#(x[0-9a-f]{1,6}|\d{1,7});?/gi, (whole, code: string) => {
      const point = code.startsWith("x") || code.startsWith("X") ? Number.parseInt(code.slice(1), 16) : Number(code);
      return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    })
    .replace(/&([a-z]{3,7});/gi, (whole, name: string) => ENTITIES[name.toLowerCase()] ?? whole)
    .replace(/\\(?=[:/.@])/g, "");
  return limitCombiningMarks(plain)
    .normalize("NFKC")
    .replace(/\p{Cf}|\p{Variation_Selector}|\u034f/gu, "");
}
