// Owns how an example is put together from those of a schema's parts, so that nobody writes one twice. Pure.

/** What is read of a JSON schema. */
export interface Schema {
  readonly $ref?: string;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}
export type Schemas = Readonly<Record<string, Schema>>;

/**
 * A value that a reader may copy: the schema's own example, or one made of its properties' examples.
 * @param named the schemas that `$ref` points at
 * @returns undefined where something that is required has none
 */
export function exampleOf(schema: Schema | undefined, named: Schemas): unknown {
  if (schema === undefined) return undefined;
  const resolved = resolve(schema, named);
  if (resolved === undefined) return undefined;
  const own = ownExample(resolved);
  if (own !== undefined) return own;
  if (resolved.allOf) return mergedExample(resolved.allOf, named);
  const [first] = (resolved.anyOf ?? resolved.oneOf ?? []).map((each) => exampleOf(each, named)).filter(isThere);
  if (first !== undefined) return first;
  if (resolved.properties) return objectExample(resolved, named);
  if (resolved.items) {
    const item = exampleOf(resolved.items, named);
    return item === undefined ? undefined : [item];
  }
  return resolved.enum?.[0];
}

/** What the schema itself says; nothing is put together. */
export function ownExample({ example, examples, const: only }: Schema): unknown {
  return [example, examples?.[0], only].find(isThere);
}

/** Whatever is required, and what is optional and has an example of its own. */
function objectExample({ properties = {}, required = [] }: Schema, named: Schemas): unknown {
  const example: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const needed = required.includes(name);
    const resolved = resolve(property, named);
    const value = needed ? exampleOf(property, named) : resolved && ownExample(resolved);
    if (value !== undefined) example[name] = value;
    else if (needed) return undefined;
  }
  return Object.keys(example).length > 0 ? example : undefined;
}

function mergedExample(parts: readonly Schema[], named: Schemas): unknown {
  const examples = parts.map((part) => exampleOf(part, named));
  return examples.every(isThere) ? Object.assign({}, ...examples) : undefined;
}

function resolve(schema: Schema, named: Schemas): Schema | undefined {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  return name === undefined ? schema : named[name];
}

function isThere(value: unknown): boolean {
  return value !== undefined;
}
