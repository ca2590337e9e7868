// Endpoints for scheduled jobs: list the jobs, run a job now.

import { createRoute, z } from "@hono/zod-openapi";
import { jobRunSchema, listJobRuns } from "../../../jobs/job-records.ts";
import { runJob } from "../../../jobs/run-job.ts";
import { isJobName, JOB_NAMES, type JobName, SCHEDULE } from "../../../jobs/schedule.ts";
import { Problem } from "../../http/problem.ts";
import { createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";

/** Any string: `jobNamed` answers an unknown name with 404, while an enum would give 422. */
const nameParam = z.object({ name: z.string().openapi({ example: "retry-outbox" }) });
const noQuery = z.strictObject({});

const jobSchema = z
  .object({
    name: z.string(),
    schedule: z.string().describe("A cron expression, UTC."),
    description: z.string(),
    last_run: z.union([jobRunSchema, z.null()]),
  })
  .openapi({
    example: {
      name: "retry-outbox",
      schedule: SCHEDULE["retry-outbox"].cron,
      description: SCHEDULE["retry-outbox"].description,
      last_run: null,
    },
  });

const listRoute = createRoute({
  method: "get",
  path: "/v1/admin/jobs",
  summary: "List the jobs, each with its last run",
  ...scoped("admin"),
  request: { query: noQuery },
  responses: {
    200: jsonContent("All jobs.", z.object({ jobs: z.array(jobSchema) })),
  },
});

const runRoute = createRoute({
  method: "post",
  path: "/v1/admin/jobs/{name}",
  summary: "Run a job now",
  ...scoped("admin"),
  request: { params: nameParam, query: noQuery },
  responses: {
    200: jsonContent("The finished run.", jobRunSchema),
    404: problemContent("No job has this name."),
  },
});

export const jobRoutes = createRouter()
  .openapi(listRoute, async (c) => {
    const { database } = c.get("services");
    const jobs = JOB_NAMES.map(async (name) => {
      const [last] = await listJobRuns(database, name, 1);
      return { name, schedule: SCHEDULE[name].cron, description: SCHEDULE[name].description, last_run: last ?? null };
    });
    return c.json({ jobs: await Promise.all(jobs) }, 200);
  })
  .openapi(runRoute, async (c) => {
    const job = jobNamed(c.req.valid("param").name);
    const runInBackground = c.get("runInBackground");
    const runPromise = runJob(c.get("services"), job, { trigger: "manual", runInBackground });
    // The job finishes even if the client disconnects. The `await` below reports a failure.
    runInBackground(runPromise.catch(() => {}));
    const { run, unrecorded: recordError } = await runPromise;
    // The job has run, but its record could not be stored.
    if (recordError) throw recordError;
    return c.json(run, 200);
  });

/** @throws Problem `not-found` if no job has this name */
function jobNamed(name: string): JobName {
  if (isJobName(name)) return name;
  throw new Problem("not-found", `No job has this name. The jobs are ${JOB_NAMES.join(", ")}.`);
}
