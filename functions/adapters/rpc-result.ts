// Owns how a reply of the database is read: parsed once, at the border.

import type { z } from "zod";
import { OutsideError } from "../dependencies.ts";

/** @throws OutsideError `invalid_reply` that names the SQL function */
export function parseReply<T>(schema: z.ZodType<T>, reply: unknown, from: string): T {
  const parsed = schema.safeParse(reply);
  if (parsed.success) return parsed.data;
  throw new OutsideError("postgres", "invalid_reply", `${from} returned another shape`, { cause: parsed.error });
}
