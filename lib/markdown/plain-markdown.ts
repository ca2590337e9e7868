// Markdown as people and generators of sites write it, as plain Markdown: without comments, tags, templates and images, with
// the forms of headings, quotes, admonitions and code that the parsers of this folder read. Linear in the text.

import { DRAWN_LANGUAGE, fenceAfter } from "./fences.ts";
import { labelHeadings } from "./labels.ts";
import { markdownTables, type PlainLine, readTable } from "./tables.ts";

interface MarkedLine extends PlainLine {
  /** Code and the markers of its fence. */
  readonly isCode: boolean;
}

/** The lines of a text as plain Markdown. Only the rows of tables of alerts, below those of their section, and labels with their text become more lines. */
export function plainMarkdown(markdown: string): PlainLine[] {
  const lines = markdownTables(markdown.split(/\r?\n/));
  return readTables(labelHeadings(plainHeadings(plainInlines(plainBlocks(splitHtml(lines))))));
}

const HTML_BLOCK = /(<\/?(?:pre|h[1-6])(?:\s[^<>]{0,400})?>|<li(?:\s[^<>]{0,400})?>)/i;

/** Gives headings and list items of HTML lines of their own, and puts `<pre>` blocks that have an end into fences. */
function splitHtml(lines: readonly string[]): PlainLine[] {
  const last = lines.findLastIndex((line) => /<\/pre>/i.test(line));
  const plain: PlainLine[] = [];
  let fence: string | undefined;
  let isPre = false;
  /** What the next text begins with. */
  let marker = "";
  lines.forEach((raw, i) => {
    const push = (text: string) => plain.push({ text, line: i + 1 });
    const isText =
      !isPre && (fence !== undefined || /^\s*\|/.test(raw) || !HTML_BLOCK.test(raw.replace(CODE_SPAN, "")));
    if (isText) fence = fenceAfter(fence, raw);
    for (const part of isText && marker === "" ? [raw] : raw.split(HTML_BLOCK)) {
      const [, end, name = "", level] = /^<(\/?)(li|pre|h([1-6]))\b/i.exec(part) ?? [];
      if (isPre ? /^<\/pre/i.test(part) : /^<pre/i.test(part) && i <= last) {
        isPre = end === "";
        push("```");
      } else if (isPre) {
        const code = part.replace(TAG, "").replace(ENTITY, toCharacter);
        if (code.trim() !== "") push(code);
      } else if (name !== "" && !/^pre/i.test(name)) {
        marker = end === "/" ? "" : level === undefined ? "- " : `${"#".repeat(Number(level))} `;
      } else if (isText && marker === "") push(part);
      else if (part.replace(TAG, "").trim() !== "") {
        push(marker === "" ? part : marker + part.replace(/^\s{0,40}(?:<p(?:\s[^<>]{0,200})?>)?\s{0,40}/i, ""));
        marker = "";
      }
    }
  });
  return plain;
}

/** Not `> 5`, which compares. */
const QUOTE = /^( {0,3})>(?! ?\d(?!\d{0,2}[.)]\s)) ?/;
const BLOCK = /^\s*(?:[-*+]\s|\d{1,3}[.)]\s|#{1,6}(?:\s|\w)|\||`{3}|~{3}|<)/;
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,3}[.)])\s/;
/** A heading, or a label of few words. Below a sentence, an indented list is a part of it. */
const BELOW_LABEL = /^(?:#{1,6}\s|(?:\*\*)?\p{L}[\p{L}'’-]{0,30}(?:\s\p{L}[\p{L}'’-]{0,30}){0,3}:?(?:\*\*)?:?\s*$)/u;
/** Of a list that is not at the start of its lines. */
const MARGIN = /^ {1,3}(?=(?:[-*+]|\d{1,3}[.)])\s)/;
const INDENTED = /^(?: {4}|\t)/;
/** `!!! note "Title"` of MkDocs. */
const ADMONITION =
  /^(\s*)(?:(?:!!!|\?\?\?\+?) ?(\w{1,30})(?: [a-z]{1,30}){0,3}(?: "([^"]{0,200})")?|===[!+]? "([^"]{0,200})")\s*$/;
/** `:::note Title` of Docusaurus. */
const CONTAINER =
  /^\s{0,12}:{3,8}\s?(?:\{?\.?([\w-]{1,30})\}?)?(?:\[([^\]]{1,200})\]|\s([^{}]{1,200}))?(?:\{[^{}]{0,200}\})?$/;
/** `> [!NOTE]` of GitHub, without its quote. */
const CALLOUT = /^\[!(\w{1,30})\][+-]?(?:\s(.{0,200}))?$/;
/** Of details in HTML, and of a component of MDX, such as `<TabItem label="…">` and `<Step title="…">`. */
const SUMMARY =
  /<summary>(.{0,300}?)<\/summary>|<[A-Z]\w{2,30}\b[^<>"]{0,200}(?:"[^<>"]{0,200}"[^<>"]{0,200}){0,4}\b(?:label|title)="([^"]{1,200})"[^<>]{0,200}>/;
/** `{% tab title="…" %}` and `{% hint style="warning" %}` of GitBook. */
const BLOCK_TAG_START =
  /^\s{0,12}\{%\s{0,3}(?:tab\s{1,3}title="([^"]{1,200})"|hint\s{1,3}style="(\w{1,30})")[^{}]{0,100}%\}\s*$/;
/** A directive of MyST in backticks: "```{code-block} sh", "````{note}". */
const DIRECTIVE = /^(\s{0,12})(`{3,8}|~{3,8})\{([\w:-]{1,40})\}\s{0,3}(.{0,200})$/;
const CODE_DIRECTIVE = /^(?:code|code-block|code-cell|sourcecode|prompt|parsed-literal)$/;
/** Of a directive: ":class: dropdown". */
const OPTION = /^\s*:[a-z][\w-]{0,40}:(?:\s.{0,300})?$/;
/** Marks of a table of contents, names of places in MyST, and imports and exports of MDX. */
const CONTENTS =
  /^\s*(?:\[{1,2}_?toc_?\]{1,2}|\{:toc\}|\([\w-]{1,100}\)=|import .{1,200} from ["'][^"']{1,200}["'];?|export (?:const|default|function) .{1,400})\s*$/i;

/** `{{< highlight sh >}}` of Hugo, `{% highlight sh %}` of Jekyll. */
const HIGHLIGHT = /^(\s{0,12})\{[{%][<%]?\s{0,3}(\/|end)?highlight\b[^{}]{0,200}\}\}?\s*$/;
const BULLET = /^(\s{0,12})[\u2022\u25e6\u25aa\u2023\u00b7\u25cf](?:[ \t]|\u00a0)+/;

/** Fences, comments, quotes, admonitions and indented code. */
function plainBlocks(lines: readonly PlainLine[]): MarkedLine[] {
  const plain: { text: string; line: number; isCode: boolean }[] = [];
  let fence: string | undefined;
  let isQuoted = false;
  let comment = "";
  /** The markers of the directives of MyST that are open, and whether their options may follow. */
  const directives: string[] = [];
  let mayHaveOptions = false;
  /** Blanks before the lines of an admonition. */
  let indent = "";
  let isInList = false;
  /** Whether the line above defines a term. */
  let isDefined = false;
  /** Blanks before the items of the outermost list. */
  let margin = "";
  let label: { readonly at: number; readonly text: string; readonly isTitle: boolean } | undefined;
  /** Puts the label of an admonition before its first text. Before a block, its title gets a line of its own. */
  const placeLabel = (text: string): string => {
    if (label === undefined || text.trim() === "") return text;
    const { at, text: words, isTitle } = label;
    label = undefined;
    const owner = plain[at];
    if (!BLOCK.test(text)) return `${words}: ${text.trimStart()}`;
    if (isTitle && owner) owner.text = `${words}:`;
    return text;
  };
  lines.forEach(({ text: raw, line }) => {
    const push = (words: string, isCode = false): void => {
      plain.push({ text: words, line, isCode });
    };
    let text = indent !== "" && raw.startsWith(indent) ? raw.slice(indent.length) : raw;
    mayHaveOptions &&= OPTION.test(text);
    if (mayHaveOptions) {
      push("", fence !== undefined);
      return;
    }
    if (fence !== undefined) {
      text = text.replace(HIGHLIGHT, "$1```");
      if (isQuoted) text = text.replace(QUOTE, "");
      fence = fenceAfter(fence, text);
      push(text, true);
      return;
    }
    if (text === raw && raw.trim() !== "") indent = "";
    const [uncommented, open] = withoutComments(text, comment);
    comment = open;
    text = uncommented.replace(HIGHLIGHT, "$1```").replace(BULLET, "$1- ");
    isQuoted = QUOTE.test(text);
    // A quote within a list item stays in it.
    while (QUOTE.test(text)) text = text.replace(QUOTE, isInList ? "$1" : "");
    const [, start = "", ticks, name = "", argument = ""] = DIRECTIVE.exec(text) ?? [];
    if (ticks !== undefined) {
      mayHaveOptions = true;
      if (CODE_DIRECTIVE.test(name)) text = `${start}${ticks}${argument}`;
      else if (DRAWN_LANGUAGE.test(name)) text = `${start}${ticks}${name}`;
      else {
        directives.push(ticks);
        text = `${start}:::{${name}} ${argument}`.trimEnd();
      }
    } else if (text.trim() === directives.at(-1)) {
      directives.pop();
      text = "";
    }
    fence = fenceAfter(undefined, text);
    if (fence !== undefined) {
      placeLabel(text);
      push(text, true);
      return;
    }
    const marker = readMarker(text, isQuoted);
    if (marker) {
      mayHaveOptions = CONTAINER.test(text);
      if (marker.margin !== undefined) indent = `${marker.margin}    `;
      if (marker.label) label = { at: plain.length, ...marker.label };
      push(marker.rest);
      return;
    }
    if (text.trim() === "" || CONTENTS.test(text)) {
      push(text.trim() === "" ? text : "");
      return;
    }
    if (!isInList)
      margin = BELOW_LABEL.test(plain.findLast((above) => !isBlank(above))?.text ?? "")
        ? (MARGIN.exec(text)?.[0] ?? "")
        : "";
    if (text.startsWith(margin)) text = text.slice(margin.length);
    const term = plain.at(-1);
    const definition = term && ((isDefined && !isBlank(term)) || isTerm(term)) ? DEFINED.exec(text)?.[1] : undefined;
    if (definition !== undefined) {
      if (term && !isDefined) term.text = `**${term.text.trim()}:**`;
      text = `- ${definition}`;
    }
    isDefined = definition !== undefined;
    if (LIST_ITEM.test(text)) isInList = true;
    else if (/^\S/.test(text)) isInList = false;
    push(placeLabel(text));
    const [above, last] = plain.slice(-2);
    if (above && last && !isInList && INDENTED.test(text)) last.isCode = isBlank(above) || isIndentedCode(above);
  });
  return fenceIndented(plain);
}

/** ":   Restart it.", below its term. */
const DEFINED = /^ {0,3}:[ \t]{1,4}(\S.*)$/;

function isTerm({ text, isCode }: MarkedLine): boolean {
  return !isCode && /^\p{L}[^:|]{0,80}$/u.test(text);
}

interface Marker {
  /** What the text below is; missing at an end. */
  readonly label?: { readonly text: string; readonly isTitle: boolean };
  /** The blanks before it, where the text below has four more. */
  readonly margin?: string;
  /** The line without it. */
  readonly rest: string;
}

/** The beginning or the end of an admonition or of details. */
function readMarker(text: string, isQuoted: boolean): Marker | undefined {
  const summary = SUMMARY.exec(text);
  const admonition = ADMONITION.exec(text);
  const [container, kind, bracketed, named] = CONTAINER.exec(text) ?? [];
  const [callout, type, heading] = (isQuoted && CALLOUT.exec(text.trim())) || [];
  const [tag, tab, style] = BLOCK_TAG_START.exec(text) ?? [];
  if (!summary && !admonition && container === undefined && callout === undefined && tag === undefined)
    return undefined;
  const words =
    summary?.[1] ?? summary?.[2] ?? admonition?.[3] ?? admonition?.[4] ?? bracketed ?? named ?? heading ?? tab ?? "";
  const title = words.replace(/<[^<>]{1,200}>/g, "").trim();
  const sort = admonition?.[2] ?? kind ?? type ?? style ?? "";
  // "tab-set" orders what it holds.
  const label = title !== "" ? title : sort.includes("-") ? "" : capitalised(sort);
  return {
    ...(label === "" ? {} : { label: { text: label, isTitle: title !== "" } }),
    ...(admonition ? { margin: admonition[1] ?? "" } : {}),
    rest: summary
      ? text
          .replace(SUMMARY, "")
          .replace(/<\/?details[^<>]{0,100}>/i, "")
          .trim()
      : "",
  };
}

function isIndentedCode(line: MarkedLine | undefined): boolean {
  return line?.isCode === true && INDENTED.test(line.text);
}

/** Puts indented code into fences, on the blank lines around it. */
function fenceIndented(lines: readonly MarkedLine[]): MarkedLine[] {
  const fenced = [...lines];
  let fence: string | undefined;
  for (let i = 0; i < lines.length; i += 1) {
    const { text = "", isCode = false } = lines[i] ?? {};
    if (fence !== undefined || fenceAfter(undefined, text) !== undefined) {
      if (isCode) fence = fenceAfter(fence, text);
      continue;
    }
    if (!isIndentedCode(lines[i])) continue;
    let end = i;
    for (let next = i + 1; next < lines.length && (isIndentedCode(lines[next]) || isBlank(lines[next])); next += 1)
      if (isIndentedCode(lines[next])) end = next;
    const isFree = i > 0 && isBlank(fenced[i - 1]) && (end + 1 === lines.length || isBlank(lines[end + 1]));
    for (let at = i; at <= end; at += 1) {
      const line = lines[at];
      if (line)
        fenced[at] = isFree
          ? { ...line, text: line.text.replace(INDENTED, ""), isCode: true }
          : { ...line, isCode: false };
    }
    if (isFree) {
      fenced[i - 1] = { line: (lines[i]?.line ?? 0) - 1, text: "```", isCode: true };
      fenced[end + 1] = { line: (lines[end]?.line ?? 0) + 1, text: "```", isCode: true };
    }
    i = end;
  }
  return fenced;
}

function isBlank(line: PlainLine | undefined): boolean {
  return line === undefined || line.text.trim() === "";
}

function capitalised(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1).toLowerCase()}`;
}

/** The ends of comments by their starts: those of HTML, and those of Obsidian that end in their line. A batch file has `%%` alone. */
const COMMENTS: Readonly<Record<string, string>> = { "<!--": "-->", "%%": "%%" };

/** @param open the end of the comment that the line begins in; empty for none. @returns the text, and what is open after it */
function withoutComments(line: string, open: string): readonly [text: string, open: string] {
  let [text, rest, end] = ["", line, open];
  for (;;) {
    const [start = ""] = end === "" ? (/<!-{2}|(?<!\S)%%(?=[^%]{1,400}%%(?!\w))/.exec(rest) ?? []) : [end];
    const at = start === "" ? -1 : rest.indexOf(start);
    if (end === "") text += at === -1 ? rest : rest.slice(0, at);
    if (at === -1) return [text, end];
    rest = rest.slice(at + start.length);
    end = end === "" ? (COMMENTS[start] ?? "") : "";
  }
}

const DEFINITION = /^ {0,3}\[([^\]^][^\]]{0,99})\]:\s{1,8}<?([^\s<>]{1,2000})>?(?:\s{1,8}["'(].{0,200})?$/;
const CODE_SPAN = /(`{1,3}[^`]{1,1000}`{1,3})/;
const REFERENCE = /\[([^[\]]{1,200})\](?:\[([^[\]]{0,100})\]|(?![[(:]))/g;
const CLOSING_TAG = /<\/([A-Za-z][\w.-]{0,40})>/g;
const TAG = /<\/?([A-Za-z][\w.-]{0,40})(?:\s[^<>]{0,400})?\/?>/g;
const BLOCK_TAG = /^(?:br|p|div|t[drh])$/i;
/** Between the items of a list in a cell of a table. */
const NEXT_ITEM = /\s{0,12}<\/li>\s{0,12}<li[^<>]{0,200}>\s{0,12}/gi;
const VOID_TAG = /^(?:br|hr|img|wbr|input|col)$/i;
const SHORTCODE_TARGET = /\(\s{0,3}\{\{[<%]\s{0,3}(?:rel)?ref\s{1,3}"([^"]{1,300})"\s{0,3}[%>]\}\}([^()\s]{0,100})\)/g;
const TEMPLATES =
  /\{\{[<%](?:[^{}]){0,500}[%>]\}\}|\{%[^{}]{0,500}%\}|<%[^<>]{0,500}%>|\{\{-?\s?(?:site|page|include|config)\.[^{}]{1,100}\}\}|\{:[^{}]{1,200}\}/g;
const IMAGES =
  /\[!\[[^\]\n]{0,200}\]\([^()\n]{0,800}\)\]\([^()\n]{0,800}\)|!\[[^\]\n]{0,300}\](?:\([^()\n]{0,800}\)|\[[^\]\n]{0,100}\])/g;
/** Links of wikis: `[[Page|words]]`, `[[Folder/Page#Heading]]`; with `!`, what Obsidian shows in their place. */
const WIKI_LINK = /(!?)\[\[(?![\s[])([^[\]|]{0,200})(?:\|([^[\]]{1,200}))?\]\]/g;
/** `==marked==` and the name of a block, of Obsidian. */
const MARKED = /(?<![=\w])==(?=[^\s=])([^=]{1,200})(?<=\S)==(?![=\w])/g;
const BLOCK_NAME = /\s\^[a-z][\w-]{1,40}$/;
/** Of MyST: "{ref}`label`", "{doc}`words <page>`". */
const ROLE = /\{([a-z:]{2,20})\}`([^`<>]{1,200}?)(?:\s?<[^<>`]{1,200}>)?`/g;
const LINK_ROLE = /^(?:abbr|any|doc|numref|ref|term)$/;
const EMOJI = /(?<![\w:]):(?:[a-z][a-z0-9_]{1,30}|\+1|-1):(?![\w:]) ?/g;
/** Bold and italic at once: `**_Note:_**`. */
const EMPHASES = /(?:\*\*_|_\*\*|\*{3})([^\s*_][^*_]{0,200})(?:_\*\*|\*\*_|\*{3})/g;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', nbsp: " ", "#39": "'" };
const ENTITY = /&(lt|gt|amp|quot|nbsp|#39);/g;

/** Links, images, tags and templates within lines. Code stays as it is. */
function plainInlines(lines: readonly MarkedLine[]): MarkedLine[] {
  const addresses = new Map<string, string>();
  const elements = new Set<string>();
  for (const { text, isCode } of lines) {
    if (isCode) continue;
    const [, name, address] = DEFINITION.exec(text) ?? [];
    if (name !== undefined && address !== undefined) addresses.set(name.toLowerCase(), address);
    for (const [, element = ""] of text.matchAll(CLOSING_TAG)) elements.add(element.toLowerCase());
  }
  const isTag = (element: string) => VOID_TAG.test(element) || elements.has(element.toLowerCase());
  const plainLine = (text: string): string => {
    if (DEFINITION.test(text)) return "";
    const linked = addresses.size === 0 ? text : resolveReferences(text, addresses);
    if (!/[<{![:&\\^]|\*\*_|_\*\*|\*{3}|==/.test(linked)) return linked;
    const plain = linked
      .replace(ROLE, (_, role: string, words: string) => (LINK_ROLE.test(role) ? words : `\`${words}\``))
      .split(CODE_SPAN)
      .map((part, i) => (i % 2 === 1 ? part : plainWords(part, isTag)))
      .join("");
    if (plain === linked) return linked;
    return (linked.startsWith("<") ? plain.trimStart() : plain).trimEnd();
  };
  return lines.map((line) => (line.isCode ? line : { ...line, text: plainLine(line.text) }));
}

function resolveReferences(text: string, addresses: ReadonlyMap<string, string>): string {
  return text.replace(REFERENCE, (whole, words: string, name: string | undefined) => {
    const address = addresses.get((name || words).toLowerCase());
    return address === undefined ? whole : `[${words}](${address})`;
  });
}

function plainWords(text: string, isTag: (element: string) => boolean): string {
  return text
    .replace(SHORTCODE_TARGET, "($1$2)")
    .replace(TEMPLATES, "")
    .replace(WIKI_LINK, (_, embed: string, page: string, words?: string) =>
      embed === "" ? (words ?? pageName(page)) : "",
    )
    .replace(MARKED, "$1")
    .replace(BLOCK_NAME, "")
    .replace(IMAGES, "")
    .replace(NEXT_ITEM, "; ")
    .replace(TAG, (tag, element: string) => {
      if (!isTag(element)) return tag;
      if (/^code$/i.test(element)) return "`";
      return BLOCK_TAG.test(element) ? " " : "";
    })
    .replace(EMOJI, "")
    .replace(EMPHASES, "**$1**")
    .replace(/(?<=\w)\\(?=_\w)/g, "")
    .replace(ENTITY, toCharacter);
}

/** "Mail" of `Hosts/Mail#Queue`, "Limits" of `#Limits`. */
function pageName(page: string): string {
  const [path = "", heading = ""] = page.split("#");
  return path === "" ? heading : (path.split("/").at(-1) ?? path);
}

function toCharacter(_: string, entity: string): string {
  return ENTITIES[entity] ?? "";
}

const HEADING = /^(?:(#{1,6})[ \t]|(#{2,6})(?=[\p{L}\p{N}"`*]))(.*)$/u;
const UNDERLINE = /^ {0,3}(=+|-+)\s*$/;
/** A line that no text of a heading begins or ends with. */
const NO_HEADING = /^\s*(?:[-*+>|]\s|\d{1,3}[.)]\s|\||#)|[.:;,|]$/;
const ID = /\s{0,3}\{[#.:][^{}]{0,200}\}\s*$/;
/** "#Mitigation" of wikis; "#oncall" is the name of a channel. */
const ROLE_HEADING =
  /^(#)()(?=(?:Symptoms?|(?:Root )?[Cc]auses?|Diagnosis|Mitigation|Resolution|Solution|Fix)\b)(\w[\w ]{0,40})$/;
/** An emoji before a heading, as decoration. */
const PICTURE = /^(?:\p{Extended_Pictographic}\uFE0F? ?){1,3}/u;
const LINK = /\[([^[\]]{1,300})\]\([^()\s]{0,1000}\)/g;
const MIN_UNDERLINE = 3;

/** Headings that are underlined or have a link, an id or emphasis, as `## Heading`; no thematic breaks. */
function plainHeadings(lines: readonly MarkedLine[]): MarkedLine[] {
  const plain = [...lines];
  lines.forEach((line, i) => {
    if (line.isCode) return;
    const [, marks, joined = "", text] = HEADING.exec(line.text) ?? ROLE_HEADING.exec(line.text) ?? [];
    if (text !== undefined) plain[i] = { ...line, text: `${marks ?? joined} ${plainHeading(text)}` };
    const underline = UNDERLINE.exec(line.text)?.[1];
    if (underline === undefined && !isBreak(line.text)) return;
    const above = plain[i - 1];
    const isHeading =
      underline !== undefined &&
      underline.length >= MIN_UNDERLINE &&
      above !== undefined &&
      !above.isCode &&
      /^ {0,3}\S/.test(above.text) &&
      !NO_HEADING.test(above.text.trimEnd()) &&
      isBlank(plain[i - 2]);
    if (isHeading)
      plain[i - 1] = { ...above, text: `${underline.startsWith("=") ? "#" : "##"} ${plainHeading(above.text.trim())}` };
    if (isHeading || isBreak(line.text)) plain[i] = { ...line, text: "" };
  });
  return plain;
}

function plainHeading(text: string): string {
  return text.replace(PICTURE, "").replace(ID, "").replace(LINK, "$1").replaceAll("**", "").replaceAll("`", "");
}

function isBreak(line: string): boolean {
  return /^(?:-{3,}|\*{3,}|_{3,})$/.test(line.replace(/[ \t]/g, ""));
}

/** Tables of alerts as sections below the section that they stand in. */
function readTables(lines: readonly MarkedLine[]): PlainLine[] {
  const plain: PlainLine[] = [];
  let below: PlainLine[] = [];
  let level = 1;
  for (let i = 0; i < lines.length; i += 1) {
    const line = lines[i];
    if (line === undefined) break;
    const marks = line.isCode ? undefined : HEADING.exec(line.text)?.[1];
    if (marks !== undefined) {
      plain.push(...below);
      below = [];
      level = marks.length;
    }
    const table = line.isCode || !line.text.includes("|") ? undefined : readTable(lines, i, level + 1);
    if (table) {
      below.push(...table.lines);
      i = table.end - 1;
    } else plain.push({ text: line.text, line: line.line });
  }
  return [...plain, ...below];
}
