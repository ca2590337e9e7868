// Jobs and their runs as text for a terminal. Pure functions.

import wrapAnsi from "wrap-ansi";
import type { JobRun } from "../../functions/jobs/job-records.ts";
import type { RenderOptions } from "../render-options.ts";
import { oneLine } from "../table.ts";

export interface ShownJob {
  readonly name: string;
  readonly schedule: string;
  readonly description: string;
  readonly last_run: JobRun | null;
}

const INDENT = "    ";

export function renderJobs(jobs: readonly ShownJob[], { width }: RenderOptions): string {
  const lines = (text: string, indent: string) =>
    wrapAnsi(oneLine(text), width - indent.length, { hard: true })
      .split("\n")
      .map((line) => indent + line);
  return jobs
    .flatMap(({ name, schedule, description, last_run }) => [
      ...lines(`${name}  (${schedule})`, ""),
      ...lines(description, INDENT),
      ...lines(last_run === null ? "never ran" : describeJobRun(last_run), INDENT),
    ])
    .join("\n");
}

/** One line: start, duration, and counts or the error. */
export function describeJobRun({ trigger, started_at, finished_at, counts, error }: JobRun): string {
  const start = `${started_at.slice(0, 19).replace("T", " ")} UTC, ${trigger}`;
  if (finished_at === null) return `${start}: not finished: it runs, or its Worker died`;
  const seconds = ((Date.parse(finished_at) - Date.parse(started_at)) / 1_000).toFixed(1);
  const figures = Object.entries(counts).map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`);
  return `${start}, ${seconds} s: ${error === null ? figures.join(", ") : `failed, ${error}`}`;
}
