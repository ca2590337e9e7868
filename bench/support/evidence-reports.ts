// Reports with attached evidence (bench/evidence/reports/README.md) and texts in which the failure hides
// (bench/evidence/hidden/README.md), and a judge of the reader of evidence.

import { z } from "zod";
import { readReport } from "../../functions/incidents/read-report.ts";
import { SEVERITIES } from "../../functions/schemas/incident.ts";
import { findHeadline } from "../../lib/logs/find-headline.ts";
import { instantOf } from "../../lib/logs/log-time.ts";
import { readEvidence } from "../../lib/logs/read-evidence.ts";
import { plainText } from "../../lib/text/plain-text.ts";

const requestSchema = z.object({
  title: z.string().optional(),
  question: z.string().optional(),
  target: z.string().optional(),
  severity: z.enum(SEVERITIES).optional(),
  labels: z.record(z.string(), z.string()).optional(),
  logs: z.string().optional(),
});

export const evidenceReportSchema = z.object({
  id: z.string(),
  request: requestSchema,
  outcome: z.enum(["cause", "benign", "unknown"]),
  /** The shipped runbooks about the failure. */
  runbooks: z.array(z.string()),
  /** Fragments of the logs that say what failed. */
  decisive: z.array(z.string()),
  /** How the right cause of the runbook begins, where the report decides for one. */
  cause: z.string().nullish(),
});

export type EvidenceReport = z.infer<typeof evidenceReportSchema>;

/** A report, or a text in which the failure hides: healthy without a decisive fragment. */
export const judgedReportSchema = evidenceReportSchema.partial({ outcome: true, runbooks: true }).extend({
  headline: z.string().nullish(),
  target: z.string().nullish(),
  /** When the failure begins, in UTC. */
  time: z.string().nullish(),
  not_errors: z.array(z.string()).optional(),
});

type JudgedReport = z.infer<typeof judgedReportSchema>;

interface EvidenceFile {
  readonly name: string;
  readonly reports: readonly JudgedReport[];
}

/** Error lines of this weight name a failure. */
const NAMING_WEIGHT = 0.5;
/** Levels of JSON escapes that are removed. */
const ESCAPE_LEVELS = 2;
/** Milliseconds. */
const TIME_TOLERANCE = 1_000;

/** How many of how many are as they should be. */
class Tally {
  #right = 0;
  #all = 0;

  add(isRight: boolean): boolean {
    this.#all += 1;
    if (isRight) this.#right += 1;
    return isRight;
  }

  toString(): string {
    return `${this.#right} of ${this.#all} (${((100 * this.#right) / Math.max(1, this.#all)).toFixed(1)} %)`;
  }
}

/** A table, and with VERBOSE set what is wrong. */
export function judgeReports(files: readonly EvidenceFile[]): string[] {
  const wrong: string[] = [];
  const totals = {
    "decisive fragments": new Tally(),
    "reports whose first line is decisive": new Tally(),
    "failures not read as a good state": new Tally(),
    "headlines with their fragment": new Tally(),
    "failures whose first line has their time": new Tally(),
    "failures whose target is named": new Tally(),
    "fragments of no failure that are no error line": new Tally(),
    "benign reports with a state": new Tally(),
    "benign reports without an error line": new Tally(),
  };
  const table = files.map(({ name, reports }) => {
    const fragments = new Tally();
    for (const report of reports) {
      const { id, outcome, decisive, headline, time, target, not_errors = [] } = report;
      const { evidence, text, title } = read(report);
      const { state } = evidence;
      const lines = evidence.lines.map((line) => ({ ...line, readings: readingsOf(line.text) }));
      const [first] = lines;
      const judge = (total: keyof typeof totals, isRight: boolean, remark: string) => {
        if (!totals[total].add(isRight)) wrong.push(`  ${name} ${id}: ${remark.slice(0, 200)}`);
      };
      for (const fragment of not_errors) {
        const line = lines.find(({ weight, readings }) => weight >= NAMING_WEIGHT && holds(readings, fragment));
        const isDecisive = decisive.some((each) => line && holds(line.readings, each));
        judge(
          "fragments of no failure that are no error line",
          !line || isDecisive,
          `${line?.weight} no error: ${line?.text}`,
        );
      }
      if (outcome === "benign" || decisive.length === 0) {
        if (outcome === "unknown" || outcome === "cause") continue;
        const heaviest = `heaviest: ${first?.weight ?? "-"} ${first?.text ?? "-"}`;
        judge("benign reports with a state", state !== null, `no state; ${heaviest}`);
        judge("benign reports without an error line", state !== null || (first?.weight ?? 0) < NAMING_WEIGHT, heaviest);
        continue;
      }
      judge("failures not read as a good state", state === null, `is read as ${state?.name}: ${state?.quote}`);
      for (const fragment of decisive) {
        const isPresent = lines.some(({ readings }) => holds(readings, fragment));
        fragments.add(isPresent);
        judge("decisive fragments", isPresent, `without ${JSON.stringify(fragment)}`);
      }
      const isFirst = first !== undefined && decisive.some((fragment) => holds(first.readings, fragment));
      judge("reports whose first line is decisive", isFirst, `first: ${first?.weight} ${first?.text}`);
      if (headline) {
        const line = findHeadline(text);
        judge(
          "headlines with their fragment",
          holds(readingsOf(line), headline),
          `headline ${line} | wanted ${headline}`,
        );
      }
      if (time) {
        const isRight = Math.abs(Date.parse(time) - instantOf(first?.time ?? "")) <= TIME_TOLERANCE;
        judge("failures whose first line has their time", isRight, `time ${first?.time} of ${time}`);
      }
      if (target) {
        const isNamed = lines.some(({ readings }) => holds(readings, target)) || title.includes(target);
        judge("failures whose target is named", isNamed, `without target ${target}`);
      }
    }
    return `${name.padEnd(31)} ${fragments}`;
  });
  return [
    ...table,
    ...Object.entries(totals).map(([name, total]) => `${name}: ${total}`),
    ...(process.env.VERBOSE === undefined ? [] : wrong),
  ];
}

/** The evidence as the product reads it. A message that was pasted as a whole is split first. */
function read({ request }: JudgedReport) {
  const { title, question, target = null, labels = {} } = request;
  const written = [title, question].filter((part) => part !== undefined).join(" ");
  const isPasted = title === undefined && request.logs === undefined;
  const report = isPasted ? readReport(written, { isTyped: true }) : null;
  const logs = isPasted ? (report?.logs ?? written) : (request.logs ?? null);
  const headline = report?.title ?? written;
  const evidence = readEvidence({ headline, logs, target, labels });
  return { evidence, title: [headline, target ?? ""].join(" "), text: isPasted ? written : (logs ?? written) };
}

/** The text with blanks folded: as it is, and without one level of escapes after the other. */
function readingsOf(text: string): string[] {
  const readings = [plainText(text)];
  for (let level = 0; level < ESCAPE_LEVELS; level++) readings.push(withoutEscapes(readings.at(-1) ?? ""));
  return readings.map(foldBlanks);
}

function withoutEscapes(text: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|[\s\S])/g, (_, escaped: string) => {
    if (escaped.length > 1) return plainText(String.fromCharCode(Number.parseInt(escaped.slice(1), 16)));
    return /[nrt]/.test(escaped) ? " " : escaped;
  });
}

function holds(readings: readonly string[], fragment: string): boolean {
  return readings.some((reading) => reading.includes(foldBlanks(fragment)));
}

function foldBlanks(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
