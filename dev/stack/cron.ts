/** `wrangler dev` fires no Cron Triggers, so a stack that serves somebody calls the Worker's own cron door. */
import { appendFileSync } from "node:fs";

/** The Worker's cron, as in wrangler.toml. */
const CRON = "*/2 * * * *";
const INTERVAL_MS = 2 * 60_000;
const CALL_TIMEOUT_MS = 60_000;
const MAX_LOGGED_CHARS = 500;

/** Makes the Worker run its cron once. @throws when it cannot be reached or fails */
export async function callCron(workerUrl: string): Promise<void> {
  const url = `${workerUrl}/cdn-cgi/handler/scheduled?${new URLSearchParams({ cron: CRON })}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
  const body = await response.text();
  if (!response.ok)
    throw new Error(`The Worker's cron answered ${response.status}: ${body.slice(0, MAX_LOGGED_CHARS)}`);
}

/** Starts the timer, which keeps no process alive; the returned function stops it. Failures go to the log only. */
export function startCron(workerUrl: string, logPath: string): () => void {
  const timer = setInterval(() => {
    callCron(workerUrl).catch((error: unknown) => {
      appendFileSync(logPath, `${new Date().toISOString()} ${error}\n`, { mode: 0o600 });
    });
  }, INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
