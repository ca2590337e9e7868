// Webhook deduplication: each delivery can be claimed once, in any isolate.

import { createHash } from "node:crypto";
import { z } from "zod";
import type { Database } from "../adapters/database.ts";

/**
 * @param name identifies the delivery among those of all senders; only its digest is stored
 * @returns true for the first claim @throws DependencyError
 */
export async function claimWebhookDelivery(database: Database, name: string, at: Date): Promise<boolean> {
  const args = { p_digest: createHash("sha256").update(name).digest("hex"), p_at: at.toISOString() };
  // No retry: if only the result was lost, a second claim would be refused, and the delivery never handled.
  return database.call("claim_webhook_delivery", args, z.boolean());
}
