// Issues of Jira: the CSV of a search, with all fields, and the answers of its API.

import type { ImportFormat, ReadOptions } from "./format.ts";
import { isObject, type JsonObject, listAt, objectsIn, textAt } from "./json-values.ts";
import { type Note, splitNotes } from "./notes.ts";
import type { Original } from "./original.ts";
import type { Row, Table } from "./read-table.ts";
import { isTime } from "./read-time.ts";

export const jira: ImportFormat = {
  name: "jira",
  system: "jira",
  read({ json, table }, options) {
    if (json !== undefined) {
      const issues = objectsIn(json, ["issues"]);
      const isOwn = issues.length > 0 && issues.every((each) => "key" in each && isObject(each.fields));
      return isOwn ? issues.map((each) => issueOf(each, options)) : null;
    }
    if (table === undefined) return null;
    if (!(table.has("issue key") && table.has("summary"))) return null;
    const column = options.fix ?? fixColumn(table);
    return table.rows.map((row) => issueOfRow(row, column));
  },
};

/** A custom field that says what fixed it. `Fix Version` does not. */
function fixColumn({ columns, rows }: Table): string | null {
  const named = columns.filter((name) =>
    /^custom field \((?!.*version).*\b(?:fix|resolution|solution|remediation|mitigation|workaround)\b/i.test(name),
  );
  return named.find((name) => rows.some((row) => row.cell(name) !== null)) ?? null;
}

function issueOfRow(row: Row, column: string | null): Original {
  const { last, others } = splitNotes(row.cells("comment", "comments").map(commentOf));
  const written = column === null ? null : row.cells(column).join("\n");
  const hasWritten = written !== null && written !== "";
  const comments = row.cells("comment", "comments").map((cell) => withoutMarkup(commentOf(cell).text));
  return {
    id: row.cell("issue key"),
    title: row.cell("summary"),
    description: [
      withoutMarkup(row.cell("description") ?? ""),
      row.cell("environment"),
      ...(hasWritten ? comments : others.map(withoutMarkup)),
    ],
    target: row.cell("component/s", "components", "component", "affected services"),
    severity: [row.cell("custom field (severity)", "severity"), row.cell("priority")],
    opened: row.cell("created"),
    resolved: row.cell("resolved", "resolution date", "updated"),
    fix: hasWritten ? withoutMarkup(written) : withoutMarkup(last?.text ?? ""),
    fixedBy: (hasWritten ? null : nameOf(last?.by ?? null)) ?? nameOf(row.cell("assignee")),
    refusal: refusalOf(row.cell("status"), row.cell("resolution"), row.cell("resolved", "resolution date")),
  };
}

/** A cell is `<time>;<author>;<text>`, the text alone in some exports. Comments come oldest first. */
function commentOf(cell: string): Note {
  const [, at = "", by, text] = /^([^;\n]{6,40});([^;\n]{0,128});([\s\S]*)$/.exec(cell) ?? [];
  return text === undefined || !isTime(at) ? { text: cell, by: null, at: null } : { text, by: by ?? null, at: null };
}

/** The id of an account is no name. */
function nameOf(name: string | null): string | null {
  return name === null || /^(?:[0-9a-f]{20,}|[\w-]+:[0-9a-f-]{30,})$/i.test(name) ? null : name;
}

const DUPLICATE = /duplicate/i;
const NOT_FIXED =
  /won'?t|wont|cannot reproduce|can'?t reproduce|not reproducible|incomplete|declined|rejected|cancell?ed|abandoned|not a bug|works as|obsolete|invalid|known error/i;

function refusalOf(status: string | null, resolution: string | null, resolved: string | null): string | null {
  const isOpen = resolution === null || /^unresolved$/i.test(resolution);
  if (isOpen && resolved === null && !/^(?:done|closed|resolved|completed?|fixed)$/i.test(status ?? ""))
    return "is not resolved";
  if (DUPLICATE.test(resolution ?? "")) return "is a duplicate";
  return NOT_FIXED.test(resolution ?? "") ? `was not fixed: its resolution is ${resolution}` : null;
}

function issueOf({ key, fields }: JsonObject, { fix }: ReadOptions): Original {
  const issue = isObject(fields) ? fields : {};
  const comments = (isObject(issue.comment) ? listAt(issue.comment, "comments") : []).map((comment) => ({
    text: documentText(comment.body),
    by: textAt(comment, "author.displayName"),
    at: textAt(comment, "created"),
  }));
  const { last, others } = splitNotes(comments);
  const written = fix === null ? "" : documentText(issue[fix]);
  return {
    id: typeof key === "string" ? key : null,
    title: textAt(issue, "summary"),
    description: [
      documentText(issue.description),
      documentText(issue.environment),
      ...(written === "" ? others : comments.map(({ text }) => text)),
    ],
    target: listAt(issue, "components").flatMap((each) => textAt(each, "name") ?? [])[0] ?? null,
    severity: [textAt(issue, "priority.name")],
    opened: textAt(issue, "created"),
    resolved: textAt(issue, "resolutiondate", "updated"),
    fix: written === "" ? (last?.text ?? null) : written,
    fixedBy: (written === "" ? last?.by : null) ?? textAt(issue, "assignee.displayName"),
    refusal: refusalOf(textAt(issue, "status.name"), textAt(issue, "resolution.name"), textAt(issue, "resolutiondate")),
  };
}

/** Types of the Atlassian Document Format that end a line. */
const LINES = new Set(["paragraph", "heading", "listItem", "codeBlock", "hardBreak", "tableRow"]);

/** A text, or a document in the Atlassian Document Format. */
function documentText(value: unknown): string {
  if (typeof value === "string") return withoutMarkup(value);
  if (Array.isArray(value)) return value.map(documentText).join("");
  if (!isObject(value)) return "";
  if (typeof value.text === "string") return value.text;
  if (typeof value.value === "string") return value.value;
  const text = documentText(value.content);
  return LINES.has(String(value.type)) ? `${text.replace(/\n$/, "")}\n` : text;
}

/** Without the marks of Jira's wiki around code and quotes. */
function withoutMarkup(text: string): string {
  return text.replace(/\{(?:noformat|code|quote|panel|color)(?::[^}\n]*)?\}/g, "\n").trim();
}
