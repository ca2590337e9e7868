// What the evidence bench asks: the project's reports, and the cases of a data set.

import { readFile, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { z } from "zod";
import { createGuard } from "../../functions/incidents/guard-request.ts";
import { triageRequestSchema } from "../../functions/routes/v1/triage-request.ts";
import { redact } from "../../lib/redaction/redact.ts";
import { evidenceReportSchema } from "../support/evidence-reports.ts";
import { readCorpus, readJsonLines } from "../support/json-lines.ts";
import { CASE_EQUIVALENTS } from "./equivalents.ts";

const guard = createGuard(redact);

export interface EvidenceCase {
  readonly id: string;
  readonly group: string;
  readonly request: z.output<typeof triageRequestSchema>;
  /** `abstain`: the evidence shows no cause, so any outcome but `cause` is right. */
  readonly outcome: "cause" | "benign" | "unknown" | "abstain";
  /** Sources of the shipped runbooks about the failure; empty when none is. */
  readonly right: readonly string[];
  /** How the right cause of the runbook begins; null where it is not judged. */
  readonly cause: string | null;
  /** Fragments of the report that an answer must quote, redacted as the API redacts them. */
  readonly decisive: readonly string[];
  /** Statements that an answer must make; each is a list of phrases of which one is enough. */
  readonly statements: readonly (readonly string[])[];
  /** Phrases that neither the summary nor a cause may have. */
  readonly forbidden: readonly string[];
}

const dataSetSchema = z.object({
  cases: z.array(
    z.object({
      id: z.string(),
      group: z.string(),
      request: triageRequestSchema,
      outcome: z.enum(["cause", "benign", "abstain"]),
      right_runbooks: z.array(z.string()),
      evidence_key: z.array(z.string()),
      must_include: z.array(z.array(z.string()).min(1)),
      must_not: z.array(z.string()),
      excluded: z.boolean(),
    }),
  ),
});

/** Labels that Prometheus in Kubernetes adds. The names say where a report comes from and not what failed. */
const PLACE = {
  cluster: "prod-1",
  namespace: "prod",
  pod: "api-6f9c8d7b5-x2x4z",
  container: "api",
  node: "worker-3",
  instance: "10.0.3.17:8080",
  job: "api",
  service: "api",
};

/** The same report with labels of place; labels that it has stay. */
export function placed(evidenceCase: EvidenceCase): EvidenceCase {
  const { group, request } = evidenceCase;
  return {
    ...evidenceCase,
    group: `${group}, placed`,
    request: { ...request, labels: { ...PLACE, ...request.labels } },
  };
}

/** The reports of a file or of all files of a folder; the name of the folder, or of the file, is their group. */
export async function reportCases(path: string): Promise<EvidenceCase[]> {
  const isFolder = (await stat(path)).isDirectory();
  const reports = (isFolder ? readCorpus : readJsonLines)(path, evidenceReportSchema);
  const group = `${basename(dirname(path))}/${basename(path, ".jsonl")}`;
  return reports.map(({ id, request, outcome, runbooks, decisive, cause = null }) => ({
    id,
    group,
    request,
    outcome,
    right: runbooks,
    cause,
    decisive: decisive.map(guard.text),
    statements: [],
    forbidden: [],
  }));
}

/** The scored cases of a data set. A shipped runbook that is newer than the data set counts as right, too. */
export async function dataSetCases(path: string): Promise<EvidenceCase[]> {
  const { cases } = dataSetSchema.parse(JSON.parse(await readFile(path, "utf8")));
  return cases
    .filter(({ excluded }) => !excluded)
    .map(({ id, group, request, outcome, right_runbooks, evidence_key, must_include, must_not }) => ({
      id,
      group,
      request,
      outcome,
      right: [...right_runbooks, ...(CASE_EQUIVALENTS[id]?.runbooks ?? [])],
      cause: null,
      decisive: evidence_key.map(guard.text),
      statements: must_include,
      forbidden: must_not,
    }));
}
