// Compares two JSON schemas of the API: a request may accept more than before, a response may hold more than before.

import { isObject, isSame, type Json, type JsonObject, listOf, objectOf } from "../api-document/json.ts";

export interface Change {
  /** Breaks a caller that was written for the earlier document. */
  readonly breaking: boolean;
  /** Such as `POST /v1/triage request.title`. */
  readonly place: string;
  readonly text: string;
}

export interface Comparison {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly direction: "request" | "response";
  /** Pairs of references that are compared already: schemas may refer to themselves. */
  readonly compared: Set<string>;
}

const LOWER_BOUNDS = ["minLength", "minimum", "exclusiveMinimum", "minItems", "minProperties"];
const UPPER_BOUNDS = ["maxLength", "maximum", "exclusiveMaximum", "maxItems", "maxProperties"];
/** Keywords without a rule of their own: each difference counts as breaking. */
const OPAQUE = [
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "patternProperties",
  "propertyNames",
  "uniqueItems",
  "multipleOf",
];

export function compareSchemas(context: Comparison, old: Json, now: Json, place: string): Change[] {
  const pair = `${context.direction} ${refOf(old)} ${refOf(now)}`;
  if (refOf(old) !== null && refOf(now) !== null) {
    if (context.compared.has(pair)) return [];
    context.compared.add(pair);
  }
  const before = resolve(context.before, old);
  const after = resolve(context.after, now);
  if (variantsOf(before) !== null || variantsOf(after) !== null) return compareVariants(context, before, after, place);
  return [
    ...compareTypes(context, before, after, place),
    ...compareValues(context, before, after, place),
    ...compareBounds(context, before, after, place),
    ...compareText(context, before, after, place),
    ...compareProperties(context, before, after, place),
    ...compareItems(context, before, after, place),
    ...OPAQUE.filter((key) => !isSame(before[key], after[key])).map((key) => broken(place, `${key} changed`)),
  ];
}

/** Follows references to components, which may refer to others. */
export function resolve(document: JsonObject, value: Json | undefined): JsonObject {
  const ref = refOf(value);
  if (ref === null) return objectOf(value);
  const target = ref
    .replace(/^#\//, "")
    .split("/")
    .reduce<Json | undefined>((part, key) => objectOf(part)[key.replaceAll("~1", "/").replaceAll("~0", "~")], document);
  if (target === undefined) throw new Error(`The API document has no ${ref}.`);
  return resolve(document, target);
}

export const broken = (place: string, text: string): Change => ({ breaking: true, place, text });
export const added = (place: string, text: string): Change => ({ breaking: false, place, text });

function refOf(value: Json | undefined): string | null {
  const ref = objectOf(value).$ref;
  return typeof ref === "string" ? ref : null;
}

/** A nullable object has two: an object schema with a name and null are written as variants. */
function variantsOf(schema: JsonObject): readonly Json[] | null {
  const isNullableObject = schema.properties !== undefined && listOf(schema.type).includes("null");
  const variants = isNullableObject
    ? [{ ...schema, type: "object" }, { type: "null" }]
    : (schema.anyOf ?? schema.oneOf);
  return variants === undefined ? null : listOf(variants);
}

/** Each variant of the narrower side needs one on the other side that takes all of its values. */
function compareVariants(context: Comparison, before: JsonObject, after: JsonObject, place: string): Change[] {
  const olds = variantsOf(before) ?? [before];
  const news = variantsOf(after) ?? [after];
  const isRequest = context.direction === "request";
  const changes = (isRequest ? olds : news).flatMap((variant, index) => {
    const trials = (isRequest ? news : olds).map((other) => {
      const compared = new Set(context.compared);
      const [old, now] = isRequest ? [variant, other] : [other, variant];
      return compareSchemas({ ...context, compared }, old, now, `${place}(${index + 1})`);
    });
    const [best] = trials.sort((a, b) => breakingOf(a).length - breakingOf(b).length || a.length - b.length);
    return best ?? [broken(place, "has no variants")];
  });
  return olds.length === news.length
    ? changes
    : [...changes, added(place, `${news.length} variants, before ${olds.length}`)];
}

function breakingOf(changes: readonly Change[]): readonly Change[] {
  return changes.filter((change) => change.breaking);
}

function compareTypes({ direction }: Comparison, before: JsonObject, after: JsonObject, place: string): Change[] {
  const [olds, news] = [typesOf(before), typesOf(after)];
  if (isSame([...olds].sort(), [...news].sort())) return [];
  const text = `type ${news.join(" | ")}, before ${olds.join(" | ")}`;
  const [narrow, wide] = direction === "request" ? [olds, news] : [news, olds];
  const fits = narrow.every(
    (type) => wide.includes(type) || wide.includes("any") || (type === "integer" && wide.includes("number")),
  );
  return [{ breaking: !fits, place, text }];
}

function typesOf({ type }: JsonObject): readonly string[] {
  if (type === undefined) return ["any"];
  return (Array.isArray(type) ? type : [type]).map(String);
}

/** New values in a response count as additions: callers must expect values that they do not handle. */
function compareValues({ direction }: Comparison, before: JsonObject, after: JsonObject, place: string): Change[] {
  const [olds, news] = [valuesOf(before), valuesOf(after)];
  if (olds === null && news === null) return [];
  if (olds === null) return [{ breaking: direction === "request", place, text: "is limited to listed values" }];
  if (news === null)
    return [{ breaking: direction === "response", place, text: "is no longer limited to listed values" }];
  return [
    ...olds
      .filter((value) => !news.includes(value))
      .map((value) => ({ breaking: direction === "request", place, text: `value ${value} removed` })),
    ...news.filter((value) => !olds.includes(value)).map((value) => added(place, `value ${value} added`)),
  ];
}

function valuesOf(schema: JsonObject): readonly string[] | null {
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  return schema.enum === undefined ? null : listOf(schema.enum).map((value) => JSON.stringify(value));
}

function compareBounds({ direction }: Comparison, before: JsonObject, after: JsonObject, place: string): Change[] {
  const compare = (key: string, none: number, sign: number): Change[] => {
    if (isSame(before[key], after[key])) return [];
    const boundOf = (schema: JsonObject) => (schema[key] === undefined ? none : Number(schema[key]));
    const isTighter = (boundOf(after) - boundOf(before)) * sign > 0;
    const text = `${key} ${after[key] ?? "none"}, before ${before[key] ?? "none"}`;
    return [{ breaking: direction === "request" && isTighter, place, text }];
  };
  return [
    ...LOWER_BOUNDS.flatMap((key) => compare(key, Number.NEGATIVE_INFINITY, 1)),
    ...UPPER_BOUNDS.flatMap((key) => compare(key, Number.POSITIVE_INFINITY, -1)),
  ];
}

function compareText({ direction }: Comparison, before: JsonObject, after: JsonObject, place: string): Change[] {
  const changed = (key: string) => !isSame(before[key], after[key]);
  const text = (key: string) =>
    `${key} ${JSON.stringify(after[key] ?? null)}, before ${JSON.stringify(before[key] ?? null)}`;
  const isRequest = direction === "request";
  return [
    ...["pattern", "format"].filter(changed).map((key) => ({
      // A request may drop a restriction; a response may add one.
      breaking: isRequest ? after[key] !== undefined : key === "format" && before[key] !== undefined,
      place,
      text: text(key),
    })),
    ...(isRequest && changed("default")
      ? [{ breaking: before.default !== undefined, place, text: text("default") }]
      : []),
  ];
}

function compareProperties(context: Comparison, before: JsonObject, after: JsonObject, place: string): Change[] {
  const [olds, news] = [objectOf(before.properties), objectOf(after.properties)];
  const isRequest = context.direction === "request";
  const changes = Object.entries(olds).flatMap(([name, old]): Change[] => {
    const at = `${place}.${name}`;
    const now = news[name];
    if (now === undefined) return [broken(at, "removed")];
    const [was, is] = [isPresent(context, before, name), isPresent(context, after, name)];
    const text = is ? "is required now" : "is optional now";
    return [
      ...(was === is ? [] : [{ breaking: is === isRequest, place: at, text }]),
      ...compareSchemas(context, old, now, at),
    ];
  });
  const additions = Object.keys(news)
    .filter((name) => olds[name] === undefined)
    .map((name) => ({
      breaking: isRequest && isPresent(context, after, name),
      place: `${place}.${name}`,
      text: isPresent(context, after, name) ? "added as required" : "added",
    }));
  return [...changes, ...additions, ...compareOtherProperties(context, before, after, place)];
}

/** In a response, a field with a default is always present. */
function isPresent({ direction }: Comparison, schema: JsonObject, name: string): boolean {
  const hasDefault = objectOf(objectOf(schema.properties)[name]).default !== undefined;
  return listOf(schema.required).includes(name) || (direction === "response" && hasDefault);
}

function compareOtherProperties(context: Comparison, before: JsonObject, after: JsonObject, place: string): Change[] {
  const [old, now] = [before.additionalProperties ?? true, after.additionalProperties ?? true];
  if (isObject(old) && isObject(now)) return compareSchemas(context, old, now, `${place}.*`);
  if (isSame(old, now)) return [];
  const isNarrower = now === false || (isObject(now) && old !== false);
  const isBreaking = context.direction === "request" ? isNarrower : isObject(old) && now !== false;
  return [{ breaking: isBreaking, place, text: "additionalProperties changed" }];
}

function compareItems(context: Comparison, before: JsonObject, after: JsonObject, place: string): Change[] {
  const [olds, news] = [listOf(before.prefixItems), listOf(after.prefixItems)];
  const isRequest = context.direction === "request";
  const compare = (old: Json | undefined, now: Json | undefined): Change[] => {
    if (old === undefined && now === undefined) return [];
    if (old === undefined) return [{ breaking: isRequest, place: `${place}[]`, text: "items are described now" }];
    if (now === undefined)
      return [{ breaking: !isRequest, place: `${place}[]`, text: "items are no longer described" }];
    return compareSchemas(context, old, now, `${place}[]`);
  };
  return [
    ...(olds.length === news.length ? [] : [broken(place, `${news.length} leading items, before ${olds.length}`)]),
    ...olds.slice(0, news.length).flatMap((old, index) => compare(old, news[index])),
    ...compare(before.items, after.items),
  ];
}
