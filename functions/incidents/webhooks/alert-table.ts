// Tables of alerts as `amtool alert query` prints them, simple and extended, with other lines around. Pure functions.

import type { AlertDelivery } from "../../schemas/alert.ts";
import { deliveryOf, withoutSuppressed } from "./prometheus-alert.ts";
import { MAX_ALERTS } from "./prometheus-schema.ts";
import type { DeliveryContext } from "./webhook.ts";

/** The heads of the columns that are read. A table has `Starts At` and either `Alertname` or `Labels`. */
const HEADS = /Alertname|Labels|Annotations|Starts At|Ends At|Summary|Generator URL|State/g;
const TIME = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}) (?:UTC|GMT)$/;
const PAIR = /([A-Za-z_][\w.]{0,127})="((?:[^"\\]|\\.){0,4000})"/g;

type Row = ReadonlyMap<string, string>;

/** The alerts of the first table in a text, in its order; null if there is none. */
export function tableAlerts(text: string, context: DeliveryContext): AlertDelivery | null {
  const start = /^[ \t]*(?:Alertname|Labels)[ \t].{0,500}Starts At\b/m.exec(text)?.index;
  if (start === undefined) return null;
  const [head = "", ...lines] = text.slice(start).split(/\r?\n/);
  const end = lines.findIndex((line) => line.trim() === "");
  const rows = rowsOf(head, end === -1 ? lines : lines.slice(0, end));
  if (rows.length === 0) return null;
  const { shown, ignored } = withoutSuppressed(rows, (row) => row.get("State") === "suppressed");
  const readable = shown.slice(0, MAX_ALERTS).map((row, at) => {
    const state = row.get("State");
    return {
      status: "firing" as const,
      labels: { ...pairsOf(row.get("Labels")), ...named("alertname", row.get("Alertname")) },
      annotations: {
        ...pairsOf(row.get("Annotations")),
        ...named("summary", row.get("Summary")),
        ...named("state", state === "active" ? undefined : state),
      },
      startsAt: timeOf(row.get("Starts At")),
      endsAt: undefined,
      fingerprint: `pasted-${at}`,
      generatorURL: row.get("Generator URL"),
    };
  });
  const alerts = { readable, refused: [], leftOut: Math.max(0, shown.length - MAX_ALERTS) };
  const common = { groupLabels: {}, commonLabels: {}, commonAnnotations: {}, truncatedAlerts: 0 };
  return { ...deliveryOf("pasted", { ...common, alerts }, context), ignored };
}

/** Rows until the first line that has no time in its column. */
function rowsOf(head: string, lines: readonly string[]): readonly Row[] {
  const columns = [...head.matchAll(HEADS)].map(({ 0: name, index }) => ({ name, index }));
  const rows: Row[] = [];
  for (const line of lines) {
    const cells = cellsOf(
      line,
      columns.map(({ index }) => index),
    );
    const row = new Map(columns.map(({ name }, at) => [name, cells[at] ?? ""] as const));
    if (timeOf(row.get("Starts At")) === undefined) break;
    rows.push(row);
  }
  return rows;
}

/** By the columns' places, or by wide gaps if a blank was lost in pasting. Characters count as the table counts them. */
function cellsOf(line: string, starts: readonly number[]): string[] {
  const characters = [...line];
  const isAligned = starts.every((start) => start === 0 || (characters[start - 1] ?? " ").trim() === "");
  if (!isAligned) return line.trim().split(/\t+| {2,}/);
  return starts.map((start, at) =>
    characters
      .slice(start, starts[at + 1])
      .join("")
      .trim(),
  );
}

/** `alertname="DiskFull" instance="db-1"`, with the escapes of JSON. */
function pairsOf(cell: string | undefined): Record<string, string> {
  return Object.fromEntries(
    [...(cell ?? "").matchAll(PAIR)].map(([, name = "", value = ""]) => [name, unescaped(value)]),
  );
}

function unescaped(value: string): string {
  return value.replace(/\\(.)/g, (_, character: string) => (character === "n" ? "\n" : character));
}

function named(name: string, value: string | undefined): Record<string, string> {
  return value === undefined || value === "" ? {} : { [name]: value };
}

function timeOf(cell: string | undefined): Date | undefined {
  const [, day, time] = TIME.exec(cell ?? "") ?? [];
  return day === undefined ? undefined : new Date(`${day}T${time}Z`);
}
