// Stores and deletes domains: checks a definition against the other domains first.

import { DependencyError } from "../dependencies.ts";
import { claimUntil, flushOutbox } from "../search-index/flush-outbox.ts";
import { type DomainRecord, type DomainRemoval, deleteDomainRow, putDomainRow } from "./domain-records.ts";
import { type KnowledgeServices, readDomains } from "./domain-store.ts";
import type { DefinedDomain } from "./domains/domain-definition.ts";
import { findLabelConflicts, type LabelConflict } from "./domains/label-conflicts.ts";
import type { TextOrigin } from "./text-records.ts";

export type PutDomain =
  | { readonly state: "conflict"; readonly conflicts: readonly LabelConflict[] }
  /** The stored definition has a stronger origin. */
  | { readonly state: "kept"; readonly origin: TextOrigin }
  | { readonly state: "stored"; readonly created: boolean; readonly domain: DomainRecord };

/** Another writer changed a domain between the check and the write; the check is then repeated. */
const MAX_ATTEMPTS = 5;

/** Stores a definition unless another domain claims one of its labels. @throws DependencyError */
export async function putDomain(
  services: Pick<KnowledgeServices, "database" | "domains" | "now" | "restriction">,
  domain: DefinedDomain,
  origin: TextOrigin,
): Promise<PutDomain> {
  const { database, domains, restriction } = services;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const now = services.now();
    const { version, defined } = await readDomains(domains, { database, now });
    // Labels decide for all reports, so a restricted caller must not claim those of other domains either.
    const all = restriction === null ? defined : (await restriction.readAll()).defined;
    const conflicts = findLabelConflicts(domain, all, { isRestricted: restriction !== null });
    if (conflicts.length > 0) return { state: "conflict", conflicts };
    const result = await putDomainRow(database, domain, { origin, version: version ?? "", now });
    if (result.state === "changed") continue;
    domains.invalidate();
    return result;
  }
  throw new DependencyError("database", "refused", "the domains kept changing; try again");
}

export type RemovedDomain =
  | { readonly state: "not_found" }
  | { readonly state: "in_use"; readonly domain: DomainRecord }
  | { readonly state: "deleted"; readonly domain: DomainRecord; readonly indexed: boolean };

/** Deletes a domain with its texts; past incidents stay. @throws DependencyError */
export async function removeDomain(services: KnowledgeServices, removal: DomainRemoval): Promise<RemovedDomain> {
  const change = { ...removal, now: services.now(), claimUntil: claimUntil(services) };
  const result = await deleteDomainRow(services.background.database, change);
  services.domains.invalidate();
  if (result.state !== "deleted") return result;
  const { domain, pending } = result;
  return { state: "deleted", domain, indexed: await flushOutbox(services, pending) };
}
