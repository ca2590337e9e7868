// The messages of invalid fields, as a reader who does not know zod understands them. Each continues the field's name:
// "title: must have at most 1,000 characters".

import { z } from "@hono/zod-openapi";

const COUNT = new Intl.NumberFormat("en-US");

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: "a time with a zone, such as 2026-03-01T02:55:12Z",
  date: "a date, such as 2026-03-01",
  uuid: "a UUID",
  url: "a URL",
};

/** Sets the messages of all schemas that have none of their own. Called once, by the module that reads requests. */
export function useIssueMessages(): void {
  z.config({ customError: messageOf });
}

type Issue = Parameters<NonNullable<z.core.$ZodConfig["customError"]>>[0];

/** Undefined for issues whose default message is kept. */
function messageOf(issue: Issue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "too_big":
      return `must ${boundOf(issue.origin, "at most", issue.inclusive === false ? "below" : "at most", issue.maximum)}`;
    case "too_small":
      if (issue.origin === "string" && issue.minimum === 1) return "must not be empty";
      return `must ${boundOf(issue.origin, "at least", issue.inclusive === false ? "above" : "at least", issue.minimum)}`;
    case "invalid_value":
      return `must be ${listOf(issue.values)}`;
    case "invalid_format":
      return FORMATS[issue.format] && `must be ${FORMATS[issue.format]}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_key":
      return `has a name that is not allowed: it ${issue.issues[0]?.message ?? "is not valid"}`;
    case "invalid_union":
      return "has none of the allowed forms";
    default:
      return undefined;
  }
}

function boundOf(origin: string, length: string, value: string, bound: number | bigint): string {
  const count = COUNT.format(bound);
  if (origin === "string") return `have ${length} ${count} character${bound === 1 ? "" : "s"}`;
  if (origin === "array" || origin === "set") return `hold ${length} ${count} item${bound === 1 ? "" : "s"}`;
  return `be ${value} ${count}`;
}

function listOf(values: readonly unknown[]): string {
  const texts = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  const last = texts.at(-1) ?? "";
  return texts.length <= 1 ? `"${last}"` : `${texts.slice(0, -1).join(", ")} or ${last}`;
}
