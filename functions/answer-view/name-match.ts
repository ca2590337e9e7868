// Whether a text matches a report by the name of the alert, and not by its error lines. Pure functions.

/**
 * Log-odds that the error lines add at least to a text that mentions them: ordinary words in common add less. Of 312 reports to fit
 * and 126 held out with one line under a runbook's name, 26 and 8 fewer get a wrong cause than with 0, 3 and 1 fewer the right one.
 */
const MIN_MENTION = 0.2;

/** Weight, 0 to 1, from which an error line shows what failed. */
export const SHOWING_WEIGHT = 0.3;

/**
 * Whether the text has the alert's name, no check speaks for it, and it hardly mentions the report's lines.
 * @param contributions of the features to its log-odds
 */
export function isMatchedByName({
  named_by_alert = 0,
  checks = 0,
  ...others
}: Readonly<Record<string, number>>): boolean {
  const ofLines = Object.entries(others).filter(([name]) => name.startsWith("line_") && !name.endsWith("_ahead"));
  return named_by_alert > 0 && checks <= 0 && ofLines.reduce((sum, [, value]) => sum + value, 0) < MIN_MENTION;
}
