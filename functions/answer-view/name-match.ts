// Whether a text matches a report by the name of the alert, and not by its error lines. Pure functions.

/** Weight, 0 to 1, from which an error line shows what failed. */
export const SHOWING_WEIGHT = 0.3;

/**
 * Whether the text has the alert's name, no check speaks for it, and it says less of the report's lines than texts do in the
 * mean.
 * @param contributions of the features to its log-odds
 */
export function isMatchedByName({
  named_by_alert = 0,
  checks = 0,
  ...others
}: Readonly<Record<string, number>>): boolean {
  const ofLines = Object.entries(others).filter(([name]) => name.startsWith("line_") && !name.endsWith("_ahead"));
  return named_by_alert > 0 && checks <= 0 && ofLines.reduce((sum, [, value]) => sum + value, 0) < 0;
}
