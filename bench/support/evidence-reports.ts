// Reports with attached evidence (bench/evidence/reports/README.md), and a judge of the reader of evidence: are their
// decisive fragments among its error lines?

import { z } from "zod";
import { SEVERITIES } from "../../functions/schemas/incident.ts";
import { readEvidence } from "../../lib/logs/read-evidence.ts";

export const evidenceReportSchema = z.object({
  id: z.string(),
  request: z.object({
    title: z.string().optional(),
    question: z.string().optional(),
    target: z.string().optional(),
    severity: z.enum(SEVERITIES).optional(),
    labels: z.record(z.string(), z.string()).optional(),
    logs: z.string().optional(),
  }),
  outcome: z.enum(["cause", "benign", "unknown"]),
  /** The shipped runbooks about the failure. */
  runbooks: z.array(z.string()),
  /** Fragments of the logs that say what failed. */
  decisive: z.array(z.string()),
});

export type EvidenceReport = z.infer<typeof evidenceReportSchema>;

interface EvidenceFile {
  readonly name: string;
  readonly reports: readonly EvidenceReport[];
}

/** A table, and the fragments and states that are missing. */
export function judgeReports(files: readonly EvidenceFile[]): string[] {
  const missing: string[] = [];
  const counts = { fragments: 0, present: 0, first: 0, failures: 0, misjudged: 0, benign: 0, states: 0 };
  const table = files.map(({ name, reports }) => {
    let fragments = 0;
    let present = 0;
    for (const { id, request, outcome, decisive } of reports) {
      const headline = [request.title, request.question].filter((text) => text !== undefined).join(" ");
      const { logs = null, target = null, labels = {} } = request;
      const { lines, state } = readEvidence({ headline, logs, target, labels });
      const texts = lines.map(({ text }) => foldBlanks(text));
      if (outcome === "benign") {
        counts.benign += 1;
        if (state) counts.states += 1;
        else
          missing.push(
            `  ${name} ${id}: no state; heaviest: ${lines[0]?.weight ?? "-"} ${texts[0]?.slice(0, 140) ?? "-"}`,
          );
        continue;
      }
      counts.failures += 1;
      if (state && (outcome === "cause" || decisive.length > 0)) {
        counts.misjudged += 1;
        missing.push(`  ${name} ${id}: is read as ${state.name}: ${state.quote.slice(0, 140)}`);
      }
      const wanted = decisive.map(foldBlanks);
      const absent = wanted.filter((fragment) => !texts.some((text) => text.includes(fragment)));
      fragments += wanted.length;
      present += wanted.length - absent.length;
      if (wanted.some((fragment) => texts[0]?.includes(fragment))) counts.first += 1;
      for (const fragment of absent) missing.push(`  ${name} ${id}: without ${JSON.stringify(fragment.slice(0, 160))}`);
    }
    counts.fragments += fragments;
    counts.present += present;
    return `${name.padEnd(31)} ${String(present).padStart(4)} of ${fragments}`;
  });
  const { fragments, present, first, failures, misjudged, benign, states } = counts;
  return [
    ...table,
    `decisive fragments: ${present} of ${fragments} (${share(present, fragments)})`,
    `reports whose first line is decisive: ${first} of ${failures}; failures read as a good state: ${misjudged}`,
    `benign reports with a state: ${states} of ${benign}`,
    ...(process.env.VERBOSE === undefined ? [] : missing),
  ];
}

function foldBlanks(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function share(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
}
