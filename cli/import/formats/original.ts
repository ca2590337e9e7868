// An incident as a file of another system has it, and whether memory can learn from it. Pure functions.

import { severityOf } from "../../../functions/incidents/webhooks/severity.ts";
import { IMPORT_LIMITS } from "../../../functions/schemas/imported.ts";
import { truncate } from "../../../functions/schemas/incident.ts";

/** What a format reads. Times are texts of the file. */
export interface Original {
  /** Its id in the system; null if the file has none. */
  readonly id: string | null;
  readonly title: string | null;
  readonly url?: string | null;
  /** Texts of people, and logs; joined. */
  readonly description?: readonly (string | null)[];
  readonly target?: string | null;
  /** Severities and priorities; the first recognised one counts. */
  readonly severity?: readonly (string | null)[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly opened: string | null;
  readonly resolved: string | null;
  readonly fix: string | null;
  readonly fixedBy?: string | null;
  /** Why its system says that there is nothing to learn, such as `is a duplicate`. */
  readonly refusal?: string | null;
}

/** A body of `POST /v1/incidents/import`. */
export interface OriginalBody {
  readonly id: string;
  readonly url?: string;
  readonly title: string;
  readonly description?: string;
  readonly target?: string;
  readonly severity?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly opened_at: string;
  readonly resolved_at: string;
  readonly fix: string;
  readonly fixed_by?: string;
}

export type Checked =
  | { readonly body: OriginalBody }
  | { readonly id: string; readonly title: string; readonly reason: string };

export const NO_FIX = "has no fix";

/** Texts that name no action. */
const SAYS_NOTHING =
  /^(?:(?:auto(?:matically)?[- ]?)?(?:resolved|closed|fixed|done|completed?|ok|okay|solved|n\/?a|none|null|unknown|tbd|todo|-{0,3})(?: (?:automatically|by (?:monitoring|itself|the integration|integration)|itself|now))?|no action (?:taken|needed|required)|self[- ]?(?:resolved|healed))[.!]{0,3}$/i;

/**
 * The body to send, or why nothing can be learned from it.
 * @param timeOf reads a time of the file; null for another text
 */
export function checkOriginal(
  original: Original,
  { timeOf, domain }: { readonly timeOf: (text: string) => Date | null; readonly domain: string | undefined },
): Checked {
  const title = cleaned(original.title);
  const id = cleaned(original.id);
  const fix = cleaned(original.fix);
  const opened = timeIn(original.opened, timeOf);
  const resolved = timeIn(original.resolved, timeOf);
  const refused = (reason: string) => ({ id: id ?? "-", title: title ?? "-", reason });
  if (original.refusal) return refused(original.refusal);
  if (title === null) return refused("has no title");
  if (id === null) return refused("has no id");
  if (id.length > IMPORT_LIMITS.id) return refused(`has an id of more than ${IMPORT_LIMITS.id} characters`);
  if (opened === null) return refused(missingTime("start", original.opened));
  if (resolved === null) return refused(missingTime("end", original.resolved));
  if (resolved < opened) return refused("ends before it starts");
  if (fix === null) return refused(NO_FIX);
  if (SAYS_NOTHING.test(fix)) return refused("has a fix that names no action");
  const description = (original.description ?? []).flatMap((part) => cleaned(part) ?? []).join("\n\n");
  const labels = labelsOf({ ...original.labels, ...(domain === undefined ? {} : { domain }) });
  const severities = (original.severity ?? []).filter((word) => (word ?? "").trim() !== "");
  return {
    body: {
      id,
      ...optional("url", webAddress(original.url)),
      title: truncate(title.replace(/\s+/g, " "), IMPORT_LIMITS.title),
      ...optional("description", description === "" ? null : truncate(description, IMPORT_LIMITS.description)),
      ...optional("target", shortened(original.target, IMPORT_LIMITS.target)),
      ...optional("severity", severities.length === 0 ? null : severityOf(...severities)),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      opened_at: opened.toISOString(),
      resolved_at: resolved.toISOString(),
      fix: truncate(fix, IMPORT_LIMITS.fix),
      // Opsgenie names people by their addresses, which would be redacted.
      ...optional("fixed_by", shortened(original.fixedBy?.replace(/\b@.*/, ""), IMPORT_LIMITS.fixedBy)),
    },
  };
}

function timeIn(text: string | null, timeOf: (text: string) => Date | null): Date | null {
  const value = cleaned(text);
  return value === null ? null : timeOf(value);
}

function missingTime(name: string, text: string | null): string {
  return cleaned(text) === null
    ? `has no ${name}`
    : `has a ${name} that is no time (${truncate(cleaned(text) ?? "", 40)})`;
}

/** Trimmed, without characters that cannot be stored; null without any text. */
function cleaned(text: string | null | undefined): string | null {
  const value = (text ?? "").replaceAll("\0", "").toWellFormed().replace(/\r\n?/g, "\n").trim();
  return value === "" ? null : value;
}

function shortened(text: string | null | undefined, length: number): string | null {
  const value = cleaned(text);
  return value === null ? null : truncate(value.replace(/\s+/g, " "), length);
}

function webAddress(text: string | null | undefined): string | null {
  const value = cleaned(text);
  return value !== null && /^https?:\/\/\S+$/.test(value) && value.length <= IMPORT_LIMITS.url ? value : null;
}

function labelsOf(labels: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries(labels).flatMap(([name, value]) => {
    const text = shortened(value, IMPORT_LIMITS.label);
    return text === null || name.trim() === "" || name.length > 128 ? [] : [[name.trim(), text] as const];
  });
  return Object.fromEntries(pairs.slice(-IMPORT_LIMITS.labels));
}

function optional<Name extends string>(name: Name, value: string | null): Partial<Record<Name, string>> {
  return value === null ? {} : ({ [name]: value } as Record<Name, string>);
}
