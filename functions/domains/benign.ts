// Owns which alerts are no incident by their very name. Pure.

/** Alerts that fire all the time so that somebody notices when they stop, or that only mute others; by bare name. */
const HEARTBEATS: ReadonlyMap<string, string> = new Map(
  ["Watchdog", "DeadMansSwitch", "DeadMansSnitch", "InfoInhibitor"].map((name) => [name.toLowerCase(), name]),
);

/** Why an alert with these labels is no incident, in words for a person; undefined where they do not say so. */
export function benignReason(labels: Readonly<Record<string, string>>): string | undefined {
  const name = HEARTBEATS.get((labels.alertname ?? "").replace(/[^a-z]/gi, "").toLowerCase());
  return name && `the alert ${name} always fires; it is trouble only when it stops`;
}
