// Owns which jobs there are and when each is due. Holds no code of theirs: the local stack reads it too, in place of the
// platform's clock. wrangler.toml names the same expressions.

export interface ScheduledJob {
  /** The platform says which job is due by this alone, so no two are equal. */
  readonly cron: string;
  /** The step of that expression, for a clock that cannot read it. */
  readonly everyMinutes: number;
  readonly description: string;
}

export const SCHEDULE = {
  "retry-outbox": {
    cron: "*/2 * * * *",
    everyMinutes: 2,
    description:
      "Brings what the vector store and Phoenix are owed to them, again with growing pauses until it succeeds.",
  },
  sweep: {
    cron: "*/5 * * * *",
    everyMinutes: 5,
    description: "Closes investigations that died midway; those that came by a queue are investigated again.",
  },
  "compress-sessions": {
    cron: "3-59/10 * * * *",
    everyMinutes: 10,
    description: "Puts one summary in the place of the memories of a session that is idle and has many.",
  },
  "decay-procedures": {
    cron: "17 * * * *",
    everyMinutes: 60,
    description: "Halves the use count of procedures that nobody used for long, and archives the forgotten ones.",
  },
  retention: {
    cron: "47 * * * *",
    everyMinutes: 60,
    description: "Deletes what was kept for the record only and is older than that is worth.",
  },
} as const satisfies Readonly<Record<string, ScheduledJob>>;

export type JobName = keyof typeof SCHEDULE;

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(SCHEDULE, name);
}

export const JOB_NAMES: readonly JobName[] = Object.keys(SCHEDULE).filter(isJobName);

/** The job that a cron expression stands for; undefined for one that is none of ours. */
export function jobOfCron(cron: string): JobName | undefined {
  return JOB_NAMES.find((name) => SCHEDULE[name].cron === cron);
}
