// The front door for operators to the jobs: which there are, how their runs went, one run now.

import { createRoute, z } from "@hono/zod-openapi";
import { jobRunSchema, listJobRuns } from "../../jobs/job-records.ts";
import { runJob } from "../../jobs/run-job.ts";
import { isJobName, JOB_NAMES, type JobName, SCHEDULE } from "../../jobs/schedule.ts";
import { Problem } from "../http/problem.ts";
import { createRouter, problemContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";

const nameParam = z.object({ name: z.string().openapi({ example: "retry-outbox" }) });
const noQuery = z.strictObject({});

const jobSchema = z.object({
  name: z.string(),
  schedule: z.string().describe("A cron expression, UTC."),
  description: z.string(),
  last_run: jobRunSchema.nullable(),
});

const listRoute = createRoute({
  method: "get",
  path: "/v1/admin/jobs",
  summary: "List the jobs, each with its last run",
  ...scoped("admin"),
  request: { query: noQuery },
  responses: {
    200: {
      description: "All jobs.",
      content: { "application/json": { schema: z.object({ jobs: z.array(jobSchema) }) } },
    },
    503: problemContent("The database is away."),
  },
});

const runsRoute = createRoute({
  method: "get",
  path: "/v1/admin/jobs/{name}/runs",
  summary: "List the runs of a job, newest first",
  ...scoped("admin"),
  request: {
    params: nameParam,
    query: z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(20) }),
  },
  responses: {
    200: {
      description: "Its last runs.",
      content: { "application/json": { schema: z.object({ runs: z.array(jobRunSchema) }) } },
    },
    404: problemContent("There is no such job."),
    422: problemContent("A query parameter is not valid."),
    503: problemContent("The database is away."),
  },
});

const runRoute = createRoute({
  method: "post",
  path: "/v1/admin/jobs/{name}",
  summary: "Run a job now",
  ...scoped("admin"),
  request: { params: nameParam, query: noQuery },
  responses: {
    200: { description: "The run, ended.", content: { "application/json": { schema: jobRunSchema } } },
    404: problemContent("There is no such job."),
    503: problemContent("The database is away, so that the run could not be recorded."),
  },
});

export const adminRoutes = createRouter()
  .openapi(listRoute, async (c) => {
    const { database } = c.get("services");
    const jobs = JOB_NAMES.map(async (name) => {
      const [last] = await listJobRuns(database, name, 1);
      return { name, schedule: SCHEDULE[name].cron, description: SCHEDULE[name].description, last_run: last ?? null };
    });
    return c.json({ jobs: await Promise.all(jobs) }, 200);
  })
  .openapi(runsRoute, async (c) => {
    const job = jobNamed(c.req.valid("param").name);
    const { limit } = c.req.valid("query");
    return c.json({ runs: await listJobRuns(c.get("services").database, job, limit) }, 200);
  })
  .openapi(runRoute, async (c) => {
    const job = jobNamed(c.req.valid("param").name);
    const runInBackground = c.get("runInBackground");
    const running = runJob(c.get("services"), job, { trigger: "manual", runInBackground });
    // It ends what it began though its caller leaves. Whoever stays gets the failure below.
    runInBackground(running.catch(() => {}));
    const { run, unrecorded } = await running;
    if (unrecorded) throw unrecorded;
    return c.json(run, 200);
  });

/** @throws Problem */
function jobNamed(name: string): JobName {
  if (isJobName(name)) return name;
  throw new Problem("not-found", `There is no job of this name. There are ${JOB_NAMES.join(", ")}.`);
}
