// The age of an event, as listings of events write it: "51m (x2 over 52m)", "2m9s".

import type { StateLine } from "./candidate-lines.ts";

const EVENT_WITH_AGE = /^(?:(?:\S+\s+)?(\d[\dhmsd]{1,8})\s+)?(?:Warning|Normal)\s+[A-Z]\w+\s+(\d[\dhmsd]{1,8}\b)?/;
/** Events that are not repeated while their failure lasts. */
const RARE_EVENTS =
  /\b(?:FailedScheduling|NotTriggerScaleUp|FailedCreate|FailedBinding|ProvisioningFailed|BackoffLimitExceeded)\b/;
const MINUTES: Readonly<Record<string, number>> = { d: 1_440, h: 60, m: 1, s: 1 / 60 };

/** Minutes since the event last occurred; undefined for other lines. */
export function minutesSinceEvent(text: string): number | undefined {
  if (RARE_EVENTS.test(text)) return undefined;
  const match = EVENT_WITH_AGE.exec(text);
  const age = match?.[1] ?? match?.[2];
  if (age === undefined) return undefined;
  let minutes = 0;
  for (const [, digits, unit] of age.matchAll(/(\d{1,5})([dhms])/g))
    minutes += Number(digits) * (MINUTES[unit ?? ""] ?? 0);
  return minutes;
}

/** Whether a line is an event that reports no failure. */
export function isNormalEvent(text: string): boolean {
  return /^(?:\S{1,253}\s+){0,3}?Normal\s+[A-Z]\w+\s/.test(text.slice(0, 800));
}

const OBJECT = /\sWarning\s+\w+\s+([^\s/]+\/\S+)\s/;
const WORK_GOES_ON = /\bNormal\s+(?:Started|Scheduled|SuccessfulAttachVolume|Completed|NodeReady|SuccessfulCreate)\s/;
/** A row of a run that is named by its number: "import-29400112". */
const RUN = /^(\S{2,200}-)(\d{3,15})\s/;

/** Whether a later event shows that the object of a warning went on. */
export function hasLaterEvent(text: string, line: number, lines: readonly StateLine[]): boolean {
  const object = OBJECT.exec(text)?.[1];
  if (object === undefined) return false;
  return lines.some((later) => later.line > line && WORK_GOES_ON.test(later.text) && later.text.includes(object));
}

/** Whether a later run of the same work has a good row. */
export function hasLaterRun(text: string, goodRows: readonly StateLine[]): boolean {
  const [, name, number] = RUN.exec(text) ?? [];
  return goodRows.some((row) => {
    const [, otherName, otherNumber] = RUN.exec(row.text) ?? [];
    return name !== undefined && name === otherName && Number(otherNumber) > Number(number);
  });
}
