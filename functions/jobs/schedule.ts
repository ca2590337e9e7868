// The jobs and their schedule. It imports no job code, because the local stack reads it in place of the platform's
// cron. wrangler.toml has the same expressions.

export interface ScheduledJob {
  /** Unique: the platform identifies the job that is due by this expression. */
  readonly cron: string;
  /** The interval of that expression, for the local stack. */
  readonly everyMinutes: number;
  readonly description: string;
}

export const SCHEDULE = {
  "retry-outbox": {
    cron: "*/2 * * * *",
    everyMinutes: 2,
    description:
      "Writes pending entries to the vector store, pending ratings to the trace server and pending messages to notification targets, with growing pauses between retries.",
  },
  "recover-stuck-runs": {
    cron: "*/5 * * * *",
    everyMinutes: 5,
    description: "Closes runs without an end and investigates their queued incidents again.",
  },
  "compress-sessions": {
    cron: "3-59/10 * * * *",
    everyMinutes: 10,
    description: "Replaces the past answers of a long, idle session by one summary.",
  },
  "decay-procedures": {
    cron: "17 * * * *",
    everyMinutes: 60,
    description: "Halves the use count of procedures that are not used, and archives those that stay unused.",
  },
  "delete-expired": {
    cron: "47 * * * *",
    everyMinutes: 60,
    description: "Deletes records that are older than RETENTION_DAYS.",
  },
  "rebuild-memory": {
    cron: "9-59/15 * * * *",
    everyMinutes: 15,
    description: "Makes past incidents that an earlier version stored anew from their reports.",
  },
  "refit-relevance": {
    cron: "33 * * * *",
    everyMinutes: 60,
    description: "Fits the calibration of the relevance model to ratings and resolutions.",
  },
  "sync-inventory": {
    cron: "7-59/30 * * * *",
    everyMinutes: 30,
    description: "Lists the clusters among the sources of evidence into the cluster inventory.",
  },
  "check-fixes": {
    cron: "27 * * * *",
    everyMinutes: 60,
    description: "Looks, FIX_CHECK_HOURS after a resolution, whether the failure came back.",
  },
} as const satisfies Readonly<Record<string, ScheduledJob>>;

export type JobName = keyof typeof SCHEDULE;

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(SCHEDULE, name);
}

export const JOB_NAMES: readonly JobName[] = Object.keys(SCHEDULE).filter(isJobName);

/** The job of a cron expression; undefined for an unknown expression. */
export function jobOfCron(cron: string): JobName | undefined {
  return JOB_NAMES.find((name) => SCHEDULE[name].cron === cron);
}
