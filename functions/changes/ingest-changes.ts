// Ingestion of changes: each is scrubbed and stored once. While the database is unavailable, they wait in the queue.

import { type ForeignDomain, foreignDomainOf } from "../incidents/foreign-domain.ts";
import type { Guard } from "../incidents/guard-request.ts";
import { domainCatalog, type KnowledgeServices } from "../knowledge/domain-store.ts";
import { type BufferServices, storeOrBuffer } from "../write-buffer.ts";
import { bufferedChanges, changeArguments, recordChanges } from "./change-records.ts";
import { changeRow } from "./change-row.ts";
import type { ChangeDelivery, IgnoredEvent, ReportedChange } from "./senders/sender.ts";

export type ChangeServices = KnowledgeServices & BufferServices & { readonly guard: Guard };

export interface HandledChange {
  /** Null for a repeated event whose change the caller must not see. */
  readonly id: string | null;
  readonly service: string;
  readonly at: string;
  /** `repeated`: it was stored before. `pending`: it waits in the queue. */
  readonly state: "stored" | "repeated" | "pending";
}

export interface ChangeReceipt {
  readonly changes: readonly HandledChange[];
  readonly ignored: readonly IgnoredEvent[];
  /** `pending`: the database is unavailable; the queue keeps the changes. */
  readonly persisted: true | "pending";
}

/**
 * Stores the changes of one request. A repeated event changes nothing.
 * @throws DependencyError when they are neither stored nor buffered; the sender must repeat the request
 */
export async function ingestChanges(
  services: ChangeServices,
  { changes, ignored }: ChangeDelivery,
  { source, owner }: { readonly source: string; readonly owner: string },
): Promise<ChangeReceipt> {
  const { background, guard, newId, log } = services;
  if (changes.length === 0) {
    log("info", "changes.received", { source, received: ignored.length, stored: 0, ignored: ignored.length });
    return { changes: [], ignored, persisted: true };
  }
  const catalog = await domainCatalog(services);
  const now = services.now();
  const rows = changes.map((change) => changeRow(change, { guard, now, newId, catalog }));
  const args = changeArguments({ now, owner, source, rows });
  const recorded = await storeOrBuffer<Pick<ChangeReceipt, "changes" | "persisted">>(services, {
    writes: () => bufferedChanges(args, now),
    store: async () => {
      const stored = await recordChanges(background.database, args);
      const handled = rows.map(({ service, at }, place): HandledChange => {
        const row = stored[place];
        return { id: row?.id ?? null, service, at, state: row?.stored === true ? "stored" : "repeated" };
      });
      return { changes: handled, persisted: true };
    },
    pending: () => ({
      changes: rows.map(({ id, service, at }) => ({ id, service, at, state: "pending" })),
      persisted: "pending",
    }),
  });
  const stored = recorded.changes.filter(({ state }) => state === "stored").length;
  const received = changes.length + ignored.length;
  log("info", "changes.received", { source, received, stored, ignored: ignored.length });
  return { ...recorded, ignored };
}

/** The domain of others that the first such change belongs to; null if the caller may report all. */
export async function findForeignChange(
  services: KnowledgeServices,
  changes: readonly ReportedChange[],
): Promise<ForeignDomain | null> {
  const { restriction } = services;
  if (restriction === null) return null;
  for (const { domain, labels } of changes) {
    if (domain !== null && !restriction.domains.includes(domain)) return { name: domain, rule: `domain ${domain}` };
    const foreign = domain === null ? await foreignDomainOf(services, labels) : null;
    if (foreign !== null) return foreign;
  }
  return null;
}
