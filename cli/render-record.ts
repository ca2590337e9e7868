// Text view of the record of one failure for a terminal: what identifies it, its fixes, its incidents, and why it is as it is.
// Pure functions.

import type { ObservationDetail } from "../functions/incidents/observation-detail.ts";
import type { FailureSignature } from "../functions/schemas/failure-signature.ts";
import type { FixEntry } from "../functions/schemas/fix.ts";
import { counted } from "../lib/text/counted.ts";
import { createWriter, section, type Writer } from "./render/terminal-text.ts";
import type { RenderOptions } from "./render-options.ts";
import { minuteOf } from "./service/incident.ts";
import { oneLine, renderTable } from "./table.ts";

const INDENT = "   ";
/** Characters of a fingerprint that tell two of them apart. */
const FINGERPRINT_LENGTH = 8;

export function renderRecord(record: ObservationDetail, options: RenderOptions): string {
  const { incidents } = record;
  const { total, latest } = incidents;
  const writer = createWriter(options);
  const items = (texts: readonly string[]) =>
    texts.flatMap((text) => writer.block(text, INDENT.length + 2, `${INDENT}- `));
  const sectionOf = (title: string, lines: readonly string[]) =>
    lines.length > 0 ? ["", ...section(writer, title, lines)] : [];
  const shown = total > latest.length ? `, the newest ${latest.length}` : "";
  return [
    writer.paint("bold", oneLine(record.title)),
    ...writer.block(headOf(record), 0),
    ...sectionOf("Why it is as it is", items(record.why.map(oneLine))),
    ...sectionOf("Identified by", items(identityOf(record.signature))),
    ...sectionOf("Fixes", items(record.fixes.map((fix) => fixLine(fix, writer)))),
    ...sectionOf("Sources asked", record.tools_used === "" ? [] : items([record.tools_used.replaceAll(",", ", ")])),
    ...sectionOf("Shown", items([showsOf(record)])),
    ...sectionOf(`Incidents: ${total}${shown}`, incidentTable(record, options)),
  ].join("\n");
}

function headOf({ id, domain, occurrences, targets, first_seen_at, last_seen_at }: ObservationDetail): string {
  const where = targets.length === 0 ? "" : ` on ${targets.join(", ")}`;
  const when =
    occurrences === 1
      ? `Reported ${minuteOf(last_seen_at)} UTC`
      : `Reported ${occurrences} times from ${minuteOf(first_seen_at)} to ${minuteOf(last_seen_at)} UTC`;
  return oneLine(`${when}${where}; domain ${domain}; ${id}`);
}

function identityOf({ version, basis, alert, kind, codes, templates }: Omit<FailureSignature, "words">): string[] {
  return [
    `${basis.replaceAll("_", " ")}, rules of version ${version}`,
    ...(alert === null ? [] : [`alert: ${alert}`]),
    ...(kind === null ? [] : [`kind of object: ${kind}`]),
    ...(codes.length === 0 ? [] : [`codes: ${codes.join(", ")}`]),
    ...templates.map(({ text, weight }) => `line, weight ${weight.toFixed(2)}: ${text}`),
  ].map(oneLine);
}

/** A retired fix is struck through, with the reason. */
function fixLine({ text, conditions, retired, ...proof }: FixEntry, { color, paint }: Writer): string {
  const action = oneLine(text);
  const shown = retired === null ? action : color ? paint("strikethrough", action) : `~~${action}~~`;
  return [
    `${shown}: ${proofOf(proof)}`,
    ...(proof.came_back_at === null ? [] : [`came back ${day(proof.came_back_at)}`]),
    ...(conditions === null ? [] : [`conditions: ${oneLine(conditions)}`]),
    ...(retired === null ? [] : [`retired ${day(retired.at)}: ${oneLine(retired.reason)}`]),
  ].join("; ");
}

function proofOf({
  tried,
  worked,
  last_worked_at,
  last_worked_by,
}: Pick<FixEntry, "tried" | "worked" | "last_worked_at" | "last_worked_by">): string {
  if (tried === 0) return "not tried";
  if (worked === 0) return `did not help, tried ${counted(tried, "time")}`;
  const by = last_worked_by === null ? "" : ` by ${oneLine(last_worked_by)}`;
  const last = last_worked_at === null ? "" : `, last ${day(last_worked_at)}${by}`;
  return `helped ${worked} of ${counted(tried, "time")}${last}`;
}

function showsOf({ shown_count, helped_count }: ObservationDetail): string {
  return `${counted(shown_count, "time")}, helped ${counted(helped_count, "time")}`;
}

function incidentTable({ incidents }: ObservationDetail, options: RenderOptions): string[] {
  if (incidents.latest.length === 0) return [];
  const rows = incidents.latest.map(({ id, reported_at, status, target, fingerprint, title }) => [
    minuteOf(reported_at),
    status,
    target ?? "-",
    fingerprint?.slice(0, FINGERPRINT_LENGTH) ?? "-",
    title,
    id,
  ]);
  const table = renderTable(["reported (UTC)", "status", "service", "fingerprint", "title", "id"], rows, {
    ...options,
    width: options.width - INDENT.length,
  });
  return table.split("\n").map((line) => INDENT + line);
}

/** `2026-03-01` */
function day(time: string): string {
  return new Date(time).toISOString().slice(0, 10);
}
