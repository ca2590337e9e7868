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
  let values: string[] = [];
  for (const line of block.fields.split(/\r?\n/)) {
    const field = /^([A-Za-z_]+)[ \t]{0,8}[:=](.*)$/.exec(line);
    if (field) {
      const value = (field[2] ?? "").trim();
      values = field[1] === "title" ? [value] : value.replace(/^\[(.*)\]$/, "$1").split(",");
      fields.set(field[1] ?? "", values);
    } else {
      const item = /^\s*-\s+(\S.*)$/.exec(line)?.[1];
      if (item !== undefined) values.push(item);
    }
  }
  const valuesOf = (name: string) => (fields.get(name) ?? []).map(unquoted).filter((value) => value !== "");
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

function unquoted(value: string): string {
  return value.trim().replace(/^(["'])(.*)\1$/, "$2");
}
