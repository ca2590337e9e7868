// `dejavu jobs`: lists the scheduled jobs, or runs one now.

import { z } from "zod";
import { type JobRun, jobRunSchema } from "../../functions/jobs/job-records.ts";
import { call, parseAnswer, pathOf } from "../service/client.ts";
import { EXIT_CODES } from "../service/command-error.ts";
import { type Invocation, printResult } from "../service/invocation.ts";
import { describeJobRun, renderJobs } from "../views/render-jobs.ts";

/** Above the longest run. */
const RUN_TIMEOUT_MS = 120_000;
const MAX_COLUMNS = 110;

const jobsSchema = z.object({
  jobs: z.array(
    z.object({
      name: z.string(),
      schedule: z.string(),
      description: z.string(),
      last_run: jobRunSchema.nullable(),
    }),
  ),
});

export async function listOrRun(invocation: Invocation): Promise<void> {
  return invocation.args.length === 0 ? list(invocation) : run(invocation);
}

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
