// Headlines of listings and descriptions of objects: the object's name and its state. Pure functions.

import { isListingHeader } from "./listing.ts";
import { messageOf } from "./message-of.ts";

/** Lines above a row that may hold the names of its columns. */
const MAX_ROWS = 5_000;
/** Lines at the start that may hold the name of the described object. */
const MAX_NAME_LINES = 6;
const MAX_STATES = 3;

/** The name of a column in a header; names stand apart by two blanks. */
const COLUMN = /\S+(?: \S+)*/g;
const NAME_COLUMN = /^(?:NAMES?|OBJECT|UNIT|NODE|HOST|HOSTNAME|SERVICE|POD|JOB|TOPIC|QUEUE)$/;
const STATE_COLUMN = /^(?:STATUS|STATE|REASON|MESSAGE|HEALTH|PHASE|CONDITION|ACTIVE|SUB)$/;
const NAME_FIELD = /^Name:\s+(\S{1,253})\s*$/;
const FIELD = /^[A-Z][\w ]{0,40}:(?:\s|$)/;
const STATE_FIELD = /^(?:Reason|Status|State|Phase|Message|Exit Code):\s+(\S.{0,300})$/i;
/** A row of conditions: the type, its status, times, a reason and a message. */
const CONDITION = /^([A-Z]\w{2,60})\s+(?:True|False|Unknown)\s{2,}/;
const REQUEST =
  /"(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) ([^\s"?]{1,200})[^\s"]{0,2000} HTTP\/[\d.]{1,3}" (\d{3}\b(?: [A-Z]{2}[A-Z,]{0,20} [^\s"]{4,200})?)/;

/** The name of the object that a text describes: `Name:` among its first lines, above other fields; null without one. */
export function describedObject(lines: readonly string[]): string | null {
  const first = lines.filter((line) => line.trim() !== "").slice(0, MAX_NAME_LINES);
  const name = first.map((line) => NAME_FIELD.exec(line)?.[1]).find((value) => value !== undefined);
  return name !== undefined && first.filter((line) => FIELD.test(line)).length >= 2 ? name : null;
}

/** The state of a described object: its reasons, its worst condition or its worst event, by the most important lines. */
export function describedState(texts: readonly string[]): string | null {
  const [first] = texts;
  if (first === undefined) return null;
  if (!STATE_FIELD.test(first)) return readableState(first);
  const states = texts.flatMap((text) => {
    const [field = "", value] = STATE_FIELD.exec(text) ?? [];
    if (value === undefined) return [];
    return [/^exit code/i.test(field) ? `exit code ${value.trim()}` : value.trim()];
  });
  return [...new Set(states)].slice(0, MAX_STATES).join(", ");
}

/** A condition or an event without its columns for times and reporters; null for other lines. */
export function readableState(text: string): string | null {
  const condition = CONDITION.exec(text);
  if (condition)
    return `${condition[1]}: ${
      text
        .split(/ {2,}|\t+/)
        .at(-1)
        ?.trim() ?? ""
    }`;
  const event = messageOf(text);
  const [reason = ""] = event.split(" ", 1);
  const message = event.slice(reason.length + 1);
  return event === text ? null : message.startsWith(reason) ? message : `${reason}: ${message}`;
}

/** The name and the state in a row of a listing; null when no line above it names the columns. */
export function rowHeadline(lines: readonly string[], at: number): string | null {
  const row = lines[at] ?? "";
  for (let above = at - 1; above >= Math.max(0, at - MAX_ROWS); above--) {
    const header = lines[above] ?? "";
    if (header.trim() === "") return null;
    if (!isListingHeader(header.trim())) continue;
    // Output of the next command may follow the listing without a blank line.
    if (!isRowOf(header, row)) return null;
    const cells = cellsOf(header, row);
    const cell = (column: RegExp) => cells.filter(([name]) => column.test(name)).map(([, value]) => value);
    const name = cell(NAME_COLUMN)[0] ?? cells[0]?.[1];
    const states = cell(STATE_COLUMN);
    return name && states.length > 0 ? [name, ...states].join(" ") : null;
  }
  return null;
}

/** Whether a blank stands before each column that the row reaches. */
function isRowOf(header: string, row: string): boolean {
  const starts = [...header.matchAll(COLUMN)].map(({ index }) => index).slice(1);
  return starts.every((start) => start >= row.length || /\s/.test(row[start - 1] ?? ""));
}

/** The cells of a row by the columns at which the header's names begin. */
function cellsOf(header: string, row: string): (readonly [column: string, value: string])[] {
  const columns = [...header.matchAll(COLUMN)];
  return columns.flatMap(({ 0: name, index }, i) => {
    const value = row.slice(index, columns[i + 1]?.index).trim();
    return value === "" ? [] : [[name, value] as const];
  });
}

/** The method, path and status of a line of an access log, with the flags and the reason of a proxy; null for other lines. */
export function accessLogRequest(line: string): string | null {
  const [, method, path, status] = REQUEST.exec(line.slice(0, 4_000)) ?? [];
  return status === undefined ? null : `${method} ${path} ${status}`;
}
