// Removal of values from objects of a cluster: what a secret or a config map holds, and what is written into the environment
// of a container. Their names stay.

/** Top-level fields whose values are content: of secrets, config maps, and revisions of controllers. */
const CONTENT_FIELDS = new Set(["data", "stringData", "binaryData"]);
/** A former version of the whole object, values included. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
/** Deeper values are left out: objects of the API have about 15 levels. */
const MAX_DEPTH = 40;

/** A copy of an object without values that may be secrets, and without the history of its fields. */
export function withoutValues(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(object).filter(([key]) => !CONTENT_FIELDS.has(key));
  return copyObject(Object.fromEntries(kept), 0);
}

function copy(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1));
  return copyObject({ ...value }, depth);
}

function copyObject(object: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
  const entries = Object.entries(object)
    .filter(([key]) => key !== "managedFields" && key !== LAST_APPLIED)
    .map(([key, value]) => [key, copy(key === "env" ? withoutLiterals(value) : value, depth + 1)] as const);
  return Object.fromEntries(entries);
}

/** Environment variables: the name, and the reference to where the value comes from. */
function withoutLiterals(env: unknown): unknown {
  if (!Array.isArray(env)) return null;
  return env.map((variable: unknown) =>
    typeof variable === "object" && variable !== null
      ? Object.fromEntries(Object.entries(variable).filter(([key]) => key === "name" || key === "valueFrom"))
      : null,
  );
}
