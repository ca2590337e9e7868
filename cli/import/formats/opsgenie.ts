// Alerts and incidents of Opsgenie: the answers of its API, with notes if the file has them, and the CSV of its list.

import type { ImportFormat, ReadOptions } from "./format.ts";
import { type JsonObject, listAt, objectsIn, textAt, textsAt } from "./json-values.ts";
import { splitNotes } from "./notes.ts";
import type { Original } from "./original.ts";
import type { Row } from "./read-table.ts";

export const opsgenie: ImportFormat = {
  name: "opsgenie",
  system: "opsgenie",
  read({ json, table }, options) {
    if (json !== undefined) {
      const alerts = objectsIn(json, ["alerts", "incidents", "data"]);
      const isOwn = alerts.length > 0 && alerts.every((each) => "tinyId" in each && "message" in each);
      return isOwn ? alerts.map((each) => alertOf(each, options)) : null;
    }
    if (table === undefined) return null;
    return table.has("message") && table.has("tiny id", "tinyid", "alert id")
      ? table.rows.map((row) => alertOfRow(row, options))
      : null;
  },
};

function alertOf(alert: JsonObject, { fix }: ReadOptions): Original {
  const details = { ...textsAt(alert, "details"), ...textsAt(alert, "extraProperties") };
  const notes = listAt(alert, "notes").map((note) => ({
    text: textAt(note, "note", "content", "text") ?? "",
    by: textAt(note, "owner", "user"),
    at: textAt(note, "createdAt"),
  }));
  const { last, others } = splitNotes(notes);
  const names = fix === null ? ["resolution", "fix", "solution"] : [fix];
  const named = names.map((name) => details[name]).find((text) => text !== undefined);
  const written = textAt(alert, ...names) ?? named ?? null;
  const opened = textAt(alert, "createdAt", "impactStartDate");
  return {
    id: textAt(alert, "id", "tinyId"),
    title: textAt(alert, "message"),
    url: textAt(alert, "links.web"),
    description: [textAt(alert, "description"), ...(written === null ? others : notes.map((note) => note.text))],
    target: textAt(alert, "entity") ?? details.service ?? details.host ?? null,
    severity: [textAt(alert, "priority")],
    labels: details,
    opened,
    resolved: closedAt(alert, opened),
    fix: written ?? (fix === null ? (last?.text ?? null) : null),
    fixedBy: (written === null ? last?.by : null) ?? textAt(alert, "report.closedBy", "owner"),
    refusal: refusalOf(textAt(alert, "status")),
  };
}

/** `report.closeTime` is the time from its creation, in milliseconds. */
function closedAt(alert: JsonObject, opened: string | null): string | null {
  const span = Number(textAt(alert, "report.closeTime") ?? Number.NaN);
  const start = Date.parse(opened ?? "");
  if (span >= 0 && !Number.isNaN(start)) return new Date(start + span).toISOString();
  return textAt(alert, "closedAt", "impactEndDate", "updatedAt");
}

function refusalOf(status: string | null): string | null {
  return status === null || /^(?:closed|resolved)$/i.test(status) ? null : "is not closed";
}

function alertOfRow(row: Row, { fix }: ReadOptions): Original {
  return {
    id: row.cell("alert id", "id", "tiny id", "tinyid"),
    title: row.cell("message"),
    description: [row.cell("description")],
    target: row.cell("entity", "service"),
    severity: [row.cell("priority")],
    opened: row.cell("created at", "created at (utc)", "created"),
    resolved: row.cell("closed at", "close time", "closed", "updated at", "updated at (utc)", "last updated at"),
    fix: fix === null ? (row.cell("resolution", "fix") ?? row.cells("notes", "note").at(-1) ?? null) : row.cell(fix),
    fixedBy: row.cell("closed by", "owner"),
    refusal: refusalOf(row.cell("status")),
  };
}
