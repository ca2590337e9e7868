// Schema of metadata filters in requests. Filters have bounded size and depth.

import { z } from "zod";
import { accepts, type Filter, type FilterLeaf as Leaf, leavesOf, STORE_LIMITS } from "../adapters/vector-store.ts";
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
    (filter) => leavesOf(filter).length <= STORE_LIMITS.conditions,
    `must have at most ${STORE_LIMITS.conditions} conditions`,
  );

/** Metadata fields that a caller may name beside the filters, as plain values. */
export const FLAT_FIELDS = ["kind", "apiGroup", "namespace", "cluster"] as const;
export type FlatFields = { readonly [Field in (typeof FLAT_FIELDS)[number]]?: string | undefined };

/** The filters and the plain values as one filter; undefined without either. */
export function withFlatFields(filter: Filter | undefined, fields: FlatFields): Filter | undefined {
  const values = FLAT_FIELDS.flatMap((field): Filter[] => {
    const value = fields[field];
    return value === undefined ? [] : [{ op: "equals", field, value }];
  });
  const all = [...values, ...(filter === undefined ? [] : leavesOf(filter).filter((leaf) => !isSame(leaf, fields)))];
  return all.length < 2 ? all[0] : { op: "and", filters: all };
}

/** Describes what no document can fulfil, or what is too much; undefined if nothing is. */
export function flatFieldFault(
  filter: Filter | undefined,
  fields: FlatFields,
): { readonly field: string; readonly message: string } | undefined {
  for (const leaf of filter === undefined ? [] : leavesOf(filter)) {
    const field = FLAT_FIELDS.find((name) => name === leaf.field);
    const value = field && fields[field];
    if (field === undefined || value === undefined || accepts(leaf, value)) continue;
    return { field, message: `is "${value}", and filters require another ${field}: remove one of them` };
  }
  const combined = withFlatFields(filter, fields);
  if (combined === undefined || leavesOf(combined).length <= STORE_LIMITS.conditions) return undefined;
  return { field: "filters", message: `must have at most ${STORE_LIMITS.conditions} conditions with the plain fields` };
}

function isSame(leaf: Leaf, fields: FlatFields): boolean {
  return leaf.op === "equals" && FLAT_FIELDS.some((field) => field === leaf.field && fields[field] === leaf.value);
}
