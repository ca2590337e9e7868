// Reports with attached evidence, written for this project. tests/bench/evidence/reports/README.md describes them.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { SEVERITIES } from "../../../functions/schemas/incident.ts";

const reportSchema = z.object({
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

export type EvidenceReport = z.infer<typeof reportSchema>;

/** The reports of all files of a folder. */
export async function readEvidenceReports(folder: string): Promise<EvidenceReport[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
  return (await Promise.all(files.map((name) => readEvidenceFile(join(folder, name))))).flat();
}

export async function readEvidenceFile(file: string): Promise<EvidenceReport[]> {
  return z.array(reportSchema).parse(JSON.parse(await readFile(file, "utf8")));
}
