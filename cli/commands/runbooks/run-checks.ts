// Runs the evidence checks of runbooks once, each against the source that a triage would ask.

import { z } from "zod";
import { chooseSource } from "../../../functions/evidence-sources/source-choice.ts";
import { evidenceSourceSchema } from "../../../functions/schemas/evidence/source.ts";
import { CHECK_VERDICTS, type CheckVerdict } from "../../../lib/checks/check.ts";
import type { EvidenceCheckInFile } from "../../check-runbooks.ts";
import { callFor, pathOf } from "../../service/client.ts";
import { CommandError, EXIT_CODES } from "../../service/command-error.ts";
import type { Service } from "../../service/find-service.ts";
import type { Cli } from "../../service/invocation.ts";

export interface CheckRun extends EvidenceCheckInFile {
  readonly verdict: CheckVerdict;
  readonly statement: string;
  readonly value: string | null;
  /** Null if no source was asked. */
  readonly source: string | null;
  /** As it was sent; null if it was not. */
  readonly query: string | null;
  /** Whether a source or the service failed. */
  readonly isFailure: boolean;
}

export interface RunScope {
  readonly cli: Cli;
  readonly labels: Readonly<Record<string, string>>;
  /** Of checks from a single file. */
  readonly domain: string;
}

const sourcesSchema = z.object({ sources: z.array(evidenceSourceSchema) });
const triedSchema = z.object({
  query: z.string(),
  failure: z.object({ detail: z.string() }).nullable(),
  verdict: z.enum(CHECK_VERDICTS).nullable(),
  statement: z.string().nullable(),
  value: z.string().nullable(),
});
type Definitions = z.infer<typeof sourcesSchema>["sources"];

/** A source may take its whole time. */
const TIMEOUT_MS = 30_000;

/** @throws CommandError if the service refuses the token, or is unreachable */
export async function runChecks(
  checks: readonly EvidenceCheckInFile[],
  { cli, labels, domain }: RunScope,
): Promise<CheckRun[]> {
  if (checks.length === 0) return [];
  const service = await cli.service();
  const { sources } = await callFor(service, { path: "/v1/sources", query: { health: "false" } }, sourcesSchema);
  const runs: CheckRun[] = [];
  for (const [i, each] of checks.entries()) {
    cli.progress(`${i + 1} of ${checks.length}: ${each.check.name}`);
    runs.push(await runCheck(each, { service, sources, labels, domain: each.domain ?? domain }));
  }
  cli.progress("");
  return runs;
}

interface Run {
  readonly service: Service;
  readonly sources: Definitions;
  readonly labels: Readonly<Record<string, string>>;
  readonly domain: string;
}

async function runCheck(each: EvidenceCheckInFile, { service, sources, labels, domain }: Run): Promise<CheckRun> {
  const { language, query, match, confirms, refutes } = each.check;
  const none = { ...each, value: null, source: null, query: null, isFailure: false };
  const choice = chooseSource(sources, { language, labels, domain });
  if (choice.state !== "chosen") return { ...none, verdict: "not_run", statement: choice.reason };
  const source = choice.source.name;
  const body = { language, query, labels, match, confirms, refutes };
  const request = { method: "POST", path: `${pathOf("sources", source)}/try`, body, timeoutMs: TIMEOUT_MS } as const;
  try {
    const tried = await callFor(service, request, triedSchema);
    const { verdict, statement, failure } = tried;
    return {
      ...each,
      verdict: verdict ?? "inconclusive",
      statement: statement ?? failure?.detail ?? "The source did not answer.",
      value: tried.value,
      source,
      query: tried.query,
      isFailure: failure !== null,
    };
  } catch (error) {
    // The service says what the check lacks, such as a label. Without a problem, no check can run.
    if (!(error instanceof CommandError) || !error.problem || error.exitCode === EXIT_CODES.notAllowed) throw error;
    return { ...none, verdict: "not_run", statement: error.message, source };
  }
}
