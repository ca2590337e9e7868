// Front matter of a runbook, YAML or Hugo's TOML: reads `title`, `incident_type` and `tags` in their common forms and ignores
// other fields.

import { readSections } from "./markdown-sections.ts";

export interface FrontMatter {
  readonly incidentType: string | undefined;
  readonly tags: readonly string[];
  /** The Markdown below the front matter, with its title as the first heading where the text has no such heading or several. */
  readonly markdown: string;
  /** Lines of the text above `markdown`. */
  readonly linesAbove: number;
}

/** Closed front matter, without its delimiters. */
export interface FrontMatterBlock {
  readonly format: "yaml" | "toml";
  readonly fields: string;
  /** The text with its delimiters. */
  readonly whole: string;
}

const BLOCK = /^(---|\+\+\+)[ \t]*\r?\n((?:[\s\S]*?\r?\n)?)\1[ \t]*(?:\r?\n|$)/;
const INCIDENT_TYPE = /^[a-z][a-z0-9_]{0,63}$/;
const MAX_TITLE_LENGTH = 300;
const FIELD = /^(["']?)([\w.-]{1,64})\1[ \t]{0,8}(?:=|:(?=\s|$))(.*)$/;
/** `>-` or `|` of YAML, with the text below. */
const BLOCK_SCALAR = /^[>|][-+\d]{0,2}(?:\s#|$)/;
const QUOTED = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')/;
const ITEM = /\s{0,3}(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|[^,]+/g;

export function frontMatterBlock(text: string): FrontMatterBlock | undefined {
  const block = BLOCK.exec(text);
  return block
    ? { format: block[1] === "---" ? "yaml" : "toml", fields: (block[2] ?? "").trimEnd(), whole: block[0] }
    : undefined;
}

/** Splits a text into front matter and Markdown. `tags` may be `[a, b]`, `a, b` or a block list. */
export function splitFrontMatter(text: string): FrontMatter {
  const block = frontMatterBlock(text);
  if (!block) return { incidentType: undefined, tags: [], markdown: text, linesAbove: 0 };
  const fields = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of block.fields.split(/\r?\n/)) {
    if (block.format === "toml" && /^\[/.test(line)) break;
    const [, , name, value] = FIELD.exec(line) ?? [];
    if (name === undefined) lines.push(line.trim());
    else {
      lines = [value?.trim() ?? ""];
      fields.set(name, lines);
    }
  }
  const valuesOf = (name: string) =>
    readValues(fields.get(name) ?? [], name === "title").filter((value) => value !== "");
  const markdown = text.slice(block.whole.length);
  const linesAbove = block.whole.split("\n").length - 1;
  const title = valuesOf("title")[0]?.slice(0, MAX_TITLE_LENGTH);
  const isTitled = title === undefined || countTitles(markdown) === 1 || markdown.trim() === "";
  return {
    incidentType: valuesOf("incident_type").find((value) => INCIDENT_TYPE.test(value)),
    tags: valuesOf("tags"),
    markdown: isTitled ? markdown : `# ${title}\n${markdown}`,
    linesAbove: isTitled ? linesAbove : linesAbove - 1,
  };
}

function countTitles(markdown: string): number {
  return readSections(markdown, "").sections.filter(({ heading }) => heading?.level === 1 && heading.text !== "")
    .length;
}

/** The scalar or the items of a field. @param lines its value and the lines below it, trimmed */
function readValues(lines: readonly string[], isScalar: boolean): string[] {
  if (BLOCK_SCALAR.test(lines[0] ?? "")) return [lines.slice(1).join(" ").trim()];
  const written = lines.filter((line) => !line.startsWith("#"));
  if (isScalar) return [unquoted(written.join(" "))];
  const plain = written.map((line) => line.replace(/\s#\s.*$/, "").trim());
  const items = plain.filter((line) => /^-\s/.test(line)).map((line) => line.slice(1));
  const list = plain
    .join(" ")
    .trim()
    .replace(/^\[(.*)\]$/, "$1");
  return (items.length > 0 ? items : (list.match(ITEM) ?? [])).map(unquoted);
}

/** A scalar without its quotes and escapes, or without the comment behind it. */
function unquoted(value: string): string {
  const [, double, single] = QUOTED.exec(value.trim()) ?? [];
  if (double !== undefined) return double.replace(/\\(["\\/])/g, "$1");
  return (
    single?.replaceAll("''", "'") ??
    value
      .trim()
      .replace(/(?:^|\s)#\s.*$/, "")
      .trim()
  );
}
