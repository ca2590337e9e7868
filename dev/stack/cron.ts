/** `wrangler dev` fires no Cron Triggers, so a stack that serves somebody calls the Worker's own cron doors. */
import { appendFileSync } from "node:fs";
import { JOB_NAMES, SCHEDULE } from "../../functions/jobs/schedule.ts";

const MINUTE_MS = 60_000;
const CALL_TIMEOUT_MS = 60_000;
const MAX_LOGGED_CHARS = 500;

/** Makes the Worker run what it does at a cron expression, once. @throws when it cannot be reached or fails */
export async function callCron(workerUrl: string, cron: string): Promise<void> {
  const url = `${workerUrl}/cdn-cgi/handler/scheduled?${new URLSearchParams({ cron })}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
  const body = await response.text();
  if (!response.ok)
    throw new Error(`The Worker's cron answered ${response.status}: ${body.slice(0, MAX_LOGGED_CHARS)}`);
}

/**
 * Starts a timer for each job, at the step of its schedule from now on; they keep no process alive. The returned
 * function stops them. Failures go to the log only.
 */
export function startCrons(workerUrl: string, logPath: string): () => void {
  const timers = JOB_NAMES.map((name) => {
    const { cron, everyMinutes } = SCHEDULE[name];
    const timer = setInterval(() => {
      callCron(workerUrl, cron).catch((error: unknown) => {
        appendFileSync(logPath, `${new Date().toISOString()} ${name}: ${error}\n`, { mode: 0o600 });
      });
    }, everyMinutes * MINUTE_MS);
    return timer.unref();
  });
  return () => timers.forEach(clearInterval);
}
