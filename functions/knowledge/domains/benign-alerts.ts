// Owns which alerts are no incident by their very name. Pure.

/** Alerts that fire all the time so that somebody notices when they stop, or that only mute others; by bare name. */
const HEARTBEATS: ReadonlyMap<string, string> = new Map(
  ["Watchdog", "DeadMansSwitch", "DeadMansSnitch", "InfoInhibitor"].map((name) => [name.toLowerCase(), name]),
);

/** A title that begins so announces a test: `[TEST] …`, `Test alert: …`, `DRILL - …`. */
const ANNOUNCED_TEST =
  /^\s*(?:\[(?:test|drill)\]|(?:this is (?:a|only a) )?(?:test (?:alert|notification|incident|message)|drill)\s*(?::|\s[—–-]\s|$))/i;

/** Why a report with this title and these labels is no incident, in words for a person; undefined where it may be one. */
export function benignReason(title: string, labels: Readonly<Record<string, string>>): string | undefined {
  const name = HEARTBEATS.get((labels.alertname ?? "").replace(/[^a-z]/gi, "").toLowerCase());
  if (name) return `the alert ${name} always fires; it is trouble only when it stops`;
  return ANNOUNCED_TEST.test(title) ? "it says itself that it is a test" : undefined;
}
