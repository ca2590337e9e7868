// Schema of metadata filters in requests. Filters have bounded size and depth.

import { z } from "zod";
import { type Filter, STORE_LIMITS } from "../adapters/vector-store.ts";
import { storable } from "../schemas/storable.ts";

/** Allowed metadata field names; they exclude the operators of vector stores, such as `$and`. */
export const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_./-]{0,35}$/;
export const FIELD_NAME_RULE = "must begin with a letter and have 36 letters, digits or _ . / - at most";
export const MAX_METADATA_LENGTH = 1_024;

const MAX_VALUES = 100;
const field = z.string().regex(FIELD_NAME, FIELD_NAME_RULE);
const value = z.union([storable(MAX_METADATA_LENGTH), z.number(), z.boolean()]);
const values = z
  .array(value)
  .min(1)
  .max(MAX_VALUES)
  .refine(
    (all) => new Set(all.map((each) => typeof each)).size === 1,
    "must all be text, or numbers, or true or false",
  );

const equals = z.strictObject({ op: z.literal("equals"), field, value });
const oneOf = z.strictObject({ op: z.literal("in"), field, values });
const all = <T extends z.ZodType<Filter>>(each: T) =>
  z.strictObject({ op: z.literal("and"), filters: z.array(each).min(1).max(STORE_LIMITS.conditions) });

// Two levels of `and` are enough, since `and` is associative; they keep the depth bounded.
const inner = z.discriminatedUnion("op", [equals, oneOf]);
const middle = z.discriminatedUnion("op", [equals, oneOf, all(inner)]);

export const filterSchema = z
  .discriminatedUnion("op", [equals, oneOf, all(middle)])
  .refine(
    (filter) => conditions(filter) <= STORE_LIMITS.conditions,
    `must have at most ${STORE_LIMITS.conditions} conditions`,
  );

function conditions(filter: Filter): number {
  return filter.op === "and" ? filter.filters.reduce((sum, each) => sum + conditions(each), 0) : 1;
}
