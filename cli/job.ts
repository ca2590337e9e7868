// `npm run job -- <name>`: runs a job now, on the running local stack or any Dejavu by URL and token, and says what it did.

import { parseArgs } from "node:util";
import { z } from "zod";
import { type JobRun, jobRunSchema } from "../functions/jobs/job-records.ts";
import { JOB_NAMES, SCHEDULE } from "../functions/jobs/schedule.ts";
import { findService, problemIn, type ServiceAtHand } from "./find-service.ts";
import { runningStack } from "./find-stores.ts";

/** More than the longest run. */
const REQUEST_TIMEOUT_MS = 120_000;

const USAGE = `Usage: npm run job [-- <name>] [options]

Runs a job now, or lists the jobs where none is named.

  --url <url>            another Dejavu than the local stack; its token comes from DEJAVU_TOKEN
  --help                 print this

Asks the stack that "npm start" runs. Jobs:`;

const jobsSchema = z.object({ jobs: z.array(z.object({ name: z.string(), last_run: jobRunSchema.nullable() })) });

/** The jobs, each with its last run; without those where nobody can be asked. */
async function listJobs(service: ServiceAtHand | null): Promise<string> {
  const jobs = service ? jobsSchema.parse(await request(service, "GET", "/v1/admin/jobs")).jobs : [];
  const lines = JOB_NAMES.map((name) => {
    const job = jobs.find((each) => each.name === name);
    const last = job === undefined ? "" : `\n    ${job.last_run ? describeRun(job.last_run) : "never ran"}`;
    return `  ${name.padEnd(18)} ${SCHEDULE[name].cron.padEnd(15)} ${SCHEDULE[name].description}${last}`;
  });
  return lines.join("\n");
}

/** One line: when, how long, what it did or why it did not. */
function describeRun({ trigger, started_at, finished_at, counts, error }: JobRun): string {
  const start = `${started_at.slice(0, 19).replace("T", " ")} UTC, ${trigger}`;
  if (finished_at === null) return `${start}: has no end; it runs, or its worker died`;
  const seconds = ((Date.parse(finished_at) - Date.parse(started_at)) / 1_000).toFixed(1);
  const figures = Object.entries(counts).map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`);
  return `${start}, ${seconds} s: ${error === null ? figures.join(", ") : `failed, ${error}`}`;
}

async function request({ url, token }: ServiceAtHand, method: "GET" | "POST", path: string): Promise<unknown> {
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
