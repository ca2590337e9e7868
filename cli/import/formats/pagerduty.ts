// Incidents of PagerDuty: the answers of its API, with notes if the file has them, and the CSV of its reports.

import type { ImportFormat, ReadOptions } from "./format.ts";
import { isObject, type JsonObject, listAt, objectsIn, textAt } from "./json-values.ts";
import { splitNotes } from "./notes.ts";
import type { Original } from "./original.ts";
import type { Row } from "./read-table.ts";

export const pagerduty: ImportFormat = {
  name: "pagerduty",
  system: "pagerduty",
  read({ json, table }, options) {
    if (json !== undefined) {
      const incidents = objectsIn(json, ["incidents", "incident", "data"]);
      const isOwn =
        incidents.length > 0 && incidents.every((each) => "incident_number" in each || each.type === "incident");
      return isOwn ? incidents.map((each) => incidentOf(each, options)) : null;
    }
    if (table === undefined) return null;
    const isOwn = table.has("incident number") && table.has("service name", "service id", "service");
    return isOwn ? table.rows.map((row) => incidentOfRow(row, options)) : null;
  },
};

function incidentOf(incident: JsonObject, { fix }: ReadOptions): Original {
  const notes = listAt(incident, "notes").map((note) => ({
    text: textAt(note, "content", "note", "text") ?? "",
    by: textAt(note, "user.summary", "user.name", "user"),
    at: textAt(note, "created_at"),
  }));
  const { last, others } = splitNotes(notes);
  const written = textAt(incident, ...(fix === null ? ["resolution", "resolution_note"] : [fix]));
  const status = textAt(incident, "status");
  const reason = textAt(incident, "resolve_reason.type");
  return {
    id: textAt(incident, "id", "incident_number"),
    title: textAt(incident, "title", "description", "summary"),
    url: textAt(incident, "html_url"),
    description: [detailsOf(incident), ...(written === null ? others : notes.map((note) => note.text))],
    target: textAt(incident, "service.summary", "service.name", "service_name"),
    severity: [textAt(incident, "priority.summary", "priority.name", "priority_name"), textAt(incident, "urgency")],
    opened: textAt(incident, "created_at", "created_on"),
    resolved: textAt(incident, "resolved_at", "resolved_on", "last_status_change_at"),
    fix: written ?? (fix === null ? (last?.text ?? null) : null),
    fixedBy: written === null ? (last?.by ?? null) : textAt(incident, "last_status_change_by.summary"),
    refusal: refusalOf(status, reason),
  };
}

function refusalOf(status: string | null, reason: string | null): string | null {
  if (status !== null && status.toLowerCase() !== "resolved") return "is not resolved";
  return reason === "merge_resolve_reason" ? "is a duplicate: it was merged into another incident" : null;
}

/** The text of the alert that opened it. */
function detailsOf(incident: JsonObject): string | null {
  const text = textAt(incident, "body.details", "first_trigger_log_entry.channel.details");
  if (text !== null) return text;
  const { body } = incident;
  return isObject(body) && isObject(body.details) ? JSON.stringify(body.details, null, 1) : null;
}

function incidentOfRow(row: Row, { fix }: ReadOptions): Original {
  return {
    id: row.cell("id", "incident id", "incident number"),
    title: row.cell("description", "title", "summary"),
    url: row.cell("html url", "url"),
    target: row.cell("service name", "service"),
    severity: [row.cell("priority name", "priority"), row.cell("urgency")],
    opened: row.cell("created on", "created at"),
    resolved: row.cell("resolved on", "resolved at"),
    fix: fix === null ? row.cell("resolution note", "resolution notes", "resolution", "notes", "note") : row.cell(fix),
    fixedBy: row.cell("resolved by user name", "resolved by"),
    refusal: refusalOf(row.cell("status"), null),
  };
}
