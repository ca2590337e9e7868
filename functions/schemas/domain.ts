// Domains: technologies and teams, and how the domain of an incident was chosen. Any name may be a domain.

// This `z` adds `openapi()` to its schemas. A schema of the plain one has it only if this module is loaded later.
import { z } from "@hono/zod-openapi";

export { GENERAL_DOMAIN, UNKNOWN_INCIDENT_TYPE } from "./incident-values.ts";

export const DOMAIN_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;
export const DOMAIN_NAME_RULE =
  "must be 1 to 63 lower-case letters, digits, hyphens or underscores, and begin with a letter or a digit";

export const domainNameSchema = z.string().regex(DOMAIN_NAME, DOMAIN_NAME_RULE);

/** A domain and the rule that chose it, in responses. */
export const domainResultSchema = z.object({ name: z.string(), rule: z.string() });

/**
 * What chose the domain: the caller, a label, the runbook that the report names, its words or a model. `none`: nothing
 * chose, and every domain counts the same.
 */
export const DOMAIN_DECIDERS = ["caller", "label", "runbook", "words", "model", "none"] as const;
export type DomainDecider = (typeof DOMAIN_DECIDERS)[number];

export interface DomainRoute {
  /** `general`, or the domain of the place where it runs, when nothing chose. */
  readonly name: string;
  /** The rule that decided, for people to read. */
  readonly rule: string;
  readonly decidedBy: DomainDecider;
  /** Whether a search stays in the domain while it holds something relevant. Otherwise the domain is preferred. */
  readonly limitsSearch: boolean;
  /**
   * How much a search prefers each domain, above 0 to 1: those that the report's words hint at. Words say nothing about a
   * domain without hints of its own, so it is on equal terms with the most preferred one.
   */
  readonly preferred: Readonly<Record<string, number>>;
  /** Domains with `only_when_decided` that the report does not belong to: a search never returns their texts. */
  readonly excluded: readonly string[];
  /**
   * Whether the choice is certain enough to show the domain's first looks. A word that other technologies use too, or that
   * only the rest of a log holds, is not: it only changes the order of a search.
   */
  readonly isFirm: boolean;
}

/** The domains of a search. */
export interface SearchScope {
  /** The search is limited to these domains; null for all. */
  readonly only: readonly string[] | null;
  /** Domains that rank higher, with the strength of the preference, 0 to 1. */
  readonly preferred: Readonly<Record<string, number>>;
  /** Domains that are left out, also when a limited search is widened. */
  readonly excluded: readonly string[];
}

export interface Classification {
  /** A type of a domain's list, or `unknown`. */
  readonly name: string;
  /** The rule that decided, for people to read. */
  readonly rule: string;
}
