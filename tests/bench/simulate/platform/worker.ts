// The Worker on the simulated platform: isolates with the services of the product, and their invocations.

import { createApp } from "../../../../functions/app.ts";
import { createRunInBackground } from "../../../../functions/background-tasks.ts";
import { consume, type QueueBatch } from "../../../../functions/jobs/queues.ts";
import { runJob } from "../../../../functions/jobs/run-job.ts";
import type { JobName } from "../../../../functions/jobs/schedule.ts";
import { createServices, type Services } from "../../../../functions/services.ts";
import type { Log } from "../../../../functions/telemetry/log.ts";
import { createExecutionContext } from "../../../integration/support/execution-context.ts";
import type { Figures } from "../figures/figures.ts";
import { runInvocation, useCpu } from "./invocation.ts";
import { createPool, type UseRecorder } from "./resources.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export interface Isolate {
  readonly services: Services;
  /** Answers a request. The invocation lasts until its background tasks have ended. */
  fetch(request: Request, options: RequestOptions): Promise<Response>;
  /** Ends with the consumer; the tasks after it go on. */
  queue(batch: QueueBatch): Promise<void>;
  scheduled(job: JobName): Promise<void>;
}

export interface RequestOptions {
  readonly alerts: number;
  readonly token: string;
  readonly traceKey: string;
}

export interface IsolateOptions {
  readonly clock: VirtualClock;
  readonly recorder: UseRecorder;
  readonly figures: Figures;
  readonly environment: Readonly<Record<string, unknown>>;
  readonly roundTripMs: number;
  /** Whose CPU it is: that of requests, or that of the queue's consumers. */
  readonly cpuName: "request_cpu" | "triage_cpu";
  readonly startedAt: Date;
  readonly newId: () => string;
  readonly log: Log;
}

export function createIsolate(options: IsolateOptions): Isolate {
  const { clock, recorder, figures, environment, roundTripMs, cpuName, startedAt, newId, log } = options;
  const { cpuMs, callsPerTriage } = figures.costs;
  const now = () => new Date(startedAt.getTime() + clock.now());
  const services = createServices({ ...environment }, { now, newId, log });
  const app = createApp(services);
  const cpu = createPool({ clock, recorder, name: cpuName, size: 1 });
  const size = figures.limits.workerConnections;
  const invoke = <T>(cpuMsPerCall: number, work: () => Promise<T>, traceKey?: string): Promise<T> => {
    const connections = createPool({ clock, recorder, name: "worker_connections", size });
    return runInvocation({ cpu, connections, cpuMsPerCall, roundTripMs, traceKey }, work);
  };
  return {
    services,
    fetch: (request, { alerts, token, traceKey }) =>
      invoke(
        0,
        async () => {
          await useCpu(clock, cpu, cpuMs.webhook + alerts * cpuMs.alert);
          const context = createExecutionContext();
          const headers = new Headers(request.headers);
          headers.set("authorization", `Bearer ${token}`);
          // The response does not wait for the background tasks.
          const response = await app.fetch(new Request(request, { headers }), {}, context);
          clock.start(context.settled);
          return response;
        },
        traceKey,
      ),
    queue: (batch) =>
      invoke(cpuMs.triage / callsPerTriage, async () => {
        const context = createExecutionContext();
        const runInBackground = createRunInBackground(services.log, (work) => context.waitUntil(work));
        await consume(services, batch, runInBackground);
        // Not waited for: the platform delivers the next batch while the tasks of the last one run.
        clock.start(context.settled);
      }),
    scheduled: (job) =>
      invoke(0, async () => {
        const context = createExecutionContext();
        const runInBackground = createRunInBackground(services.log, (work) => context.waitUntil(work));
        await runJob(services, job, { trigger: "cron", runInBackground });
        await context.settled();
      }),
  };
}
