// Rows of notification targets: lists, stores and deletes definitions.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { nextHandover } from "./handover-time.ts";
import { MAX_TARGETS, type NotificationTarget, storedTargetSchema } from "./target-definition.ts";

const rowSchema = storedTargetSchema.extend({
  created_at: z.string(),
  updated_at: z.string(),
  pending: z.number().int().default(0),
  last_error: z.string().nullable().default(null),
});
export type TargetRow = z.infer<typeof rowSchema>;

/** By name. @throws DependencyError */
export async function listTargets(database: Database): Promise<TargetRow[]> {
  return database.call("list_notification_targets", {}, z.array(rowSchema), { retries: 1 });
}

const putSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("too_many") }),
  z.object({ state: z.literal("stored"), created: z.boolean(), target: rowSchema }),
]);

/**
 * @param isMoved whether it is another place than before, which does not have the messages
 * @throws DependencyError @throws RestrictionError for a target outside of the caller's domains
 */
export async function putTarget(
  database: Database,
  { target, isMoved, now }: { readonly target: NotificationTarget; readonly isMoved: boolean; readonly now: Date },
): Promise<z.infer<typeof putSchema>> {
  // Columns as JSON.
  const p = {
    now: now.toISOString(),
    limit: MAX_TARGETS,
    is_moved: isMoved,
    target: JSON.parse(
      JSON.stringify({ ...target, handover_at: target.handover === null ? null : nextHandover(target.handover, now) }),
    ),
  };
  return database.call("put_notification_target", { p }, putSchema, { retries: 1 });
}

/** False if there is no such target. @throws DependencyError */
export async function deleteTarget(database: Database, name: string): Promise<boolean> {
  // No retry: after a lost result the second call would find nothing.
  return database.call("delete_notification_target", { p_name: name }, z.boolean());
}
