// Builds examples from those of a schema's parts, so that each is written once. Pure functions.

/** The keywords of a JSON schema that examples are built from. */
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
export type Schemas = Readonly<Record<string, Schema>>;

/**
 * Returns the schema's own example, or one built from its properties: every required property, and the optional ones
 * with an example of their own. Without an example a property takes its first enum value, its default, or null.
 * @param named the schemas that `$ref` refers to
 * @returns undefined when a required property has none of these
 */
export function exampleOf(schema: Schema | undefined, named: Schemas): unknown {
  if (schema === undefined) return undefined;
  const resolved = resolve(schema, named);
  if (resolved === undefined) return undefined;
  return [
    () => ownExample(resolved),
    () => combinedExample(resolved, named),
    () => resolved.enum?.[0],
    () => resolved.default,
    () => (resolved.type?.includes("null") ? null : undefined),
  ].reduce<unknown>((example, next) => (isPresent(example) ? example : next()), undefined);
}

/** The example or the constant that the schema itself holds. */
export function ownExample({ example, examples, const: constant }: Schema): unknown {
  return [example, examples?.[0], constant].find(isPresent);
}

function combinedExample(schema: Schema, named: Schemas): unknown {
  if (schema.allOf) return mergedExample(schema.allOf, named);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map((choice) => exampleOf(choice, named)).find(isPresent);
  if (schema.properties) return objectExample(schema, named);
  const item = exampleOf(schema.items, named);
  return item === undefined ? undefined : [item];
}

function objectExample({ properties = {}, required = [] }: Schema, named: Schemas): unknown {
  const example: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const isRequired = required.includes(name);
    const resolved = resolve(property, named);
    const value = isRequired ? exampleOf(property, named) : resolved && ownExample(resolved);
    if (value !== undefined) example[name] = value;
    else if (isRequired) return undefined;
  }
  return Object.keys(example).length > 0 ? example : undefined;
}

function mergedExample(parts: readonly Schema[], named: Schemas): unknown {
  const examples = parts.map((part) => exampleOf(part, named));
  return examples.every(isPresent) ? Object.assign({}, ...examples) : undefined;
}

function resolve(schema: Schema, named: Schemas): Schema | undefined {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  return name === undefined ? schema : named[name];
}

function isPresent(value: unknown): boolean {
  return value !== undefined;
}
