// The domains that Dejavu knows, and how one was chosen for an incident.

export const DOMAIN_NAMES = ["docker", "podman", "kubernetes", "postgres"] as const;

export type DomainName = (typeof DOMAIN_NAMES)[number];

export const UNKNOWN_INCIDENT_TYPE = "unknown";

export interface DomainRoute {
  readonly name: DomainName;
  /** The rule that decided, in words that can be shown to a person. */
  readonly rule: string;
  /** False where nothing spoke for any domain and the default was taken. */
  readonly isDecided: boolean;
}

export interface Classification {
  /** A name of the domain's closed list, or `unknown`. */
  readonly name: string;
  /** What decided, in words that can be shown to a person. */
  readonly rule: string;
}
