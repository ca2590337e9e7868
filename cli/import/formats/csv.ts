// Any CSV with a row for each incident. `--map` names the columns that are not recognised.

import type { ImportFormat, ReadOptions } from "./format.ts";
import type { Original } from "./original.ts";
import type { Row } from "./read-table.ts";

/** The usual names of the columns of each field. */
const COLUMNS = {
  id: ["id", "incident id", "key", "number", "incident number", "ticket"],
  title: ["title", "summary", "subject", "name", "short description", "incident", "message"],
  description: ["description", "details", "symptoms", "impact", "body", "root cause", "cause"],
  target: ["target", "service", "component", "host", "system", "affected service", "configuration item", "entity"],
  severity: ["severity", "priority", "urgency"],
  opened: [
    "opened",
    "opened at",
    "created",
    "created at",
    "created on",
    "started",
    "started at",
    "start",
    "date",
    "reported",
  ],
  resolved: ["resolved", "resolved at", "resolved on", "closed", "closed at", "ended", "ended at", "end"],
  fix: [
    "fix",
    "resolution",
    "solution",
    "resolution notes",
    "close notes",
    "remediation",
    "mitigation",
    "action taken",
  ],
  by: ["by", "fixed by", "resolved by", "closed by", "assignee", "assigned to", "owner"],
  url: ["url", "link"],
} as const;
type Field = keyof typeof COLUMNS;
export const CSV_FIELDS = Object.keys(COLUMNS);

export const csv: ImportFormat = {
  name: "csv",
  system: null,
  read({ table }, options) {
    if (table === undefined) return null;
    const unknown = [...options.columns.values(), ...(options.fix === null ? [] : [options.fix])].filter(
      (name) => !table.has(name),
    );
    if (unknown.length > 0)
      throw new Error(
        `has no column ${unknown.map((name) => `"${name}"`).join(" or ")}. It has: ${table.columns.join(", ")}`,
      );
    const missing = (["title", "opened", "fix"] as const).filter((field) => !table.has(...namesOf(field, options)));
    if (missing.length > 0)
      throw new Error(
        `has no column that is known to be the ${missing.join(" or the ")}. Name it with --map ${missing[0]}=<column>. It has: ${table.columns.join(", ")}`,
      );
    return table.rows.map((row) => incidentOf(row, options));
  },
};

function namesOf(field: Field, { columns, fix }: ReadOptions): readonly string[] {
  const named = columns.get(field) ?? (field === "fix" ? fix : null);
  return named === null ? COLUMNS[field] : [named];
}

function incidentOf(row: Row, options: ReadOptions): Original {
  const cell = (field: Field) => row.cell(...namesOf(field, options));
  const [title, opened] = [cell("title"), cell("opened")];
  const hasMappedDescription = options.columns.has("description");
  return {
    // Without a column of ids, the same title at the same time is the same incident.
    id: cell("id") ?? (title !== null && opened !== null ? `${opened} ${title}`.slice(0, 200) : null),
    title,
    url: cell("url"),
    description: hasMappedDescription ? [cell("description")] : COLUMNS.description.map((name) => row.cell(name)),
    target: cell("target"),
    severity: [cell("severity")],
    opened,
    // A table of incidents that are over may have one date.
    resolved: cell("resolved") ?? opened,
    fix: cell("fix"),
    fixedBy: cell("by"),
  };
}
