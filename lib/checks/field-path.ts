// Paths into objects, as conditions write them: `.status.containerStatuses[*].ready`. A subset of JSONPath.

type PathStep =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "all" }
  /** Elements whose field has the value. */
  | { readonly kind: "where"; readonly field: readonly string[]; readonly value: string };

export type FieldPath = readonly PathStep[];

const MAX_STEPS = 20;
const NAME = /^\.([A-Za-z_$][\w$-]{0,100})/;
const BRACKET = /^\[\s{0,5}(?:(\*)|(\d{1,4})|"([^"\\]{1,200})"|'([^'\\]{1,200})')\s{0,5}\]/;
const WHERE =
  /^\[\s{0,5}([A-Za-z_$][\w$-]{0,60}(?:\.[A-Za-z_$][\w$-]{0,60}){0,5})\s{0,5}={1,2}\s{0,5}(?:"([^"\\]{0,200})"|'([^'\\]{0,200})'|([\w./-]{1,200}))\s{0,5}\]/;

/** Reads a path at the beginning of a text; null if the text does not begin with a complete one. */
export function readFieldPath(text: string): { readonly path: FieldPath; readonly length: number } | null {
  const path: PathStep[] = [];
  let position = 0;
  while (/^[.[]/.test(text.slice(position, position + 1))) {
    const step = readStep(text.slice(position, position + 500));
    if (step === null || path.length === MAX_STEPS) return null;
    path.push(step.step);
    position += step.length;
  }
  return path.length === 0 ? null : { path, length: position };
}

function readStep(text: string): { readonly step: PathStep; readonly length: number } | null {
  const name = NAME.exec(text);
  if (name) return { step: { kind: "name", name: name[1] ?? "" }, length: name[0].length };
  const bracket = BRACKET.exec(text);
  if (bracket) {
    const [{ length }, star, index, double, single] = bracket;
    if (star !== undefined) return { step: { kind: "all" }, length };
    if (index !== undefined) return { step: { kind: "index", index: Number(index) }, length };
    return { step: { kind: "name", name: double ?? single ?? "" }, length };
  }
  const where = WHERE.exec(text);
  if (!where) return null;
  const [{ length }, field = "", double, single, bare] = where;
  return { step: { kind: "where", field: field.split("."), value: double ?? single ?? bare ?? "" }, length };
}

/** The values that a path reaches in an object. A missing field reaches none, and neither does null. */
export function valuesAt(object: unknown, path: FieldPath): unknown[] {
  return path
    .reduce<unknown[]>((values, step) => values.flatMap((value) => afterStep(value, step)), [object])
    .filter((value) => value !== undefined && value !== null);
}

function afterStep(value: unknown, step: PathStep): unknown[] {
  switch (step.kind) {
    case "name":
      return fieldOf(value, step.name);
    case "index":
      return Array.isArray(value) && step.index < value.length ? [value[step.index]] : [];
    case "all":
      return elementsOf(value);
    case "where":
      return elementsOf(value).filter((element) =>
        step.field
          .reduce<unknown[]>((values, name) => values.flatMap((each) => fieldOf(each, name)), [element])
          .some((each) => typeof each !== "object" && String(each) === step.value),
      );
  }
}

function elementsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function fieldOf(value: unknown, name: string): unknown[] {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && Object.hasOwn(value, name) ? [(value as Readonly<Record<string, unknown>>)[name]] : [];
}
