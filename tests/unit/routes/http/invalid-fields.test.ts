import { describe, expect, it } from "vitest";
import { z } from "zod";
import { describeInvalidFields, invalidFields } from "../../../../functions/routes/http/invalid-fields.ts";

const schema = z.strictObject({
  title: z.string().max(5, "must have at most 5 characters"),
  scope: z.union([z.enum(["read"], "must be read"), z.array(z.enum(["read"], "must be read"))], "has no allowed form"),
  filter: z.union([z.strictObject({ value: z.number("must be a number") }), z.array(z.string())]).optional(),
});
const VALID = { title: "a", scope: "read" };

function fieldsOf(value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return error ? invalidFields(error, "body").map(({ field, message }) => `${field} ${message}`) : [];
}

describe("invalidFields", () => {
  it("names each invalid and each unknown field by its path", () => {
    expect(fieldsOf({ ...VALID, title: "too long", colour: 1 })).toEqual([
      "title must have at most 5 characters",
      "colour is not a known field",
    ]);
    expect(fieldsOf({ ...VALID, filter: { value: "1", op: "is" } })).toEqual([
      "filter.value must be a number",
      "filter.op is not a known field",
    ]);
  });

  it("describes the form that a value has, of several allowed ones", () => {
    expect(fieldsOf({ ...VALID, scope: ["write"] })).toEqual(["scope.0 must be read"]);
    expect(fieldsOf({ ...VALID, scope: "write" })).toEqual(["scope must be read"]);
    expect(fieldsOf({ ...VALID, filter: 1 })).toEqual([expect.stringMatching(/^filter /)]);
  });

  it("names the whole value if it has another type", () => {
    expect(fieldsOf(null)).toEqual([expect.stringMatching(/^body /)]);
  });

  it("is bounded for any value", () => {
    const value = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${i}${"x".repeat(500)}`, 1]));
    const fields = fieldsOf({ ...VALID, ...value });
    expect(fields).toHaveLength(20);
    expect(fields.every((field) => field.length < 200)).toBe(true);
  });
});

describe("describeInvalidFields", () => {
  const fields = ["a", "b", "c", "d", "e"].map((field) => ({ field, message: "is missing." }));

  it("is one sentence of at most three fields", () => {
    expect(describeInvalidFields(fields.slice(0, 1))).toBe("a: is missing.");
    expect(describeInvalidFields(fields)).toBe("a: is missing; b: is missing; c: is missing; and 2 more.");
  });
});
