// Rows of domains: reads the definitions, and stores, lists and deletes domains.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { pendingWritesSchema } from "../search-index/outbox.ts";
import { type DefinedDomain, entryAuthorsSchema, storedDefinitionSchema } from "./domains/domain-definition.ts";
import { TEXT_ORIGINS, type TextChange, type TextOrigin } from "./text-records.ts";

export const loadedDomainsSchema = z.object({
  version: z.string(),
  /** Null if the caller has this version already. */
  domains: z
    .array(z.object({ name: z.string(), definition: storedDefinitionSchema, authors: entryAuthorsSchema.optional() }))
    .nullable(),
});
export type LoadedDomains = z.infer<typeof loadedDomainsSchema>;

/** @param version that the caller has; null for none. @throws DependencyError */
export async function loadDomains(database: Database, version: string | null): Promise<LoadedDomains> {
  const args = version === null ? {} : { p_version: version };
  return database.call("load_domains", args, loadedDomainsSchema, { retries: 1 });
}

/** A domain with its counts, as responses show it. */
export const domainRecordSchema = z.object({
  name: z.string(),
  definition: storedDefinitionSchema,
  origin: z
    .enum(TEXT_ORIGINS)
    .nullable()
    .describe("Origin of the definition: the API, a folder of your own, or built in. Null without a definition."),
  runbooks: z.number().int(),
  documents: z.number().int().describe("Number of notes, logs and postmortems."),
  incidents: z.number().int(),
  created_at: z.string(),
  updated_at: z.string().describe("Time of the last change of the definition."),
});
export type DomainRecord = z.infer<typeof domainRecordSchema>;

const putSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("changed") }),
  z.object({ state: z.literal("kept"), origin: z.enum(TEXT_ORIGINS) }),
  z.object({ state: z.literal("stored"), created: z.boolean(), domain: domainRecordSchema }),
]);
export type PutDomainResult = z.infer<typeof putSchema>;

/**
 * Stores a definition. `changed` if the domains are no longer of that version; `kept` if the stored definition has a
 * stronger origin: api before folder before built_in.
 * @throws DependencyError
 */
export async function putDomainRow(
  database: Database,
  { name, definition }: DefinedDomain,
  { origin, version, now }: { readonly origin: TextOrigin; readonly version: string; readonly now: Date },
): Promise<PutDomainResult> {
  const p = { name, definition, origin, version, now: now.toISOString() };
  // A repeat after a lost result finds the domain changed: it is then stored again, as one that was there.
  return database.call("put_domain", { p }, putSchema, { retries: 1 });
}

/** Null if there is no such domain. @throws DependencyError */
export async function getDomain(database: Database, name: string): Promise<DomainRecord | null> {
  return database.call("get_domain", { p_name: name }, domainRecordSchema.nullable(), { retries: 1 });
}

/** Ordered by name. @param after the last name of the page before. @throws DependencyError */
export async function listDomains(
  database: Database,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<DomainRecord[]> {
  const args = { p_limit: limit, ...(after === undefined ? {} : { p_after: after }) };
  return database.call("list_domains", args, z.array(domainRecordSchema), { retries: 1 });
}

const deleteSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("not_found") }),
  z.object({ state: z.literal("in_use"), domain: domainRecordSchema }),
  z.object({ state: z.literal("deleted"), domain: domainRecordSchema, pending: pendingWritesSchema }),
]);
export type DeleteDomainResult = z.infer<typeof deleteSchema>;

export interface DomainRemoval {
  readonly name: string;
  readonly force: boolean;
  /** For the audit event. */
  readonly by: { readonly actor: string; readonly requestId: string };
}

/** Deletes a domain with its texts; `in_use` if it has some and `force` is false. @throws DependencyError */
export async function deleteDomainRow(
  database: Database,
  { name, force, by, now, claimUntil }: TextChange & DomainRemoval,
): Promise<DeleteDomainResult> {
  const caller = { actor: by.actor, request_id: by.requestId };
  const p = { name, force, now: now.toISOString(), claim_until: claimUntil, ...caller };
  // No retry: after a lost result the second call would find nothing.
  return database.call("delete_domain", { p }, deleteSchema);
}
