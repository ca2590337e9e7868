// Finds an incident by its id, or by a unique beginning of it.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";

/** Least number of hex digits: as many as a UUID has before its first hyphen. */
export const MIN_NAME_LENGTH = 8;
const DIGITS_OF_AN_ID = 32;

export type FoundIncident =
  | { readonly state: "found"; readonly id: string }
  | { readonly state: "none" }
  | { readonly state: "ambiguous" };

/**
 * The digits of such a name in lower case, without hyphens; undefined for any other text.
 * @param minLength least number of digits
 */
export function incidentDigits(name: string, minLength: number = MIN_NAME_LENGTH): string | undefined {
  const digits = name.toLowerCase().replaceAll("-", "");
  const isName = /^[0-9a-f]+$/.test(digits) && digits.length >= minLength && digits.length <= DIGITS_OF_AN_ID;
  return isName ? digits : undefined;
}

/** @param digits of `incidentDigits` @throws DependencyError */
export async function findIncident(database: Database, digits: string): Promise<FoundIncident> {
  const ids = await database.call("find_incidents", { p_hex: digits, p_limit: 2 }, z.array(z.uuid()), { retries: 1 });
  const [id, another] = ids;
  if (id === undefined) return { state: "none" };
  return another === undefined ? { state: "found", id } : { state: "ambiguous" };
}
