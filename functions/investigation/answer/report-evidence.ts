// Evidence of an answer: quotations of the report's own lines, and lines of recalled logs. Pure functions.

import type { ErrorLine } from "../../../lib/logs/evidence.ts";
import { readEvidence } from "../../../lib/logs/read-evidence.ts";
import { withoutMarkers } from "../../../lib/redaction/redaction-marker.ts";
import type { Evidence } from "../../schemas/answer.ts";
import { type Incident, truncate } from "../../schemas/incident.ts";
import { kindOf, type Recall, reaches } from "../recall/recall-result.ts";
import type { OrderedCauses } from "./ordered-causes.ts";

const MAX_LINES = 8;
const MAX_LOGS = 2;
const LOG_LINE_LENGTH = 240;

/** Lighter lines are settings and readings beside the failure: they are quoted only where few heavier ones are. */
const MIN_QUOTED_WEIGHT = 0.2;
const FEW_LINES = 3;
/** The page of an alert, which webhooks put below its text, shows no failure. */
const ADDRESS_ALONE = /^(?:link: )?https?:\/\/\S+$/;

/** Quotes the error lines of the report, the most important first, and says for which cause a line speaks. */
export function reportEvidence({ evidence }: Incident, ordered?: OrderedCauses): Evidence[] {
  const quotable = evidence.lines.filter(({ text }) => !ADDRESS_ALONE.test(text.trim()));
  const heavy = quotable.filter(({ weight }) => weight >= MIN_QUOTED_WEIGHT);
  const lines = heavy.length >= FEW_LINES ? heavy : quotable;
  const speaking = ordered?.speaking;
  // A line that names no failure may decide for a cause.
  const isShown = speaking === undefined || lines.slice(0, MAX_LINES).some(({ line }) => line === speaking.line);
  const shown = isShown ? lines.slice(0, MAX_LINES) : [...lines.slice(0, MAX_LINES - 1), speaking];
  return shown.map((line) => {
    const speaks = speaking?.line === line.line;
    return {
      text: `${placeText(line)}.${speaks ? " It speaks for cause 1." : ""}`,
      quote: line.marked ?? line.text,
      citations: speaks ? [...(ordered?.causes[0]?.citations ?? [])] : [],
      supported: true,
      place: placeOf(line),
    };
  });
}

/** Quotes the line that shows the state of the system; empty without one. */
export function stateEvidence({ evidence: { state } }: Incident): Evidence[] {
  if (state === null) return [];
  const { quote, line } = state;
  const text = line === null ? "The report says so itself." : `Line ${line} of the report's logs.`;
  const place = line === null ? null : { line, count: 1, time: null };
  return [{ text, quote, citations: [], supported: true, place }];
}

/** A line of each recalled log that is about the failure. */
export function logEvidence(recall: Recall, threshold: number): Evidence[] {
  return recall.runbooks
    .filter((log) => kindOf(log) === "log" && reaches(log, threshold))
    .slice(0, MAX_LOGS)
    .flatMap(({ source, hits: [best] }): Evidence[] => {
      if (!best) return [];
      const { id, body, headingPath } = best.document;
      const when = headingPath.length > 0 ? ` (${headingPath.join(" › ")})` : "";
      const { lines } = readEvidence({ headline: "", logs: body, target: null, labels: {} });
      const line = truncate(lines[0]?.text ?? body.split("\n", 1)[0] ?? "", LOG_LINE_LENGTH);
      const text = `The log "${source}"${when} shows: ${line}`;
      return [{ text, quote: null, citations: [id], supported: true, place: null }];
    });
}

/** Adds places to a model's quotations of error lines, and the error lines that it did not quote. */
export function withReportedLines(written: readonly Evidence[], incident: Incident): Evidence[] {
  const { lines } = incident.evidence;
  const quotes = written.flatMap(({ quote }) => (quote === null ? [] : [folded(quote)]));
  const isQuoted = ({ quote }: Evidence) => {
    const line = folded(quote ?? "");
    return quotes.some((words) => line.includes(words) || words.includes(line));
  };
  const placed = written.map((item): Evidence => {
    const words = item.quote === null ? "" : folded(item.quote);
    const line = words === "" ? undefined : lines.find(({ text }) => folded(text).includes(words));
    return line ? { ...item, text: `${item.text} (${placeText(line)}.)`, place: placeOf(line) } : item;
  });
  return [...placed, ...reportEvidence(incident).filter((item) => !isQuoted(item))];
}

function placeOf({ line, count, time }: ErrorLine): NonNullable<Evidence["place"]> {
  return { line, count, time };
}

function placeText({ line, count, time }: ErrorLine): string {
  const times = count > 1 ? `, ${count} times` : "";
  const when = time === null ? "" : `, ${count > 1 ? "first " : ""}at ${time}`;
  return `Line ${line} of the report's logs${times}${when}`;
}

function folded(text: string): string {
  return withoutMarkers(text).replace(/\s+/g, " ").trim().toLowerCase();
}
