// Domains, and how the domain of an incident was chosen.

export const DOMAIN_NAMES = ["docker", "podman", "kubernetes", "postgres"] as const;

export type DomainName = (typeof DOMAIN_NAMES)[number];

export const UNKNOWN_INCIDENT_TYPE = "unknown";

export interface DomainRoute {
  readonly name: DomainName;
  /** The rule that decided, for people to read. */
  readonly rule: string;
  /** False for the default domain, when nothing indicates another. */
  readonly isDecided: boolean;
}

export interface Classification {
  /** A type of the domain's list, or `unknown`. */
  readonly name: string;
  /** The rule that decided, for people to read. */
  readonly rule: string;
}
