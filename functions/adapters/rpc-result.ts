// Owns how a reply of the database is read: parsed once, at the border.

import type { z } from "zod";
import { DependencyError } from "../dependencies.ts";

/** @throws DependencyError `invalid_response` that names the SQL function */
export function parseReply<T>(schema: z.ZodType<T>, reply: unknown, from: string): T {
  const parsed = schema.safeParse(reply);
  if (parsed.success) return parsed.data;
  throw new DependencyError("postgres", "invalid_response", `${from} returned another shape`, { cause: parsed.error });
}
