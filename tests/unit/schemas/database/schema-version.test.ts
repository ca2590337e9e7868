import { describe, expect, it } from "vitest";
import { migrationsOf } from "../../../../dev/release/recorded-releases.ts";
import { isOlderSchema, SCHEMA_VERSION } from "../../../../functions/schemas/database/schema-version.ts";

describe("the schema of this version", () => {
  it("is that of the last migration", () => {
    expect(migrationsOf().at(-1)?.file, "Set SCHEMA_VERSION").toMatch(new RegExp(`^${SCHEMA_VERSION}_`));
  });

  it.each([
    [["20200101000000"], true],
    [["20200101000000", SCHEMA_VERSION], false],
    [["20200101000000", SCHEMA_VERSION, "29990101000000"], false],
    [[], false],
  ])("with the migrations %j applied, the schema is older: %s", (applied, isOlder) => {
    expect(isOlderSchema(applied)).toBe(isOlder);
  });
});
