// The Worker's entry points: fetch, queue, scheduled.

import type { ExecutionContext } from "hono";
import { createApp } from "./app.ts";
import { createRunInBackground } from "./background-tasks.ts";
import { ConfigError, type Environment } from "./config.ts";
import { consume, type QueueBatch } from "./jobs/queues.ts";
import { runJob } from "./jobs/run-job.ts";
import { jobOfCron } from "./jobs/schedule.ts";
import { problemResponse } from "./routes/http/problem.ts";
import { createServices, type Services, startLog } from "./services.ts";
import { withContext } from "./telemetry/request-context.ts";
import type { PlatformTracing } from "./telemetry/trace-types.ts";

interface Runtime {
  readonly services: Services;
  readonly app: ReturnType<typeof createApp>;
}

// One runtime an isolate: it holds collection handles worth a round trip each. Keyed by the environment, which lives as
// long as the isolate, so the map holds one entry.
const runtimes = new WeakMap<Environment, Runtime>();

function runtimeFor(environment: Environment): Runtime {
  const existing = runtimes.get(environment);
  if (existing) return existing;
  const services = createServices(environment);
  const runtime = { services, app: createApp(services) };
  runtimes.set(environment, runtime);
  return runtime;
}

/** Workers provide tracing; Node does not. */
type Context = ExecutionContext & { readonly tracing?: PlatformTracing };

export default {
  async fetch(request: Request, environment: Environment, context: Context): Promise<Response> {
    try {
      const { app } = runtimeFor(environment);
      return await withContext({ platform: context.tracing }, () => app.fetch(request, environment, context));
    } catch (error) {
      const requestId = crypto.randomUUID();
      logStartFailure(error, requestId);
      if (error instanceof ConfigError)
        return problemResponse("misconfigured", "A setting is missing or wrong. The log names it.", requestId);
      return problemResponse("internal", "The log has the reason under this request id.", requestId);
    }
  },

  async queue(batch: QueueBatch, environment: Environment, context: Context): Promise<void> {
    await withRedactedErrors(async () => {
      const { services } = runtimeFor(environment);
      const runInBackground = createRunInBackground(services.log, (work) => context.waitUntil(work));
      await withContext({ platform: context.tracing }, () => consume(services, batch, runInBackground));
    });
  },

  async scheduled({ cron }: { readonly cron: string }, environment: Environment, context: Context): Promise<void> {
    await withRedactedErrors(async () => {
      const { services } = runtimeFor(environment);
      const job = jobOfCron(cron);
      if (job === undefined) {
        // wrangler.toml has a cron expression of no job.
        services.log("error", "cron.unknown", { request_id: services.newId(), cron });
        return;
      }
      const runInBackground = createRunInBackground(services.log, (work) => context.waitUntil(work));
      await withContext({ platform: context.tracing }, () =>
        runJob(services, job, { trigger: "cron", runInBackground }),
      );
    });
  },
};

/** Throws a new error for the platform, which prints the message: a bug's own message may hold content. */
async function withRedactedErrors(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const id = crypto.randomUUID();
    logStartFailure(error, id);
    throw new Error(`It failed. The log has the reason under request ${id}.`);
  }
}

function logStartFailure(error: unknown, request_id: string): void {
  // Its message names settings and never their values.
  if (error instanceof ConfigError) startLog("error", "config.invalid", { request_id, error: error.message });
  else startLog("error", "worker.failed", { request_id, error: error instanceof Error ? error : "unknown" });
}
