// The age of an event, as listings of events write it: "51m (x2 over 52m)", "2m9s".

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
