// What is wrong with the fields of a request or with the arguments of a tool, in sentences. Pure functions.

import type { z } from "@hono/zod-openapi";

export interface InvalidField {
  /** The path, with dots; "body" for the whole. */
  readonly field: string;
  /** Continues the field's name: "must have at most 64 characters". */
  readonly message: string;
}

type Issue = z.core.$ZodIssue;

/** Bounds the text for any request. */
const MAX_FIELDS = 20;
const MAX_FIELD_LENGTH = 100;
/** Fields that a sentence describes. */
const MAX_DESCRIBED = 3;

/** The first invalid fields. @param whole the name of the value itself */
export function invalidFields({ issues }: z.core.$ZodError, whole: string): InvalidField[] {
  const faults = issues
    .flatMap(issuesOf)
    .flatMap((issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => ({ field: [...issue.path, key].join("."), message: "is not a known field" }))
        : [{ field: issue.path.join(".") || whole, message: issue.message }],
    );
  return faults
    .slice(0, MAX_FIELDS)
    .map(({ field, message }) => ({ field: field.slice(0, MAX_FIELD_LENGTH), message }));
}

/** "title: is missing; severity: must be critical, high, medium, low or info." */
export function describeInvalidFields(fields: readonly InvalidField[]): string {
  const described = fields
    .slice(0, MAX_DESCRIBED)
    .map(({ field, message }) => `${field}: ${message.replace(/\.$/, "")}`);
  const more = fields.length - described.length;
  return `${described.join("; ")}${more > 0 ? `; and ${more} more` : ""}.`;
}

/** Of a value with several allowed forms, the issues of the one form whose type it has; else the issue itself. */
function issuesOf(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union") return [issue];
  const [form, ...others] = formsOf(issue.errors);
  if (form === undefined || others.length > 0) return [issue];
  return form.flatMap((inner) => issuesOf({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** The forms of which the value itself is right and only a part is wrong; without one, those whose type it has. */
function formsOf(errors: readonly Issue[][]): Issue[][] {
  const inner = errors.filter((issues) =>
    issues.every(({ code, path }) => path.length > 0 || code === "unrecognized_keys"),
  );
  if (inner.length > 0) return inner;
  return errors.filter((issues) => !issues.some(({ code, path }) => code === "invalid_type" && path.length === 0));
}
