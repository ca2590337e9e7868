// Values of JSON documents whose shape differs between exports. Pure functions.

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of a list, of a document with one list of these names, or of one object below one of them. */
export function objectsIn(document: unknown, names: readonly string[]): JsonObject[] {
  const inner = isObject(document)
    ? (names.map((name) => document[name]).find((value) => value !== undefined) ?? document)
    : document;
  return (Array.isArray(inner) ? inner : [inner]).filter(isObject);
}

/** The text at the first of these paths, such as `service.summary`. A number is a text; an object or an empty text is none. */
export function textAt(object: JsonObject, ...paths: readonly string[]): string | null {
  for (const path of paths) {
    const value = path.split(".").reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), object);
    if (typeof value === "string" && value.trim() !== "") return value;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
  }
  return null;
}

/** The objects of a list in a field. */
export function listAt(object: JsonObject, ...names: readonly string[]): JsonObject[] {
  for (const name of names) {
    const value = object[name];
    if (Array.isArray(value)) return value.filter(isObject);
  }
  return [];
}

/** The flat texts of an object in a field. */
export function textsAt(object: JsonObject, name: string): Record<string, string> {
  const value = object[name];
  const entries = isObject(value) ? Object.keys(value).map((key) => [key, textAt(value, key)] as const) : [];
  return Object.fromEntries(entries.flatMap(([key, text]) => (text === null ? [] : [[key, text]])));
}
