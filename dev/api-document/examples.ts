// Examples for the OpenAPI document. The example of a schema is built from the examples of its parts, so that each
// value is written in one place. Pure functions.

/** The keywords of a JSON schema from which examples are built. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}
/** The schemas of `#/components/schemas` by name. */
export type Schemas = Readonly<Record<string, Schema>>;

/**
 * Returns an example of a schema: the first that exists of its own example or constant, an example built from its parts,
 * its first enum value, its default, and null if its type allows it.
 * @param schemas the schemas that `$ref` refers to
 * @returns undefined when the schema or one of its required properties has none of these
 */
export function exampleOf(schema: Schema | undefined, schemas: Schemas): unknown {
  if (schema === undefined) return undefined;
  const resolved = resolve(schema, schemas);
  if (resolved === undefined) return undefined;
  return [
    () => ownExample(resolved),
    () => combinedExample(resolved, schemas),
    () => resolved.enum?.[0],
    () => resolved.default,
    () => (resolved.type?.includes("null") ? null : undefined),
  ].reduce<unknown>((example, next) => (isPresent(example) ? example : next()), undefined);
}

/** The schema's own example, or its constant. */
export function ownExample({ example, examples, const: constant }: Schema): unknown {
  return [example, examples?.[0], constant].find(isPresent);
}

function combinedExample(schema: Schema, schemas: Schemas): unknown {
  if (schema.allOf) return mergedExample(schema.allOf, schemas);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map((choice) => exampleOf(choice, schemas)).find(isPresent);
  if (schema.properties) return objectExample(schema, schemas);
  const item = exampleOf(schema.items, schemas);
  return item === undefined ? undefined : [item];
}

/** An object with every required property, and with the optional properties that have their own example. */
function objectExample({ properties = {}, required = [] }: Schema, schemas: Schemas): unknown {
  const example: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const isRequired = required.includes(name);
    const resolved = resolve(property, schemas);
    const value = isRequired ? exampleOf(property, schemas) : resolved && ownExample(resolved);
    if (value !== undefined) example[name] = value;
    else if (isRequired) return undefined;
  }
  return Object.keys(example).length > 0 ? example : undefined;
}

/** Undefined when one of the parts has no example: the merged object would be incomplete. */
function mergedExample(parts: readonly Schema[], schemas: Schemas): unknown {
  const examples = parts.map((part) => exampleOf(part, schemas));
  return examples.every(isPresent) ? Object.assign({}, ...examples) : undefined;
}

export function resolve(schema: Schema, schemas: Schemas): Schema | undefined {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  return name === undefined ? schema : schemas[name];
}

function isPresent(value: unknown): boolean {
  return value !== undefined;
}
