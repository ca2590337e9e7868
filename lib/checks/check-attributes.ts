// Attributes of a check, in the braces after its language: `{check=slots-used match=instance,job? cause="Connection leak"}`.

export interface CheckAttributes {
  readonly name: string;
  /** Null without the attribute; empty for `none`. */
  readonly match: readonly string[] | null;
  readonly cause: string | null;
}

export type ReadAttributes =
  | { readonly ok: true; readonly attributes: CheckAttributes }
  | { readonly ok: false; readonly messages: readonly string[] };

const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
/** Prometheus 3 allows any name; these are the usual ones. */
const LABEL = /^[\p{L}_][\p{L}\p{N}_.:/-]{0,127}\??$/u;
export const MAX_MATCH_LABELS = 10;
export const MAX_CAUSE_LENGTH = 300;
/** One attribute at the beginning of a text. Groups: name, and its value in double quotes, in single quotes or bare. */
const ATTRIBUTE = /^([\w.#-]{1,60})(?:\s{0,5}=\s{0,5}(?:"([^"]{0,400})"|'([^']{0,400})'|([^\s"'{}]{1,400})))?/;
const ATTRIBUTES = ["check", "match", "cause"] as const;
type Attribute = (typeof ATTRIBUTES)[number];

/** Reads the attributes of an info string such as "promql {check=slots-used}". */
export function readAttributes(info: string): ReadAttributes {
  const read = readPairs(info.slice(info.indexOf("{") + 1));
  if (typeof read === "string") return { ok: false, messages: [read] };
  const messages = [...read.messages];
  const { check, match, cause } = Object.fromEntries(read.values) as Partial<Record<Attribute, string>>;
  if (check === undefined) messages.push("the check has no name: write {check=<name>}.");
  else if (!NAME.test(check))
    messages.push(`the name "${check}" must have lower-case letters, digits and hyphens only, at most 63.`);
  const labels = match === undefined ? null : readLabels(match);
  if (typeof labels === "string") messages.push(labels);
  if (cause !== undefined && (cause.trim() === "" || cause.length > MAX_CAUSE_LENGTH))
    messages.push(`the cause must have 1 to ${MAX_CAUSE_LENGTH} characters: the first words of a listed cause.`);
  if (messages.length > 0 || typeof labels === "string") return { ok: false, messages };
  return { ok: true, attributes: { name: check ?? "", match: labels, cause: cause?.trim() ?? null } };
}

/** The values by name, and problems of single attributes; a message if the whole cannot be read. */
function readPairs(text: string): { values: Map<Attribute, string>; messages: string[] } | string {
  const values = new Map<Attribute, string>();
  const messages: string[] = [];
  let rest = text.trimStart();
  while (!rest.startsWith("}")) {
    const pair = ATTRIBUTE.exec(rest);
    if (!pair)
      return `the attributes cannot be read from ${quote(rest)} on: write {check=<name>}, and close the brace.`;
    const [whole, written = "", double, single, bare] = pair;
    const value = double ?? single ?? bare;
    const name = ATTRIBUTES.find((each) => each === written.toLowerCase());
    if (name === undefined)
      messages.push(
        `the attribute "${written}" does not exist. Attributes are ${ATTRIBUTES.join(", ")}; put a value with blanks in quotes.`,
      );
    else if (value === undefined) messages.push(`the attribute "${name}" has no value: write ${name}=….`);
    else if (values.has(name)) messages.push(`the attribute "${name}" is there twice.`);
    else values.set(name, value);
    rest = rest.slice(whole.length).trimStart();
  }
  if (rest.slice(1).trim() !== "") messages.push(`remove ${quote(rest.slice(1))} after the closing brace.`);
  return { values, messages };
}

/** The labels of `match`; a message if they are not valid. */
function readLabels(text: string): readonly string[] | string {
  if (text.trim().toLowerCase() === "none") return [];
  const labels = [...new Set(text.split(",").map((label) => label.trim()))];
  const wrong = labels.find((label) => !LABEL.test(label));
  if (wrong !== undefined)
    return `match has "${wrong}", which is no label: write match=instance,job? with commas, or match=none.`;
  return labels.length > MAX_MATCH_LABELS
    ? `match has ${labels.length} labels; the limit is ${MAX_MATCH_LABELS}.`
    : labels;
}

function quote(text: string): string {
  const start = text.trim();
  return start === "" ? "its end" : `"${start.length > 40 ? `${start.slice(0, 40).toWellFormed()}…` : start}"`;
}
