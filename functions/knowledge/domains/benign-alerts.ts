// Recognises heartbeat and test alerts, which are no incidents. Pure functions.

/** Alerts that always fire, so that their absence is noticed, and alerts that only mute others; by lower-case name. */
const HEARTBEATS: ReadonlyMap<string, string> = new Map(
  ["Watchdog", "DeadMansSwitch", "DeadMansSnitch", "InfoInhibitor"].map((name) => [name.toLowerCase(), name]),
);

/** The beginning of a title that announces a test: `[TEST] …`, `Test alert: …`, `DRILL - …`, `Testing the integration, please ignore`. */
const ANNOUNCED_TEST =
  /^\s*(?:\[(?:test|drill)\]|(?:this is (?:a|only a) )?(?:test (?:alert|notification|incident|message)|drill)\s*(?:[:,.!]|\s[—–-]\s|$)|test(?:ing)?\b.{0,80}\b(?:please ignore|ignore (?:me|this)\b))/i;

/** The reason why a report is no incident, for the answer; undefined if it may be one. */
export function benignReason(title: string, labels: Readonly<Record<string, string>>): string | undefined {
  const name = HEARTBEATS.get((labels.alertname ?? "").replace(/[^a-z]/gi, "").toLowerCase());
  if (name) return `the alert ${name} always fires; it is trouble only when it stops`;
  return ANNOUNCED_TEST.test(title) ? "it says itself that it is a test" : undefined;
}
