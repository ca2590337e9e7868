// `dejavu jobs`: lists the scheduled jobs, or runs one now.

import { z } from "zod";
import { type JobRun, jobRunSchema } from "../../functions/jobs/job-records.ts";
import { createWriter } from "../render/terminal-text.ts";
import type { RenderOptions } from "../render-options.ts";
import { call, parseAnswer, pathOf } from "../service/client.ts";
import { EXIT_CODES } from "../service/command-error.ts";
import { type Invocation, printResult } from "../service/invocation.ts";
import { oneLine } from "../table.ts";

/** Above `MAX_RUN_MS` of the jobs and the time of their last batch. */
const RUN_TIMEOUT_MS = 120_000;
const MAX_COLUMNS = 110;

const jobSchema = z.object({
  name: z.string(),
  schedule: z.string(),
  description: z.string(),
  last_run: jobRunSchema.nullable(),
});
const jobsSchema = z.object({ jobs: z.array(jobSchema) });

export async function list({ options, cli }: Invocation): Promise<void> {
  const service = await cli.service();
  const answer = await call(service, { path: pathOf("admin", "jobs") });
  const { jobs } = parseAnswer(service, answer, jobsSchema);
  printResult({ cli, options }, answer, () => renderJobs(jobs, cli.terminal(MAX_COLUMNS)));
}

export async function run({ args, options, cli }: Invocation): Promise<void> {
  const [name = ""] = args;
  const service = await cli.service();
  cli.whenInterrupted(() => "Stopped. The job goes on: see dejavu jobs.");
  const path = pathOf("admin", "jobs", name);
  const answer = await call(service, { method: "POST", path, timeoutMs: RUN_TIMEOUT_MS });
  const jobRun: JobRun = parseAnswer(service, answer, jobRunSchema);
  printResult({ cli, options }, answer, () => `${jobRun.job}: ${describeJobRun(jobRun)}`);
  if (jobRun.error !== null) cli.exitWith(EXIT_CODES.failed);
}

function renderJobs(jobs: readonly z.infer<typeof jobSchema>[], options: RenderOptions): string {
  const { block } = createWriter(options);
  return jobs
    .flatMap(({ name, schedule, description, last_run }) => [
      ...block(oneLine(`${name}  (${schedule})`), 0),
      ...block(oneLine(description), 4),
      ...block(oneLine(last_run === null ? "never ran" : describeJobRun(last_run)), 4),
    ])
    .join("\n");
}

/** One line: start, duration, and counts or the error. */
function describeJobRun({ trigger, started_at, finished_at, counts, error }: JobRun): string {
  const start = `${started_at.slice(0, 19).replace("T", " ")} UTC, ${trigger}`;
  if (finished_at === null) return `${start}: not finished: it runs, or its Worker died`;
  const seconds = ((Date.parse(finished_at) - Date.parse(started_at)) / 1_000).toFixed(1);
  const figures = Object.entries(counts).map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`);
  return `${start}, ${seconds} s: ${error === null ? figures.join(", ") : `failed, ${error}`}`;
}
