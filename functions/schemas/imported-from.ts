// The words for the origin of an imported incident. Pure functions.

const NAMES: ReadonlyMap<string, string> = new Map([
  ["pagerduty", "PagerDuty"],
  ["opsgenie", "Opsgenie"],
  ["jira", "Jira"],
]);

/** `imported from PagerDuty` */
export function importedFrom(system: string): string {
  return `imported from ${NAMES.get(system) ?? system}`;
}
