// The deployed Worker: version, dependencies, tokens, cron jobs.

import { z } from "zod";
import { isJobName, SCHEDULE } from "../../functions/jobs/schedule.ts";
import packageJson from "../../package.json" with { type: "json" };
import { ask } from "./ask.ts";
import { optionForDeploy, optionForWrangler } from "./environment.ts";
import { type Finding, findingsOf } from "./finding.ts";

const { ok, problem, unchecked } = findingsOf("worker");

const aliveSchema = z.object({ status: z.literal("ok"), version: z.string() });
const readySchema = z.object({
  status: z.enum(["ready", "degraded", "unavailable"]),
  dependencies: z.record(
    z.string(),
    z.object({ status: z.string(), reason: z.string().nullable(), action: z.string().nullish() }),
  ),
});
const jobsSchema = z.object({
  jobs: z.array(
    z.object({
      name: z.string(),
      last_run: z.object({ started_at: z.string(), error: z.string().nullable() }).nullable(),
    }),
  ),
});

/** A cron may start late; the job before it may take a minute. */
const GRACE_MINUTES = 5;

export interface WorkerInput {
  readonly url: string;
  /** Undefined if its value is not here. */
  readonly token: string | undefined;
  readonly environment: string;
  readonly timeoutMs: number;
  readonly now: Date;
}

export async function checkWorker(input: WorkerInput): Promise<Finding[]> {
  const base = input.url.replace(/\/+$/, "");
  const reply = await ask(`${base}/health`, {}, input.timeoutMs);
  if (!reply.ok) return [problem(`The Worker at ${base} cannot be reached: ${reply.reason}.`, "Check --url.")];
  const alive = aliveSchema.safeParse(reply.body);
  if (!alive.success)
    return [
      problem(
        `${base}/health answers with status ${reply.status}, and not as Dejavu does.`,
        `npx wrangler tail${optionForWrangler(input.environment)} shows the Worker's log.`,
      ),
    ];
  const [access, jobs] = await Promise.all([checkAccess(base, input), checkJobs(base, input)]);
  return [compareVersion(alive.data.version, input), ...access, ...jobs];
}

function compareVersion(deployed: string, { environment }: WorkerInput): Finding {
  const { version } = packageJson;
  if (deployed === version) return ok(`The Worker runs version ${version}.`);
  return problem(
    `The Worker runs version ${deployed}; this checkout is version ${version}.`,
    `npm run deploy${optionForDeploy(environment)}`,
  );
}

const NO_TOKEN = "not-a-token-0000000000";
const bearer = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });

async function checkAccess(base: string, { token, timeoutMs }: WorkerInput): Promise<Finding[]> {
  const refused = await ask(`${base}/health/ready`, bearer(NO_TOKEN), timeoutMs);
  const isOpen = refused.ok && refused.status !== 401 && refused.status !== 429 && refused.status < 500;
  const openProblem = isOpen
    ? [
        problem(
          `The Worker accepts a wrong token: status ${refused.status}.`,
          "Take it offline, and check the address.",
        ),
      ]
    : [];
  if (token === undefined)
    return [
      ...openProblem,
      unchecked(
        "Readiness was not checked: the value of DEJAVU_TOKEN is not here.",
        "Set it in the shell, or in the file of --secrets-file.",
      ),
    ];
  const reply = await ask(`${base}/health/ready`, bearer(token), timeoutMs);
  return [...openProblem, describeReadiness(reply)];
}

function describeReadiness(reply: Awaited<ReturnType<typeof ask>>): Finding {
  if (!reply.ok) return problem(`/health/ready does not answer: ${reply.reason}.`, "Run the check again.");
  if (reply.status === 401 || reply.status === 403)
    return problem("The Worker refuses DEJAVU_TOKEN.", "Use the value of the Worker's secret.");
  const ready = readySchema.safeParse(reply.body);
  if (!ready.success) return problem(`/health/ready answers with status ${reply.status}.`, "See the Worker's log.");
  const failing = Object.entries(ready.data.dependencies).filter(([, { status }]) => status !== "ok");
  if (failing.length === 0)
    return ok("The token works, and the Worker reaches its database, vector store and embedder.");
  const list = failing.map(([role, { reason }]) => `${role} (${reason ?? "no reason"})`).join(", ");
  const actions = failing.flatMap(([, { action }]) => action ?? []);
  return problem(
    `The Worker is ${ready.data.status}. It fails to use: ${list}.`,
    actions.length > 0 ? actions.join(" ") : "docs/guides/observability.md",
  );
}

async function checkJobs(base: string, { token, timeoutMs, now }: WorkerInput): Promise<Finding[]> {
  if (token === undefined) return [];
  const reply = await ask(`${base}/v1/admin/jobs`, bearer(token), timeoutMs);
  const listing = reply.ok ? jobsSchema.safeParse(reply.body) : undefined;
  if (!listing?.success) return [unchecked("The cron jobs were not checked: their list is not available.")];
  return [describeJobs(listing.data.jobs, now)];
}

type Job = z.infer<typeof jobsSchema>["jobs"][number];

/** Exported for its test. */
export function describeJobs(jobs: readonly Job[], now: Date): Finding {
  const late = jobs.filter(({ name, last_run }) => {
    if (last_run === null || !isJobName(name)) return false;
    const minutes = (now.getTime() - Date.parse(last_run.started_at)) / 60_000;
    return minutes > SCHEDULE[name].everyMinutes + GRACE_MINUTES;
  });
  const names = (list: readonly Job[]) => list.map(({ name }) => name).join(", ");
  if (late.length > 0)
    return problem(`Cron jobs do not run any more: ${names(late)}.`, "Deploy again, which sets the cron triggers.");
  const failed = jobs.filter(({ last_run }) => last_run !== null && last_run.error !== null);
  if (failed.length > 0)
    return problem(`The last run of these jobs failed: ${names(failed)}.`, "dejavu jobs shows the reason.");
  const waiting = jobs.filter(({ last_run }) => last_run === null);
  if (waiting.length > 0)
    return unchecked(
      `These cron jobs have not run yet: ${names(waiting)}.`,
      "After a first deployment, run the check again in 2 minutes, and in an hour for those that run hourly.",
    );
  return ok(`All ${jobs.length} cron jobs run.`);
}
