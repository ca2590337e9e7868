// YAML front matter of a runbook: reads `incident_type` and `tags` in their common forms and ignores other fields.

export interface FrontMatter {
  readonly incidentType: string | undefined;
  readonly tags: readonly string[];
  /** The Markdown below the front matter. */
  readonly markdown: string;
}

const BLOCK = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const INCIDENT_TYPE = /^[a-z][a-z0-9_]{0,63}$/;

/** Splits a text into front matter and Markdown. `tags` may be `[a, b]`, `a, b` or a block list. */
export function splitFrontMatter(text: string): FrontMatter {
  const block = BLOCK.exec(text);
  if (!block) return { incidentType: undefined, tags: [], markdown: text };
  const fields = new Map<string, string[]>();
  let values: string[] = [];
  for (const line of (block[1] ?? "").split(/\r?\n/)) {
    const field = /^([A-Za-z_]+):(.*)$/.exec(line);
    if (field) {
      values = (field[2] ?? "")
        .trim()
        .replace(/^\[(.*)\]$/, "$1")
        .split(",");
      fields.set(field[1] ?? "", values);
    } else {
      const item = /^\s*-\s+(\S.*)$/.exec(line)?.[1];
      if (item !== undefined) values.push(item);
    }
  }
  const valuesOf = (name: string) => (fields.get(name) ?? []).map(unquoted).filter((value) => value !== "");
  return {
    incidentType: valuesOf("incident_type").find((value) => INCIDENT_TYPE.test(value)),
    tags: valuesOf("tags"),
    markdown: text.slice(block[0].length),
  };
}

function unquoted(value: string): string {
  return value.trim().replace(/^(["'])(.*)\1$/, "$2");
}
