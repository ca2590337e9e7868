// Owns which webhook deliveries were worked on: the database lets each be claimed once, whichever isolate asks.

import { createHash } from "node:crypto";
import { z } from "zod";
import type { Database } from "../adapters/database.ts";

/**
 * @param name tells the delivery from all others, of any sender; only its digest is kept
 * @returns whether it is new, and so the caller's to work on @throws DependencyError
 */
export async function claimWebhookDelivery(database: Database, name: string, at: Date): Promise<boolean> {
  const args = { p_digest: createHash("sha256").update(name).digest("hex"), p_at: at.toISOString() };
  // Not tried twice: where only the reply was lost, the second claim would find the first and the work be nobody's.
  return database.call("claim_delivery", args, z.boolean());
}
