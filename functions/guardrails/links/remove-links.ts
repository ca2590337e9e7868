// Owns the removal of links and images that could carry data out of a model's answer or lure its reader. A text is cut
// into words (with the spaces inside brackets and tags), and each is judged alone, so a stream and a whole text agree.

import { limitCombiningMarks } from "../../retrieval/text/plain-text.ts";
import { isLocalHost, withoutPlaceholders } from "./local-hosts.ts";

export interface LinkPolicy {
  /** Lower-case host names whose links may stay; subdomains are other hosts. */
  readonly hosts: ReadonlySet<string>;
  /** URLs that may stay exactly as they are. */
  readonly urls: ReadonlySet<string>;
}

export interface LinkFilter {
  /** Takes the next piece; gives out what is decided, which may be nothing. */
  push(chunk: string): string;
  /** Gives out the rest; the filter is spent. */
  end(): string;
  /** How many links and images were removed so far. */
  readonly count: number;
}

export const REMOVED_LINK = "[link removed]";

/** Characters that an open bracket or tag may hold back; beyond, its words are judged one by one. */
const MAX_HELD = 1_000;

/** Addresses of services and files, which no reader's client fetches and no renderer makes a link of. */
const NOT_FETCHED =
  /^(?:postgres(?:ql)?|rediss?|amqps?|mysql|mongodb(?:\+srv)?|jdbc|docker(?:-[a-z]+)?|oci|unix|tcp|udp|containerd|cri-o|npipe|s3|gs):/;

const PLACE = String.raw`<[\w -]{1,40}>|\[[A-Z_]{1,40}\]|\[[0-9a-f:.]{2,45}\]`;
/** Where an address may begin: at a scheme with a host, at `//` that nothing stands before, at `www.`, at `<mailto:`. */
const START = String.raw`(?<![a-z0-9+.-])(?:https?|ftp|wss?):|[a-z][a-z0-9+.-]*:[\\/]{2}|(?<=^|["'(=<\]:,|])[\\/]{2}(?=[^\s/\\]{1,80}\.[a-z])|(?<![\w./-])www\.(?=[^\s/]{1,80}\.[a-z])|(?<=<)(?:mailto|tel|sms|javascript|data):`;
/** An address as it is meant, and the character after it where others might read on: `https://localhost"@evil.com`. */
const ADDRESS = new RegExp(
  String.raw`(${START})((?:${PLACE}|[^\s"'${"`"}<>()\[\]|^])*)(?:["'${"`"}()\[\]|^](?=[a-z0-9@&%=#?-]|\.[a-z]))?`,
  "gi",
);
const IMAGE = /!\[([^[\]\n]*)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^[\]\n]*\])/g;
const LINK = /\[([^[\]\n]*)\]\(([^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)/g;
const TAG = /<[a-z!/][^<>]*=[^<>]*>/gi;
/** Without a host, and yet they run code, carry data or write to somebody. */
const HARMFUL_SCHEME = /(?:^|["'=(<\s])(?:javascript|vbscript|data|blob|mailto|tel|sms|file|intent):/i;
/** Behind the host, whatever follows leads to the same place. */
const HOST_IS_OVER = /^[^\\/]{0,40}\/{2}[^\\/?#@]+[/?#]/;
const PLAIN_HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/;
const TRAILING = /[.,:;!?*_~'"`)\]}]+$/;

/** The http and https URLs of a text, as they stand there; without those that can be read in two ways. */
export function urlsIn(text: string): string[] {
  return [...text.matchAll(ADDRESS)].flatMap(([whole, start = "", rest = ""]) =>
    whole === start + rest && /^https?:/i.test(start) ? [whole.replace(TRAILING, "")] : [],
  );
}

/** The hosts of the http and https URLs of a text, lower case. */
export function hostsIn(text: string): string[] {
  return urlsIn(text).flatMap((url) => (URL.canParse(url) ? [hostOf(new URL(url))] : []));
}

/** Removes all images, and the links that the policy does not allow. Linear in the text. */
export function removeLinks(text: string, policy: LinkPolicy): { readonly text: string; readonly count: number } {
  const filter = createLinkFilter(policy);
  const out = filter.push(text) + filter.end();
  return { text: out, count: filter.count };
}

/** Prose is held for one word; an open bracket or tag to its end, at most to the end of the line or 1,000 characters. */
export function createLinkFilter(policy: LinkPolicy): LinkFilter {
  let count = 0;
  let held: string[] = [];
  let length = 0;
  let brackets = 0;
  let parentheses = 0;
  let isInTag = false;
  let last = "";

  function judge(unit: string): string {
    const judged = judgeUnit(unit, policy);
    count += judged.count;
    return judged.text;
  }

  function isOver(character: string): boolean {
    if (character === "\n") return true;
    const isOpen = brackets > 0 || parentheses > 0 || isInTag;
    return /\s/.test(character) && (!isOpen || length > MAX_HELD);
  }

  function note(character: string): void {
    if (character === "[") brackets += 1;
    else if (character === "]") brackets = Math.max(0, brackets - 1);
    else if (character === "(" && (last === "]" || parentheses > 0)) parentheses += 1;
    else if (character === ")") parentheses = Math.max(0, parentheses - 1);
    else if (character === ">") isInTag = false;
    else if (last === "<" && /[a-z!/]/i.test(character)) isInTag = true;
    last = character;
  }

  function release(): string {
    const unit = held.join("");
    held = [];
    length = brackets = parentheses = 0;
    isInTag = false;
    last = "";
    return judge(unit);
  }

  return {
    push(chunk) {
      let out = "";
      let start = 0;
      for (let i = 0; i < chunk.length; i++) {
        const character = chunk[i] ?? "";
        length += 1;
        note(character);
        if (!isOver(character)) continue;
        held.push(chunk.slice(start, i + 1));
        out += release();
        start = i + 1;
      }
      held.push(chunk.slice(start));
      return out;
    },
    end: release,
    get count() {
      return count;
    },
  };
}

/** What can be part of a link at all; everything else passes at once. */
const TELLING = /[:/\\<&[]|www|[^\x20-\x7e\s]/i;

function judgeUnit(unit: string, policy: LinkPolicy): { readonly text: string; readonly count: number } {
  if (!TELLING.test(unit)) return { text: unit, count: 0 };
  let count = 0;
  const remove = (kept: string) => {
    count += 1;
    return kept.trim() === "" ? REMOVED_LINK : kept;
  };
  const isForeign = (words: string) => {
    const read = readAsRenderer(words);
    return HARMFUL_SCHEME.test(read) || holdsForeign(read, policy);
  };
  const text = unit
    .replace(IMAGE, (_, alt: string) => remove(alt))
    .replace(LINK, (whole, label: string, destination: string) =>
      isForeign(`(${destination.trim().replace(/^<|>$/g, "")}`) ? remove(label) : whole,
    )
    .replace(TAG, (whole) => (isForeign(whole) ? remove("") : whole))
    .replace(/\S+/g, (word) => {
      const bare = word.replace(ADDRESS, (whole, start: string, rest: string) =>
        isAllowed(whole, start + rest, policy) ? whole : remove("") + (TRAILING.exec(start + rest)?.[0] ?? ""),
      );
      // Spelt so that only a renderer sees the link: nothing of the word is kept.
      return holdsForeign(readAsRenderer(bare), policy) ? remove("") : bare;
    });
  // The mark must not become the label of a link, or of an image, by what stood around the address.
  return { text: text.replaceAll(`${REMOVED_LINK}(`, `${REMOVED_LINK} (`), count };
}

function holdsForeign(text: string, policy: LinkPolicy): boolean {
  return [...text.matchAll(ADDRESS)].some(([whole, start = "", rest = ""]) => !isAllowed(whole, start + rest, policy));
}

/** Whether an address may stay; what can be read in two ways, or not at all, may not. */
function isAllowed(whole: string, address: string, policy: LinkPolicy): boolean {
  const url = address.replace(TRAILING, "");
  if (whole !== address && !HOST_IS_OVER.test(url)) return false;
  if (NOT_FETCHED.test(url.toLowerCase()) || (whole === address && policy.urls.has(url))) return true;
  // A scheme or slashes alone lead nowhere.
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

/** The text as a renderer reads it: escapes, entities and look-alikes undone, what is invisible gone. */
function readAsRenderer(text: string): string {
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
