// `npm run job -- <name>`: runs a job on the local stack or on any deployment, and prints its result.

import { parseArgs } from "node:util";
import { z } from "zod";
import { type JobRun, jobRunSchema } from "../functions/jobs/job-records.ts";
import { JOB_NAMES, SCHEDULE } from "../functions/jobs/schedule.ts";
import { findService, problemIn, type ServiceAddress } from "./find-service.ts";
import { runningStack } from "./find-stores.ts";

/** Above the longest run. */
const REQUEST_TIMEOUT_MS = 120_000;

const USAGE = `Usage: npm run job [-- <name>] [options]

Runs a job now, or lists the jobs if none is named.

  --url <url>            a service other than the local stack; DEJAVU_TOKEN holds its token
  --help                 print this

Calls the stack that "npm start" runs. Jobs:`;

const jobsSchema = z.object({ jobs: z.array(z.object({ name: z.string(), last_run: jobRunSchema.nullable() })) });

/** The jobs, each with its last run; without the last runs if no service is available. */
async function listJobs(service: ServiceAddress | null): Promise<string> {
  const jobs = service ? jobsSchema.parse(await request(service, "GET", "/v1/admin/jobs")).jobs : [];
  const lines = JOB_NAMES.map((name) => {
    const job = jobs.find((each) => each.name === name);
    const last = job === undefined ? "" : `\n    ${job.last_run ? describeRun(job.last_run) : "never ran"}`;
    return `  ${name.padEnd(18)} ${SCHEDULE[name].cron.padEnd(15)} ${SCHEDULE[name].description}${last}`;
  });
  return lines.join("\n");
}

/** One line: start, duration, and counts or the error. */
function describeRun({ trigger, started_at, finished_at, counts, error }: JobRun): string {
  const start = `${started_at.slice(0, 19).replace("T", " ")} UTC, ${trigger}`;
  if (finished_at === null) return `${start}: not finished: it runs, or its Worker died`;
  const seconds = ((Date.parse(finished_at) - Date.parse(started_at)) / 1_000).toFixed(1);
  const figures = Object.entries(counts).map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`);
  return `${start}, ${seconds} s: ${error === null ? figures.join(", ") : `failed, ${error}`}`;
}

async function request({ url, token }: ServiceAddress, method: "GET" | "POST", path: string): Promise<unknown> {
  const response = await fetch(new URL(path, url), {
    method,
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  if (!response.ok) throw await problemIn(response);
  return response.json();
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { url: { type: "string" }, help: { type: "boolean", default: false } },
  });
  const [name, ...more] = positionals;
  if (values.help || name === undefined || more.length > 0) {
    const canAsk = values.url !== undefined || runningStack() !== null;
    console.log(`${USAGE}\n${await listJobs(canAsk ? findService(values.url) : null)}`);
    if (more.length > 0) process.exitCode = 2;
    return;
  }
  const run = jobRunSchema.parse(
    await request(findService(values.url), "POST", `/v1/admin/jobs/${encodeURIComponent(name)}`),
  );
  console.log(`${run.job}: ${describeRun(run)}`);
  if (run.error !== null) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
