// Restores a stored text: as it was stored, or joined from its chunks. Pure functions.

/** Of a stored text. */
export interface JoinableText {
  readonly title: string;
  /** Null for a text from a folder. */
  readonly text: string | null;
  readonly sections: readonly { readonly heading: string; readonly text: string }[];
}

/** Separates the headings of a chunk's path. */
const PATH_SEPARATOR = " › ";

/** Markdown if the text is Markdown. */
export function wholeText({ title, text, sections }: JoinableText): string {
  if (text !== null) return text;
  const parts = [`# ${title}`];
  let above: readonly string[] = [];
  let before: string | null = null;
  for (const section of sections) {
    const path = section.heading === "" ? [] : section.heading.split(PATH_SEPARATOR);
    const firstNewLevel = path.findIndex((heading, level) => heading !== above[level]);
    const isContinued = before !== null && firstNewLevel < 0 && path.length === above.length;
    for (const [level, heading] of path.entries())
      if (firstNewLevel >= 0 && level >= firstNewLevel) parts.push(`${"#".repeat(level + 2)} ${heading}`);
    const body = isContinued ? withoutRepeat(before ?? "", section.text) : section.text;
    // The body of an empty section repeats its heading.
    if (body !== "" && body !== path.at(-1)) parts.push(body);
    above = path;
    before = section.text;
  }
  return `${parts.join("\n\n")}\n`;
}

/** The Markdown of a runbook with its front matter, as its author may write it. */
export function editableText({
  incident_type: type,
  tags,
  ...stored
}: JoinableText & { readonly incident_type: string | null; readonly tags: readonly string[] }): string {
  const fields = [
    ...(type === null ? [] : [`incident_type: ${type}`]),
    ...(tags.length > 0 ? [`tags: [${tags.join(", ")}]`] : []),
  ];
  const isBare = stored.text !== null || fields.length === 0;
  return isBare ? wholeText(stored) : ["---", ...fields, "---", "", wholeText(stored)].join("\n");
}

/** Removes the words that a chunk repeats from the end of the chunk before. */
function withoutRepeat(before: string, body: string): string {
  const wordEnds = [...body.matchAll(/\S(?=\s|$)/g)].map(({ index }) => index + 1);
  // Longest first. Fewer words may be equal by chance.
  for (const end of wordEnds.slice(MIN_REPEATED_WORDS - 1).reverse()) {
    const start = before.length - end;
    const isWhole = start === 0 || (start > 0 && /\s/.test(before[start - 1] ?? ""));
    if (isWhole && before.endsWith(body.slice(0, end))) return body.slice(end).trimStart();
  }
  return body;
}

/** Least number of repeated words. */
const MIN_REPEATED_WORDS = 3;
