import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isJobName, JOB_NAMES, jobOfCron, SCHEDULE } from "../../../functions/jobs/schedule.ts";

const configuration = readFileSync(new URL("../../../wrangler.toml", import.meta.url), "utf8");

/** The expressions of each `crons = […]` line, in the order of the file. */
const configured = [...configuration.matchAll(/^crons = (\[.*\])$/gm)].map((line) => JSON.parse(line[1] ?? ""));

/** The minutes of an hour at which an expression is due; all of ours are due in every hour. */
function minutesOf(cron: string): number[] {
  const [, from, to, step] = /^(\*|\d+)(?:-(\d+))?(?:\/(\d+))? \* \* \* \*$/.exec(cron) ?? [];
  if (from === undefined) throw new Error(`${cron} is not an expression that is due in every hour.`);
  const first = from === "*" ? 0 : Number(from);
  const last = to === undefined ? (from === "*" ? 59 : first) : Number(to);
  const minutes: number[] = [];
  for (let minute = first; minute <= last; minute += Number(step ?? 1)) minutes.push(minute);
  return minutes;
}

describe("the schedule", () => {
  it("is what wrangler.toml says, for production and for preview", () => {
    const crons = JOB_NAMES.map((name) => SCHEDULE[name].cron);
    expect(configured).toHaveLength(2);
    for (const expressions of configured) expect(expressions.toSorted()).toEqual(crons.toSorted());
  });

  it("never has the same expression twice, since it chooses the job", () => {
    expect(new Set(JOB_NAMES.map((name) => SCHEDULE[name].cron)).size).toBe(JOB_NAMES.length);
    for (const name of JOB_NAMES) expect(jobOfCron(SCHEDULE[name].cron)).toBe(name);
  });

  it.each(JOB_NAMES)("gives %s the step of its expression in minutes", (name) => {
    const { cron, everyMinutes } = SCHEDULE[name];
    const minutes = minutesOf(cron);
    const gaps = minutes.map((minute, i) => (minutes[i + 1] ?? (minutes[0] ?? 0) + 60) - minute);
    expect(new Set(gaps)).toEqual(new Set([everyMinutes]));
  });

  it.each(["* * * * *", "", "17 * * * * "])("knows no job for the expression %j", (cron) => {
    expect(jobOfCron(cron)).toBeUndefined();
  });

  it("does not take inherited properties for job names", () => {
    expect(isJobName("delete-expired")).toBe(true);
    expect(isJobName("toString")).toBe(false);
  });
});
